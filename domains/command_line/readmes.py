"""The READMEs that have generated blocks, and the list of designs, as the code would write them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from io import StringIO
from pathlib import Path

import happybase
from rich.console import Console

from shared.designs import LINT_RULES, Design
from shared.designs.comparison import stored_bytes
from shared.designs.pages.design_page import blocks_of_one_file, design_blocks, index_block
from shared.designs.pages.keys_page import keys_blocks
from shared.designs.pages.markdown import below, markdown_table, text_block, with_blocks
from shared.designs.pages.regions_page import regions_blocks
from shared.designs.pages.stores_page import stores_blocks
from shared.designs.regions.region_recording import region_file
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import WriterClock

from ..monitoring import TABLES as MONITORING_TABLES
from ..monitoring import Point as MonitoredPoint
from ..monitoring import PointRepository
from ..tsdb import TsdbRepository
from ..tsdb.rewriting import QUIET_MS
from . import claims
from .demo import show
from .designs import all_designs, design_named
from .ideas import ideas_blocks
from .linting import lint
from .listing import LISTING
from .new_package.shown import shown_block
from .package_pages import extras_blocks, names_blocks
from .shown_designs import listing_text
from .terminal import WIDTH

ROOT = Path(__file__).parents[2]
LINTED = "logs:modulo"
"""The variant that the page of the command line lints."""


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
    """The rules of `rowbook lint`, and what it prints for a variant that is not to be copied."""
    printed = StringIO()
    lint(Console(file=printed, width=WIDTH, no_color=True, markup=False, highlight=False), LINTED, as_json=False)
    rules = markdown_table(("rule", "what it finds"), [(f"`{name}`", meaning) for name, meaning in LINT_RULES.items()])
    return {"lint-rules": rules, "lint-example": text_block(printed.getvalue().rstrip())}


def root_blocks() -> dict[str, str]:
    """The top of the screen that `rowbook demo` prints, and the index of the designs."""
    screen = StringIO()
    show(Console(file=screen, width=WIDTH, no_color=True, markup=False, highlight=False, emoji=False))
    first_two, _third, _rest = screen.getvalue().partition("\n3  ")
    return {"demo": text_block(first_two.strip()), "designs": index_block(all_designs())}


def split_blocks() -> dict[str, str]:
    """The blocks about regions, with the recordings of the designs that have some."""
    return regions_blocks([design for design in all_designs() if region_file(design).exists()])


DESIGN_PAGES = ("README.md", "REFERENCE.md")
"""The pages of a design: one to decide by, and one with all measurements."""


def pages_of(design: Design) -> Sequence[str]:
    """The pages of a design: a design in one file has only the first one."""
    return DESIGN_PAGES[:1] if design.in_one_file else DESIGN_PAGES


MORE_PAGES: Mapping[str, Sequence[str]] = {"tsdb": ("OPENTSDB.md",)}
"""The further pages of some designs that have generated blocks."""


def pages(more: Mapping[str, Callable[[], Mapping[str, str]]]) -> dict[Path, Callable[[], str]]:
    """Every generated file with the function that makes the text that it should have.

    `more` makes further blocks of some pages: of designs by name, of `stores`, and of `changing`.
    """

    def made(page: Path, *makers: Callable[[], Mapping[str, str]]) -> tuple[Path, Callable[[], str]]:
        def text() -> str:
            blocks = {name: block for make in makers for name, block in make().items()}
            return with_blocks(page.read_text(encoding="utf-8"), blocks)

        return page, text

    def of_design(design: Design) -> Iterator[tuple[Path, Callable[[], str]]]:
        makers: list[Callable[[], Mapping[str, str]]] = [
            partial(blocks_of_one_file if design.in_one_file else design_blocks, design),
            partial(shown_block, design),
            *(of[design.name] for of in (OF_SEVERAL_DESIGNS, more) if design.name in of),
        ]
        once = [cache(make) for make in makers]  # measured once for both pages
        for page in (*pages_of(design), *MORE_PAGES.get(design.name, ())):
            yield made(ROOT / "domains" / design.name / page, *once)

    return dict(
        [
            *(page for design in all_designs() for page in of_design(design)),
            made(ROOT / "shared" / "keys" / "README.md", keys_blocks),
            made(ROOT / "shared" / "stores" / "README.md", stores_blocks, claims.stores_blocks, more["stores"]),
            made(ROOT / "shared" / "README.md", extras_blocks),
            made(ROOT / "shared" / "API.md", names_blocks),
            made(ROOT / "domains" / "command_line" / "README.md", command_line_blocks),
            made(ROOT / "domains" / "CHANGING.md", more["changing"]),
            made(ROOT / "domains" / "IDEAS.md", ideas_blocks),
            made(ROOT / "domains" / "REGIONS.md", split_blocks),
            made(ROOT / "README.md", root_blocks),
            (LISTING, listing_text),
        ]
    )
