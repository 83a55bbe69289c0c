"""Log files as events: what each line becomes, what is refused and why, and that no character is lost."""

import os
import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.logs.formats import COMBINED_LOG, FORMATS, LOG4J
from domains.logs.records import LogEvent
from shared.loading import read_lines
from shared.records import parse_time

ACCESS = '1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "curl"'
ACCESS_EVENT = LogEvent("1.2.3.4", "200", 1_431_857_103_000, "", '- - "GET / HTTP/1.1" 5 "-" "curl"')
LOG4J_LINE = "[2016-12-19 16:31:46,123] INFO up (a.B)"


@pytest.fixture
def written(tmp_path):
    """Writes a file into the folder of a host and returns its path."""

    def write(content):
        path = tmp_path / "web-1" / "any.log"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lines(path, **options):
    return [
        (line.number, line.record or f"{line.reason}{line.span}")
        for line in read_lines(path, LogEvent, formats=FORMATS, **options)
    ]


def events(path):
    results = lines(path)
    assert [line for line in results if isinstance(line[1], str)] == []
    return [event for _, event in results]


# Access logs


@pytest.mark.parametrize(
    ("line", "time", "wanted"),
    [
        (
            '83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a.png HTTP/1.1" 200 203023 "http://b/" "Mozilla (X)"',
            "2015-05-17T10:05:03Z",
            ("83.149.9.216", "200", '- - "GET /a.png HTTP/1.1" 203023 "http://b/" "Mozilla (X)"'),
        ),
        (
            '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
            "2000-10-10T20:55:36Z",
            ("127.0.0.1", "200", '- frank "GET /apache_pb.gif HTTP/1.0" 2326'),
        ),
        (
            r'::1 id émile [29/Feb/2024:23:59:59 +0545] "GET /a\"b\\ HTTP/1.0" 404 - "" "it said \"no\""',
            "2024-02-29T18:14:59Z",
            ("::1", "404", r'id émile "GET /a\"b\\ HTTP/1.0" - "" "it said \"no\""'),
        ),
        ('h - "" [01/Jan/1970:00:00:00 +0000] "" 400 0', "1970-01-01T00:00Z", ("h", "400", '- "" "" 0')),
        ('h - - [31/Dec/9999:23:59:59 +0000] "-" 408 0', "9999-12-31T23:59:59Z", ("h", "408", '- - "-" 0')),
        ('h - - [01/Jan/2020:00:00:00 -0000] "x" - -', "2020-01-01", ("h", "-", '- - "x" -')),
    ],
)
def test_a_line_of_an_access_log_is_an_event_of_the_client(written, line, time, wanted):
    (event,) = events(written(line))
    assert (event.host, event.event, event.message) == wanted
    assert (event.time_ms, event.severity) == (parse_time(time), "")


@pytest.mark.parametrize("rest", ["", "  ", ' "-" "curl" ', ' "-" "curl" "10.0.0.1, 10.0.0.2" 0.012 rt=0.5', ' "a\rb"'])
def test_text_after_the_bytes_is_kept_unchanged(written, rest):
    path = written(f'h - - [01/Jan/2020:00:00:00 +0000] "GET /" 200 5{rest}\r\n')
    assert [event.message for event in events(path)] == [f'- - "GET /" 5{rest}']


@pytest.mark.parametrize("content", ["{}\n{}", "{}\n{}\n", "{}\r\n{}\r\n", "\ufeff{}\n{}\n", "\n \n{}\n\n \n{}\n\n"])
def test_an_access_log_is_told_by_its_first_line_and_blank_lines_are_no_events(written, content):
    path = written(content.replace("{}", ACCESS))
    assert read_lines(path, LogEvent, formats=FORMATS).format == "combined"
    assert events(path) == [ACCESS_EVENT, ACCESS_EVENT]


