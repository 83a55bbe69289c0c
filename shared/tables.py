"""Table declarations: how a table keeps its cells, where it is split, how its row keys are laid out; creates and drops.

The same declaration is the same table on the embedded store, on HBase and in the HBase shell (`ddl.py`). Thrift1, which
happybase speaks, knows neither split points nor block sizes: where a declaration has them, an HBase needs a Thrift2
gateway beside it, named by `thrift2_port` in the store's URL.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

import attrs
import happybase
from Hbase_thrift import AlreadyExists

from .cells import CellLayout, InvalidRecord, InvalidRow
from .fields import integer, one_of
from .keys import MAX_ROW_BYTES, InvalidKey, KeyLayout, Splits, split_points
from .stores.engine import BLOCK_BYTES
from .stores.thrift2 import BeyondThrift1, NeedsThrift2, beyond_thrift1

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
    """Of the blocks in files. Each region server must have the codec; all have GZ."""
    block_size_bytes: int = attrs.field(default=BLOCK_BYTES, validator=integer(1024, 16 * 1024 * 1024))
    """What is read from a file at a time, before compression: smaller ones serve gets, larger ones scans.

    Thrift1 makes none but HBase's own, 65,536."""

    @property
    def options(self) -> dict[str, Any]:
        """As happybase's `create_table` takes them, which leaves the block size to HBase."""
        return {
            "max_versions": self.max_versions,
            "bloom_filter_type": self.bloom,
            "compression": self.compression,
            "block_cache_enabled": True,  # off when created through Thrift1, unlike HBase's own default
            "time_to_live": -1 if self.ttl_seconds is None else self.ttl_seconds,
        }


def _family_of_cells(table: "TableDesign[Any]") -> Mapping[str, Family]:
    return {table.cells.family: Family()}


def _splits_of_layout(table: "TableDesign[Any]") -> Splits:
    return split_points(table.layout)


