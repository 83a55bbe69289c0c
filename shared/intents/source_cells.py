"""The source row of a record: one cell that `checkAndPut` decides, with everything that other rows derive from it.

The cell is a msgpack array, `[revision, time_ms, writes, cells]`:

- `revision` counts the changes of the cell: 1, 2, 3, ...
- `time_ms` is the timestamp of the cells that are derived from this revision, 0..`LAST_MS`.
- `writes` are the ids of the latest writes that were accepted, the oldest first, 8 bytes each.
- `cells` is the record as `RecordCells` packs it, by qualifier; nil if the record was deleted or never was. Cells that
  this release does not know are those of a later one: every revision keeps them, except one that deletes the record.

In the previous form `writes` was an array, and a writer dropped the cells that it did not know. Cells of that form are
read. A release that knows only that form refuses cells of the present one, so it cannot drop anything of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import attrs
import msgpack

from ..keys.errors import shown, shown_bytes
from ..records import LAST_MS
from ..tables import InvalidRecord, RecordCells
from ..tables.cells import check_column

R = TypeVar("R")

REVISION_STEP_MS = 3
"""The times of two revisions differ by this at least: cells put before a decision are dated `time_ms` + 1, deletes
`time_ms` - 1, and no two of them may meet."""
LAST_REVISION = 2**63 - 1
WRITES_KEPT = 64
"""Number of write ids that a source remembers."""
WRITE_ID_BYTES = 8
NOTHING: Mapping[bytes, bytes] = MappingProxyType({})


@attrs.frozen
class SourceRow(Generic[R]):
    """A source row as it was read."""

    cell: bytes | None
    """The bytes that the next `checkAndPut` must find; None if the row has no such cell."""
    revision: int
    time_ms: int
    writes: tuple[bytes, ...]
    record: R | None
    """None if the record was deleted, or never was: a recoverer also raises the revision of a missing source."""
    unknown: Mapping[bytes, bytes] = NOTHING
    """Cells of the record that this release does not know, by qualifier."""

    @property
    def was_never_written(self) -> bool:
        """Whether no write was ever accepted; a recoverer may have raised the revision."""
        return self.record is None and not self.writes

    def leaves_open(self, revision: int, write_id: bytes) -> bool:
        """Whether a write that read `revision` may still be accepted: its `checkAndPut` may be under way."""
        return self.revision <= revision and write_id not in self.writes

    def forgets(self, revision: int) -> bool:
        """Whether a write that read `revision` may have been accepted although its id is not remembered."""
        return self.revision - revision > WRITES_KEPT


@attrs.frozen
class OpenedCell:
    """The content of a source's cell."""

    revision: int
    time_ms: int
    writes: tuple[bytes, ...]
    cells: dict[bytes, bytes] | None
    """The cells of its record, by column; None if there is no record."""
    unknown: Mapping[bytes, bytes]
    """The cells that this release does not know, by qualifier."""


