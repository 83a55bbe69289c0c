"""What flipped bits do to a store's file, as `tests.programs flipped_bits` recorded it, in a block of a page."""

import json
from pathlib import Path
from typing import Any

from shared.exhibit.markdown import below, filled, markdown_table

FLIPPED_BITS = Path(__file__).parents[3] / "fixtures" / "flipped_bits.json"


def flipped_bits_blocks() -> dict[str, str]:
    """The block of the page of the stores: the exceptions, and what the checksums cost."""
    recorded: dict[str, Any] = json.loads(FLIPPED_BITS.read_text(encoding="utf-8"))
    small, large, heads = (
        {"harmless": 0, "error": 0, "silent": 0} | recorded["flips"][name] for name in ("small", "large", "heads")
    )
    caption = (
        f"{sum(small.values()):,} bits flipped in a file of {recorded['file_bytes']:,} bytes, one at a time; measured "
        f"on {recorded['date']} by `python -m tests.programs flipped_bits`:"
    )
    flips = (
        ("opened as a file of up to 4 MiB", small),
        ("opened as a larger file", large),
        ("heads of its pages", heads),
    )
    outcomes = [(words, *(f"{of[outcome]:,}" for outcome in ("error", "harmless", "silent"))) for words, of in flips]
    found = markdown_table(("bits", "errors", "no effect", "a wrong answer in silence"), outcomes)
    times = {
        f"{name}, {file} file": times[file] for name, times in recorded["times"].items() for file in ("small", "large")
    }
    least, most = (choose(times, key=times.__getitem__) for choose in (min, max))
    costs = filled(
        f"Checksums add {recorded['bytes'] - 1:.0%} to a file of cells with values of 60 bytes. With them a call takes "
        f"{times[least]:.2f} times ({least}) to {times[most]:.2f} times ({most}) the processor time."
    )
    return {"flipped-bits": "\n\n".join([below(caption, found), costs])}
