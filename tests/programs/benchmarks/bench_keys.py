"""Keys encoded and decoded against hand-written Python and fdb.tuple: ratios of times measured in one run.

Run it: `python -m tests.programs.benchmarks.bench_keys [--quick]`. The hand-written functions are in
`by_hand/keys.py`; fdb.tuple comes with the package `foundationdb`.
"""

import gc
import importlib.util
import timeit
from collections.abc import Callable
from typing import Any

from shared.keys import Descending, EscapedText, Int64, KeyLayout, UInt16, part, row_key
from tests.programs.benchmarks.by_hand import keys as by_hand
from tests.programs.benchmarks.measuring import options

# Our time over theirs; fdb.tuple's time over ours.
ENCODE_AT_MOST = 0.9
DECODE_AT_MOST = 1.05
FASTER_THAN_FDB_AT_LEAST = 6.5

REPEATS, CALLS = 61, 5_000
HOST, KIND, AT_MS = "web-eu-00017", 513, 1_580_976_517_123


def best_ns(*calls: Callable[[], Any], quick: bool) -> list[float]:
    """The least time of one call of each, in nanoseconds: taken in turns, so that a slow moment hits all of them."""
    repeats, number = (2, 100) if quick else (REPEATS, CALLS)
    timers = [timeit.Timer(call) for call in calls]  # timeit switches gc off while it runs
    gc.collect()
    best = [float("inf")] * len(timers)
    for _ in range(repeats):
        best = [min(least, timer.timeit(number)) for least, timer in zip(best, timers, strict=True)]
    return [least / number * 1e9 for least in best]


def main(quick: bool = False) -> None:
    """Prints the ratios beside their targets; `quick` shows that it runs, not how fast."""

    @row_key
    class Key:
        host: str = part(EscapedText, "which machine")
        kind: int = part(UInt16, "which event")
        at_ms: int = part(Descending(Int64), "milliseconds since 1970-01-01 UTC, newest first")

    layout = KeyLayout(Key)
    encode, decode = layout.encode, layout.decode
    key = Key(HOST, KIND, AT_MS)
    row = encode(key)
    print(f"{'':24} {'ours, ns':>8} {'theirs, ns':>10} {'ratio':>6}  target")

    own = by_hand.Key(HOST, KIND, AT_MS)
    assert row == by_hand.encode(own)
    assert key == decode(row) == by_hand.decode(row, Key)
    ours, theirs = best_ns(lambda: encode(key), lambda: by_hand.encode(own), quick=quick)
    show("encode / hand-written", ours, theirs, ours / theirs, f"at most {ENCODE_AT_MOST:.2f}")
    ours, theirs = best_ns(lambda: decode(row), lambda: by_hand.decode(row, Key), quick=quick)
    show("decode / hand-written", ours, theirs, ours / theirs, f"at most {DECODE_AT_MOST:.2f}")

    if importlib.util.find_spec("fdb") is None:
        print("skipped: fdb.tuple, because the package foundationdb is not installed")
    else:
        import fdb.tuple

        ours, theirs = best_ns(lambda: encode(key), lambda: fdb.tuple.pack((HOST, KIND, -AT_MS)), quick=quick)
        show("fdb.tuple.pack / encode", ours, theirs, theirs / ours, f"at least {FASTER_THAN_FDB_AT_LEAST:.2f}")


def show(what: str, ours_ns: float, theirs_ns: float, ratio: float, target: str) -> None:
    """One line of the table."""
    print(f"{what:24} {ours_ns:8.0f} {theirs_ns:10.0f} {ratio:6.2f}  {target}")


if __name__ == "__main__":
    main(options(__doc__).quick)
