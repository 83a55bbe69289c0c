"""Pages: the records of a question, some at a time, each page with a cursor that continues after its last record."""

from collections.abc import Callable
from contextlib import closing
from itertools import islice
from typing import Any, Generic, TypeVar

import attrs

from ..tables.errors import InvalidRow
from .cursors import decode_cursor, digest_of, encode_cursor
from .record_reader import Question, RecordReader
from .scanning import BUFFER_ROWS, check_count
from .sorted_pages import read_sorted

R = TypeVar("R")

READ_AT_MOST = 10_000
"""The most that one page reads if it may skip rows, and the most that it sorts: rows, or cells of rows with many
records."""
SKIPPING_BUFFER_ROWS = 100
"""Rows to buffer, at least, if the client compares rows: the `limit` of a page does not tell how many rows it needs."""


@attrs.frozen
class Page(Generic[R]):
    """One page of results, and the cursor for the next."""

    records: list[R]
    cursor: str | None
    """Continues the same question on the next page, which may be empty; None on the last page."""
    rows_read: int
    """Rows read for this page, or cells of rows with many records: more than `records` if some were left out."""
    client_work: tuple[str, ...] = ()
    """What the client did beyond reading the ranges: the attributes that it compared, then `order` if it sorted."""
    server_filtered: tuple[str, ...] = ()
    """The attributes that a server-side filter compared: the server read more rows than it sent."""


def read_page(
    question: Question[R],
    limit: int,
    cursor: str | None = None,
    on_invalid: Callable[[InvalidRow], None] | None = None,
    *,
    read_at_most: int = READ_AT_MOST,
    buffer_rows: int = BUFFER_ROWS,
) -> Page[R]:
    """The next `limit` records of a question, from the record after `cursor`; see `Query.page`.

    The streams of a plan buffer at most about `buffer_rows` rows.
    """
    check_count("limit", limit)
    check_count("read_at_most", read_at_most)
    reader = RecordReader(question, on_invalid)
    digest = None if cursor is None else digest_of(question)
    position = None if cursor is None or digest is None else decode_cursor(cursor, digest)
    if question.order is not None:
        records, last = read_sorted(reader, question.order, position, limit, read_at_most)
    elif reader.takes_all_rows:
        records, last = _read_all_rows(reader, position, limit, min(limit + 1, buffer_rows))
    else:
        records, last = _read_in_key_order(reader, position, limit, read_at_most, buffer_rows)
    return Page(
        records,
        None if last is None else encode_cursor(last, digest or digest_of(question)),
        reader.read,
        client_work=client_work(question),
        server_filtered=() if question.server is None else question.server.attributes,
    )


def client_work(question: Question[Any]) -> tuple[str, ...]:
    """The attributes that the client compares, each once, then `order` if it sorts."""
    return (*dict.fromkeys(name for name, _ in question.conditions), *(("order",) if question.order else ()))


def _read_all_rows(
    reader: RecordReader[R], position: tuple[bytes, ...] | None, limit: int, wanted: int
) -> tuple[list[R], tuple[bytes, ...] | None]:
    """What `_read_in_key_order` returns, in less time for each row, if every row is a record of the answer."""
    records: list[R] = []
    stored: Any = None
    record_of = reader.question.layout.record
    with closing(reader.stored(position, limit + 1, wanted, reader.question.reverse)) as rows:
        for stored in islice(rows, limit):
            row, cells = stored
            try:
                records.append(record_of(row, cells))
            except ValueError as error:
                reader.report(stored, error)
        reader.read = len(records)
        return records, None if next(rows, None) is None else reader.position(stored)


def _read_in_key_order(
    reader: RecordReader[R], position: tuple[bytes, ...] | None, limit: int, read_at_most: int, buffer_rows: int
) -> tuple[list[R], tuple[bytes, ...] | None]:
    """The next `limit` records after `position`, and the position of the last one read if more may follow."""
    records: list[R] = []
    may_skip = reader.may_skip
    # One more than the limit tells whether there is a next page.
    read_limit = None if may_skip else limit + 1
    wanted = min(max(limit + 1, SKIPPING_BUFFER_ROWS if reader.question.conditions else 1), buffer_rows)
    if may_skip:
        wanted = min(wanted, read_at_most + 1)
    last: Any = None
    with closing(reader.stored(position, read_limit, wanted, reader.question.reverse)) as read:
        for stored in read:
            if len(records) >= limit or (may_skip and reader.read >= read_at_most):
                return records, None if last is None else reader.position(last)
            last = stored
            records += reader.matching(stored)
    return records, None