SHAPE = 'must be host identity user [day/month/year:time zone] "request" status bytes ... (got '
TIME = "LogEvent.time_ms: must be a time such as 17/May/2015:10:05:03 +0000 (got "


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("17/May", "31/Apr", f"{TIME}'31/Apr/2015:10:05:03 +0000')"),
        ("17/May/2015", "29/Feb/2015", f"{TIME}'29/Feb/2015:10:05:03 +0000')"),
        ("May", "Mai", f"{TIME}'17/Mai/2015:10:05:03 +0000')"),
        ("May", "may", f"{TIME}'17/may/2015:10:05:03 +0000')"),
        ("May", "anF", f"{TIME}'17/anF/2015:10:05:03 +0000')"),
        ("10:05:03", "24:00:00", f"{TIME}'17/May/2015:24:00:00 +0000')"),
        ("10:05:03", "23:59:60", f"{TIME}'17/May/2015:23:59:60 +0000')"),
        ("+0000", "+2400", f"{TIME}'17/May/2015:10:05:03 +2400')"),
        ("2015", "0000", f"{TIME}'17/May/0000:10:05:03 +0000')"),
        ("2015", "1969", "LogEvent.time_ms: must be 0..253402300799999 (got -19749297000)"),
        ("+0000", "+0060", SHAPE),
        ("+0000", "UTC", SHAPE),
        ("17", "٣٤", SHAPE),
        (" - - ", " - - - ", SHAPE),  # a virtual host first: which one is the host?
        (" - - ", " ", SHAPE),
        (' "GET / HTTP/1.1"', " GET", SHAPE),
        (' HTTP/1.1"', r" HTTP/1.1\"", SHAPE),
        ("200", "20", SHAPE),
        ("200 5", "200", SHAPE),
        ("200 5", "200 5.0", SHAPE),
        ('"curl"', '"curl', SHAPE),
        ('"curl"', '"a "b" c"', SHAPE),
        ("1.2.3.4", "", SHAPE),
    ],
)
def test_a_bad_line_of_an_access_log_says_why_and_the_next_is_read(written, old, new, said):
    bad = ACCESS.replace(old, new, 1)
    first, *others = lines(written(f"{bad}\n{ACCESS}\n"), format="combined")
    assert first == (1, f"{SHAPE}{bad!r:.100})" if said == SHAPE else said)
    assert others == [(2, ACCESS_EVENT)]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))
WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0 "), min_size=1)


@given(WORD, WORD, WORD, st.lists(TEXT, min_size=1))
def test_an_access_log_holds_any_text(tmp_path_factory, host, identity, user, texts):
    path = tmp_path_factory.getbasetemp() / "any_access.log"
    request, *others = ['"' + re.sub(r'(["\\])', r"\\\1", text) + '"' for text in texts]
    rest = " ".join(["5", *others])
    path.write_bytes(f"\n{host} {identity} {user} [01/Jan/2020:00:00:00 +0000] {request} 200 {rest}\n".encode())
    ((_, event),) = lines(path, format="combined")
    assert (event.host, event.message) == (host, f"{identity} {user} {request} {rest}")


# log4j


def test_an_event_of_log4j_has_the_lines_up_to_the_next_with_all_their_blanks(written):
    path = written(
        "[2016-12-19 16:31:46,123] INFO KafkaConfig values: \n"
        "\tauthorizer.class.name = \n"
        "\n"
        " (kafka.server.KafkaConfig)\n"
        "[2016-12-19 16:31:46,007] WARN   late [1] \n"
        "[1] is no date, [2016-12-19 inside is none, [2016-12 neither\n"
        "[2016-12-19 16:31:47,000] ERROR \n"
    )
    at_ms = parse_time("2016-12-19T16:31:46")
    values = "KafkaConfig values: \n\tauthorizer.class.name = \n\n (kafka.server.KafkaConfig)"
    late = "  late [1] \n[1] is no date, [2016-12-19 inside is none, [2016-12 neither"
    assert lines(path) == [
        (1, LogEvent("web-1", "INFO", at_ms + 123, "INFO", values)),
        (5, LogEvent("web-1", "WARN", at_ms + 7, "WARN", late)),
        (7, LogEvent("web-1", "ERROR", at_ms + 1000, "ERROR", "")),
    ]


@pytest.mark.parametrize(
    "content", ["{}\n\tat\n{}", "{}\r\n\tat\r\n{}\r\n", "\ufeff{}\n\tat\n{}\n", "\n \n{}\n\tat\n{}\n"]
)
def test_a_log_of_log4j_is_told_by_its_first_line(written, content):
    path = written(content.replace("{}", LOG4J_LINE))
    assert read_lines(path, LogEvent, formats=FORMATS).format == "log4j"
    assert [event.message for event in events(path)] == ["up (a.B)\n\tat", "up (a.B)"]


def test_the_host_is_the_folder_however_the_file_is_named(written, monkeypatch):
    path = written(LOG4J_LINE)
    (path.parent / "logs").mkdir()
    (path.parent / "other.log").symlink_to(path)
    monkeypatch.chdir(path.parent)
    names = [path, str(path), "any.log", "./any.log", "logs/../any.log", "../web-1/any.log", "other.log"]
    assert [event.host for name in names for event in events(name)] == ["web-1"] * len(names)


def test_a_pipe_of_a_shell_has_no_folder_so_its_events_have_no_host():
    for line, found in {
        LOG4J_LINE: "LogEvent.host: must be the name of the file's folder, and a pipe has none; load a file",
        ACCESS: ACCESS_EVENT,
    }.items():
        reader, writer = os.pipe()
        with os.fdopen(writer, "w") as file:
            file.write(line)
        assert lines(f"/dev/fd/{reader}") == [(1, found)]
        os.close(reader)


def test_a_pipe_in_a_folder_has_that_host(tmp_path):
    path = tmp_path / "web-2" / "pipe"
    path.parent.mkdir()
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(LOG4J_LINE,))
    writer.start()
    assert [event.host for event in events(path)] == ["web-2"]
    writer.join()


