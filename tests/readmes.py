"""Writes the generated blocks of every README again. Run it: make readmes.

What stands in a README between two marks is the output of code:

    <!-- generated: patterns -->
    ...
    <!-- end -->
"""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import attrs
import happybase

from domains.command_line.designs import all_designs
from domains.command_line.listing import LISTING
from domains.command_line.shown_designs import listing_text
from domains.command_line.words import questions, shown_arguments
from domains.monitoring import TABLES as MONITORING_TABLES
from domains.monitoring import Point as MonitoredPoint
from domains.monitoring import PointRepository
from domains.tsdb import TsdbRepository
from domains.tsdb.rewriting import QUIET_MS
from shared.designs import FACTS, Design, Exemption, Load, Measurement, Wrong, load_samples, measure, metered
from shared.designs.comparison import RANGES, VariantCosts, measure_variant, stored_bytes
from shared.designs.cost_tables import (
    READ_COLUMNS,
    SPREAD_COLUMNS,
    WRITTEN_COLUMNS,
    listed,
    read_row,
    refusals,
    rpcs,
    spread_rows,
    verdict,
    written_row,
)
from shared.designs.patterns import key_line
from shared.designs.ruler import cell_lines, published_ruler, rows_ruler, ruler
from shared.designs.shell import statement
from shared.designs.traps import trap_row
from shared.keys import MAX_ROW_BYTES
from shared.keys.limits import MAX_CELL_BYTES, MAX_FILTER_BYTES
from shared.queries.pages import READ_AT_MOST
from shared.records import show_time
from shared.stores import connect
from shared.stores.embedded import mutations, rules, scanners
from shared.stores.filters import comparators, java_patterns
from shared.stores.filters import language as filter_language
from shared.stores.server import memory, messages
from shared.stores.server import thrift_server as server
from shared.tables import Cells, ItemCells, RecordCells, TableLayout, create_tables
from shared.writes import SourceCells, WriterClock
from tests.crashes import Steps
from tests.domains.feeds.costs import AUTHORS, LINES, PAGE, bounds_rows, page_rows, threshold_rows
from tests.domains.feeds.stopped_writes import steps as feeds_steps
from tests.domains.messages.stopped_writes import steps as messages_steps
from tests.domains.orders.stopped_writes import steps as orders_steps
from tests.engines import Embedded, Engine
from tests.shared.stores.test_differences import DIFFERENCES

ROOT = Path(__file__).parent.parent
SPEED = ROOT / "fixtures" / "tsdb" / "speed.json"
MAX_LINE = 120
"""Characters of a table's line in a README."""
MAX_COLUMNS = 7
RANGES_SHOWN = 8
"""Statements that one question shows; of more ranges it says how many."""
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
    """The README's text with every generated block made again.

    A block that nobody makes is a `KeyError`; a mark without its end is a `ValueError`, and nothing is lost.
    """
    made, count = _BLOCK.subn(lambda match: f"{match[1]}{blocks[match['name']]}\n{match[3]}", text)
    if not count == text.count("<!-- generated") == text.count("<!-- end"):
        raise ValueError(
            f"a README has {text.count('<!-- generated')} marks of generated blocks and {count} whole blocks"
        )
    return made


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
    """The first stored row of a table under its ruler; and two of its cells, if a row holds many records."""
    row, cells = next(connection.table(table.name).scan(columns=table.cells.columns, limit=1))
    block = _below("One stored row: names, values, bytes.", _text(ruler(table.layout, row, MAX_LINE)))
    if isinstance(table.cells, RecordCells | SourceCells):
        return block
    first = dict(sorted(cells.items())[:2])
    lines = "\n".join(text for _kind, text in cell_lines(table, first, MAX_LINE))
    return f"{block}\n\nThe first {len(first)} of its {len(cells)} cells, each with its value.\n\n{_text(lines)}"


def ordering_block(connection: happybase.Connection, table: TableLayout[Any, Any], count: int = 6) -> str:
    """Stored rows of a table as they sort: the first two of each value of the leading part."""
    rows: list[bytes] = []
    seen: Counter[object] = Counter()
    for row, _cells in connection.table(table.name).scan(columns=table.cells.columns):
        leading = next(segment.value for segment in table.layout.segments(row) if segment.value is not None)
        seen[leading] += 1
        if seen[leading] <= 2 and len(rows) < count:
            rows.append(row)
    return _text(rows_ruler(table.layout, rows, MAX_LINE))


