"""Table layouts: a table's name, families, split points, row keys and cells, and a record as a row of it.

The same declaration is the same table on the embedded store, on HBase (`creation.py`) and in the HBase shell
(`ddl.py`).
"""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import attrs

from ..keys import MAX_ROW_BYTES, InvalidKey, KeyLayout, Splits, split_points
from ..keys.limits import BLOCK_BYTES
from ..records.fields import integer, one_of
from .cells import CellLayout
from .errors import InvalidRecord, InvalidRow

K = TypeVar("K")
R = TypeVar("R")


@attrs.frozen
class Family:
    """A column family and what HBase must know of it when the table is created."""

    max_versions: int = attrs.field(default=1, validator=integer(1, 2**31 - 1))
    ttl_seconds: int | None = attrs.field(default=None, validator=attrs.validators.optional(integer(-1, 2**31 - 1)))
    """For ever where it is None, or as HBase says it: below 1, or 2^31 - 1."""
    bloom: str = attrs.field(default="ROW", validator=one_of("NONE", "ROW", "ROWCOL"))
    """ROW lets a get skip files that cannot hold the row; scans do not use it."""
    compression: str = attrs.field(
        default="NONE", validator=one_of("NONE", "GZ", "SNAPPY", "LZ4", "ZSTD", "LZO", "BZIP2")
    )
    """The compression of the blocks in files. Each region server must have the codec; all have GZ."""
    block_size_bytes: int = attrs.field(default=BLOCK_BYTES, validator=integer(1024, 16 * 1024 * 1024))
    """What is read from a file at a time, before compression: smaller ones serve gets, larger ones scans.

    Thrift1 makes none but HBase's own, 65,536."""

    @property
    def options(self) -> dict[str, Any]:
        """The options that happybase's `create_table` takes; it leaves the block size to HBase."""
        return {
            "max_versions": self.max_versions,
            "bloom_filter_type": self.bloom,
            "compression": self.compression,
            "block_cache_enabled": True,  # off when created through Thrift1, unlike HBase's own default
            "time_to_live": -1 if self.ttl_seconds is None else self.ttl_seconds,
        }


def _family_of_cells(table: "TableLayout[Any, Any]") -> Mapping[str, Family]:
    return {table.cells.family: Family()}


def _splits_of_layout(table: "TableLayout[Any, Any]") -> Splits:
    return split_points(table.layout)


@attrs.frozen
class TableLayout(Generic[K, R]):
    """One table: how a record becomes a row key and cells, and back.

    TableLayout("orders_by_seller", "one line of a seller's list", KeyLayout(OrderBySeller), SELLER_CELLS)

    `holds` says what a row is, in a few words. If `families` is omitted, the table has the family of its cells with
    HBase's defaults. If `splits` is omitted, the table is created with the split points that its key layout has a
    reason for: one region for each bucket of a salt. A declaration is refused with InvalidRecord if the record lacks a
    part of the key, or has an attribute that is neither in the key nor in the cells.
    """

    name: str
    holds: str
    layout: KeyLayout[K]
    cells: CellLayout[R]
    families: Mapping[str, Family] = attrs.field(default=attrs.Factory(_family_of_cells, takes_self=True))
    splits: Splits = attrs.field(default=attrs.Factory(_splits_of_layout, takes_self=True))
    """Where the table is cut into regions when it is created; later HBase splits them by itself."""
    _read: Callable[[bytes, Mapping[bytes, bytes]], R] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.cells.family not in self.families:
            there_are = ", ".join(self.families)
            raise InvalidRecord(f"table {self.name}: must have the family {self.cells.family} (has {there_are})")
        for name in self.cells.key_attributes:
            if name not in self.layout.part_named:
                attribute = f"{self.cells.record.__name__}.{name}"
                raise InvalidRecord(
                    f"{attribute}: must be a column of table {self.name}, or a part of {self.layout.name}"
                )
        attributes = [field.name for field in attrs.fields(self.cells.record)]  # type: ignore[arg-type]  # an attrs class
        for part in self.layout.parts:
            if part.name not in attributes:
                raise InvalidRecord(
                    f"{self.cells.record.__name__}.{part.name}: must be an attribute, because it is a part of "
                    f"{self.layout.name}, the key of table {self.name} (has {', '.join(attributes)})"
                )
        _check_splits(self)
        object.__setattr__(self, "_read", self.cells.reader(self.layout, self._record_reference))

    def row(self, record: K | R) -> bytes:
        """The row key of a record, or of a key."""
        return self.layout.row_of(record)

    @property
    def record(self) -> Callable[[bytes, Mapping[bytes, bytes]], R]:
        """A function of a row and its cells: the record that they hold; InvalidRow if they do not hold one."""
        return self._read

    def _record_reference(self, row: bytes, cells: Mapping[bytes, bytes]) -> R:
        """What `record` does, step by step; it also finds the reason why a row holds none."""
        try:
            return self.cells.unpack(self.layout.decode(row), cells)
        except (InvalidKey, InvalidRecord) as error:
            raise InvalidRow(self.name, row, str(error)) from None

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy ask for: the function that reads a record is generated anew."""
        return type(self), (self.name, self.holds, self.layout, self.cells, self.families, self.splits)


def _check_splits(table: TableLayout[Any, Any]) -> None:
    points = table.splits.points
    for point, before in zip(points, (b"", *points), strict=False):
        if not before < point or len(point) > MAX_ROW_BYTES:
            wanted = f"must be rows of 1..{MAX_ROW_BYTES} bytes in their order"
            raise InvalidRecord(
                f"table {table.name}: split points {wanted} (got {point[:100]!r} after {before[:100]!r})"
            )
