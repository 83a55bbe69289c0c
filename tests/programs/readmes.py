"""Writes the generated blocks of every README again, and the list of designs.

The text of a README between two marks is such a block:

    <!-- generated: patterns -->
    ...
    <!-- end -->
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import attrs
import happybase
from rich.cells import cell_len, set_cell_size

from domains.monitoring import TABLES as MONITORING_TABLES
from domains.monitoring import Point as MonitoredPoint
from domains.monitoring import PointRepository
from domains.suite import SUITE
from domains.tsdb import TsdbRepository
from domains.tsdb.changing.rewriting import QUIET_MS
from shared.command_line.named.design_lines import listing_text
from shared.designs import LINT_RULES, Design
from shared.designs.design import FACTS
from shared.exhibit.comparison import stored_bytes
from shared.exhibit.heat import LEGEND as HEAT_LEGEND
from shared.exhibit.heat import RANGES
from shared.exhibit.markdown import below, code, filled, markdown_list, markdown_table, picture_block, with_blocks
from shared.exhibit.shown_design import traps_of
from shared.exhibit.traps import trap_row
from shared.exhibit.verdicts import LEGEND
from shared.keys.limits import IN_FLIGHT
from shared.queries.record_reader import SKIPPING_BUFFER_ROWS
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import WriterClock
from tests.designs import all_designs, design_named
from tests.domains.orders import backups
from tests.engines import Embedded
from tests.programs.pages import cards
from tests.programs.pages import claim_blocks as claims
from tests.programs.pages.cards import CARD
from tests.programs.pages.cost_blocks import SCANS
from tests.programs.pages.design_page import blocks_of_one_file, design_blocks, index_block, shown_key
from tests.programs.pages.ideas import ideas_blocks
from tests.programs.pages.key_blocks import PUBLISHED
from tests.programs.pages.keys_page import java_text, keys_blocks
from tests.programs.pages.new_packages import renames_block, shown_block
from tests.programs.pages.package_pages import extras_blocks, names_blocks
from tests.programs.pages.regions_page import regions_blocks
from tests.programs.pages.service_blocks import service_blocks
from tests.programs.pages.stores_page import stores_blocks
from tests.programs.pictures import hero
from tests.programs.regions.region_recording import region_file
from tests.programs.shown_writes import STEPS, WITH_LADDER, ladder
from tests.programs.write_steps import Steps
from tests.releases.test_deployment import CHANGES
from tests.shared.stores.test_differences import DIFFERENCES

ROOT = Path(__file__).parents[2]


def storage_blocks() -> dict[str, str]:
    """Bytes of the samples of `tsdb`: as `monitoring` stores them, under UIDs, and compacted."""
    design = design_named("tsdb")
    points = list(design.loads[0].sample_records())
    wide = connect("embedded:")
    create_tables(wide, MONITORING_TABLES)
    PointRepository(wide).store_all(
        MonitoredPoint(dict(point.tags)["host"], point.metric, point.time_ms, float(point.value)) for point in points
    )
    connection = connect("embedded:")
    create_tables(connection, design.main.tables)
    TsdbRepository(connection, clock=EarlierClock()).store_all(points)
    names, single = _stored_bytes(connection, "tsdb-uid"), _stored_bytes(connection, "tsdb")
    repository = TsdbRepository(connection)
    before = len(repository.read("load"))
    for metric in sorted({point.metric for point in points}):
        repository.compact(metric)
    compacted = _stored_bytes(connection, "tsdb")
    assert len(repository.read("load")) == before
    forms = (
        ("`monitoring`: host and metric in the key, a cell for each point", *_stored_bytes(wide, "points")),
        ("`tsdb`: UIDs in the key, a cell for each point", *single),
        ("`tsdb`, compacted", *compacted),
    )
    rows = [(form, f"{cells:,}", f"{size / len(points):.1f}") for form, cells, size in forms]
    caption = (
        f"The {len(points):,} sample points, one a minute for each series, as HBase stores their cells, before "
        f"compression. The names need another {names[1]:,} bytes, once."
    )
    return {"storage": below(caption, markdown_table(("form", "cells", "bytes for each point"), rows))}


class EarlierClock(WriterClock):
    """A clock so far behind that what it dates is old enough to be compacted."""

    def read_ms(self) -> int:
        """The time of that clock."""
        return super().read_ms() - 2 * QUIET_MS


def _stored_bytes(connection: happybase.Connection, table: str) -> tuple[int, int]:
    """The cells of a table, and their bytes."""
    sizes = [
        stored_bytes(row, column, value)
        for row, cells in connection.table(table).scan()
        for column, value in cells.items()
    ]
    return len(sizes), sum(sizes)


OF_SEVERAL_DESIGNS: Mapping[str, Callable[[], Mapping[str, str]]] = {
    "tsdb": storage_blocks,
    "logs": claims.logs_blocks,
    "messages": claims.messages_blocks,
}
"""Further blocks of a design's page, for which other designs or a recording of several are needed."""


