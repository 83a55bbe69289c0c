"""An HBase that is killed and started again: loads and scans go on, and what was acknowledged is there."""

import time

import pytest

from shared.stores import connect
from tests.programs.hbase import server
from tests.programs.hbase.load import Load
from tests.programs.hbase.server import HBase, running

pytestmark = pytest.mark.hbase

STILL = [(b"row-%05d" % number, {b"d:a": b"%d" % number}) for number in range(2000)]

PATIENCE_S = 300
"""For a restart, and so for each call. On an idle machine it takes 22 s, which the default retry_ms carries."""


@pytest.fixture(scope="module")
def hbase():
    """An HBase of its own, because a shared one must not be killed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "START_S", PATIENCE_S)
        with running(region_servers=1) as hbase:
            connection = connect(hbase.url)
            connection.create_table("still", {"d": {}})
            with connection.table("still").batch(timestamp=1) as batch:
                for row, cells in STILL:
                    batch.put(row, cells)
            connection.close()
            yield hbase


@pytest.mark.parametrize("kill", [HBase.kill_gateways, HBase.kill], ids=["gateways", "all"])
def test_a_load_and_a_scan_outlive_a_kill(hbase, kill, capsys):
    connection = connect(f"{hbase.url}&retry_ms={1000 * PATIENCE_S}")
    connection.create_table(kill.__name__, {"d": {}})
    table = connection.table(kill.__name__)
    with Load([table] * 3, [table]) as load:
        load.go_on(100)
        scanned = []
        for row, cells in connection.table("still").scan(batch_size=100):
            scanned.append((row, cells))
            if len(scanned) == len(STILL) // 2:
                killed_s = time.monotonic()
                kill(hbase)
                hbase.start()
                restart_s = time.monotonic() - killed_s
        load.go_on(100)
    assert scanned == STILL
    assert load.faults(table) == []
    with capsys.disabled():
        print(f"\n{kill.__name__}: {load}; started again in {restart_s:.1f} s")
