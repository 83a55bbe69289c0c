"""Intervals of the calendar, and questions that downsample by them."""

from datetime import UTC, datetime

import pytest

from domains.tsdb.asking.calendars import CALENDAR_UNITS, interval_start, later, milliseconds
from domains.tsdb.asking.downsampling import downsampled
from domains.tsdb.asking.query_text import parse_downsampling
from domains.tsdb.asking.series import Values
from shared.records import parse_time


@pytest.mark.parametrize(
    ("count", "unit", "start", "after"),
    [
        (1, "ms", "2016-02-29T13:47:51.250", "2016-02-29T13:47:51.251"),
        (300, "ms", "2016-02-29T13:47:51.000", "2016-02-29T13:47:51.300"),
        (20, "s", "2016-02-29T13:47:40", "2016-02-29T13:48:00"),
        (7, "s", "2016-02-29T13:47:50", "2016-02-29T13:47:57"),
        (7, "m", "2016-02-29T13:46", "2016-02-29T13:53"),
        (6, "h", "2016-02-29T12:00", "2016-02-29T18:00"),
        (5, "h", "2016-02-29T13:00", "2016-02-29T18:00"),
        (1, "d", "2016-02-29", "2016-03-01"),
        (7, "d", "2016-02-26", "2016-03-04"),
        (1, "w", "2016-02-28", "2016-03-06"),
        (2, "w", "2016-02-28", "2016-03-13"),
        (1, "n", "2016-02-01", "2016-03-01"),
        (5, "n", "2016-01-01", "2016-06-01"),
        (1, "y", "2016-01-01", "2017-01-01"),
        (3, "y", "2016-01-01", "2019-01-01"),
    ],
)
def test_an_interval_starts_and_ends_where_the_calendar_says(count, unit, start, after):
    started = interval_start(parse_time("2016-02-29T13:47:51.250"), count, CALENDAR_UNITS[unit])
    assert started == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert later(started, count, CALENDAR_UNITS[unit]) == datetime.fromisoformat(after).replace(tzinfo=UTC)
    assert interval_start(milliseconds(started), count, CALENDAR_UNITS[unit]) == started


def test_a_month_of_the_calendar_has_its_own_length_and_an_empty_one_is_filled():
    days = [parse_time(day) for day in ("2016-01-01", "2016-01-31", "2016-02-29", "2016-04-30", "2016-05-01")]
    values = Values.of((day, 1) for day in days)
    period = parse_time("2016-01-01"), parse_time("2016-06-01")
    for text, counts in (("1nc-sum", [2, 1, 1, 1]), ("1nc-sum-zero", [2, 1, 0, 1, 1]), ("1yc-count", [5])):
        assert downsampled(values, parse_downsampling(text), *period).numbers.tolist() == counts
    months = downsampled(values, parse_downsampling("1nc-sum-zero"), *period).times_ms.tolist()
    assert months == [parse_time(f"2016-0{month}-01") for month in range(1, 6)]
    started_later = downsampled(values, parse_downsampling("1nc-sum"), parse_time("2016-01-02"), period[1])
    assert started_later.numbers.tolist() == [1, 1, 1], "only whole intervals"


def test_intervals_are_counted_from_the_first_point_that_is_in_a_whole_one():
    wednesday, tuesday, monday = (parse_time(f"2016-01-{day}") for day in ("06", "12", "18"))
    values = Values.of([(tuesday, 1), (monday, 1)])
    two_weeks = downsampled(values, parse_downsampling("2wc-count"), wednesday, parse_time("2016-02-01"))
    assert two_weeks.points() == [(parse_time("2016-01-17"), 1.0)], "the first two weeks begin on Sunday the 3rd"
