"""Running a plan on a happybase table: rows in key order, and pages with a cursor.

A plan with one stream is one range after another; with several (one for each bucket of a spreading prefix) it is a
merge by the key after that prefix, and a limit holds after the merge. Rows are fetched in batches of each stream, of up
to 1,000 (in reverse one more), and about `held_rows` of them are held at a time, however long the answer is.
"""

import base64
import binascii
import heapq
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from hashlib import blake2b
from itertools import islice
from operator import itemgetter
from typing import Any, Generic, TypeVar

import attrs
import happybase

from .cells import InvalidRow
from .keys import MAX_ROW_BYTES, InvalidKey, InvalidQuestion, KeyLayout, Plan, RowRange, matcher, next_row
from .keys.errors import message_of, shown
from .server_filters import ServerFilter

R = TypeVar("R")
Rows = Generator[tuple[bytes, dict[bytes, bytes]], None, None]
"""Row key and cells of one row after another; closing it closes the scanners."""

MAX_LIMIT = 1_000_000
"""Rows that a limit can ask for; Thrift counts in 32 bits, and a page holds its records in memory."""
BATCH_ROWS = 1000
"""Rows fetched at a time of one stream where no limit asks for less; happybase's own default."""
HELD_ROWS = 16_000
"""About how many rows of all streams are held at a time: up to sixteen streams are read in whole batches."""
WHERE_HELD_ROWS = 100
"""Rows held at a time, at least, if a `where` or `on_invalid` may leave some out."""
READ_AT_MOST = 10_000
"""Rows that one page reads before it ends short, where a `where` keeps few of them; and the most that are sorted."""


def scan(
    table: happybase.Table,
    plan: Plan,
    *,
    limit: int | None = None,
    reverse: bool = False,
    held_rows: int = HELD_ROWS,
    filter: ServerFilter | None = None,
) -> Rows:
    """The rows of a plan as (row, cells), in the order of the key after its spreading prefix; at most `limit`.

    About `held_rows` of all streams are held at a time. With a filter, only those that it lets through come; the server
    reads all the others too.
    """
    if limit is not None:
        _check_count("limit", limit)
        held_rows = min(held_rows, limit)
    return _merged(table, plan, limit, reverse, held_rows, filter)


