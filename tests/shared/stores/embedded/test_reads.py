"""Reads: surplus versions, the longest row, and how many rows a read costs."""

import pytest


@pytest.fixture
def filled(table):
    """Versions 1, 2, 3 and 4 of d:a, of which the family keeps three; the empty qualifier; a second family."""
    for timestamp in (1, 2, 3, 4):
        table.put(b"r", {b"d:a": b"v%d" % timestamp}, timestamp=timestamp)
    table.put(b"r", {b"d:": b"empty", b"d:a:b": b"colon", b"m:x": b"meta"}, timestamp=9)
    return table


def test_a_surplus_version_is_shown_only_at_an_old_timestamp_until_it_is_flushed(filled, connection):
    assert filled.cells(b"r", b"d:a", include_timestamp=True) == [(b"v4", 4), (b"v3", 3), (b"v2", 2)]
    assert filled.row(b"r", timestamp=2) == {b"d:a": b"v1"}
    connection.disable_table("t")
    connection.enable_table("t")
    assert filled.row(b"r", timestamp=2) == {}


def test_the_longest_row_key_is_stored_and_scanned_in_both_directions(table):
    row = b"\xff" * 32_767
    table.put(row, {b"d:a": b"1"})
    assert table.row(row) == {b"d:a": b"1"}
    assert [key for key, _ in table.scan()] == [key for key, _ in table.scan(reverse=True)] == [row]


def test_rows_read_counts_what_was_stepped_over(filled, connection):
    for number in range(10):
        filled.put(b"s%d" % number, {b"d:a": b"1"})
    begin = connection.client.rows_read
    filled.row(b"r")
    filled.row(b"none")
    filled.rows([b"s1", b"s2"])
    assert connection.client.rows_read - begin == 3
    assert [row for row, _ in filled.scan(columns=[b"m:x"])] == [b"r"]
    assert connection.client.rows_read - begin == 3 + 11
    assert len(list(filled.scan(row_prefix=b"s", limit=2))) == 2
    assert connection.client.rows_read - begin == 3 + 11 + 2
