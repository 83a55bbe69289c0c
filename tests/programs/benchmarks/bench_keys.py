"""Keys encoded and decoded against the functions of `by_hand/keys.py`: ratios of times measured in one run.

Run it: `python -m tests.programs.benchmarks.bench_keys [--quick]`.
"""

import typer

from shared.keys import Descending, EscapedText, Int64, KeyLayout, UInt16
from tests.programs.benchmarks.by_hand import keys as by_hand
from tests.programs.benchmarks.measuring import Report, best_ns
from tests.shared.specimens import key_class

ENCODE_AT_MOST, DECODE_AT_MOST = 0.9, 1.05
"""Our time over theirs."""

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


if __name__ == "__main__":
    typer.run(main)
