"""`rowbook scan`, `get` and `count`: rows of a live table as records. They write nothing."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeAlias

import attrs
import happybase
from rich.console import Console

from ...keys import between
from ...keys.value_codecs import moment_of
from ...queries import Query
from ...queries.scanning import MAX_LIMIT
from ...tables import BoundTable, InvalidRow, TableLayout
from ..named.designs import find_variants
from ..named.options import ALL
from ..named.stores import as_stored, check_table, existing_store
from ..named.typed_values import field_types, number, values_of
from ..rows.bytes_as_text import READ_AS, KeyForm, encoded, forms_of
from ..rows.given_rows import decode_forms, encode_keys, read_key
from ..rows.ranges import shown_row
from ..screen.progress import doing
from ..screen.terminal import count, json_object, line
from ..screen.wrong_usage import CommandFailed, WrongUsage, check_name
from .record_output import RecordOutput

RECORDS_AT_ONCE = 1000
TIMES = ("since_ms", "until_ms")
"""Fields of a condition on the time of a row key, from one time to before another."""

Layout: TypeAlias = TableLayout[Any, Any]


@attrs.define
class Unreadable:
    """The rows, or the cells of rows with many records, that do not hold a record, or none that a line can hold."""

    number: int = 0
    first: InvalidRow | None = None
    unwritten: int = 0
    first_unwritten: str = ""
    """The first record that no line can hold, and why."""

    def add(self, row: InvalidRow) -> None:
        """Counts one."""
        self.number += 1
        self.first = self.first or row

    def add_unwritten(self, reason: str) -> None:
        """Counts a record that no line can hold."""
        self.unwritten += 1
        self.first_unwritten = self.first_unwritten or reason

    def say(self, errors: Console) -> None:
        """Prints how many there are, and the first one; nothing if there are none."""
        if self.first is not None:
            line(errors, f"{count(self.number, 'row')} cannot be read as a record, the first is {self.first}")
        if self.unwritten:
            line(errors, f"{count(self.unwritten, 'record')} cannot be written, the first is {self.first_unwritten}")


def scan(
    output: RecordOutput, errors: Console, name: str, table: str | None, words: list[str], store: str, limit: str
) -> None:
    """Writes the records of a table that meet some conditions, in the order of their keys."""
    table, words = table_and_words(table, words)
    conditions = _conditions(layout_named(name, table), words)
    most = read_limit(limit)
    with _bound(name, store, table) as bound:
        _write(output, errors, bound, conditions, most)


@contextmanager
def reading(
    name: str, store: str, table: str, words: list[str], most: int | None, unreadable: Unreadable
) -> Generator["Read"]:
    """The records of a table that meet some conditions, during the block."""
    conditions = _conditions(layout_named(name, table), words)
    with _bound(name, store, table) as bound:
        yield Read(bound, conditions, most, unreadable)


def get(
    output: RecordOutput,
    errors: Console,
    name: str,
    table: str | None,
    words: list[str],
    store: str,
    limit: str,
    key: str | None,
    form: KeyForm | None,
) -> None:
    """Writes the records of one row, below its key unless the output is for programs."""
    table, words = table_and_words(table, words)
    layout = layout_named(name, table)
    most = read_limit(limit)
    if (key is None) == (not words):
        raise WrongUsage(f"get {name} {layout.name}: give the parts of the row key (FIELD=VALUE ...), or --key KEY")
    if key is None:
        _row_of_words(name, layout, words)  # refuses words that make no key before a store is opened
    given: dict[KeyForm, bytes] = {}
    if key is not None:
        given = {of_key: read_key(key, of_key) for of_key in forms_of([encoded(key)], form)}
    with _bound(name, store, table) as bound:
        rows = _rows_of_key(name, bound, given) if given else [_row_of_words(name, bound.layout, words)]
        for row in rows:
            output.show_key(find_variants(name)[0], bound.layout, row)
        decoded = bound.layout.key.decode(rows[0])
        parts = bound.layout.key.parts
        _write(output, errors, bound, {part.name: getattr(decoded, part.name) for part in parts}, most)


def _row_of_words(name: str, layout: Layout, words: list[str]) -> bytes:
    """The row key that the words make."""
    design, _variants = find_variants(name)
    keys, missing = encode_keys(design, [layout], words)
    if missing:
        raise WrongUsage(f"get {name} {layout.name}: {missing[0].reason}")
    ((_layout, row),) = keys
    return row


def _rows_of_key(name: str, table: BoundTable[Any, Any], given: Mapping[KeyForm, bytes]) -> list[bytes]:
    """The one of the given row keys that the table has a row of; if it has none, those that its layout makes.

    Costs: if the layout makes several, a get for each.
    """
    decoded = decode_forms([table.layout], given)
    possible: list[KeyForm] = [form for form in decoded if decoded[form][0]]
    where = f"get {name} {table.layout.name}"
    if not possible:
        _keys, missing = next(iter(decoded.values()))
        raise CommandFailed(f"{where}: {missing[0].reason}")
    if len(possible) > 1:
        columns = table.layout.cells.columns
        stored: list[KeyForm] = [form for form in possible if table.rows.row(given[form], columns)]
        if len(stored) > 1:
            rows = " and ".join(f"{READ_AS[form]} {shown_row(given[form])}" for form in stored)
            options = " or ".join(f"--form {form}" for form in stored)
            raise WrongUsage(f"{where}: the key is that of two rows, {rows}: give {options}")
        possible = stored or possible
    return [given[form] for form in possible]


def count_records(
    out: Console,
    errors: Console,
    name: str,
    table: str | None,
    words: list[str],
    store: str,
    limit: str,
    *,
    as_json: bool,
) -> None:
    """Writes the number of records of a table that meet some conditions."""
    table, words = table_and_words(table, words)
    layout = layout_named(name, table)
    most = read_limit(limit)
    conditions = _conditions(layout, words)
    unreadable = Unreadable()
    with _bound(name, store, table) as bound:
        read = Read(bound, conditions, most, unreadable)
        records = 0
        with doing(errors, layout.name) as tell:
            for batch in read.batches():
                records += len(batch)
                tell(count(records, "record"))
    if as_json:
        json_object(out, {"table": layout.name, "records": records, "more": read.more, "unreadable": unreadable.number})
        return
    more = f", and more: --limit {ALL} counts them" if read.more else ""
    line(out, f"{layout.name}: {count(records, 'record')}{more}")
    unreadable.say(errors)


def table_and_words(table: str | None, words: list[str]) -> tuple[str | None, list[str]]:
    """The name of a table, and the words after it; None for a name if the first word is a condition."""
    return (None, [table, *words]) if table is not None and "=" in table else (table, words)


def layouts_named(name: str, connection: happybase.Connection | None = None) -> dict[str, Layout]:
    """The layouts of all tables of a variant by name, `TABLE:RECORD` if several share a table."""
    design, (variant, *_others) = find_variants(name)
    if connection is not None:
        variant = as_stored(connection, design, variant)
    layouts: dict[str, Layout] = {}
    for layout in variant.record_tables:
        shared_name = f"{layout.name}:{layout.cells.record.__name__}"
        layouts.setdefault(layout.name if layout.name not in layouts else shared_name, layout)
    return layouts


def layout_named(name: str, table: str | None, connection: happybase.Connection | None = None) -> Layout:
    """The layout of a table, `TABLE:RECORD` if several share the table; with a connection, as its settings say.

    Without a name, the only table of the design.
    """
    layouts = layouts_named(name, connection)
    if table is None and len(layouts) == 1:
        return next(iter(layouts.values()))
    if table is None:
        raise WrongUsage(f"{name}: name a table: one of {', '.join(layouts)}")
    return layouts[check_name(f"table of {name}", table, layouts)]


def read_limit(limit: str) -> int | None:
    """The most records that are read; None for all."""
    return None if limit == ALL else number("--limit", limit, MAX_LIMIT)


def _conditions(layout: Layout, words: Iterable[str]) -> dict[str, Any]:
    """The words `field=value` as conditions; `since=` and `until=` are one on the first time in the row key."""
    types = {**field_types(layout.cells.record), **field_types(layout.key.key_class)}
    time = next((name for name, of in types.items() if name.endswith("_ms") or of is datetime), None)
    values = values_of(words, {**(dict.fromkeys(TIMES, int) if time else {}), **types}, f"field of {layout.name}")
    since_ms, until_ms = (values.pop(name, None) if name not in types else None for name in TIMES)
    if time is not None and (since_ms, until_ms) != (None, None):
        if time in values:
            raise WrongUsage(f"{time}: give either a value, or since_ms= and until_ms=")
        is_datetime = types[time] is datetime
        ends = (moment_of(1000 * end) if is_datetime and end is not None else end for end in (since_ms, until_ms))
        values[time] = between(*ends)
    return values


@contextmanager
def _bound(name: str, url: str, table: str | None) -> Generator[BoundTable[Any, Any]]:
    """The table in a store that exists."""
    with existing_store(url) as connection:
        layout = layout_named(name, table, connection)
        check_table(connection, url, name, layout)
        yield BoundTable(connection, layout)


class Read:
    """The records of a table that meet some conditions, read in batches."""

    def __init__(
        self, table: BoundTable[Any, Any], conditions: Mapping[str, Any], most: int | None, unreadable: Unreadable
    ) -> None:
        parts = {part.name for part in table.layout.key.parts}
        of_key = {name: condition for name, condition in conditions.items() if name in parts}
        others = {name: condition for name, condition in conditions.items() if name not in parts}
        plan = table.narrow(**of_key) if of_key else table.whole_table()
        self._query: Query[Any] = Query(table, plan).where(**others).on_invalid(unreadable.add)
        self._most = most
        self.more = False
        """Whether records remain that were not read, or may; known after the last batch."""

    def batches(self) -> Iterator[list[Any]]:
        """The records, at most as many as the limit says."""
        cursor, left = None, self._most
        while left is None or left > 0:
            wanted = RECORDS_AT_ONCE if left is None else min(left, RECORDS_AT_ONCE)
            page = self._query.page(wanted, cursor)
            records = page.records if left is None else page.records[:left]
            cursor = page.cursor
            left = None if left is None else left - len(records)
            self.more = cursor is not None or len(records) < len(page.records)
            yield records
            if cursor is None:
                return


def _write(
    output: RecordOutput,
    errors: Console,
    table: BoundTable[Any, Any],
    conditions: Mapping[str, Any],
    most: int | None,
) -> None:
    unreadable = Unreadable()
    read = Read(table, conditions, most, unreadable)
    number = 0
    with output.of(table.layout.cells.record) as writer:
        with doing(errors, table.layout.name, beside=None if output.parquet else output.out) as tell:
            for records in read.batches():
                if records:
                    writer.write(records)
                    number += len(records)
                    tell(count(number, "record"))
        writer.finish(read.more, unreadable.number)
    unreadable.say(errors)
