"""Times as logs write them: in access logs, and in syslog, where they have no year.

17/May/2015:10:05:03 +0000    an access log
Apr  6 14:19:16               syslog (RFC 3164): the year is that of the file
"""

import re
from functools import lru_cache

from ..keys.errors import shown
from ..records.times import parse_time
from .written_times import AS_WRITTEN, WrittenTimes

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
"""In English, whatever the locale."""
_HALF_A_YEAR = 6
"""Months."""

ACCESS_LOG_TIME = re.compile(r"[0-9]{2}/[A-Za-z]{3}/[0-9]{4}(?::[0-9]{2}){3} [+-][0-9]{2}[0-5][0-9]")
"""A time as access logs have it, such as 12/Jan/2026:08:07:30 +0100."""
SYSLOG_TIME = re.compile(r"[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}")
"""A time as syslog has it, such as `Jan  2 08:07:30`. A day below 10 follows a blank; some programs write a zero."""
_YEAR_FIRST = re.compile("[0-9]{4}-")


def read_access_log_time(text: str) -> int:
    """The milliseconds of a time of an access log; ValueError for any other text."""
    return _access_log_ms(text)


@lru_cache(1024)  # neighbouring lines have the same second
def _access_log_ms(text: str) -> int:
    if ACCESS_LOG_TIME.fullmatch(text) and text[3:6] in _MONTHS:
        month = _MONTHS.index(text[3:6]) + 1
        try:
            return parse_time(f"{text[7:11]}-{month:02}-{text[:2]}T{text[12:20]}{text[21:]}")
        except ValueError:
            pass
    raise ValueError(f"must be a time such as 17/May/2015:10:05:03 +0000 (got {shown(text)})")


class CountedYears:
    """The years of times that have none, counted from the year of the first line of a file.

    Each time is in the year in which its month is nearest to the month of the time before: January after December is in
    the next year, and a late line of December after that is in the old one. A file with a gap of more than six months
    must be cut there.
    """

    def __init__(self, year: int) -> None:
        self._year = year
        self._month: int | None = None

    def of(self, month: int) -> int:
        """The year of the next time, which is in this month."""
        if self._month is None:
            return self._year
        return self._year + (self._month - month > _HALF_A_YEAR) - (month - self._month > _HALF_A_YEAR)

    def keep(self, year: int, month: int) -> None:
        """Counts on from a time."""
        self._year, self._month = year, month


def not_in(year: int, text: str) -> ValueError:
    """The error for a time that its year does not have."""
    return ValueError(f"must be a time in {year}, counting years from the first line (got {shown(text)})")


class SyslogTimes:
    """Reads the times of one file of syslog, from the year of its first line; in UTC, because they have no zone."""

    def __init__(self, year: int, times: WrittenTimes = AS_WRITTEN) -> None:
        self._times = times
        self._years = CountedYears(year)

    def __call__(self, text: str) -> int | str:
        """The milliseconds of a time; ValueError for a text that is not one, or for a day that its year lacks.

        A time that starts with its year is returned as it is: other programs may write such times to the same file.
        """
        if _YEAR_FIRST.match(text):
            return text
        if not SYSLOG_TIME.fullmatch(text) or text[:3] not in _MONTHS:
            raise ValueError(f"must be a time such as Apr  6 14:19:16 (got {shown(text)})")
        month = _MONTHS.index(text[:3]) + 1
        year = self._years.of(month)
        try:
            time_ms = self._times.read(f"{year:04}-{month:02}-{text[4:6].replace(' ', '0')}T{text[7:]}")
        except ValueError:
            raise not_in(year, text) from None
        self._years.keep(year, month)
        return time_ms