def _below(caption: str, block: str) -> str:
    return f"{_filled(caption)}\n\n{block}"


def _filled(text: str) -> str:
    return textwrap.fill(text, MAX_LINE, break_on_hyphens=False)


def _text(text: str, language: str = "text") -> str:
    return f"```{language}\n{text}\n```"


def variants_block(design: Design) -> str:
    """Every table of every variant, with its row key; then why some variants are not to be copied."""
    rows: list[tuple[str, str, str]] = []
    for variant in design.variants:
        name = variant.name
        for table in variant.record_tables:
            rows.append((name, table.name, key_line(table.layout)))
            name = ""
    table = markdown_table(("variant", "table", "row key"), rows)
    marked = [f"`{variant.name}` {variant.warning}" for variant in design.variants if not variant.is_to_copy]
    return "\n\n".join([table, "Not to be copied:", markdown_list(marked)]) if marked else table


def columns_block(design: Design) -> str:
    """The attributes that each table stores in columns; tables with equal columns are one item."""
    by_columns: dict[str, list[str]] = {}
    tables = [table for variant in design.variants for table in variant.record_tables]
    for name, columns in dict.fromkeys((table.name, _columns_of(table.cells)) for table in tables):
        by_columns.setdefault(columns, []).append(f"`{name}`")
    items = [f"{', '.join(names)}: {columns or 'none'}" for columns, names in by_columns.items()]
    return _below("Columns of each table, besides the row key:", markdown_list(items))


def _columns_of(cells: Cells[Any]) -> str:
    """What a table stores in columns: attribute and column, or the qualifier and the value of each cell."""
    if isinstance(cells, ItemCells):
        value = listed((cells.value,) if isinstance(cells.value, str) else cells.value or ("nothing",))
        return f"for each record a cell `{cells.family}:`{key_line(cells.qualifier)}, which holds {value}"
    if isinstance(cells, RecordCells):
        marker = [] if cells.marker is None else [f"a marker (`{cells.marker}`)"]
        return ", ".join([*marker, *(f"{name} (`{column.name}`)" for name, column in cells.attributes.items())])
    if isinstance(cells, SourceCells):
        return f"all of {', '.join(cells.cell_attributes)} in one cell (`{cells.columns[0].decode()}`)"
    return ", ".join(column.decode() for column in cells.columns)


ANSWERS = {"page": "page", "first": "one record, or none", "count": "number", "value": "value"}
"""The kinds of answers in words."""


def questions_block(design: Design) -> str:
    """What `rowbook ask` takes: every question with its arguments, and what it answers with."""
    rows = [
        (f"`{name}`", f"`{shown_arguments(patterns[0])}`", ANSWERS[patterns[0].answer])
        for name, patterns in questions(design).items()
    ]
    caption = (
        f"What `rowbook ask {design.name}` takes; arguments in brackets may be left out. A page holds up to `--limit` "
        "records, and its cursor continues after them."
    )
    return _below(caption, markdown_table(("question", "arguments", "answer"), rows))


def _samples_line(design: Design) -> str:
    """What the samples consist of: number of records, period, and how many values each part of a key has."""
    parts = {part.name for table in design.main.record_tables for part in table.layout.parts}
    return " ".join(_load_line(load, parts) for load in design.loads)


def _load_line(load: Load, parts: Iterable[str]) -> str:
    records = list(load.sample_records())
    attributes = [field.name for field in attrs.fields(load.record) if field.name in parts]
    period = next((name for name in attributes if name.endswith("_ms")), None)
    line = f"Measured on {len(records):,} sample {load.name}"
    if period:
        times = [getattr(record, period) for record in records]
        line += f", from {show_time(min(times))} to {show_time(max(times))}"
    counts = {name: Counter(getattr(record, name) for record in records) for name in attributes if name != period}
    values = [
        f"{len(count)} values of `{name}` (the most frequent one has {max(count.values()) / len(records):.0%} of them)"
        for name, count in counts.items()
        if len(count) < len(records)
    ]
    return f"{line}. They have {' and '.join(values)}." if values else f"{line}."


