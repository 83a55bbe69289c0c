r"""Values as a user types them or a file contains them, read as the types of a record's fields, or refused.

Nothing is trimmed, rounded or guessed:

text     unchanged; from JSON also an int: 7 is the text 7, as in CSV
int      [+-]?[0-9]+, up to 4,300 digits, the most that Python reads; 1000.0 is 1000, too. From JSON also a number, but
         not a bool, nor a float with a fraction, or from 2^53 on, where a float may stand for another int
float    a decimal number in the range of a float, so neither infinite nor NaN; also .5 and 1.
number   an int or a float (`int | float`): an int if it is written without point and exponent
bool     true or false
bytes    hex digits
*_ms     a time: text as `parse_time` reads it; from JSON also a number of milliseconds. From a file, numbers may count
         another unit, with a fraction of it, see `read_time`; or a time has a format of its own, see `TimeFormat`
*_day    of an int, also a date such as 2017-06-23: the number that `date.toordinal()` makes of it
Literal  one of its values
tuple    of texts: a list of them
pairs    a tuple of pairs of texts, such as tags: `dc=lga,host=web-1`, or a list of pairs; from JSON an object of texts
         by name
Mapping  of values by name: an object, each value read as its own type
datetime ISO 8601; without a zone it is in UTC
date     as 2017-06-23
Enum     by the value of its member
UUID     as text
Decimal  a decimal number, from JSON as text
list, tuple, attrs class   a list or an object

Lists and objects come from JSON, or are the text of one, as CSV holds them: `["a", "b"]`. Text with a lone surrogate,
which JSON may write as \ud800, is refused, because it is not Unicode.
"""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin
from uuid import UUID

import attrs
import cattrs

from ..keys.errors import shown
from ..records.times import UNITS, Unit, likely_unit, parse_date, parse_datetime, parse_time
from .written_times import WrittenTimes

