"""What may happen to writes that run at once, for the explorer."""

from shared.intents.times import KEEP_TOMBSTONES_MS, WINDOW_MS
from shared.writes.server_clock import MAX_SKEW_MS
from tests.shared.intents.interleaving import Scene

SKEW_MS = MAX_SKEW_MS - 1
LONG_PAUSE_MS = 2 * KEEP_TOMBSTONES_MS
"""A compaction after it drops all tombstones from before."""

AFTER_A_LONG_PAUSE = Scene(
    1, kinds=("dies",), recoverers=1, jump_ms=LONG_PAUSE_MS, recovers_after_jump=True, compactions=1
)
OF_ONE = {"a fault and a recoverer": Scene(1, recoverers=1)}
MORE_OF_ONE = {
    "two faults and a recoverer": Scene(2, recoverers=1),
    "a pause": Scene(recoverers=1, jump_ms=WINDOW_MS + 1),
    "a pause and a compaction": Scene(recoverers=1, jump_ms=LONG_PAUSE_MS, compactions=1),
    "a death, a recoverer after a long pause, a compaction": AFTER_A_LONG_PAUSE,
}
OF_TWO = {
    "a fault": Scene(1),
    "a recoverer": Scene(recoverers=1),
    "clocks that differ": Scene(skews_ms=(SKEW_MS, -SKEW_MS)),
    "clocks that differ the other way": Scene(skews_ms=(-SKEW_MS, SKEW_MS)),
}
MORE_OF_TWO = {
    "two faults": Scene(2),
    "a fault and a recoverer": Scene(1, recoverers=1),
    "a fault and a pause": Scene(1, jump_ms=WINDOW_MS + 1),
    "a death, a recoverer after a long pause, a compaction": AFTER_A_LONG_PAUSE,
}
A_WALK = Scene(3, recoverers=2, jump_ms=WINDOW_MS + 1, compactions=1, skews_ms=(SKEW_MS, -SKEW_MS, 0, SKEW_MS // 2))
"""For walks at random, because several writes have too many worlds to visit all."""
