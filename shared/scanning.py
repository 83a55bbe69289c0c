"""Running a plan on a happybase table: rows in key order, and pages with a cursor.

A plan with one stream is one range after another; with several (one for each bucket of a spreading prefix) it is a
merge by the key after that prefix, and a limit holds after the merge. Rows are fetched in batches of each stream, and
no more than about `batch_rows` of them are held at a time, however long the answer is.
"""

import base64
import binascii
import heapq
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, closing
from hashlib import blake2b
from itertools import islice
from typing import Any, Generic, TypeVar

import attrs
import happybase

from .cells import InvalidRow
from .keys import MAX_ROW_BYTES, InvalidQuestion, Plan, RowRange, successor

R = TypeVar("R")
Rows = Generator[tuple[bytes, dict[bytes, bytes]], None, None]
"""Row key and cells of one row after another; closing it closes the scanners."""

MAX_LIMIT = 1_000_000
"""Rows that a limit can ask for; Thrift counts in 32 bits, and a page holds its records in memory."""
BATCH_ROWS = 1000
"""Rows held where no limit asks for less; happybase's own default."""
WHERE_BATCH_ROWS = 100
"""Rows fetched at a time, at least, where a `where` leaves some out."""
READ_AT_MOST = 10_000
"""Rows that one page reads before it ends short, where a `where` keeps few of them."""


def scan(
    table: happybase.Table, plan: Plan, *, limit: int | None = None, reverse: bool = False, batch_rows: int = BATCH_ROWS
) -> Rows:
    """The rows of a plan as (row, cells), in the order of the key after its spreading prefix; at most `limit`."""
    if limit is not None:
        _check_count("limit", limit)
        batch_rows = min(batch_rows, limit)
    return _merged(table, plan, limit, reverse, batch_rows)


