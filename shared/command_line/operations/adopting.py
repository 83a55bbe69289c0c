"""`rowbook adopt`: records the key layouts, or the settings, of tables that were made without such a record."""

import happybase
from rich.console import Console

from ...designs import Design, Variant
from ...tables import create_tables
from ...tables.adopting import adopt_tables
from ..named.designs import find_variants
from ..named.stores import as_stored, check_tables, existing_store
from ..screen.terminal import count, line


def adopt(out: Console, name: str, store: str) -> None:
    """Compares some rows of each bucket with the layouts of a variant, and records these.

    If the design has settings, compares some rows with these, and creates the table that keeps them.
    """
    design, (variant, *_others) = find_variants(name)
    with existing_store(store) as connection:
        variant = as_stored(connection, design, variant)
        check_tables(connection, store, design, variant, writes=False)
        if design.settings is not None:
            _adopt_settings(out, connection, design, variant)
        for table in adopt_tables(connection, variant.tables):
            rows = f"{count(table.rows, 'row')} compared" if table.rows else "without rows, so nothing is compared"
            line(out, f"{table.table}: {'recorded' if table.is_new else 'recorded already'}, {rows}")
            for fit in table.also_fits:
                line(out, f"{table.table}: these rows also fit {fit}")


def _adopt_settings(out: Console, connection: happybase.Connection, design: Design, variant: Variant) -> None:
    """Compares the settings with some rows, then creates the table of settings, and keeps them there."""
    assert design.settings is not None
    kept_in = design.settings.kept_in.name
    variant.open(connection)  # without the table it keeps nothing: wrong settings are refused before it is created
    create_tables(connection, [table for table in variant.tables if table.name == kept_in])
    variant.open(connection)
    tables = dict.fromkeys(table.name for table in variant.tables if table.name != kept_in)
    line(out, f"{', '.join(tables)}: some rows compared; {kept_in} keeps the settings")
