"""What tests of compaction and of deletion share: a repository with a clock of the test, and what its table holds."""

from domains.tsdb.records import Point
from domains.tsdb.repository import TsdbRepository
from shared.records import parse_time
from shared.writes import WriterClock

HOUR_MS = 3_600_000
HOUR = parse_time("2013-01-01T00:00")
NOW = parse_time("2013-01-01T05:00")
TAGS = {"host": "web-1"}
FIVE = [Point("cpu", HOUR + second * 1000, second, TAGS) for second in range(5)]


class SetClock(WriterClock):
    """A clock that each reading sets `step_ms` ahead, and that otherwise stands still until it is set."""

    def __init__(self, now_ms=NOW, step_ms=0):
        super().__init__()
        self.set_ms = now_ms
        self._step_ms = step_ms

    def read_ms(self):
        self.set_ms += self._step_ms
        return self.set_ms


class Time:
    """The time of a run, which stands still until it is set."""

    def __init__(self):
        self.ms = NOW

    def clock(self, ahead_ms=0):
        return _ClockAhead(self, ahead_ms)


class _ClockAhead(WriterClock):
    def __init__(self, time, ahead_ms):
        super().__init__()
        self._time = time
        self._ahead_ms = ahead_ms

    def read_ms(self):
        return self._time.ms + self._ahead_ms


def repository(connection, clock, **options):
    return TsdbRepository(connection, clock=clock, **options)


def stored(connection):
    """The cells of all rows, with their timestamps."""
    return dict(connection.table("tsdb").scan(include_timestamp=True))


def values(connection, clock, **options):
    """The values of the one series, by time."""
    return [answer.value for answer in repository(connection, clock, **options).query("none:cpu", HOUR, HOUR + HOUR_MS)]
