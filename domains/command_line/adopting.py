"""`rowbook adopt`: records the key layouts of tables that were made without a record."""

from rich.console import Console

from shared.tables.adopting import adopt_tables

from .designs import find_variants
from .stores import check_tables, existing_store
from .terminal import count, line


def adopt(out: Console, name: str, store: str) -> None:
    """Compares some rows of each bucket with the layouts of a variant, and records these."""
    design, (variant, *_others) = find_variants(name)
    with existing_store(store) as connection:
        check_tables(connection, store, design, variant)
        for table in adopt_tables(connection, variant.tables):
            rows = f"{count(table.rows, 'row')} compared" if table.rows else "without rows, so nothing is compared"
            line(out, f"{table.table}: {'recorded' if table.is_new else 'recorded already'}, {rows}")
            for fit in table.also_fits:
                line(out, f"{table.table}: these rows also fit {fit}")
