"""`rowbook ddl`: HBase-shell statements that create the tables of a variant."""

import attrs
from rich.console import Console

from ...keys.prefixes import MAX_BUCKETS
from ...tables.ddl import grant_statements, namespace_statements, statement_split_at, tables_with_splits
from ..named.designs import find_variants
from ..named.typed_values import number
from ..screen.terminal import json_object, line
from ..screen.wrong_usage import WrongUsage


def show_statements(to: Console, name: str, splits: str | None, table_prefix: str | None, *, as_json: bool) -> None:
    """Writes the statements of a variant's tables, with `splits` points if their keys can be split at so many.

    The names have the prefix that a store's URL with this `table_prefix` gives them.
    """
    _design, (variant, *_others) = find_variants(name)
    count = None if splits is None else number("--splits", splits, MAX_BUCKETS - 1)
    prefix = _prefix_of_names(table_prefix) if table_prefix else ""
    split_tables = [
        (attrs.evolve(table, name=f"{prefix}{table.name}"), points)
        for table, points in tables_with_splits(variant.tables, count)
    ]
    if not as_json:
        for text in namespace_statements(table for table, _ in split_tables):
            line(to, text)
        for table, points in split_tables:
            for text in statement_split_at(table, points).split("\n"):
                line(to, text)
        return
    json_object(
        to,
        {
            "tables": [
                {
                    "name": table.name,
                    "families": {name: attrs.asdict(family) for name, family in table.families.items()},
                    "splits": points.points,
                    "reason": points.reason,
                }
                for table, points in split_tables
            ]
        },
    )


def show_grants(to: Console, name: str, user: str, table_prefix: str | None) -> None:
    """Writes the statements that give a user the rights to use the tables of a variant, and to create none."""
    if not user.isprintable() or not user:
        raise WrongUsage(f"--grants: must be the name of a user, or @ and a group (got {user!r})")
    _design, (variant, *_others) = find_variants(name)
    for text in grant_statements(variant.tables, user, _prefix_of_names(table_prefix) if table_prefix else ""):
        line(to, text)


def _prefix_of_names(table_prefix: str) -> str:
    from ...stores.embedded.rules import table_name  # which imports happybase
    from ...stores.thrift1.errors import IllegalTableNameError
    from ...stores.thrift1.prefixes import prefix_of_names

    prefix = prefix_of_names(table_prefix)
    try:
        table_name(f"{prefix}name".encode())
    except IllegalTableNameError:
        wanted = "must be letters, digits, _ - and ., maybe after NAMESPACE:"
        raise WrongUsage(f"--table-prefix: {wanted} (got {table_prefix!r})") from None
    return prefix
