"""What a user gives on the command line, as what the designs take: names, `field=value` words, whole questions."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from inspect import Parameter
from typing import Any, TypeAlias

import attrs

from shared.designs import AccessPattern, Design, Variant
from shared.keys import InvalidKey
from shared.keys.errors import message_of
from shared.loading import read_value
from shared.records import show_time
from shared.tables import TableLayout


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


def chosen(name: str, designs: Iterable[Design]) -> tuple[Design, tuple[Variant, ...]]:
    """The design of that name with all its variants; of `logs:salted` that one only."""
    by_name = {design.name: design for design in designs}
    design_name, colon, variant_name = name.partition(":")
    design = by_name[known("design", design_name, by_name)]
    if not colon:
        return design, design.variants
    variants = {variant.name: variant for variant in design.variants}
    return design, (variants[known(f"variant of {design.name}", variant_name, variants)],)


def grouped(names: Iterable[str], designs: Collection[Design]) -> list[tuple[Design, tuple[Variant, ...]]]:
    """Several names as designs, each once, with those of its variants that are named."""
    found: dict[str, tuple[Design, set[str]]] = {}
    for name in names:
        design, variants = chosen(name, designs)
        found.setdefault(design.name, (design, set()))[1].update(variant.name for variant in variants)
    return [
        (design, tuple(variant for variant in design.variants if variant.name in named))
        for design, named in found.values()
    ]


def tables_of(variants: Iterable[Variant]) -> list[TableLayout[Any, Any]]:
    """All tables of some variants, each once."""
    return list({table.name: table for variant in variants for table in variant.tables}.values())


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


Rows: TypeAlias = list[tuple[TableLayout[Any, Any], bytes]]
"""Tables, each with a key of it."""
Others: TypeAlias = list[tuple[TableLayout[Any, Any], str]]
"""Tables, each with the reason why there is no key of it."""


def encoded(design: Design, tables: Collection[TableLayout[Any, Any]], words: Iterable[str]) -> tuple[Rows, Others]:
    """The keys that the words `field=value` make in tables, and what is missing or wrong in the others.

    Where the words make a whole record, parts that are not given are taken of it.
    """
    parts = {table.name: _types(table.layout.key) for table in tables}
    of_parts = {name: wanted for types in parts.values() for name, wanted in types.items()}
    of_records = {name: kind for load in design.loads for name, kind in _types(load.record).items()}
    values = _values(words, of_parts | of_records, "field")
    records, why = _records(design, values)
    rows: Rows = []
    others: Others = []
    for table in tables:
        types = parts[table.name]
        for record in records:
            values |= {name: getattr(record, name) for name in types if name not in values and hasattr(record, name)}
        if missing := [f"{asked(name)}=" for name in types if name not in values]:
            others.append((table, f"needs {' '.join(missing)}{why}"))
            continue
        try:
            rows.append((table, table.layout.encode(table.layout.key(**{name: values[name] for name in types}))))
        except InvalidKey as error:
            others.append((table, str(error)))
    return rows, others


def decoded(tables: Iterable[TableLayout[Any, Any]], text: str) -> tuple[Rows, Others]:
    """Those of the tables of which hex text is a key, and why it is none of the others."""
    try:
        row = bytes.fromhex(text)
    except ValueError:
        row = b""
    if not row:
        raise WrongUsage(f"--key: must be hex digits, two for each byte (got {text!r:.100})")
    rows: Rows = []
    others: Others = []
    for table in tables:
        try:
            table.layout.decode(row)
            rows.append((table, row))
        except InvalidKey as error:
            others.append((table, str(error)))
    return rows, others


def _records(design: Design, values: Mapping[str, Any]) -> tuple[list[Any], str]:
    """The records that these values make, and why they do not make another."""
    records: list[Any] = []
    why = ""
    for load in design.loads:
        fields = attrs.fields(load.record)
        try:
            records.append(load.record(**{field.name: values[field.name] for field in fields if field.name in values}))
        except TypeError:
            continue  # some are missing
        except ValueError as error:
            why = f", for {message_of(error)}"
    return records, why


def _types(of: type[Any]) -> dict[str, Any]:
    attrs.resolve_types(of)
    return {field.name: field.type for field in attrs.fields(of)}


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
