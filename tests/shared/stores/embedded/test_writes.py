"""Large batches in parts, what a compaction leaves, and how many rows a read costs."""

import time

import pytest
from Hbase_thrift import IOError

from shared.stores.embedded import mutations
from tests.shared.stores.conftest import rows_read

LARGEST_VALUE = 10_485_756 - 20 - len(b"r") - len(b"d") - len(b"a")


def stored(connection) -> int:
    """Versions in the database, shown or not."""
    return connection.transport._database.execute("select count(*) from cells").fetchone()[0]


def test_a_compaction_removes_expired_cells(connection):
    connection.create_table("ttl", {"d": {"time_to_live": 60}, "m": {}})
    table = connection.table("ttl")
    now_ms = time.time_ns() // 1_000_000
    table.put(b"r", {b"d:a": b"old", b"m:a": b"old"}, timestamp=now_ms - 61_000)
    table.put(b"q", {b"d:a": b"fresh"}, timestamp=now_ms - 59_000)
    connection.compact("ttl")
    assert stored(connection) == 2
    assert list(table.scan()) == [(b"q", {b"d:a": b"fresh"}), (b"r", {b"m:a": b"old"})]


@pytest.fixture
def small_parts(monkeypatch):
    """Batches of more than four mutations are stored in parts of two."""
    monkeypatch.setattr(mutations, "MAX_ATOMIC_MUTATIONS", 4)
    monkeypatch.setattr(mutations, "_PART", 2)


def test_a_large_batch_stores_all_its_puts_before_its_deletes(table, small_parts):
    with table.batch() as batch:
        for row in range(10):
            batch.delete(b"%d" % row, [b"d:a"])
            batch.put(b"%d" % row, {b"d:a": b"1", b"d:b": b"2"})
    assert list(table.scan()) == [(b"%d" % row, {b"d:b": b"2"}) for row in range(10)]


def test_a_large_batch_leaves_out_what_is_refused_and_counts_all_of_it(table, small_parts):
    batch = table.batch()
    for row in range(10):
        batch.put(b"%d" % row, {b"nope:a" if row % 3 == 0 else b"d:a": b"1"})
        batch.delete(b"%d" % row, [b"d:a"])
    with pytest.raises(IOError, match=r"Failed 4 actions: .*nope does not exist.*: 4 times"):
        batch.send()
    assert [row for row, _ in table.scan()] == [b"1", b"2", b"4", b"5", b"7", b"8"]


def test_a_cell_too_large_in_the_last_part_fails_the_rows_of_its_region_in_the_first(table, small_parts):
    batch = table.batch()
    for row in range(9):
        batch.put(b"%d" % row, {b"d:a": b"1"})
    batch.put(b"9", {b"d:a": b"x" * (LARGEST_VALUE + 1)})
    with pytest.raises(IOError, match="Failed 10 actions"):
        batch.send()
    assert list(table.scan()) == []


def test_a_table_that_is_disabled_within_a_large_batch_ends_it(table, connection, small_parts, monkeypatch):
    parts = []

    def pause():
        parts.append(len(list(table.scan())))
        connection.disable_table("t")

    monkeypatch.setattr(mutations, "let_others_in", pause)
    batch = table.batch()
    for row in range(10):
        batch.put(b"%d" % row, {b"d:a": b"1"})
    with pytest.raises(IOError, match="is disabled"):
        batch.send()
    assert parts == [2]
    connection.enable_table("t")
    assert len(list(table.scan())) == 2


def test_a_deleted_row_costs_a_read_until_a_compaction(table, connection):
    for number in range(10):
        table.put(b"%d" % number, {b"d:a": b"1"}, timestamp=1)
        if number % 2:
            table.delete(b"%d" % number)
    reads = (
        (lambda: list(table.scan()), 10, 5),
        (lambda: list(table.scan(reverse=True)), 10, 5),
        (lambda: list(table.scan(limit=2, batch_size=2)), 3, 2),
        (lambda: table.row(b"1"), 1, 0),
        (lambda: table.row(b"none"), 0, 0),
        (lambda: table.rows([b"0", b"none", b"2"]), 2, 2),
    )
    assert [rows_read(connection, read) for read, _, _ in reads] == [before for _, before, _ in reads]
    connection.compact("t")
    assert [rows_read(connection, read) for read, _, _ in reads] == [after for _, _, after in reads]


def test_a_hot_column_keeps_few_surplus_versions_and_compaction_none(table, connection):
    for timestamp in range(2_000):
        table.put(b"hot", {b"d:a": b"%d" % timestamp}, timestamp=timestamp)
    assert stored(connection) < 400  # some 16; 400 would take luck of one in 10**11
    assert table.cells(b"hot", b"d:a") == [b"1999", b"1998", b"1997"]
    connection.compact("t")
    assert stored(connection) == 3
    assert table.cells(b"hot", b"d:a") == [b"1999", b"1998", b"1997"]
