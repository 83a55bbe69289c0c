"""Rows that are lost, damaged or changed behind the repository's back: what `verify` finds and `repair` mends."""

import time
from collections import Counter
from contextlib import contextmanager
from functools import partial
from itertools import count
from operator import attrgetter

import attrs
import msgpack
import pytest

from domains.changes import keys
from domains.changes.keys import TABLES, RecordInCopy
from domains.changes.records import Checkpoint
from domains.changes.repository import ChangeRepository
from domains.changes.shown.design import DESIGN
from shared.tables import BoundTable, Family
from shared.testing import WatchedConnection, WriterDied, dying_at
from shared.testing.stored_samples import stored_cells
from shared.upkeep import Instructions
from shared.writes import allow_expired
from shared.writes.batches import remove_row
from tests.engines import Embedded

from .made import AT_MS, USERS, change

BY_RECORD, BY_POSITION, _SOURCES, COPY, CHECKPOINTS = TABLES

VARIANTS = [DESIGN.main]
each_variant = pytest.mark.parametrize(
    "variant",
    [
        pytest.param(variant, marks=[pytest.mark.further] * (variant.name not in ("changes", "thin-log")))
        for variant in DESIGN.variants
        if variant.is_to_copy
    ],
    ids=attrgetter("name"),
)
NOTHING_TOLD = Instructions()
DISCARD = Instructions(discards_orphaned=True, discards_undecodable=True)

CHANGES = [
    change(1, kind="INSERT", name="Ann", age="21"),
    change(2, "31", "INSERT", name="Bob"),
    change(5, age=None),
    change(6, "1", "INSERT", table="orders", user="30"),
    change(7, "31", "DELETE", name="Bob"),
]


@pytest.fixture
def stored(connection, variant, repository):
    """The changes, and a copy of the users."""
    repository.store_all(CHANGES)
    repository.copies.feed(*USERS)
    assert [*repository.upkeep.verify()] == []
    return repository


def kinds(upkeep):
    return Counter((finding.table, finding.kind) for finding in upkeep.verify())


def repaired(upkeep, instructions=NOTHING_TOLD):
    """What repair says, by kind; then nothing may be left that it said it mended."""
    found = [*upkeep.repair(instructions=instructions)]
    left = {(finding.table, finding.row) for finding in upkeep.verify()}
    assert not left & {(finding.table, finding.row) for finding, is_mended in found if is_mended}
    return Counter((finding.kind, is_mended) for finding, is_mended in found)


# ---- the two tables


def restored(connection, variant, is_lost):
    """The changes and the copy as from a backup without some rows: if they were deleted, HBase would hide later puts.

    Returns the repository, and what was backed up.
    """
    with Embedded().store(*variant.tables) as elsewhere:
        repository = variant.open(elsewhere)
        repository.store_all(CHANGES)
        repository.copies.feed(*USERS)
        backup = stored_cells(elsewhere, variant.tables)
    for table in variant.tables:
        for row, cells in backup[table.name]:
            for column, (value, time_ms) in {} if is_lost(table, row) else cells.items():
                connection.table(table.name).put(row, {column: value}, timestamp=time_ms)
    return variant.open(connection), backup


@each_variant
@pytest.mark.parametrize("name", ["by_record", "by_position"])
@pytest.mark.parametrize("lost", CHANGES[1:3], ids=["insert", "update"])
def test_a_row_that_one_table_lacks_is_put_again_from_the_other(connection, variant, name, lost):
    lacking = variant.tables[["by_record", "by_position"].index(name)]
    lost_row = lacking, lacking.key.row_of(lost)
    stored, before = restored(connection, variant, lambda *row: row == lost_row)
    thin = variant.name == "thin-log" and name == "by_record"  # whose log has only the key
    (found,) = {finding.kind for finding in stored.upkeep.verify() if finding.table != COPY.name}
    assert found == ("orphaned" if thin else "missing")
    if not thin:
        assert repaired(stored.upkeep) == {("missing", True): 1}
        assert stored_cells(connection, variant.tables) == before