def _merged(
    table: happybase.Table,
    plan: Plan,
    limit: int | None,
    reverse: bool,
    held_rows: int,
    filter: ServerFilter | None = None,
) -> Rows:
    if plan.point is not None:
        if filter is not None:  # Thrift1's get knows none
            yield from table.scan(plan.point, next_row(plan.point), filter=filter.text)
        elif cells := table.row(plan.point):
            yield plan.point, cells
        return
    share = min(-(-held_rows // max(1, len(plan.streams))), BATCH_ROWS)
    read = partial(table.scan, filter=None if filter is None else filter.text)
    with ExitStack() as opened:
        streams = [opened.enter_context(closing(_stream(read, each, reverse, share))) for each in plan.streams]
        found = streams[0] if len(streams) == 1 else _in_order(streams, plan, reverse)
        yield from islice(found, limit)


def _in_order(streams: Iterable[Rows], plan: Plan, reverse: bool) -> Iterator[tuple[bytes, dict[bytes, bytes]]]:
    return heapq.merge(*streams, key=lambda found: found[0][plan.spread_bytes :], reverse=reverse)


def _stream(read: Callable[..., Rows], ranges: tuple[RowRange, ...], reverse: bool, batch_rows: int) -> Rows:
    for each in reversed(ranges) if reverse else ranges:
        with closing((_reversed if reverse else _forward)(read, each, batch_rows)) as rows:
            yield from rows


def _forward(read: Callable[..., Rows], each: RowRange, batch_rows: int) -> Rows:
    return read(each.start, each.stop, batch_size=batch_rows)


def _reversed(read: Callable[..., Rows], each: RowRange, batch_rows: int) -> Rows:
    # Thrift1 reads (stop, start] in reverse, and a range is [start, stop): open at its stop and drop that row, go on
    # to a key somewhere below its start, and end at the first row that is below it.
    with closing(read(each.stop or b"", _below(each.start), reverse=True, batch_size=batch_rows + 1)) as rows:
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


@attrs.frozen
class Page(Generic[R]):
    """Some of an answer, and where it goes on."""

    records: list[R]
    cursor: str | None
    """Asks for the next page of the same question, which a `where` may leave empty; None where the end was reached."""
    rows_read: int
    """Rows read for this page: more than `records` if a `where` or `on_invalid` left some out."""
    by_client: tuple[str, ...] = ()
    """What the ranges did not do: the attributes that `where` compared, and `order` where the rows were sorted."""
    by_server: tuple[str, ...] = ()
    """The attributes that a filter compared, on the server: it read more rows than it sent."""


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

    `where` is what the key cannot bound, compared with attributes of the decoded record: values, `between(...)` or
    `starting_with(...)`. `limit` counts what it keeps, and a page that has read `read_at_most` rows for it ends short,
    with a cursor. Every row there from the first page to the last comes exactly once, whatever is inserted or deleted
    between pages. A damaged cursor, or one of another question (table, ranges, direction, `where`), is an
    `InvalidQuestion`. `decode` is a `TableDesign.record`, or a function like it.

    A row that is not a record of this table is raised as an `InvalidRow`. With `on_invalid` that function is called
    with it instead, the row is left out, and the page reads on until it has `limit` records or the plan ends; with a
    `where`, such rows count towards `read_at_most`.

    A `filter` compares on the server. It spares the client all rows that it holds back, but nobody bounds their number:
    a page that finds few reads the whole plan, in calls that may take longer than the connection waits.

    Records come in the order of the table's key, or in the `order` of another key layout of the same records. For that
    every page reads the whole plan, and reports its invalid rows; more than `read_at_most` rows are an
    `InvalidQuestion`.
    """
    _check_count("limit", limit)
    _check_count("read_at_most", read_at_most)
    conditions = sorted((where or {}).items())
    _check_writable(conditions)
    question = partial(_question, table, plan, conditions, reverse, order, filter)
    position = None if cursor is None else _position(cursor, question())
    read = _Reader(table, decode, conditions, filter, on_invalid)
    if order is not None:
        kept = _sorted(read, plan, order, reverse, position, limit, read_at_most)
    else:
        kept = _in_key_order(read, plan, reverse, position, limit, read_at_most)
    records, end = kept
    by_client = tuple(name for name, _ in conditions) + ("order",) * (order is not None)
    by_server = () if filter is None else filter.names
    return Page(records, None if end is None else _cursor(end, question()), read.rows, by_client, by_server)


class _Reader(Generic[R]):
    """Decodes rows of a table, counts them, and keeps the records that are asked for."""

    def __init__(
        self,
        table: happybase.Table,
        decode: Callable[[bytes, dict[bytes, bytes]], R],
        conditions: Sequence[tuple[str, Any]],
        filter: ServerFilter | None,
        on_invalid: Callable[[InvalidRow], None] | None,
    ) -> None:
        self.table = table
        self.conditions = conditions
        self._tests = [(name, asked, matcher(asked)) for name, asked in conditions]
        self.rows = 0
        self._filter = filter
        self._decode = decode
        self.on_invalid = on_invalid

    def merged(self, plan: Plan, limit: int | None, reverse: bool, held_rows: int) -> Rows:
        return _merged(self.table, plan, limit, reverse, held_rows, self._filter)

    @property
    def leaves_out(self) -> bool:
        """Whether a page may have to read more rows than it has records."""
        return bool(self.conditions) or self.on_invalid is not None

    def kept(self, row: bytes, cells: dict[bytes, bytes]) -> list[R]:
        """The record of a row, or nothing if it is left out."""
        self.rows += 1
        try:
            record = self._decode(row, cells)
        except InvalidRow as error:
            invalid = error
        except ValueError as error:
            invalid = InvalidRow(self.table.name.decode(errors="replace"), row, message_of(error))
            invalid.__cause__ = error
        else:
            return [record] if self._keeps(record) else []
        if self.on_invalid is None:
            raise invalid
        self.on_invalid(invalid)
        return []

    def _keeps(self, record: R) -> bool:
        for name, asked, fits in self._tests:
            try:
                if not fits(getattr(record, name)):
                    return False
            except (TypeError, AttributeError, RecursionError):
                raise _incomparable(record, name, asked) from None
        return True


def _in_key_order(
    read: _Reader[R], plan: Plan, reverse: bool, position: bytes | None, limit: int, read_at_most: int
) -> tuple[list[R], bytes | None]:
    """The records that come next, and the position of the last row read if there may be more."""
    records: list[R] = []
    # One row more than wanted tells whether there is a next page.
    wanted = None if read.leaves_out else limit + 1
    held_rows = min(max(limit + 1, WHERE_HELD_ROWS if read.leaves_out else 1), HELD_ROWS)
    if read.conditions:
        held_rows = min(held_rows, read_at_most + 1)
    with closing(read.merged(_after(plan, position, reverse), wanted, reverse, held_rows)) as rows:
        for row, cells in rows:
            at = row[plan.spread_bytes :]
            is_full = len(records) == limit or (read.conditions and read.rows >= read_at_most)
            # An invalid row may differ from a record in its bucket only, and the next page starts after both.
            if is_full and (read.on_invalid is None or at != position):
                return records, position
            position = at
            records += read.kept(row, cells)
    return records, None


def _sorted(
    read: _Reader[R],
    plan: Plan,
    order: KeyLayout[Any],
    reverse: bool,
    position: bytes | None,
    limit: int,
    read_at_most: int,
) -> tuple[list[R], bytes | None]:
    """As `_in_key_order`, in the order of another key: of all rows of the plan, the first after the position."""
    placed = _placed(read, plan, order, read_at_most)
    if position is not None:
        last = _pair(position)
        placed = (each for each in placed if (each[:2] < last if reverse else each[:2] > last))
    pick = heapq.nlargest if reverse else heapq.nsmallest
    found = pick(limit + 1, placed, key=itemgetter(0, 1))
    records = [record for _at, _row, record in found[:limit]]
    return records, _joined(*found[limit - 1][:2]) if len(found) > limit else None


def _placed(read: _Reader[R], plan: Plan, order: KeyLayout[Any], read_at_most: int) -> Iterator[tuple[bytes, bytes, R]]:
    """Every record to be kept, behind its key in another order and the row that tells apart what is equal there."""
    with closing(read.merged(plan, read_at_most + 1, False, min(HELD_ROWS, read_at_most + 1))) as rows:
        for row, cells in rows:
            if read.rows == read_at_most:
                raise InvalidQuestion(
                    f"a sorted page reads all rows of its ranges, and they hold more than {read_at_most}: "
                    "ask for what the key binds"
                )
            for record in read.kept(row, cells):
                try:
                    at = order.row_of(record)[order.spread_bytes :]
                except InvalidKey as error:
                    raise InvalidQuestion(f"order: {error}") from None
                yield at, row[plan.spread_bytes :], record


def _joined(at: bytes, row: bytes) -> bytes:
    """The place of a record as one position."""
    return len(at).to_bytes(2, "big") + at + row


def _pair(position: bytes) -> tuple[bytes, bytes]:
    end = 2 + int.from_bytes(position[:2], "big")
    return position[2:end], position[end:]


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
            above = next_row(at)
            left = [] if above is None else [RowRange(max(each.start, above), each.stop) for each in ranges]
        if open_ := tuple(each for each in left if each.stop is None or each.start < each.stop):
            streams.append(open_)
    return Plan(tuple(streams), plan.spread_bytes)


# A cursor is, in URL-safe base64: a digest of the question, a check sum of all the rest, and the position.
_DIGEST_BYTES = 8
_CHECK_BYTES = 4


def _question(
    table: happybase.Table,
    plan: Plan,
    conditions: list[tuple[str, Any]],
    reverse: bool,
    order: KeyLayout[Any] | None,
    filter: ServerFilter | None,
) -> bytes:
    by = None if order is None else (order.time_bucket, [(part.name, part.codec) for part in order.parts])
    asked = repr((table.name, plan.streams, plan.spread_bytes, conditions, reverse, by, filter and filter.text))
    return blake2b(asked.encode(), digest_size=_DIGEST_BYTES).digest()


def _cursor(position: bytes, question: bytes) -> str:
    check = blake2b(question + position, digest_size=_CHECK_BYTES).digest()
    return base64.urlsafe_b64encode(question + check + position).rstrip(b"=").decode()


def _position(cursor: str, question: bytes) -> bytes:
    if type(cursor) is not str:
        raise InvalidQuestion(f"cursor: must be text (got {shown(cursor)})")
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    asked, position = data[:_DIGEST_BYTES], data[_DIGEST_BYTES + _CHECK_BYTES :]
    if _cursor(position, asked) != cursor:
        raise InvalidQuestion(f"cursor: is damaged (got {shown(cursor)}); ask again without it")
    if asked != question:
        raise InvalidQuestion("cursor: belongs to another question; ask with the same values, or without it")
    return position


def _check_count(name: str, count: int) -> None:
    if type(count) is not int or not 1 <= count <= MAX_LIMIT:
        raise InvalidQuestion(f"{name}: must be 1..{MAX_LIMIT} (got {shown(count)})")


def _check_writable(conditions: Iterable[tuple[str, Any]]) -> None:
    """What is asked for can be written, because a cursor holds a digest of it."""
    for name, asked in conditions:
        try:
            repr(asked)
        except (ValueError, RecursionError):
            wanted = "must be a value that a cursor can hold"
            raise InvalidQuestion(f"where: {name}: {wanted} (got {shown(asked)})") from None


def _incomparable(record: object, name: str, asked: Any) -> InvalidQuestion:
    if not hasattr(record, name):
        return InvalidQuestion(f"where: {type(record).__name__} has no {name}")
    given = shown(getattr(record, name))  # to an interval or a beginning of another type
    return InvalidQuestion(f"where: {name} is {given}, which cannot be compared with {shown(asked)}")
