"""Dictionaries: short ids for names, and names for ids, in one table that any number of processes write.

The table is laid out as `tsdb-uid` of OpenTSDB, so a running OpenTSDB and these writers may share it:

    row         column      value
    00          id:KIND     the counter: the last id that was taken, eight bytes
    name        id:KIND     its id, big-endian                 the forward mapping
    id          name:KIND   the name                           the reverse mapping

KIND names the dictionary: one table holds several. A new id is assigned in three steps:

    1. Increment the counter. No other writer gets this number.
    2. `checkAndPut` the reverse mapping, expecting nothing. If the id has a name already, start again at 1.
    3. `checkAndPut` the forward mapping, expecting nothing. If another writer has given the name an id, use that one.

An id that somebody has chosen, such as the code `tb` of `Taobao`, is claimed by the same steps 2 and 3.

Why it holds:

- A mapping is written only where nothing is: the first call that HBase executes wins, late and repeated calls change
  nothing. So a name never has two ids and an id never has two names, however many writers there are. (Only during a
  `rename`, or after one that was interrupted, do two names have one id.)
- The reverse mapping comes first, so an id that a name has can always be turned back into that name.
- A writer that dies, or loses at step 3, leaves an id to which no name leads: it is leaked, and never assigned again. A
  chosen id that is leaked can only be claimed for the name for which it was taken.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from ..keys import InvalidKey, TrailingText, successor
from ..keys.codecs import Codec
from ..keys.errors import shown, shown_bytes
from ..keys.limits import MAX_ROW_BYTES
from ..queries.scanning import in_batches
from ..tables import InvalidRow, put_if

if TYPE_CHECKING:
    import happybase

K = TypeVar("K")
V = TypeVar("V")

ID_FAMILY, NAME_FAMILY = "id", "name"
"""The families of a dictionary's table: forward mappings and counters, and reverse mappings."""
COUNTER_ROW = b"\x00"
"""The row of the counters of a dictionary's table."""
ATTEMPTS = 10
"""Ids that `assign` tries for one name before it gives up. Some may have a name that did not come from the counter,
such as OpenTSDB's random UIDs."""
CACHED_NAMES = 100_000
"""Mappings that a dictionary remembers in each direction by default."""
_LAST_COUNT = 2**63 - 1


class NoFreeId(Exception):
    """There is no id for a name: all are used up, or the next ones of the counter are taken."""


class UnknownName(Exception):
    """A name that has no id, so that it cannot be renamed."""


class NameTaken(Exception):
    """A name that has an id of its own, so that no other id can be renamed to it, or claimed for it."""


class IdTaken(Exception):
    """An id that has a name, so that it cannot be claimed for another one."""


