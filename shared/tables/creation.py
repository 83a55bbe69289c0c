"""Creates tables as they are declared, and drops them.

Thrift1, the protocol of happybase, can set neither split points nor block sizes. For a table that declares them, the
connection must offer another way, `beyond_thrift1`. The connections of `stores/` do: on HBase through a Thrift2
gateway (`stores/hbase/thrift2.py`), named by `thrift2_port` in the store's URL.

Nor can Thrift1 set how long tombstones are kept. Reads do not depend on that, so a table that declares it is created
without it through Thrift1 alone, with a warning.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from ..keys.limits import BLOCK_BYTES
from .ddl import alter_statement
from .layouts import Family, PhysicalTable, TableLayout, physical_tables
from .recorded_layouts import (
    RECORDS,
    TableMismatch,
    claim_table,
    compare_table,
    delete_record,
    forget_compared,
    recorded_at_ms,
)

if TYPE_CHECKING:
    import happybase


class NeedsThrift2(ValueError):
    """A table needs an option that Thrift1 can neither set nor report, and the connection offers no other way."""


class KeepsNoTombstones(UserWarning):
    """A table was created without `keep_tombstones_ms`, because Thrift1 cannot set it."""


class BeyondThrift1(Protocol):
    """The calls that creating tables needs beyond Thrift1; embedded stores and Thrift2 gateways have them."""

    def create_split_table(
        self, name: str | bytes, families: Mapping[str, Mapping[str, Any]], split_points: Iterable[str | bytes] = ()
    ) -> None:
        """Creates a table as happybase's `create_table` does, with one region more than there are split points.

        Each split point is the first row of a region. Families have two more options: `block_size`, in bytes, and
        `keep_tombstones_ms`. Raises what `create_table` raises, and ValueError for a split point that is not a valid
        row key or occurs twice.
        """
        ...

    def create_namespace(self, name: str | bytes) -> None:
        """Creates a namespace, unless it exists."""
        ...

    def block_sizes(self, name: str | bytes) -> dict[bytes, int]:
        """The block size of each family, in bytes."""
        ...

    def keep_tombstones_ms(self, name: str | bytes) -> dict[bytes, int]:
        """How long a compaction of all files keeps the tombstones of each family, in milliseconds."""
        ...


def create_tables(connection: "happybase.Connection", tables: Iterable[TableLayout[Any, Any]]) -> None:
    """Creates the tables that do not exist, as declared. Compares those that exist, and never changes them.

    Creates a namespace that does not exist, too; without a Thrift2 gateway that is `NeedsThrift2`.

    Raises `TableMismatch` for an existing table whose families, or their options, are not as declared; the options are
    not compared if another program defines the table (`TableLayout.is_recorded`). Raises its subclass `LayoutMismatch`
    if another key layout makes the table's keys, as recorded in the table `rowbook_layouts` when it was created
    (`recorded_layouts.py`). Warns of `UnrecordedLayout` if it has not been recorded. Does not compare split points,
    because HBase keeps splitting regions by itself.

    A list that it creates after its sources is marked, and its readers get `UnfilledList` until `repair` has put the
    lines that it lacks. Give all tables of a design in one call: so it tells a new design from a new list.

    If the connection has no Thrift2 gateway, raises `NeedsThrift2`, before anything is created, for split points of a
    missing table and for any block size other than HBase's default, which is not compared. Nor is `keep_tombstones_ms`
    set or compared: a table created this way keeps no tombstones, of which `KeepsNoTombstones` warns, and is a mismatch
    through Thrift2.
    """
    tables = [*tables]
    physical = physical_tables(tables)
    sources = {table.name for table in tables if getattr(table.cells, "holds_sources", False)}
    created: set[str] = set()
    with _beyond_thrift1(connection) as beyond:
        existing = _names(connection)
        if beyond is None:
            for table in physical:
                _check_thrift1_suffices(table, exists=table.name in existing)
        if RECORDS.name not in existing and any(
            table.name not in existing and layout.is_recorded for table in physical for layout in table.layouts
        ):
            _create(connection, beyond, _RECORDS)
            existing.add(RECORDS.name)
        for table in physical:
            if table.name not in existing and _create_claimed(connection, beyond, table, sources, created):
                created.add(table.name)
            else:
                described = connection.table(table.name).families()
                _check_names(table, described)
                if any(layout.is_recorded for layout in table.layouts):
                    block_sizes = beyond.block_sizes(table.name) if beyond else {}
                    keep_ms = beyond.keep_tombstones_ms(table.name) if beyond else {}
                    _check_options(table, described, block_sizes, keep_ms)
            compare_table(connection, table, has_records=RECORDS.name in existing)


def drop_tables(connection: "happybase.Connection", tables: Iterable[TableLayout[Any, Any]]) -> None:
    """Deletes the tables with all their rows, and their records; skips tables that do not exist.

    The table of records stays, even if empty, because another process may be about to record its own tables there. Drop
    `RECORDS` itself only if no other process uses the prefix.
    """
    existing = _names(connection)
    has_records = RECORDS.name in existing
    for table in physical_tables(tables):
        if table.name in existing:  # otherwise another process may have created it, with a record, by now
            at_ms = recorded_at_ms(connection, table.name) if has_records else {}
            connection.delete_table(table.name, disable=True)
            delete_record(connection, table.name, at_ms)  # after the table: a record without a table is out of date
        forget_compared(connection, table.name)


def _names(connection: "happybase.Connection") -> set[str]:
    return {name.decode() for name in connection.tables()}


def create_records(connection: "happybase.Connection") -> None:
    """Creates the table of records, if it is missing."""
    with _beyond_thrift1(connection) as beyond:
        if RECORDS.name not in _names(connection):
            _create(connection, beyond, _RECORDS)


def _beyond_thrift1(connection: "happybase.Connection") -> AbstractContextManager[BeyondThrift1 | None]:
    """What the connection offers beyond Thrift1, open during the block; None for happybase's own connection."""
    offer: Callable[[], AbstractContextManager[BeyondThrift1 | None]]
    offer = getattr(connection, "beyond_thrift1", nullcontext)
    return offer()


