"""Pages: the records of a plan, some at a time, each page with a cursor that continues after its last row."""

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any, Generic, TypeVar

import attrs
import happybase

from ..keys.errors import InvalidQuestion, shown
from ..keys.layout import KeyLayout
from ..keys.questions import Plan, RowRange, next_row
from ..tables.errors import InvalidRow
from .cursors import decode_cursor, encode_cursor, question_digest
from .record_reader import RecordReader
from .scanning import BUFFER_ROWS, check_count
from .server_filters import ServerFilter
from .sorted_pages import read_sorted

R = TypeVar("R")

READ_AT_MOST = 10_000
"""The most rows that one page reads if its `where` matches few of them, and the most that it sorts."""
SKIPPING_BUFFER_ROWS = 100
"""Rows to buffer, at least, if a page may skip rows: its `limit` does not tell how many rows it needs."""


@attrs.frozen
class Page(Generic[R]):
    """One page of results, and the cursor for the next."""

    records: list[R]
    cursor: str | None
    """Continues the same question on the next page, which a `where` may leave empty; None on the last page."""
    rows_read: int
    """Rows read for this page: more than `records` if a `where` or `on_invalid` left some out."""
    client_work: tuple[str, ...] = ()
    """What the client did beyond reading the ranges: the attributes that it compared, then `order` if it sorted."""
    server_filtered: tuple[str, ...] = ()
    """The attributes that a server-side filter compared: the server read more rows than it sent."""


def page(
    table: happybase.Table,
    plan: Plan,
    decode: Callable[[bytes, dict[bytes, bytes]], R],
    *,
    limit: int,
    cursor: str | None = None,
    where: Mapping[str, Any] | None = None,
    reverse: bool = False,
    order: KeyLayout[Any] | None = None,
    filter: ServerFilter | None = None,
    read_at_most: int = READ_AT_MOST,
    on_invalid: Callable[[InvalidRow], None] | None = None,
) -> Page[R]:
    """The next `limit` records of a plan, from the row after `cursor`.

    `decode` is a `TableLayout.record`, or a function like it.

    `where` holds what the key cannot bound: values, `between(...)` or `starting_with(...)` by attribute, compared with
    every decoded record. `limit` counts the records that match. A page that has read `read_at_most` rows ends short,
    with a cursor.

    Every row that is stored from the first page to the last comes exactly once, whatever is inserted or deleted between
    pages. A cursor that is damaged, or belongs to another question (table, ranges, direction, `where`, `order`,
    `filter`), is an `InvalidQuestion`.

    A row that is not a record of this table is raised as an `InvalidRow`. With `on_invalid`, that function is called
    with the error instead, the row is left out, and the page reads on until it has `limit` records or the plan ends;
    with a `where`, such rows count towards `read_at_most`.

    A `filter` compares on the server and spares the client the rows that it drops, but their number has no bound: a
    page that finds few records reads the whole plan, in calls that may last longer than the connection's timeout.

    Records come in the order of the table's key, or in the `order` of another key layout of the same records. To sort
    them, every page reads the whole plan and reports all its invalid rows; a plan of more than `read_at_most` rows is
    an `InvalidQuestion`.
    """
    check_count("limit", limit)
    check_count("read_at_most", read_at_most)
    conditions = sorted((where or {}).items())
    _check_writable(conditions)
    digest = partial(question_digest, table, plan, conditions, reverse, order, filter)
    position = None if cursor is None else decode_cursor(cursor, digest())
    reader = RecordReader(table, decode, conditions, filter, on_invalid)
    if order is None:
        records, last = _read_in_key_order(reader, plan, reverse, position, limit, read_at_most)
    else:
        records, last = read_sorted(reader, plan, order, reverse, position, limit, read_at_most)
    return Page(
        records,
        None if last is None else encode_cursor(last, digest()),
        reader.rows_read,
        client_work=tuple(name for name, _ in conditions) + ("order",) * (order is not None),
        server_filtered=() if filter is None else filter.attributes,
    )


def _check_writable(conditions: list[tuple[str, Any]]) -> None:
    """Checks that every condition has a `repr`, because a cursor holds a digest of it."""
    for name, wanted in conditions:
        try:
            repr(wanted)
        except (ValueError, RecursionError):
            raise InvalidQuestion(
                f"where: {name}: must be a value that a cursor can hold (got {shown(wanted)})"
            ) from None


def _read_in_key_order(
    reader: RecordReader[R], plan: Plan, reverse: bool, position: bytes | None, limit: int, read_at_most: int
) -> tuple[list[R], bytes | None]:
    """The next `limit` records after `position`, and the position of the last row read if more may follow."""
    records: list[R] = []
    # One row more than the limit tells whether there is a next page.
    row_limit = None if reader.may_skip_rows else limit + 1
    buffer_rows = min(max(limit + 1, SKIPPING_BUFFER_ROWS if reader.may_skip_rows else 1), BUFFER_ROWS)
    if reader.conditions:
        buffer_rows = min(buffer_rows, read_at_most + 1)
    with closing(reader.rows(_plan_after(plan, position, reverse), row_limit, reverse, buffer_rows)) as rows:
        for row, cells in rows:
            row_position = row[plan.spread_bytes :]
            is_full = len(records) == limit or (reader.conditions and reader.rows_read >= read_at_most)
            # An invalid row may differ from a record in its bucket only, and the next page starts after both.
            if is_full and (reader.on_invalid is None or row_position != position):
                return records, position
            position = row_position
            records += reader.matching(row, cells)
    return records, None


def _plan_after(plan: Plan, position: bytes | None, reverse: bool) -> Plan:
    """The part of a plan after the row at `position`, a key without its spreading prefix."""
    if position is None:
        return plan
    streams: list[tuple[RowRange, ...]] = []
    for ranges in plan.streams:
        row = ranges[0].start[: plan.spread_bytes] + position
        if reverse:
            following = [
                RowRange(range_.start, row if range_.stop is None else min(range_.stop, row)) for range_ in ranges
            ]
        else:
            start = next_row(row)
            following = [] if start is None else [RowRange(max(range_.start, start), range_.stop) for range_ in ranges]
        if stream := tuple(range_ for range_ in following if range_.stop is None or range_.start < range_.stop):
            streams.append(stream)
    return Plan(tuple(streams), plan.spread_bytes)
