"""What flipped bits do to a store's file, as `tests.programs flipped_bits` recorded it, in a block of a page."""

import json
from pathlib import Path
from typing import Any

from shared.exhibit.markdown import filled, markdown_table

FLIPPED_BITS = Path(__file__).parents[3] / "fixtures" / "flipped_bits.json"


def flipped_bits_blocks() -> dict[str, str]:
    """The block of the page of the stores: the exceptions, and what the checksums cost."""
    recorded: dict[str, Any] = json.loads(FLIPPED_BITS.read_text(encoding="utf-8"))
    small, large, heads = (
        {"harmless": 0, "error": 0, "silent": 0} | recorded["flips"][name] for name in ("small", "large", "heads")
    )
    found = (
        f"Of {sum(small.values()):,} bits flipped in a file of {recorded['file_bytes']:,} bytes, one at a time, "
        f"{small['error']:,} were errors, {small['harmless']:,} changed no answer, and {small['silent']:,} changed one "
        f"in silence. Opened as a file of more than 4 MiB, {large['error']:,} were errors and {large['silent']:,} "
        f"changed an answer in silence; of {sum(heads.values()):,} bits in the heads of its pages, "
        f"{heads['silent']:,} did. The checksums add {recorded['bytes'] - 1:.0%} to a file of cells with values of 60 "
        f"bytes. `python -m tests.programs flipped_bits` measured this on {recorded['date']}."
    )
    rows = [(name, f"{of['small']:.2f}", f"{of['large']:.2f}") for name, of in recorded["times"].items()]
    caption = "Processor time of calls over that without checksums, on rows of six cells:"
    table = markdown_table(("call", "file of up to 4 MiB", "larger file"), rows)
    return {"flipped-bits": "\n\n".join([filled(found), caption, table])}
