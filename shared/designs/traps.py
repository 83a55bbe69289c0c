"""Published mistakes as code: the wrong way and the right way, run on the same rows."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from ..tables import TableLayout, create_tables
from ..writes import allow_expired
from .metering import metered
from .ruler import show_value
from .scanned import ScannedTable

if TYPE_CHECKING:
    import happybase

R = TypeVar("R")


@attrs.frozen
class Outcome:
    """What both ways of a trap returned, in words and numbers that were counted."""

    task: str
    """What both ways had to do."""
    wrong: str
    """What the wrong way returned or stored."""
    right: str
    """What the right way returned or stored."""
    scans: tuple[ScannedTable, ScannedTable] | None = None
    """What both ways scanned, if the mistake is one of a scan."""

    @classmethod
    def of_scans(cls, task: str, wrong: ScannedTable, right: ScannedTable) -> "Outcome":
        """What both ways scanned, and the same in words."""
        return cls(task, wrong.words, right.words, (wrong, right))


@attrs.frozen
class Trap:
    """A mistake that is published."""

    name: str
    published_as: str
    """The key or the code, as its source has it."""
    run: Callable[[Any], Outcome]
    """Runs both ways on stores in memory; takes the `Design`, for its samples."""


TRAP_COLUMNS = ("trap", "published as", "asked for", "what it gives", "the right way gives")


def trap_row(trap: Trap, design: Any) -> tuple[str, ...]:
    """A trap of a `Design` and its outcome as one row of text, under `TRAP_COLUMNS`."""
    outcome = trap.run(design)
    return (trap.name, trap.published_as, outcome.task, outcome.wrong, outcome.right)


def scratch_store(tables: Iterable[TableLayout[Any, Any]]) -> "happybase.Connection":
    """A new store in memory with these tables, empty. It ends with its connection.

    Its cells never expire, and old records are stored whatever TTL their families declare: so samples of any age can be
    measured.
    """
    from ..stores import connect

    connection = connect("embedded:")
    create_tables(connection, map(_without_ttl, tables))
    allow_expired(connection)
    return connection


def _without_ttl(table: TableLayout[Any, Any]) -> TableLayout[Any, Any]:
    return attrs.evolve(
        table, families={name: attrs.evolve(family, ttl_seconds=None) for name, family in table.families.items()}
    )


def scratch_table(rows: Iterable[bytes] = (), families: Iterable[str] = ("f",)) -> "happybase.Table":
    """A table of a new store in memory, as published code makes it; each of its rows has an empty cell `f:v`."""
    from ..stores import connect

    connection = connect("embedded:")
    connection.create_table("t", {family: {} for family in families})
    table = connection.table("t")
    with table.batch() as batch:
        for row in rows:
            batch.put(row, {b"f:v": b""})
    return table


@attrs.frozen
class ScanTask(Generic[R]):
    """Records, and which of them a scan has to return."""

    records: Sequence[R]
    is_wanted: Callable[[R], bool]
    label: Callable[[R], str]
    """What tells records apart that a reader may mistake for each other, such as their host."""

    @property
    def wanted(self) -> int:
        """The records that a scan has to return."""
        return sum(map(self.is_wanted, self.records))

    def run(
        self, row: Callable[[R], bytes], scan: Callable[["happybase.Table"], Iterable[tuple[bytes, Any]]]
    ) -> ScannedTable:
        """What a scan returns of a `scratch_table` that has these records under their row keys."""
        record_of = {row(record): record for record in self.records}
        table = scratch_table(record_of)
        with metered(table.connection) as cost:
            returned = {key for key, _cells in scan(table)}
        stored = ((key, record_of[key]) for key, _cells in table.scan())
        rows = ((show_value("", self.label(record)), self.is_wanted(record), key in returned) for key, record in stored)
        return ScannedTable.of((range_ for _table, range_ in cost.ranges), rows)
