"""Writes the generated blocks of every README again. Run it: make readmes.

What stands in a README between two marks is the output of code:

    <!-- generated: patterns -->
    ...
    <!-- end -->
"""

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import happybase

from domains.designs import DESIGNS
from shared.designs import Design, Measured
from shared.designs.comparison import Compared, compared, comparison_columns, comparison_row, refusals
from shared.designs.cost_tables import PATTERN_COLUMNS, pattern_rows
from shared.designs.patterns import key_line
from shared.designs.ruler import ruler, show_value
from shared.designs.traps import TRAP_COLUMNS, trap_row
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
_BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z0-9-]+) -->\n)(?:(?!<!--).)*(<!-- end -->)", re.DOTALL)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A GitHub table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def bullet_list(items: Iterable[str]) -> str:
    """A list in Markdown, wrapped as prose is: for texts that are too long for the cells of a table."""
    return "\n".join(
        textwrap.fill(item, 120, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False) for item in items
    )


def with_blocks(text: str, blocks: Mapping[str, str]) -> str:
    """The README's text with every generated block made again.

    A block that nobody makes is a `KeyError`; a mark without its end is a `ValueError`, and nothing is lost.
    """
    made, count = _BLOCK.subn(lambda found: f"{found[1]}{blocks[found['name']]}\n{found[3]}", text)
    if not count == text.count("<!-- generated") == text.count("<!-- end"):
        raise ValueError(
            f"a README has {text.count('<!-- generated')} marks of generated blocks and {count} whole blocks"
        )
    return made


def layout_block(table: TableLayout[Any, Any]) -> str:
    """Parts and prefixes of a table's key, from left to right."""
    layout = table.layout
    rows = [(type(each).__name__, f"`{each}`", str(each.width_bytes), "computed") for each in layout.prefixes]
    for part in layout.parts:
        width = part.codec.width_bytes
        rows.append((part.name, f"`{part.codec}`", "varies" if width is None else str(width), part.meaning))
    return markdown_table(("part", "format", "bytes", "meaning"), rows)


def row_block(connection: happybase.Connection, table: TableLayout[Any, Any]) -> str:
    """The first stored row of a table under its ruler."""
    row, _cells = next(connection.table(table.name).scan(limit=1))
    return f"```text\n{ruler(table.layout, row)}\n```"


def ordering_block(connection: happybase.Connection, table: TableLayout[Any, Any], rows: int = 6) -> str:
    """Stored rows of a table as they sort: the first two of each value of the leading part."""
    lines: list[list[str]] = []
    names: list[str] = []
    seen: Counter[object] = Counter()
    for row, _cells in connection.table(table.name).scan():
        fields = [field for field in table.layout.segments(row) if field.value is not None]
        names = [field.name for field in fields]
        seen[fields[0].value] += 1
        if seen[fields[0].value] <= 2 and len(lines) < rows:
            lines.append([*(show_value(field.name, field.value) for field in fields), f"`{row.hex()}`"])
    return markdown_table((*names, "row"), lines)


def patterns_block(measured: Iterable[Measured]) -> str:
    """What every question costs."""
    return markdown_table(PATTERN_COLUMNS, pattern_rows(measured))


def ranges_block(measured: Iterable[Measured]) -> str:
    """The keys between which every question reads, in hex."""
    rows = [
        (
            each.pattern.question,
            table.decode(),
            f"`{found.start.hex()}`",
            "end" if found.stop is None else f"`{found.stop.hex()}`",
        )
        for each in measured
        for table, found in each.cost.ranges
    ]
    return markdown_table(("question", "table", "from", "up to"), rows)


def variants_block(design: Design, found: Iterable[Compared]) -> str:
    """What every question costs in every variant, and what each writes."""
    return markdown_table(comparison_columns(design), map(comparison_row, found))


