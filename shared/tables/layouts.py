"""Table layouts: a table's name, families, split points, row keys and cells, and a record as a row of it.

The same declaration is the same table on the embedded store, on HBase (`creation.py`) and in the HBase shell
(`ddl.py`).
"""

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any, Generic, TypeVar

import attrs

from ..keys import InvalidKey, KeyLayout, Plan, Splits, split_points
from ..keys.limits import BLOCK_BYTES, FOREVER_S
from ..records.fields import integer, one_of
from .cells import Cells, families_of
from .declarations import check_attributes, check_splits, claimed_by_both, claims_of, items_of
from .errors import InvalidRecord, InvalidRow
from .key_formats import KeyFormat, key_format
from .record_cells import RecordCells

K = TypeVar("K")
R = TypeVar("R")


@attrs.frozen
class Family:
    """A column family and what HBase must know of it when the table is created."""

    max_versions: int = attrs.field(default=1, validator=integer(1, 2**31 - 1))
    ttl_seconds: int | None = attrs.field(default=None, validator=attrs.validators.optional(integer(-1, FOREVER_S)))
    """Seconds until a cell expires; None for never, like HBase's own numbers: below 1, or 2^31 - 1."""
    bloom: str = attrs.field(default="ROW", validator=one_of("NONE", "ROW", "ROWCOL"))
    """ROW lets a get skip files that cannot hold the row; scans do not use it."""
    compression: str = attrs.field(
        default="NONE", validator=one_of("NONE", "GZ", "SNAPPY", "LZ4", "ZSTD", "LZO", "BZIP2")
    )
    """The compression of the blocks in files. Each region server must have the codec; all have GZ."""
    block_size_bytes: int = attrs.field(default=BLOCK_BYTES, validator=integer(1024, 16 * 1024 * 1024))
    """Bytes, before compression, that a region server reads from a file at a time: small blocks serve gets, large ones
    scans. Thrift1 creates only HBase's default, 65,536."""
    keep_tombstones_ms: int = attrs.field(default=0, validator=integer(0, 2**63 - 1))
    """Milliseconds, counted from its own timestamp, for which a compaction of all files keeps a tombstone, so that it
    still hides puts that arrive late: a tombstone dated 1970 is dropped at once. 0, HBase's default, keeps none.
    Thrift1 can neither set nor report it: a table created through Thrift1 alone keeps none."""

    @property
    def lifetime_s(self) -> int | None:
        """Seconds until a cell expires; None if it never does, whichever of HBase's numbers says so."""
        ttl_s = self.ttl_seconds
        return None if ttl_s is None or ttl_s < 1 or ttl_s == FOREVER_S else ttl_s

    @property
    def options(self) -> dict[str, Any]:
        """The options for happybase's `create_table`; options that Thrift1 cannot express keep HBase's defaults."""
        return {
            "max_versions": self.max_versions,
            "bloom_filter_type": self.bloom,
            "compression": self.compression,
            "block_cache_enabled": True,  # off when created through Thrift1, unlike HBase's own default
            "time_to_live": -1 if self.ttl_seconds is None else self.ttl_seconds,
        }


def _families_of_cells(table: "TableLayout[Any, Any]") -> Mapping[str, Family]:
    return {family: Family() for family in families_of(table.cells)}