def _merged(table: happybase.Table, plan: Plan, limit: int | None, reverse: bool, batch_rows: int) -> Rows:
    if plan.point is not None:
        if cells := table.row(plan.point):
            yield plan.point, cells
        return
    share = -(-batch_rows // max(1, len(plan.streams)))
    with ExitStack() as opened:
        streams = [opened.enter_context(closing(_stream(table, each, reverse, share))) for each in plan.streams]
        merged = heapq.merge(*streams, key=lambda found: found[0][plan.spread_bytes :], reverse=reverse)
        yield from islice(merged, limit)


def _stream(table: happybase.Table, ranges: tuple[RowRange, ...], reverse: bool, batch_rows: int) -> Rows:
    for each in reversed(ranges) if reverse else ranges:
        with closing((_reversed if reverse else _forward)(table, each, batch_rows)) as rows:
            yield from rows


def _forward(table: happybase.Table, each: RowRange, batch_rows: int) -> Rows:
    return table.scan(each.start, each.stop, batch_size=batch_rows)


def _reversed(table: happybase.Table, each: RowRange, batch_rows: int) -> Rows:
    # Thrift1 reads (stop, start] in reverse, and a range is [start, stop): open at its stop and drop that row, go on
    # to a key somewhere below its start, and end at the first row that is below it.
    with closing(table.scan(each.stop or b"", _below(each.start), reverse=True, batch_size=batch_rows + 1)) as rows:
        for row, cells in rows:
            if row < each.start:
                return
            if row != each.stop:
                yield row, cells


def _below(row: bytes) -> bytes | None:
    """A key not far below `row`, so that a reverse scan does not wander on; None at the table's start.

    61 00 -> 61, the very next below    62 -> 61 ff ff ff ff, with some keys between
    """
    if not row:
        return None
    if row[-1] == 0:
        return row[:-1]
    return row[:-1] + bytes([row[-1] - 1]) + b"\xff" * min(4, MAX_ROW_BYTES - len(row))


def _above(row: bytes) -> bytes | None:
    """The very next key above `row`; None where that is the end of the table."""
    return row + b"\x00" if len(row) < MAX_ROW_BYTES else successor(row)


@attrs.frozen
class Page(Generic[R]):
    """Some of an answer, and where it goes on."""

    records: list[R]
    cursor: str | None
    """Asks for the next page of the same question, which a `where` may leave empty; None where the end was reached."""
    rows_read: int
    """Rows decoded for this page: more than `records` where a `where` left some out."""


def page(
    table: happybase.Table,
    plan: Plan,
    decode: Callable[[bytes, dict[bytes, bytes]], R],
    *,
    limit: int,
    cursor: str | None = None,
    where: Mapping[str, Any] | None = None,
    reverse: bool = False,
    read_at_most: int = READ_AT_MOST,
) -> Page[R]:
    """The next `limit` records of a plan, from the row after `cursor`.

    `where` is equality on attributes of the decoded record, for what the key cannot bound; `limit` counts what it
    keeps, and a page that has read `read_at_most` rows for it ends short, with a cursor. Every row there from the first
    page to the last comes exactly once, whatever is inserted or deleted between pages. A damaged cursor, or one of
    another question (table, ranges, direction, `where`), is an `InvalidQuestion`; a row that is no record of this table
    is an `InvalidRow`. `decode` is a `TableDesign.record`, or a function like it.
    """
    _check_count("limit", limit)
    _check_count("read_at_most", read_at_most)
    conditions = sorted((where or {}).items())
    question = _question(table, plan, conditions, reverse)
    position = None if cursor is None else _position(cursor, question)
    records: list[R] = []
    rows_read = 0
    # One row more than wanted tells whether there is a next page.
    wanted = (read_at_most if conditions else limit) + 1
    batch_rows = min(max(limit + 1, WHERE_BATCH_ROWS if conditions else 1), BATCH_ROWS, wanted)
    rows = _merged(table, _after(plan, position, reverse), wanted, reverse, batch_rows)
    with closing(rows):
        for row, cells in rows:
            if len(records) == limit or (conditions and rows_read == read_at_most):
                return Page(records, None if position is None else _cursor(position, question), rows_read)
            try:
                record = decode(row, cells)
            except InvalidRow:
                raise
            except ValueError as error:
                raise InvalidRow(table.name.decode(errors="replace"), row, error) from error
            rows_read += 1
            position = row[plan.spread_bytes :]
            if all(_field(record, name) == value for name, value in conditions):
                records.append(record)
    return Page(records, None, rows_read)


def _after(plan: Plan, position: bytes | None, reverse: bool) -> Plan:
    """What is left of a plan after the row at `position`, a key without its spreading prefix."""
    if position is None:
        return plan
    streams: list[tuple[RowRange, ...]] = []
    for ranges in plan.streams:
        at = ranges[0].start[: plan.spread_bytes] + position
        if reverse:
            left = [RowRange(each.start, at if each.stop is None else min(each.stop, at)) for each in ranges]
        else:
            above = _above(at)
            left = [] if above is None else [RowRange(max(each.start, above), each.stop) for each in ranges]
        if open_ := tuple(each for each in left if each.stop is None or each.start < each.stop):
            streams.append(open_)
    return Plan(tuple(streams), plan.spread_bytes)


# A cursor is, in URL-safe base64: a digest of the question, a check sum of all the rest, and the position.
_DIGEST_BYTES = 8
_CHECK_BYTES = 4


def _question(table: happybase.Table, plan: Plan, conditions: list[tuple[str, Any]], reverse: bool) -> bytes:
    asked = repr((table.name, plan.streams, plan.spread_bytes, conditions, reverse))
    return blake2b(asked.encode(), digest_size=_DIGEST_BYTES).digest()


def _cursor(position: bytes, question: bytes) -> str:
    check = blake2b(question + position, digest_size=_CHECK_BYTES).digest()
    return base64.urlsafe_b64encode(question + check + position).rstrip(b"=").decode()


def _position(cursor: str, question: bytes) -> bytes:
    if type(cursor) is not str:
        raise InvalidQuestion(f"cursor: must be text (got {cursor!r:.100})")
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    asked, position = data[:_DIGEST_BYTES], data[_DIGEST_BYTES + _CHECK_BYTES :]
    if _cursor(position, asked) != cursor:
        raise InvalidQuestion(f"cursor: is damaged (got {cursor!r:.100}); ask again without it")
    if asked != question:
        raise InvalidQuestion("cursor: belongs to another question; ask with the same values, or without it")
    return position


def _check_count(name: str, count: int) -> None:
    if type(count) is not int or not 1 <= count <= MAX_LIMIT:
        raise InvalidQuestion(f"{name}: must be 1..{MAX_LIMIT} (got {count!r})")


def _field(record: object, name: str) -> Any:
    try:
        return getattr(record, name)
    except AttributeError:
        raise InvalidQuestion(f"where: {type(record).__name__} has no {name}") from None
