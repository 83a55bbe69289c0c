"""Log files as events, beside the lines in `foreign_files.toml`: no character is lost, and the folder is the host."""

import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.logs.formats import FORMATS
from domains.logs.records import LogEvent
from shared.loading import Description, read_lines
from shared.records import parse_time
from tests.engines import examples

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
        for line in read_lines(path, LogEvent, formats=FORMATS, description=Description(**options))
    ]


def events(path):
    results = lines(path)
    assert [line for line in results if isinstance(line[1], str)] == []
    return [event for _, event in results]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))
WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0 "), min_size=1)


@settings(max_examples=examples(25))
@given(WORD, WORD, WORD, st.lists(TEXT, min_size=1))
def test_an_access_log_holds_any_text(tmp_path_factory, host, identity, user, texts):
    path = tmp_path_factory.getbasetemp() / "any_access.log"
    request, *others = ['"' + re.sub(r'(["\\])', r"\\\1", text) + '"' for text in texts]
    rest = " ".join(["5", *others])
    path.write_bytes(f"\n{host} {identity} {user} [01/Jan/2020:00:00:00 +0000] {request} 200 {rest}\n".encode())
    ((_, event),) = lines(path, format="combined")
    assert (event.host, event.message) == (host, f"{identity} {user} {request} {rest}")


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


def test_an_event_without_end_is_a_bad_line_again_and_again(written, monkeypatch):
    monkeypatch.setattr("shared.loading.log4j_layouts.MAX_LINE_CHARACTERS", 100)
    longest = f"{LOG4J_LINE}\n{'x' * 59}\n"
    assert len(longest) == 100
    path = written(longest + longest.replace("x\n", "xx\n") + "y\n" * 100 + LOG4J_LINE)
    assert [(number, results if isinstance(results, str) else "") for number, results in lines(path)] == [
        (1, ""),
        (3, "an event must have at most 100 characters, line ends included (lines 3 to 4)"),
        (5, "must start with [2016-12-19 16:31:46,123] LEVEL (got 'y') (lines 5 to 55)"),
        (56, "must start with [2016-12-19 16:31:46,123] LEVEL (got 'y') (lines 56 to 104)"),
        (105, ""),
    ]


LINE = TEXT.filter(lambda text: not text.endswith("\r") and not re.match(r"\[\d{4}-\d\d-\d\d", text, re.ASCII))


def test_the_zone_of_a_log_that_names_none_is_applied_to_its_times(written):
    ((_, event),) = lines(written(LOG4J_LINE), zone="Europe/Rome")
    assert event.time_ms == parse_time("2016-12-19T16:31:46.123+01:00")


@settings(max_examples=examples(25))
@given(st.lists(st.lists(LINE, min_size=1), min_size=1))
def test_log4j_holds_any_lines(tmp_path_factory, messages):
    path = tmp_path_factory.getbasetemp() / "any_log4j.log"
    joined = ["\n".join(message_lines) for message_lines in messages]
    path.write_bytes("".join(f"[2016-12-19 16:31:46,123] INFO {message}\n" for message in joined).encode())
    assert [event.message for event in events(path)] == joined