START = "must start with [2016-12-19 16:31:46,123] LEVEL (got "
LOG4J_TIME = "LogEvent.time_ms: must be a time such as 2016-12-19 16:31:46,123 (got "


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2016-12-19", "2016-13-19", f"{LOG4J_TIME}'2016-13-19 16:31:46,123')"),
        ("2016-12-19", "2015-02-29", f"{LOG4J_TIME}'2015-02-29 16:31:46,123')"),
        ("16:31:46", "24:00:00", f"{LOG4J_TIME}'2016-12-19 24:00:00,123')"),
        ("16:31:46", "16:31:60", f"{LOG4J_TIME}'2016-12-19 16:31:60,123')"),
        ("2016", "1969", "LogEvent.time_ms: must be 0..253402300799999 (got -1063693877)"),
        (",123", "", START),
        (",123", ".123", START),
        (",123", ",1234", START),
        (" INFO", " info", START),
        (" INFO", "  INFO", START),
        ("INFO up (a.B)", "INFO", START),
        (" 16:31:46,123", "", START),
    ],
)
@pytest.mark.parametrize("trace", [0, 2])
def test_a_bad_event_of_log4j_takes_its_lines_with_it(written, old, new, said, trace):
    bad = LOG4J_LINE.replace(old, new)
    assert bad != LOG4J_LINE
    path = written(f"{LOG4J_LINE}\n{bad}\n" + "\tat\n" * trace + LOG4J_LINE)
    (_, before), (number, refusal), (after_at, after) = lines(path)
    assert before == after
    assert (number, after_at) == (2, 3 + trace)
    expected = f"{START}{bad!r})" if said == START else said
    reach = f" (lines 2 to {2 + trace})" if trace else ""
    assert refusal == expected + reach


def test_lines_that_go_on_with_no_event_are_one_bad_line(written):
    path = written(f"\n\n\tat a\n\n\tat b\n{LOG4J_LINE}\n")
    first, second = lines(path, format="log4j")
    assert first == (3, rf"{START}'\tat a') (lines 3 to 5)")
    assert (second[0], second[1].message) == (6, "up (a.B)")
    assert lines(written("\tat a\n\tat b\n"), format="log4j") == [(1, rf"{START}'\tat a') (lines 1 to 2)")]


def test_an_event_without_end_is_a_bad_line_again_and_again(written, monkeypatch):
    monkeypatch.setattr("domains.logs.formats.MAX_LINE_CHARACTERS", 100)
    longest = f"{LOG4J_LINE}\n{'x' * 59}\n"
    assert len(longest) == 100
    path = written(longest + longest.replace("x\n", "xx\n") + "y\n" * 100 + LOG4J_LINE)
    assert [(number, results if isinstance(results, str) else "") for number, results in lines(path)] == [
        (1, ""),
        (3, "an event must have at most 100 characters, line ends included (lines 3 to 4)"),
        (5, f"{START}'y') (lines 5 to 55)"),
        (56, f"{START}'y') (lines 56 to 104)"),
        (105, ""),
    ]


def test_a_byte_that_is_not_utf8_spoils_its_own_event_only(written):
    lines_of = [LOG4J_LINE, "\tat", LOG4J_LINE, "\tat \xe9", "\tat", f"{LOG4J_LINE}\xe9", LOG4J_LINE]
    results = lines(written("\n".join(lines_of).encode("latin-1")))
    assert [(number, event if isinstance(event, str) else event.message) for number, event in results] == [
        (1, "up (a.B)\n\tat"),
        (3, "message: is not UTF-8 (byte e9) (lines 3 to 5)"),
        (6, "message: is not UTF-8 (byte e9)"),
        (7, "up (a.B)"),
    ]
    path = written(f"{ACCESS}\xe9\n{ACCESS}\n{ACCESS}".replace("GET", "G\xe9T", 1).encode("latin-1"))
    (_, first), *others = lines(path)
    assert first.startswith("must be host identity")
    assert others == [(2, ACCESS_EVENT), (3, ACCESS_EVENT)]


LINE = TEXT.filter(lambda text: not text.endswith("\r") and not re.match(r"\[\d{4}-\d\d-\d\d", text, re.ASCII))


@given(st.lists(st.lists(LINE, min_size=1), min_size=1))
def test_log4j_holds_any_lines(tmp_path_factory, messages):
    path = tmp_path_factory.getbasetemp() / "any_log4j.log"
    joined = ["\n".join(message_lines) for message_lines in messages]
    path.write_bytes("".join(f"[2016-12-19 16:31:46,123] INFO {message}\n" for message in joined).encode())
    assert [event.message for event in events(path)] == joined


def test_a_file_of_another_form_is_refused_line_by_line(written):
    assert [format.name for format in FORMATS] == ["combined", "log4j"] == [COMBINED_LOG.name, LOG4J.name]
    for content, name, wanted in ((LOG4J_LINE, "combined", SHAPE), (ACCESS, "log4j", START)):
        ((number, reason),) = lines(written(content), format=name)
        assert (number, reason.startswith(wanted), "\n" in reason) == (1, True, False)
