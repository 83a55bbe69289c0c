"""Comparing the writer's clock with the region server's, through a cell that the server dates."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..events import report
from .clock import Moment, WriterClock

if TYPE_CHECKING:
    import happybase

MAX_SKEW_MS = 60_000
"""The most that a writer's clock may differ from a region server's."""
CHECKED_FOR_MS = 600_000
"""How long one comparison holds for a connection."""
MAX_DRIFT_MS = 1_000
"""If the machine's clocks drift apart by more after a comparison, one was set, and the comparison no longer holds."""
ATTEMPTS = 3

_checked: "WeakKeyDictionary[happybase.Connection, Moment]" = WeakKeyDictionary()


class ClockSkew(Exception):
    """The writer's clock is too far from the region server's. Nothing was written."""


def checked_moment(
    connection: "happybase.Connection",
    rows: "happybase.Table",
    clock_row: Callable[[], tuple[bytes, Mapping[bytes, bytes]]],
    clock: WriterClock,
) -> Moment:
    """The time now, by a clock that is within `MAX_SKEW_MS` of the region server's. Raises ClockSkew.

    Puts the row and the cells of `clock_row` without a timestamp, and reads the one that the server gave. The server
    did so between the put and the reply to the get, so the clock is right if it is within `MAX_SKEW_MS` of that
    timestamp both before and after, and wrong if it is neither. If the store is too slow to tell, it is asked three
    times.

    A writer must never date this row: its own cells could hide those of the server, and a clock that has jumped ahead
    would be compared with itself. A clock that is behind dates deletes so early that a compaction drops their
    tombstones at once. One that is ahead gives dates that all later writes must exceed.
    Costs: 1 put and 1 get, once in ten minutes for each connection, and once more if the system's clock was set.
    """
    now = clock.moment()
    last = _checked.get(connection)
    if last is not None and now.elapsed_ms(last) < CHECKED_FOR_MS and now.drift_ms(last) <= MAX_DRIFT_MS:
        return now
    row, cells = clock_row()
    least_ms = most_ms = 0
    for _ in range(ATTEMPTS):
        start = clock.moment()
        rows.put(row, cells)
        ((_, server_ms),) = rows.row(row, columns=list(cells)[:1], include_timestamp=True).values()
        end = clock.moment()
        least_ms, most_ms = start.wall_ms - server_ms, end.wall_ms - server_ms
        if least_ms >= -MAX_SKEW_MS and most_ms <= MAX_SKEW_MS:
            _checked[connection] = end
            report("clock_check", least_ms=least_ms, most_ms=most_ms)
            return end
        if least_ms > MAX_SKEW_MS or most_ms < -MAX_SKEW_MS:
            report("clock_skew", least_ms=least_ms, most_ms=most_ms)
            skew_ms = least_ms if least_ms > 0 else most_ms
            raise ClockSkew(f"clock: must be within {MAX_SKEW_MS} ms of the region server's (got {skew_ms:+} ms)")
    report("clock_skew", least_ms=least_ms, most_ms=most_ms)
    raise ClockSkew(
        f"clock: must be within {MAX_SKEW_MS} ms of the region server's, but the store is too slow to tell"
        f" (got {least_ms:+} to {most_ms:+} ms, {ATTEMPTS} times)"
    )
