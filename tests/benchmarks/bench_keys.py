"""Keys encoded and decoded against hand-written Python and fdb.tuple: ratios of times measured in one run.

Run it from anywhere: `python tests/benchmarks/bench_keys.py [--quick]`. The hand-written functions are in
`by_hand/keys.py`; fdb.tuple comes with the package `foundationdb`.
"""

import gc
import importlib.util
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# Our time over theirs; fdb.tuple's time over ours.
ENCODE_AT_MOST = 0.9
DECODE_AT_MOST = 1.05
FASTER_THAN_FDB_AT_LEAST = 6.5
ARRAY_FASTER_AT_LEAST = 150
LIST_FASTER_AT_LEAST = 35

REPEATS, CALLS = 61, 5_000
HOST, KIND, AT_MS = "web-eu-00017", 513, 1_580_976_517_123
MANY, OF_FDB = 1_000_000, 20_000
"""Keys that `encode_many` makes at once; fdb.tuple, which takes one at a time, makes fewer."""


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
    from by_hand import keys as by_hand

    from shared.keys import Descending, EscapedText, Int64, KeyLayout, UInt16, part, row_key

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
        compare_many(quick)


def compare_many(quick: bool) -> None:
    """Keys of ints: `encode_many` of a million records beside fdb.tuple, key by key."""
    import fdb.tuple
    import numpy as np

    from shared.keys import Descending, Int64, KeyLayout, UInt16, UInt32, part, row_key
    from shared.keys.columnar import encode_many
    from tests.benchmarks.turns import in_turns

    @row_key
    class Reading:
        sensor: int = part(UInt32, "which sensor")
        kind: int = part(UInt16, "which value")
        at_ms: int = part(Descending(Int64), "milliseconds since 1970-01-01 UTC, newest first")

    layout, count, dice = KeyLayout(Reading), 10_000 if quick else MANY, np.random.default_rng(1)
    columns = {
        "sensor": dice.integers(0, 2**32, count),
        "kind": dice.integers(0, 2**16, count),
        "at_ms": dice.integers(0, 2**41, count),
    }
    keys = [*zip(*(column[:OF_FDB].tolist() for column in columns.values()), strict=True)]
    tuples = [(sensor, kind, -at_ms) for sensor, kind, at_ms in keys]
    assert encode_many(layout, columns)[:OF_FDB].tolist() == [layout.encode(Reading(*key)) for key in keys]
    turns = in_turns(
        lambda: encode_many(layout, columns),
        lambda: encode_many(layout, columns).tolist(),
        lambda: [fdb.tuple.pack(key) for key in tuples],
        rounds=1 if quick else 15,
        at_least_s=0,
    )
    fdb_ns = turns.median_ms(2) * 1e6 / len(tuples)
    for side, what, at_least in ((0, "array", ARRAY_FASTER_AT_LEAST), (1, "list", LIST_FASTER_AT_LEAST)):
        ratio = turns.ratio(2, side) * count / len(tuples)
        show(f"fdb.tuple / many, {what}", turns.median_ms(side) * 1e6 / count, fdb_ns, ratio, f"at least {at_least}")


def show(what: str, ours_ns: float, theirs_ns: float, ratio: float, target: str) -> None:
    """One line of the table."""
    print(f"{what:24} {ours_ns:8.0f} {theirs_ns:10.0f} {ratio:6.2f}  {target}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(quick="--quick" in sys.argv[1:])
