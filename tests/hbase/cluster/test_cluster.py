"""Region servers that die under a load while regions split and move: nothing acknowledged is lost, scans stay whole."""

import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from shared.stores import OutcomeUnknown, connect
from tests.programs.hbase.cluster.cluster import SESSION_S, Refused, running_cluster
from tests.programs.hbase.cluster.unrest import Unrest
from tests.programs.hbase.listening import LOOPBACK, listening
from tests.programs.hbase.load import BATCH, Load, compare, put_rows, rows_of

pytestmark = pytest.mark.cluster

TABLE = "loaded"

PATIENT = "retry_ms=300000"
"""A call waits 15 to 30 s for a server that died, which the default carries; on an overloaded machine also a minute."""


@pytest.fixture(scope="module")
def cluster():
    """A mini-cluster that must leave nothing behind."""
    with running_cluster() as cluster:
        yield cluster
    assert [process.pid for process in cluster.processes if Path(f"/proc/{process.pid}").exists()] == []
    assert not cluster.folder.exists()


@pytest.fixture
def connection(cluster):
    """A connection with the default timeout, and a table of four regions."""
    connection = connect(f"{cluster.url}&{PATIENT}")
    connection.create_table(TABLE, {"d": {}})
    for row in (b"4", b"8", b"c"):
        cluster.split(TABLE, row)
    yield connection
    connection.delete_table(TABLE, disable=True)
    connection.close()


def moves(cluster):
    """Regions that split and move, until the block ends."""
    return Unrest(cluster, TABLE, "move", "split", "move")


def files(cluster):
    """Files that are written and compacted, until the block ends; beside the moves, since it waits for lost regions."""
    return Unrest(cluster, TABLE, "flush", "compact")


def bring(cluster, row, server):
    """Moves the region of a row as soon as it does not split or move anyway."""
    latest_s = time.monotonic() + 60
    while time.monotonic() < latest_s:
        with suppress(Refused):
            return cluster.move(TABLE, row, server)
    raise AssertionError(f"the region of {row} cannot be moved to {server}")


def test_a_load_outlives_kill_9_of_a_region_server(cluster, connection, capsys):
    server, process = cluster.start_region_server()
    table = connection.table(TABLE)
    hasty = connect(f"{cluster.url}&timeout_ms=2000&{PATIENT}").table(TABLE)
    batch = connect(f"{cluster.url}&timeout_ms=2000&retry_ms=3000").table(TABLE).batch(timestamp=1)
    put_rows(batch, rows_of(9, 0))
    with Load([table] * 3, [table, hasty], [hasty]) as load, moves(cluster) as moved, files(cluster):
        load.go_on(100)
        for row in (b"d", b"5", b"0"):
            bring(cluster, row, server)
        process.kill()
        message = r"mutateRowsTs on loaded, 20 rows from .*outcome unknown.*no reply within 2 s.*\d attempts in"
        with pytest.raises(OutcomeUnknown, match=message):
            batch.send()
        load.go_on(100)
    assert load.faults(table) == []
    assert load.longest_s > SESSION_S / 2  # it met the dead server
    with capsys.disabled():
        print(f"\nkill -9: {load}; {moved}")


def test_a_load_outlives_the_server_that_knows_where_the_regions_are(cluster, connection, capsys):
    table = connection.table(TABLE)
    with Load([table] * 3, [table]) as load, moves(cluster) as moved, files(cluster):
        load.go_on(100)
        (meta,) = cluster.regions("hbase:meta")
        bring(cluster, b"5", meta.server)
        cluster.kill(meta.server)
        load.go_on(100)
    assert load.faults(table) == []
    with capsys.disabled():
        print(f"\nhbase:meta: {load}; {moved}")


@pytest.mark.parametrize(("versions", "timestamp"), [(3, 1), (1, 2)], ids=["the same cells", "one version"])
def test_a_scan_may_lack_rows_that_are_overwritten_while_their_region_moves(cluster, versions, timestamp):
    """HBase continues it on the other server as of its beginning, but a compaction there has kept only newer cells."""
    rows = sorted(rows_of(0, 0))
    overwritten = rows[BATCH // 2 :]
    with closing(connect(cluster.url)) as connection:
        connection.create_table("moved", {"d": {"max_versions": versions}})
        table = connection.table("moved")
        with table.batch(timestamp=1) as batch:
            put_rows(batch, rows)
        scan = table.scan(batch_size=5)
        first = [next(scan) for _ in range(5)]
        with table.batch(timestamp=timestamp) as batch:
            put_rows(batch, overwritten)
        (region,) = cluster.regions("moved")
        cluster.move("moved", b"0", next(server for server in cluster.region_servers() if server != region.server))
        cluster.compact("moved")
        faults = compare([*first, *scan], {0: 1}).faults
        assert faults == [f"{row!r} was acknowledged and is missing" for row in overwritten]
        assert compare(table.scan(), {0: 1}).faults == []
        connection.delete_table("moved", disable=True)


def test_rows_written_without_the_log_die_with_their_server_and_the_comparison_says_which(cluster, connection):
    table = connection.table(TABLE)
    with table.batch(timestamp=1, wal=False) as batch:
        put_rows(batch, rows_of(0, 0))
    assert compare(table.scan(), {0: 1}).faults == []
    regions = cluster.regions(TABLE)
    killed = regions[-1].server
    lost = [row for row in sorted(rows_of(0, 0)) if holder(regions, row) == killed]
    cluster.kill(killed)
    assert compare(table.scan(), {0: 1}).faults == [f"{row!r} was acknowledged and is missing" for row in lost]
    assert lost


def holder(regions, row):
    """The server that has the region of a row."""
    return [region.server for region in regions if region.first <= row][-1]


def test_a_compaction_keeps_a_tombstone_for_as_long_as_its_table_says(cluster):
    with closing(connect(cluster.url)) as connection, connection.beyond_thrift1() as beyond:
        for name, keep_ms, left in (("kept", 600_000, [b"old"]), ("dropped", 0, [b"old", b"young"])):
            beyond.create_split_table(name, {"d": {"keep_tombstones_ms": keep_ms}})
            table = connection.table(name)
            deleted_ms = time.time_ns() // 1_000_000
            for row, deleted_at_ms in ((b"old", deleted_ms - 700_000), (b"young", deleted_ms)):
                table.delete(row, timestamp=deleted_at_ms)
            cluster.compact(name)
            for row in (b"old", b"young"):
                table.put(row, {b"d:a": b"1"}, timestamp=1)
            assert [row for row, _ in table.scan()] == left


def test_a_command_that_the_cluster_cannot_do_says_why(cluster):
    with pytest.raises(Refused, match=r"^flush nowhere: error .*TableNotFoundException: nowhere"):
        cluster.flush("nowhere")


def test_everything_listens_on_loopback(cluster):
    living = [process.pid for process in cluster.processes if process.poll() is None]
    assert {address for pid in living for address in listening(pid)} <= LOOPBACK
    assert living
