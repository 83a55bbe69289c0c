"""Keys, layouts and calls that the tests of pages, sorted pages and cursors share."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import happybase

from shared.keys import KeyLayout, Plan
from shared.keys.slice_codecs import share_codec
from shared.queries import Page, ServerFilter
from shared.queries.pages import READ_AT_MOST, read_page
from shared.queries.query import conditions_of
from shared.queries.record_reader import Request
from shared.tables import BoundTable, InvalidRow, RecordCells, TableLayout
from tests.shared.specimens import ByHost, ByHostNewestFirst, Item, Rising

RISING = KeyLayout(Rising)
RISING_KEYS = [Rising(at_s, host) for at_s in (0, 9, 10, 11, 12) for host in ("", "a", "ab", "b", "bc")]
ITEMS = KeyLayout(Item)
BY_HOST = KeyLayout(ByHost)
BY_HOST_NEWEST_FIRST = KeyLayout(ByHostNewestFirst)


def key_table(layout: KeyLayout[Any], name: str = "t") -> TableLayout[Any, Any]:
    """A table whose records are the keys of a layout; the cell f:v marks its rows."""
    return TableLayout(name, "a key", layout, RecordCells(layout.key_class, {}, marker="f:v"), is_recorded=False)


def holds_whole_values(layout: KeyLayout[Any]) -> bool:
    """Whether a key can be the record of a table: a record has whole values, not slices and rests."""
    return not any(share_codec(part.codec) for part in layout.parts)


ITEM_TABLE = key_table(ITEMS)


def page(
    rows: happybase.Table,
    table: TableLayout[Any, Any],
    plan: Plan,
    *,
    limit: int,
    cursor: str | None = None,
    where: Mapping[str, Any] = {},
    reverse: bool = False,
    order: KeyLayout[Any] | None = None,
    filter: ServerFilter | None = None,
    read_at_most: int = READ_AT_MOST,
    on_invalid: Callable[[InvalidRow], None] | None = None,
) -> Page[Any]:
    """One page of a question in a given direction, which `Query` derives; with an `order`, the client always sorts."""
    conditions = conditions_of(table.cells.record, plan, where)
    request = Request(BoundTable(rows.connection, table), plan, conditions, filter, order, reverse)
    return read_page(request, limit, cursor, on_invalid, read_at_most=read_at_most)


def all_pages(
    read: Callable[[str | None], Page[Any]], between_pages: Callable[[], object] | None = None
) -> list[Page[Any]]:
    """All pages, one after another; a cursor that does not move ends in an error and not in an endless loop."""
    pages = [read(None)]
    while (cursor := pages[-1].cursor) is not None:
        assert len(pages) < 1000, "the cursor does not move"
        if between_pages:
            between_pages()
        pages.append(read(cursor))
    return pages


def records_of(pages: Iterable[Page[Any]]) -> list[Any]:
    return [record for answer in pages for record in answer.records]


def pages_of(
    table: happybase.Table,
    layout: KeyLayout[Any],
    plan: Plan,
    **options: Any,
) -> list[Page[Any]]:
    """All pages of a plan whose records are keys."""
    key_records = key_table(layout)
    return all_pages(lambda cursor: page(table, key_records, plan, cursor=cursor, **options))


Items: TypeAlias = Callable[[int], happybase.Table]


def item_page(table: happybase.Table, **options: Any) -> Page[Item]:
    plan = options.pop("plan", ITEMS.whole_table())
    prefix = table.connection.table_prefix
    name = table.name if prefix is None else table.name.removeprefix(prefix + b"_")
    return page(table, key_table(ITEMS, name.decode()), plan, **options)


DAMAGED = r"^cursor: is damaged \(got .*\); ask again without it$"
FOREIGN = r"^cursor: belongs to another question; ask with the same values, or without it$"
