"""Reads the command line's words for the designs: names, `field=value` words, whole questions."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from inspect import Parameter
from typing import Any, TypeAlias

import attrs

from shared.designs import AccessPattern, Design, Variant
from shared.keys import InvalidKey
from shared.keys.errors import message_of, shown
from shared.loading import read_value
from shared.records import LENGTH, parse_length, show_time
from shared.tables import TableLayout


class WrongUsage(ValueError):
    """The command line must be typed differently; the message says how in one line."""


def check_name(what: str, name: str, names: Iterable[str]) -> str:
    """Returns the name if it is one of `names`; otherwise the `WrongUsage` suggests the closest of them."""
    names = list(names)
    if name in names:
        return name
    close = get_close_matches(name, names, n=1)
    advice = f"did you mean {close[0]}?" if close else f"one of {', '.join(names)}"
    raise WrongUsage(f"unknown {what} {shown(name)}: {advice}")


def find_variants(name: str, designs: Iterable[Design]) -> tuple[Design, tuple[Variant, ...]]:
    """The design of that name with all its variants, or with one of them if the name is `logs:salted`."""
    by_name = {design.name: design for design in designs}
    design_name, colon, variant_name = name.partition(":")
    design = by_name[check_name("design", design_name, by_name)]
    if not colon:
        return design, design.variants
    variants = {variant.name: variant for variant in design.variants}
    return design, (variants[check_name(f"variant of {design.name}", variant_name, variants)],)


def group_by_design(names: Iterable[str], designs: Collection[Design]) -> list[tuple[Design, tuple[Variant, ...]]]:
    """Several names as designs, each design once, with all its variants that are named."""
    by_design: dict[str, tuple[Design, set[str]]] = {}
    for name in names:
        design, variants = find_variants(name, designs)
        by_design.setdefault(design.name, (design, set()))[1].update(variant.name for variant in variants)
    return [
        (design, tuple(variant for variant in design.variants if variant.name in variant_names))
        for design, variant_names in by_design.values()
    ]


def tables_of(variants: Iterable[Variant]) -> list[TableLayout[Any, Any]]:
    """All layouts of records of some variants, each once; two of them may be of one table."""
    return list({(table.name, table.holds): table for variant in variants for table in variant.record_tables}.values())


def pairs(words: Iterable[str], form: str = "field=value") -> dict[str, str]:
    """The words `name=text` as a dictionary; each word is cut at its first `=`."""
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise WrongUsage(f"{shown(word)}: must be {form}")
        if name in texts:
            raise WrongUsage(f"{name}: is given twice")
        texts[name] = text
    return texts


def number(what: str, text: str, at_most: int, at_least: int = 1) -> int:
    """The text as a number, from `at_least` to `at_most`."""
    try:
        value: int = read_value(what, int, text)
    except ValueError as error:
        raise WrongUsage(f"{what}: {error}") from None
    if not at_least <= value <= at_most:
        raise WrongUsage(f"{what}: must be {at_least}..{at_most} (got {value})")
    return value


def time(what: str, text: str) -> int:
    """The text as a time in milliseconds."""
    try:
        value: int = read_value("time_ms", int, text)
    except ValueError as error:
        raise WrongUsage(f"{what}: {error}") from None
    return value


def questions(design: Design) -> dict[str, list[AccessPattern]]:
    """The access patterns of a design by their names in `rowbook ask`; patterns of one name differ in their samples."""
    by_name: dict[str, list[AccessPattern]] = {}
    for pattern in design.patterns:
        by_name.setdefault(pattern.name, []).append(pattern)
    return by_name


def shown_arguments(pattern: AccessPattern) -> str:
    """`seller_id= [since= until=]`: the required arguments, then the optional ones in brackets."""
    required: list[str] = []
    optional: list[str] = []
    for parameter in pattern.parameters:
        arguments_ = required if parameter.default is Parameter.empty else optional
        arguments_.append(f"{without_unit(parameter.name)}=")
    return " ".join([*required, f"[{' '.join(optional)}]"] if optional else required)


def arguments(pattern: AccessPattern, words: Iterable[str]) -> dict[str, Any]:
    """The words `field=value` as arguments of the pattern's method."""
    types = {parameter.name: parameter.annotation for parameter in pattern.parameters}
    values = _values(words, types, f"field of {pattern.name}")
    for parameter in pattern.parameters:
        if parameter.default is Parameter.empty and parameter.name not in values:
            raise WrongUsage(f"{pattern.name}: needs {shown_arguments(pattern)}")
    since_ms, until_ms = values.get("since_ms"), values.get("until_ms")
    if since_ms is not None and until_ms is not None and since_ms > until_ms:
        raise WrongUsage(f"since: must not be after until (got {show_time(since_ms)} and {show_time(until_ms)})")
    return values


