"""What would read a value that was refused: what to say of the file, as options of `rowbook load`."""

import re
from datetime import datetime
from typing import Any

from .written_numbers import WrittenNumbers
from .written_times import WrittenTimes

_NO_VALUES = ("", "?", "-", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "\\N")
"""What programs write for no value."""
_DAYS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d-%m-%Y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d-%b-%Y")
_TIMES = (
    "",
    " %H:%M:%S",
    " %H:%M",
    " %H%M",
    " %H:%M:%S.%f",
    " %H.%M.%S",
    " %I:%M:%S %p",
    " %I:%M %p",
    " %H:%M:%S %z",
    "T%H:%M:%S",
)
_NOTATIONS = (
    *(day + time for day in _DAYS for time in _TIMES),
    *("%d/%b/%Y:%H:%M:%S %z", "%a %b %d %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S %z", "%Y-%m-%dT%H:%M:%S.%f%z"),
    *("%Y-%m-%d %I:%M:%S %p", "%Y%m%d%H%M%S", "%Y%m%d", "%Y-%m-%d-%H.%M.%S", "%Y-%m-%d %H.%M.%S"),
)
"""How programs write times, in strptime's notation."""
_MOST_CHARACTERS = 40
"""The longest text that may be a time."""
_MANY_DIGITS = re.compile(r":[0-9]{2}[.,][0-9]{4,}|^-?[0-9]{9,}\.[0-9]{4,}$")
"""A time with digits below the millisecond."""


def for_time(field: str, value: Any, times: WrittenTimes, *, has_format: bool) -> str:
    """What reads a value as a time; empty if nothing is known."""
    if _MANY_DIGITS.search(str(value)):
        return "" if times.are_cut else "; --round ms reads it"
    if has_format or type(value) is not str or not value or value.isdigit() or len(value) > _MOST_CHARACTERS:
        return ""
    zone = next((zone for zone in (" UTC", " GMT") if value.endswith(zone)), "")
    notations = [f"{notation}{zone}" for notation in _NOTATIONS if _reads(notation, value.removesuffix(zone))]
    if not notations:
        return ""
    options = " or ".join(f"--time-format {field}='{notation}'" for notation in notations[:2])
    return f"; {options} reads it"


def _reads(notation: str, text: str) -> bool:
    try:
        datetime.strptime(text, notation)
    except ValueError:
        return False
    return True


def for_number(value: Any, numbers: WrittenNumbers) -> str:
    """What reads a text as a number, if these numbers do not; empty if nothing is known."""
    if type(value) is str and re.search("[.,]", value) and not numbers.reads(value):
        for decimal, thousands in ((".", ""), (",", ""), (",", "."), (".", ","), (",", " ")):
            if WrittenNumbers(decimal, thousands).reads(value):
                said = f" and thousands = {thousands!r} in --describe" if thousands else ""
                return f"; --decimal {decimal}{said} reads it"
    return ""


def for_no_value(value: Any) -> str:
    """What makes a text no value, if programs write it for none."""
    return f"; --none '{value}' reads it as no value" if type(value) is str and value in _NO_VALUES else ""
