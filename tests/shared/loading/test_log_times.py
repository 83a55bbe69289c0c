"""Times of access logs, and those of syslog, which have no year."""

import pytest

from shared.loading import SyslogTimes, read_access_log_time
from shared.records import parse_time, show_time


def years(first: int, *stamps: str) -> list[int]:
    read = SyslogTimes(first)
    return [int(show_time(read(stamp))[:4]) for stamp in stamps]


def test_the_zone_of_an_access_log_is_applied():
    assert read_access_log_time("17/May/2015:10:05:03 +0000") == parse_time("2015-05-17T10:05:03Z")
    assert read_access_log_time("01/Jan/2026:00:30:00 +0100") == parse_time("2025-12-31T23:30Z")


@pytest.mark.parametrize(
    "text",
    ["", "17/Mai/2015:10:05:03 +0000", "31/Feb/2015:10:05:03 +0000", "17/May/2015:25:05:03 +0000", "17/May/2015"],
)
def test_a_text_that_is_not_a_time_of_an_access_log_is_refused(text):
    with pytest.raises(ValueError, match=r"^must be a time such as 17/May/2015:10:05:03 \+0000 .got "):
        read_access_log_time(text)


@pytest.mark.parametrize("stamp", ["Apr  6 14:19:16", "Apr 06 14:19:16"])
def test_a_day_below_ten_comes_after_a_blank_or_a_zero(stamp):
    assert SyslogTimes(2017)(stamp) == parse_time("2017-04-06T14:19:16Z")


@pytest.mark.parametrize(
    "text",
    [
        *("", "Apr 6 14:19:16", "Mai  6 14:19:16", "apr  6 14:19:16", "Apr  6 14:19"),
        *("Apr 31 14:19:16", "Apr  0 14:19:16", "Apr  6 24:19:16"),
    ],
)
def test_a_text_that_is_not_a_time_of_syslog_is_refused(text):
    with pytest.raises(ValueError, match=r"^must be a time such as Apr  6 14:19:16 .got "):
        SyslogTimes(2017)(text)


def test_a_day_that_the_year_lacks_is_refused_with_the_year():
    with pytest.raises(ValueError, match=r"^must be a time in 2017, counting years from the first line"):
        SyslogTimes(2017)("Feb 29 00:00:00")


def test_a_refused_time_does_not_move_the_year():
    read = SyslogTimes(2023)
    read("Dec 31 00:00:00")
    for refused in ("Jan 32 00:00:00", "Jan  1 24:00:00"):
        with pytest.raises(ValueError, match="must be a time"):
            read(refused)
    assert read("Dec 31 00:00:01") == parse_time("2023-12-31T00:00:01Z")


def test_the_year_changes_between_december_and_january_in_both_directions():
    stamps = ["Dec 31 23:00:00", "Jan  1 00:00:00", "Dec 31 23:59:59", "Jan  1 00:00:01", "Jul  1 00:00:00"]
    assert years(2023, *stamps) == [2023, 2024, 2023, 2024, 2024]


def test_a_file_of_several_years_counts_on():
    months = ["Jan", "May", "Sep"] * 3
    assert years(2021, *(f"{month} 15 00:00:00" for month in months)) == [2021] * 3 + [2022] * 3 + [2023] * 3


@pytest.mark.parametrize(
    ("before", "after", "year"),
    [
        ("Jul  1 00:00:00", "Jan  1 00:00:00", 2023),  # six months: a line that is late
        ("Aug  1 00:00:00", "Jan  1 00:00:00", 2024),
        ("Jan  1 00:00:00", "Jul  1 00:00:00", 2023),
        ("Jan  1 00:00:00", "Aug  1 00:00:00", 2022),  # more than six: nearer to the August before
    ],
)
def test_the_year_is_the_one_in_which_the_month_is_nearest(before, after, year):
    assert years(2023, before, after) == [2023, year]
