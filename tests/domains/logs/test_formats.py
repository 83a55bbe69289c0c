"""Log files as events: what each line becomes, what is refused and why, and that no character is lost."""

import os
import re
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.logs.formats import COMBINED_LOG, FORMATS, LOG4J
from domains.logs.records import LogEvent, Repeats
from shared.loading import read_lines
from shared.records import parse_time, show_time

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / "shared" / "data" / "logs"
KAFKA = sorted(REAL.glob("kafka/*/*"))
needs_real_logs = pytest.mark.skipif(not REAL.exists(), reason="the real logs are not on this machine")

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


def reason(path, **options):
    ((number, said),) = lines(path, **options)
    assert number == 1
    assert "\n" not in said
    return said


# Access logs


@pytest.mark.parametrize(
    ("line", "host", "event", "time", "message"),
    [
        (
            '83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a.png HTTP/1.1" 200 203023 "http://b/" "Mozilla (X)"',
            "83.149.9.216",
            "200",
            "2015-05-17T10:05:03Z",
            '- - "GET /a.png HTTP/1.1" 203023 "http://b/" "Mozilla (X)"',
        ),
        (
            '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
            "127.0.0.1",
            "200",
            "2000-10-10T20:55:36Z",
            '- frank "GET /apache_pb.gif HTTP/1.0" 2326',
        ),
        (
            r'::1 id émile [29/Feb/2024:23:59:59 +0545] "GET /a\"b\\ HTTP/1.0" 404 - "" "it said \"no\""',
            "::1",
            "404",
            "2024-02-29T18:14:59Z",
            r'id émile "GET /a\"b\\ HTTP/1.0" - "" "it said \"no\""',
        ),
        ('h - "" [01/Jan/1970:00:00:00 +0000] "" 400 0', "h", "400", "1970-01-01T00:00Z", '- "" "" 0'),
        ('h - - [31/Dec/9999:23:59:59 +0000] "-" 408 0', "h", "408", "9999-12-31T23:59:59Z", '- - "-" 0'),
        ('h - - [01/Jan/2020:00:00:00 -0000] "x" - -', "h", "-", "2020-01-01", '- - "x" -'),
    ],
)
def test_a_line_of_an_access_log_is_an_event_of_the_client(written, line, host, event, time, message):
    assert events(written(line)) == [LogEvent(host, event, parse_time(time), "", message)]


@pytest.mark.parametrize(
    "rest", ["", " ", "  ", ' "-"', ' "-" "curl" ', ' "-" "curl" "10.0.0.1, 10.0.0.2" 0.012 rt=0.5', ' "-" "a\rb"']
)
def test_text_after_the_bytes_is_kept_unchanged(written, rest):
    path = written(f'h - - [01/Jan/2020:00:00:00 +0000] "GET /" 200 5{rest}\r\n')
    assert [event.message for event in events(path)] == [f'- - "GET /" 5{rest}']


def test_months_are_those_of_access_logs_whatever_the_language(written):
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    path = written("".join(f'h - - [05/{month}/2021:00:00:00 +0000] "-" 200 -\n' for month in months))
    assert [show_time(event.time_ms)[:10] for event in events(path)] == [f"2021-{at:02}-05" for at in range(1, 13)]


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


# Telling them apart


def test_formats_have_names_to_be_asked_for_and_refuse_what_is_of_another_form(written):
    assert [format.name for format in FORMATS] == ["combined", "log4j"] == [COMBINED_LOG.name, LOG4J.name]
    assert reason(written(LOG4J_LINE), format="combined").startswith(SHAPE)
    assert reason(written(ACCESS), format="log4j").startswith(START)
    with pytest.raises(ValueError, match=r"^format: must be auto, combined, log4j, csv or jsonl \(got 'xml'\)$"):
        lines(written(ACCESS), format="xml")


def test_events_as_csv_and_json_lines_are_read_as_ever(written):
    event = LogEvent("a", "b", 5, "c", "d")
    assert events(written("host,event,time_ms,severity,message\na,b,5,c,d\n")) == [event]
    assert events(written('{"host": "a", "event": "b", "time_ms": 5, "severity": "c", "message": "d"}')) == [event]


# Real ones


@needs_real_logs
def test_3500_real_lines_of_apache_are_events_from_which_each_line_can_be_made_again():
    path = REAL / "apache_access.log"
    records = events(path)
    assert len(records) == 3500
    assert len({event.host for event in records}) == 680
    assert Counter(event.event for event in records)["200"] == 3084
    assert {event.severity for event in records} == {""}
    lines_again = []
    for event in records:
        user, request, rest = re.fullmatch(r'(\S+ \S+) ("(?:[^"\\]|\\.)*") (.*)', event.message).groups()
        date, clock = show_time(event.time_ms).removesuffix(".000Z").split("T")
        stamp = f"{date[8:]}/{'May' if date[5:7] == '05' else date}/{date[:4]}:{clock} +0000"
        lines_again.append(f"{event.host} {user} [{stamp}] {request} {event.event} {rest}\n")
    assert "".join(lines_again) == path.read_text(encoding="utf-8")


@needs_real_logs
def test_3834_real_lines_of_kafka_are_3207_events_from_which_each_file_can_be_made_again():
    hosts, levels, count = Counter(), Counter(), 0
    for path in KAFKA:
        records, text = events(path), path.read_text(encoding="utf-8")
        times = [show_time(event.time_ms).replace("T", " ").replace(".", ",").removesuffix("Z") for event in records]
        made = (f"[{at}] {event.event} {event.message}\n" for at, event in zip(times, records, strict=True))
        assert "".join(made) == text
        hosts.update(event.host for event in records)
        levels.update(event.severity for event in records)
        count += text.count("\n")
    assert count == 3834
    assert hosts == {"kafka0": 1228, "kafka1": 948, "kafka2": 1031}
    assert levels == {"INFO": 3170, "ERROR": 28, "WARN": 9}


def key(event):
    return event.host, event.event, event.time_ms, event.tie


@needs_real_logs
def test_repeats_tell_all_real_events_apart_that_are_equal_in_all_they_say():
    apache, kafka = events(REAL / "apache_access.log"), [events(path) for path in KAFKA]
    assert len(apache) - len(set(map(key, apache))) == 13
    keys = [key(event) for each_file in [apache, *kafka] for event in map(Repeats(), each_file)]
    assert len(keys) == len(set(keys)) == 3500 + 3207
