"""Tombstones that outlast a compaction."""

from contextlib import closing

import pytest

from shared.stores.embedded import stored_tables
from shared.stores.embedded.connection import EmbeddedConnection

FAMILIES = {"d": {"keep_tombstones_ms": 600_000, "max_versions": 1}, "m": {}}
ALL = {b"d:a": b"1", b"m:a": b"1"}


@pytest.fixture
def kept(connection):
    """A table of two families, of which the first keeps tombstones for ten minutes."""
    connection.create_split_table("s", FAMILIES)
    return connection.table("s")


def test_a_late_put_below_a_kept_tombstone_stays_hidden_and_any_other_is_stored(connection, kept) -> None:
    kept.put(b"r", ALL, timestamp=5)
    kept.delete(b"r")
    connection.compact("s")
    kept.put(b"r", ALL, timestamp=5)
    assert kept.row(b"r") == {b"m:a": b"1"}
    kept.put(b"r", {b"d:a": b"2"}, timestamp=2**62)
    assert kept.row(b"r") == {b"d:a": b"2", b"m:a": b"1"}


def test_the_tombstone_of_a_column_is_kept_like_that_of_a_family(connection, kept) -> None:
    kept.delete(b"r", [b"d:a", b"m:a"])
    connection.compact("s")
    kept.put(b"r", ALL | {b"d:b": b"1"}, timestamp=5)
    assert kept.row(b"r") == {b"d:b": b"1", b"m:a": b"1"}


def test_families_whose_names_begin_alike_keep_their_own(connection) -> None:
    connection.create_split_table("s", {"d": {}, "d1": {"keep_tombstones_ms": 600_000}, "d.": {}})
    table = connection.table("s")
    cells = {b"d:a": b"1", b"d1:a": b"1", b"d.:a": b"1"}
    table.delete(b"r")
    table.delete(b"q", list(cells))
    connection.compact("s")
    for row in (b"r", b"q"):
        table.put(row, cells, timestamp=5)
        assert table.row(row) == {b"d:a": b"1", b"d.:a": b"1"}


def test_a_tombstone_is_kept_from_its_own_timestamp_on_to_the_last_millisecond(connection, kept, monkeypatch) -> None:
    kept.delete(b"r", [b"d"], timestamp=1_000_000)
    for now_ms, expected in ((1_600_000, {}), (1_600_001, {b"d:a": b"1"})):
        monkeypatch.setattr(stored_tables, "now_ms", lambda now_ms=now_ms: now_ms)
        connection.compact("s")
        kept.put(b"r", {b"d:a": b"1"}, timestamp=1_000_000)
        assert kept.row(b"r") == expected


@pytest.mark.parametrize("keep_ms", [0, 600_000])
def test_a_tombstone_of_1970_is_dropped(connection, keep_ms) -> None:
    connection.create_split_table("s", {"d": {"keep_tombstones_ms": keep_ms}})
    table = connection.table("s")
    table.delete(b"r", timestamp=5)
    connection.compact("s")
    table.put(b"r", {b"d:a": b"1"}, timestamp=5)
    assert table.row(b"r") == {b"d:a": b"1"}


def test_a_tombstone_ahead_of_the_clock_is_kept_only_if_its_family_keeps_any(connection, kept) -> None:
    kept.delete(b"r", timestamp=2**63 - 2)
    connection.compact("s")
    kept.put(b"r", ALL)
    assert kept.row(b"r") == {b"m:a": b"1"}


def test_the_longest_time_keeps_every_tombstone(connection) -> None:
    connection.create_split_table("s", {"d": {"keep_tombstones_ms": 2**63 - 1}})
    table = connection.table("s")
    table.delete(b"r", timestamp=0)
    connection.compact("s")
    table.put(b"r", {b"d:a": b"1"}, timestamp=0)
    assert table.row(b"r") == {}


def test_a_tombstone_older_than_the_ttl_is_dropped_since_puts_below_it_expire_too(connection) -> None:
    connection.create_split_table("s", {"d": {"keep_tombstones_ms": 2**63 - 1, "time_to_live": 60}})
    table = connection.table("s")
    table.delete(b"r", timestamp=5)
    connection.compact("s")
    before = connection.client.rows_read
    assert list(table.scan()) == []
    assert connection.client.rows_read == before


def test_a_compaction_still_drops_expired_cells_and_surplus_versions(connection, kept) -> None:
    kept.delete(b"r")
    for timestamp in (5, 6, 7):
        kept.put(b"q", {b"d:a": b"%d" % timestamp}, timestamp=timestamp)
    connection.compact("s")
    assert kept.row(b"q", timestamp=7) == {}
    assert kept.row(b"q") == {b"d:a": b"7"}


def test_how_long_is_known_in_another_process_and_after_a_restart(path) -> None:
    with closing(EmbeddedConnection(str(path))) as first, closing(EmbeddedConnection(str(path))) as second:
        assert second.keep_tombstones_ms("t") == {b"d": 0}
        first.create_split_table("s", FAMILIES)
        assert second.keep_tombstones_ms("s") == {b"d": 600_000, b"m": 0}
        first.table("s").delete(b"r")
    with closing(EmbeddedConnection(str(path))) as again:
        assert again.keep_tombstones_ms("s") == {b"d": 600_000, b"m": 0}
        again.compact("s")
    with closing(EmbeddedConnection(str(path))) as last:
        last.table("s").put(b"r", ALL, timestamp=5)
        assert last.table("s").row(b"r") == {b"m:a": b"1"}
