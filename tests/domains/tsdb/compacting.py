"""What tests share: an hour, a repository with a clock of the test, and what its table holds."""

from domains.tsdb.records import Point
from domains.tsdb.repository import TsdbRepository
from shared.records import parse_time

HOUR_MS = 3_600_000
HOUR = parse_time("2013-01-01T00:00")
NOW = parse_time("2013-01-01T05:00")
TAGS = {"host": "web-1"}
FIVE = [Point("cpu", HOUR + second * 1000, second, TAGS) for second in range(5)]


def repository(connection, clock, **options):
    return TsdbRepository(connection, clock=clock, **options)


def stored(connection):
    """The cells of all rows, with their timestamps."""
    return dict(connection.table("tsdb").scan(include_timestamp=True))


def values(connection, clock, **options):
    """The values of the one series, by time."""
    return [answer.value for answer in repository(connection, clock, **options).query("none:cpu", HOUR, HOUR + HOUR_MS)]
