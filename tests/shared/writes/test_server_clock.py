"""A writer whose clock is far from the region server's writes nothing; the clocks are compared now and then."""

import time
from contextlib import closing

import pytest

from shared.stores import connect
from shared.tables import create_tables
from shared.writes import ClockSkew, WriterClock
from shared.writes.server_clock import CHECKED_FOR_MS, MAX_SKEW_MS, check_clock

from .notes import TABLES, ById, Note, writer_on


class ClockOff(WriterClock):
    """The clock of a machine that is `off_ms` ahead."""

    def __init__(self, off_ms):
        super().__init__()
        self.off_ms = off_ms

    def read_ms(self):
        return super().read_ms() + self.off_ms


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        yield connection


def check(connection, clock):
    return check_clock(connection, connection.table("notes"), b"r", {b"n:a": b"1", b"n:b": b"2"}, clock)


@pytest.mark.parametrize("off_ms", [0, MAX_SKEW_MS - 5_000, 5_000 - MAX_SKEW_MS])
def test_a_clock_within_a_minute_is_right(connection, off_ms):
    before_ms = time.time_ns() // 1_000_000
    assert before_ms <= check(connection, ClockOff(off_ms)) <= before_ms + 60_000


@pytest.mark.parametrize(("off_ms", "sign"), [(MAX_SKEW_MS + 5_000, "+"), (-MAX_SKEW_MS - 5_000, "-")])
def test_a_clock_that_is_further_off_is_refused_with_the_difference(connection, off_ms, sign):
    with pytest.raises(ClockSkew) as refused:
        check(connection, ClockOff(off_ms))
    message = str(refused.value)
    assert message.startswith(
        f"clock: must be within {MAX_SKEW_MS} ms of the region server's (got {sign}{MAX_SKEW_MS // 10_000}"
    )


def test_a_write_with_a_wrong_clock_stores_nothing_but_an_idle_slot(connection):
    writer = writer_on(connection)
    writer._clock = ClockOff(3_600_000)
    with pytest.raises(ClockSkew):
        writer.write(ById("a"), lambda _stored: Note("a", "ada"))
    assert [list(connection.table(table.name).scan()) for table in TABLES[:-1]] == [[], [], []]
    assert writer.pending() == []


def test_the_clocks_are_compared_once_in_ten_minutes(connection):
    clock = ClockOff(0)
    assert check(connection, clock) > 0
    assert check(connection, clock) == 0
    clock.off_ms = CHECKED_FOR_MS - 5_000
    assert check(connection, clock) == 0
    clock.off_ms = CHECKED_FOR_MS + 5_000  # the clock jumped ahead
    with pytest.raises(ClockSkew):
        check(connection, clock)


def test_another_connection_is_compared_again(connection):
    check(connection, ClockOff(0))
    with closing(connect("embedded:")) as other:
        create_tables(other, TABLES)
        assert check(other, ClockOff(0)) > 0
