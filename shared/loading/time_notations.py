"""Times as the formats of logs write them: in strftime's notation, or in that of Java's SimpleDateFormat.

    %d/%b/%Y:%H:%M:%S %z        17/May/2015:10:05:03 +0200    2015-05-17T10:05:03+02:00
    dd MMM yyyy HH:mm:ss,SSS    17 May 2015 10:05:03,042      2015-05-17T10:05:03.042

`TimeFormat` reads the times of a column in strptime's notation. Here a notation is part of a line: it says where the
time ends, several notations may be parts of one time, and all digits of a second are kept.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import attrs

from ..keys.errors import shown

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIRST_YEAR_OF_TWO_DIGITS = 1969
"""As POSIX reads them: 69 is 1969, 68 is 2068."""

_TWO = "[0-9]{2}"
_ONE_OR_TWO = "[ 0-9]?[0-9]"
_WORD = "[A-Za-z]+"
_PARTS: Mapping[str, tuple[str, str]] = {
    "year": ("[0-9]{4}", "2016"),
    "short_year": (_TWO, "16"),
    "month": (_ONE_OR_TWO, "12"),
    "month_name": (_WORD, "Dec"),
    "day": (_ONE_OR_TWO, "19"),
    "day_name": (_WORD, "Mon"),
    "between": ("[ T]", " "),
    "hour": (_ONE_OR_TWO, "16"),
    "hour_of_12": (_ONE_OR_TWO, "04"),
    "half": ("[AaPp][Mm]", "PM"),
    "minute": (_TWO, "31"),
    "second": (_TWO, "46"),
    "fraction": ("[0-9]{1,9}", "123"),
    "zone": ("Z|[+-][0-9]{2}(?::?[0-9]{2})?|UTC|GMT", "Z"),
    "seconds": ("[0-9]+", "1482165106"),
    "milliseconds": ("[0-9]+", "1482165106123"),
    "microseconds": ("[0-9]+", "1482165106123456"),
}
"""The parts of a time, each with the regular expression of its texts and one of them."""
_UNITS = {"seconds": 1, "milliseconds": 1000, "microseconds": 1_000_000}
"""The parts that are a whole time, each with what it counts in a second."""

_STRFTIME = {
    **dict.fromkeys("bBh", "month_name"),
    **dict.fromkeys("aA", "day_name"),
    **dict.fromkeys("de", "day"),
    **dict.fromkeys("Hk", "hour"),
    **dict.fromkeys("Il", "hour_of_12"),
    **dict.fromkeys("zZ", "zone"),
    **dict.fromkeys("fL", "fraction"),
    **{"Y": "year", "y": "short_year", "m": "month", "p": "half", "M": "minute", "S": "second", "s": "seconds"},
}
_STRFTIME_SHORT = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "D": "%m/%d/%y"}
_JAVA = {
    **dict.fromkeys("Hk", "hour"),
    **dict.fromkeys("hK", "hour_of_12"),
    **dict.fromkeys("Sn", "fraction"),
    **dict.fromkeys("zZXx", "zone"),
    **{"E": "day_name", "d": "day", "a": "half", "m": "minute", "s": "second"},
}


@attrs.frozen
class TimeNotation:
    """How a time, or a part of one, is written: literal texts and parts."""

    pieces: tuple[tuple[str, str], ...]
    """The part and its length, or `` and a literal text."""

    @property
    def pattern(self) -> str:
        """The regular expression of such texts, without groups that capture."""
        return "".join(f"(?:{_regex(part, text)})" if part else re.escape(text) for part, text in self.pieces)

    @property
    def day_pattern(self) -> str:
        """The regular expression of their start, up to the last part of the day; of all, if they have no day."""
        of_day = [
            index
            for index, (part, _) in enumerate(self.pieces)
            if part in ("year", "short_year", "month", "month_name", "day")
        ]
        return TimeNotation(self.pieces[: of_day[-1] + 1] if of_day else self.pieces).pattern

    @property
    def example(self) -> str:
        """A text in this notation."""
        return "".join(_PARTS[part][1] if part else text for part, text in self.pieces)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts, in order."""
        return tuple(part for part, _ in self.pieces if part)


def _regex(part: str, text: str) -> str:
    """The regular expression of a part; a fraction has as many digits as its letters."""
    if part == "fraction" and text:
        return f"[0-9]{{{len(text)}}}"
    if part in ("month", "day", "hour", "hour_of_12") and len(text) == 2:
        return _TWO
    return _PARTS[part][0]


def from_strftime(notation: str) -> TimeNotation:
    """The notation of `%d/%b/%Y:%H:%M:%S`. ValueError for a directive that is not known."""
    for short, long in _STRFTIME_SHORT.items():
        notation = notation.replace(f"%{short}", long)
    pieces: list[tuple[str, str]] = []
    for literal, letter in re.findall(r"([^%]+|%%)|%(?:-|_|0)?(.?)", notation):
        if literal:
            pieces.append(("", "%" if literal == "%%" else literal))
        elif letter in _STRFTIME:
            pieces.append((_STRFTIME[letter], ""))
        else:
            raise ValueError(f"%{letter} is not known in the time {shown(notation)}")
    return TimeNotation(tuple(pieces))


