"""Creates tables as they are declared, and drops them.

Thrift1, which happybase speaks, knows neither split points nor block sizes. For a declaration that has them, the
connection must offer a way to say them, `beyond_thrift1`. The connections of `stores/` do: on HBase through a Thrift2
gateway, named by `thrift2_port` in the store's URL.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import attrs
import happybase
from Hbase_thrift import AlreadyExists

from ..keys.limits import BLOCK_BYTES
from .layouts import TableLayout


class BeyondThrift1(Protocol):
    """Creates tables with what Thrift1 cannot say: an embedded store, or a Thrift2 gateway."""

    def create_split_table(
        self, name: str | bytes, families: Mapping[str, Mapping[str, Any]], split_points: Iterable[str | bytes] = ()
    ) -> None:
        """Creates a table as happybase's `create_table` does, with one region more than there are split points.

        Each split point is the first row of a region. Families take the option `block_size` besides, in bytes. Raises
        as `create_table` does, and ValueError for a split point that is not a valid row key or occurs twice.
        """
        ...

    def block_sizes(self, name: str | bytes) -> dict[bytes, int]:
        """The block size of each family, in bytes."""
        ...


class NeedsThrift2(ValueError):
    """A table needs what Thrift1 can neither set nor report, and the connection offers no other way."""


class TableMismatch(ValueError):
    """A table of that name exists and has other families, or keeps their cells otherwise."""


def create_tables(connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]) -> None:
    """Creates what is missing, as declared; what is there must be as declared, and is never changed.

    Raises `TableMismatch` for a table that has other families or keeps their cells otherwise. Where a table is split is
    not compared, since HBase splits regions by itself. Raises `NeedsThrift2`, before anything is created, where the
    connection names no Thrift2 gateway and that would take one: for split points of a missing table, for a block size
    of any. Through Thrift1 alone, the block size of a table that declares HBase's own is not compared.
    """
    tables = list(tables)
    there = {name.decode() for name in connection.tables()}
    with _beyond_thrift1(connection) as beyond:
        if beyond is None:
            for table in tables:
                _check_thrift1_will_do(table, is_there=table.name in there)
        for table in tables:
            if table.name in there or not _create(connection, beyond, table):
                block_sizes = beyond.block_sizes(table.name) if beyond else {}
                _check_families(table, connection.table(table.name).families(), block_sizes)


def _beyond_thrift1(connection: happybase.Connection) -> AbstractContextManager[BeyondThrift1 | None]:
    """What the connection offers beyond Thrift1, open during the block; None for happybase's own connection."""
    offer: Callable[[], AbstractContextManager[BeyondThrift1 | None]]
    offer = getattr(connection, "beyond_thrift1", nullcontext)
    return offer()


def _check_thrift1_will_do(table: TableLayout[Any, Any], *, is_there: bool) -> None:
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


def _create(connection: happybase.Connection, beyond: BeyondThrift1 | None, table: TableLayout[Any, Any]) -> bool:
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
    table: TableLayout[Any, Any], described: Mapping[bytes, Mapping[str, Any]], block_sizes: Mapping[bytes, int]
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


def drop_tables(connection: happybase.Connection, tables: Iterable[TableLayout[Any, Any]]) -> None:
    """Deletes the tables and all that is in them; those that do not exist are passed over."""
    there = set(connection.tables())
    for table in tables:
        if table.name.encode() in there:
            connection.delete_table(table.name, disable=True)
