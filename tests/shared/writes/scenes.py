"""What may happen to writes that run at once, for the explorer."""

import attrs

from shared.writes.intents import KEEP_TOMBSTONES_MS, WINDOW_MS
from shared.writes.server_clock import MAX_SKEW_MS
from tests.shared.writes.interleaving import Faults

SKEW_MS = MAX_SKEW_MS - 1


@attrs.frozen
class Scene:
    """What may happen to a pair of writes."""

    faults: Faults
    recoverers: int = 0


LONG_PAUSE_MS = 2 * KEEP_TOMBSTONES_MS
"""A compaction after it drops all tombstones from before."""
AFTER_A_LONG_PAUSE = Scene(
    Faults(1, kinds=("dies",), jump_ms=LONG_PAUSE_MS, recovers_after_jump=True, compactions=1), recoverers=1
)
OF_ONE = {"a fault and a recoverer": Scene(Faults(1), recoverers=1)}
MORE_OF_ONE = {
    "two faults and a recoverer": Scene(Faults(2), recoverers=1),
    "a pause and a recoverer": Scene(Faults(0, jump_ms=WINDOW_MS + 1), recoverers=1),
    "a recoverer, a long pause, a compaction": Scene(Faults(0, jump_ms=LONG_PAUSE_MS, compactions=1), recoverers=1),
    "a death, a recoverer after a long pause, a compaction": AFTER_A_LONG_PAUSE,
}
OF_TWO = {
    "a fault": Scene(Faults(1)),
    "a recoverer": Scene(Faults(0), recoverers=1),
    "clocks that differ": Scene(Faults(0, skews_ms=(SKEW_MS, -SKEW_MS))),
    "clocks that differ the other way": Scene(Faults(0, skews_ms=(-SKEW_MS, SKEW_MS))),
}
MORE_OF_TWO = {
    "two faults": Scene(Faults(2)),
    "a fault and a recoverer": Scene(Faults(1), recoverers=1),
    "a fault and a pause": Scene(Faults(1, jump_ms=WINDOW_MS + 1)),
    "a death, a recoverer after a long pause, a compaction": AFTER_A_LONG_PAUSE,
}
