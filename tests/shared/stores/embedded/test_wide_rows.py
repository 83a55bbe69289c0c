"""Scans of rows with many cells: the answers of whole rows, in memory and time for the cells returned."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import happybase
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.stores import connect
from shared.stores.embedded import stored_rows
from shared.stores.embedded.stored_tables import now_ms

# Answers

TTL_S = 3_600
NOW_MS = now_ms()
FAMILIES: dict[str, dict[str, object]] = {
    "p": {"max_versions": 3},
    "p1": {"max_versions": 1},
    "x": {"max_versions": 3, "time_to_live": TTL_S},
}

Write = tuple[str, bytes, bytes, bytes, int]
"""`put` or `delete`, row, family, qualifier (`-` deletes the family), timestamp."""


# Few rows, and mostly puts; those at timestamps 1 to 4 are expired in the family with a TTL.
WRITES = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "put", "put", "delete"]),
        st.sampled_from([b"r", b"r\x00", b"s"]),
        st.sampled_from([b"p", b"p", b"p1", b"x"]),
        st.sampled_from([b"", b"-", b"a", b"ab", b"b", b"ba", b"c", b"d", b"da"]),
        st.sampled_from([1, 2, 3, 4, NOW_MS - 2, NOW_MS - 1, NOW_MS]),
    ),
    max_size=60,
)


def filled(written: list[Write]) -> happybase.Table:
    connection = connect("embedded:")
    connection.create_table("t", FAMILIES)
    table = connection.table("t")
    for number, (kind, row, family, qualifier, timestamp) in enumerate(written):
        name = family + b":" + qualifier
        if kind == "put":
            table.put(row, {name: b"%d" % number}, timestamp=timestamp)
        else:
            table.delete(row, [family if qualifier == b"-" else name], timestamp=timestamp)
    return table


def with_few_cells(few: int, read: Callable[[], Any]) -> Any:
    """What is read if a row with more cells than `few` counts as one with many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_rows, "_FEW_CELLS", few)
        return read()


FEW = st.sampled_from([0, 1, 3, 64])
STREAMING = [
    "ColumnPaginationFilter(0, 0)",
    "ColumnPaginationFilter(1, 2)",
    "ColumnPaginationFilter(2147483647, 1)",
    "ColumnRangeFilter('b', true, '', true)",
    "ColumnRangeFilter('d', true, 'a', true)",
    "ColumnRangeFilter('a', false, 'd', true) AND ColumnPaginationFilter(2, 1)",
    "ColumnPaginationFilter(2, 0) AND ColumnRangeFilter('b', true, '', true)",
    "ColumnRangeFilter('a', false, 'd', true) AND ColumnRangeFilter('b', true, '', true)",
    "ColumnRangeFilter('a', false, '', true) AND ColumnPrefixFilter('b')",
    "(ColumnPrefixFilter('d') AND FirstKeyOnlyFilter()) AND ColumnPaginationFilter(1, 0)",
    "FirstKeyOnlyFilter() AND ColumnRangeFilter('b', true, '', true)",
]
BOUNDS = st.sampled_from(["", "a", "aa", "b", "d"])
PAGES = st.builds(
    "ColumnRangeFilter('{}', false, '{}', false) AND ColumnPaginationFilter({}, 0)".format,
    BOUNDS,
    BOUNDS,
    st.integers(1, 5),
)


def answer(table: happybase.Table, **options: Any) -> tuple[list[Any], int]:
    """The rows of a scan, each with its cells in order, and how many rows it read."""
    client = table.connection.client
    before = client.rows_read
    rows = [(row, list(cells.items())) for row, cells in table.scan(include_timestamp=True, **options)]
    return rows, client.rows_read - before