_INTEGER = re.compile("[+-]?[0-9]+")
_INTEGRAL = re.compile(r"([+-]?[0-9]+)\.0+")
"""An integer with a fraction of zeros, as a spreadsheet or pandas may write it."""
_LAST_EXACT = 2**53
"""From here on, a float may stand for another integer than the file has."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNMARKED_INTEGER = re.compile("(?![0-9]{8}$)-?[0-9]+")
"""An integer that has no plus sign, which marks milliseconds, and cannot be a date of eight digits."""
_DECIMAL = re.compile(r"[+-]?[0-9]{1,16}\.[0-9]{1,12}")
"""A number with a fraction, short enough for `Decimal` to show each of its digits."""

_DATE = re.compile(
    "(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])(?:[0-5][0-9]){0,2}"
)
"""A date and a time of day, in digits alone."""
_DATE_NOTATIONS = {10: "%Y%m%d%H", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
"""By the number of digits."""

_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"


def read_value(name: str, wanted: Any, value: Any) -> Any:
    """The value of one field, read from text or JSON; ValueError says what was wanted and given."""
    if name.endswith("_ms") and type(value) is str:
        return parse_time(value)
    if name.endswith("_day") and type(value) is str and int in (wanted, *get_args(wanted)):
        return _read_day(value, wanted)
    return CONVERTER.structure(value, wanted)


def _read_day(text: str, wanted: Any) -> Any:
    """The number of a day; text of eight digits, such as 20170623, is refused as a date."""
    if not text or _UNMARKED_INTEGER.fullmatch(text) or _INTEGRAL.fullmatch(text):
        return CONVERTER.structure(text, wanted)
    return parse_date(text).toordinal()


def read_time(name: str, wanted: Any, value: Any, unit: Unit | None, times: WrittenTimes) -> Any:
    """A time of a file, in milliseconds. Its unit applies to numbers only; ValueError if another unit is more likely.

    Without a unit, text of digits with a plus sign is in milliseconds, text of eight digits and a number such as
    20260112080731 are refused as dates, and a number with a fraction is refused.
    """
    number = _number(value, _INTEGER if unit else _UNMARKED_INTEGER)
    if number is None:
        return times.read(value) if type(value) is str else read_value(name, wanted, value)
    if unit:
        return times.from_unit(number, unit)
    if date := likely_date(number):
        counted = "seconds" if len(str(number)) == min(_DATE_NOTATIONS) else "milliseconds"
        given = f"give --unit {name}={'s' if counted == 'seconds' else 'ms'} (got {number})"
        raise ValueError(f"is most likely a date: give --time-format {name}='{date}'; if it counts {counted}, {given}")
    if likely := likely_unit(int(number)):
        advice = f"give --unit {name}={likely.unit}" if likely.unit in UNITS else "write milliseconds"
        raise ValueError(
            f"is most likely in {likely.name}, {likely.time}: {advice}; if it counts milliseconds, give"
            f" --unit {name}=ms (got {number})"
        )
    return number if type(number) is int else read_value(name, wanted, value)


def likely_date(number: int | Decimal) -> str:
    """The notation by which the digits of a number are a date, such as 20260112080731; empty if they are none."""
    text = str(number)
    return _DATE_NOTATIONS[len(text)] if _DATE.fullmatch(text) else ""


def _number(value: Any, integer: "re.Pattern[str]") -> int | Decimal | None:
    """The number of a value from JSON, or of text that is an integer or has a fraction; None for any other value."""
    if type(value) is int:
        return value
    text = repr(value) if type(value) is float else value if type(value) is str else ""
    if integer.fullmatch(text):
        return parse_int(text)
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


def parse_int(text: str) -> int:
    """The int of a text of digits; ValueError if there are more digits than Python reads."""
    try:
        return int(text)
    except ValueError:
        limit, digits = sys.get_int_max_str_digits(), len(text.lstrip("+-"))
        raise ValueError(f"an int must have at most {limit} digits (got {digits})") from None


def _read_int(value: Any, _type: Any) -> int:
    if type(value) is int:
        return value
    if type(value) is str:
        if _INTEGER.fullmatch(value):
            return parse_int(value)
        if integral := _INTEGRAL.fullmatch(value):
            return parse_int(integral[1])
    if type(value) is float and value.is_integer() and abs(value) < _LAST_EXACT:
        return int(value)
    raise _refusal("an int", value)


def read_text(value: Any) -> str:
    """A text as it is, and an int as its digits; ValueError for any other value, and for a lone surrogate."""
    if type(value) is str:
        if not value.isascii():
            _check_unicode(value)
        return value
    if type(value) is int:
        with suppress(ValueError):  # more digits than Python writes
            return str(value)
    raise _refusal("text", value)


def _check_unicode(text: str) -> None:
    if lone := _SURROGATE.search(text):
        code = f"\\u{ord(lone[0]):x}"
        raise ValueError(f"must be Unicode text (got the lone surrogate {code} at character {lone.start() + 1})")


def _checked(value: Any) -> Any:
    """A value of any type from JSON, in which every text is Unicode."""
    if type(value) is str:
        _check_unicode(value)
    elif type(value) is dict:
        for name, inside in value.items():  # pyright: ignore[reportUnknownVariableType]
            _check_unicode(name)  # pyright: ignore[reportUnknownArgumentType]
            _checked(inside)
    elif type(value) is list:
        for inside in value:  # pyright: ignore[reportUnknownVariableType]
            _checked(inside)
    return value  # pyright: ignore[reportUnknownVariableType]


def _from_json(value: Any) -> Any:
    """The object or list of a text that is the JSON of one; any other value as it is."""
    if type(value) is str and value[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return parse_json(value)
    return value


def parse_json(text: str) -> Any:
    """The value of a JSON text; ValueError also for a name that occurs twice in an object."""
    return json.loads(text, object_pairs_hook=_without_duplicates, parse_int=parse_int)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    by_name = dict(pairs)
    if len(by_name) < len(pairs):
        name, count = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"{shown(name)} occurs {count} times")
    return by_name


def _read_literal(value: Any, wanted: Any) -> Any:
    allowed = get_args(wanted)
    for literal in allowed:
        if value == literal and type(value) is type(literal):  # because True == 1 and 1 == 1.0
            return literal
    raise _refusal(f"one of {', '.join(map(str, allowed))}", value)


def _is_literal(wanted: Any) -> bool:
    origin: Any = get_origin(wanted)
    return origin is Literal


def _read_float(value: Any, _type: Any) -> float:
    if type(value) in (int, float) or (type(value) is str and re.fullmatch(_NUMBER, value)):
        with suppress(OverflowError):
            if math.isfinite(number := float(value)):
                return number
    raise _refusal("a number in the range of a float", value)


def _is_number(wanted: Any) -> bool:
    return set(get_args(wanted)) == {int, float}


def _read_number(value: Any, wanted: Any) -> int | float:
    if type(value) is int or (type(value) is str and _INTEGER.fullmatch(value)):
        return _read_int(value, wanted)
    return _read_float(value, wanted)


def _read_bool(value: Any, _type: Any) -> bool:
    words = {True: True, False: False, "true": True, "false": False}
    if type(value) in (bool, str) and value in words:
        return words[value]
    raise _refusal("true or false", value)


def _read_bytes(value: Any, _type: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise _refusal("bytes in hex", value) from None


def _is_tuple_of_texts(wanted: Any) -> bool:
    origin: Any = get_origin(wanted)
    return origin is tuple and get_args(wanted) == (str, ...)


def _read_texts(value: Any, _type: Any) -> tuple[str, ...]:
    """A tuple of texts. A single text is refused: it is not a list of its characters."""
    given = _from_json(value)
    texts: list[Any] = [*given] if type(given) in (list, tuple) else [None]
    if all(type(text) is str for text in texts):
        return tuple(map(read_text, texts))
    raise _refusal("a list of texts", value)


def is_of_pairs(wanted: Any) -> bool:
    """Whether a type is a tuple of pairs of texts, such as tags."""
    origin: Any = get_origin(wanted)
    return origin is tuple and get_args(wanted) == (tuple[str, str], ...)


def _read_pairs(value: Any, _type: Any) -> tuple[tuple[str, str], ...]:
    given = _from_json(value)
    pairs: list[Any] = [None]
    if type(given) is str:
        words = [word.partition("=") for word in given.split(",")] if given else []
        pairs = [(name, text) if equals else None for name, equals, text in words]
    elif type(given) is dict:
        pairs = [*given.items()]
    elif type(given) in (list, tuple):
        pairs = [tuple(pair) if type(pair) in (list, tuple) else None for pair in given]
    if all(pair is not None and [type(text) for text in pair] in ([str, str], [str, int]) for pair in pairs):
        return tuple((read_text(name), read_text(text)) for name, text in pairs)
    raise _refusal("texts by name, such as dc=lga,host=web-1", value)


def show_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Pairs as one text that is read as the same pairs: `dc=lga,host=web-1`, or as JSON if a text has `=` or `,`."""
    shown = ",".join(f"{name}={text}" for name, text in pairs)
    with suppress(ValueError):
        if _read_pairs(shown, None) == tuple(pairs):
            return shown
    return json.dumps([*pairs], ensure_ascii=False)