LEGEND = (
    (r"1 range", "`{0}`: one get, or one scan that reads the answer and at most two rows beyond it."),
    (r"(\d+) ranges", "`{0}`: {1} gets or scans. A cell that names no ranges reads one."),
    (r"1 range, (\d+) gets?", "`{0}`: one scan, then one call that gets the {1} rows that the scanned rows name."),
    (
        r"([\d.]+)x, filtered",
        "`{0}`: {1} rows are read for each row returned, and the client drops the others. A page ends short, with a "
        f"cursor, after {READ_AT_MOST:,} rows read.",
    ),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, server filter",
        "`{0}`: {1} rows are read for each row returned; the region server drops the others, and the factor grows with "
        "their number.",
    ),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, computed",
        "`{0}`: {1} rows, or cells of rows that hold many records, are read for each value of the answer, which the "
        "client computes from them.",
    ),
    (
        r"([\d.]+)x, sorted",
        "`{0}`: {1} rows are read for each row returned; the client, or a server-side filter, drops the others, and "
        "the client sorts the rest. Each page "
        f"reads all rows of its ranges, and is refused if these are more than {READ_AT_MOST:,}.",
    ),
    (r"wrong answer", "`{0}`: the variant lost records of the answer, so its cost is not shown."),
    (r"refused", "`{0}`: no range of the row key answers the question; the reasons are below."),
)
"""The kinds of verdicts, each with what an example means; 0 is the whole verdict, 1 its number."""


def costs_block(design: Design, variants: Sequence[VariantCosts]) -> str:
    """What the samples are, what a verdict means, and the verdict on every question in every variant."""
    silent = [f"`{variant.variant.name}`" for variant in variants if not variant.answers]
    caption = [_samples_line(design), f"`{design.main.name}` is the design itself."]
    caption += [f"{', '.join(silent)} has no column: it refuses every question."] if silent else []
    tables = across(variants, verdict)
    return "\n\n".join([_filled(" ".join(caption)), markdown_list(_legend(variants)), tables])


def _legend(variants: Sequence[VariantCosts]) -> Iterator[str]:
    """What each kind of verdict in the table means, said of the first one of its kind."""
    verdicts = [verdict(measurement) for variant in variants if variant.answers for measurement in variant.measurements]
    for pattern, meaning in LEGEND:
        matches = (re.fullmatch(pattern, words) for words in verdicts)
        if match := next(filter(None, matches), None):
            yield meaning.format(match[0], *match.groups())


