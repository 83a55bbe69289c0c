"""A source on a connection: reads, writes, questions and upkeep of its records."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from ..intents import IntentWriter
from ..intents.attempts import DELETED as DELETED  # `decide` returns it
from ..intents.attempts import Deleted as Deleted
from ..intents.intent_rows import dated_in_future
from ..intents.reading import Derived
from ..intents.slots import Intent, SlotOfProcess
from ..intents.times import FUTURE_MS
from ..queries import Query
from ..tables import BoundTable, InvalidRow, TableLayout
from ..writes import WriterClock, store_all
from .asked_table import AskedTable
from .lists import ListOf, list_of_source

if TYPE_CHECKING:
    import happybase

    from ..intents import WriterUpkeep

R = TypeVar("R")
L = TypeVar("L")
T = TypeVar("T")
D = TypeVar("D")


class BoundSource(Generic[R]):
    """The records of a source and its lists, on a connection; `Source.on` makes it.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        layout: TableLayout[Any, R],
        intents: TableLayout[SlotOfProcess, Intent],
        lists: Sequence[ListOf[Any]],
        dropped: Iterable[str],
        clock: WriterClock,
    ) -> None:
        self._record = layout.cells.record
        self._lists = lists
        self._tables: dict[ListOf[Any] | None, AskedTable[Any]] = {None: AskedTable(connection, layout)}
        self._tables |= {of.origin: AskedTable(connection, of.asked) for of in lists}
        self.writer: IntentWriter[R] = IntentWriter(
            connection,
            layout,
            intents,
            [of.layout for of in lists],
            partial(lines_of, lists),
            moving=[of.layout for of in lists if of.moves],
            dropped=dropped,
            clock=clock,
        )

    def table(self, of: ListOf[Any] | None = None) -> AskedTable[Any]:
        """The table of a list, or of the source itself: its questions return lines unchecked, also without a record."""
        return self._tables[None if of is None else self._own(of).origin]

    def _own(self, of: ListOf[Any]) -> ListOf[Any]:
        return list_of_source(self.writer.source.name, self._lists, of)

    # ---- records

    def get(self, key: object) -> R | None:
        """The record with this key, or None. `key` is of the key's class, or has its parts. Costs: one get."""
        return self.writer.reader.read(self.writer.source.row(key)).record

    def write(self, key: object, decide: Callable[[R | None], D]) -> D:
        """Stores the record that `decide` returns for the stored one, or for None; returns it.

        If `decide` returns DELETED, the record is deleted. If it returns None, a stored record is not changed, and
        InvalidRecord is raised, because a `return` may have been forgotten; if none was stored, none is.

        `key` is of the key's class, or has its parts, as a record has.

        `decide` may raise, and then nothing is stored. It is called again if another write won, so it has no effects
        of its own; if it needs other rows, it reads them itself, because what was read before may be old. Once the call
        has returned, the record is stored, and lists that move show it. After an error of the store, the same call
        again, or `upkeep.recover`, completes the write.
        Raises and costs what `IntentWriter.write` does.
        """
        return self.writer.write(key, decide)

    def write_all(self, records: Iterable[T], decide: Callable[[T, R | None], R | Deleted | None]) -> int:
        """Writes many records, 1,000 at a time, each under its own key; returns their number.

        `decide` gets each of them and the stored record, and returns the one to store, as that of `write` does.
        Raises NotAllStored; its cause is what `decide` has raised, or `write` may raise. Each of its unconfirmed
        records is either stored or not: write them again, or let `upkeep.recover` complete them.
        Costs: 1 checkAndPut for each record; for each 1,000 records those of `IntentWriter.write_all`.
        """
        return store_all(records, partial(self._write_batch, decide))

    def _write_batch(self, decide: Callable[[T, R | None], R | Deleted | None], records: list[T]) -> None:
        self.writer.write_all((record, partial(decide, record)) for record in records)

    # ---- questions

    @overload
    def ask(self, /, **question: Any) -> Query[R]: ...
    @overload
    def ask(self, of: ListOf[L], /, **question: Any) -> Query[L]: ...
    def ask(self, of: ListOf[Any] | None = None, /, **question: Any) -> Query[Any]:
        """The records of the source, or what a list shows, for a value or an interval of parts of its key.

        See `KeyLayout.plan` for what can be asked. A list that moves returns the records of its lines.
        Costs: one scan of a page's rows and one more; one call more that gets the records, if the list moves.
        """
        return self._shown(of, self.table(of).ask(**question))

    @overload
    def ask_more(self, /, **question: Any) -> Query[R]: ...
    @overload
    def ask_more(self, of: ListOf[L], /, **question: Any) -> Query[L]: ...
    def ask_more(self, of: ListOf[Any] | None = None, /, **question: Any) -> Query[Any]:
        """As `ask`, but what the key cannot bind the client compares: it may read more rows than it returns."""
        return self._shown(of, self.table(of).ask_more(**question))

    @overload
    def ask_all(self, /) -> Query[R]: ...
    @overload
    def ask_all(self, of: ListOf[L], /) -> Query[L]: ...
    def ask_all(self, of: ListOf[Any] | None = None, /) -> Query[Any]:
        """All records of the source, or all that a list shows. Costs: a scan of the whole table."""
        return self._shown(of, self.table(of).ask_all())

    def _shown(self, of: ListOf[Any] | None, rows: Query[Any]) -> Query[Any]:
        """What a question of a list returns, from the rows that it finds."""
        if of is None:
            return rows
        own = self._own(of)
        if not own.moves:
            return rows
        if own.shows is self._record:
            return rows.then(self.records_of(of))
        return rows.then(partial(self._lines_that_records_have, of))

    def records_of(self, of: ListOf[Any]) -> "Callable[[list[Any]], list[R | InvalidRow | None]]":
        """For `Query.then`: the record of each line of a list, or None if the record does not have the line.

        Costs: one call for each 1,000 lines.
        """
        return partial(self.writer.reader.agreeing, self.table(of).layout)

    def _lines_that_records_have(self, of: ListOf[Any], lines: list[Any]) -> list[Any]:
        records = self.writer.reader.agreeing(self.table(of).layout, lines)
        return [
            line if record is not None and not isinstance(record, InvalidRow) else record
            for line, record in zip(lines, records, strict=True)
        ]

    def __repr__(self) -> str:
        return f"BoundSource({self.writer.source.name}: {self._record.__name__})"

    # ---- upkeep

    @cached_property
    def upkeep(self) -> "WriterUpkeep":
        """The upkeep of the records and their lines."""
        from ..intents import WriterUpkeep  # a service that only writes and asks does not need it

        return WriterUpkeep(self.writer)

    def erase(self, of: ListOf[Any], decide: Callable[[R | None], R | Deleted | None], /, **question: Any) -> int:
        """Writes what `decide` returns for every record that a question of a list finds, then deletes stray lines.

        Use it to remove a person: `decide` returns the record without the name, or DELETED, so that no line of the
        question is wanted any more. Returns how many lines remain. Recovers pending writes first. After an error, or
        for records that are stored meanwhile, call it again. If `verify` finds missing lines, run `repair` before.
        Raises InvalidRow, once all else is removed, for a line that no record has and that is dated in the future;
        `verify` says how to remove it.
        Costs: three scans of the question's lines; for each record what a change costs.
        """
        self.writer.recover(older_than_ms=0)
        table = self.table(of)
        lines = table.ask(**question).newest_first()
        for line in lines:
            self.writer.write(line, decide)
        kept = [*filter(None, (self._discard_stray(table, line) for line in lines))]
        if kept:
            raise kept[0]
        return lines.count()

    def _discard_stray(self, table: BoundTable[Any, Any], line: Any) -> InvalidRow | None:
        """Deletes a line that its record does not have, as left by a restored backup or a crash before a compaction.

        The delete spares what is dated later, and the source's row stays as it is: a new cell there would outlive it. A
        line that is dated in the future stays, because the delete would hide later lines: returns why.
        """
        writer, layout = self.writer, table.layout
        row, source_row = table.row(line), writer.source.row(line)
        stored = table.rows.row(row, columns=[*layout.cells.columns], include_timestamp=True)
        record = writer.reader.read(source_row).record
        if stored and (record is None or not writer.reader.has_line(record, layout, row)):
            newest_ms = max(written_ms for _, written_ms in stored.values())
            if newest_ms > writer.check_clock().wall_ms + FUTURE_MS:
                return dated_in_future(layout, row, newest_ms)
            cells = [(layout.name, row, column) for column in stored]
            if layout.name in writer.moving:
                writer.repair(source_row, cells, newest_ms)
            else:
                writer.delete(cells, newest_ms)
        return None


def lines_of(lists: Iterable[ListOf[Any]], record: Any) -> Iterator[Derived]:
    """The lines of a record, each after its table."""
    for of in lists:
        for line in of.lines_of(record):
            yield of.layout, line
