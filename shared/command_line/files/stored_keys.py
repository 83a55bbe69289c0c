"""The keys of the records that a load has stored: if a later record has the same key, it replaces the earlier one."""

from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import Any

import attrs

from ...designs import Load, Variant
from ...tables import ItemCells, TableLayout

MAX_KEYS = 1_000_000
"""The most keys that a load remembers; they need about 100 MB."""
DIGEST_BYTES = 16
"""Two of a million different keys have the same digest with a probability of 10^-27."""


def key_function(load: Load, variant: Variant) -> Callable[[Any], bytes] | None:
    """What identifies a record of a load in the tables of a variant, as a function of the record.

    Its row key, and the column if a row has many records, in the first table of such records. If there is no such
    table, the fields by which the load identifies records. None if it names no fields: then no record replaces another
    one, or nothing tells.
    """
    fields = attrs.fields_dict(load.record).keys()
    for table in variant.record_tables:
        is_of_load = issubclass(table.cells.record, load.record) and table.key.part_named.keys() <= fields
        if is_of_load and table not in variant.unfilled:
            return partial(_key, table)
    if load.identified_by:
        return lambda record: repr([getattr(record, name) for name in load.identified_by]).encode()
    return None


def _key(table: TableLayout[Any, Any], record: Any) -> bytes:
    row = table.row(record)
    return row + table.cells.column(record) if isinstance(table.cells, ItemCells) else row


@attrs.define
class StoredKeys:
    """The first `MAX_KEYS` keys, as digests."""

    digests: set[bytes] = attrs.field(factory=set[bytes])
    is_full: bool = False
    """Whether there were more."""

    def add(self, key: bytes) -> bool:
        """Whether an earlier record had this key."""
        return self._add(blake2b(key, digest_size=DIGEST_BYTES).digest())

    def add_all(self, others: "StoredKeys") -> int:
        """How many of the keys of another process records of this one had."""
        self.is_full |= others.is_full
        return sum(map(self._add, others.digests))

    def _add(self, digest: bytes) -> bool:
        if digest in self.digests:
            return True
        if len(self.digests) < MAX_KEYS:
            self.digests.add(digest)
        else:
            self.is_full = True
        return False
