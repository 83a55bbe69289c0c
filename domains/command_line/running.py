"""`rowbook run`: the samples of designs loaded, every question asked of every variant."""

from collections.abc import Generator
from contextlib import contextmanager

import happybase
from rich.console import Console

from shared.designs import Design, Variant
from shared.designs.comparison import VariantCosts, measure_variant
from shared.tables import create_tables, drop_tables
from shared.tables.recorded_layouts import RECORDS

from . import costs, terminal
from .designs import full_name, group_by_design
from .options import MEMORY
from .shown_designs import show_design
from .stores import open_store
from .usage import WrongUsage

DEMO_PREFIX = "rowbook_demo"
"""Prefix of the tables that `run` makes in the user's store; happybase adds `_` to it."""


def run(out: Console, names: list[str], store: str, *, keep: bool, as_json: bool) -> None:
    """Loads the samples of some designs or variants, or of all, and prints what their questions cost."""
    selection = group_by_design(names)
    if store == MEMORY and keep:
        raise WrongUsage("--keep: a store in memory ends with the command; name another one with --store")
    all_costs: list[tuple[Design, list[VariantCosts]]] = []
    prefix = ""
    for design, variants in selection:
        measured: list[VariantCosts] = []
        all_costs.append((design, measured))
        for variant in variants:
            with _demo_tables(store, variant, keep) as connection:
                prefix = (connection.table_prefix or b"").decode()  # that of the URL, too
                measured.append(measure_variant(connection, design, variant))
                if variant is variants[0] and not as_json:
                    show_design(out, design, variants)
                    for table in variant.record_tables:
                        costs.rows(out, connection, table)
                    costs.costs(out, full_name(design, variant), measured[0].measurements)
                    costs.ranges(out, connection, variant.tables, measured[0].measurements)
        if len(measured) > 1 and not as_json:
            costs.comparison(out, design, measured)
            costs.traps(out, design)
        if keep and not as_json:
            names_kept = dict.fromkeys(table.name for variant in variants for table in variant.tables)
            table_names = ", ".join(f"{prefix}_{name}" for name in names_kept)
            terminal.line(out, f"kept in {store}: {table_names}")
    if as_json:
        costs.costs_as_json(out, all_costs)


@contextmanager
def _demo_tables(url: str, variant: Variant, keep: bool) -> Generator[happybase.Connection]:
    """The tables of a variant under `DEMO_PREFIX`, dropped at the end; a store in memory needs neither."""
    if url == MEMORY:
        with open_store(url) as connection:
            create_tables(connection, variant.tables)
            yield connection
        return
    with open_store(url, DEMO_PREFIX) as connection:
        try:
            create_tables(connection, variant.tables)
            yield connection
        finally:
            if not keep:
                # A new connection, because an error or Ctrl-C may have stopped the other one in the middle of a reply.
                with open_store(url, DEMO_PREFIX) as fresh:
                    drop_tables(fresh, variant.tables)
                    if fresh.tables() == [RECORDS.name.encode()]:  # nobody but `rowbook run` uses the prefix
                        drop_tables(fresh, [RECORDS])
