"""Logs of log4j and logback by their layout: events of several lines, dates, padding, what is refused."""

from pathlib import Path

import pytest

from shared.loading import layout_format
from tests.copies import ROOT

KAFKA = ROOT.parent / "shared" / "data" / "logs" / "kafka"
FULL = "%d{ISO8601} %-5p [%t] %c: %m%n"
SPRING = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %5p %pid --- [%15.15t] %-40.40logger{39} : %m%n%wEx"


def rows(layout, text):
    return [*layout_format("log4j", layout).read(iter(text.splitlines(keepends=True)), Path("any.log"))]


def row(layout, text):
    ((_, _, values),) = rows(layout, text)
    return values


def test_an_event_has_the_lines_up_to_the_next_one():
    text = "\n2016-12-19 16:31:46,123 ERROR [main] a.B: No reply\njava.io.IOException\n\n\tat a.B.c\n"
    text += "2016-12-19T16:31:47,000 INFO  [a b] c: \n"
    first = {"date": "2016-12-19 16:31:46,123", "level": "ERROR", "thread": "main", "logger": "a.B"}
    second = {"date": "2016-12-19T16:31:47,000", "level": "INFO", "thread": "a b", "logger": "c", "message": ""}
    assert rows(FULL, text) == [
        (2, 5, first | {"message": "No reply\njava.io.IOException\n\n\tat a.B.c"}),
        (6, 6, second),
    ]


def test_lines_before_the_first_event_and_a_wrong_event_are_refused_with_how_one_starts():
    text = "\tat x\n\tat y\n2016-12-19 16:31:46,123 ERROR main a.B: No\n\tat z\n"
    wanted = "must start with 2016-12-19 16:31:46,123 LEVEL [THREAD] LOGGER:"
    assert rows(FULL, text) == [
        (1, 2, f"{wanted} (got '\\tat x')"),
        (3, 4, f"{wanted} (got '2016-12-19 16:31:46,123 ERROR main a.B: No')"),
    ]


def test_a_text_may_follow_the_message():
    text = "INFO  a (b)\n more (c.D)\njava.x (y)\nWARN  z (c)\n"
    assert rows("%-5p %m (%c)%n", text) == [
        (1, 3, {"level": "INFO", "message": "a", "logger": "b"} | {"message": "a\n more (c.D)\njava.x (y)"}),
        (4, 4, {"level": "WARN", "message": "z", "logger": "c"}),
    ]
    values = {"level": "INFO", "message": "values:\n\ta = b\n", "logger": "c.D"}
    assert row("[%p] %m (%c)%n", "[INFO] values:\n\ta = b\n (c.D)\n") == values


def test_padding_is_no_part_of_a_value_and_a_long_value_has_none():
    text = (
        "2024-03-10T06:25:01.123+01:00  INFO 4711 --- [           main] o.s.b.Tomcat                             : up\n"
        "2024-03-10T06:25:01.123+01:00 ERROR 4711 --- [restartedMain-12] o.s.b.w.e.TomcatEmbeddedServletContainer : x\n"
    )
    assert [values for _, _, values in rows(SPRING, text)] == [
        {"date": "2024-03-10T06:25:01.123+01:00", "level": "INFO", "pid": "4711", "thread": "main"}
        | {"logger": "o.s.b.Tomcat", "message": "up"},
        {"date": "2024-03-10T06:25:01.123+01:00", "level": "ERROR", "pid": "4711", "thread": "restartedMain-12"}
        | {"logger": "o.s.b.w.e.TomcatEmbeddedServletContainer", "message": "x"},
    ]
    assert row("%-5p %m%n", "INFO   x\n") == {"level": "INFO", "message": " x"}


def test_a_thread_may_have_what_follows_it():
    line = "2015-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - out\n"
    values = row("%d{ISO8601} - %-5p [%t:%C{1}@%L] - %m%n", line)
    assert (values["thread"], values["class"], values["line"]) == (
        "QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181",
        "FastLeaderElection",
        "774",
    )


@pytest.mark.parametrize(
    ("date", "written", "read"),
    [
        ("", "2016-12-19 16:31:46,123", "2016-12-19 16:31:46,123"),
        ("{yy/MM/dd HH:mm:ss}", "17/06/09 20:10:40", "2017-06-09T20:10:40"),
        ("{yyMMdd HHmmss}", "081109 203615", "2008-11-09T20:36:15"),
        ("{DATE}", "19 Dec 2016 16:31:46,123", "2016-12-19T16:31:46.123"),
        ("{COMPACT}", "20161219163146123", "2016-12-19T16:31:46.123"),
        ("{ISO8601_BASIC}{UTC}", "20161219T163146,123", "2016-12-19T16:31:46.123"),
        ("{EEE, d MMM yyyy h:mm:ss a z}", "Mon, 9 Dec 2016 4:31:46 PM GMT", "2016-12-09T16:31:46Z"),
        ("{dd.MM.yyyy 'um' HH:mm:ss.nnnnnnnnn}", "19.12.2016 um 16:31:46.123456789", "2016-12-19T16:31:46.123456789"),
        ("{UNIX}", "1482165106", 1_482_165_106_000),
        ("{UNIX_MILLIS}", "1482165106123", 1_482_165_106_123),
        ("{ABSOLUTE}", "16:31:46,123", "16:31:46,123"),
    ],
)
def test_dates_are_read_as_they_are_written(date, written, read):
    assert row(f"%d{date} %m%n", f"{written} up\n") == {"date": read, "message": "up"}
    assert layout_format("log4j", f"%d{date} %m%n").time_column == ("" if date == "{ABSOLUTE}" else "date")


def test_a_layout_may_have_values_of_a_context():
    assert row("%p [%X{request-id}] %X %m%n", "INFO [17] {a=b, c=d} up\n") == {
        "level": "INFO",
        "request-id": "17",
        "mdc": "{a=b,",
        "message": "c=d} up",
    }


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        ("%h %m", "%h is not known; must be one of %p %t "),
        ("%clr(%p) %m", "%clr is not known; must be one of "),
        ("%d %p", "must have a message, %m (got '%d %p')"),
        ("%m %", "a % must begin a directive (got '%m %')"),
        ("%c%t %m", "must have a text between %c and %t"),
        ("%m %m", "must have one message (got %m and %m)"),
        ("%d{yyyy-MM-dd hh:mm} %m", "its time must have hours up to 12 with AM or PM, or hours up to 23 without"),
        ("%d{QQ} %m", "%d{QQ}: Q is not known in the time 'QQ'"),
        ("%d{yyyy'} %m", """%d{yyyy'}: a quote is not closed in the time "yyyy'\""""),
        ("%d{yyyy}{Europe/Rome} %m", "%d{yyyy}{Europe/Rome}: leave out Europe/Rome, and give the zone of the time"),
    ],
)
def test_a_wrong_layout_is_an_error_of_one_line(layout, reason):
    with pytest.raises(ValueError, match=r"^layout: ") as caught:
        layout_format("log4j", layout)
    assert str(caught.value).startswith(f"layout: {reason}")


@pytest.mark.skipif(not KAFKA.exists(), reason="the real files are not on this machine")
def test_each_event_of_real_logs_is_read():
    events = refused = written = 0
    for path in sorted(KAFKA.glob("*/*")):
        text = path.read_text()
        written += sum(line.startswith("[20") for line in text.split("\n"))
        found = [values for _, _, values in rows("[%d] %p %m (%c)%n", text)]
        events, refused = events + len(found), refused + sum(isinstance(values, str) for values in found)
    assert (events, refused) == (written, 0)