@pytest.mark.parametrize(
    ("layout", "row", "column", "wrong", "kind"),
    [
        (BY_POSITION, BY_POSITION.row(CHANGES[2]), b"v:age", (b"\xa222", AT_MS), "differing"),
        (BY_POSITION, BY_POSITION.row(CHANGES[2]), b"v:city", (b"\xc0", AT_MS), "differing"),
        (BY_POSITION, BY_POSITION.row(CHANGES[2]), b"m:k", (b"\xc1", AT_MS), "differing"),
        (BY_RECORD, BY_RECORD.row(CHANGES[0]), b"m:k", (b"\xc1", AT_MS), "undecodable"),
        (COPY, COPY.row(RecordInCopy(*USERS, "30")), b"v:age", (b"\xa222", 5), "differing"),
    ],
)
def test_a_wrong_row_becomes_what_the_other_tables_say(connection, stored, layout, row, column, wrong, kind):
    before, (value, dated_ms) = stored_cells(connection, TABLES), wrong
    connection.table(layout.name).put(row, {column: value}, timestamp=dated_ms)
    assert kinds(stored.upkeep) == {(layout.name, kind): 1}
    assert repaired(stored.upkeep) == {(kind, True): 1}
    assert stored_cells(connection, TABLES) == before


@pytest.mark.parametrize("layout", [BY_RECORD, BY_POSITION], ids=attrgetter("name"))
@pytest.mark.parametrize("column", [b"v:age", b"v:city", b"m:t"], ids=str)
def test_a_cell_that_the_server_dated_is_replaced_and_an_erasure_still_reaches_its_row(
    connection, variant, stored, layout, column
):
    table, row = connection.table(layout.name), layout.row(CHANGES[2])
    before = table.row(row)
    table.put(row, {column: b"\xc1"})
    (found,) = repaired(stored.upkeep)
    assert found in [("differing", True), ("undecodable", True)]
    assert table.row(row) == before
    assert len({dated for _, dated in table.row(row, include_timestamp=True).values()}) == 1  # a TTL ends all at once
    assert [*variant.open(connection).since("shop")] == CHANGES
    assert [*stored.history(*USERS, "30")] == [CHANGES[2], CHANGES[0]]
    assert variant.open(connection).store_all(CHANGES) == len(CHANGES)
    assert stored.erase("30") == 0
    assert table.row(row) == {}


@contextmanager
def expired_changes(engine, *families):
    """A store whose log keeps these families for a day, and a repository that has stored changes which are older."""
    kept = {name: Family(ttl_seconds=86_400) if name in families else Family() for name in ("m", "v")}
    log = keys.BY_POSITION.like(families=kept)
    with engine.store(BY_RECORD, log.layout, *TABLES[2:]) as connection:
        allow_expired(connection)
        changes = ChangeRepository(connection, by_position=log)
        changes.store_all(CHANGES)
        yield connection, changes


def test_a_damaged_cell_that_outlives_its_change_is_deleted(engine):
    with expired_changes(engine, "m", "v") as (connection, changes):
        connection.table(BY_POSITION.name).put(BY_POSITION.row(CHANGES[2]), {b"v:age": b"\xc1"})
        assert repaired(changes.upkeep) == {("differing", True): 1}
        assert [*changes.since("shop")] == []


