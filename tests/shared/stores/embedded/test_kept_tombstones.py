"""Tombstones that outlast a compaction, beyond the cases of tests/conformance."""

import pytest

from shared.stores.embedded import stored_tables
from tests.shared.stores.conftest import rows_read

FAMILIES = {"d": {"keep_tombstones_ms": 600_000, "max_versions": 1}, "m": {}}
ALL = {b"d:a": b"1", b"m:a": b"1"}


@pytest.fixture
def kept(connection):
    """A table of two families, of which the first keeps tombstones for ten minutes."""
    connection.create_split_table("s", FAMILIES)
    return connection.table("s")


def test_families_whose_names_begin_alike_keep_their_own(connection):
    connection.create_split_table("s", {"d": {}, "d1": {"keep_tombstones_ms": 600_000}, "d.": {}})
    table = connection.table("s")
    cells = {b"d:a": b"1", b"d1:a": b"1", b"d.:a": b"1"}
    table.delete(b"r")
    table.delete(b"q", list(cells))
    connection.compact("s")
    for row in (b"r", b"q"):
        table.put(row, cells, timestamp=5)
        assert table.row(row) == {b"d:a": b"1", b"d.:a": b"1"}


def test_a_tombstone_is_kept_from_its_own_timestamp_on_to_the_last_millisecond(connection, kept, monkeypatch):
    kept.delete(b"r", [b"d"], timestamp=1_000_000)
    for now_ms, expected in ((1_600_000, {}), (1_600_001, {b"d:a": b"1"})):
        monkeypatch.setattr(stored_tables, "now_ms", lambda now_ms=now_ms: now_ms)
        connection.compact("s")
        kept.put(b"r", {b"d:a": b"1"}, timestamp=1_000_000)
        assert kept.row(b"r") == expected


@pytest.mark.parametrize("ttl", [{}, {"time_to_live": 60}])
def test_the_longest_time_keeps_every_tombstone_that_is_not_older_than_the_ttl(connection, ttl):
    connection.create_split_table("s", {"d": {"keep_tombstones_ms": 2**63 - 1, **ttl}})
    table = connection.table("s")
    table.delete(b"r", timestamp=0)
    connection.compact("s")
    assert rows_read(connection, lambda: list(table.scan())) == (0 if ttl else 1)
    table.put(b"r", {b"d:a": b"1"}, timestamp=0)
    assert table.row(b"r") == {}