class Dictionary:
    """The names of one kind and their ids, bytes of one width.

    `names` is the wire format of a name; its bytes are a row key. Ids count from 1 up to the last that fits `id_bytes`.
    The dictionary remembers `cached` mappings in each direction and does not read them again, so after a rename by
    another process it still returns the old name for the id, and the id for the old name. `forget` empties its memory.

    Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(
        self,
        connection: "happybase.Connection",
        table: str,
        kind: str,
        id_bytes: int,
        *,
        names: Codec[str] = TrailingText,
        cached: int = CACHED_NAMES,
    ) -> None:
        if type(kind) is not str or not kind:
            raise InvalidKey(f"Dictionary.kind: must be text, not empty (got {shown(kind)})")
        if type(id_bytes) is not int or not 1 <= id_bytes <= 8:
            raise InvalidKey(f"Dictionary.id_bytes: must be 1..8 (got {shown(id_bytes)})")
        if type(cached) is not int or cached < 0:
            raise InvalidKey(f"Dictionary.cached: must be 0 or more (got {shown(cached)})")
        self.kind = kind
        self.id_bytes = id_bytes
        self.last_id = min(256**id_bytes - 1, _LAST_COUNT)
        """The last id that fits, as an int."""
        self._table_name = table
        self._dictionary = f"{table}: {kind}"
        self._rows = connection.table(table)
        self._names = names
        self._id_column = f"{ID_FAMILY}:{kind}".encode()
        self._name_column = f"{NAME_FAMILY}:{kind}".encode()
        self._id_of: _Cache[str, bytes] = _Cache(cached)
        self._name_of: _Cache[bytes, str] = _Cache(cached)

    # ---- reading

    def id_of(self, name: str) -> bytes | None:
        """The id of a name, or None. Costs: nothing if it is remembered, otherwise one call."""
        if type(name) is not str:
            self._row_of(name)  # raises InvalidKey; a value that is not text may not even be hashable
        return self._id_of.get(name) or self.ids_of([name]).get(name)

    def name_of(self, id: bytes) -> str | None:
        """The name of an id, or None. A leaked id has the name for which it was taken. Costs: those of `id_of`."""
        return self._name_of.get(id) or self.names_of([id]).get(id)

    def ids_of(self, names: Iterable[str]) -> dict[str, bytes]:
        """The ids of many names; those without an id are left out. Raises InvalidKey and InvalidRow.

        Costs: one call for each 1,000 names that are not remembered.
        """
        ids, unknown = self._id_of.split(names)
        name_of_row = {self._row_of(name): name for name in unknown}
        for row, id in self._values(name_of_row, self._id_column):
            self._id_of.put(name_of_row[row], self._checked_id(row, id))
            ids[name_of_row[row]] = id
        return ids

    def names_of(self, ids: Iterable[bytes]) -> dict[bytes, str]:
        """The names of many ids; those without a name are left out. Raises InvalidKey and InvalidRow.

        Costs: one call for each 1,000 ids that are not remembered.
        """
        names, unknown = self._name_of.split(ids)
        for id in unknown:
            self._check_id(id)
        for id, value in self._values(unknown, self._name_column):
            names[id] = self._decoded_name(id, value, self._name_column)
            self._name_of.put(id, names[id])
        return names

    def starting_with(
        self, start: str, limit: int = 25, on_invalid: Callable[[InvalidRow], object] | None = None
    ) -> list[tuple[str, bytes]]:
        """Up to `limit` names that start with `start`, each with its id, in the order of their bytes; "" for all names.

        Calls `on_invalid` for a row that cannot be read and skips it; if omitted, raises InvalidRow.
        Costs: one scan of `limit` rows; the server skips rows of other kinds.
        """
        if type(limit) is not int or limit < 1:
            raise InvalidKey(f"{self._dictionary}: limit must be 1 or more (got {shown(limit)})")
        prefix = self._names.encode(start) if start else b""
        first = max(prefix, COUNTER_ROW + b"\x00")  # after the counter, whose row no name has
        rows = self._rows.scan(first, successor(prefix), columns=[self._id_column], limit=limit)
        mappings: list[tuple[str, bytes]] = []
        for row, cells in rows:
            try:
                name, id = self._decoded_name(row, row, self._id_column), self._checked_id(row, cells[self._id_column])
            except InvalidRow as error:
                if on_invalid is None:
                    raise
                on_invalid(error)
            else:
                mappings.append((name, id))
        return mappings

    def forget(self) -> None:
        """Empties the memory: the next call reads what is stored."""
        self._id_of.clear()
        self._name_of.clear()

    # ---- writing

    def assign(self, name: str) -> bytes:
        """The id of a name; if it has none, a new one. After any error, the same call again is safe.

        Raises NoFreeId, and InvalidKey for a name that cannot be stored.
        Costs: those of `id_of`; for a new name 1 get, 1 increment, 2 checkAndPuts, and 1 get if another writer was
        faster.
        """
        known = self.id_of(name)
        if known is not None:
            return known
        row = self._row_of(name)
        taken: list[str] = []
        while len(taken) < ATTEMPTS:
            id = self._next_id()
            if not self._put_if_absent(id, self._name_column, row):
                taken.append(id.hex())
            elif self._put_if_absent(row, self._id_column, id):
                self._id_of.put(name, id)
                self._name_of.put(id, name)
                return id
            elif (winner := self.id_of(name)) is not None:  # otherwise the name was renamed since
                return winner
        raise NoFreeId(f"{self._dictionary}: needs an id that no name has (tried {ATTEMPTS}, {taken[0]}..{taken[-1]})")

    def claim(self, name: str, id: bytes) -> None:
        """Gives a name an id that was chosen: `claim("Taobao", b"tb")`. After any error, the same call again is safe.

        Any number of writers may claim and assign at once: an id gets one name, and a name one id. If two of them claim
        different ids for one name, the loser's id may be leaked. The ids must not be those that `assign` counts soon:
        it gives up after ten that are taken. Raises IdTaken, NameTaken, and InvalidKey for what cannot be stored.
        Costs: 1 get; for a new mapping 2 checkAndPuts; 1 get more if it is refused because another writer was faster.
        """
        row = self._row_of(name)
        self._check_id(id)
        stored = self._stored(row, self._id_column)
        if stored is None:
            if not self._put_if_absent(id, self._name_column, row):
                other = self._stored(id, self._name_column)
                if other != row:
                    has = "" if other is None else self._decoded_name(id, other, self._name_column)
                    wanted = "must be an id without a name"
                    raise IdTaken(f"{self._dictionary}: {wanted} (got {id.hex()}, the id of {shown(has)})")
            is_put = self._put_if_absent(row, self._id_column, id)
            stored = id if is_put else self._stored(row, self._id_column)
        if stored != id:
            has = "" if stored is None else f", which has {stored.hex()}"
            raise NameTaken(f"{self._dictionary}: must be a name without an id of its own (got {shown(name)}{has})")
        self._id_of.put(name, id)
        self._name_of.put(id, name)

    def rename(self, old: str, new: str) -> bytes:
        """Gives the id of `old` the name `new`; returns the id. The same call again completes an interrupted rename.

            1. `checkAndPut` the forward mapping of the new name, expecting nothing. Now both names have the id. If it
               has the id already, put it again, so that the late delete of an interrupted rename back spares it.
            2. `checkAndPut` the reverse mapping, expecting the old name. Now the id shows the new name.
            3. Delete the forward mapping of the old name up to the timestamp read, so that an id given later stays.

        `old` is free afterwards, and `assign` gives it a new id; but processes that remember `old` still map it to the
        old id. Others may assign at the same time, but must not rename or claim the same id. Raises UnknownName and
        NameTaken.
        Costs: 1 get, 2 checkAndPuts, 1 delete; 1 checkAndPut more if the new name has the id.
        """
        old_row, new_row = self._row_of(old), self._row_of(new)
        if old == new:
            raise NameTaken(f"{self._dictionary}: the new name must differ from the old one (got {shown(new)})")
        self.forget()
        stored = self._rows.row(old_row, columns=[self._id_column], include_timestamp=True).get(self._id_column)
        if stored is None:
            raise UnknownName(f"{self._dictionary}: must be a name with an id (got {shown(old)})")
        id, stored_ms = self._checked_id(old_row, stored[0]), stored[1]
        if not any(self._check_and_put(new_row, self._id_column, before, id) for before in (None, id)):
            raise NameTaken(f"{self._dictionary}: must be a name without an id of its own (got {shown(new)})")
        if not self._check_and_put(id, self._name_column, old_row, new_row) and self.name_of(id) != new:
            self._undo(new_row, id)
            raise UnknownName(
                f"{self._dictionary}: must be the name of {id.hex()} (got {shown(old)}, renamed meanwhile)"
            )
        self._rows.delete(old_row, [self._id_column], timestamp=stored_ms)
        self.forget()
        return id

    def _undo(self, new_row: bytes, id: bytes) -> None:
        """Deletes the forward mapping that a rename has put, but none that is newer."""
        stored = self._rows.row(new_row, columns=[self._id_column], include_timestamp=True).get(self._id_column)
        if stored is not None and stored[0] == id:
            self._rows.delete(new_row, [self._id_column], timestamp=stored[1])
        self.forget()

    def _next_id(self) -> bytes:
        number = self._rows.counter_inc(COUNTER_ROW, self._id_column)
        if not 1 <= number <= self.last_id:
            wanted = f"1..{self.last_id}, the ids of {self.id_bytes} bytes"
            raise NoFreeId(f"{self._dictionary}: all ids are used up: the counter must be {wanted} (got {number})")
        return number.to_bytes(self.id_bytes, "big")

    def _put_if_absent(self, row: bytes, column: bytes, value: bytes) -> bool:
        return self._check_and_put(row, column, None, value)

    def _check_and_put(self, row: bytes, column: bytes, expected: bytes | None, value: bytes) -> bool:
        return put_if(self._rows, row, column, expected, value)

    # ---- bytes

    def _row_of(self, name: str) -> bytes:
        """The row of a name's forward mapping. Raises InvalidKey."""
        try:
            row = self._names.encode(name)
        except InvalidKey as error:
            raise InvalidKey(f"{self._dictionary}: {error}") from None
        if not 1 <= len(row) <= MAX_ROW_BYTES or row == COUNTER_ROW:
            raise InvalidKey(
                f"{self._dictionary}: a name must be 1..{MAX_ROW_BYTES} bytes other than 00 (got {shown(name)})"
            )
        return row

    def _stored(self, row: bytes, column: bytes) -> bytes | None:
        """The value of a cell as it is now, not as it is remembered."""
        return self._rows.row(row, columns=[column]).get(column)

    def _check_id(self, id: object) -> None:
        if type(id) is not bytes or len(id) != self.id_bytes:
            raise InvalidKey(f"{self._dictionary}: an id must be {self.id_bytes} bytes (got {shown(id)})")

    def _values(self, rows: Iterable[bytes], column: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The rows that have the column, each with its value."""
        for batch in in_batches(rows):
            for row, cells in self._rows.rows(batch, columns=[column]):
                yield row, cells[column]

    def _checked_id(self, row: bytes, id: bytes) -> bytes:
        if len(id) != self.id_bytes:
            reason = f"must be an id of {self.id_bytes} bytes (got {shown_bytes(id) or 'none'})"
            raise InvalidRow(self._table_name, row, reason, self._id_column)
        return id

    def _decoded_name(self, row: bytes, name: bytes, column: bytes) -> str:
        try:
            return self._names.decode(name)
        except InvalidKey as error:
            raise InvalidRow(self._table_name, row, str(error), column) from None


class _Cache(Generic[K, V]):
    """The last `size` mappings that were put."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
        self.get = self._values.get
        self.clear = self._values.clear

    def put(self, key: K, value: V) -> None:
        if self._size:
            self._values[key] = value
            if len(self._values) > self._size:
                self._values.popitem(last=False)  # whichever is the oldest when other threads put too

    def split(self, keys: Iterable[K]) -> tuple[dict[K, V], list[K]]:
        """The known keys with their values, and the others, each once."""
        known: dict[K, V] = {}
        unknown: dict[K, None] = {}
        for key in keys:
            if (value := self.get(key)) is None:
                unknown[key] = None
            else:
                known[key] = value
        return known, list(unknown)