TableKeys: TypeAlias = list[tuple[TableLayout[Any, Any], bytes]]
"""Tables, each with a row key of that table."""
MissingKeys: TypeAlias = list[tuple[TableLayout[Any, Any], str]]
"""Tables, each with the reason why its row key cannot be made."""


def encode_keys(
    design: Design, tables: Collection[TableLayout[Any, Any]], words: Iterable[str]
) -> tuple[TableKeys, MissingKeys]:
    """The keys that the words `field=value` make in `tables`, and for each other table what is missing or wrong.

    If the words make a whole record, it supplies the parts that are not given.
    """
    part_types = [_field_types(table.key.key_class) for table in tables]
    types = {name: type_ for types_of_key in part_types for name, type_ in types_of_key.items()}
    for load in design.loads:
        types |= _field_types(load.record)
    values = _values(words, types, "field")
    records, why = _records(design, values)
    keys: TableKeys = []
    missing_keys: MissingKeys = []
    for table, names in zip(tables, part_types, strict=True):
        for record in records:
            values |= {name: getattr(record, name) for name in names if name not in values and hasattr(record, name)}
        if missing_parts := [f"{without_unit(name)}=" for name in names if name not in values]:
            missing_keys.append((table, f"needs {' '.join(missing_parts)}{why}"))
            continue
        layout = table.key
        try:
            shares = {part.name: layout.share(part, values[part.name]) for part in layout.parts}
            keys.append((table, layout.encode(layout.key_class(**shares))))
        except InvalidKey as error:
            missing_keys.append((table, str(error)))
    return keys, missing_keys


def decode_key(tables: Iterable[TableLayout[Any, Any]], text: str) -> tuple[TableKeys, MissingKeys]:
    """The tables in which this hex text is a row key, and for each other table why it is not."""
    row = from_hex("--key", text)
    if not row:
        raise WrongUsage(f"--key: must be hex digits, two for each byte (got {shown(text)})")
    keys: TableKeys = []
    missing_keys: MissingKeys = []
    for table in tables:
        try:
            table.key.decode(row)
            keys.append((table, row))
        except InvalidKey as error:
            missing_keys.append((table, str(error)))
    return keys, missing_keys


def from_hex(what: str, text: str) -> bytes:
    """The bytes of hex digits, with or without blanks."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise WrongUsage(f"{what}: must be hex digits, two for each byte (got {shown(text)})") from None


def _records(design: Design, values: Mapping[str, Any]) -> tuple[list[Any], str]:
    """The records that these values make; and, if a value is not valid in a record, the reason."""
    records: list[Any] = []
    why = ""
    for load in design.loads:
        fields = attrs.fields(load.record)
        try:
            records.append(load.record(**{field.name: values[field.name] for field in fields if field.name in values}))
        except TypeError:
            continue  # some fields are missing
        except ValueError as error:
            why = f", because {message_of(error)}"
    return records, why


def _field_types(attrs_class: type[Any]) -> dict[str, Any]:
    attrs.resolve_types(attrs_class)
    return {field.name: field.type for field in attrs.fields(attrs_class)}


def without_unit(name: str) -> str:
    """The name of a field on the command line: a time without `_ms`, because its text says its unit."""
    return name.removesuffix("_ms")


def _values(words: Iterable[str], types: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Words `field=value` as values of the fields' types; the names of times may end in `_ms` or not."""
    full_names = {without_unit(name): name for name in types}
    values: dict[str, Any] = {}
    for name, text in pairs(words).items():
        short = check_name(what, without_unit(name), full_names)
        full = full_names[short]
        if full in values:
            raise WrongUsage(f"{name}: is given twice")
        try:
            values[full] = parse_length(text) if full == LENGTH else read_value(full, types[full], text)
        except ValueError as error:
            raise WrongUsage(f"{name}: {error}") from None
    return values