@attrs.frozen
class TableDesign(Generic[R]):
    """One table: how a record becomes a row key and cells, and back.

    `holds` says what a row is, in a few words. Without `families` there is the one of the cells, as HBase has it by
    default. Without `splits` the table is created with those that its layout has a reason for: one region for each
    bucket of a salt. A record whose attributes are neither in the key nor in the cells is refused here, when it is
    declared.
    """

    name: str
    holds: str
    layout: KeyLayout[Any]
    cells: CellLayout[R]
    families: Mapping[str, Family] = attrs.field(default=attrs.Factory(_family_of_cells, takes_self=True))
    splits: Splits = attrs.field(default=attrs.Factory(_splits_of_layout, takes_self=True))
    """Where the table is cut into regions when it is created; later HBase splits them by itself."""
    _read: Callable[[bytes, Mapping[bytes, bytes]], R] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.cells.family not in self.families:
            there_are = ", ".join(self.families)
            raise InvalidRecord(f"table {self.name}: must have the family {self.cells.family} (has {there_are})")
        for name in self.cells.of_key:
            if name not in self.layout.part_named:
                attribute = f"{self.cells.record.__name__}.{name}"
                raise InvalidRecord(
                    f"{attribute}: must be a column of table {self.name}, or a part of {self.layout.name}"
                )
        _check_splits(self)
        object.__setattr__(self, "_read", self.cells.reader(self.layout, self._record_plainly))

    def row(self, record: object) -> bytes:
        """The row key of a record, or of any object that has the parts of the key as attributes."""
        return self.layout.row_of(record)

    @property
    def record(self) -> Callable[[bytes, Mapping[bytes, bytes]], R]:
        """A function of a row and its cells: the record that they hold; InvalidRow where they hold none."""
        return self._read

    def _record_plainly(self, row: bytes, cells: Mapping[bytes, bytes]) -> R:
        """What `record` does, step by step; it also finds the reason why a row holds none."""
        try:
            return self.cells.unpack(self.layout.decode(row), cells)
        except (InvalidKey, InvalidRecord) as error:
            raise InvalidRow(self.name, row, str(error)) from None

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy ask for: the function that reads a record is generated anew."""
        return type(self), (self.name, self.holds, self.layout, self.cells, self.families, self.splits)


def _check_splits(table: TableDesign[Any]) -> None:
    points = table.splits.points
    for point, before in zip(points, (b"", *points), strict=False):
        if not before < point or len(point) > MAX_ROW_BYTES:
            wanted = f"must be rows of 1..{MAX_ROW_BYTES} bytes in their order"
            raise InvalidRecord(
                f"table {table.name}: split points {wanted} (got {point[:100]!r} after {before[:100]!r})"
            )


class TableMismatch(ValueError):
    """A table of that name exists and has other families, or keeps their cells otherwise."""


def create_tables(connection: happybase.Connection, tables: Iterable[TableDesign[Any]]) -> None:
    """Creates what is missing, as declared; what is there must be as declared, and is never changed.

    Raises `TableMismatch` for a table that has other families or keeps their cells otherwise. Where a table is split is
    not compared, since HBase splits regions by itself. Raises `NeedsThrift2`, before anything is created, where the
    connection names no Thrift2 gateway and that would take one: for split points of a missing table, for a block size
    of any. Through Thrift1 alone, the block size of a table that declares HBase's own is not compared.
    """
    tables = list(tables)
    there = {name.decode() for name in connection.tables()}
    with beyond_thrift1(connection) as beyond:
        if beyond is None:
            for table in tables:
                _check_thrift1_will_do(table, is_there=table.name in there)
        for table in tables:
            if table.name in there or not _create(connection, beyond, table):
                block_sizes = beyond.block_sizes(table.name) if beyond else {}
                _check_families(table, connection.table(table.name).families(), block_sizes)


def _check_thrift1_will_do(table: TableDesign[Any], *, is_there: bool) -> None:
    for name, family in table.families.items():
        if family.block_size_bytes != BLOCK_BYTES:
            raise NeedsThrift2(
                f"table {table.name}, family {name}: block_size_bytes {family.block_size_bytes} takes Thrift2 to be set"
                " and compared: give thrift2_port in the store's URL (got none)"
            )
    if table.splits.points and not is_there:
        raise NeedsThrift2(
            f"table {table.name}: its split points take Thrift2 to be set: give thrift2_port in the store's URL"
            " (got none), or run what rowbook ddl prints in the HBase shell"
        )


def _create(connection: happybase.Connection, beyond: BeyondThrift1 | None, table: TableDesign[Any]) -> bool:
    """Whether the table was created: not so where another process was faster."""
    try:
        if beyond is None:
            connection.create_table(table.name, {name: family.options for name, family in table.families.items()})
        else:
            families = {
                name: {**family.options, "block_size": family.block_size_bytes}
                for name, family in table.families.items()
            }
            beyond.create_split_table(table.name, families, table.splits.points)
    except AlreadyExists:
        return False
    return True


def _check_families(
    table: TableDesign[Any], described: Mapping[bytes, Mapping[str, Any]], block_sizes: Mapping[bytes, int]
) -> None:
    found = {name.decode() for name in described}
    if found != set(table.families):
        wanted = ", ".join(sorted(table.families))
        raise TableMismatch(f"table {table.name}: must have the families {wanted} (has {', '.join(sorted(found))})")
    for name, family in table.families.items():
        declared = attrs.asdict(family) | {"ttl_seconds": _seconds(family.ttl_seconds)}
        kept = _kept(described[name.encode()], block_sizes.get(name.encode()))
        others = [each for each in declared if declared[each] != kept.get(each, declared[each])]
        if others:
            wanted, has = (", ".join(f"{each} {of[each]}" for each in others) for of in (declared, kept))
            raise TableMismatch(f"table {table.name}, family {name}: must have {wanted} (has {has})")


def _kept(described: Mapping[str, Any], block_size_bytes: int | None) -> dict[str, object]:
    """What a store says of a family, under the names of `Family`; without the block size where nobody says it."""
    kept: dict[str, object] = {
        "max_versions": described["max_versions"],
        "ttl_seconds": _seconds(described["time_to_live"]),
        "bloom": described["bloom_filter_type"].decode(),
        "compression": described["compression"].decode(),
    }
    return kept if block_size_bytes is None else kept | {"block_size_bytes": block_size_bytes}


def _seconds(ttl_seconds: int | None) -> int | None:
    """A TTL; None is for ever, which HBase says in either of two ways."""
    return None if ttl_seconds is None or ttl_seconds < 1 or ttl_seconds == 2**31 - 1 else ttl_seconds


def drop_tables(connection: happybase.Connection, tables: Iterable[TableDesign[Any]]) -> None:
    """Deletes the tables and all that is in them; those that do not exist are passed over."""
    there = set(connection.tables())
    for table in tables:
        if table.name.encode() in there:
            connection.delete_table(table.name, disable=True)
