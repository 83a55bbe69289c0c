"""Lines of syslog: which RFC each is of, its columns, and years where a line has them."""

from pathlib import Path

import attrs
import pytest

from shared.loading import (
    LOG_FORMATS,
    Description,
    Unneeded,
    UnreadableFile,
    read_lines,
    starts_as_syslog,
    syslog_messages,
)
from shared.loading.syslog import SYSLOG
from shared.records import show_time
from tests.copies import ROOT

REAL = ROOT.parent / "shared" / "data" / "audit" / "auth_first5000.log"
OLD = "Oct 11 22:14:15 mymachine su[17]: 'su root' failed for lonvick on /dev/pts/8"
ISO = "2003-10-11T22:14:15.003123+02:00 mymachine su[17]: 'su root' failed for lonvick on /dev/pts/8"
NEW = (
    "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \ufeff'su root' failed for lonvick on /dev/pts/8"
)
DATA = '[exampleSDID@32473 iut="3" eventSource="App\\"li\\]cation"][empty][examplePriority@32473 class="high"]'
WITH_DATA = f"<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - {DATA} %% It's time to make the do-nuts."
TEXT = "'su root' failed for lonvick on /dev/pts/8"


@attrs.frozen
class Moment:
    time_ms: int
    host: str


def rows(*lines):
    return [values for _, _, values in SYSLOG.read((f"{line}\n" for line in lines), Path("any.log"))]


def test_each_line_tells_its_kind():
    old = {"time": "Oct 11 22:14:15", "host": "mymachine", "process": "su", "pid": "17", "message": TEXT}
    of_priority = {"facility": "auth", "severity": "crit"}
    assert rows(OLD, "", f"<34>{OLD}", ISO, NEW) == [
        old,
        old | of_priority,
        old | {"time": "2003-10-11T22:14:15.003123+02:00"},
        of_priority
        | {"time": "2003-10-11T22:14:15.003Z", "host": "mymachine.example.com", "process": "su"}
        | {"message_id": "ID47", "message": TEXT},
    ]


def test_structured_data_is_an_object_of_objects():
    (values,) = rows(WITH_DATA)
    assert values["data"] == {
        "exampleSDID@32473": {"iut": "3", "eventSource": 'App"li]cation'},
        "empty": {},
        "examplePriority@32473": {"class": "high"},
    }
    assert (values["facility"], values["severity"], values["pid"]) == ("local4", "notice", "8710")
    assert values["message"] == "%% It's time to make the do-nuts."


def test_a_line_may_name_no_process_and_say_nothing():
    assert rows("Oct  1 22:14:15 web-1 kernel without a colon", "<0>1 2003-10-11T22:14:15Z - - - - -") == [
        {"time": "Oct  1 22:14:15", "host": "web-1", "message": "kernel without a colon"},
        {"time": "2003-10-11T22:14:15Z", "facility": "kern", "severity": "emerg", "message": ""},
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("-- cut --", "must start with a time and a host, such as Jan  5 08:07:31 web-1 (got '-- cut --')"),
        (f"<192>{OLD}", "must start with <0> to <191>, facility and severity (got "),
        ("<34>1 - web-1 su - - - x", "must have a time, not - (got '<34>1 - web-1 su - - - x')"),
        ('<34>1 2003-10-11T22:14:15Z web-1 su - - [a b="c] x', "must start with a time and a host"),
    ],
)
def test_what_is_no_syslog_is_the_reason_of_a_line(line, reason):
    (said,) = rows(line)
    assert said.startswith(reason)


def test_a_repeated_message_is_told_as_often_and_as_a_row_it_is_one():
    line = "Oct 11 22:14:15 web-1 sshd[1]: message repeated 2 times: [ Invalid user bob from 203.0.113.7]"
    ((_, message),) = syslog_messages([line + "\n"])
    assert (message.times, message.text) == (2, "Invalid user bob from 203.0.113.7")
    (values,) = rows(line)
    assert values["message"] == "message repeated 2 times: [ Invalid user bob from 203.0.113.7]"


@pytest.mark.parametrize("line", [OLD, f"<34>{OLD}", ISO, NEW, WITH_DATA])
def test_syslog_is_recognized(line):
    assert starts_as_syslog(line)
    assert [format.name for format in LOG_FORMATS if format.recognizes(line)] == ["syslog"]


@pytest.mark.parametrize(
    "line",
    [
        "2024-03-10T06:25:01Z INFO main: started",
        "2024-03-10T06:25:01Z web-1 no process here",
        "2024-03-10 06:25:01 web-1 sshd[1]: x",
        "<34>1 - web-1 su - - - x",
        "number,sold_ms,amount",
        "<13>x",
    ],
)
def test_other_lines_with_a_time_are_not(line):
    assert not starts_as_syslog(line)


def test_only_a_file_whose_first_line_has_no_year_needs_one(tmp_path):
    path = tmp_path / "any.log"

    def read(text, **options):
        path.write_text(text)
        return [
            show_time(line.record.time_ms) if line.record else line.reason
            for line in read_lines(path, Moment, description=Description(**options))
        ]

    assert read(f"{OLD}\n{NEW}\n", year=2003) == ["2003-10-11T22:14:15.000Z", "2003-10-11T22:14:15.003Z"]
    with pytest.raises(UnreadableFile, match="whose times have no year: give --year"):
        read(f"{OLD}\n{NEW}\n")
    first, second = read(f"{NEW}\n{OLD}\n")
    assert first == "2003-10-11T22:14:15.003Z"
    assert second.startswith("Moment.time_ms: must be a time such as 2017-06-23")
    with pytest.raises(Unneeded, match="whose times have a year: leave out --year"):
        read(f"{NEW}\n{OLD}\n", year=2003)


@pytest.mark.skipif(not REAL.exists(), reason="the real file is not on this machine")
def test_each_line_of_a_real_log_is_read():
    written = REAL.read_text().splitlines()
    found = rows(*written)
    assert len(found) == len(written) == 5000
    assert [values["message"] for values in found] == [line.split(": ", 1)[1] for line in written]
