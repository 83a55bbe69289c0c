"""Changes of one source, for the tests of changes."""

from typing import Any

from domains.changes import Change

AT_MS = 1_580_976_517_000
USERS = "shop", "users"


def change(
    position: int,
    key: str = "30",
    kind: str = "UPDATE",
    table: str = "users",
    ms: int = AT_MS,
    source: str = "shop",
    **values: Any,
) -> Change:
    return Change(source, position, table, key, kind, ms, "t-1", values)