def from_java(notation: str) -> TimeNotation:
    """The notation of `yyyy-MM-dd'T'HH:mm:ss,SSSXXX`; ~ is a blank or a T. ValueError for an unknown letter."""
    pieces: list[tuple[str, str]] = []
    for match in re.finditer(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|([^A-Za-z']+)|(.)", notation):
        quoted, letters, _, literal, stray = match.groups()
        if stray:
            raise ValueError(f"a quote is not closed in the time {shown(notation)}")
        if literal == "~":
            pieces.append(("between", ""))
        elif letters is None:
            pieces.append(("", literal if quoted is None else quoted.replace("''", "'") or "'"))
        if letters is None:
            continue
        letter, count = letters[0], len(letters)
        if letter in "yu":
            pieces.append(("short_year" if count == 2 else "year", ""))
        elif letter in "ML":
            pieces.append(("month_name", "") if count > 2 else ("month", letters))
        elif letter in _JAVA:
            pieces.append((_JAVA[letter], letters))
        else:
            raise ValueError(f"{letter} is not known in the time {shown(notation)}")
    return TimeNotation(tuple(pieces))


@attrs.frozen
class TimeReader:
    """Reads a time from the texts of its notations, which together are the time."""

    notations: tuple[TimeNotation, ...]
    _patterns: tuple["re.Pattern[str]", ...] = attrs.field(init=False)
    _is_iso: bool = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        parts = [part for notation in self.notations for part in notation.parts]
        for part in parts:
            if parts.count(part) > 1:
                raise ValueError(f"layout: its time must have one {part.replace('_', ' ')} (got {parts.count(part)})")
        if ("hour_of_12" in parts) != ("half" in parts):
            raise ValueError("layout: its time must have hours up to 12 with AM or PM, or hours up to 23 without")
        object.__setattr__(self, "_patterns", tuple(map(_named, self.notations)))
        object.__setattr__(self, "_is_iso", len(self.notations) == 1 and bool(_ISO.fullmatch(self.example)))

    @property
    def example(self) -> str:
        """A time in these notations."""
        return " ".join(notation.example for notation in self.notations)

    @property
    def is_whole(self) -> bool:
        """Whether it is a time of a day, not the time of any day."""
        parts = {part for notation in self.notations for part in notation.parts}
        has_month = not parts.isdisjoint(("month", "month_name"))
        has_year = not parts.isdisjoint(("year", "short_year"))
        return not parts.isdisjoint(_UNITS) or (has_year and has_month and "day" in parts)

    def __call__(self, texts: Iterable[str]) -> int | str:
        """The time in ISO 8601 as exactly as it is written, or its milliseconds if it is written as a number."""
        if self._is_iso:
            (text,) = texts
            return text
        parts: dict[str, str] = {}
        for pattern, text in zip(self._patterns, texts, strict=True):
            match = pattern.fullmatch(text)
            if match is None:
                raise ValueError(f"must be a time such as {self.example} (got {shown(text)})")
            parts |= {name: value.strip() for name, value in match.groupdict().items()}
        for part, per_second in _UNITS.items():
            if part in parts:
                return _from_number(int(parts[part]), per_second, parts.get("fraction", ""))
        return _iso(parts)


_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)
"""What needs no change."""


def _named(notation: TimeNotation) -> "re.Pattern[str]":
    pieces = (f"(?P<{part}>{_regex(part, text)})" if part else re.escape(text) for part, text in notation.pieces)
    return re.compile("".join(pieces))


def _from_number(number: int, per_second: int, fraction: str) -> int | str:
    if per_second == 1 and fraction:
        number, per_second = int(f"{number}{fraction:0<6.6}"), 1_000_000
    seconds, rest = divmod(number, per_second)
    if rest * 1000 % per_second == 0:
        return seconds * 1000 + rest * 1000 // per_second
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:06}Z"


def _iso(parts: Mapping[str, str]) -> str:
    year = parts.get("year", "")
    if "short_year" in parts:
        short = int(parts["short_year"])
        year = str(1900 + short if 1900 + short >= _FIRST_YEAR_OF_TWO_DIGITS else 2000 + short)
    month = parts.get("month", "")
    if "month_name" in parts:
        name = parts["month_name"][:3].lower()
        if name not in _MONTHS:
            raise ValueError(f"must have a month such as Dec (got {shown(parts['month_name'])})")
        month = str(_MONTHS.index(name) + 1)
    hour = parts.get("hour", "00")
    if "hour_of_12" in parts:
        hour = str(int(parts["hour_of_12"]) % 12 + 12 * (parts.get("half", "AM").upper() == "PM"))
    fraction = f".{parts['fraction']}" if "fraction" in parts else ""
    zone = parts.get("zone", "").replace("UTC", "Z").replace("GMT", "Z")
    clock = f"{hour:0>2}:{parts.get('minute', '00')}:{parts.get('second', '00')}{fraction}"
    return f"{year}-{month:0>2}-{parts['day']:0>2}T{clock}{zone}"
