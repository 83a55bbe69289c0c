"""Writes the generated blocks of every README again, with those that tests know."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import attrs

from domains.command_line.readmes import pages
from shared.designs.cost_tables import listed
from shared.designs.pages.markdown import below, filled, markdown_list, markdown_table, picture_block
from tests.domains.orders import backups
from tests.engines import Embedded, Engine
from tests.programs.shown_writes import STEPS, ladder
from tests.programs.write_steps import Steps
from tests.releases.test_deployment import CHANGES
from tests.shared.stores.test_differences import DIFFERENCES


def steps_blocks(steps: Callable[[Engine], Steps]) -> dict[str, str]:
    """The steps of the writes of a design, and the picture of one of them."""
    of_design = steps(Embedded())
    return {"steps": steps_block(of_design), "ladder-picture": picture_block("ladder", ladder(of_design))}


def steps_block(steps: Steps) -> str:
    """The calls of each write, what readers see after each of them, and how many crash points the tests visit."""
    caption = (
        "The calls of each write that change the store, and what readers see if the writer dies after the call. "
        "`checkAndPut` decides. The first line of a write is what they see before it."
    )
    points = listed(f"{name} ({calls} calls, {points})" for name, (calls, points) in steps.points().items())
    visited = (
        "Tests stop each write before and after every one of its calls, with the writer dead or only its reply lost. "
        f"Writes, their calls and these crash points: {points}."
    )
    if steps.compares_clocks:
        visited += " The first write of a connection also compares the clocks; the table leaves that call out."
    table = markdown_table(("write", "call", *steps.columns), steps.rows())
    return "\n\n".join([filled(caption), table, filled(visited)])


def differences_blocks() -> dict[str, str]:
    """Where the stores differ, as the tests show it."""
    items = (
        f"HBase: {difference.on_hbase}. **Here: {difference.here}.** Reason: {difference.why}. `{difference.test}`"
        for difference in DIFFERENCES
    )
    return {"differences": markdown_list(items)}


def changes_blocks() -> dict[str, str]:
    """What may change in a design that holds data, in which order, and the test that shows it."""
    changes = sorted(CHANGES, key=lambda change: not change.keeps_table)
    rows = [(change.what, "yes" if change.keeps_table else "no", change.order) for change in changes]
    table = markdown_table(("change", "in place", "deploy in this order"), rows)
    shown = filled("Each line is a test with a process of an older and one of a newer release on one store:")
    tests = markdown_list(f"{change.what}: `{change.test}`" for change in changes)
    return {"changes": "\n\n".join([table, shown, tests]), "backups": backups_block()}


def backups_block() -> str:
    """What `repair` mends after a restore, by the order in which the tables were copied."""
    of_each = {order: backups.measured(Embedded(), parts, backups.Copies()) for order, parts in backups.ORDERS.items()}
    rows = [(order, *map(str, attrs.astuple(restored))) for order, restored in of_each.items()]
    caption = f"Orders that disagree with their lines, if {backups.CHANGED} are placed or change between the two:"
    headers = ("copied", "after the restore", "after `repair`", "after `repair --restore`")
    return below(caption, markdown_table(headers, rows))


def all_pages() -> dict[Path, Callable[[], str]]:
    """Every generated file with the function that makes the text that it should have."""
    of_designs = {name: partial(steps_blocks, of) for name, of in STEPS.items()}
    return pages({"stores": differences_blocks, "changing": changes_blocks, **of_designs})


if __name__ == "__main__":
    texts = {path: text() for path, text in all_pages().items()}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
