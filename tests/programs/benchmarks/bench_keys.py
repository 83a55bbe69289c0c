"""Keys encoded and decoded against hand-written Python and fdb.tuple: ratios of times measured in one run.

Run it: `python -m tests.programs.benchmarks.bench_keys [--quick]`. The hand-written functions are in
`by_hand/keys.py`; fdb.tuple comes with the package `foundationdb`.
"""

import importlib.util

import typer

from shared.keys import Descending, EscapedText, Int64, KeyLayout, UInt16
from tests.programs.benchmarks.by_hand import keys as by_hand
from tests.programs.benchmarks.measuring import Report, best_ns
from tests.shared.specimens import key_class

# Our time over theirs; fdb.tuple's time over ours.
ENCODE_AT_MOST = 0.9
DECODE_AT_MOST = 1.05
FASTER_THAN_FDB_AT_LEAST = 6.5

HOST, KIND, AT_MS = "web-eu-00017", 513, 1_580_976_517_123


Key = key_class("Key", host=EscapedText, kind=UInt16, at_ms=Descending(Int64))


def main(quick: bool = False) -> None:
    """Prints the ratios beside their targets; `quick` shows that it runs, not how fast."""
    layout, report = KeyLayout(Key), Report()
    encode, decode = layout.encode, layout.decode
    key, own = Key(HOST, KIND, AT_MS), by_hand.Key(HOST, KIND, AT_MS)
    row = encode(key)
    assert row == by_hand.encode(own)
    assert key == decode(row) == by_hand.decode(row, Key)
    ours, theirs = best_ns(lambda: encode(key), lambda: by_hand.encode(own), quick=quick)
    report.line("encode / hand-written", ours / theirs, f"{ours:.0f} / {theirs:.0f} ns", at_most=ENCODE_AT_MOST)
    ours, theirs = best_ns(lambda: decode(row), lambda: by_hand.decode(row, Key), quick=quick)
    report.line("decode / hand-written", ours / theirs, f"{ours:.0f} / {theirs:.0f} ns", at_most=DECODE_AT_MOST)
    if importlib.util.find_spec("fdb") is None:
        print("skipped: fdb.tuple, because the package foundationdb is not installed")
        return
    import fdb.tuple

    theirs, ours = best_ns(lambda: fdb.tuple.pack((HOST, KIND, -AT_MS)), lambda: encode(key), quick=quick)
    times = f"{theirs:.0f} / {ours:.0f} ns"
    report.line("fdb.tuple.pack / encode", theirs / ours, times, at_least=FASTER_THAN_FDB_AT_LEAST)


if __name__ == "__main__":
    typer.run(main)