def _check_thrift1_suffices(table: PhysicalTable, *, exists: bool) -> None:
    for name, family in table.families.items():
        if family.block_size_bytes != BLOCK_BYTES:
            raise NeedsThrift2(
                f"table {table.name}, family {name}: block_size_bytes {family.block_size_bytes} needs Thrift2 to be set"
                " and compared: give thrift2_port in the store's URL (got none)"
            )
    if table.splits.points and not exists:
        raise NeedsThrift2(
            f"table {table.name}: its split points need Thrift2 to be set: give thrift2_port in the store's URL"
            " (got none), or run what rowbook ddl prints in the HBase shell"
        )


def _create_claimed(
    connection: "happybase.Connection",
    beyond: BeyondThrift1 | None,
    table: PhysicalTable,
    sources: Set[str],
    created: Set[str],
) -> bool:
    """Whether this call created the table; its layouts are recorded before."""
    claim_table(connection, table, sources, created)
    is_created = _create(connection, beyond, table)
    if is_created and beyond is None:
        _warn_of_tombstones(table)
    return is_created


def _warn_of_tombstones(table: PhysicalTable) -> None:
    keeping = {name: family for name, family in table.families.items() if family.keep_tombstones_ms}
    if keeping:
        warnings.warn(
            f"table {table.name}: was created without keep_tombstones_ms, which Thrift1 cannot set: run"
            f" {alter_statement(table.name, keeping)} in the HBase shell, or create tables with thrift2_port in the"
            " store's URL",
            KeepsNoTombstones,
            stacklevel=2,
        )


def _create(connection: "happybase.Connection", beyond: BeyondThrift1 | None, table: PhysicalTable) -> bool:
    """Whether this call created the table, and its namespace if that is missing; False if another one was faster."""
    from Hbase_thrift import AlreadyExists, IOError  # a module that happybase makes

    try:
        _create_in_namespace(connection, beyond, table)
    except AlreadyExists:
        return False
    except IOError as error:
        if b"NamespaceNotFoundException" not in (error.message or b""):
            raise
        namespace = connection.table(table.name).name.decode().rpartition(":")[0]
        if beyond is None:
            raise NeedsThrift2(
                f"table {table.name}: its namespace {namespace} is missing, which Thrift1 cannot create: run"
                f" create_namespace '{namespace}' in the HBase shell, or give thrift2_port in the store's URL"
            ) from None
        beyond.create_namespace(namespace)
        return _create(connection, beyond, table)
    return True


def _create_in_namespace(
    connection: "happybase.Connection", beyond: BeyondThrift1 | None, table: PhysicalTable
) -> None:
    if beyond is None:
        connection.create_table(table.name, {name: family.options for name, family in table.families.items()})
        return
    families = {
        name: {
            **family.options,
            "block_size": family.block_size_bytes,
            "keep_tombstones_ms": family.keep_tombstones_ms,
        }
        for name, family in table.families.items()
    }
    beyond.create_split_table(table.name, families, table.splits.points)


(_RECORDS,) = physical_tables([RECORDS])


def _check_names(table: PhysicalTable, described: Mapping[bytes, Mapping[str, Any]]) -> None:
    names = {name.decode() for name in described}
    if names != set(table.families):
        wanted = ", ".join(sorted(table.families))
        raise TableMismatch(f"table {table.name}: must have the families {wanted} (has {', '.join(sorted(names))})")


def _check_options(
    table: PhysicalTable,
    described: Mapping[bytes, Mapping[str, Any]],
    block_sizes: Mapping[bytes, int],
    keep_ms: Mapping[bytes, int],
) -> None:
    for name, family in table.families.items():
        declared = attrs.asdict(family) | {"ttl_seconds": family.lifetime_s}
        stored_name = name.encode()
        actual = _actual_options(described[stored_name], block_sizes.get(stored_name), keep_ms.get(stored_name))
        differing = [option for option in declared if declared[option] != actual.get(option, declared[option])]
        if differing:
            wanted, given = (
                ", ".join(f"{option} {options[option]}" for option in differing) for options in (declared, actual)
            )
            raise TableMismatch(f"table {table.name}, family {name}: must have {wanted} (has {given})")


def _actual_options(
    described: Mapping[str, Any], block_size_bytes: int | None, keep_tombstones_ms: int | None
) -> dict[str, object]:
    """The options of a stored family, named as in `Family`; without those that the store does not report."""
    options: dict[str, object] = {
        "max_versions": described["max_versions"],
        "ttl_seconds": Family(ttl_seconds=described["time_to_live"]).lifetime_s,
        "bloom": described["bloom_filter_type"].decode(),
        "compression": described["compression"].decode(),
    }
    if block_size_bytes is not None:
        options["block_size_bytes"] = block_size_bytes
    if keep_tombstones_ms is not None:
        options["keep_tombstones_ms"] = keep_tombstones_ms
    return options
