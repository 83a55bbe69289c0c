"""A table alone, declared once: its records have no lists, and each is put as it is."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..keys import KeyLayout, Splits
from ..keys.errors import shown
from ..tables import COUNTER, Column, Family, InvalidRecord, RecordCells, TableLayout
from ..tables.cells import Cells, record_fields
from ..tables.declared_types import type_name
from ..writes import CLOCK, WriterClock, put_all, store_all
from .asked_table import AskedTable
from .declaring import NO_FAMILIES, Columns, holds_of, layout_of, table_layout

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")


class Table(Generic[R]):
    """A table whose records are put one by one, each with its own time as timestamp.

    VISITS = Table("visits", VisitOfPage, Visit, {"user": "v:u"}, dated_by="time_ms")
    create_tables(connection, VISITS.tables)
    visits = VISITS.on(connection)

    `key` is a class, or its layout with prefixes. `columns` names the column of each attribute that the key does not
    hold; or it is the cells of rows that hold more than one record, such as `ItemCells`. `dated_by` is the attribute
    with the milliseconds since 1970, or the datetime, that dates a record's cells: then storing a record again changes
    nothing, and of two with one key the newer one stays. Without it, the writer's clock dates them: the last call wins.
    `holds` says what a row is, by default the first sentence of the key's docstring.
    Raises InvalidRecord for what does not go together.
    """

    def __init__(
        self,
        name: str,
        key: type[Any] | KeyLayout[Any],
        record: type[R],
        columns: Columns | Cells[R],
        *,
        dated_by: str | None = None,
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
        splits: Splits | None = None,
    ) -> None:
        self._declared: dict[str, Any] = {"dated_by": dated_by, "holds": holds, "families": families, "splits": splits}
        key = layout_of(key)
        cells: Cells[R] = RecordCells(record, columns) if isinstance(columns, Mapping) else columns
        if cells.record is not record:
            raise InvalidRecord(f"table {name}: its cells must hold {record.__name__} (got {cells.record.__name__})")
        self.layout: TableLayout[Any, R] = table_layout(
            name, holds or holds_of(key, record), key, cells, families, splits
        )
        self.dated_by = dated_by
        self.time_of = None if dated_by is None else _time_of(name, record, dated_by)
        """The milliseconds that date a record; None if the writer's clock does."""

    def like(
        self,
        name: str = "",
        key: type[Any] | KeyLayout[Any] | None = None,
        columns: "Columns | Cells[R] | None" = None,
        *,
        holds: str = "",
        families: Mapping[str, Family] = NO_FAMILIES,
        splits: Splits | None = None,
    ) -> "Table[R]":
        """The same records in another table, maybe under another key or in other cells: a variant.

        VISITS.like("visits_salted", KeyLayout(VisitOfPage, Salt(of="user", buckets=8)))
        VISITS.like(families={"v": Family(ttl_seconds=86_400)})

        What is not given is as it was declared for this table, except for the split points if the key differs.
        """
        given: dict[str, Any] = {"holds": holds, "families": families, "splits": splits}
        declared = dict(self._declared)
        if key is not None:
            del declared["splits"]
        declared |= {option: value for option, value in given.items() if value}
        cells = self.layout.cells
        return Table(name or self.layout.name, key or self.layout.key, cells.record, columns or cells, **declared)

    @property
    def tables(self) -> tuple[TableLayout[Any, R]]:
        """The table, for `create_tables`."""
        return (self.layout,)

    def on(self, connection: "happybase.Connection", clock: WriterClock = CLOCK) -> "WritableTable[R]":
        """The table on a connection. It must exist."""
        return WritableTable(connection, self, clock)

    def __repr__(self) -> str:
        return f"Table({self.layout.name}: {self.layout.cells.record.__name__})"


def _time_of(table: str, record: type[R], name: str) -> Callable[[R], int]:
    """The milliseconds of the attribute that dates a record. Raises InvalidRecord for one that is not a time."""
    fields = record_fields(record)
    if name not in fields and not hasattr(record, name):
        has = ", ".join(fields)
        raise InvalidRecord(
            f"table {table}: dated_by must be an attribute of {record.__name__} (got {name!r}, has {has})"
        )
    if name in fields:
        declared: Any = fields[name].type
    else:
        of_property = getattr(getattr(record, name), "fget", None)
        returned: Any = getattr(of_property, "__annotations__", {}).get("return", int)
        declared = {"int": int, "datetime": datetime}.get(returned, returned)  # text, if the module says so
    if declared not in (int, datetime):
        wanted = f"dated_by must be an int of milliseconds, or a datetime (got {name!r}, {type_name(declared)})"
        raise InvalidRecord(f"table {table}: {wanted}")
    value_of: Callable[[R], Any] = attrgetter(name)
    if declared is int:
        return value_of
    from ..keys.value_codecs import microseconds_of

    return lambda record: microseconds_of(value_of(record)) // 1000


class WritableTable(AskedTable[R]):
    """A table alone on a connection; `Table.on` makes it.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", table: Table[R], clock: WriterClock) -> None:
        super().__init__(connection, table.layout)
        self._time_of = table.time_of
        self._clock = clock
        columns = getattr(table.layout.cells, "attributes", {})
        self._counters = {
            name: column.name
            for name, column in columns.items()
            if isinstance(column, Column) and column.packing == COUNTER
        }

    # ---- writes

    def put(self, record: R) -> None:
        """Stores a record in place of the one with its key, unless that is newer. Costs: one put.

        Raises Expired, and stores nothing, if the record is older than a TTL of its cells.
        """
        self._put_batch([record])

    def put_all(self, records: Iterable[R]) -> int:
        """Stores records as `put` does, but 1,000 in a call; returns their number.

        Raises NotAllStored. Costs: those of `shared.writes.put_all`: without Thrift2, one call for each different time.
        """
        return store_all(records, self._put_batch)

    def _put_batch(self, records: list[R]) -> None:
        now_ms = 0 if self._time_of else self._clock.now_ms()
        put_all(records, self, time_of=self._time_of or (lambda _record: now_ms))

    def increment(self, key: object, name: str, by: int = 1) -> int:
        """Adds to the counter of an attribute, and returns its new value; a counter that is not there counts as 0.

        It is not idempotent: if its reply is lost, the caller cannot know whether it counted. `key` is of the key's
        class, or has its parts. Raises InvalidRecord for an attribute without a `COUNTER` column. Costs: one increment.
        """
        row = self.row(key)
        column = self._counters.get(name)
        if column is None:
            has = ", ".join(self._counters) or "none"
            wanted = "must be an attribute with a COUNTER column"
            raise InvalidRecord(f"table {self.layout.name}: increment: {wanted} (got {shown(name)}, has {has})")
        value: int = self.rows.counter_inc(row, column, by)
        return value

    def delete(self, key: object) -> bool:
        """Deletes the cells of a row up to the newest date among them; returns whether there were any.

        It spares what is put later with a later date. A record that is put again with its old date stays hidden until a
        major compaction. Costs: one get; one delete if there is something to delete.
        """
        row, columns = self.row(key), [*self.layout.cells.columns]
        stored = self.rows.row(row, columns=columns, include_timestamp=True)
        if stored:
            self.rows.delete(row, [*stored], timestamp=max(written_ms for _, written_ms in stored.values()))
        return bool(stored)
