"""Scans: which rows lie between two bounds, and when an idle scanner is dropped."""

import pytest
from Hbase_thrift import IllegalArgument
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.stores import connect
from shared.stores.embedded import scanners


def test_a_scanner_that_idles_120_seconds_is_dropped(table, connection, monkeypatch):
    for row in (b"a", b"b"):
        table.put(row, {b"d:a": row})
    clock_s = 0.0
    monkeypatch.setattr(scanners.time, "monotonic", lambda: clock_s)
    scanner = connection.client.scannerOpen(b"t", b"", None, {})
    for clock_s in (119.0, 230.0):  # noqa: B007 - the clock reads it
        assert len(connection.client.scannerGet(scanner)) == 1
    clock_s = 350.0
    with pytest.raises(IllegalArgument, match="scanner ID is invalid"):
        connection.client.scannerGet(scanner)


@settings(max_examples=50)
@given(
    st.sets(st.binary(min_size=1, max_size=4)),
    st.binary(max_size=4),
    st.binary(max_size=4),
    st.booleans(),
    st.integers(min_value=1, max_value=4),
)
def test_a_scan_is_the_sorted_rows_between_its_bounds(stored, start, stop, reverse, batch_size):
    connection = connect("embedded:")
    connection.create_table("t", {"d": {}})
    table = connection.table("t")
    with table.batch() as batch:
        for row in stored:
            batch.put(row, {b"d:a": row})
    if start and start == stop:
        expected = [start] if start in stored else []
    elif reverse:
        expected = [row for row in sorted(stored, reverse=True) if (not start or row <= start) and row > stop]
    else:
        expected = [row for row in sorted(stored) if row >= start and (not stop or row < stop)]
    rows = table.scan(row_start=start or None, row_stop=stop or None, reverse=reverse, batch_size=batch_size)
    assert expected == [row for row, _ in rows]
