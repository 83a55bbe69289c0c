"""What would read a value that was refused: what to say of the file, as options of `rowbook load`."""

import re
from contextlib import suppress
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

import attrs

from ..records.times import Unit
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
    *("%Y-%m-%d %I:%M:%S %p", "%Y-%m-%d-%H.%M.%S", "%Y-%m-%d %H.%M.%S"),
)
"""How programs write times, in strptime's notation."""
_DAYS_WITHOUT_YEAR = ("%m-%d", "%m.%d", "%d.%m.", "%m/%d", "%d/%m", "%b %d", "%d %b")
_WITHOUT_YEAR = tuple(day + time for day in _DAYS_WITHOUT_YEAR for time in _TIMES)
_ZONE = re.compile("[+-][0-9]{2}:?[0-9]{2}$")
_MOST_CHARACTERS = 40
"""The longest text that may be a time."""
_MANY_DIGITS = re.compile(r":[0-9]{2}[.,][0-9]{4,}")
"""A second with digits below the millisecond."""
_DIALECTS = ((".", ""), (",", ""), (",", "."), (".", ","), (",", " "))
"""What stands before the fraction of a number, and between its groups of three digits."""


def for_time(field: str, value: Any, times: WrittenTimes, unit: Unit | None, *, has_format: bool) -> str:
    """What reads a value as a time, in a unit if one was given; empty if nothing is known."""
    if not times.are_cut and _has_many_digits(value, unit):
        return "; --round ms reads it"
    if has_format or type(value) is not str or not value or value.isdigit() or len(value) > _MOST_CHARACTERS:
        return ""
    zone = next((zone for zone in (" UTC", " GMT") if value.endswith(zone)), "")
    text, year = value.removesuffix(zone), ""
    signs = {_signs(text), _signs(_ZONE.sub("x", text))}
    notations = [notation for notation in _NOTATIONS if _signs_of(notation) in signs and _reads(notation, text)]
    if not notations:
        year = " and --year"
        likely = [notation for notation in _WITHOUT_YEAR if _signs_of(notation) in signs]
        notations = [notation for notation in likely if _reads(f"%Y {notation}", f"2000 {text}")]
    options = " or ".join(f"--time-format {field}='{notation}{zone}'" for notation in notations[:2])
    return f"; {options}{year} reads it" if options else ""


def _has_many_digits(value: Any, unit: Unit | None) -> bool:
    """Whether a value is a time with digits below the millisecond."""
    if unit is None:
        return type(value) is str and _MANY_DIGITS.search(value) is not None
    with suppress(ValueError, InvalidOperation):
        WrittenTimes(are_cut=True).from_unit(Decimal(str(value)), unit)
        return True
    return False


def _signs(text: str) -> str:
    """What is left of a text without its letters and digits."""
    return re.sub(r"[^\W_]+", "", " ".join(text.split()))


@cache
def _signs_of(notation: str) -> str:
    """The signs of texts in a notation. Only a text with the same signs is tried by it, because strptime is slow."""
    return _signs(re.sub("%.", "x", notation))


def _reads(notation: str, text: str) -> bool:
    try:
        datetime.strptime(text, notation)
    except ValueError:
        return False
    return True


def for_number(value: Any, numbers: WrittenNumbers, *, is_whole: bool) -> str:
    """What reads a text as a number, or as an int, if these numbers do not; empty if nothing is known.

    `1,846` may be read as two numbers.
    """
    if type(value) is not str or numbers.reads(value):
        return ""
    if value != value.strip() and numbers.reads(value.strip()):
        return "; --pattern with groups that leave out its blanks reads it"
    by_number: dict[str, str] = {}
    for decimal, thousands in _DIALECTS:
        with suppress(ValueError):
            number = WrittenNumbers(decimal, thousands).read(value)
            said = [f"--decimal {decimal}"] if decimal != numbers.decimal else []
            said += [f"thousands = {thousands!r} in --describe"] if thousands else []
            if not (is_whole and "." in number):
                by_number.setdefault(number, " and ".join(said))
    if len(by_number) == 1:
        return f"; {min(by_number.values())} reads it"
    return "".join(f"; {options} reads it as {number}" for number, options in by_number.items())


def for_scale(field: str, value: Any, numbers: WrittenNumbers) -> str:
    """The scale with which the product of a number is whole; empty if there is none that is a power of ten."""
    with suppress(ValueError, InvalidOperation):
        number = Decimal(str(attrs.evolve(numbers, scale=None).read(value))).normalize()
        exponent = number.as_tuple().exponent
        if type(exponent) is int and exponent < 0 and 10**-exponent % (numbers.scale or 1) == 0:
            return f"; --scale {field}={10**-exponent} reads it"
    return ""


def for_no_value(value: Any) -> str:
    """What makes a text no value, if programs write it for none."""
    return f"; --none '{value}' reads it as no value" if type(value) is str and value in _NO_VALUES else ""
