"""What a user gives on the command line, as what the designs take: names, `field=value` words, whole questions."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from inspect import Parameter
from typing import Any, TypeAlias

import attrs

from shared.keys import InvalidKey, KeyLayout
from shared.patterns import AccessPattern, Design
from shared.tables import TableDesign
from shared.times import show_time
from shared.values import read_value


class WrongUsage(ValueError):
    """Something on the command line that must be typed differently; one line says how."""


def known(what: str, name: str, names: Iterable[str]) -> str:
    """The name, if it is one of `names`."""
    names = list(names)
    if name in names:
        return name
    close = get_close_matches(name, names, n=1)
    advice = f"did you mean {close[0]}?" if close else f"one of {', '.join(names)}"
    raise WrongUsage(f"unknown {what} {name!r}: {advice}")


def pairs(words: Iterable[str], form: str = "field=value") -> dict[str, str]:
    """The words `name=text` as a dictionary; each is cut at its first `=`."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise WrongUsage(f"{word!r}: must be {form}")
        if name in found:
            raise WrongUsage(f"{name}: is given twice")
        found[name] = text
    return found


def number(what: str, text: str, at_most: int) -> int:
    """The number from 1 that text says."""
    try:
        value: int = read_value(what, int, text)
    except ValueError as error:
        raise WrongUsage(f"{what}: {error}") from None
    if not 1 <= value <= at_most:
        raise WrongUsage(f"{what}: must be 1..{at_most} (got {value})")
    return value


def questions(design: Design) -> dict[str, list[AccessPattern]]:
    """The access patterns of a design by the name they are asked under; those of one name differ in their samples."""
    found: dict[str, list[AccessPattern]] = {}
    for pattern in design.patterns:
        found.setdefault(pattern.name, []).append(pattern)
    return found


def shown_arguments(pattern: AccessPattern) -> str:
    """`seller_id= [since= until=]`: what must be given, and what may be."""
    needed = [f"{asked(each.name)}=" for each in pattern.parameters if each.default is Parameter.empty]
    others = [f"{asked(each.name)}=" for each in pattern.parameters if each.default is not Parameter.empty]
    return " ".join([*needed, f"[{' '.join(others)}]"] if others else needed)


def arguments(pattern: AccessPattern, words: Iterable[str]) -> dict[str, Any]:
    """The words `field=value` as arguments of the pattern's method."""
    given = _values(words, {each.name: each.annotation for each in pattern.parameters}, f"field of {pattern.name}")
    for each in pattern.parameters:
        if each.default is Parameter.empty and each.name not in given:
            raise WrongUsage(f"{pattern.name}: needs {shown_arguments(pattern)}")
    since_ms, until_ms = given.get("since_ms"), given.get("until_ms")
    if since_ms is not None and until_ms is not None and since_ms > until_ms:
        raise WrongUsage(f"since: must not be after until (got {show_time(since_ms)} and {show_time(until_ms)})")
    return given


Rows: TypeAlias = list[tuple[TableDesign[Any], bytes]]
"""Tables, each with a key of it."""
Others: TypeAlias = list[tuple[TableDesign[Any], str]]
"""Tables, each with the reason why there is no key of it."""


def encoded(design: Design, words: Iterable[str]) -> tuple[Rows, Others]:
    """The keys that the words `field=value` make in the design's tables, and what is missing in the others."""
    parts = {table.name: _part_types(table.layout) for table in design.tables}
    values = _values(words, {name: wanted for types in parts.values() for name, wanted in types.items()}, "field")
    rows: Rows = []
    others: Others = []
    for table in design.tables:
        types = parts[table.name]
        if missing := [f"{asked(name)}=" for name in types if name not in values]:
            others.append((table, f"needs {' '.join(missing)}"))
        else:
            rows.append((table, table.layout.encode(table.layout.key(**{name: values[name] for name in types}))))
    return rows, others


def decoded(design: Design, text: str) -> tuple[Rows, Others]:
    """The tables of which hex text is a key, and why it is none of the others."""
    try:
        row = bytes.fromhex(text)
    except ValueError:
        row = b""
    if not row:
        raise WrongUsage(f"--key: must be hex digits, two for each byte (got {text!r:.100})")
    rows: Rows = []
    others: Others = []
    for table in design.tables:
        try:
            table.layout.decode(row)
            rows.append((table, row))
        except InvalidKey as error:
            others.append((table, str(error)))
    return rows, others


def _part_types(layout: KeyLayout[Any]) -> dict[str, Any]:
    attrs.resolve_types(layout.key)
    return {field.name: field.type for field in attrs.fields(layout.key)}


def asked(name: str) -> str:
    """A field as it is asked for: times without their unit, since their text has its own."""
    return name.removesuffix("_ms")


def _values(words: Iterable[str], types: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Words `field=value` as values of the fields' types; times may be given with or without their unit."""
    full_names = {asked(name): name for name in types}
    found: dict[str, Any] = {}
    for name, text in pairs(words).items():
        short = known(what, asked(name), full_names)
        full = full_names[short]
        if full in found:
            raise WrongUsage(f"{name}: is given twice")
        try:
            found[full] = read_value(full, types[full], text)
        except ValueError as error:
            raise WrongUsage(f"{name}: {error}") from None
    return found