def across(variants: Sequence[VariantCosts], cell: Callable[[Measurement], str]) -> str:
    """Questions down and variants across: as few tables as are narrow enough, each with the design itself first.

    Variants that refuse every question are left out.
    """
    main, *others = [variant for variant in variants if variant.answers]
    for count in range(1, len(others) + 1):
        size = -(-len(others) // count)
        tables = [_across([main, *others[at : at + size]], cell) for at in range(0, len(others), size)]
        if all(map(fits, tables)):
            return "\n\n".join(tables)
    return _across([main, *others], cell)


def _across(variants: Sequence[VariantCosts], cell: Callable[[Measurement], str]) -> str:
    rows = [
        (row[0].pattern.question, *map(cell, row))
        for row in zip(*(variant.measurements for variant in variants), strict=True)
    ]
    return markdown_table(("question", *(variant.variant.marked_name for variant in variants)), rows)


def rpcs_block(variants: Sequence[VariantCosts]) -> str:
    """The RPCs of every question in every variant."""
    caption = (
        "RPCs of each question. A get, of one row or of up to 1,000, is one call to the Thrift gateway; a scan is a "
        "call to open it, one for each "
        "batch of rows, and one to close it. The calls of a question follow one another."
    )
    return _below(caption, across(variants, rpcs))


def writes_block(variants: Sequence[VariantCosts]) -> str:
    """What a record takes in every variant."""
    caption = (
        "What one record takes in all tables of a variant: rows, bytes before compression, calls to store it; bytes of "
        "its intent."
    )
    rows = [(variant.variant.marked_name, *written_row(variant)) for variant in variants]
    return _below(caption, markdown_table(("variant", *WRITTEN_COLUMNS), rows))


def steps_block(steps: Steps) -> str:
    """The calls of each write, what readers see after each of them, and how many crash points the tests visit."""
    caption = (
        "The calls of each write that change the store, and what readers see if the writer dies after the call. The "
        "first line of a write is what they see before it."
    )
    points = listed(f"{name} ({calls} calls, {points})" for name, (calls, points) in steps.points().items())
    visited = (
        "Tests stop each write before and after every one of its calls, with the writer dead or only its reply lost. "
        f"Writes, their calls and these crash points: {points}. The first write of a connection also compares the "
        "clocks; the table leaves that call out."
    )
    table = markdown_table(("write", "call", *steps.columns), steps.rows())
    return "\n\n".join([_filled(caption), table, _filled(visited)])


def spread_block(design: Design, variants: Sequence[VariantCosts]) -> str:
    """Where the newest rows of every table go."""
    caption = (
        f"Where new rows go. Each table is cut into {RANGES} ranges that hold equal numbers of its older records. Its "
        f"newest records are those of the last {_duration(design.newest_ms)}; the last column is the share of them "
        f"that falls into one range. {1 / RANGES:.1%} is an even spread, 100% a hot spot. With few records, expect "
        "some points of noise."
    )
    return _below(caption, markdown_table(SPREAD_COLUMNS, spread_rows(variants)))


def _duration(duration_ms: int) -> str:
    units = (("days", 86_400_000), ("hours", 3_600_000), ("minutes", 60_000), ("seconds", 1000), ("milliseconds", 1))
    name, length_ms = next(unit for unit in units if duration_ms % unit[1] == 0 and duration_ms > unit[1])
    return f"{duration_ms // length_ms} {name}"


def reads_block(main: VariantCosts) -> str:
    """What every question reads in the design itself."""
    caption = f"What `{main.variant.name}` reads, and what it transfers:"
    return _below(caption, markdown_table(READ_COLUMNS, map(read_row, main.measurements)))


def scans_block(design: Design, main: VariantCosts) -> str:
    """Every question as `rowbook ask` takes it, and the rows that it reads as the HBase shell takes them."""
    lines: list[str] = []
    for measurement in main.measurements:
        lines += [f"# {measurement.pattern.question}", f"# rowbook ask {design.name} {measurement.pattern.words}"]
        if measurement.refused:
            lines.append("# refused")
        printed = statements(measurement)
        lines += printed[:RANGES_SHOWN]
        if len(printed) > RANGES_SHOWN:
            lines.append(f"# and {len(printed) - RANGES_SHOWN} statements more")
    caption = (
        f"The rows that each question reads in `{main.variant.name}`, as the HBase shell reads them. `STARTROW` is "
        "inclusive, `STOPROW` exclusive; a reverse scan starts at the higher key. Bytes that are not printable are "
        "`\\x` and two hex digits. `LIMIT` is one row more than a page holds: that row tells whether another page "
        "follows. A scan without `LIMIT` reads on until the client has its page, because it drops or sorts rows."
    )
    return _below(caption, _text("\n".join(lines), "ruby"))


def statements(measurement: Measurement) -> list[str]:
    """The gets and scans of a question as the HBase shell takes them."""
    limit = row_limit(measurement)
    return [
        statement(read.table.decode(), read.rows, reverse=read.reverse, filter=read.filter, limit=limit)
        for read in measurement.reads
    ]


def row_limit(measurement: Measurement) -> int | None:
    """The rows after which a page closes its scan; None if it does not know how many rows it has to read."""
    explanation = measurement.explanation
    if explanation is None or explanation.is_wide or explanation.client_work:
        return None
    return measurement.pattern.limit + 1


EXCEPTIONS = {
    "ranges": ("reads", "more ranges in larger tables"),
    "rows": ("reads", "more rows"),
    "loading": ("stores", "more rows each time the same records are loaded"),
    "order": ("gives", "the same answers in another order"),
}
"""What an exemption from each of the `FACTS` means, the verb and the rest."""


def exemptions_block(design: Design) -> str:
    """What holds for every variant at any size of its tables, and where it does not, with the reason."""
    *facts, last = FACTS.values()
    lines = [_exemption_line(*exemption) for exemption in _exemptions(design).items()]
    lines += [
        f"`{variant.name}` gives wrong answers for {_questions_of(wrong)}, because it loses {wrong.loses}"
        for variant in design.variants
        if (wrong := variant.wrong) is not None
    ]
    exceptions = "Exceptions:" if lines else "There are no exceptions."
    caption = f"What holds for every variant, tested at 1, 4 and 16 times the samples: {'; '.join(facts)}; {last}. "
    caption += exceptions
    return _below(caption, markdown_list(lines)) if lines else _filled(caption)


def _exemptions(design: Design) -> dict[Exemption, list[str]]:
    """Each exemption of the design with the names of the variants that have it, none for those that all have."""
    by_variant: dict[Exemption, list[str]] = {exemption: [] for exemption in design.exemptions}
    for variant in design.variants:
        for exemption in variant.exemptions:
            by_variant.setdefault(exemption, []).append(variant.name)
    return by_variant


def _exemption_line(exemption: Exemption, variants: Sequence[str]) -> str:
    verb, rest = EXCEPTIONS[exemption.fact]
    subject = listed(f"`{name}`" for name in variants) if variants else "every variant"
    verb = verb.removesuffix("s") if len(variants) > 1 else verb
    questions_of_it = f" for {_questions_of(exemption)}" if exemption.patterns else ""
    return f"{subject} {verb} {rest}{questions_of_it}, because {exemption.reason}"


def _questions_of(exception: Exemption | Wrong) -> str:
    return listed(f'"{pattern.question}"' for pattern in exception.patterns)


def refused_block(variants: Iterable[VariantCosts]) -> str:
    """What the variants cannot answer, an item for each reason."""
    return _below("Refused, and why:", markdown_list(refusal.line("`") for refusal in refusals(variants)))


def published_block(design: Design) -> str:
    """Each key as published, over the bytes of the design's own, and why they differ."""
    tables = {table.name: variant.name for variant in reversed(design.variants) for table in variant.tables}
    blocks = ["Published bytes (top) and stored bytes (bottom) of the same values:"]
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
        name, published, wanted, wrong, right = trap_row(trap)
        items += [f'- **{name}**, published as "{published}"', f"  - asked for: {wanted}"]
        items += [f"  - gives: {wrong}", f"  - right way: {right}"]
    return "\n".join(items)


STEPS: Mapping[str, Callable[[Engine], Steps]] = {
    "orders": orders_steps,
    "messages": messages_steps,
    "feeds": feeds_steps,
}
"""The designs whose README shows the steps of their writes."""


def design_blocks(design: Design) -> dict[str, str]:
    """All blocks of a design, from its samples loaded into empty stores, one for each variant."""
    blocks: dict[str, str] = {}
    variants: list[VariantCosts] = []
    for variant in design.variants:
        connection = connect("embedded:")
        create_tables(connection, variant.tables)
        variants.append(measure_variant(connection, design, variant))
        for table in variant.record_tables:
            name = table.name.replace("_", "-")
            if f"layout-{name}" in blocks:  # a table that two variants share is shown as the first of them fills it
                continue
            blocks[f"layout-{name}"] = layout_block(table)
            if table in variant.unfilled:
                continue
            blocks[f"row-{name}"] = row_block(connection, table)
            blocks[f"ordering-{name}"] = ordering_block(connection, table)
    if design.name in STEPS:
        blocks["steps"] = steps_block(STEPS[design.name](Embedded()))
    return {
        **blocks,
        "variants": variants_block(design),
        "columns": columns_block(design),
        "questions": questions_block(design),
        "costs": costs_block(design, variants),
        "rpcs": rpcs_block(variants),
        "reads": reads_block(variants[0]),
        "scans": scans_block(design, variants[0]),
        "writes": writes_block(variants),
        "spread": spread_block(design, variants),
        "refused": refused_block(variants),
        "exemptions": exemptions_block(design),
        "published": published_block(design),
        "traps": traps_block(design),
        **(OWN_BLOCKS[design.name](design) if design.name in OWN_BLOCKS else {}),
    }


def feeds_blocks(_design: Design) -> dict[str, str]:
    """When pulling is cheaper than pushing, and what it costs to bound a timeline."""
    pages = markdown_table(("authors with a stream", "RPCs of a page", "rows fetched"), page_rows())
    columns = (
        "followers",
        "a post that is pushed",
        "a post that is pulled",
        "pages for each post, by RPCs",
        "by rows",
    )
    threshold = "\n\n".join(
        [
            f"A page of {PAGE} posts, for a reader who follows {AUTHORS} authors:",
            pages,
            _filled(
                "A post, once clocks are compared and without the scan that counts followers; and how many pages all "
                "followers together read for each post of the author when both ways cost the same. With fewer pages, "
                "pulling is cheaper:"
            ),
            markdown_table(columns, threshold_rows()),
        ]
    )
    bounds = markdown_table((f"a timeline of {LINES} lines", "costs", "a reader of all of it then"), bounds_rows())
    return {"threshold": threshold, "bounds": bounds}


def storage_blocks(design: Design) -> dict[str, str]:
    """Bytes of the samples of `tsdb`: as `monitoring` stores them, under UIDs, and compacted; and its speed."""
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
        f"compression. The names need {names[1]:,} bytes besides, once."
    )
    storage = _below(caption, markdown_table(("form", "cells", "bytes for each point"), rows))
    return {"storage": storage, **speed_blocks()}


