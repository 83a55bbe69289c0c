"""Prefixes of table names: `p` puts `p_` before each name, and `shop:`, a namespace, puts `shop:`."""

from typing import Any


def prefix_of_names(table_prefix: str | None) -> str:
    """What comes before the name of each table."""
    return f"{table_prefix}_" if table_prefix and not table_prefix.endswith(":") else table_prefix or ""


def prefix_arguments(table_prefix: str | None) -> dict[str, Any]:
    """The same as arguments of happybase's Connection, which puts a separator between prefix and name."""
    if table_prefix is None or not table_prefix.endswith(":"):
        return {"table_prefix": table_prefix}
    return {"table_prefix": table_prefix[:-1], "table_prefix_separator": ":"}
