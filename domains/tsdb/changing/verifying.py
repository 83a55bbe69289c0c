"""Finding what is wrong in a store: names and UIDs that do not agree, and rows of points that no question finds.

The checks of names are those of OpenTSDB's own `uid fsck`:

    missing      a name has a UID that has no name
    differing    a name has a UID that has another name; or a UID is above the counter of its kind
    undecodable  a UID is not as wide as all UIDs of its kind, or has no name that could be a row; a counter is damaged
    leaked       a UID has a name that has no UID, or another one

And among the points:

    undecodable  the row is not a key, or one of its cells is damaged
    orphaned     a UID of the row has no name, or is leaked: no question by names finds the row

`repair` puts back the name of a UID, its reverse mapping, if exactly one name has the UID: the reverse mapping follows
from the forward one. It removes rows of points that it is told to discard. It mends nothing else.

A leaked UID is harmless by itself, so it is listed and not counted as wrong: writers that assign one name at once leave
them, and no UID is assigned twice. If it does harm, because rows have it, those rows are orphaned. Metrics with
OpenTSDB's random UIDs are above their counter, as fsck says, too.

Each table is scanned once, and the opposite of each mapping and the names of each row are read in batches, so memory is
that of one batch. Writers may be at work: rows that disagree are read again, twice, and reported if they still do.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from shared.keys import shown
from shared.keys.errors import shown_bytes
from shared.keys.limits import MAX_ROW_BYTES
from shared.queries.scanning import in_batches
from shared.tables import BoundTable, put_if
from shared.upkeep import Finding, Instructions, Mendable, Upkeep
from shared.upkeep.findings import TIMES_READ_AGAIN
from shared.writes.batches import remove_row
from shared.writes.dictionaries import COUNTER_ROW, ID_FAMILY, NAME_FAMILY

from ..keys import METRICS, TAG_NAMES, TAG_VALUES
from ..records import SeriesPoint, UidMapping
from ..storage.annotations import is_annotation, is_global_row, read_annotation
from ..storage.codecs import LatinText
from ..storage.point_arrays import read_points
from ..storage.qualifiers import Duplicates, cells_by_qualifier
from ..storage.uids import Uids

if TYPE_CHECKING:
    import happybase

NAMES_AT_ONCE = 1000
"""Rows of names in a batch of a scan, and UIDs or names in a call that reads the opposite mappings."""
POINTS_AT_ONCE = 250
"""Rows of points in a batch of a scan: an hour of a point a second is about 100 KB before it is compacted."""
COUNTER_BYTES = 8

Rows: TypeAlias = Mapping[bytes, Mapping[bytes, bytes]]
"""The cells of rows, by column."""


class SeriesUpkeep(Upkeep):
    """Compares the mappings of names with each other, and the rows of points with the names."""

    def __init__(
        self,
        points: BoundTable[Any, SeriesPoint],
        names: BoundTable[Any, UidMapping],
        uids: Uids,
        duplicates: Duplicates,
    ) -> None:
        self._points = points
        self._names = names
        self._names_table = names.layout.name
        self._uids = uids
        self._duplicates: Duplicates = duplicates
        self._width = {one.kind: one.id_bytes for one in (uids.metrics, uids.tag_names, uids.tag_values)}
        self._mapping_columns = [make(kind) for kind in self._width for make in (_id_column, _name_column)]
        self._last = dict.fromkeys(self._width, 0)
        """The last UID of each kind so far, as an int."""
        self._nameless: dict[Finding, str] = {}
        """The kind of each name whose UID has no name."""
        self.mappings = 0
        """Number of mappings of names and UIDs compared so far."""
        self.rows = 0
        """Number of rows of points compared so far."""

    @property
    def counts(self) -> dict[str, int]:
        """Numbers compared so far, by kind."""
        return {"mapping": self.mappings, "row": self.rows}

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """Every inconsistent row, names first, then points, each in the order of its table.

        Calls `progress` after each batch. Costs: one scan of each table; for each 1,000 rows of names, a call for each
        1,000 mappings; for each 250 rows of points, two calls for each 1,000 of their UIDs.

        `repair` gives a UID without a name its only name back, after all other names were compared: it then finds no
        row with that UID to be orphaned. Costs: one checkAndPut for each.
        """
        missing: list[Finding] = []
        for finding in self._verify_names(progress):
            if told is not None and finding.kind == "missing":
                missing.append(finding)
            else:
                yield Mendable(finding)
        names_of = Counter((self._nameless[finding], finding.row) for finding in missing)
        for finding in missing:
            kind = self._nameless[finding]
            is_clear = names_of[kind, finding.row] == 1
            put = partial(self._put_name, kind, finding.row, finding.source_row)
            yield Mendable(finding, put) if is_clear else Mendable(finding)
        for finding in self._verify_points(progress):
            yield Mendable(finding, discard=partial(remove_row, self._points, finding.row))

    def _put_name(self, kind: str, uid: bytes, name: bytes | None) -> bool:
        """Puts the name of a UID, unless it has one by now; returns whether it has this one."""
        column = _name_column(kind)
        return name is not None and (
            put_if(self._names.rows, uid, column, None, name) or self._names.rows.row(uid, [column]).get(column) == name
        )

    def _verify_names(self, progress: Callable[[], object]) -> Iterator[Finding]:
        self.mappings = self.rows = 0
        self._last = dict.fromkeys(self._width, 0)
        self._nameless.clear()
        for stored, findings in _checked(self._names.rows, self._mapping_columns, NAMES_AT_ONCE, self._of_names):
            yield from findings
            self.mappings += sum(len(cells) for row, cells in stored.items() if row != COUNTER_ROW)
            progress()
        yield from self._of_counters()

    def _verify_points(self, progress: Callable[[], object]) -> Iterator[Finding]:
        columns = [*self._points.layout.cells.columns]
        for stored, findings in _checked(self._points.rows, columns, POINTS_AT_ONCE, self._of_points):
            yield from findings
            self.rows += len(stored)
            progress()

    # ---- names

    def _of_names(self, stored: Rows) -> Iterator[Finding]:
        """The mappings of these rows that the opposite mapping contradicts, and those that are damaged."""
        forward: list[tuple[str, bytes, bytes]] = []
        reverse: list[tuple[str, bytes, bytes]] = []
        for row, cells in stored.items():
            for column, value in cells.items():
                kind = column.partition(b":")[2].decode()
                is_forward = column == _id_column(kind)
                if is_forward and row == COUNTER_ROW:
                    continue
                name, uid = (row, value) if is_forward else (value, row)
                if damage := self._damage(kind, name, uid):
                    yield Finding("undecodable", self._names_table, row, None, damage)
                else:
                    self._last[kind] = max(self._last[kind], int.from_bytes(uid, "big"))
                    (forward if is_forward else reverse).append((kind, name, uid))
        others = self._read([uid for _, _, uid in forward] + [name for _, name, _ in reverse])
        for kind, name, uid in forward:
            other = others.get(uid, {}).get(_name_column(kind))
            if other is None:
                finding = Finding("missing", self._names_table, uid, name, f"{_words(kind, name)} has this UID")
                self._nameless[finding] = kind
                yield finding
            elif other != name:
                reason = f"{_words(kind, name)} has this UID, whose name is {_text(other)}"
                yield Finding("differing", self._names_table, uid, name, reason)
        for kind, name, uid in reverse:
            if leak := _leak(kind, name, uid, others):
                yield Finding("leaked", self._names_table, uid, None, leak)

    def _damage(self, kind: str, name: bytes, uid: bytes) -> str:
        """Why a mapping is invalid; empty text if it is valid."""
        if len(uid) != self._width[kind]:
            got = shown_bytes(uid) or "none"
            return f"{_words(kind, name)}: must have a UID of {self._width[kind]} bytes (got {len(uid)}: {got})"
        if not _is_row(name):
            got = shown_bytes(name) or "none"
            return f"{kind} {shown_bytes(uid)}: must have a name of 1..{MAX_ROW_BYTES} bytes, not 00 (got {got})"
        return ""

    def _of_counters(self) -> Iterator[Finding]:
        """Counters that are less than a UID. Read after all UIDs, so that those of a writer at work are counted."""
        counters = self._names.rows.row(COUNTER_ROW, columns=list(map(_id_column, self._width)))
        for kind, last in self._last.items():
            counter = counters.get(_id_column(kind), bytes(COUNTER_BYTES))
            number = int.from_bytes(counter, "big", signed=True)
            if len(counter) != COUNTER_BYTES:
                reason = f"the counter of {kind} must be {COUNTER_BYTES} bytes (got {shown_bytes(counter) or 'none'})"
                yield Finding("undecodable", self._names_table, COUNTER_ROW, None, reason)
            elif number < last:
                reason = f"the counter of {kind} must be {last} or more, as the last UID (got {number})"
                yield Finding("differing", self._names_table, COUNTER_ROW, None, reason)

    # ---- points

    def _of_points(self, stored: Rows) -> Iterator[Finding]:
        """The rows that cannot be read, and those that no question by names finds."""
        keys: dict[bytes, Any] = {}
        for row, cells in stored.items():
            try:
                if not is_global_row(row, self._width[METRICS], self._points.layout.key.prefix_bytes):
                    keys[row] = self._points.layout.key.decode(row)
                self._check_cells(cells)
            except ValueError as error:
                keys.pop(row, None)
                yield Finding("undecodable", self._points.layout.name, row, None, str(error))
        uids_of = {row: self._uids_of(key) for row, key in keys.items()}
        names = self._read(uid for uids in uids_of.values() for _, uid in uids)
        uids = self._read(
            name
            for cells in names.values()
            for column, name in cells.items()
            if column.startswith(NAME_FAMILY.encode()) and _is_row(name)
        )
        for row, uids_of_row in uids_of.items():
            reasons = (_why_orphaned(kind, uid, names, uids) for kind, uid in uids_of_row)
            if reason := next(filter(None, reasons), ""):
                yield Finding("orphaned", self._points.layout.name, row, None, reason)

    def _check_cells(self, cells: Mapping[bytes, bytes]) -> None:
        """Raises ValueError for points and annotations that cannot be read."""
        by_qualifier = cells_by_qualifier({column: (value, 0) for column, value in cells.items()})
        read_points(by_qualifier).merged(self._duplicates)
        for qualifier, (value, _) in by_qualifier.items():
            if is_annotation(qualifier):
                read_annotation(value)

    def _uids_of(self, key: Any) -> list[tuple[str, bytes]]:
        """The kind and UID of each name in a key."""
        pairs = self._uids.split(key.tag_uids)
        tags = [(kind, uid) for pair in pairs.items() for kind, uid in zip((TAG_NAMES, TAG_VALUES), pair, strict=True)]
        return [(METRICS, key.metric_uid), *tags]

    # ---- opposite mappings

    def _read(self, rows: Iterable[bytes]) -> dict[bytes, Mapping[bytes, bytes]]:
        """The mappings of these names and UIDs, by row and column."""
        mappings: dict[bytes, Mapping[bytes, bytes]] = {}
        for batch in in_batches(dict.fromkeys(rows), NAMES_AT_ONCE):
            mappings.update(self._names.rows.rows(batch, columns=self._mapping_columns))
        return mappings


def _checked(
    table: "happybase.Table", columns: list[bytes], rows_at_once: int, check: Callable[[Rows], Iterator[Finding]]
) -> Iterator[tuple[Rows, list[Finding]]]:
    """The rows of a table in batches, each with what `check` finds there, and finds again when it reads them anew."""
    for batch in in_batches(table.scan(columns=columns, batch_size=rows_at_once), rows_at_once):
        findings: list[Finding] = sorted(check(dict(batch)), key=_checked_row)
        for _ in range(TIMES_READ_AGAIN):
            if findings:
                rows = list(dict.fromkeys(map(_checked_row, findings)))
                again = {*check(dict(table.rows(rows, columns=columns)))}
                findings = [finding for finding in findings if finding in again]
        yield dict(batch), findings


def _why_orphaned(kind: str, uid: bytes, names: Rows, uids: Rows) -> str:
    """Why no question by names finds a row with this UID; empty text if one does."""
    name = names.get(uid, {}).get(_name_column(kind))
    if name is None:
        return f"{kind} {shown_bytes(uid)} has no name"
    leak = _leak(kind, name, uid, uids)
    return f"{kind} {shown_bytes(uid)} is leaked: {leak}" if leak else ""


def _leak(kind: str, name: bytes, uid: bytes, uids: Rows) -> str:
    """Why a UID with this name is leaked; empty text if it is the UID of the name."""
    other = uids.get(name, {}).get(_id_column(kind))
    if other is None:
        return f"{_words(kind, name)} has no UID"
    return "" if other == uid else f"{_words(kind, name)} has the UID {shown_bytes(other) or 'none'}"


def _is_row(name: bytes) -> bool:
    """Whether a name can have a row."""
    return 1 <= len(name) <= MAX_ROW_BYTES and name != COUNTER_ROW


def _checked_row(finding: Finding) -> bytes:
    """The row that was checked: for a mapping the row of its name, otherwise the row of the finding."""
    return finding.row if finding.source_row is None else finding.source_row


def _words(kind: str, name: bytes) -> str:
    return f"{kind} {_text(name)}"


def _text(name: bytes) -> str:
    return shown(LatinText.decode(name))


def _id_column(kind: str) -> bytes:
    return f"{ID_FAMILY}:{kind}".encode()


def _name_column(kind: str) -> bytes:
    return f"{NAME_FAMILY}:{kind}".encode()
