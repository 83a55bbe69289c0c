"""Pages: the records of a plan, some at a time, each page with a cursor that continues after its last row."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from operator import itemgetter
from typing import Any, Generic, TypeVar

import attrs
import happybase

from ..keys.errors import InvalidKey, InvalidQuestion, message_of, shown
from ..keys.layout import KeyLayout
from ..keys.questions import Plan, RowRange, matcher, next_row
from ..tables.errors import InvalidRow
from .cursors import cursor_at, position_of, question_digest
from .scanning import HELD_ROWS, Rows, check_count, merged
from .server_filters import ServerFilter

R = TypeVar("R")

WHERE_HELD_ROWS = 100
"""Rows held at a time, at least, if a `where` or `on_invalid` may leave some out."""
READ_AT_MOST = 10_000
"""Rows that one page reads before it ends short, where a `where` keeps few of them; and the most that are sorted."""


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
    `InvalidQuestion`. `decode` is a `TableLayout.record`, or a function like it.

    A row that is not a record of this table is raised as an `InvalidRow`. With `on_invalid` that function is called
    with it instead, the row is left out, and the page reads on until it has `limit` records or the plan ends; with a
    `where`, such rows count towards `read_at_most`.

    A `filter` compares on the server. It spares the client all rows that it holds back, but nobody bounds their number:
    a page that finds few reads the whole plan, in calls that may take longer than the connection waits.

    Records come in the order of the table's key, or in the `order` of another key layout of the same records. For that
    every page reads the whole plan, and reports its invalid rows; more than `read_at_most` rows are an
    `InvalidQuestion`.
    """
    check_count("limit", limit)
    check_count("read_at_most", read_at_most)
    conditions = sorted((where or {}).items())
    _check_writable(conditions)
    question = partial(question_digest, table, plan, conditions, reverse, order, filter)
    position = None if cursor is None else position_of(cursor, question())
    read = _Reader(table, decode, conditions, filter, on_invalid)
    if order is not None:
        kept = _sorted(read, plan, order, reverse, position, limit, read_at_most)
    else:
        kept = _in_key_order(read, plan, reverse, position, limit, read_at_most)
    records, end = kept
    by_client = tuple(name for name, _ in conditions) + ("order",) * (order is not None)
    by_server = () if filter is None else filter.names
    return Page(records, None if end is None else cursor_at(end, question()), read.rows, by_client, by_server)


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
        return merged(self.table, plan, limit, reverse, held_rows, self._filter)

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