@attrs.frozen
class TableLayout(Generic[K, R]):
    """One table: how a record becomes a row key and cells, and back.

    TableLayout("orders_by_seller", "one line of a seller's list", KeyLayout(OrderBySeller), SELLER_CELLS)
    TableLayout("points", "an hour of one metric", KeyLayout(HourOfMetric), ItemCells(Point, "p", ...))

    `holds` says what a row is, in a few words. If `families` is omitted, the table has the families of its cells with
    HBase's defaults. If `splits` is omitted, the table is created with the split points that its key layout has a
    reason for: one region for each bucket of a salt. A declaration is refused with InvalidRecord if the record lacks a
    part of the key, or has an attribute that is neither in the key nor in the cells.

    Two layouts may name one table, for different records of a row: the table has the families of both, and each cell
    belongs to one of them.
    """

    name: str
    holds: str
    key: KeyLayout[K]
    cells: Cells[R]
    families: Mapping[str, Family] = attrs.field(default=attrs.Factory(_families_of_cells, takes_self=True))
    splits: Splits = attrs.field(default=attrs.Factory(lambda table: split_points(table.key), takes_self=True))
    """The split points of the new table; later HBase splits regions by itself."""
    is_recorded: bool = True
    """Whether the store keeps a record of this layout, to compare other layouts with (`recorded_layouts.py`). False if
    another program defines the table."""
    format: KeyFormat = attrs.field(init=False, eq=False, repr=False)
    """The format of row keys and qualifiers."""
    _read: Callable[[bytes, Mapping[bytes, bytes]], R] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        for family in families_of(self.cells):
            if family not in self.families:
                there_are = ", ".join(self.families)
                raise InvalidRecord(f"table {self.name}: must have the family {family} (has {there_are})")
        check_attributes(self.name, self.key, self.cells)
        check_splits(self.name, self.splits)
        items = items_of(self.cells)
        object.__setattr__(self, "format", key_format(self.key, items.qualifier if items else None))
        reader: Callable[[bytes, Mapping[bytes, bytes]], R] = self._record_reference
        if isinstance(self.cells, RecordCells):
            reader = self.cells.reader(self.key, self._record_reference)
        object.__setattr__(self, "_read", reader)

    def row(self, record: K | R) -> bytes:
        """The row key of a record, or of a key."""
        return self.key.row_of(record)

    @property
    def record(self) -> Callable[[bytes, Mapping[bytes, bytes]], R]:
        """A function that returns the record of a row and its cells; raises InvalidRow if they hold none or several."""
        return self._read

    def _record_reference(self, row: bytes, cells: Mapping[bytes, bytes]) -> R:
        """What `record` does, step by step; it also finds the reason why a row holds none."""
        records = self.records(row, cells)
        if len(records) != 1:
            claimed = b", ".join(self.cells.columns).decode(errors="backslashreplace")
            reason = f"none of its cells ({claimed})" if not records else f"{len(records)} records"
            raise InvalidRow(self.name, row, f"{self.cells.record.__name__}: {reason}")
        return records[0]

    def records(self, row: bytes, cells: Mapping[bytes, bytes]) -> list[R]:
        """The records of a row and its cells, in the order of their cells; raises InvalidRow."""
        try:
            return list(self.cells.records(self.key.decode(row), cells))
        except (InvalidKey, InvalidRecord) as error:
            if self.has_expired(cells):
                return []
            raise InvalidRow.of(self.name, row, error) from None

    @property
    def lifetimes_s(self) -> dict[str, float]:
        """Seconds until the cells of a record expire, by family; infinity if they never do.

        No longer than until the record itself has expired: see `has_expired`.
        """
        of_record_s = min(self._required_s.values(), default=math.inf)
        return {name: min(self._lifetime_s(name), of_record_s) for name in families_of(self.cells)}

    def has_expired(self, cells: Mapping[bytes, bytes]) -> bool:
        """Whether these cells are the rest of a record that has expired: other families, or what was put again later.

        That is so if a cell that every record has is missing, and is in a family with a TTL. Queries skip such a row,
        also if the cell was deleted or never put.
        """
        return any(column not in cells and ttl_s < math.inf for column, ttl_s in self._required_s.items())

    @property
    def _required_s(self) -> dict[bytes, float]:
        """The columns that every record has, each with the seconds until its cell expires."""
        required = self.cells.required_columns if isinstance(self.cells, RecordCells) else ()
        return {column: self._lifetime_s(column.partition(b":")[0].decode()) for column in required}

    def _lifetime_s(self, family: str) -> float:
        return self.families[family].lifetime_s or math.inf

    def plan(self, /, **question: Any) -> Plan:
        """The ranges and the point or residual for a question about any parts of a record's row key and qualifier.

        As `KeyLayout.plan` for the parts of the row key. Conditions on the qualifier, and on a value whose slice is in
        the row key, are in the plan's residual; if all records that meet them have qualifiers of one range, only these
        are read of each row. If the question binds every part of both to a value, the plan is a point: one row, and one
        column.
        """
        return self._planned(self.key.plan, question)

    def narrow(self, /, **question: Any) -> Plan:
        """The plan of `plan`, but what no range can bind goes to the residual, too; see `KeyLayout.narrow`."""
        return self._planned(self.key.narrow, question)

    def whole_table(self) -> Plan:
        """The ranges of all rows: the most expensive question."""
        return attrs.evolve(self.key.whole_table(), table=self.name)

    def _planned(self, plan: Callable[..., Plan], question: dict[str, Any]) -> Plan:
        if items := items_of(self.cells):
            return attrs.evolve(items.plan(self.key, plan, question), table=self.name)
        return attrs.evolve(plan(**question), table=self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies the arguments of `__init__`; the reading function is generated again."""
        arguments = (self.name, self.holds, self.key, self.cells, self.families, self.splits, self.is_recorded)
        return type(self), arguments


@attrs.frozen
class PhysicalTable:
    """One table of a store, as all layouts that name it declare it."""

    name: str
    layouts: tuple[TableLayout[Any, Any], ...]
    families: Mapping[str, Family]
    splits: Splits


def physical_tables(tables: Iterable[TableLayout[Any, Any]]) -> list[PhysicalTable]:
    """The tables that some layouts declare, each once, with the families of all its layouts.

    Raises InvalidRecord if two layouts of a table differ in a family of one name, or in their split points, or if both
    claim the same cells.
    """
    by_name: dict[str, list[TableLayout[Any, Any]]] = {}
    for table in tables:
        by_name.setdefault(table.name, []).append(table)
    return [_physical(name, tuple(layouts)) for name, layouts in by_name.items()]


def _physical(name: str, layouts: tuple[TableLayout[Any, Any], ...]) -> PhysicalTable:
    families: dict[str, Family] = {}
    for layout in layouts:
        for family_name, family in layout.families.items():
            other = families.setdefault(family_name, family)
            if other != family:
                raise InvalidRecord(
                    f"table {name}: all its layouts must declare family {family_name} alike (got {other} and {family})"
                )
        if layout.splits.points != layouts[0].splits.points:
            got = " and ".join(f"{len(other.splits.points)} of {other.holds}" for other in (layouts[0], layout))
            raise InvalidRecord(f"table {name}: all its layouts must have the same split points (got {got})")
    for first, second in combinations(layouts, 2):
        claims = claims_of(first.cells), [*claims_of(second.cells)]
        claimed = None if first == second else claimed_by_both(*claims)
        if claimed is not None:
            column = claimed.decode(errors="backslashreplace")
            raise InvalidRecord(f"table {name}: {first.holds} and {second.holds} both claim {column}")
    return PhysicalTable(name, layouts, families, layouts[0].splits)
