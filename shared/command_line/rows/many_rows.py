"""`rowbook explain --keys`: many row keys, a line for each."""

from collections.abc import Collection
from contextlib import ExitStack
from typing import Any

from rich.console import Console

from ...designs import Variant
from ...designs.ruler import show_value
from ...tables import TableLayout
from ..named.stores import existing_store
from ..screen.terminal import json_object, line
from .bytes_as_text import READ_AS, KeyForm, read_keys
from .given_rows import Decoded, TableKeys, decode_forms, tables_of
from .likely_tables import doubts
from .places import Places
from .ranges import shown_row


def explain_file(
    out: Console,
    name: str,
    variants: tuple[Variant, ...],
    own: Collection[str],
    file: str,
    form: KeyForm | None,
    store: str | None,
    *,
    as_json: bool,
) -> int:
    """Writes for each row key of a file its table, the likeliest one, and its parts; 1 if one is not of the design.

    Of tables that are as likely, only the `own` ones, if there are any.
    """
    tables = tables_of(variants)
    rows: list[dict[str, Any]] = []
    foreign = 0
    with ExitStack() as opened:
        places = None if store is None else Places(opened.enter_context(existing_store(store)))
        for row_in in read_keys(file, form):
            decoded = decode_forms(tables, row_in)
            possible = _stored(decoded, places)
            foreign += not possible
            for of_row in possible or list(decoded)[:1]:
                row, (keys, missing) = row_in[of_row], decoded[of_row]
                if as_json:
                    of_tables = [_key(table, row, places) for table, _row in _likely(keys, places, own)]
                    rows.append({"row": row, "keys": of_tables, **({"form": of_row} if len(possible) > 1 else {})})
                elif keys:
                    read_as = f"  ({READ_AS[of_row]})" if len(possible) > 1 else ""
                    line(out, f"{_line(_likely(keys, places, own), row, places)}{read_as}")
                else:
                    line(out, f"{shown_row(row)}  not a key of {name}: {missing[0].table.name}: {missing[0].reason}")
    if as_json:
        json_object(out, {"rows": rows, "foreign": foreign})
    return 1 if foreign else 0


def _stored(decoded: Decoded, places: Places | None) -> list[KeyForm]:
    """The forms in which a store has the key; if there is only one, or none, those in which some table has it."""
    forms: list[KeyForm] = [form for form in decoded if decoded[form][0]]
    if places is None or len(forms) < 2:
        return forms
    return [form for form in forms if any(_is_stored(places, key) for key in decoded[form][0])] or forms


def _is_stored(places: Places, key: tuple[TableLayout[Any, Any], bytes]) -> bool:
    place = places.of(*key)
    return place is not None and bool(place.is_stored)


def _likely(keys: TableKeys, places: Places | None, own: Collection[str]) -> TableKeys:
    """The keys in the tables that are as likely as the first one; only tables that a store has, if it has any.

    Only the `own` tables, if they are among them.
    """
    there = [key for key in keys if places is None or key[0].name in places.tables] or keys
    fewest = len(doubts(*there[0])) if there else 0
    likely = {table.name: (table, row) for table, row in reversed(there) if len(doubts(table, row)) == fewest}
    names = [name for name in likely if name in own] or [*likely]
    return [likely[name] for name in reversed(names)]


def _line(keys: TableKeys, row: bytes, places: Places | None) -> str:
    (table, _row), *others = keys
    parts = " ".join(f"{part.name}={show_value(part.name, part.value)}" for part in table.key.segments(row))
    place = None if places is None else places.of(table, row, looks=False)
    where = f"  region {place.number} of {place.regions}" if place else ""
    also = f"  (or {', '.join(other.name for other, _row in others)})" if others else ""
    return f"{shown_row(row)}  {table.name}{where}  {parts}{also}"


def _key(table: TableLayout[Any, Any], row: bytes, places: Places | None) -> dict[str, Any]:
    parts = {part.name: part.value for part in table.key.segments(row)}
    place = None if places is None else places.of(table, row, looks=False)
    return {"table": table.name, "parts": parts, "place": None if place is None else place.as_json}
