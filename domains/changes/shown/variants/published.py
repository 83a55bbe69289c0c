"""The published row (S2.9), in one table. Do not copy it: it has whole seconds, and positions as text after them.

    03,9223370455878258,17870  C:AGE=222 C:ID=30 C:OTHER=222 C:UNAME=AAA3 C:_pk_=ID C:_ts_=1580976517000 C:_type_=UPDATE

`03` is the id 30 with its last digit first. 9223370455878258 is (Long.MAX_VALUE - 1580976517000) // 1000. If both are
divided before they are subtracted, the result is one more for a time whose last three digits are above 807.

Seconds come newest first, but the changes of one second come oldest first, and by the text of their positions: 9999
after 10000. So the first row of a record need not be its newest change, and a record now or as of a time is wrong. A
key must not contain a comma. There is no table by position and no watermark, so no reader knows which changes it has
not seen.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from shared.keys import DecimalText, Delimited, DelimitedText, Reversed, TrailingText, part, row_key
from shared.queries import Query
from shared.records import check_int
from shared.sources import Table
from shared.tables import TEXT, Column, OtherColumns, Packing
from shared.writes import put_all, store_all

from ...history import check_at_most
from ...records import Change, Kind, State, as_of, check_as_of, state_after

if TYPE_CHECKING:
    import happybase

LONG_MAX = 2**63 - 1


@row_key
class PublishedRow:
    """One change, under the published key.

    Order:  by the key's last character, then the one before it, and so on; by second, newest first; in a second by
            the text of the position, oldest first.
    Serves: a record's history, out of order where a second has several changes.
    Costs:  one scan of all records of one key, in whatever source and table. All records of a table are a full scan.
    Fixed:  the comma, which no key may contain.
    Source: S2.9, 03,9223370455878258,17870
    """

    key: str = part(Reversed(DelimitedText(",")), "the primary key of the record; any text without a comma")
    seconds_left: int = part(Delimited(DecimalText(16), ","), "(Long.MAX_VALUE - time_ms) // 1000")
    position: str = part(TrailingText, "the number of the change in the log of its source, as text")


@attrs.frozen
class PublishedChange:
    """A change with what its published key holds."""

    key: str
    seconds_left: int
    position: str
    source: str
    table: str
    kind: Kind
    time_ms: int
    transaction: str
    values: Mapping[str, str | None] = attrs.field(hash=False)

    @classmethod
    def of(cls, change: Change) -> "PublishedChange":
        """The published form of a change."""
        values: dict[str, Any] = {**attrs.asdict(change, recurse=False), "position": str(change.position)}
        return cls(**values, seconds_left=(LONG_MAX - change.time_ms) // 1000)

    @property
    def change(self) -> Change:
        """The change that was published."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in attrs.fields(Change)}
        values["position"] = int(self.position)
        return Change(**values)


def _pack_text(value: str | None) -> bytes:
    return _NULL if value is None else value.encode()


def _pack_digits(value: int) -> bytes:
    return b"%d" % value


def _unpack_text(cell: bytes) -> str | None:
    return None if cell == _NULL else cell.decode()


_NULL = b"\xff"
"""Not UTF-8, so it is no text."""
TEXT_OR_NULL = Packing("text or NULL", _pack_text, _unpack_text)
DIGITS = Packing("digits", _pack_digits, int)

TABLE = Table(
    "changes_published",
    PublishedRow,
    PublishedChange,
    {
        "kind": Column("C:_type_", TEXT),
        "time_ms": Column("C:_ts_", DIGITS),
        "values": OtherColumns("C", TEXT_OR_NULL),
        "source": "m:s",
        "table": "m:b",
        "transaction": "m:x",
    },
    dated_by="time_ms",
    holds="one change of a record",
)
"""The family `m` has what the published row lacks: there, each source and table had a table of its own."""
TABLES = TABLE.tables


class Repository:
    """The questions about records that the published table can be asked."""

    lacks: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("since", "of_table"), "needs the changes by position, and this variant has only one table"
    )

    def __init__(self, connection: "happybase.Connection") -> None:
        self._changes = TABLE.on(connection)

    # ---- writes

    def store(self, change: Change) -> None:
        """Stores a change. Costs: one put."""
        self._put_all([change])

    def store_all(self, changes: Iterable[Change]) -> int:
        """Stores changes; returns their number. Costs: those of `put_all`."""
        return store_all(changes, self._put_all)

    def _put_all(self, changes: list[Change]) -> None:
        put_all([*map(PublishedChange.of, changes)], self._changes)

    # ---- questions

    def history(self, source: str, table: str, key: str, up_to: int | None = None) -> Query[Change]:
        """A record's changes by second, newest first; those of one second oldest first, by the text of their positions.

        Costs: one scan of all records with this key; the client drops those of other sources and tables.
        """
        return self._of(self._changes.ask_more(key=key), source, table, up_to)

    def state(
        self, source: str, table: str, key: str, as_of_ms: int | None = None, up_to: int | None = None
    ) -> State | None:
        """A record as the first row of its history has it, which need not be its latest change.

        Costs: one scan of all changes of records with this key.
        """
        check_as_of(as_of_ms)
        return state_after(as_of(self.history(source, table, key, up_to), as_of_ms))

    def states(
        self,
        source: str,
        table: str,
        as_of_ms: int | None = None,
        up_to: int | None = None,
        after_key: str = "",
        at_most: int = 1000,
    ) -> list[State]:
        """The records of a table by key, as `state` finds each. Costs: a full table scan."""
        check_as_of(as_of_ms)
        self._changes.narrow(key=after_key)  # refuses what is no key
        check_at_most(at_most)
        changes = self._of(self._changes.ask_all(), source, table, up_to)
        of_keys = groupby(changes, key=attrgetter("key"))
        states = [state_after(as_of(of_key, as_of_ms)) for key, of_key in of_keys if key > after_key]
        return sorted(filter(None, states), key=attrgetter("key"))[:at_most]

    def _of(self, rows: Query[Any], source: str, table: str, up_to: int | None) -> Query[Change]:
        if up_to is not None:
            check_int("up_to", up_to, 0)

        def changes(published: list[Any]) -> list[Change | None]:
            return [row.change if up_to is None or int(row.position) <= up_to else None for row in published]

        return rows.where(source=source, table=table).then(changes)
