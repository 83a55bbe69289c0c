"""`rowbook run`: the samples of designs loaded, every question asked of every variant."""

from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager

import happybase
from rich.console import Console

from ...designs import Design, Variant, scratch_store
from ...exhibit.comparison import VariantCosts, measure_variant
from ...tables import create_tables, drop_tables
from ...tables.recorded_layouts import RECORDS
from ...writes import Expired
from ..named.design_lines import show_design
from ..named.designs import full_name, group_by_design
from ..named.options import MEMORY
from ..named.stores import open_store
from ..screen.progress import doing
from ..screen.terminal import line
from ..screen.wrong_usage import CommandFailed, WrongUsage
from . import run_output, short_run_output

DEMO_PREFIX = "rowbook_demo"
"""Prefix of the tables that `run` makes in the user's store; happybase adds `_` to it."""


def run(out: Console, errors: Console, names: list[str], store: str, *, keep: bool, full: bool, as_json: bool) -> None:
    """Loads the samples of some designs or variants, or of all, and prints what their questions cost.

    Without names, and neither in full nor as JSON, only the designs themselves run, without their variants.
    """
    if store == MEMORY and keep:
        raise WrongUsage("--keep: a store in memory ends with the command; name another one with --store")
    selection = group_by_design(names)
    if not (names or full or as_json):
        _run_all(out, errors, [design for design, _variants in selection], store, keep)
        return
    prefix = ""
    all_costs: list[tuple[Design, list[VariantCosts]]] = []
    for number, (design, variants) in enumerate(selection):
        measured: list[VariantCosts] = []
        all_costs.append((design, measured))
        if number and not as_json:
            line(out)
        for place, variant in enumerate(variants, 1):
            with _demo_tables(store, variant, keep) as connection:
                prefix = (connection.table_prefix or b"").decode()  # includes the URL's
                with doing(errors, design.name) as tell:
                    tell(f"{variant.name}, {place} of {len(variants)}")
                    measured.append(measure_variant(connection, design, variant))
                if variant is variants[0] and full and not as_json:
                    show_design(out, design, variants)
                    _show_in_full(out, connection, design, measured[0])
        if not as_json:
            _compare(out, design, measured, full)
        if keep and not as_json:
            _say_what_is_kept(out, store, prefix, variants)
    if as_json:
        run_output.costs_as_json(out, all_costs)


def _run_all(out: Console, errors: Console, designs: list[Design], store: str, keep: bool) -> None:
    """A line for each design."""
    prefix = ""
    measured: list[tuple[Design, VariantCosts]] = []
    with doing(errors, "run") as tell:
        for number, design in enumerate(designs, 1):
            tell(f"{design.name}, {number} of {len(designs)}")
            with _demo_tables(store, design.main, keep) as connection:
                prefix = (connection.table_prefix or b"").decode()
                measured.append((design, measure_variant(connection, design, design.main)))
    short_run_output.show_all(out, measured)
    if keep:
        _say_what_is_kept(out, store, prefix, [design.main for design in designs])


def _show_in_full(out: Console, connection: happybase.Connection, design: Design, measured: VariantCosts) -> None:
    """Rows of each table, the costs of the questions, the commands that ask them, and the ranges that they read."""
    for table in measured.variant.record_tables:
        run_output.rows(out, connection, design, table)
    run_output.costs(out, full_name(design, measured.variant), measured.measurements)
    run_output.ranges(out, connection, measured.variant.tables, measured.measurements)


def _compare(out: Console, design: Design, measured: list[VariantCosts], full: bool) -> None:
    """The variants side by side; in full also when not to choose them, what they refuse, and published mistakes."""
    if not full:
        short_run_output.show_choice(out, design, measured, f"rowbook run {design.name} --all says more.")
        return
    if len(measured) > 1:
        run_output.comparison(out, design, measured)
        run_output.traps(out, design)
    run_output.choice(out, design, measured)
    run_output.words(out, measured)


def _say_what_is_kept(out: Console, store: str, prefix: str, variants: Iterable[Variant]) -> None:
    """The names of the tables that remain in the user's store, including the prefix of its URL."""
    names = dict.fromkeys(table.name for variant in variants for table in variant.tables)
    line(out, f"kept in {store}: {', '.join(f'{prefix}_{name}' for name in names)}")


@contextmanager
def _demo_tables(url: str, variant: Variant, keep: bool) -> Generator[happybase.Connection]:
    """The tables of a variant under `DEMO_PREFIX`, dropped at the end; a store in memory needs neither."""
    if url == MEMORY:
        with closing(scratch_store(variant.tables)) as connection:
            yield connection
        return
    with open_store(url, DEMO_PREFIX) as connection:
        try:
            create_tables(connection, variant.tables)
            yield connection
        except Expired as error:
            raise CommandFailed(f"{error.reason}; run without --store measures samples of any age") from None
        finally:
            if not keep:
                # A new connection, because an error or Ctrl-C may have stopped the other one in the middle of a reply.
                with open_store(url, DEMO_PREFIX) as fresh:
                    drop_tables(fresh, variant.tables)
                    if fresh.tables() == [RECORDS.name.encode()]:  # only `rowbook run` uses the prefix
                        drop_tables(fresh, [RECORDS])