OPTIONS = st.fixed_dictionaries(
    {"reverse": st.booleans(), "batch_size": st.sampled_from([1, 2, 300]), "limit": st.sampled_from([None, 2])},
    optional={
        "timestamp": st.sampled_from([1, 3, NOW_MS]),
        "scan_batching": st.just(2),
        "sorted_columns": st.booleans(),
    },
)
COLUMNS = st.sampled_from([None, [b"p"], [b"p1"], [b"x"], [b"p", b"x"], [b"p:b"]])
SELECTED = st.sampled_from([[b"p"], [b"x", b"p1"], [b"p:b"], [b"x:", b"p:d", b"p:a", b"p1"], [b"p:none"]])


@settings(max_examples=30)
@given(WRITES, st.sampled_from(STREAMING) | PAGES, COLUMNS, OPTIONS, FEW)
def test_a_filter_that_goes_on_to_the_next_row_answers_as_if_it_had_seen_all_cells(
    written, filter, columns, options, few
):
    table = filled(written)
    # Another filter, which keeps every row, makes the scan read whole rows first.
    whole = answer(table, columns=columns, filter=f"{filter} AND RowFilter(>=, 'binary:')", **options)
    assert with_few_cells(few, lambda: answer(table, columns=columns, filter=filter, **options)) == whole


@settings(max_examples=30)
@given(WRITES, SELECTED, st.sampled_from([{}, {"timestamp": 3}]), st.booleans(), FEW)
def test_selected_columns_are_those_of_whole_rows(written, columns, options, reverse, few):
    table = filled(written)
    rows, rows_read = answer(table, reverse=reverse, **options)
    families = {column for column in columns if b":" not in column}
    selected = [
        (row, [cell for cell in cells if cell[0] in columns or cell[0].partition(b":")[0] in families])
        for row, cells in rows
    ]
    expected = [(row, cells) for row, cells in selected if cells], rows_read
    assert with_few_cells(few, lambda: answer(table, columns=columns, reverse=reverse, **options)) == expected


# Memory and time

LIMIT = 101
WIDTHS = (1_000, 4_000)


@pytest.fixture(scope="module")
def wide() -> happybase.Connection:
    """Per width one table, with two rows of two families each."""
    connection = connect("embedded:")
    for width in WIDTHS:
        connection.create_table(f"t{width}", {"a": {}, "p": {}})
        with connection.table(f"t{width}").batch(batch_size=2_000) as batch:
            for row in (b"r", b"s"):
                for family in (b"a", b"p"):
                    for first in range(0, width, 1_000):
                        numbers = range(first, first + 1_000)
                        batch.put(row, {family + b":%06d" % number: b"v" * 60 for number in numbers})
    return connection


FETCHES = {
    "first": "ColumnPaginationFilter({limit}, 0)",
    "after": "ColumnRangeFilter('{middle:06}', false, '', true) AND ColumnPaginationFilter({limit}, 0)",
    "between": "ColumnRangeFilter('{middle:06}', false, '9', false) AND ColumnPaginationFilter({limit}, 0)",
    "one column": None,
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("page", FETCHES)
def test_the_memory_and_the_work_of_a_fetch_do_not_grow_with_the_width_of_its_rows(wide, page, reverse):
    peaks, steps = [], []
    for width in WIDTHS:
        filter = FETCHES[page] and FETCHES[page].format(limit=LIMIT, middle=width // 2)
        columns = [b"p"] if filter else [b"p:%06d" % (width // 2)]
        scan = partial(wide.table(f"t{width}").scan, columns=columns, filter=filter, reverse=reverse, batch_size=2)
        assert [len(cells) for _, cells in scan()] == [LIMIT if filter else 1] * 2
        tracemalloc.start()
        list(scan())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        steps.append(sqlite_steps(wide, lambda: list(scan())))  # noqa: B023 - runs at once
    assert peaks[1] < 2 * peaks[0]
    assert steps[1] < 2 * steps[0]


def sqlite_steps(connection: happybase.Connection, read: Callable[[], object]) -> int:
    """About how many instructions SQLite executes, in tens."""
    database, steps = connection.service.engine._database, 0

    def count() -> None:
        nonlocal steps
        steps += 1

    database.set_progress_handler(count, 10)
    try:
        read()
    finally:
        database.set_progress_handler(None, 0)
    return steps