def command_line_blocks() -> dict[str, str]:
    """The rules of `rowbook lint`, and the names of a package that `rowbook new` makes."""
    rules = markdown_table(("rule", "what it finds"), [(f"`{name}`", meaning) for name, meaning in LINT_RULES.items()])
    return {"lint-rules": rules, "renames": renames_block()}


SHOWN_MISTAKE = "orders"
"""The design whose first published mistake stands in the root README, beside what the design does instead."""


def root_blocks() -> dict[str, str]:
    """A picture of writes under two keys, a published row key beside the right one, and the index of the designs."""
    return {
        "hero-picture": picture_block("hero", hero(), "domains/pictures"),
        "published": mistake_block(design_named(SHOWN_MISTAKE)),
        "designs": index_block(all_designs()),
    }


def mistake_block(design: Design) -> str:
    """The first published mistake of a design: its row key and what a scan of it gives, and those of the design."""
    _name, published_as, task, wrong, right = trap_row(traps_of(design)[0], design)
    rows = [("published", code(published_as), wrong), ("here", code(shown_key(design)), right)]
    return markdown_table(("", "row key", f"a scan for {task} gives"), rows)


def split_blocks() -> dict[str, str]:
    """The blocks about regions, with the recordings of the designs that have some."""
    return regions_blocks([design for design in all_designs() if region_file(design).exists()])


STEPS_FILE = "steps.txt"
JAVA = "java.txt"
"""The file of the keys' formats in Java."""


def steps_blocks(design: Design) -> dict[str, str]:
    """A link to the steps of the writes of a design, the text of that file, and the picture of one of them."""
    steps = STEPS[design.name](Embedded())
    file = f"{'' if design.in_one_file else 'shown/'}{STEPS_FILE}"
    link = (
        f"[{file}]({file}) lists the calls of each write, and what readers see if the writer dies after each of them."
    )
    drawn = ladder(steps)
    shown = (
        {"ladder-picture": picture_block("ladder", drawn)}
        if design.name in WITH_LADDER
        else {"ladder": filled(drawn.sentence)}
    )
    return {"steps": filled(link), STEPS_FILE: steps_text(steps), **shown}


def steps_text(steps: Steps) -> str:
    """The calls of each write, what readers see after each, and how many crash points the tests visit."""
    rows = [("write", "call", *steps.columns), *steps.rows()]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    points = "\n".join(f"{name}: {calls} calls, {points}" for name, (calls, points) in steps.points().items())
    header = (
        "The calls of each write that change the store, and what readers see if the writer dies after the call. "
        "`checkAndPut` decides. The first line of a write is what they see before it. Generated."
    )
    if steps.compares_clocks:
        header += " The first write of a connection also compares the clocks, which is not shown."
    visited = (
        "Tests stop each write before and after every one of its calls, with the writer dead or only its reply lost. "
        "Writes, their calls and these crash points:"
    )
    table = "\n".join(line.rstrip() for line in lines)
    return "\n\n".join([filled(header), table, filled(visited), f"{points}\n"])


def differences_blocks() -> dict[str, str]:
    """Where the stores differ, as the tests show it."""
    items = (f"HBase: {difference.on_hbase}. **Here: {difference.here}.**" for difference in DIFFERENCES)
    return {"differences": markdown_list(items)}


def glossary_blocks() -> dict[str, str]:
    """What the words and numbers of the tables mean: those of costs, round trips, heat, and invariants."""
    costs = [f"`{form.example}`: {form.says(form.example)}" for form in LEGEND]
    costs += [
        f"If the client drops rows, it fetches {SKIPPING_BUFFER_ROWS} or more at once: a page of two may read as many "
        "as one of fifty.",
        "An empty cell: the same cost as in the design itself, whose column is the first.",
    ]
    trips = (
        "`4 (2)` means four RPCs, of which the caller waits for two over `hbase://`: it does not wait for the close of "
        f"a scan, and has up to {IN_FLIGHT} requests under way."
    )
    heat = (
        f"The older half of a table's writes cuts it into {RANGES} ranges of equal size, or fewer if one row takes more"
        f" than one of them; the newer half is counted. {HEAT_LEGEND}"
    )
    return {
        "costs-words": markdown_list(costs),
        "trips-words": filled(trips),
        "heat-words": filled(heat),
        "invariants-words": markdown_list(FACTS.values()),
    }


