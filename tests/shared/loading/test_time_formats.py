"""Times in a user's own format, and numbers with a fraction of their unit."""

import re

import pytest

from shared.loading import InvalidTimeFormat
from shared.loading.log_times import Years
from shared.loading.time_formats import TimeFormat
from shared.loading.values import read_time
from shared.loading.written_times import AS_WRITTEN, WrittenTimes
from shared.records import parse_time


@pytest.mark.parametrize(
    ("notation", "text", "time"),
    [
        ("%m/%d/%Y", "7/4/1996", "1996-07-04"),
        ("%d.%m.%y %I:%M %p", "06.07.09 06:04 PM", "2009-07-06T18:04Z"),
        ("%Y-%m-%d %H:%M:%S.%f %z", "2009-07-06 18:04:05.250 +0200", "2009-07-06T16:04:05.250Z"),
        ("%d %b %Y %H:%M UTC", "06 Jul 2009 18:04 UTC", "2009-07-06T18:04Z"),
    ],
)
def test_a_time_is_read_as_its_format_says(notation, text, time):
    assert TimeFormat("Order.placed_ms", notation).read(text) == parse_time(time)


@pytest.mark.parametrize(
    ("notation", "zone", "text", "time"),
    [
        ("%Y-%m-%d %H:%M", "Europe/Rome", "2024-06-27 00:00", "2024-06-26T22:00Z"),
        ("%Y-%m-%d %H:%M", "+05:30", "2024-06-27 00:00", "2024-06-26T18:30Z"),
        ("%Y-%m-%d %H:%M CEST", "Europe/Rome", "2024-06-27 00:00 CEST", "2024-06-26T22:00Z"),
        ("%Y-%m-%d %H:%M UTC", "Europe/Rome", "2024-06-27 00:00 UTC", "2024-06-27T00:00Z"),
        ("%Y-%m-%dT%H:%MZ", "Europe/Rome", "2024-06-27T00:00Z", "2024-06-27T00:00Z"),
        ("%Y-%m-%d %H:%M %z", "Europe/Rome", "2024-06-27 00:00 +0500", "2024-06-26T19:00Z"),
    ],
)
def test_a_zone_applies_to_times_that_name_no_other(notation, zone, text, time):
    assert TimeFormat("Order.placed_ms", notation, WrittenTimes.of(zone, "")).read(text) == parse_time(time)


def test_times_without_a_year_are_in_those_after_that_of_the_first_line():
    written = TimeFormat("Order.placed_ms", "%m-%d %H:%M:%S.%f", years=Years(2023))
    times = ["12-31 23:59:59.250", "01-01 00:00:00.000", "12-31 23:59:59.500", "02-29 00:00:00.000"]
    assert [written.read(text) for text in times] == [
        *map(parse_time, ("2023-12-31T23:59:59.250", "2024-01-01", "2023-12-31T23:59:59.500", "2024-02-29"))
    ]
    with pytest.raises(ValueError, match=r"must be a time in 2023, counting years from the first line \(got '02-29'\)"):
        TimeFormat("Order.placed_ms", "%m-%d", years=Years(2023)).read("02-29")


@pytest.mark.parametrize(
    ("notation", "value", "wanted"),
    [
        ("%m/%d/%Y", "13/13/1996", "by %m/%d/%Y, such as 07/04/1996"),
        ("%m/%d/%Y", 1996, "by %m/%d/%Y, such as 07/04/1996"),
        ("%m/%d/%Y", "7/4/1996 18:04", "by %m/%d/%Y, such as 07/04/1996"),
        ("%Y %f", "1996 000001", "in whole milliseconds"),
    ],
)
def test_another_value_is_refused_with_an_example(notation, value, wanted):
    with pytest.raises(ValueError, match=f"^must be a time {re.escape(wanted)} .got {value!r}.$"):
        TimeFormat("Order.placed_ms", notation).read(value)


@pytest.mark.parametrize(
    ("notation", "wanted"),
    [
        ("%m/%d", "have a year, %Y or %y"),
        ("%Y-%m-%d %I:%M", "have %I and %p, or %H"),
        ("%Y-%m-%d %H:%M %p", "have %I and %p, or %H"),
        ("%Y-%m-%d %Z", "have %z"),
        ("%Y-%m-%d CEST", "not name the zone CEST unless --zone says which one that is"),
        ("%Y %Q", "be one of strptime"),
    ],
)
def test_a_format_by_which_a_time_would_be_guessed_is_refused(notation, wanted):
    with pytest.raises(InvalidTimeFormat, match=rf"^Order.placed_ms: its time format must {wanted}.* \(got '"):
        TimeFormat("Order.placed_ms", notation)


@pytest.mark.parametrize("notation", ["%H:%M", "%d %H:%M", "%b %H:%M"])
def test_a_year_alone_makes_no_day_of_a_time(notation):
    with pytest.raises(InvalidTimeFormat, match=r"must have a month and a day, such as %b %d"):
        TimeFormat("Order.placed_ms", notation, years=Years(2023))


@pytest.mark.parametrize(
    ("value", "unit", "time_ms"),
    [
        ("1588205198.9", "s", 1588205198900),
        (1588205198.9, "s", 1588205198900),
        ("-0.001", "s", -1),
        ("1588205198900000.0", "us", 1588205198900),
    ],
)
def test_a_fraction_of_a_unit_is_exact(value, unit, time_ms):
    assert read_time("time_ms", int, value, unit, AS_WRITTEN) == time_ms


@pytest.mark.parametrize(
    ("value", "unit", "reason"),
    [
        ("1588205198.98765", "s", "must be a time in whole milliseconds (got 1588205198.98765 seconds)"),
        ("1588205198.9", None, "is most likely in seconds, 2020-04-30T00:06:38.000Z: give --unit time_ms=s"),
        ("17.5", None, "must be a time such as"),
        (float("nan"), "s", "must be an int (got nan)"),
    ],
)
def test_a_fraction_below_the_millisecond_or_of_no_unit_is_refused(value, unit, reason):
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}"):
        read_time("time_ms", int, value, unit, AS_WRITTEN)
