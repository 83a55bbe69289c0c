"""The blocks about keys: layouts, stored rows, their order, variants, columns, published bytes."""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from shared.designs.design import Design
from shared.designs.patterns import key_line
from shared.designs.ruler import cell_lines, laid_out, rows_ruler, ruler, value_and_bytes
from shared.exhibit import PublishedKey
from shared.exhibit.cost_tables import listed
from shared.exhibit.markdown import MAX_LINE, below, markdown_list, markdown_table, text_block
from shared.intents.source_cells import SourceCells
from shared.tables import ItemCells, RecordCells, TableLayout
from shared.tables.cells import Cells

if TYPE_CHECKING:
    import happybase


def layout_block(table: TableLayout[Any, Any]) -> str:
    """Parts and prefixes of a table's key, from left to right."""
    layout = table.key
    rows = [(type(prefix).__name__, f"`{prefix}`", str(prefix.width_bytes), "computed") for prefix in layout.prefixes]
    for part in layout.parts:
        width = part.codec.width_bytes
        rows.append((part.name, f"`{part.codec}`", "varies" if width is None else str(width), part.meaning))
    return markdown_table(("part", "[format](../../shared/keys/README.md)", "bytes", "meaning"), rows)


def row_block(connection: "happybase.Connection", table: TableLayout[Any, Any]) -> str:
    """The first stored row of a table under its ruler; and two of its cells, if a row holds many records."""
    row, cells = next(connection.table(table.name).scan(columns=table.cells.columns, limit=1))
    block = below("One stored row: names, values, bytes.", text_block(ruler(table.key, row, MAX_LINE)))
    if isinstance(table.cells, RecordCells | SourceCells):
        return block
    first = dict(sorted(cells.items())[:2])
    lines = text_block(cells_text(table, first))
    return f"{block}\n\nThe first {len(first)} of its {len(cells)} cells, each with its value.\n\n{lines}"


def cells_text(table: TableLayout[Any, Any], cells: Mapping[bytes, bytes]) -> str:
    """Cells of a row with their values, in lines that fit a page."""
    return "\n".join(text for _kind, text in cell_lines(table, cells, MAX_LINE))


def ordering_block(connection: "happybase.Connection", table: TableLayout[Any, Any], count: int = 6) -> str:
    """Stored rows of a table as they sort: the first two of each value of the leading part."""
    rows: list[bytes] = []
    seen: Counter[object] = Counter()
    for row, _cells in connection.table(table.name).scan(columns=table.cells.columns):
        leading = next(segment.value for segment in table.key.segments(row) if segment.value is not None)
        seen[leading] += 1
        if seen[leading] <= 2 and len(rows) < count:
            rows.append(row)
    return text_block(rows_ruler(table.key, rows, MAX_LINE))


def variants_block(design: Design) -> str:
    """Each table with its row key (of a variant, only tables that the design itself lacks), and a list not to copy."""
    of_design = design.main.record_tables
    rows: list[tuple[str, str, str]] = []
    for variant in design.variants:
        own = [table for table in variant.record_tables if variant is design.main or table not in of_design]
        keys = dict.fromkeys((table.name, key_line(table.key)) for table in own) or {("the same tables", ""): None}
        names = [variant.name, *[""] * len(keys)]
        rows += [(name, *key) for name, key in zip(names, keys, strict=False)]
    shown = markdown_table(("variant", "table", "row key"), rows)
    marked = [f"`{variant.name}` {variant.warning}" for variant in design.variants if not variant.is_to_copy]
    return "\n\n".join([shown, "Not to be copied:", markdown_list(marked)]) if marked else shown


def columns_block(design: Design) -> str:
    """The attributes that each table stores in columns; tables with equal columns are one item."""
    by_columns: dict[str, list[str]] = {}
    tables = [table for variant in design.variants for table in variant.record_tables]
    for name, columns in dict.fromkeys((table.name, _columns_of(table.cells)) for table in tables):
        by_columns.setdefault(columns, []).append(f"`{name}`")
    items = [f"{', '.join(names)}: {columns or 'none'}" for columns, names in by_columns.items()]
    return below("Columns of each table:", markdown_list(items))


def _columns_of(cells: Cells[Any]) -> str:
    """The columns of a table: attribute and column, or the qualifier and the value of each cell."""
    if isinstance(cells, ItemCells):
        value = listed((cells.value,) if isinstance(cells.value, str) else cells.value or ("nothing",))
        return f"for each record a cell `{cells.family}:`{key_line(cells.qualifier)}, which holds {value}"
    if isinstance(cells, RecordCells):
        marker = [] if cells.marker is None else [f"a marker (`{cells.marker}`)"]
        return ", ".join([*marker, *(f"{name} (`{column.name}`)" for name, column in cells.attributes.items())])
    if isinstance(cells, SourceCells):
        return f"all of {', '.join(cells.cell_attributes)} in one cell (`{cells.columns[0].decode()}`)"
    return ", ".join(column.decode() for column in cells.columns)


def published_block(design: Design) -> str:
    """Each published key, above the bytes of the design's own, and why they differ; then each published column."""
    tables = {table.name: variant.name for variant in reversed(design.variants) for table in variant.tables}
    blocks = ["Published bytes (top) and stored bytes (bottom) of the same values:"]
    for (source, quoted), keys in groupby(design.published, lambda published: (published.source, published.quoted)):
        blocks.append(f"{source}: `{quoted}`")
        for published in keys:
            variant = tables[published.table.name]
            title = f"`{published.table.name}`" + ("" if variant == design.main.name else f", variant `{variant}`")
            title += ", the qualifier" if published.is_qualifier else ""
            blocks += [
                f"{title}{'' if published.deviations else ', the same bytes'}:",
                text_block(published_ruler(published, MAX_LINE)),
            ]
            if published.deviations:
                blocks.append(markdown_list(f"`{name}`: {why}" for name, why in published.deviations.items()))
    lines: list[str] = []
    for column in design.published_columns:
        why = f": {column.deviation}" if column.deviation else ", the same"
        lines.append(f"{column.source}: `{column.quoted}`; in `{column.table.name}` `{column.here.decode()}`{why}")
    blocks += [below("Published columns:", markdown_list(lines))] if lines else []
    return "\n\n".join(blocks)


def published_ruler(published: PublishedKey, width: int = 100) -> str:
    """A published row over the row of this suite, both cut into the same parts, below names and values."""
    columns: list[tuple[str, ...]] = []
    for segment in published.segments:
        value, here = value_and_bytes(segment)
        data = published.parts.get(segment.name)
        columns.append((segment.name, value, "(absent)" if data is None else data.hex(" ") or "(no bytes)", here))
    return "\n".join(text for _kind, text in laid_out(columns, width, labels=("", "", "published", "here")))
