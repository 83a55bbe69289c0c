"""Table declarations: which families a table has, and the layout of its row keys; creates and drops them."""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

import attrs
import happybase
from Hbase_thrift import AlreadyExists

from .cells import CellLayout, InvalidRecord, InvalidRow
from .keys import InvalidKey, KeyLayout

R = TypeVar("R")


@attrs.frozen
class Family:
    """A column family and what HBase must know of it when the table is created."""

    max_versions: int = 1
    ttl_seconds: int | None = None
    bloom: str = "ROW"
    """ROW lets a get skip files that cannot hold the row; scans do not use it."""


def _family_of_cells(table: "TableDesign[Any]") -> Mapping[str, Family]:
    return {table.cells.family: Family()}


@attrs.frozen
class TableDesign(Generic[R]):
    """One table: how a record becomes a row key and cells, and back.

    `holds` says what a row is, in a few words. Without `families` there is the one of the cells, as HBase has it by
    default. A record whose attributes are neither in the key nor in the cells is refused here, when it is declared.
    """

    name: str
    holds: str
    layout: KeyLayout[Any]
    cells: CellLayout[R]
    families: Mapping[str, Family] = attrs.field(default=attrs.Factory(_family_of_cells, takes_self=True))

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

    def row(self, record: object) -> bytes:
        """The row key of a record, or of any object that has the parts of the key as attributes."""
        return self.layout.encode(self.layout.key_of(record))

    def record(self, row: bytes, cells: Mapping[bytes, bytes]) -> R:
        """The record that a row holds; InvalidRow where it is none."""
        try:
            return self.cells.unpack(self.layout.decode(row), cells)
        except (InvalidKey, InvalidRecord) as error:
            raise InvalidRow(self.name, row, error) from None


class TableMismatch(ValueError):
    """A table of that name exists and has other families, or keeps their cells otherwise."""


def create_tables(connection: happybase.Connection, tables: Iterable[TableDesign[Any]]) -> None:
    """Creates what is missing; a table that exists must have the declared families, versions and TTLs."""
    there = set(connection.tables())
    for table in tables:
        if table.name.encode() in there or not _create(connection, table):
            _check_families(table, connection.table(table.name).families())


def _create(connection: happybase.Connection, table: TableDesign[Any]) -> bool:
    """Whether the table was created: not so where another process was faster."""
    families: dict[str, dict[str, Any]] = {}
    for name, family in table.families.items():
        families[name] = {
            "max_versions": family.max_versions,
            "bloom_filter_type": family.bloom,
            "block_cache_enabled": True,  # off when created through Thrift1, unlike HBase's own default
            "time_to_live": -1 if family.ttl_seconds is None else family.ttl_seconds,
        }
    try:
        connection.create_table(table.name, families)
    except AlreadyExists:
        return False
    return True


def _check_families(table: TableDesign[Any], described: Mapping[bytes, Mapping[str, Any]]) -> None:
    found = {name.decode() for name in described}
    if found != set(table.families):
        wanted = ", ".join(sorted(table.families))
        raise TableMismatch(f"table {table.name}: must have the families {wanted} (has {', '.join(sorted(found))})")
    for name, family in table.families.items():
        wanted = _kept(family.max_versions, family.ttl_seconds)
        there = described[name.encode()]
        has = _kept(there["max_versions"], there["time_to_live"])
        if has != wanted:
            raise TableMismatch(f"table {table.name}, family {name}: must have {wanted} (has {has})")


def _kept(max_versions: int, ttl_seconds: int | None) -> str:
    """How many versions of a cell a family keeps, and for how long; HBase says for ever in either of two ways."""
    return f"max_versions {max_versions} and ttl_seconds {None if ttl_seconds in (-1, 2**31 - 1) else ttl_seconds}"


def drop_tables(connection: happybase.Connection, tables: Iterable[TableDesign[Any]]) -> None:
    """Deletes the tables and all that is in them; those that do not exist are passed over."""
    there = set(connection.tables())
    for table in tables:
        if table.name.encode() in there:
            connection.delete_table(table.name, disable=True)