class SourceCells(Generic[R]):
    """One record in one cell, which an `IntentWriter` decides.

    SourceCells(ORDER_CELLS, "o:order")    the columns of ORDER_CELLS, as a map in the cell o:order

    A row whose record was deleted holds no record, but keeps the cell: a revision is never used twice. The family must
    not have a TTL, because an expired cell would start again at revision 1.

    Every revision keeps the cells of columns that this release does not know, because a later one may have put them. If
    a release gives up a column, it declares that column `dropped`: the next revision of a record is written without it.
    A record with `OtherColumns` knows every column, and must have all its columns in one family.
    """

    holds_sources = True
    """What `create_tables` tells a table of sources by."""

    def __init__(self, cells: RecordCells[R], column: str, *, dropped: Iterable[str] = ()) -> None:
        check_column(column)
        self.record = cells.record
        self.cells = cells
        self.columns = (column.encode(),)
        self.cell_attributes = cells.cell_attributes
        columns = [cells.column(name) for name in cells.cell_attributes if name not in cells.mappings]
        self._column_of = {_qualifier(column): column for column in columns}
        if cells.marker is not None or len(self._column_of) < len(columns):
            raise InvalidRecord(f"{cells.record.__name__}: its columns must have different qualifiers (got {cells})")
        dropped = [*dropped]
        self._dropped = {_qualifier(name.encode()) for name in dropped}
        for qualifier in self._dropped & self._column_of.keys():
            raise InvalidRecord(f"{cells.record.__name__}: a dropped column must be unused (got {shown(qualifier)})")
        self._others: bytes | None = None
        """What the columns of the record's mapping start with; None if it has no mapping."""
        if cells.mappings:
            family, *elsewhere = cells.columns
            if elsewhere or self._dropped:
                wanted = "a mapping holds every column that others do not have, so all are in its family, none dropped"
                raise InvalidRecord(f"{cells.record.__name__}: {wanted} (got {cells}, dropped={sorted(dropped)})")
            self._others = family + b":"

    def pack(self, record: R) -> dict[bytes, bytes]:
        """The cell of a record that was never changed, at time 0."""
        return {self.columns[0]: self.pack_revision(1, 0, (), record)}

    def pack_revision(
        self,
        revision: int,
        time_ms: int,
        writes: tuple[bytes, ...],
        record: R | None,
        unknown: Mapping[bytes, bytes] = NOTHING,
    ) -> bytes:
        """The cell of one revision, with the `unknown` cells of the one before. Raises InvalidRecord."""
        cells = None
        if record is not None:
            cells = {**unknown, **{_qualifier(column): value for column, value in self.cells.pack(record).items()}}
        packed: bytes = msgpack.packb([revision, time_ms, b"".join(writes[-WRITES_KEPT:]), cells])
        return packed

    def records(self, key: object, cells: Mapping[bytes, bytes]) -> Iterator[R]:
        """The record of a row, if it has one."""
        if (cell := cells.get(self.columns[0])) is not None:
            source = self.source(key, cell)
            if source.record is not None:
                yield source.record

    def source(self, key: object, cell: bytes | None) -> SourceRow[R]:
        """A source row, from its decoded key and its cell; a missing cell is revision 0. Raises InvalidRecord."""
        if cell is None:
            return SourceRow(None, 0, 0, (), None)
        opened = self.opened(cell)
        record = None if opened.cells is None else self.cells.unpack(key, opened.cells)
        return SourceRow(cell, opened.revision, opened.time_ms, opened.writes, record, opened.unknown)

    def revision_of(self, cell: bytes | None) -> int:
        """The number of a source's revisions, from its cell; 0 if it is missing. Raises InvalidRecord."""
        return 0 if cell is None else self.opened(cell).revision

    def opened(self, cell: bytes) -> OpenedCell:
        """The content of a source's cell. Raises InvalidRecord."""
        try:
            unpacked: Any = msgpack.unpackb(cell, strict_map_key=False)
            revision, time_ms, writes, stored = unpacked
            columns: Mapping[Any, Any] = {} if stored is None else stored
            if type(writes) is bytes:
                starts = range(0, len(writes), WRITE_ID_BYTES)
                writes = [writes[start : start + WRITE_ID_BYTES] for start in starts]
            is_whole = type(revision) is type(time_ms) is int and all(type(write) is bytes for write in writes)
            is_whole = is_whole and all(type(part) is bytes for part in chain(columns, columns.values()))
        except Exception as error:  # msgpack's errors have no common base
            raise self._damaged(cell, str(error) or type(error).__name__) from None
        if not is_whole:
            raise self._damaged(cell, "its values have other types")
        if not 1 <= revision <= LAST_REVISION:  # otherwise a write could fail once it is decided
            raise self._damaged(cell, f"its revision must be 1..{LAST_REVISION}")
        if not 0 <= time_ms <= LAST_MS:
            raise self._damaged(cell, f"its time must be 0..{LAST_MS}")
        if stored is None:
            return OpenedCell(revision, time_ms, tuple(writes), None, NOTHING)
        cells = {column: stored[name] for name, column in self._column_of.items() if name in stored}
        unknown = {name: stored[name] for name in stored if name not in self._column_of and name not in self._dropped}
        if self._others is not None:
            cells |= {self._others + name: value for name, value in unknown.items()}
            unknown = {}
        return OpenedCell(revision, time_ms, tuple(writes), cells, unknown)

    def _damaged(self, cell: bytes, reason: str) -> InvalidRecord:
        wanted = "must be a msgpack array of revision, time, writes and cells"
        return InvalidRecord(f"{self.record.__name__}: {wanted}: {reason} (got {shown_bytes(cell)})")

    def __repr__(self) -> str:
        return f"SourceCells({self.cells}, {self.columns[0].decode()!r})"


def _qualifier(column: bytes) -> bytes:
    return column.partition(b":")[2]
