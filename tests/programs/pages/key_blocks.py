"""The blocks about keys: layouts, the order of stored rows, variants, columns, published bytes."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from shared.designs.design import Design, Variant
from shared.designs.patterns import key_line
from shared.designs.ruler import laid_out, rows_ruler, value_and_bytes
from shared.exhibit import PublishedKey
from shared.exhibit.cost_tables import listed
from shared.exhibit.markdown import MAX_LINE, below, filled, markdown_list, markdown_table, text_block
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
    return markdown_table(("part", "[format](../../shared/keys/FORMATS.md#codecs)", "bytes", "meaning"), rows)


def keys_block(connection: "happybase.Connection", variant: Variant) -> str:
    """Each table that records fill, with its row key and the values of a row in the middle that anybody can type."""
    items: list[str] = []
    for table in variant.record_tables:
        stored = connection.table(table.name).scan(columns=table.cells.columns)
        rows = [[value_and_bytes(segment)[0] for segment in table.key.segments(row)] for row, _cells in stored]
        typed = [values for values in rows if "".join(values).isascii()]
        example = "".join(f"[{value}]" for value in typed[len(typed) // 2])
        items.append(f"`{table.name}`: `{key_line(table.key)}`, such as `{example}`")
    return markdown_list(items)


def ordering_block(connection: "happybase.Connection", table: TableLayout[Any, Any], count: int = 4) -> str:
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
    """Each table that records fill, with its row key; of a variant, only new keys, or what differs if it has none."""
    rows: list[tuple[str, str, str]] = []
    shown: set[str] = set()
    for variant in design.variants:
        tables = [table for table in variant.record_tables if table not in variant.unfilled]
        keys = dict.fromkeys((table.name, key_line(table.key)) for table in tables)
        new = [(name, key) for name, key in keys if variant is design.main or key not in shown]
        names = [variant.name, *[""] * len(new)]
        rows += [(name, *line) for name, line in zip(names, new or [("", variant.differs)], strict=False)]
        shown.update(key for _name, key in keys)
    table = markdown_table(("variant", "table", "row key, or what differs"), rows)
    marked = [f"`{variant.name}` {variant.warning}" for variant in design.variants if not variant.is_to_copy]
    return "\n\n".join([table, "Not to be copied:", markdown_list(marked)]) if marked else table


def columns_block(design: Design) -> str:
    """The attributes that each table stores in columns; of a variant, the tables whose columns no earlier one has."""
    by_columns: dict[str, list[str]] = {}
    for variant in design.variants:
        of_variant = {table.name: _columns_of(table.cells) for table in variant.record_tables}
        new = {name: columns for name, columns in of_variant.items() if columns not in by_columns}
        for name, columns in (of_variant if variant is design.main else new).items():
            by_columns.setdefault(columns, []).append(f"`{name}`")
    items = [f"{', '.join(names)}: {columns or 'none'}" for columns, names in by_columns.items()]
    return below("Columns:", markdown_list(items))


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


PUBLISHED = "shown/published.txt"


def published_block(_design: Design) -> str:
    """A link to the text of `published_text`."""
    return f"[Published bytes]({PUBLISHED}) above the stored bytes of the same values, each difference explained."


def published_text(design: Design) -> str:
    """Each published key, above the bytes of the design's own, and why they differ; then the columns that differ.

    Published keys with the same bytes are shown once. Of the tables that differ from a key for the same reasons, only
    the first is shown; one with no new reason is named. A reason stands where it is first given.
    """
    blocks = [
        "# Published bytes (top), stored bytes (bottom) of the same values, each difference explained once. Generated."
    ]
    by_bytes: dict[bytes, list[PublishedKey]] = {}
    for published in design.published:
        by_bytes.setdefault(published.row, []).append(published)
    explained: set[tuple[str, str]] = set()
    for keys in by_bytes.values():
        quoted = dict.fromkeys(f"{published.source}: `{published.quoted}`" for published in keys)
        blocks.append(filled("; ".join(quoted)))
        shown: set[tuple[tuple[str, str], ...]] = set()
        for published in keys:
            reasons = tuple(published.deviations.items())
            if reasons in shown:
                continue
            new: dict[str, list[str]] = {}
            for name, why in reasons:
                if (name, why) not in explained:
                    new.setdefault(why, []).append(f"`{name}`")
            explained.update(reasons)
            title = f"`{published.table.name}`{', the qualifier' if published.is_qualifier else ''}"
            same = "" if reasons else ", the same bytes"
            if shown and not new:  # the ruler above has the published bytes
                others = f", but for {listed(f'`{name}`' for name, _why in reasons)}" if reasons else ""
                blocks.append(f"{title}, the same bytes{others}.")
            else:
                blocks += [f"{title}{same}:", published_ruler(published, MAX_LINE)]
            if new:
                blocks.append(markdown_list(f"{', '.join(names)}: {why}" for why, names in new.items()))
            shown.add(reasons)
    by_reason: dict[tuple[str, str], list[str]] = {}
    for column in design.published_columns:
        if column.deviation:
            here = f"`{column.quoted}`, in `{column.table.name}` `{column.here.decode()}`"
            by_reason.setdefault((column.source, column.deviation), []).append(here)
    lines = [f"{source}: {'; '.join(columns)}: {why}" for (source, why), columns in by_reason.items()]
    blocks += [below("Published columns:", markdown_list(lines))] if lines else []
    return "\n\n".join(blocks).replace("`", "") + "\n"


def published_ruler(published: PublishedKey, width: int = 100) -> str:
    """A published row over the row of this suite, both cut into the same parts, below names and values."""
    columns: list[tuple[str, ...]] = []
    for segment in published.segments:
        value, here = value_and_bytes(segment)
        data = published.parts.get(segment.name)
        columns.append((segment.name, value, "(absent)" if data is None else data.hex() or "(no bytes)", here))
    return "\n".join(text for _kind, text in laid_out(columns, width, labels=("", "", "published", "here")))