def speed_blocks() -> dict[str, str]:
    """Loads and questions of `tsdb` beside a real OpenTSDB, as `make bench-opentsdb RECORD=1` recorded them."""
    recorded: dict[str, Any] = json.loads(SPEED.read_text(encoding="utf-8"))
    loads, questions = recorded["loads"], recorded["questions"]

    def rate(points: int, took_ms: float) -> str:
        return f"{points / took_ms * 1000:,.0f}"

    ratios = {(one["form"], one["theirs"]): f"{1 / one['ours_by_theirs']:.1f}" for one in loads}
    others = {one["theirs"]: rate(one["points"], one["theirs_ms"]) for one in loads}
    ours = {one["form"]: rate(one["points"], one["ours_ms"]) for one in loads}
    rows = [[form, figure, *(ratios[form, other] for other in others)] for form, figure in ours.items()]
    rows += [[f"OpenTSDB, {other}", figure, *[""] * len(others)] for other, figure in others.items()]
    rows += [
        ["the first on the embedded store", rate(one["points"], one["embedded_ms"]), *[""] * len(others)]
        for one in loads[:1]
    ]
    load_table = markdown_table(
        (loads[0]["work"], "points/s", *(f"times that of {other.partition(',')[0]}" for other in others)), rows
    )
    question_table = markdown_table(
        ("question", "rows", "ours, ms", "OpenTSDB, ms", "ours / OpenTSDB", "embedded, ms"),
        [
            [
                one["work"],
                one["form"],
                *(f"{one[side]:,.1f}" for side in ("ours_ms", "theirs_ms")),
                f"{one['ours_by_theirs']:.2f}",
                f"{one['embedded_ms']:,.1f}",
            ]
            for one in questions
        ],
    )
    caption = (
        f"Beside OpenTSDB {recorded['opentsdb']} on the same HBase {recorded['hbase']}, in turns, medians of at least "
        f"{recorded['rounds']} rounds, on {recorded['cores']} cores with other work. A load ends when its points "
        "can be read. `make bench-opentsdb RECORD=1` does it again."
    )
    return {"speed": "\n\n".join([_filled(caption), load_table, question_table])}


