"""A table and its families as the store's catalogue records them, and the clock that cells expire by."""

import time
from functools import cached_property

from attrs import frozen

from ...keys.limits import BLOCK_BYTES, FOREVER_S, LATEST_MS
from ..filters.cells import family_of
from .failures import damage_error

# Where a family keeps more versions than this, SQLite picks the newest one; with fewer, Python is faster.
_FEW_VERSIONS = 3


@frozen
class StoredFamily:
    """A column family as its table was created with; `time_to_live_s` is in seconds."""

    name: bytes
    max_versions: int
    time_to_live_s: int
    compression: str
    bloom_filter: str
    in_memory: bool
    block_cache: bool
    block_bytes: int = BLOCK_BYTES
    keep_tombstones_ms: int = 0

    def oldest_ms(self) -> int:
        """The earliest timestamp that has not expired now."""
        return now_ms() - 1000 * self.time_to_live_s if self.time_to_live_s < FOREVER_S else 0

    def oldest_kept_tombstone_ms(self) -> int:
        """The earliest timestamp of a tombstone that a compaction of all files keeps now; above all if it keeps none.

        HBase: the tombstone's own timestamp counts, which the client may have set, not the time of its write. A
        tombstone older than the family's TTL is dropped in any case.
        """
        return max(now_ms() - self.keep_tombstones_ms, self.oldest_ms()) if self.keep_tombstones_ms else LATEST_MS


@frozen(slots=False)  # for its cached properties
class StoredTable:
    """A table as the catalogue records it."""

    id: int
    name: bytes
    created_ms: int
    enabled: bool
    families: dict[bytes, StoredFamily]
    splits: tuple[bytes, ...]
    """The split points: the first row of every region but the first."""

    def family(self, column: bytes) -> StoredFamily:
        """The family of a stored column."""
        family = self.families.get(family_of(column))
        if family is None:
            raise damage_error("a column is of no family")
        return family

    @cached_property
    def keeps_many(self) -> bool:
        """Whether a column may have many versions."""
        return any(family.max_versions > _FEW_VERSIONS for family in self.families.values())

    @cached_property
    def expires(self) -> bool:
        """Whether a family has a TTL."""
        return any(family.time_to_live_s < FOREVER_S for family in self.families.values())

    @cached_property
    def sorts_as_cells(self) -> bool:
        """Whether byte order of column names is HBase's cell order, in which `cf:z` comes before `cf1:a`."""
        return sorted(self.families) == [name[:-1] for name in sorted(name + b":" for name in self.families)]


def now_ms() -> int:
    """The clock in milliseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1_000_000
