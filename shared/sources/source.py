"""A source and its lists, declared once: the record, the row that decides it, and the rows that are derived from it."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from ..intents.slots import Intent, intents_table
from ..intents.source_cells import SourceCells
from ..keys import KeyLayout, Splits
from ..keys.errors import listed
from ..tables import Family, InvalidRecord, RecordCells, TableLayout
from ..writes import CLOCK, WriterClock
from .bound_source import BoundSource
from .declaring import NO_FAMILIES, Columns, holds_of, layout_of, table_layout
from .lists import (
    ListOf,
    cells_of_list,
    check_moves,
    derived_families,
    in_table,
    line_columns,
    lines_by_name,
    list_of_source,
    words_of,
)

if TYPE_CHECKING:
    import happybase

NO_LISTS: Mapping[ListOf[Any], ListOf[Any]] = {}

R = TypeVar("R")
L = TypeVar("L")


class Source(Generic[R]):
    """The table in whose rows records are decided, and the lists that are derived from them.

    ORDERS = Source("orders", OrderByNumber, Order, {"seller_id": "o:s", "amount": Column("o:a", BIG_INT), ...})
    BY_SELLER = ORDERS.list("orders_by_seller", OrderBySeller, SellerLine)
    BY_STATUS = ORDERS.moving_list("orders_by_status", OrderByStatus)
    create_tables(connection, ORDERS.tables)
    orders = ORDERS.on(connection)

    `key` is a class, or its layout with prefixes. `columns` names the column of each attribute that the key does not
    hold. The source stores a record in one cell, `cell`, by default `family:source` in the family of the first column.
    There the qualifier of a column is a name within that cell (`SourceCells`); in lists it is a real column. `intents`
    is the table of the writes under way, by default the name of the table and `_intents`. `holds` says what a row is,
    by default the name of the record. A release that gives up a column or a list names it in `dropped` or
    `dropped_lists`.

    A write records itself in `intents`, puts the new lines of moving lists, decides in the source's row by checkAndPut,
    puts the lines of the other lists, deletes lines that are no longer true, and removes its record. After a crash,
    `recover` continues it.

    After the first use of `tables`, `on` or `like` no list can be added: so a module that is imported later does not
    change tables that others have created. Raises InvalidRecord for what does not go together.
    """

    def __init__(
        self,
        table: str,
        key: type[Any] | KeyLayout[Any],
        record: type[R],
        columns: Columns,
        *,
        cell: str = "",
        intents: str = "",
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
        splits: Splits | None = None,
        dropped: Iterable[str] = (),
        dropped_lists: Iterable[str] = (),
    ) -> None:
        self.record = record
        self.columns = dict(columns)
        key = layout_of(key)
        record_cells = RecordCells(record, self.columns)
        family = record_cells.columns[0].decode().partition(":")[0]
        cells = SourceCells(record_cells, cell or f"{family}:source", dropped=dropped)
        self._family = cells.columns[0].decode().partition(":")[0]
        self.layout = source_layout(table, holds or f"the {words_of(record.__name__)}", key, cells, families, splits)
        self.intents: TableLayout[Any, Intent] = intents_table(intents or f"{table}_intents")
        self.dropped_lists = tuple(dropped_lists)
        self._lists: list[ListOf[Any]] = []
        self._closed_by = ""

    # ---- lists

    @overload
    def list(
        self,
        table: str,
        key: type[L] | KeyLayout[L],
        *,
        when: Callable[[R], bool] | None = None,
        lines: Callable[[R], Iterable[L]] | None = None,
        marker: str = "",
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
    ) -> ListOf[L]: ...
    @overload
    def list(
        self,
        table: str,
        key: type[Any] | KeyLayout[Any],
        line: type[L],
        columns: Columns | None = None,
        *,
        when: Callable[[R], bool] | None = None,
        lines: Callable[[R], Iterable[Any]] | None = None,
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
    ) -> ListOf[L]: ...
    def list(
        self,
        table: str,
        key: type[Any] | KeyLayout[Any],
        line: type[Any] | None = None,
        columns: Columns | None = None,
        *,
        when: Callable[[R], bool] | None = None,
        lines: Callable[[R], Iterable[Any]] | None = None,
        marker: str = "",
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
    ) -> ListOf[Any]:
        """Declares a list whose lines hold columns of the record, so that a page is one scan.

        `line` is the class of its lines: it has the parts of `key`, and attributes of the record, which have the same
        columns here. Without it, lines hold only their key. Until a write is complete, the list may lack a new record,
        show old values, or show a removed record. A write that would change the key of a line is refused.

        A record has one line, whose key is made of the record's attributes. It has none if one of these is None, which
        the record's class must allow, or if `when` is false of the record; a write may add and remove such a line. If a
        record has several lines, or lines of other values, `lines` returns them. `columns` are those of lines that are
        made so. A list may be in the table of its source, under its key: then its columns are computed columns of the
        source's row.
        Raises InvalidRecord for lines that do not fit.
        """
        return self._added(table, key, line, columns, when, lines, marker, holds, families, moves=False)

    @overload
    def moving_list(
        self,
        table: str,
        key: type[Any] | KeyLayout[Any],
        *,
        when: Callable[[R], bool] | None = None,
        marker: str = "",
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
    ) -> ListOf[R]: ...
    @overload
    def moving_list(
        self,
        table: str,
        key: type[L] | KeyLayout[L],
        *,
        lines: Callable[[R], Iterable[L]],
        marker: str = "",
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
    ) -> ListOf[L]: ...
    def moving_list(
        self,
        table: str,
        key: type[Any] | KeyLayout[Any],
        line: None = None,
        columns: None = None,
        *,
        when: Callable[[R], bool] | None = None,
        lines: Callable[[R], Iterable[Any]] | None = None,
        marker: str = "",
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
    ) -> ListOf[Any]:
        """Declares a list whose lines a write may move, because its key holds what changes.

        It shows what is decided, always: it never lacks a record, and never shows what a record no longer is, whatever
        dies. For that, its lines hold only their key; a page gets the records of its lines from the source, and drops
        lines that these do not have. So a question returns records; if `lines` makes the lines, it returns those that
        the records have. See `list` for `when`: lines that only come and go need no moving list, but one is exact.
        Raises InvalidRecord for lines that hold more than their key.
        """
        check_moves(table, line, columns)
        return self._added(table, key, None, None, when, lines, marker, holds, families, moves=True)

    def _added(
        self,
        table: str,
        key: type[Any] | KeyLayout[Any],
        line: type[Any] | None,
        columns: Columns | None,
        when: Callable[[R], bool] | None,
        lines: Callable[[R], Iterable[Any]] | None,
        marker: str,
        holds: str,
        families: Mapping[str, Family],
        *,
        moves: bool,
    ) -> ListOf[Any]:
        key = layout_of(key)
        if self._closed_by:
            raise InvalidRecord(
                f"source {self.layout.name}: list {table} must be declared before the tables of the source are asked "
                f"for (which {self._closed_by} did)"
            )
        if when is not None and lines is not None:
            raise InvalidRecord(f"table {table}: must have when or lines (got both)")
        for name in self.layout.key.part_named:
            if name not in key.part_named:
                raise InvalidRecord(
                    f"table {table}: its key must have {name}, as {self.layout.name} has (got {listed(key.part_named)})"
                )
        if line is None and columns:
            raise InvalidRecord(f"table {table}: columns need a line, which holds them (got {listed(columns)})")
        if line is not None and marker:
            raise InvalidRecord(f"table {table}: must have a line or a marker (got both)")
        if line is not None and columns is None:
            columns = line_columns(line, key, self.record, self.columns)
        cells = cells_of_list(key, line, columns or {}, marker or f"{self._family}:x")
        kept = derived_families(cells, families, table, moves=moves)
        layout = TableLayout(table, holds or holds_of(key, self.record), key, cells, kept)
        lines_of = lines or lines_by_name(table, key, self.record, when)
        shows = self.record if moves and lines is None else cells.record
        added: ListOf[Any] = ListOf(self.record, self.columns, layout, layout, moves, lines_of, shows)
        if any(other.layout.name == table for other in self._lists):
            raise InvalidRecord(f"table {table}: must be declared once (got another list of source {self.layout.name})")
        self._lists.append(added)
        return added

    # ---- tables

    @property
    def lists(self) -> tuple[ListOf[Any], ...]:
        """The lists, as they were declared."""
        return (*self._lists,)

    @property
    def tables(self) -> tuple[TableLayout[Any, Any], ...]:
        """All tables: the source's own, those of its lists, that of the writes under way."""
        self._close("tables")
        return (self.layout, *(of.layout for of in self._lists), self.intents)

    def table_of(self, of: ListOf[Any] | None = None) -> TableLayout[Any, Any]:
        """The table of a list of this source, or of the source that it was made from; without one, the source's own."""
        return self.layout if of is None else list_of_source(self.layout.name, self._lists, of).layout

    def like(
        self,
        table: str = "",
        key: type[Any] | KeyLayout[Any] | None = None,
        *,
        lists: Mapping[ListOf[Any], ListOf[Any]] = NO_LISTS,
    ) -> "Source[R]":
        """The same records and lists in other tables: a variant.

        ORDERS.like("orders_hashed", KeyLayout(OrderByNumber, HashPrefix(of="order_number", bytes=2)))
        ORDERS.like(lists={BY_SELLER: BY_SELLER.like("orders_by_seller_oldest", OldestFirst)})

        `table` and `key` are those of the source; then the writes under way have a table of their own, too, because an
        intent names a row of its source. `lists` has the list that stands for each that differs. Questions name the
        lists of this source, and a variant's bound source finds its own.
        """
        if key is not None and not table:
            raise InvalidRecord(f"source {self.layout.name}: another key needs another table (got only the key)")
        self._close("like")
        other: Source[R] = object.__new__(type(self))
        other.__dict__ |= self.__dict__
        other._closed_by = ""
        changed = in_table(self.layout, table or self.layout.name, key)
        other.layout = changed
        if table:
            other.intents = intents_table(f"{table}_intents")
        for of in lists:
            list_of_source(self.layout.name, self._lists, of)
        own = {of.origin: replaced for of, replaced in lists.items()}
        other._lists = [self._followed(own.get(of.origin, of), changed) for of in self._lists]
        return other

    def _followed(self, of: ListOf[Any], source: TableLayout[Any, Any]) -> ListOf[Any]:
        """A list of a variant, whose table is that of its source if it was so before."""
        if of.layout.name != self.layout.name:
            return of
        return of.like(source.name, None if source.key is self.layout.key else source.key)

    def _close(self, by: str) -> None:
        self._closed_by = self._closed_by or by

    # ---- use

    def on(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> BoundSource[R]:
        """The source on a connection. Its tables must exist."""
        self._close("on")
        return BoundSource(connection, self.layout, self.intents, self.lists, self.dropped_lists, clock)

    def __repr__(self) -> str:
        return f"Source({self.layout.name}: {self.record.__name__})"


def source_layout(
    table: str,
    holds: str,
    key: KeyLayout[Any],
    cells: SourceCells[R],
    families: Mapping[str, Family],
    splits: Splits | None,
) -> TableLayout[Any, R]:
    """The table of a source. Raises InvalidRecord if a family has a TTL."""
    layout = table_layout(table, holds, key, cells, families, splits)
    for name, family in layout.families.items():
        if family.lifetime_s is not None:
            wanted = "must not have a TTL: what decides would expire, and with it what is derived from it"
            raise InvalidRecord(f"table {table}: family {name} of a source {wanted} (got {family.lifetime_s} s)")
    return layout
