"""The designs of the suite by name. A new design is one name here."""

from pathlib import Path
from typing import TYPE_CHECKING

from shared.command_line.named.suite import Suite, give

if TYPE_CHECKING:
    from rich.console import Console

NAMES = (
    "orders",
    "logs",
    "monitoring",
    "counters",
    "messages",
    "feeds",
    "tsdb",
    "activity",
    "profiles",
    "changes",
    "catalog",
    "documents",
    "reservations",
    "sessions",
    "leaderboard",
    "links",
)
"""All designs, in the order in which commands show them."""


def _demo(to: "Console") -> None:
    from domains.demo import show

    show(to)


SUITE = Suite(
    package=str(__package__),
    folder=Path(__file__).parent,
    names=NAMES,
    extras={"tsdb": ("numpy", "prometheus_client", "regex")},
    smallest="activity",
    notes={"tsdb": "tsdb keeps the bytes of OpenTSDB's tables: take it to share them, not as a template for your own"},
    demo=_demo,
)
give(SUITE)
