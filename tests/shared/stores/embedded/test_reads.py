"""Gets: columns, versions and timestamps."""

import pytest
from Hbase_thrift import IOError, TCell
from thriftpy2.thrift import TApplicationException


@pytest.fixture
def filled(table):
    """Versions 1, 2, 3 and 4 of d:a, of which the family keeps three; the empty qualifier; a second family."""
    for timestamp in (1, 2, 3, 4):
        table.put(b"r", {b"d:a": b"v%d" % timestamp}, timestamp=timestamp)
    table.put(b"r", {b"d:": b"empty", b"d:a:b": b"colon", b"m:x": b"meta"}, timestamp=9)
    return table


def test_a_row_is_its_newest_versions_with_columns_in_order(filled):
    assert list(filled.row(b"r").items()) == [
        (b"d:", b"empty"),
        (b"d:a", b"v4"),
        (b"d:a:b", b"colon"),
        (b"m:x", b"meta"),
    ]
    assert filled.row(b"r", include_timestamp=True)[b"d:a"] == (b"v4", 4)


@pytest.mark.parametrize(
    ("columns", "selected"),
    [
        ([b"d"], {b"d:", b"d:a", b"d:a:b"}),
        ([b"d:"], {b"d:"}),
        ([b"d:a:b"], {b"d:a:b"}),
        ([b"d:a", b"m"], {b"d:a", b"m:x"}),
        ([b"d", b"d:a"], {b"d:a"}),
        ([b"d:a", b"d"], {b"d:", b"d:a", b"d:a:b"}),
        ([b"d", b"d:a", b"d:"], {b"d:", b"d:a"}),
        ([b"d:none"], set()),
        ([], {b"d:", b"d:a", b"d:a:b", b"m:x"}),
        (["m:x"], {b"m:x"}),
    ],
)
def test_columns_select_families_and_single_columns_and_the_last_of_a_family_wins(filled, columns, selected):
    assert selected == set(filled.row(b"r", columns=columns))
    scanned = list(filled.scan(columns=columns))
    assert selected == {column for _, row in scanned for column in row}


def test_a_timestamp_is_exclusive(filled):
    assert filled.row(b"r", timestamp=4) == {b"d:a": b"v3"}
    assert filled.row(b"r", timestamp=5) == {b"d:a": b"v4"}
    assert filled.row(b"r", timestamp=0) == {}
    assert filled.rows([b"r"], timestamp=4) == [(b"r", {b"d:a": b"v3"})]
    assert list(filled.scan(timestamp=4)) == [(b"r", {b"d:a": b"v3"})]
    assert filled.cells(b"r", b"d:a", timestamp=4) == [b"v3", b"v2", b"v1"]


def test_a_surplus_version_is_shown_only_at_an_old_timestamp_until_it_is_flushed(filled, connection):
    assert filled.cells(b"r", b"d:a", include_timestamp=True) == [(b"v4", 4), (b"v3", 3), (b"v2", 2)]
    assert filled.row(b"r", timestamp=2) == {b"d:a": b"v1"}
    connection.disable_table("t")
    connection.enable_table("t")
    assert filled.row(b"r", timestamp=2) == {}


def test_cells_are_newest_first_and_at_most_as_many_as_asked(filled):
    assert filled.cells(b"r", b"d:a", versions=2) == [b"v4", b"v3"]
    assert filled.cells(b"r", "d:a", versions=1) == [b"v4"]
    assert filled.cells(b"r", b"d") == [b"empty", b"v4", b"v3", b"v2", b"colon"]


def test_rows_keep_the_order_asked_for_with_duplicates_and_without_what_is_missing(filled):
    filled.put(b"q", {b"m:x": b"1"})
    rows = filled.rows([b"r", b"none", b"q", b"r"], columns=[b"m"])
    assert [row for row, _ in rows] == [b"r", b"q", b"r"]
    assert filled.row(b"none") == {}


def test_the_calls_that_happybase_does_not_use_answer_alike(filled, connection):
    client = connection.client
    assert [TCell(b"v4", 4)] == client.get(b"t", b"r", b"d:a", {})
    assert [TCell(b"v3", 3)] == client.getVerTs(b"t", b"r", b"d:a", 4, 1, {})
    assert client.getRow(b"t", b"r", {}) == client.getRowWithColumns(b"t", b"r", None, {})
    assert client.getRowTs(b"t", b"r", 4, {}) == client.getRowWithColumnsTs(b"t", b"r", [b"d:a"], 4, {})
    assert client.getRows(b"t", [b"r"], {}) == client.getRow(b"t", b"r", {})
    assert client.getRowsTs(b"t", [b"r"], 4, {}) == client.getRowTs(b"t", b"r", 4, {})


@pytest.mark.parametrize("row", [b"", b"x" * 32_768])
def test_a_row_key_is_1_to_32767_bytes(table, row):
    with pytest.raises(TApplicationException, match="Internal error processing getRowWithColumns"):
        table.row(row)
    with pytest.raises(TApplicationException, match="Internal error processing getRowsWithColumns"):
        table.rows([b"r", row])


def test_the_longest_row_key_is_stored_and_scanned_in_both_directions(table):
    row = b"\xff" * 32_767
    table.put(row, {b"d:a": b"1"})
    assert table.row(row) == {b"d:a": b"1"}
    assert [row] == [key for key, _ in table.scan()] == [key for key, _ in table.scan(reverse=True)]


@pytest.mark.parametrize("column", [b"", b":", b":q", b"x", b"x:a"])
def test_a_family_that_is_not_there_is_an_io_error(table, column):
    with pytest.raises(IOError, match="NoSuchColumnFamilyException: Column family"):
        table.row(b"r", columns=[column])
    with pytest.raises(IOError, match="NoSuchColumnFamilyException"):
        table.cells(b"r", column)


def test_negative_timestamps_and_versions_are_refused(table, connection):
    with pytest.raises(TApplicationException):
        table.row(b"r", timestamp=-1)
    with pytest.raises(IOError, match="versions must be positive"):
        connection.client.getVer(b"t", b"r", b"d:a", 0, {})


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