def _is_mapping(wanted: Any) -> bool:
    origin: Any = get_origin(wanted)
    return origin is Mapping


def _read_mapping(value: Any, wanted: Any) -> dict[str, Any]:
    given: Any = _from_json(value)
    if type(given) is not dict:
        raise _refusal("an object of values by name", value)
    _name, member = get_args(wanted)
    by_name = cast("dict[str, Any]", given)
    return {read_text(name): CONVERTER.structure(inside, member) for name, inside in by_name.items()}


def _read_datetime(value: Any, _type: Any) -> datetime:
    if type(value) is str:
        return parse_datetime(value)
    raise _refusal("a time as text, such as 2017-06-23T21:05:06Z", value)


def _read_date(value: Any, _type: Any) -> date:
    if type(value) is str:
        return parse_date(value)
    raise _refusal("a date as text, such as 2017-06-23", value)


def _read_uuid(value: Any, _type: Any) -> UUID:
    with suppress(ValueError):
        if type(value) is str and str(read := UUID(value)) == value.lower():  # not in braces or without hyphens
            return read
    raise _refusal("a UUID such as 00112233-4455-6677-8899-aabbccddeeff", value)


def _read_decimal(value: Any, _type: Any) -> Decimal:
    if type(value) is int or (type(value) is str and re.fullmatch(_NUMBER, value)):
        return Decimal(value)
    raise _refusal("a decimal number, from JSON as text, because a number there may have lost digits", value)


