"""Writes the generated blocks of every README. Run it: make readmes.

The text between two marks in a README is the output of code:

    <!-- generated: patterns -->
    ...
    <!-- end -->
"""

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import happybase

from domains.designs import DESIGNS
from shared.designs import FACTS, Design, Exemption, Measurement
from shared.designs.comparison import RANGES, VariantCosts, measure_variant
from shared.designs.cost_tables import (
    READ_COLUMNS,
    WRITTEN_COLUMNS,
    read_row,
    refusals,
    rpcs,
    verdict,
    written_row,
)
from shared.designs.patterns import key_line
from shared.designs.ruler import published_ruler, rows_ruler, ruler
from shared.designs.shell import statement
from shared.designs.traps import trap_row
from shared.keys import MAX_ROW_BYTES
from shared.stores import connect
from shared.stores.embedded import mutations, rules, scanners
from shared.stores.filters import comparators, java_patterns
from shared.stores.filters import language as filter_language
from shared.stores.server import memory, messages
from shared.stores.server import thrift_server as server
from shared.tables import TableLayout, create_tables
from tests.shared.stores.test_differences import DIFFERENCES

ROOT = Path(__file__).parent.parent
MAX_LINE = 120
"""Maximum characters of a line in a table of a README."""
MAX_COLUMNS = 7
RANGES_SHOWN = 8
"""Maximum statements for one question; if it has more ranges, their number is printed."""
_BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z0-9-]+) -->\n)(?:(?!<!--).)*(<!-- end -->)", re.DOTALL)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A GitHub table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def markdown_list(items: Iterable[str]) -> str:
    """A list, its items broken at words."""
    return "\n".join(
        textwrap.fill(item, MAX_LINE, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
        for item in items
    )


def fits(table: str) -> bool:
    """Whether a table is narrow enough for a README."""
    header = table.partition("\n")[0]
    return header.count(" | ") < MAX_COLUMNS and max(map(len, table.splitlines())) <= MAX_LINE


def with_blocks(text: str, blocks: Mapping[str, str]) -> str:
    """The README's text with every generated block replaced.

    Raises KeyError for a block that is not in `blocks`, ValueError for a mark without its end.
    """
    new_text, count = _BLOCK.subn(lambda match: f"{match[1]}{blocks[match['name']]}\n{match[3]}", text)
    if not count == text.count("<!-- generated") == text.count("<!-- end"):
        raise ValueError(
            f"a README has {text.count('<!-- generated')} marks of generated blocks and {count} whole blocks"
        )
    return new_text


# ---- the page of a design ---------------------------------------------------------------------------


def layout_block(table: TableLayout[Any, Any]) -> str:
    """Parts and prefixes of a table's key, from left to right."""
    layout = table.layout
    rows = [(type(prefix).__name__, f"`{prefix}`", str(prefix.width_bytes), "computed") for prefix in layout.prefixes]
    for part in layout.parts:
        width = part.codec.width_bytes
        rows.append((part.name, f"`{part.codec}`", "varies" if width is None else str(width), part.meaning))
    return markdown_table(("part", "format", "bytes", "meaning"), rows)


def row_block(connection: happybase.Connection, table: TableLayout[Any, Any]) -> str:
    """The first stored row of a table as a byte ruler."""
    row, _cells = next(connection.table(table.name).scan(limit=1))
    return _below("One stored row: names, values, bytes.", _text(ruler(table.layout, row, MAX_LINE)))


def ordering_block(connection: happybase.Connection, table: TableLayout[Any, Any], count: int = 6) -> str:
    """Stored rows of a table in row-key order: the first two of each value of the leading part."""
    rows: list[bytes] = []
    rows_of_leading: Counter[object] = Counter()
    for row, _cells in connection.table(table.name).scan():
        leading = next(segment.value for segment in table.layout.segments(row) if segment.value is not None)
        rows_of_leading[leading] += 1
        if rows_of_leading[leading] <= 2 and len(rows) < count:
            rows.append(row)
    return _text(rows_ruler(table.layout, rows, MAX_LINE))


def _below(caption: str, block: str) -> str:
    return f"{textwrap.fill(caption, MAX_LINE, break_on_hyphens=False)}\n\n{block}"


def _text(text: str, language: str = "text") -> str:
    return f"```{language}\n{text}\n```"


def variants_block(design: Design) -> str:
    """The row keys of every variant; a table of the main variant is listed only there."""
    rows: list[tuple[str, str, str]] = []
    for variant in design.variants:
        tables = [table for table in variant.tables if variant is design.main or table not in design.main.tables]
        names = [variant.name, *[""] * len(tables)]
        rows += [(name, table.name, key_line(table.layout)) for name, table in zip(names, tables, strict=False)]
    return markdown_table(("variant", "table", "row key"), rows)


def costs_block(variants: Sequence[VariantCosts]) -> str:
    """The verdict on every question in every variant, and what its words mean."""
    meanings = {
        "range": "`1 range`: one get, or one scan of the answer and a little more; `8 ranges`: eight of them.",
        "x": "`6.2x`: so many rows are read for each that is returned.",
        "filtered": "`filtered`: the client drops the rest.",
        "server filter": "`server filter`: the region server drops the rest.",
        "sorted": "`sorted`: the client also sorts, so each page reads all rows of its ranges.",
    }
    tables = across(variants, verdict)
    sentences = [meaning for word, meaning in meanings.items() if re.search(rf"\d{word}|{word}", tables)]
    sentences += [
        f"`{name}` refuses every question."
        for name in (variant.variant.name for variant in variants if not variant.answers)
    ]
    caption = f"Measured on {variants[0].records:,} sample records; `{variants[0].variant.name}` is the design itself."
    return f"{_below(caption, tables)}\n\n{textwrap.fill(' '.join(sentences), MAX_LINE, break_on_hyphens=False)}"


def across(variants: Sequence[VariantCosts], cell: Callable[[Measurement], str]) -> str:
    """Questions down and variants across: as few tables as are narrow enough, each with the design itself first.

    Variants that refuse every question are left out.
    """
    main, *others = [variant for variant in variants if variant.answers]
    for count in range(1, len(others) + 1):
        size = -(-len(others) // count)
        tables = [_across([main, *others[start : start + size]], cell) for start in range(0, len(others), size)]
        if all(map(fits, tables)):
            return "\n\n".join(tables)
    return _across([main, *others], cell)


def _across(variants: Sequence[VariantCosts], cell: Callable[[Measurement], str]) -> str:
    rows = [
        (measurements[0].pattern.question, *map(cell, measurements))
        for measurements in zip(*(variant.measurements for variant in variants), strict=True)
    ]
    return markdown_table(("question", *(variant.variant.name for variant in variants)), rows)


def rpcs_block(variants: Sequence[VariantCosts]) -> str:
    """The RPCs of every question in every variant."""
    return _below("RPCs of each question, and its ranges if it reads several:", across(variants, rpcs))


def writes_block(design: Design, variants: Iterable[VariantCosts]) -> str:
    """Rows and bytes that a record writes in every variant, and where new rows go."""
    caption = (
        f"Rows and bytes that one record writes. For the last column each table is cut into {RANGES} ranges of equal "
        f"size: the share of its newest rows, those of the last {_duration(design.newest_ms)}, in the busiest range. "
        f"An even spread is {1 / RANGES:.1%}; of few rows chance moves it by some percent."
    )
    rows = [(variant.variant.name, *written_row(variant)) for variant in variants]
    return _below(caption, markdown_table(("variant", *WRITTEN_COLUMNS), rows))


def _duration(duration_ms: int) -> str:
    units = (("days", 86_400_000), ("hours", 3_600_000), ("minutes", 60_000), ("seconds", 1000), ("milliseconds", 1))
    name, length_ms = next(unit for unit in units if duration_ms % unit[1] == 0 and duration_ms > unit[1])
    return f"{duration_ms // length_ms} {name}"


def reads_block(main: VariantCosts) -> str:
    """What every question reads in the design itself."""
    caption = f"What `{main.variant.name}` reads, and what it transfers:"
    return _below(caption, markdown_table(READ_COLUMNS, map(read_row, main.measurements)))


def scans_block(design: Design, main: VariantCosts) -> str:
    """Every question as a `rowbook ask` command, and the rows that it reads as statements of the HBase shell."""
    lines: list[str] = []
    for measurement in main.measurements:
        lines += [f"# {measurement.pattern.question}", f"# rowbook ask {design.name} {measurement.pattern.words}"]
        if measurement.refused:
            lines.append("# refused")
        ranges = measurement.cost.ranges
        lines += [statement(table.decode(), rows) for table, rows in ranges[:RANGES_SHOWN]]
        if len(ranges) > RANGES_SHOWN:
            lines.append(f"# and {len(ranges) - RANGES_SHOWN} ranges more")
    caption = (
        f"The rows that each question reads in `{main.variant.name}`, as the HBase shell takes them: `STARTROW` "
        "inclusive, `STOPROW` exclusive, bytes that are not printable as `\\x` and two hex digits."
    )
    return _below(caption, _text("\n".join(lines), "ruby"))


EXCEPTIONS = {
    "ranges": "more ranges in larger tables",
    "rows": "more rows read than in proportion to those returned",
    "loading": "more rows each time the same records are loaded",
    "answers": "other answers",
}
"""What an exemption from each of the `FACTS` means."""


def exemptions_block(design: Design) -> str:
    """The facts that hold for every variant at any size of its tables, and each exemption with its reason."""
    *facts, last = FACTS.values()
    caption = (
        f"At any size of the tables, tested at three, every variant {', '.join(facts)}, and {last}. Exceptions: "
        f"{'none.' if not _exemptions(design) else ''}"
    ).strip()
    return _below(caption, markdown_list(map(_exemption_line, *zip(*_exemptions(design).items(), strict=True))))


def _exemptions(design: Design) -> dict[Exemption, list[str]]:
    """Each exemption of the design with the names of the variants that have it; no names if all variants have it."""
    by_variant: dict[Exemption, list[str]] = {exemption: [] for exemption in design.exemptions}
    for variant in design.variants:
        for exemption in variant.exemptions:
            by_variant.setdefault(exemption, []).append(variant.name)
    return by_variant


def _exemption_line(exemption: Exemption, variants: Sequence[str]) -> str:
    questions = "; ".join(pattern.question for pattern in exemption.patterns)
    who = ", ".join(f"`{name}`" for name in variants) or "every variant"
    return f"{who}: {EXCEPTIONS[exemption.fact]}, because {exemption.reason}" + (f" ({questions})" if questions else "")


def refused_block(variants: Iterable[VariantCosts]) -> str:
    """The questions that variants refuse, an item for each reason."""
    return _below("Refused, and why:", markdown_list(refusal.line for refusal in refusals(variants)))


def published_block(design: Design) -> str:
    """Each key as published, over the bytes of the design's own, and why they differ."""
    tables = {table.name: variant.name for variant in reversed(design.variants) for table in variant.tables}
    blocks = ["The published bytes, over those stored here for the same values:"]
    for (source, quoted), keys in groupby(design.published, lambda published: (published.source, published.quoted)):
        blocks.append(f"{source}: `{quoted}`")
        for published in keys:
            variant = tables[published.table.name]
            title = f"`{published.table.name}`" + ("" if variant == design.main.name else f", variant `{variant}`")
            blocks += [
                f"{title}{'' if published.deviations else ', the same bytes'}:",
                _text(published_ruler(published, MAX_LINE)),
            ]
            if published.deviations:
                blocks.append(markdown_list(f"`{name}`: {why}" for name, why in published.deviations.items()))
    return "\n\n".join(blocks)


def traps_block(design: Design) -> str:
    """Published mistakes, each run beside the right way."""
    items: list[str] = []
    for trap in design.traps:
        name, published_as, task, wrong, right = trap_row(trap)
        items += [f'- **{name}**, published as "{published_as}"', f"  - asked for: {task}"]
        items += [f"  - gives: {wrong}", f"  - right way: {right}"]
    return "\n".join(items)


def design_blocks(design: Design) -> dict[str, str]:
    """All blocks of a design, from its samples loaded into empty stores, one for each variant."""
    blocks: dict[str, str] = {}
    variants: list[VariantCosts] = []
    for variant in design.variants:
        connection = connect("embedded:")
        create_tables(connection, variant.tables)
        variants.append(measure_variant(connection, design, variant))
        for table in variant.tables:
            name = table.name.replace("_", "-")
            blocks[f"layout-{name}"] = layout_block(table)
            blocks[f"row-{name}"] = row_block(connection, table)
            blocks[f"ordering-{name}"] = ordering_block(connection, table)
    return {
        **blocks,
        "variants": variants_block(design),
        "costs": costs_block(variants),
        "rpcs": rpcs_block(variants),
        "reads": reads_block(variants[0]),
        "scans": scans_block(design, variants[0]),
        "writes": writes_block(design, variants),
        "refused": refused_block(variants),
        "exemptions": exemptions_block(design),
        "published": published_block(design),
        "traps": traps_block(design),
    }


def index_block(designs: Iterable[Design]) -> str:
    """Every design with its question and its row keys."""
    lines: list[str] = []
    for design in designs:
        lines.append(markdown_list([f"[{design.name}](domains/{design.name}/README.md): {design.question}"]))
        lines += [f"  - `{table.name}` {key_line(table.layout)}" for table in design.main.tables]
    return "\n".join(lines)


# ---- the page of the stores -------------------------------------------------------------------------


FILTERS = (
    "RowFilter(=, 'binary:r')",
    "PrefixFilter('p')",
    "InclusiveStopFilter('r')",
    "PageFilter(10)",
    "SingleColumnValueFilter('f', 'q', =, 'binary:v', true, true)",
    "SingleColumnValueExcludeFilter('f', 'q', =, 'binary:v', true, true)",
    "DependentColumnFilter('f', 'q', true, =, 'binary:v')",
    "FamilyFilter(=, 'binary:f')",
    "QualifierFilter(=, 'binary:q')",
    "ColumnPrefixFilter('p')",
    "MultipleColumnPrefixFilter('p', 'q')",
    "ColumnRangeFilter('a', true, 'b', false)",
    "ColumnValueFilter('f', 'q', =, 'binary:v')",
    "FirstKeyOnlyFilter()",
    "ColumnCountGetFilter(3)",
    "ColumnPaginationFilter(3, 0)",
    "ValueFilter(=, 'binary:v')",
    "KeyOnlyFilter()",
    "TimestampsFilter(5, 7)",
    "KeyOnlyFilter() AND PageFilter(10)",
    "PrefixFilter('a') OR PrefixFilter('b')",
    "SKIP ValueFilter(=, 'binary:v')",
    "WHILE ValueFilter(=, 'binary:v')",
)
"""Each filter of the filter language, written with all its arguments; a test checks that none is missing."""


def _comparators_table() -> str:
    """The table in the docstring of `Comparison`."""
    lines = (comparators.Comparison.__doc__ or "").splitlines()
    return "\n".join(line.strip() for line in lines if line.strip().startswith("|"))


def stores_blocks() -> dict[str, str]:
    """Filters, limits and differences for the stores' README, from docstrings, constants and tests."""
    filters: list[str] = []
    for words in FILTERS:
        filter = filter_language.parse_filter(words.encode())
        rule, _, trap = " ".join((filter.__doc__ or "").split()).replace("Traps: ", "Trap: ").partition(" Trap: ")
        filters.append(f"`{words}`: {rule}" + (f" **Trap:** {trap}" if trap else ""))
    limits = (
        ("row key", f"1 to {MAX_ROW_BYTES:,} bytes"),
        ("family", f"1 to {rules.MAX_FAMILY_BYTES} bytes"),
        ("cell", f"{rules.MAX_CELL_BYTES:,} bytes: row, family, qualifier, value and 20 more"),
        ("idle scanner", f"{scanners.SCANNER_IDLE_S} s"),
        ("idle connection to `rowbook serve`, as to HBase's gateway", f"{server.CLIENT_IDLE_S:.0f} s"),
        ("framed message to `rowbook serve`, as to HBase's gateway", f"{messages.MAX_FRAME_BYTES:,} bytes"),
        ("buffered message to `rowbook serve`", f"{messages.MAX_MESSAGE_BYTES:,} bytes"),
        (
            "unanswered messages, unread replies, all clients",
            f"{memory.MAX_BUFFERED_BYTES:,} bytes, or `--buffer-mib`; up to {memory.SMALL_BYTES:,} always pass",
        ),
        ("text of a filter", f"{filter_language.MAX_FILTER_BYTES:,} bytes"),
        ("all patterns of a filter, their counted repeats written out", f"{java_patterns.MAX_STEPS:,} steps"),
        ("search of a cell for a pattern", f"{comparators.MATCH_S} s"),
        (
            "open scanners",
            f"{scanners.MAX_SCANNER_BYTES:,} bytes; beyond that the least recently used one is closed",
        ),
        ("batch in one transaction", f"{mutations.MAX_ATOMIC_MUTATIONS:,} mutations"),
    )
    return {
        "filters": markdown_list(filters),
        "comparators": _comparators_table(),
        "limits": markdown_table(("what", "limit"), limits),
        "differences": markdown_list(
            f"HBase: {difference.on_hbase}. **Here: {difference.here}.** Reason: {difference.why}. `{difference.test}`"
            for difference in DIFFERENCES
        ),
    }


def pages() -> dict[Path, Callable[[], str]]:
    """Every README that has generated blocks, with the function that makes the text that it should have."""

    def page_and_text(page: Path, blocks: Callable[[], Mapping[str, str]]) -> tuple[Path, Callable[[], str]]:
        return page, lambda: with_blocks(page.read_text(encoding="utf-8"), blocks())

    return dict(
        [
            *(
                page_and_text(ROOT / "domains" / design.name / "README.md", partial(design_blocks, design))
                for design in DESIGNS
            ),
            page_and_text(ROOT / "shared" / "stores" / "README.md", stores_blocks),
            page_and_text(ROOT / "README.md", lambda: {"designs": index_block(DESIGNS)}),
        ]
    )


if __name__ == "__main__":
    texts = {path: text() for path, text in pages().items()}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