def holds_block(design: Design) -> str:
    """The questions of each variant whose costs do not grow with its tables."""
    rows = [
        (each.name, ", ".join(each.same_ranges) or "-", ", ".join(each.rows_as_returned) or "-")
        for each in design.variants
    ]
    return markdown_table(("variant", "as many ranges", "rows read in proportion to rows returned"), rows)


def refused_block(found: Iterable[Compared]) -> str:
    """What the variants cannot answer, and why; questions that one variant refuses for one reason in one line."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for variant, question, reason in refusals(found):
        reasons.setdefault((variant, reason), []).append(question)
    rows = [(variant, "; ".join(questions), reason) for (variant, reason), questions in reasons.items()]
    return markdown_table(("variant", "question", "refused"), rows)


def design_blocks(design: Design) -> dict[str, str]:
    """All blocks of a design, from its samples loaded into empty stores, one for each variant."""
    blocks: dict[str, str] = {}
    found: list[Compared] = []
    for variant in design.variants:
        connection = connect("embedded:")
        create_tables(connection, variant.tables)
        found.append(compared(connection, design, variant))
        for table in variant.tables:
            name = table.name.replace("_", "-")
            blocks[f"layout-{name}"] = layout_block(table)
            blocks[f"row-{name}"] = row_block(connection, table)
            blocks[f"ordering-{name}"] = ordering_block(connection, table)
    if design.traps:
        blocks["traps"] = markdown_table(TRAP_COLUMNS, map(trap_row, design.traps))
    measured = found[0].measured
    rivals = {"variants": variants_block(design, found), "refused": refused_block(found), "holds": holds_block(design)}
    return {"patterns": patterns_block(measured), "ranges": ranges_block(measured), **rivals, **blocks}


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
"""Each filter of the language as it is written, with all its arguments; a test compares with those that it knows."""


def _comparators_table() -> str:
    """The table in the docstring of `Comparison`."""
    lines = (comparators.Comparison.__doc__ or "").splitlines()
    return "\n".join(line.strip() for line in lines if line.strip().startswith("|"))


def stores_blocks() -> dict[str, str]:
    """What the stores' README says of filters, limits and differences, from their docstrings, constants and tests."""
    of_filters: list[str] = []
    for words in FILTERS:
        filter = filter_language.parse_filter(words.encode())
        rule, _, trap = " ".join((filter.__doc__ or "").split()).replace("Traps: ", "Trap: ").partition(" Trap: ")
        of_filters.append(f"`{words}`: {rule}" + (f" **Trap:** {trap}" if trap else ""))
    of_limits = (
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
        "filters": bullet_list(of_filters),
        "comparators": _comparators_table(),
        "limits": markdown_table(("what", "limit"), of_limits),
        "differences": bullet_list(
            f"HBase: {difference.on_hbase}. **Here: {difference.here}.** Reason: {difference.why}. `{difference.test}`"
            for difference in DIFFERENCES
        ),
    }


def index_blocks() -> dict[str, str]:
    """The table of all designs."""
    rows = []
    for design in DESIGNS:
        keys = "<br>".join(f"`{table.name}` {key_line(table.layout)}" for table in design.main.tables)
        rows.append((f"[{design.name}](domains/{design.name}/README.md)", design.question, keys))
    return {"designs": markdown_table(("design", "question", "row keys"), rows)}


def pages() -> dict[Path, Callable[[], str]]:
    """Every README that has generated blocks, with the function that makes the text that it should have."""

    def made(page: Path, blocks: Callable[[], Mapping[str, str]]) -> tuple[Path, Callable[[], str]]:
        return page, lambda: with_blocks(page.read_text(encoding="utf-8"), blocks())

    return dict(
        [
            *(made(ROOT / "domains" / design.name / "README.md", partial(design_blocks, design)) for design in DESIGNS),
            made(ROOT / "shared" / "stores" / "README.md", stores_blocks),
            made(ROOT / "README.md", index_blocks),
        ]
    )


if __name__ == "__main__":
    texts = {path: text() for path, text in pages().items()}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
