"""What a question reads in a table whose rows are the keys of the samples, under a changed layout.

A store in memory holds these keys, each with a marker, so that pages, costs and order come from a store.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import attrs

from shared import keys
from shared.designs.counting import metered
from shared.designs.ruler import show_value
from shared.designs.scratch import scratch_store
from shared.exhibit.range_words import range_words
from shared.keys import InvalidKey, InvalidQuestion, KeyLayout, Slice
from shared.keys.conditions import is_one_value, matcher
from shared.keys.errors import message_of
from shared.keys.parts import Part
from shared.keys.ranges import Plan, RowRange
from shared.keys.slice_codecs import share_codec
from shared.queries import Query
from shared.tables import BoundTable, InvalidRow, RecordCells, TableLayout
from shared.tables.record_cells import MARKER_VALUE

from .changed_keys import Table, with_changes
from .open_designs import open_design

PAGE = 10
"""The records of a page."""

Conditions = Mapping[str, Any]


@attrs.frozen(eq=False)
class Question:
    """The conditions of a question on parts of the key, and what is done beyond them."""

    conditions: Conditions
    compared: tuple[str, ...] = ()
    """The attributes that the client compares."""
    filtered: tuple[str, ...] = ()
    """The attributes that a filter of the server compares."""
    declared: KeyLayout[Any] | None = None
    """The declared key, in whose direction a question of the design is answered; None for a question of a reader."""


@attrs.frozen(eq=False)
class StoredKeys:
    """A table and the keys of its rows; `connection` is None if a row holds many records."""

    table: Table
    keys: list[Any]
    connection: Any

    def answer(self, question: Question, cursor: str | None) -> dict[str, Any]:
        """What a question reads, and a page of it; or why the layout refuses it.

        A refused question is also `narrowed`: what is read if the client compares the rest.
        """
        layout, conditions = self.table, question.conditions
        if not conditions:
            return self._read(layout.whole_table(), question, cursor)
        try:
            return self._read(layout.plan(**conditions), question, cursor)
        except InvalidQuestion as error:
            refused = {"refused": message_of(error)}
        try:
            narrowed = layout.narrow(**conditions)
        except InvalidQuestion:
            narrowed = layout.whole_table()
            question = attrs.evolve(question, compared=(*question.compared, *conditions))
        return refused | {"narrowed": self._read(narrowed, question, cursor)}

    def _read(self, plan: Plan, question: Question, cursor: str | None) -> dict[str, Any]:
        compared = sorted({*plan.residual, *question.compared} - {"order"})
        counted = self.count(plan.ranges, question.conditions) | {"compared": compared, "filtered": question.filtered}
        are_in_key = all(name in self.table.key.part_named for name in (*compared, *question.filtered))
        return counted | self._page(plan, question, cursor) if are_in_key and self.connection is not None else counted

    def count(self, ranges: Sequence[RowRange], conditions: Conditions) -> dict[str, Any]:
        """The ranges, and how many of the rows are in them; of these, how many match as far as keys tell."""
        layout = self.table.key
        matches = self._matcher(conditions)
        found: dict[bytes, Any] = {}
        lost: list[str] = []
        for key in self.keys:
            row = layout.row_of(key)
            if row in found and _values(found[row]) != _values(key):
                lost.append(f"({_values(key)}) overwrites ({_values(found[row])}): both have the same row key")
            found[row] = key
        read = {row: key for row, key in found.items() if any(row in rows for rows in ranges)}
        return {
            "ranges": [{"start": rows.start, "stop": rows.stop, "words": range_words(rows, layout)} for rows in ranges],
            "rows": len(found),
            "lost": lost,
            "read": len(read),
            "matching": sum(map(matches, read.values())),
            "misread": [*filter(None, (_misread(layout, row, key) for row, key in read.items()))],
            "disordered": _disordered(layout, found),
        }

    def _matcher(self, conditions: Conditions) -> Callable[[Any], bool]:
        parts = self.table.key.part_named
        tests = [
            (name, matcher(condition))
            for name, condition in conditions.items()
            if name in parts and not isinstance(share_codec(parts[name].codec), Slice)
        ]
        return lambda key: all(matches(getattr(key, name)) for name, matches in tests)

    def _page(self, plan: Plan, question: Question, cursor: str | None) -> dict[str, Any]:
        """A page of the rows, as the store returns them."""
        conditions = question.conditions
        compared = {name: condition for name, condition in conditions.items() if name not in plan.conditions}
        query = Query(BoundTable(self.connection, self.table), plan).where(**compared).on_invalid(_leave_out)
        present, declared = (_first_open(layout, conditions) for layout in (self.table.key, question.declared))
        is_reverse = False
        if present is not None and declared is not None and present.name == declared.name:
            is_reverse = present.codec.descending != declared.codec.descending
            query = query.newest_first(declared.codec.descending) if is_reverse else query
        with metered(self.connection) as cost:
            page = query.page(PAGE, cursor)
        names = self.table.key.part_named
        return {
            "page": [{name: show_value(name, getattr(key, name)) for name in names} for key in page.records],
            "is_reverse": is_reverse,
            "page_read": cost.rows_read,
            "page_rpcs": cost.rpcs,
            "cursor": page.cursor,
        }


def _leave_out(_row: InvalidRow) -> None:
    """Leaves out of a page a row that is not read back as a key; `misread` names it."""


def _first_open(layout: KeyLayout[Any] | None, conditions: Conditions) -> Part | None:
    """The first part of a key for which a question gives no single value, by whose values its answer is sorted."""
    parts = () if layout is None else layout.parts
    return next((one for one in parts if not is_one_value(conditions.get(one.name, keys.between()))), None)


def _values(key: Any) -> str:
    """The values of a key as a person reads them."""
    return ", ".join(show_value(name, value) for name, value in attrs.asdict(key, recurse=False).items())


def _misread(layout: KeyLayout[Any], row: bytes, key: Any) -> str:
    """How a row is read back as another key, or why not at all; empty if it is read as it was written."""
    try:
        found = layout.decode(row)
    except InvalidKey as error:
        return message_of(error)
    pairs = ((name, getattr(key, name), getattr(found, name)) for name in layout.part_named)
    return ", ".join(
        f"{name} {show_value(name, put)} is read as {show_value(name, got)}" for name, put, got in pairs if put != got
    )


def _disordered(layout: KeyLayout[Any], found: Mapping[bytes, Any]) -> str:
    """Two neighbours whose bytes are in another order than their values: `seller_id s-17 before s-1`; empty if none."""
    width = sum(prefix.width_bytes for prefix in layout.spread)
    for row, next_row in pairwise(sorted(found)):
        key, next_key = found[row], found[next_row]
        name = next(name for name in layout.part_named if getattr(key, name) != getattr(next_key, name))
        first, second = getattr(key, name), getattr(next_key, name)
        if row[:width] == next_row[:width] and first > second and not layout.part_named[name].codec.ordered:
            return f"{name} {show_value(name, first)} before {show_value(name, second)}"
    return ""


@lru_cache(maxsize=4)
def store_keys(design: str, table: str, changes_and_rows: str) -> StoredKeys:
    """The keys of the samples and a reader's own rows, in a table with changes; both are given as JSON."""
    changes, rows = json.loads(changes_and_rows)
    declared = open_design(design).table(table)
    of_table, layout = open_design(design).all_keys(declared, rows), with_changes(declared, changes)
    if any(isinstance(share_codec(one.codec), Slice) for one in layout.key.parts):
        return StoredKeys(layout, of_table, None)
    with_marker = TableLayout(table, layout.holds, layout.key, RecordCells(layout.key.key_class, {}, marker="f:x"))
    connection = scratch_store([with_marker])
    with connection.table(table).batch() as batch:
        for key in of_table:
            batch.put(layout.key.row_of(key), {b"f:x": MARKER_VALUE})
    return StoredKeys(with_marker, of_table, connection)
