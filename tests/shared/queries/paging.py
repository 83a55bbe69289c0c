"""Keys, layouts and calls that the tests of pages, sorted pages and cursors share."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import happybase

from shared.keys import (
    Descending,
    EscapedText,
    HashPrefix,
    KeyLayout,
    Plan,
    Salt,
    TimeBucket,
    TrailingText,
    UInt8,
    UInt16,
    part,
    row_key,
)
from shared.queries import Page, page
from tests.engines import EMBEDDED, Engine


@row_key
class Rising:
    at_s: int = part(UInt8, "when")
    host: str = part(EscapedText, "where")


@row_key
class Falling:
    at_s: int = part(Descending(UInt8), "when, newest first")
    host: str = part(EscapedText, "where")


@row_key
class ByHost:
    host: str = part(EscapedText, "where")
    at_s: int = part(UInt8, "when")


@row_key
class ByHostNewestFirst:
    host: str = part(EscapedText, "where")
    at_s: int = part(Descending(UInt8), "when, newest first")


@row_key
class ByTimeOnly:
    at_s: int = part(UInt8, "when, which several rows share")


@row_key
class Item:
    number: int = part(UInt16, "counts up")


@row_key
class Named:
    name: str = part(TrailingText, "all of the key")


LAYOUTS: dict[str, KeyLayout[Any]] = {
    "ascending": KeyLayout(Rising),
    "descending": KeyLayout(Falling),
    "ascending over 3 buckets": KeyLayout(Rising, Salt(of="host", buckets=3)),
    "descending over 16 buckets": KeyLayout(Falling, Salt(of="host", buckets=16)),
    "listed hashes": KeyLayout(Rising, HashPrefix(of="host", bytes=1, hex=True, separator="-")),
    "slices": KeyLayout(Falling, TimeBucket(of="at_s", every_ms=10, codec=UInt8)),
    "slices over 3 buckets": KeyLayout(
        Falling, Salt(of="host", buckets=3), TimeBucket(of="at_s", every_ms=10, codec=UInt8)
    ),
}
HOSTS = ["", "a", "a\0", "ab", "b", "c", "d", "z"]
TIMES = [0, 9, 10, 11, 12, 255]
ITEMS = KeyLayout(Item)
BY_HOST = KeyLayout(ByHost)
BY_HOST_NEWEST_FIRST = KeyLayout(ByHostNewestFirst)


def keys_of(layout: KeyLayout[Any]) -> list[Any]:
    return [layout.key(at_s, host) for at_s in TIMES for host in HOSTS[: 2 + at_s % 7]]


def pages_of(
    table: happybase.Table,
    layout: KeyLayout[Any],
    plan: Plan,
    between_pages: Callable[[happybase.Table], None] | None = None,
    **options: Any,
) -> list[Page[Any]]:
    """All pages, one after another; a cursor that does not move ends in an error and not in an endless loop."""
    pages: list[Page[Any]] = []
    cursor = None
    while cursor is not None or not pages:
        assert len(pages) < 1000, "the cursor does not move"
        pages.append(page(table, plan, lambda row, _cells: layout.decode(row), cursor=cursor, **options))
        cursor = pages[-1].cursor
        if between_pages:
            between_pages(table)
    return pages


def records_of(pages: list[Page[Any]]) -> list[Any]:
    return [record for answer in pages for record in answer.records]


Items: TypeAlias = Callable[[int], happybase.Table]


def item_page(table: happybase.Table, **options: Any) -> Page[Item]:
    plan = options.pop("plan", ITEMS.whole_table())
    return page(table, plan, lambda row, _cells: ITEMS.decode(row), **options)


def sizes(engine: Engine, rows: int) -> Sequence[int]:
    """Page sizes: each up to one more than there are rows, and where a page takes long some of them."""
    all_ = range(1, rows + 2)
    return all_ if engine.name == EMBEDDED else [*all_[1::8], *all_[-2:]]


DAMAGED = r"^cursor: is damaged \(got .*\); ask again without it$"
FOREIGN = r"^cursor: belongs to another question; ask with the same values, or without it$"
