"""Reads the words of a command line: `field=value`, numbers, times, hex digits."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from inspect import Parameter
from time import time_ns
from typing import Any, TypeVar, get_args

import attrs

from ...designs import AccessPattern, Action
from ...designs.arguments import without_unit
from ...designs.ruler import show_value
from ...keys.errors import shown
from ...keys.value_codecs import moment_of
from ...loading import read_value
from ...records import show_time
from ...records.lengths import LENGTH, parse_length
from ...records.times import parse_moment
from ..screen.wrong_usage import WrongUsage, check_name

V = TypeVar("V")


def pairs(words: Iterable[str], form: str = "FIELD=VALUE") -> dict[str, str]:
    """The words `name=text` as a dictionary; each word is cut at its first `=`."""
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise WrongUsage(f"{shown(word)}: must be {form}")
        if name in texts:
            raise WrongUsage(f"{name}: must be given once (got {shown(texts[name])} and {shown(text)})")
        texts[name] = text
    return texts


def with_full_names(values: Mapping[str, V], names: Iterable[str]) -> dict[str, V]:
    """Values by the full names of fields; the `_ms` of a time's name may have been left out."""
    full_names = {without_unit(name): name for name in names}
    full: dict[str, V] = {}
    for name, value in values.items():
        full_name = full_names.get(name, name)
        if full_name in full:
            raise WrongUsage(f"{full_name}: is given twice")
        full[full_name] = value
    return full


def number(what: str, text: str, at_most: int, at_least: int = 1) -> int:
    """The text as a number, from `at_least` to `at_most`."""
    value: int | None = None
    with suppress(ValueError):
        value = read_value(what, int, text)
    if value is None or not at_least <= value <= at_most:
        raise WrongUsage(f"{what}: must be {at_least}..{at_most} (got {shown(text) if value is None else value})")
    return value


def time(what: str, text: str) -> int:
    """The text as a time in milliseconds."""
    try:
        value: int = read_value("time_ms", int, text)
    except ValueError as error:
        raise WrongUsage(f"{what}: {error}") from None
    return value


def from_hex(what: str, text: str) -> bytes:
    """The bytes of hex digits, with or without blanks."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise WrongUsage(f"{what}: must be hex digits, two for each byte (got {shown(text)})") from None


def arguments(pattern: AccessPattern | Action, words: Iterable[str]) -> dict[str, Any]:
    """The words `field=value` as arguments of the method of a pattern or an action."""
    types = {parameter.name: parameter.annotation for parameter in pattern.parameters}
    values = values_of(words, types, f"field of {pattern.name}")
    required = (parameter.name for parameter in pattern.parameters if parameter.default is Parameter.empty)
    if missing := [f"{name}=" for name in required if name not in values]:
        raise WrongUsage(f"{pattern.name}: needs {' '.join(missing)}")
    since_ms, until_ms = values.get("since_ms"), values.get("until_ms")
    if since_ms is not None and until_ms is not None and since_ms > until_ms:
        raise WrongUsage(f"since_ms: must not be after until_ms (got {show_time(since_ms)} and {show_time(until_ms)})")
    from_day, until_day = values.get("from_day"), values.get("until_day")
    if from_day is not None and until_day is not None and from_day >= until_day:
        days = (show_value("from_day", from_day), show_value("until_day", until_day))
        raise WrongUsage(f"until_day: must be after from_day {days[0]} (got {days[1]})")
    return values


def values_of(words: Iterable[str], types: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Words `field=value` as values of the fields' types; the `_ms` of a time's name may be left out.

    A time may be relative: `1h-ago` or `now`.
    """
    now_ms = time_ns() // 10**6
    values: dict[str, Any] = {}
    for full, text in with_full_names(pairs(words), types).items():
        check_name(what, full, types)
        try:
            values[full] = parse_length(text) if full == LENGTH else _value(full, types[full], text, now_ms)
        except ValueError as error:
            raise WrongUsage(f"{full}: {error}") from None
    return values


def field_types(attrs_class: type[Any]) -> dict[str, Any]:
    """The types of the attributes of a class, by name."""
    attrs.resolve_types(attrs_class)
    return {field.name: field.type for field in attrs.fields(attrs_class)}


def _value(name: str, wanted: Any, text: str, now_ms: int) -> Any:
    if name.endswith("_ms"):
        return parse_moment(text, now_ms)
    if datetime in (wanted, *get_args(wanted)) and (text == "now" or text.endswith("-ago")):
        return moment_of(1000 * parse_moment(text, now_ms))
    return read_value(name, wanted, text)
