"""What a query would do, told without reading anything."""

from typing import Any

import attrs

from ..keys.ranges import RowRange
from .pages import client_work
from .record_reader import Question
from .scanning import BUFFER_ROWS, batch_size


@attrs.frozen
class Explanation:
    """The ranges of a question, the work beyond them, and the RPCs of its first page."""

    stored_in: bytes
    """The table in the store, with the connection's prefix."""
    ranges: tuple[RowRange, ...]
    """In the order of the streams; `RowRange.parts` are the values that a range binds."""
    streams: int
    """Ranges that are read side by side and merged: one for each bucket, or for each value of a merged `any_of`."""
    reverse: bool
    client_work: tuple[str, ...]
    """The attributes that the client compares, then `order` if it sorts."""
    server_filtered: tuple[str, ...]
    """The attributes that a server-side filter compares."""
    is_wide: bool
    """Whether a row may hold any number of records, so that it is read in parts."""
    rpcs: int
    """RPCs of the first page."""
    is_exact: bool
    """Whether these are all RPCs of a page that the first range fills; otherwise they are the least that it needs."""


def explain(question: Question[Any], limit: int, *, looks_up: bool) -> Explanation:
    """The explanation of a question's first page of `limit` records; `looks_up` if a second lookup follows it."""
    plan, work = question.plan, client_work(question)
    ranges = plan.ranges
    is_exact = not (work or looks_up or question.is_wide or len(plan.streams) > 1)
    if plan.point is not None:
        rpcs = 1 if question.server is None else 3
    elif question.order is not None:
        rpcs = 3 * len(ranges)
    else:
        # Each stream opens a scanner, fetches a batch and closes it; a single stream fetches as many as the page needs.
        fetches = 1
        if is_exact and question.server is None:
            # In reverse a batch has one row more, because the first row may be the one at the stop, which is dropped.
            batch_rows = batch_size(min(limit + 1, BUFFER_ROWS), plan) + question.reverse
            fetches, most = (-(-rows // batch_rows) for rows in (limit + 1, limit + 1 + question.reverse))
            is_exact = fetches == most
        rpcs = (2 + fetches) * len(plan.streams)
    return Explanation(
        question.rows.name,
        ranges,
        len(plan.streams),
        question.reverse and question.order is None,
        work,
        () if question.server is None else question.server.attributes,
        question.is_wide,
        rpcs,
        is_exact and question.server is None,
    )
