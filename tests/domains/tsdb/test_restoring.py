"""Points that are back after their deletion, from a backup or from a process that died: only `recover` deletes them."""

import pytest

from domains.tsdb.changing.deleting import DeletionResult
from domains.tsdb.changing.registry import KEEP_MS, SPARED_MS
from domains.tsdb.changing.rewriting import QUIET_MS
from domains.tsdb.keys import TABLES
from domains.tsdb.records import Point
from shared.tables import create_tables
from shared.upkeep.recovery import Recovery
from tests.domains.tsdb.compacting import HOUR, TAGS, repository, stored, values
from tests.domains.tsdb.test_at_once import delete, filled

pytestmark = pytest.mark.usefixtures("simulated_time")


def deleted_and_back(clock, *, compacted, passed_ms):
    """A store whose points are all there again, with their timestamps, so long after second 1 was deleted."""
    connection = filled(clock, compacted=compacted)
    cells = stored(connection)
    assert delete(repository(connection, clock.other()), 1).changed == 1
    connection.delete_table("tsdb", disable=True)  # and its tombstones
    create_tables(connection, TABLES)
    for row, columns in cells.items():
        for column, (value, written_ms) in columns.items():
            connection.table("tsdb").put(row, {column: value}, timestamp=written_ms)
    clock.set_ms += passed_ms
    return connection, repository(connection, clock.other())


@pytest.mark.parametrize("compacted", ["whole", "with another", "single"])
@pytest.mark.parametrize(("passed_ms", "left", "cleaned"), [(KEEP_MS - 1, 0, 1), (KEEP_MS, 1, 0)])
def test_for_twenty_minutes_a_compaction_deletes_them_and_says_so_and_then_leaves_their_row_to_recover(
    clock, compacted, passed_ms, left, cleaned
):
    connection, tsdb = deleted_and_back(clock, compacted=compacted, passed_ms=passed_ms)
    before = stored(connection)
    result = tsdb.compact("cpu")
    assert (result.compacted, result.left, result.failed, result.cleaned) == (0, left, (), cleaned)
    assert (stored(connection) == before) == (left > 0)
    assert left == 0 or tsdb.upkeep.recover() == Recovery(1, 0, ())
    assert values(connection, clock.other()) == [0, 2, 3, 4]


@pytest.mark.parametrize(
    ("second", "result", "remaining"),
    [
        pytest.param(3, DeletionResult(0, 1, ()), [0, 1, 2, 3, 4], id="their cell would be replaced"),
        pytest.param(4, DeletionResult(1, 0, ()), [0, 1, 2, 3], id="a cell of its own"),
        pytest.param(1, DeletionResult(1, 0, ()), [0, 2, 3, 4], id="the same points"),
    ],
)
def test_then_another_deletion_leaves_them_and_replaces_no_cell_with_them(clock, second, result, remaining):
    connection, tsdb = deleted_and_back(clock, compacted="with another", passed_ms=KEEP_MS)
    assert delete(tsdb, second) == result
    assert values(connection, clock.other()) == remaining


@pytest.mark.parametrize("run", [lambda tsdb: tsdb.compact("cpu"), lambda tsdb: delete(tsdb, 3)])
def test_recover_deletes_them_whoever_has_changed_their_row_before(clock, run):
    """A cell with them and a younger point would be one that the deletion does not cover."""
    connection, tsdb = deleted_and_back(clock, compacted="with another", passed_ms=SPARED_MS)
    tsdb.store(Point("cpu", HOUR + 5000, 5, TAGS))
    clock.set_ms += KEEP_MS + QUIET_MS
    run(tsdb)
    tsdb.upkeep.recover()
    assert 1 not in values(connection, clock.other())


@pytest.mark.parametrize("passed_ms", [0, KEEP_MS])
def test_a_deletion_that_is_canceled_spares_them(clock, passed_ms):
    connection, tsdb = deleted_and_back(clock, compacted="with another", passed_ms=passed_ms)
    for deletion in tsdb.upkeep.pending():
        tsdb.cancel(deletion)
    result = tsdb.compact("cpu")
    assert (result.compacted, result.cleaned) == (1, 0)
    assert tsdb.upkeep.recover(0) == Recovery(0, 0, ())
    assert values(connection, clock.other()) == [0, 1, 2, 3, 4]
