"""Comparing the writer's clock with the region server's, through a cell that the server dates."""

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import happybase

from .clock import WriterClock

MAX_SKEW_MS = 60_000
"""The most that a writer's clock may differ from a region server's."""
CHECKED_FOR_MS = 600_000
"""How long one comparison holds for a connection."""
SLOW_MS = 5_000
"""A comparison that takes longer is made again: a call that waits for a region server looks like a clock behind."""

_checked_ms: "WeakKeyDictionary[happybase.Connection, int]" = WeakKeyDictionary()


class ClockSkew(Exception):
    """The writer's clock is too far from the region server's. Nothing was written."""


def check_clock(
    connection: happybase.Connection,
    rows: happybase.Table,
    row: bytes,
    cells: Mapping[bytes, bytes],
    clock: WriterClock,
) -> None:
    """Raises ClockSkew if the clock is too far off.

    Puts `cells` without a timestamp and reads the one that the server gave them. A writer must never date this row: its
    own cells could hide those of the server, and a clock that has jumped ahead would be compared with itself. A clock
    that is behind dates deletes so early that a compaction drops their tombstones at once. One that is ahead dates
    everything that later writes must be above. Costs: 1 put and 1 get, once in ten minutes for each connection.
    """
    now_ms = clock.read_ms()
    if now_ms - _checked_ms.get(connection, -CHECKED_FOR_MS) < CHECKED_FOR_MS:
        return
    while True:
        rows.put(row, cells)
        ((_, server_ms),) = rows.row(row, columns=list(cells)[:1], include_timestamp=True).values()
        ended_ms = clock.read_ms()
        if ended_ms - now_ms <= SLOW_MS:
            break
        now_ms = ended_ms
    skew_ms = now_ms - server_ms
    if abs(skew_ms) > MAX_SKEW_MS:
        raise ClockSkew(f"clock: must be within {MAX_SKEW_MS} ms of the region server's (got {skew_ms:+} ms)")
    _checked_ms[connection] = now_ms
