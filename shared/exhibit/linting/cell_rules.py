"""The rules about cells and families: each is a function that yields its findings in one table."""

import math

from ...intents.source_cells import SourceCells
from ...keys.errors import listed
from ...tables import RecordCells
from ...tables.cells import families_of
from .key_rules import ReasonsAndAdvice
from .sample_values import cell_values, measured_every_ms
from .subjects import LintedTable

MOST_REPEATED = 0.5
"""Repeated keys take too much if they are more than this share of all bytes."""
SELDOM_MS = 3_600_000
"""Points may be kept for ever if an owner has at most one an hour."""


def long_key(table: LintedTable) -> ReasonsAndAdvice:
    """HBase stores the row key with every cell, so a row of many small cells is mostly keys."""
    samples = table.samples
    if all(table.layout.families[name].compression != "NONE" for name in families_of(table.layout.cells)):
        return
    if samples.repeated_key_bytes > MOST_REPEATED * samples.stored_bytes:
        key, cells = samples.key_bytes / len(samples.rows), len(samples.cells) / len(samples.rows)
        yield (
            f"its key of {key:.0f} bytes is stored in each of {cells:.1f} cells of a row: "
            f"{samples.repeated_key_bytes / samples.stored_bytes:.0%} of all bytes repeat it, "
            f"{(samples.name_bytes + samples.value_bytes) / samples.stored_bytes:.0%} are columns and values",
            "store attributes that are read together in one cell, or codes instead of names, or compress the family",
        )


def no_ttl(table: LintedTable) -> ReasonsAndAdvice:
    """A point is one number for a time; there is a new one for each time."""
    every_ms = measured_every_ms(table)
    if every_ms is None or every_ms >= SELDOM_MS:
        return
    for name in families_of(table.layout.cells):
        if table.layout.families[name].lifetime_s is None:
            yield (
                f"family {name} has no TTL, and holds a measure, {listed(cell_values(table))}, for each time",
                "declare Family(ttl_seconds=...), counted from a cell's timestamp, or delete old rows and accept it",
            )


def source_ttl(table: LintedTable) -> ReasonsAndAdvice:
    """An expired source starts again at revision 1, so a write that was decided long ago may be decided again."""
    if isinstance(table.layout.cells, SourceCells):
        for name in families_of(table.layout.cells):
            if (ttl_s := table.layout.families[name].lifetime_s) is not None:
                yield (
                    f"family {name} expires after {ttl_s:,} s, and holds the source of each record: an "
                    "expired one starts again at revision 1, and its lines stay",
                    "leave out the TTL, and delete records by writes",
                )


def ttls_differ(table: LintedTable) -> ReasonsAndAdvice:
    """Nothing in the rest of a record says that a part of it has expired, unless the rest lacks a required cell."""
    lifetimes = [
        (ttl_s, layout.name, name) for layout in table.of_records for name, ttl_s in layout.lifetimes_s.items()
    ]
    cells = table.layout.cells
    required = cells.required_columns if isinstance(cells, RecordCells) else ()
    keeping = {column.partition(b":")[0].decode() for column in required}
    for name, ttl_s in table.layout.lifetimes_s.items():
        longest_s, other, other_name = max(lifetimes, default=(ttl_s, "", ""))
        if ttl_s < longest_s:
            yield (
                f"family {name} expires after {ttl_s:,.0f} s, but family {other_name} of {other}, which holds the same "
                f"{cells.record.__name__}, "
                + ("never does" if longest_s == math.inf else f"only after {longest_s:,.0f} s"),
                "declare the same ttl_seconds for a record in every table, or accept it if this one may forget",
            )
        elif keeping and name not in keeping and table.layout.families[name].lifetime_s == ttl_s:
            yield (
                f"family {name} expires after {ttl_s:,.0f} s, like what every {cells.record.__name__} has, but HBase "
                "reads the clock for each family: at that moment a record may be read without it",
                "declare longer ttl_seconds for it: queries skip a row that lacks a required cell",
            )
