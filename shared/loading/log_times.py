"""Times as logs write them: in access logs, and in syslog, where they have no year.

17/May/2015:10:05:03 +0000    an access log
Apr  6 14:19:16               syslog (RFC 3164): the year is that of the file
"""

import re
from datetime import datetime
from functools import lru_cache

from ..keys.errors import shown
from ..records.times import parse_time
from .written_times import AS_WRITTEN, WrittenTimes

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
"""In English, whatever the locale."""
_HALF_A_YEAR = 6
"""Months."""
LEAP_YEAR = 2000
"""The year of a moment whose year is not known yet."""

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


class Years:
    """The years of times that have none, line after line, from the year of the first line.

    Each time is in the year in which its month is nearest to the month of the time before: January after December is in
    the next year, and a late line of December after that is in the old one. A file with a gap of more than six months
    must be cut there.
    """

    def __init__(self, first: int) -> None:
        self._year = first
        self._month: int | None = None

    def with_year(self, moment: datetime, text: str) -> datetime:
        """The next time, in its year; ValueError for a day that its year lacks."""
        year, month = self._year, moment.month
        if self._month is not None:
            year += (self._month - month > _HALF_A_YEAR) - (month - self._month > _HALF_A_YEAR)
        try:
            moment = moment.replace(year=year)
        except ValueError:
            raise ValueError(
                f"must be a time in {year}, counting years from the first line (got {shown(text)})"
            ) from None
        self._year, self._month = year, month
        return moment


class SyslogTimes:
    """Reads the times of one file of syslog, from the year of its first line, see `Years`."""

    def __init__(self, year: int, times: WrittenTimes = AS_WRITTEN) -> None:
        self._times, self._years = times, Years(year)

    def __call__(self, text: str) -> int | str:
        """The milliseconds of a time; ValueError for a text that is not one, or for a day that its year lacks.

        A time that starts with its year is returned as it is: other programs may write such times to the same file.
        """
        if _YEAR_FIRST.match(text):
            return text
        if not SYSLOG_TIME.fullmatch(text) or text[:3] not in _MONTHS:
            raise ValueError(f"must be a time such as Apr  6 14:19:16 (got {shown(text)})")
        month, day = _MONTHS.index(text[:3]) + 1, text[4:6].replace(" ", "0")
        try:
            moment = datetime.fromisoformat(f"{LEAP_YEAR}-{month:02}-{day}T{text[7:]}")
        except ValueError:
            raise ValueError(f"must be a time such as Apr  6 14:19:16 (got {shown(text)})") from None
        return self._times.milliseconds(self._years.with_year(moment, text), text)
