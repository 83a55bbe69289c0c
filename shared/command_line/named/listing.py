"""`rowbook list`, and the names that a shell completes: read from `listing.json`, because imports would take a second.

`python -m tests.programs readmes` writes that file, and a test compares it with the designs.
"""

import json
from contextlib import suppress
from functools import cache
from typing import Any

from rich.console import Console

from ..screen import terminal
from .own_designs import own_names
from .suite import suite


def list_designs(to: Console, errors: Console, *, as_json: bool) -> None:
    """Writes all designs and variants, with the keys of their tables; first those of one's own."""
    listing = _listing()
    if names := own_names():
        from .design_lines import own_listing

        listing, reasons = own_listing(names, listing)
        for why in reasons:
            terminal.line(errors, f"left out: {why}")
    if as_json:
        terminal.json_object(to, {"designs": listing["designs"]})
    else:
        terminal.lines_of_designs(to, listing["lines"])


def listed_names() -> list[str]:
    """The names of all designs, then those of their other variants; of one's own, the names of designs only.

    A shell completes them, so designs of one's own that cannot be imported are left out.
    """
    from ..screen.wrong_usage import CommandFailed, WrongUsage

    own: list[str] = []
    with suppress(CommandFailed, WrongUsage):
        own = own_names()
    designs = _listing()["designs"]
    variants = [f"{design['name']}:{variant['name']}" for design in designs for variant in design["variants"][1:]]
    return [*own, *(design["name"] for design in designs), *variants]


@cache
def _listing() -> dict[str, Any]:
    listing: dict[str, Any] = json.loads(suite().listing.read_text(encoding="utf-8"))
    return listing
