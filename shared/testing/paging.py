"""Checks of the pages of a question: at any size, between other writes, and with the cursor of another question.

They take queries of a repository whose tables are stocked, and know nothing of its design. Each raises AssertionError.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

import happybase

from ..keys import InvalidQuestion

PAGE_SIZES = (1, 2, 3, 7)
PAGES_AT_MOST = 4
"""The most pages of each size that are read."""
COMPARED = 20
"""The most records of an answer that are compared, and rows at each end of a range that are deleted."""


def pages(query: Any, limit: int, most: int | None = None, cursor: str | None = None) -> list[list[Any]]:
    """The records of each page, up to `most` pages; all records if it is None."""
    pages_read: list[list[Any]] = []
    while most is None or len(pages_read) < most:
        page = query.page(limit, cursor)
        pages_read.append(page.records)
        cursor = page.cursor
        if cursor is None:
            break
    return pages_read


def check_pages(query: Any, *, is_whole_rows: bool = False) -> None:
    """Pages of 1, 2, 3 and 7 records follow each other without gap or repeat, and are as long as asked.

    With `is_whole_rows` a page ends after a whole row, which may hold more records than asked.
    """
    for size in PAGE_SIZES:
        pages_read = pages(query, size, PAGES_AT_MOST)
        records = [record for page in pages_read for record in page]
        assert records == [*islice(query, len(records))], f"pages of {size}"
        assert is_whole_rows or max(map(len, pages_read)) <= size, f"pages of {size}"
        assert len(pages_read) == PAGES_AT_MOST or records == [*query], f"pages of {size} end early"


def check_foreign_cursors(queries: Mapping[str, Any]) -> None:
    """The cursor of a question is refused by every other one, and so is a damaged one."""
    for name, query in queries.items():
        cursor = query.page(1).cursor
        if cursor is None:
            continue
        damaged = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
        for other_name, other_query in [*queries.items(), (f"{name} (damaged)", query)]:
            if other_name == name:
                continue
            with suppress(InvalidQuestion):
                other_query.page(1, damaged if other_query is query else cursor)
                raise AssertionError(f"{other_name}: accepts the cursor of {name}")


def check_writes_between_pages(connection: happybase.Connection, query: Any) -> None:
    """Rows that are deleted between two pages are missing, also the cursor's; all others come once, in order.

    Rows that are stored between two pages come if they are after the cursor. In the end the table has its former rows.
    Skips a question whose ranges depend on the rows read: it refuses its cursors when these change.
    """
    explanation = query.explain(1)
    if explanation.then_ranges:
        return
    table = connection.table(explanation.stored_in.decode(), use_prefix=False)
    stored = [row for range_ in explanation.ranges for row in table.scan(range_.start, range_.stop)]
    for half in (0, 1):
        whole, first = [*islice(query, COMPARED)], query.page(PAGE_SIZES[-1])
        changed = [*stored[:COMPARED], *stored[COMPARED:][-COMPARED:]][half::2]
        for row, _ in changed:
            table.delete(row, timestamp=_later())
        fewer, second = [*islice(query, COMPARED)], query.page(PAGE_SIZES[-1])
        _check_rest(query, first, [record for record in whole + fewer if record in fewer or record in first.records])
        for row, cells in changed:
            table.put(row, cells, timestamp=_later())
        assert [*islice(query, COMPARED)] == whole
        _check_rest(query, second, whole)


def _check_rest(query: Any, page: Any, records: list[Any]) -> None:
    """The pages after a page have the records that come after it among `records`, in their order."""
    if page.cursor is None or not page.records or page.records[-1] not in records:
        return
    expected = [*dict.fromkeys(records)][records.index(page.records[-1]) + 1 :]
    rest = [record for records in pages(query, PAGE_SIZES[-1], PAGES_AT_MOST, page.cursor) for record in records]
    common = min(len(expected), len(rest))
    assert rest[:common] == expected[:common]
    assert common or not expected


def _later() -> int:
    """A timestamp after that of every row, and after all that were given before."""
    return time.time_ns() // 1000