def _is_enum(wanted: Any) -> bool:
    return isinstance(wanted, type) and issubclass(wanted, Enum)


def _read_enum(value: Any, wanted: type[Enum]) -> Enum:
    """The member with this value; text may give one that is an int."""
    for member in wanted:
        given = parse_int(value) if type(value) is str and type(member.value) is int and _is_integer(value) else value
        if given == member.value and type(given) is type(member.value):
            return member
    raise _refusal(f"one of {', '.join(str(member.value) for member in wanted)}", value)


def _is_integer(text: str) -> bool:
    return _INTEGER.fullmatch(text) is not None


def _is_list_or_tuple(wanted: Any) -> bool:
    return get_origin(wanted) in (list, tuple)


def _read_several(value: Any, wanted: Any) -> Any:
    """A list or a tuple; a text is refused: it is not a list of its characters."""
    make: Any = get_origin(wanted)
    types: tuple[Any, ...] = get_args(wanted)
    given = _from_json(value)
    if type(given) not in (list, tuple):
        raise _refusal("a list", value)
    values: list[Any] = [*given]
    if make is list or ... in types:
        types = types[:1] * len(values)
    if len(values) != len(types):
        raise _refusal(f"a list of {len(types)} values", value)
    read: list[Any] = [CONVERTER.structure(inside, member) for inside, member in zip(values, types, strict=True)]
    return read if make is list else tuple(read)


def _read_record(value: Any, wanted: type[Any]) -> Any:
    """A record in a field of another one, from an object; what the object does not name has its default."""
    attrs.resolve_types(wanted)
    fields = [field for field in attrs.fields(wanted) if field.init]
    needed = [field.name for field in fields if field.default is attrs.NOTHING]
    given = _from_json(value)
    if type(given) is not dict or not {*needed} <= given.keys():
        raise _refusal(f"an object with {', '.join(needed) or 'values by name'}", value)
    values: dict[str, Any] = {}
    for field in fields:
        if field.name in given:
            try:
                values[str(field.alias)] = read_value(field.name, field.type, given[field.name])
            except ValueError as error:
                raise ValueError(f"{field.name}: {error}") from None
    return wanted(**values)


def _is_any(wanted: Any) -> bool:
    return wanted is Any


def allows_none(wanted: Any) -> bool:
    """Whether None is a value of a type: `int | None`, or Any."""
    return wanted is Any or wanted is NoneType or NoneType in get_args(wanted)


def _refusal(wanted: str, value: Any) -> ValueError:
    return ValueError(f"must be {wanted} (got {shown(value)})")


_Reader = Callable[[Any, Any], Any]


def _or_enum(read: _Reader) -> _Reader:
    """Reads values of a type, and of an Enum that inherits from it, for which cattrs calls the same function."""
    return lambda value, wanted: _read_enum(value, wanted) if _is_enum(wanted) else read(value, wanted)


_READERS: Mapping[type[Any], _Reader] = {
    int: _or_enum(_read_int),
    str: _or_enum(lambda value, _type: read_text(value)),
    float: _read_float,
    bool: _read_bool,
    bytes: _read_bytes,
    datetime: _read_datetime,
    date: _read_date,
    UUID: _read_uuid,
    Decimal: _read_decimal,
}
_READERS_IF: Mapping[Callable[[Any], bool], _Reader] = {
    _is_any: lambda value, _type: _checked(value),
    attrs.has: _read_record,
    _is_enum: _read_enum,
    _is_list_or_tuple: _read_several,
    _is_literal: _read_literal,
    _is_tuple_of_texts: _read_texts,
    is_of_pairs: _read_pairs,
    _is_mapping: _read_mapping,
    _is_number: _read_number,
}
"""The later ones first."""
CONVERTER = cattrs.Converter(detailed_validation=False)
for _type, _read in _READERS.items():
    CONVERTER.register_structure_hook(_type, _read)
for _is_read, _read in _READERS_IF.items():
    CONVERTER.register_structure_hook_func(_is_read, _read)
