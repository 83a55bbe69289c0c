"""A description of what a query would do, made without reading anything."""

from collections.abc import Mapping
from typing import Any

import attrs

from ..keys.ranges import RowRange
from .pages import client_work
from .record_reader import Request
from .scanning import BUFFER_ROWS, batch_size
from .side_by_side import round_trips


@attrs.frozen
class Explanation:
    """The ranges of a question, the work beyond them, and the RPCs of its first page."""

    stored_in: bytes
    """The table in the store, with the connection's prefix."""
    ranges: tuple[RowRange, ...]
    """In the order of the streams; `RowRange.parts` are the values that a range binds."""
    streams: int
    """Streams that are merged: one for each bucket; with a merged `any_of`, one for each value in each time slice."""
    reverse: bool
    client_work: tuple[str, ...]
    """The attributes that the client compares, then `order` if it sorts."""
    server_filtered: tuple[str, ...]
    """The attributes that a server-side filter compares."""
    is_wide: bool
    """Whether a row may hold any number of records, so that it is read in parts."""
    rpcs: int
    """RPCs of the first page."""
    round_trips: int
    """Round trips that its caller waits for at least on a connection of `hbase://`, where a scanner's close costs no
    wait and up to 8 streams are read side by side."""
    is_exact: bool
    """Whether these are all RPCs of a page that the first range fills; otherwise they are the least that it needs."""
    then_ranges: str = ""
    """What is read after these ranges, if it depends on their rows; see `DependentQuery`."""
    as_of_ms: int | None = None
    """The time as of which records are read; None for the present."""
    versions: int | None = None
    """How many versions of a record are read, with a call for each column; None for a query. See `Versions`."""
    conditions: Mapping[str, Any] = attrs.field(factory=dict[str, Any], hash=False)
    """The conditions on parts of the key, by part, whether ranges bind them or the client compares them."""

    def __str__(self) -> str:
        lines = [f"{self.stored_in.decode()}: {_values(range_)}" for range_ in self.ranges] or ["no range"]
        lines += [f"merged: {self.streams} streams"] if self.streams > 1 else []
        lines += ["in reverse"] if self.reverse else []
        lines += [f"as of {self.as_of_ms} ms"] if self.as_of_ms is not None else []
        if self.versions is not None:
            lines.append(f"the newest {self.versions} versions, with a call for each column")
        lines += [f"the server compares {', '.join(self.server_filtered)}"] if self.server_filtered else []
        lines += [f"the client: {', '.join(self.client_work)}"] if self.client_work else []
        lines += [f"then {self.then_ranges}, which these rows determine"] if self.then_ranges else []
        read = "first page" if self.versions is None else "all versions"
        return "\n".join([*lines, f"{read}: {self.rpcs} RPCs{'' if self.is_exact else ' or more'}{self.waits}"])

    @property
    def waits(self) -> str:
        """The round trips in words, if they are fewer than the RPCs: `; 2 round trips over hbase://`."""
        if self.round_trips == self.rpcs:
            return ""
        return f"; {'' if self.is_exact else 'at least '}{self.round_trips} round trips over hbase://"


def _values(range_: RowRange) -> str:
    """The values that a range binds, or its ends if it binds none."""
    return ", ".join(f"{name}={condition}" for name, condition in range_.parts) or str(range_)


def explain(request: Request[Any], limit: int, *, looks_up: bool, reports: bool) -> Explanation:
    """The explanation of a request's first page of `limit` records.

    `looks_up` if a second lookup follows it, `reports` if it leaves out rows that are not records.
    """
    plan, work = request.plan, client_work(request)
    ranges = plan.ranges
    # How many of several ranges a page reads depends on their rows.
    is_exact = not (work or looks_up or reports or request.is_wide or request.has_own_cells or len(ranges) > 1)
    if plan.point is not None:
        rpcs, waits = (1, 1) if request.server is None else (3, 2)
    elif request.order is not None:
        rpcs, waits = 3 * len(ranges), round_trips(2, 2 * len(ranges))
    else:
        # Each stream opens a scanner, fetches a batch and closes it; a single stream fetches as many as the page needs.
        fetches = 1
        if is_exact and request.server is None:
            # In reverse a batch has one row more, because the first row may be the one at the stop, which is dropped.
            batch_rows = batch_size(min(limit + 1, BUFFER_ROWS), plan) + request.reverse
            fetches, most = (-(-rows // batch_rows) for rows in (limit + 1, limit + 1 + request.reverse))
            is_exact = fetches == most
        rpcs = (2 + fetches) * len(plan.streams)
        waits = round_trips(1 + fetches, (1 + fetches) * len(plan.streams))
    return Explanation(
        request.table.name,
        ranges,
        len(plan.streams),
        request.reverse and request.order is None,
        work,
        () if request.server is None else request.server.attributes,
        request.is_wide,
        rpcs,
        waits,
        is_exact and request.server is None,
        as_of_ms=request.as_of_ms,
        conditions=plan.conditions,
    )