def test_no_change_is_read_without_its_values_when_it_expires(monkeypatch):
    """The values expire a day later than the rest, because each family is read by a clock of its own."""
    log = keys.BY_POSITION.like(families={"m": Family(ttl_seconds=86_400), "v": Family(ttl_seconds=2 * 86_400)})
    with Embedded().store(BY_RECORD, log.layout, *TABLES[2:]) as connection:
        changes = ChangeRepository(connection, by_position=log)
        changes.store(new := change(1, kind="INSERT", ms=time.time_ns() // 1_000_000, name="Ann"))
        for days in (1, 2):
            for start_ms in range(new.time_ms + days * 86_400_000 - 9, new.time_ms + days * 86_400_000 + 3):
                monkeypatch.setattr("shared.stores.embedded.stored_tables.now_ms", partial(next, count(start_ms)))
                assert [*changes.since("shop")] in ([new], [])
        assert [*changes.since("shop")] == []


@pytest.mark.parametrize(("families", "cells_left"), [(["m", "v"], []), (["m"], [2, 1, 1, 1, 1])])
def test_changes_that_expired_in_the_log_and_what_is_left_of_them_are_no_findings(engine, families, cells_left):
    """The log keeps a day, the history everything."""
    with expired_changes(engine, *families) as (connection, changes):
        assert [len(cells) for _row, cells in connection.table(BY_POSITION.name).scan()] == cells_left
        assert [*changes.since("shop")] == []
        assert [*changes.upkeep.verify()] == []
        assert changes.state(*USERS, "30").values == {"name": "Ann", "age": None}


def test_a_copy_lacks_the_changes_that_the_log_has_lost_until_repair_puts_them_from_the_history(engine):
    with expired_changes(engine, "m", "v") as (_connection, changes):
        assert changes.copies.feed(*USERS) == 0
        assert {kind for _table, kind in kinds(changes.upkeep)} == {"missing"}
        repaired(changes.upkeep)
        assert [*changes.copies.records(*USERS)] == changes.states(*USERS) != []


def test_a_change_that_expires_before_it_is_mended_does_not_stop_repair(connection, stored, monkeypatch):
    connection.table(BY_POSITION.name).delete(BY_POSITION.row(CHANGES[0]), ["v"], timestamp=AT_MS)
    assert kinds(stored.upkeep) == {(BY_POSITION.name, "differing"): 1}
    monkeypatch.setattr(Family, "lifetime_s", 86_400)
    assert repaired(stored.upkeep) == {("differing", False): 1}


# ---- sources

DAMAGED = [b"\xc1", msgpack.packb(-1), msgpack.packb(2**63 - 1), msgpack.packb(2**64 - 1)]


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_source_that_cannot_be_read_is_kept_unless_it_is_named_and_stops_nothing(
    connection, variant, stored, damaged
):
    other = attrs.evolve(CHANGES[0], source="other")
    stored.store(other)
    stored.copies.feed("other", "users")
    connection.table(variant.tables[2].name).put(b"shop", {b"s:p": damaged})
    (failed,) = stored.upkeep.recover().failed
    assert "changes_checkpoints: row 73 68 6f 70" in failed
    assert repaired(stored.upkeep, DISCARD) == {("undecodable", False): 1}
    assert stored.erase("30") == 1  # the source whose tables are unknown
    assert [*stored.history("other", "users", "30")] == []
    named = Instructions(discards_rows=frozenset([(variant.tables[2].name, b"shop")]))
    assert repaired(stored.upkeep, named) == {("undecodable", True): 1, ("orphaned", False): 2}  # records of its copy
    assert stored.watermark("shop") == 0


@each_variant
@pytest.mark.parametrize("cells", [{b"s:p": b"\xc1"}, {b"t:users": b"\xc1"}], ids=str)
@pytest.mark.parametrize("is_stored_again", [False, True])
def test_a_source_that_was_discarded_keeps_its_tables_so_that_erase_still_finds_its_changes(
    connection, variant, stored, cells, is_stored_again
):
    source = connection.table(variant.tables[2].name)
    source.put(b"shop", cells)
    named = Instructions(discards_rows=frozenset([(variant.tables[2].name, b"shop")]))
    assert repaired(stored.upkeep, named)["undecodable", True] == 1
    if is_stored_again:
        stored = variant.open(connection)
        stored.store_all(CHANGES)
        assert [*stored.since("shop")] == CHANGES
    assert variant.open(connection).erase("31") == 0
    left = stored_cells(connection, [variant.tables[0], variant.tables[1]])
    assert [len(rows) for rows in left.values()] == [3, 3]


def test_the_tables_of_a_source_whose_row_was_deleted_are_not_hidden_when_it_is_stored_again(
    connection, variant, stored
):
    remove_row(BoundTable(connection, variant.tables[2]), b"shop")
    variant.open(connection).store_all(CHANGES)
    assert variant.open(connection).erase("31") == 0
    assert [*stored.history(*USERS, "31")] == []


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_checkpoint_that_cannot_be_read_begins_again_at_0(connection, variant, stored, damaged):
    row = CHECKPOINTS.row(Checkpoint(*USERS, 0))
    connection.table(CHECKPOINTS.name).put(row, {b"c:p": damaged}, timestamp=7)
    (failed,) = stored.upkeep.recover().failed
    assert "Checkpoint.position" in failed
    assert repaired(stored.upkeep) == {("undecodable", True): 1}
    assert stored.copies.position(*USERS) == 0
    assert stored.upkeep.recover().settled == 1
    assert stored.copies.position(*USERS) == 7


def test_what_a_dead_writer_has_begun_is_reported_after_ten_minutes_and_forgotten_if_told(
    connection, variant, stored, passes
):
    late = [change(9, "31", "INSERT", name="Bo"), change(10, name="Anne")]
    dying = variant.open(WatchedConnection(connection, dying_at(lambda call: call.name != "checkAndPut")))
    with pytest.raises(WriterDied):
        dying.store_all(late)
    assert [*stored.upkeep.verify()] == []
    passes(11 * 60_000)
    (found,) = stored.upkeep.verify()
    assert (found.kind, found.row) == ("unsettled", b"shop")
    assert found.reason.startswith("2 changes from position 9 on were begun, and have not been stored")
    assert repaired(stored.upkeep, DISCARD) == {("unsettled", False): 1}
    named = Instructions(discards_rows=frozenset([(found.table, found.row)]))
    assert repaired(stored.upkeep, named) == {("unsettled", True): 1}
    other = change(9, "32", "INSERT", name="Cy")
    variant.open(connection).store(other)
    assert [*stored.since("shop", after=7)] == [other]


def test_what_a_dead_writer_has_begun_is_not_forgotten_if_a_row_of_it_is_stored(connection, variant, stored, passes):
    dying = variant.open(WatchedConnection(connection, dying_at(lambda call: call.table == BY_POSITION.name)))
    with pytest.raises(WriterDied):
        dying.store(change(9, name="Anne"))
    passes(11 * 60_000)
    named = Instructions(discards_rows=frozenset([(variant.tables[2].name, b"shop")]))
    assert repaired(stored.upkeep, named) == {("unsettled", False): 1}
    variant.open(connection).store(change(9, name="Anne"))
    assert [*stored.upkeep.verify()] == []


def test_one_of_two_changes_that_an_older_release_stored_at_one_position_is_orphaned(connection, stored):
    """The log has that of the writer that came last."""
    overwritten = change(7, "32", "INSERT", ms=AT_MS - 1, name="Cy")
    row = BY_RECORD.row(overwritten)
    connection.table(BY_RECORD.name).put(row, BY_RECORD.cells.pack(overwritten), timestamp=AT_MS - 1)
    found, of_copy = stored.upkeep.verify()
    assert (found.kind, found.row, of_copy.table) == ("orphaned", row, COPY.name)
    assert found.reason == "at position 7 of shop, changes_log has another change"
    assert repaired(stored.upkeep) == {("orphaned", False): 1, ("missing", True): 1}
    assert repaired(stored.upkeep, DISCARD) == {("orphaned", True): 2}
    assert [*stored.upkeep.verify()] == []


# ---- the copy


def put_in_copy(connection, key, cells):
    for column, (value, position) in cells.items():
        connection.table(COPY.name).put(COPY.row(RecordInCopy(*USERS, key)), {column: value}, timestamp=position)


def put_position(connection, cells, **timestamp):
    connection.table(CHECKPOINTS.name).put(CHECKPOINTS.row(Checkpoint(*USERS, 0)), cells, **timestamp)


def test_records_that_a_copy_lacks_are_put_again_dated_by_their_positions(connection, variant):
    stored, before = restored(connection, variant, lambda table, _row: table is COPY)
    assert kinds(stored.upkeep) == {(COPY.name, "missing"): 2}  # also the fence of the deleted one
    assert repaired(stored.upkeep) == {("missing", True): 2}
    live = {
        row: {c: cell for c, cell in cells.items() if c != b"v:name" or row[-2:] == b"30"}
        for row, cells in before[COPY.name]
    }
    assert dict(connection.table(COPY.name).scan(include_timestamp=True)) == live


@pytest.mark.parametrize(
    ("key", "cells", "hides"),
    [
        ("30", {b"v:city": (b"\xa4Bern", 4)}, False),
        ("99", {b"c:k": (b"\xa6INSERT", 3), b"c:t": (b"\x01", 3)}, False),  # an erased record, put again by a feeder
        ("30", {b"v:age": (b"\xa222", 900)}, True),  # the log was restored from a backup
    ],
    ids=["no such change", "no such record", "later than the log"],
)
def test_what_a_copy_knows_beyond_the_log_is_kept_unless_it_is_discarded(engine, connection, stored, key, cells, hides):
    put_in_copy(connection, key, cells)
    if hides:  # the copy had all of it
        put_position(connection, CHECKPOINTS.cells.pack(Checkpoint(*USERS, 900)), timestamp=900)
    names = ", ".join(f"{column.decode()} at position {position}" for column, (_, position) in cells.items())
    assert [finding.reason for finding in stored.upkeep.verify()] == [f"the log does not have {names}"]
    assert repaired(stored.upkeep) == {("orphaned", False): 1}
    assert repaired(stored.upkeep, DISCARD) == {("orphaned", not hides): 1}
    if hides and engine.compacts:  # until then the delete hides the older cell
        connection.compact(COPY.name)
        assert repaired(stored.upkeep) == {("differing", True): 1}
    if engine.compacts or not hides:
        assert stored.copies.record(*USERS, key) == stored.state(*USERS, key)


@pytest.mark.parametrize("column", [b"v:name", b"c:k", b"c:f"], ids=str)
def test_what_was_put_into_a_copy_without_a_position_is_not_discarded_because_that_would_hide_later_changes(
    connection, stored, column
):
    table, row = connection.table(COPY.name), COPY.row(RecordInCopy(*USERS, "30"))
    table.put(row, {column: b"\xc1"})
    ((_, server_ms),) = table.row(row, [column], include_timestamp=True).values()
    (found,) = stored.upkeep.verify()
    assert found.kind == "future"
    assert found.reason.startswith(f"dated {server_ms}; Thrift1 would also hide later puts, so delete it in the HBase")
    named = attrs.evolve(DISCARD, discards_rows=frozenset({(COPY.name, row)}))
    assert repaired(stored.upkeep, named) == {("future", False): 1}
    assert stored.erase("30") == 1
    stored.store(change(9, kind="INSERT", name="Dee"))
    stored.copies.feed(*USERS)
    later = {column: cell for column, cell in table.row(row, include_timestamp=True).items() if cell[1] == 9}
    assert later.keys() | {column} == {b"v:name", b"c:k", b"c:t", b"c:f"}


def test_a_position_of_a_copy_that_the_server_dated_is_not_replaced_because_that_would_hide_later_ones(
    connection, stored
):
    put_position(connection, {b"c:p": b"\xc1"})
    (found,) = stored.upkeep.verify()
    assert (found.kind, found.table) == ("future", CHECKPOINTS.name)
    named = attrs.evolve(DISCARD, discards_rows=frozenset({(CHECKPOINTS.name, found.row)}))
    assert repaired(stored.upkeep, named) == {("future", False): 1}


def test_a_copy_whose_feeder_is_at_work_is_ahead_of_its_position_and_right(stored):
    late = [change(9, name="Anne"), change(10, "31", "INSERT", name="Bo")]
    stored.store_all(late)
    for record in late:
        stored.copies.apply(record)
        assert [*stored.upkeep.verify()] == []
    assert stored.copies.position(*USERS) == 7


def test_a_copy_is_compared_with_thousands_of_changes_a_batch_at_a_time(monkeypatch, stored):
    monkeypatch.setattr("domains.changes.verifying.AT_ONCE", 2)
    stored.store_all(change(position, f"k{position % 7}", "INSERT", n=str(position)) for position in range(10, 40))
    stored.copies.feed(*USERS)
    assert [*stored.upkeep.verify()] == []
    assert stored.upkeep.counts == {"change": 2 * 35, "copied record": 9}
