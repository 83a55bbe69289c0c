"""The application's records: a change of a record of another database, and a record as its changes left it.

Nothing here knows of storage.
"""

from collections.abc import Iterable, Mapping
from itertools import dropwhile
from typing import Any, Literal, get_args

import attrs

from shared.keys import InvalidQuestion, shown
from shared.records import LAST_MS, InvalidRecord, integer, one_of, text
from shared.tables import MSGPACK

Kind = Literal["INSERT", "UPDATE", "DELETE"]
KINDS: tuple[Kind, ...] = get_args(Kind)

LAST_POSITION = 2**63 - 2
"""The last position that can date a cell: HBase reads cells below a timestamp, which is at most 2^63 - 1."""


def _by_column(record: Any, field: "attrs.Attribute[Any]", values: Any) -> None:
    """Raises InvalidRecord for anything but values that msgpack returns as they were, by the names of their columns."""
    given: Any = values
    names: Iterable[Any] = given if isinstance(values, Mapping) else [""]
    if not all(type(name) is str and name for name in names) or not _is_stored([*given.values()]):
        wanted = (
            "must be texts, None for NULL, or other values that msgpack returns as they were, by the names of columns"
        )
        raise InvalidRecord(f"{type(record).__name__}.{field.name}: {wanted} (got {shown(given)})")


def _is_stored(values: list[Any]) -> bool:
    """Whether msgpack returns these values as they were."""
    if all(value is None or (type(value) is str and value.isascii()) for value in values):
        return True
    try:
        return bool(MSGPACK.unpack(MSGPACK.pack(values)) == values)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False


@attrs.frozen
class Change:
    """One change of a record, as the log of its source says it.

    A source is a database. Its log numbers all changes of all its tables in the order in which they took effect.
    """

    source: str = attrs.field(validator=text())
    position: int = attrs.field(validator=integer(1, LAST_POSITION))
    """The number of the change in the log of its source. Positions grow, with gaps; none is ever used again."""
    table: str = attrs.field(validator=text())
    key: str = attrs.field(validator=text())
    """The primary key of the record."""
    kind: Kind = attrs.field(validator=one_of(*KINDS))
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC, by the clock of the source, which may go back."""
    transaction: str = attrs.field(validator=text())
    """The transaction that made the change, perhaps with others."""
    values: Mapping[str, Any] = attrs.field(factory=dict[str, Any], validator=_by_column, hash=False)
    """By column: all columns after an INSERT, the changed ones after an UPDATE, the last ones before a DELETE, if the
    log has them. None is NULL; other values are texts, or what else the log has, such as numbers or nested objects."""


@attrs.frozen
class State:
    """A record as one of its changes left it."""

    source: str
    table: str
    key: str
    position: int
    """The position of that change."""
    time_ms: int
    values: Mapping[str, Any] = attrs.field(hash=False)
    """All columns that are known."""


@attrs.frozen
class StoredSource:
    """What is stored of a source."""

    source: str
    position: int = attrs.field(default=0, validator=integer(0, LAST_POSITION))
    """The watermark: every change up to it is stored. 0 if none is."""
    tables: Mapping[str, bool] = attrs.field(factory=dict[str, bool], hash=False)
    """The names of its tables; each is True."""


@attrs.frozen
class BegunSource(StoredSource):
    """What is stored of a source, with what only its writers read."""

    begun: Mapping[int, bytes] = attrs.field(factory=dict[int, bytes], hash=False)
    """By position, the digests of the changes that a writer began to store last: no others may have these positions.
    It may have died before it put their rows."""


@attrs.frozen
class Checkpoint:
    """How far the copy of a table has got."""

    source: str
    table: str
    position: int = attrs.field(validator=integer(0, LAST_POSITION))
    """Every change up to it is applied. 0 if none is."""


@attrs.frozen
class CopiedRecord:
    """A record in a copy, as its latest changes left it."""

    source: str
    table: str
    key: str
    kind: Kind
    """The kind of its last change; a deleted record keeps its row."""
    time_ms: int
    """The time of its last change."""
    values: Mapping[str, Any] = attrs.field(factory=dict[str, Any], hash=False)
    fence: bool = False
    """True in the cell that an INSERT or a DELETE puts: older cells are those of an earlier record."""


def state_after(newest_first: Iterable[Change]) -> State | None:
    """A record after some of its changes; None if there are none, or if the last one is a DELETE.

    Reads them, newest first, as far as the latest INSERT or DELETE. An UPDATE after a DELETE, which no database logs,
    leaves a record of its own columns.
    """
    last: Change | None = None
    values: dict[str, Any] = {}
    for change in newest_first:
        last = last or change
        if change.kind != "DELETE":
            values = {**change.values, **values}
        if change.kind != "UPDATE":
            break
    if last is None or last.kind == "DELETE":
        return None
    return State(last.source, last.table, last.key, last.position, last.time_ms, values)


def as_of(newest_first: Iterable[Change], time_ms: int | None) -> Iterable[Change]:
    """The changes from the newest one that is dated `time_ms` or earlier; all of them for None."""
    return newest_first if time_ms is None else dropwhile(lambda change: change.time_ms > time_ms, newest_first)


def check_as_of(time_ms: int | None) -> None:
    """Raises InvalidQuestion for anything but a time or None."""
    if time_ms is not None and (type(time_ms) is not int or not 0 <= time_ms <= LAST_MS):
        raise InvalidQuestion(f"as_of_ms: must be 0..{LAST_MS}, milliseconds since 1970 (got {shown(time_ms)})")
