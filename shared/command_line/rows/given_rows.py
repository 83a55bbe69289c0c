"""Reads row keys from the words of a command line: `field=value` or hex digits."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

import attrs

from ...designs import Design, Variant
from ...keys import InvalidKey, KeyLayout
from ...keys.errors import message_of, shown, shown_bytes
from ...keys.limits import MAX_ROW_BYTES
from ...keys.parts import Segment
from ...tables import TableLayout
from ..named.typed_values import field_types, values_of
from ..screen.wrong_usage import CommandFailed, WrongUsage
from .bytes_as_text import WANTED, KeyForm, read_bytes
from .likely_tables import by_likelihood

TableKeys: TypeAlias = list[tuple[TableLayout[Any, Any], bytes]]
"""Tables, each with a row key of that table."""


@attrs.frozen
class MissingKey:
    """A table that has no such row key."""

    table: TableLayout[Any, Any]
    reason: str
    parts: tuple[Segment, ...] = ()
    """The parts that are given, or that decode."""
    is_foreign: bool = False
    """Whether the key has no part that is given, or that decodes."""

    @property
    def distance(self) -> tuple[bool, int]:
        """Sorts the keys that lack the fewest parts first, and foreign ones last."""
        return self.is_foreign, len(self.table.key.parts) - len(self.parts)


MissingKeys: TypeAlias = list[MissingKey]
"""Tables without such a row key, the nearest first."""


Decoded: TypeAlias = Mapping[KeyForm, tuple[TableKeys, MissingKeys]]
"""The tables that have a key in each form that it may have, and those that do not."""


def tables_of(variants: Iterable[Variant]) -> list[TableLayout[Any, Any]]:
    """All layouts of records of some variants, each once; two of them may be of one table."""
    return list({(table.name, table.holds): table for variant in variants for table in variant.record_tables}.values())


def encode_keys(
    design: Design, tables: Collection[TableLayout[Any, Any]], words: Iterable[str]
) -> tuple[TableKeys, MissingKeys]:
    """The keys that the words `field=value` make in `tables`, and for each other table what is missing or wrong.

    If the words make a whole record, it supplies the parts that are not given. Raises WrongUsage for a value that no
    record of the design can have.
    """
    part_types = [field_types(table.key.key_class) for table in tables]
    types = {name: type_ for types_of_key in part_types for name, type_ in types_of_key.items()}
    for load in design.loads:
        types |= field_types(load.record)
    values = values_of(words, types, "field")
    for name, value in values.items():
        _check_value(design, name, value)
    typed = {*values}
    records, why = _records(design, values)
    keys: TableKeys = []
    missing_keys: MissingKeys = []
    for table, names in zip(tables, part_types, strict=True):
        for record in records:
            values |= {name: getattr(record, name) for name in names if name not in values and hasattr(record, name)}
        layout = table.key
        missing_parts = [f"{name}=" for name in names if name not in values]
        given, reasons = _given_parts(layout, values)
        if missing_parts:
            reasons = [f"needs {' '.join(missing_parts)}{why}", *reasons]
        elif not reasons:
            try:
                keys.append((table, layout.encode(layout.key_class(*(part.value for part in given)))))
            except InvalidKey as error:
                reasons = [str(error)]
        if reasons:
            missing_keys.append(MissingKey(table, "; ".join(reasons), given, typed.isdisjoint(names)))
    return keys, sorted(missing_keys, key=lambda missing: missing.distance)


def _check_value(design: Design, name: str, value: Any) -> None:
    """Raises WrongUsage, in the words of a record's validator, if the records that have this field refuse the value."""
    refusals: list[str] = []
    for load in design.loads:
        fields: dict[str, Any] = attrs.fields_dict(load.record)
        field = fields.get(name)
        if field is None:
            continue
        try:
            if field.validator is not None and field.converter is None:
                field.validator(object.__new__(load.record), field, value)
        except AttributeError:  # it compares the value with other fields
            return
        except (TypeError, ValueError) as error:
            refusals.append(message_of(error))
        else:
            return
    if refusals:
        raise WrongUsage(refusals[0])


def _given_parts(layout: KeyLayout[Any], values: Mapping[str, Any]) -> tuple[tuple[Segment, ...], list[str]]:
    """The parts of a key whose values are given and valid, and what is wrong with the other values."""
    given: list[Segment] = []
    reasons: list[str] = []
    for part in layout.parts:
        if part.name in values:
            try:
                share = layout.share(part, values[part.name])
                given.append(Segment(part.name, layout.encode_part(part, share), share, part.meaning))
            except InvalidKey as error:
                reasons.append(str(error))
    return tuple(given), reasons


def read_key(text: str, form: KeyForm) -> bytes:
    """The row key that `--key` gives."""
    row = read_bytes("--key", text, form)
    if not row:
        raise WrongUsage(f"--key: must be {WANTED[form]} (got {shown(text)})")
    if len(row) > MAX_ROW_BYTES:
        raise CommandFailed(f"--key: a row key has 1..{MAX_ROW_BYTES} bytes (got {len(row)})")
    return row


def decode_key(tables: Iterable[TableLayout[Any, Any]], row: bytes) -> tuple[TableKeys, MissingKeys]:
    """The tables in which these bytes are a row key, the likeliest first; for each other table why they are not."""
    keys: TableKeys = []
    missing_keys: MissingKeys = []
    for table in tables:
        try:
            table.key.decode(row)
            keys.append((table, row))
        except InvalidKey as error:
            reason = str(error).removesuffix(f" of row {shown_bytes(row)}")  # which the user has just typed
            parts = _decoded_parts(table.key, row)
            missing_keys.append(MissingKey(table, reason, parts, is_foreign=not parts))
    return by_likelihood(keys), sorted(missing_keys, key=lambda missing: missing.distance)


def decode_forms(tables: Collection[TableLayout[Any, Any]], rows: Mapping[KeyForm, bytes]) -> Decoded:
    """What a key is in each form that it may have."""
    return {form: decode_key(tables, row) for form, row in rows.items()}


def _decoded_parts(layout: KeyLayout[Any], row: bytes) -> tuple[Segment, ...]:
    """The parts of a row before the first one that does not decode."""
    parts: list[Segment] = []
    rest = row[layout.prefix_bytes :]
    for part in layout.parts:
        try:
            value, after = part.codec.decode_first(rest)
        except InvalidKey:
            break
        if after == rest:  # a text of no bytes, at the end of a row that is too short
            break
        parts.append(Segment(part.name, rest[: len(rest) - len(after)], value, part.meaning))
        rest = after
    return tuple(parts)


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