class EarlierClock(WriterClock):
    """A clock so far behind that what it dates is old enough to be compacted."""

    def read_ms(self) -> int:
        return super().read_ms() - 2 * QUIET_MS


def _stored_bytes(connection: happybase.Connection, table: str) -> tuple[int, int]:
    """The cells of a table, and their bytes."""
    sizes = [
        stored_bytes(row, column, value)
        for row, cells in connection.table(table).scan()
        for column, value in cells.items()
    ]
    return len(sizes), sum(sizes)


def folding_blocks(design: Design) -> dict[str, str]:
    """What counts of a day read before and after its fold, and what the fold costs."""
    connection = connect("embedded:")
    create_tables(connection, design.main.tables)
    repository = load_samples(connection, design, design.main)
    patterns = [pattern for pattern in design.patterns if "day_ms" in pattern.sample]
    before = measure(connection, repository, patterns)
    (day_ms,) = {pattern.sample["day_ms"] for pattern in patterns}
    with metered(connection) as cost:
        users = repository.fold(day_ms)
    after = measure(connection, repository, patterns)
    rows = [
        (pattern.question, *(str(figure) for costs in both for figure in _fetched(costs)))
        for pattern, *both in zip(patterns, before, after, strict=True)
    ]
    columns = ("question", *(f"{what}{when}" for when in ("", ", folded") for what in ("RPCs", "cells", "bytes")))
    caption = (
        f"What the sample questions fetch before and after {show_time(day_ms)} is folded. The fold itself takes "
        f"{cost.rpcs} RPCs for {users} users, and reads {cost.cells_fetched} cells."
    )
    return {"folding": _below(caption, markdown_table(columns, rows))}


