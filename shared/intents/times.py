"""The times of the protocol: how long a write may take, and how long what it leaves has to be kept."""

from ..writes.server_clock import MAX_SKEW_MS

WINDOW_MS = 600_000
"""If step 5 ends later than this after step 1, it is done again. More than twice the longest call with its retries."""
KEEP_TOMBSTONES_MS = 2 * WINDOW_MS + MAX_SKEW_MS
"""How long tombstones of lines outlast a compaction: `Family.keep_tombstones_ms`."""
FORGET_MS = 2 * KEEP_TOMBSTONES_MS
"""How long `forget` keeps the source cell of a deleted record. After that, no delayed call can put or delete a line of
the record any more, and no tombstone of its lines hides a line of a new record."""
FUTURE_MS = 3 * MAX_SKEW_MS
"""The most that a writer or `repair` dates a cell after now, by a clock that may be behind theirs."""