def changes_blocks() -> dict[str, str]:
    """What may change in a design that holds data, and in which order."""
    changes = sorted(CHANGES, key=lambda change: not change.keeps_table)
    rows = [(change.what, "yes" if change.keeps_table else "no", change.order) for change in changes]
    table = markdown_table(("change", "in place", "deploy in this order"), rows)
    shown = "Each line is a test in `tests/releases/test_deployment.py`, with a process of each release on one store."
    return {"changes": "\n\n".join([table, filled(shown)]), "backups": backups_block()}


def backups_block() -> str:
    """What `repair` mends after a restore, by the order in which the tables were copied."""
    of_each = {order: backups.measured(Embedded(), parts, backups.Copies()) for order, parts in backups.ORDERS.items()}
    rows = [(order, *map(str, attrs.astuple(restored))) for order, restored in of_each.items()]
    caption = f"Orders that disagree with their lines, if {backups.CHANGED} are placed or change between the two:"
    headers = ("copied", "after the restore", "after `repair`", "after `repair --restore`")
    return below(caption, markdown_table(headers, rows))


DESIGN_PAGES = ("README.md", "REFERENCE.md")
"""The pages of a design: one to decide by, and one with all measurements."""


def pages_of(design: Design) -> Sequence[str]:
    """The pages of a design: a design in one file has only the first one."""
    return DESIGN_PAGES[:1] if design.in_one_file else DESIGN_PAGES


MORE_PAGES: Mapping[str, Sequence[str]] = {"tsdb": ("OPENTSDB.md",)}
"""The further pages of some designs that have generated blocks."""


STORES_BLOCKS: Sequence[Callable[[], Mapping[str, str]]] = (stores_blocks, claims.stores_blocks, differences_blocks)
"""What makes the blocks of the pages about stores, measured once for all of them."""


def all_pages() -> dict[Path, Callable[[], str]]:
    """Every generated file with the function that makes the text that it should have."""

    def made(page: Path, *makers: Callable[[], Mapping[str, str]]) -> tuple[Path, Callable[[], str]]:
        def text() -> str:
            blocks = {name: block for make in makers for name, block in make().items()}
            return with_blocks(page.read_text(encoding="utf-8"), blocks)

        return page, text

    def of_design(design: Design) -> Iterator[tuple[Path, Callable[[], str]]]:
        makers: list[Callable[[], Mapping[str, str]]] = [
            partial(blocks_of_one_file if design.in_one_file else design_blocks, design),
            partial(shown_block, design),
            *([OF_SEVERAL_DESIGNS[design.name]] if design.name in OF_SEVERAL_DESIGNS else []),
            *([partial(steps_blocks, design)] if design.name in STEPS else []),
        ]
        once = [cache(make) for make in makers]  # measured once for all pages and files
        folder = ROOT / "domains" / design.name
        for page in (*pages_of(design), *MORE_PAGES.get(design.name, ())):
            yield made(folder / page, *once)
        yield folder / CARD, lambda: once[0]()[CARD]
        if not design.in_one_file:
            yield folder / SCANS, lambda: once[0]()[SCANS]
            yield folder / PUBLISHED, lambda: once[0]()[PUBLISHED]
        if design.name in STEPS:
            yield folder / ("" if design.in_one_file else "shown") / STEPS_FILE, lambda: once[-1]()[STEPS_FILE]

    keys, stores = cache(keys_blocks), [cache(make) for make in STORES_BLOCKS]
    return dict(
        [
            *(page for design in all_designs() for page in of_design(design)),
            made(ROOT / "shared" / "keys" / "README.md", keys, claims.keys_blocks),
            made(ROOT / "shared" / "keys" / "FORMATS.md", keys),
            (ROOT / "shared" / "keys" / JAVA, java_text),
            *(
                made(ROOT / "shared" / "stores" / page, *stores)
                for page in ("README.md", "CONNECTIONS.md", "FILTERS.md", "MEASURED.md")
            ),
            made(ROOT / "shared" / "README.md", extras_blocks),
            made(ROOT / "shared" / "API.md", names_blocks),
            made(ROOT / "shared" / "command_line" / "README.md", command_line_blocks),
            made(ROOT / "domains" / "CHANGING.md", changes_blocks),
            made(ROOT / "domains" / "GLOSSARY.md", glossary_blocks),
            made(ROOT / "domains" / "SERVICE.md", service_blocks),
            made(ROOT / "domains" / "IDEAS.md", ideas_blocks),
            made(ROOT / "domains" / "REGIONS.md", split_blocks),
            made(ROOT / "README.md", root_blocks),
            (ROOT / "llms.txt", lambda: cards.index(all_designs())),
            (SUITE.listing, listing_text),
        ]
    )


if __name__ == "__main__":
    texts = {path: text() for path, text in all_pages().items()}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
