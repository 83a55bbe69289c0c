"""Pages: some of a question's records at a time, each page with a cursor that continues after its last record."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import attrs

from ..tables.errors import InvalidRow
from .cursors import decode_cursor, digest_of, encode_cursor
from .record_reader import RecordReader, Request
from .scanning import BUFFER_ROWS, check_count

R = TypeVar("R")

READ_AT_MOST = 10_000
"""The most that one page reads if it may skip rows, and the most that it sorts: rows, or cells of rows with many
records."""


@attrs.frozen
class Page(Generic[R]):
    """One page of results, and the cursor for the next."""

    records: list[R]
    cursor: str | None
    """Continues the same question on the next page, which may be empty; None on the last page."""
    rows_read: int
    """Rows read, or cells of rows with many records, also if left out; in key order without the row after the page."""
    client_work: tuple[str, ...] = ()
    """The client's work beyond reading the ranges: the attributes that it compared, then `order` if it sorted."""
    server_filtered: tuple[str, ...] = ()
    """The attributes that a server-side filter compared: the server read more rows than it sent."""
    unknown: tuple[InvalidRow, ...] = ()
    """The rows of this page that are not in `records`, because a later release has written them: with a name of a
    `Code`, or a value of a `Literal`, that this release does not know."""


def read_page(
    request: Request[R],
    limit: int,
    cursor: str | None = None,
    on_invalid: Callable[[InvalidRow], None] | None = None,
    on_unknown: Callable[[InvalidRow], None] | None = None,
    *,
    read_at_most: int = READ_AT_MOST,
    buffer_rows: int = BUFFER_ROWS,
) -> Page[R]:
    """The next `limit` records of a question, from the record after `cursor`; see `Query.page`.

    The streams of a plan buffer at most about `buffer_rows` rows.
    """
    check_count("limit", limit)
    check_count("read_at_most", read_at_most)
    reader = RecordReader(request, on_invalid, on_unknown)
    digest = None if cursor is None else digest_of(request)
    position = None if cursor is None or digest is None else decode_cursor(cursor, request, digest)
    if request.order is not None:
        from .sorted_pages import read_sorted  # a page in the order of its table does not need it

        records, last = read_sorted(reader, request.order, position, limit, read_at_most)
    else:
        records, last = reader.in_key_order(position, limit, read_at_most, buffer_rows)
    return Page(
        records,
        None if last is None else encode_cursor(last, digest or digest_of(request)),
        reader.read,
        client_work=client_work(request),
        server_filtered=() if request.server is None else request.server.attributes,
    )


def client_work(request: Request[Any]) -> tuple[str, ...]:
    """The attributes that the client compares, each once, then `order` if it sorts."""
    return (*dict.fromkeys(name for name, _ in request.conditions), *(("order",) if request.order else ()))
