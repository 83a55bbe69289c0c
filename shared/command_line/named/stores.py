"""Opens the store that a command names, which must have the tables of a variant, or the samples in memory."""

import os
import shlex
from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import Any

import happybase
from thriftpy2.thrift import TException

from ...designs import Design, Variant, load_samples, scratch_store
from ...stores import Unreachable, connect, masked_url
from ...stores.outcomes.connection_errors import first_line
from ...tables import TableLayout
from ...tables.recorded_layouts import check_layouts
from ...upkeep import Upkeep
from ..screen.wrong_usage import CommandFailed, WrongUsage
from .designs import find_variants, full_name
from .options import MEMORY
from .own_settings import are_given, given_settings


@contextmanager
def open_store(url: str, prefix: str | None = None) -> Generator[happybase.Connection]:
    """The store at a URL; its errors are `CommandFailed`."""
    try:
        connection = connect(url, table_prefix=prefix)
    except Unreachable as error:  # its message names the address
        raise CommandFailed(f"{first_line(error)}; is a Thrift gateway running there?") from None
    except (TException, OSError) as error:
        advice = "; is a Thrift gateway running there?" if url.startswith("hbase:") else ""
        raise CommandFailed(f"{url}: {first_line(error)}{advice}") from None
    with closing(connection):
        try:
            yield connection
        except (TException, OSError) as error:
            raise CommandFailed(f"the store failed: {first_line(error)}") from error


@contextmanager
def open_repository(name: str, url: str, *, writes: bool = True) -> Generator[Any]:
    """The repository of a variant on a store that has its tables; `writes` as in `check_tables`."""
    design, (variant, *_others) = find_variants(name)
    with store_to_ask(url, design, variant, writes=writes) as (connection, stored):
        yield stored.open(connection)


@contextmanager
def open_upkeep(name: str, url: str, *, writes: bool = True) -> Generator[Upkeep]:
    """The upkeep of a variant's repository on a store that has its tables; `writes` as in `check_tables`."""
    with open_repository(name, url, writes=writes) as repository:
        if not hasattr(repository, "upkeep"):
            raise WrongUsage(
                f"{name}: {type(repository).__name__} needs an attribute upkeep, such as UnreadableRows(table)"
            )
        yield repository.upkeep


@contextmanager
def store_to_ask(
    url: str | None, design: Design, variant: Variant, *, writes: bool = True
) -> Generator[tuple[happybase.Connection, Variant]]:
    """The store at `url`, which must have the tables of the variant, and the variant with the settings that it keeps.

    If `url` is None, the samples in memory. `writes` as in `check_tables`.
    """
    if url is None:
        with closing(scratch_store(variant.tables)) as connection:
            load_samples(connection, design, variant)
            yield connection, variant
        return
    with existing_store(url) as connection:
        variant = as_stored(connection, design, variant)
        check_tables(connection, url, design, variant, writes=writes)
        missing = missing_tables(connection, design, variant)  # that of settings, if the command only reads
        check_layouts(connection, [table for table in variant.tables if table.name not in missing])
        yield connection, variant


def stored_variants(design: Design, variants: tuple[Variant, ...], url: str) -> tuple[Variant, ...]:
    """The variants with the settings that a store keeps, if the design has some."""
    if design.settings is None:
        return variants
    with existing_store(url) as connection:
        return tuple(as_stored(connection, design, variant) for variant in variants)


def as_stored(connection: happybase.Connection, design: Design, variant: Variant) -> Variant:
    """The variant with the settings that its store keeps, if the design has some."""
    if design.settings is None:
        return variant
    return design.settings.applied(variant, given_settings(design), connection)


@contextmanager
def existing_store(url: str) -> Generator[happybase.Connection]:
    """The store at a URL, whose file must exist."""
    path = url.removeprefix("embedded:")
    if url == MEMORY:
        raise CommandFailed(f"{MEMORY} is memory, in which nothing is stored yet; {MEMORY}FILE is a store")
    if path != url and not os.path.exists(path):
        shown = masked_url(url).removeprefix("embedded:")
        raise CommandFailed(f"{shown}: no such store; rowbook load makes one")
    with open_store(url) as connection:
        yield connection


def check_tables(
    connection: happybase.Connection, url: str, design: Design, variant: Variant, *, writes: bool = True
) -> None:
    """Refuses a store that lacks a table of the variant; a command that only reads needs no table of settings."""
    if missing := missing_tables(connection, design, variant, writes=writes):
        name = full_name(design, variant)
        if design.settings is not None and missing == [design.settings.kept_in.name]:
            adopt = f"rowbook adopt {name} --store {shlex.quote(url)}{' and the same --settings' * are_given()}"
            raise CommandFailed(f"{url}: has no table {missing[0]}, so it can only be read; create it with {adopt}")
        others = [
            full_name(design, other) for other in design.variants if not missing_tables(connection, design, other)
        ]
        load = f"rowbook load {name} FILE --store {shlex.quote(url)}"
        made = f"it has those of {', '.join(others)}; create those of {name}" if others else "create missing tables"
        named = "" if design.settings is None else "; if they have other names, give these by --settings"
        raise CommandFailed(f"{url}: has no table {', '.join(missing)}; {made} with {load}{named}")


def check_table(connection: happybase.Connection, url: str, name: str, table: TableLayout[Any, Any]) -> None:
    """Refuses a store that lacks a table of the variant with this name."""
    if table.name.encode() not in connection.tables():
        raise CommandFailed(f"{url}: has no table {table.name}; rowbook load {name} makes one")


def missing_tables(
    connection: happybase.Connection, design: Design, variant: Variant, *, writes: bool = True
) -> list[str]:
    """The tables of a variant that a store does not have, each once: two layouts may share a table."""
    tables_there = {name.decode() for name in connection.tables()}
    if design.settings is not None and not writes:
        tables_there.add(design.settings.kept_in.name)
    return [name for name in dict.fromkeys(table.name for table in variant.tables) if name not in tables_there]