def _fetched(measurement: Measurement) -> tuple[int, int, int]:
    cost = measurement.cost
    return cost.rpcs, cost.cells_fetched, cost.bytes_fetched


OWN_BLOCKS: Mapping[str, Callable[[Design], dict[str, str]]] = {
    "counters": folding_blocks,
    "feeds": feeds_blocks,
    "tsdb": storage_blocks,
}
"""The blocks that only the README of one design has, by the design's name."""


def index_block(designs: Iterable[Design]) -> str:
    """Every design with its question and its row keys."""
    lines: list[str] = []
    for design in designs:
        lines.append(markdown_list([f"[{design.name}](domains/{design.name}/README.md): {design.question}"]))
        lines += [f"  - `{table.name}` {key_line(table.layout)}" for table in design.main.record_tables]
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
        ("cell", f"{MAX_CELL_BYTES:,} bytes: row, family, qualifier, value and 20 more"),
        ("idle scanner", f"{scanners.SCANNER_IDLE_S} s"),
        ("idle connection to `rowbook serve`, as to HBase's gateway", f"{server.CLIENT_IDLE_S:.0f} s"),
        ("framed message to `rowbook serve`, as to HBase's gateway", f"{messages.MAX_FRAME_BYTES:,} bytes"),
        ("buffered message to `rowbook serve`", f"{messages.MAX_MESSAGE_BYTES:,} bytes"),
        (
            "unanswered messages, unread replies, all clients",
            f"{memory.MAX_BUFFERED_BYTES:,} bytes, or `--buffer-mib`; up to {memory.SMALL_BYTES:,} always pass",
        ),
        ("text of a filter", f"{MAX_FILTER_BYTES:,} bytes"),
        ("all patterns of a filter, their counted repeats written out", f"{java_patterns.MAX_STEPS:,} steps"),
        ("search of a cell for a pattern", f"{comparators.MATCH_S} s"),
        (
            "open scanners",
            f"{scanners.MAX_SCANNER_BYTES:,} bytes; beyond that the least recently used one is closed",
        ),
        ("batch in one transaction", f"{mutations.MAX_ATOMIC_MUTATIONS:,} mutations"),
    )
    return {
        "filters": markdown_list(of_filters),
        "comparators": _comparators_table(),
        "limits": markdown_table(("what", "limit"), of_limits),
        "differences": markdown_list(
            f"HBase: {difference.on_hbase}. **Here: {difference.here}.** Reason: {difference.why}. `{difference.test}`"
            for difference in DIFFERENCES
        ),
    }


def pages() -> dict[Path, Callable[[], str]]:
    """Every README that has generated blocks, with the function that makes the text that it should have."""

    def made(page: Path, blocks: Callable[[], Mapping[str, str]]) -> tuple[Path, Callable[[], str]]:
        return page, lambda: with_blocks(page.read_text(encoding="utf-8"), blocks())

    return dict(
        [
            *(
                made(ROOT / "domains" / design.name / "README.md", partial(design_blocks, design))
                for design in all_designs()
            ),
            made(ROOT / "shared" / "stores" / "README.md", stores_blocks),
            (LISTING, listing_text),
            made(ROOT / "README.md", lambda: {"designs": index_block(all_designs())}),
        ]
    )


if __name__ == "__main__":
    texts = {path: text() for path, text in pages().items()}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
