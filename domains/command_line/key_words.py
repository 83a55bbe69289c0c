"""Reads row keys from the words of a command line: `field=value` or hex digits."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

import attrs

from shared.designs import Design, Variant
from shared.designs.arguments import without_unit
from shared.keys import InvalidKey
from shared.keys.errors import message_of, shown
from shared.tables import TableLayout

from .usage import WrongUsage
from .words import from_hex, values_of

TableKeys: TypeAlias = list[tuple[TableLayout[Any, Any], bytes]]
"""Tables, each with a row key of that table."""
MissingKeys: TypeAlias = list[tuple[TableLayout[Any, Any], str]]
"""Tables, each with the reason why its row key cannot be made."""


def tables_of(variants: Iterable[Variant]) -> list[TableLayout[Any, Any]]:
    """All layouts of records of some variants, each once; two of them may be of one table."""
    return list({(table.name, table.holds): table for variant in variants for table in variant.record_tables}.values())


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
    values = values_of(words, types, "field")
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
