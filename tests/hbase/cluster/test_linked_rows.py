"""Linked rows while writers, recoverers and region servers are killed: no acknowledged row is missing afterwards."""

import os
import random
import time
from contextlib import ExitStack, closing

import pytest

from shared.stores import connect
from shared.tables import create_tables
from tests.hbase.cluster.linked_rows import (
    BACK_LINKS,
    LINK_TABLES,
    LINKS,
    faults_of,
    last_acknowledged,
    link_rows,
    link_writer,
    recover_links,
)
from tests.programs.hbase.cluster.cluster import running_cluster
from tests.programs.hbase.cluster.unrest import Unrest
from tests.shared.writes.changing import differences
from tests.shared.writes.processes import kill_at_random, running

pytestmark = pytest.mark.cluster

ROWS = int(os.environ.get("ROWBOOK_LINKED_ROWS", "6000"))
"""As many as are written in three minutes on two cores; several region servers are killed meanwhile."""
WRITERS = 4
KILL_EVERY_S = 40
"""Between two kills of a region server: its regions are open again by then."""
PATIENT = "retry_ms=300000"


def test_no_acknowledged_row_is_missing_after_kills_of_writers_and_region_servers(tmp_path, capsys):
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    dice = random.Random(seed)
    kills = servers_killed = 0
    with running_cluster() as cluster, ExitStack() as stack:
        url = f"{cluster.url}&{PATIENT}"
        connection = stack.enter_context(closing(connect(url)))
        create_tables(connection, LINK_TABLES)
        for row in (b"4", b"8", b"c"):
            cluster.split(LINKS.name, row)
        server = cluster.start_region_server()
        killed_s = time.monotonic()
        last = dict.fromkeys(range(WRITERS), 0)
        with Unrest(cluster, LINKS.name, "move"), Unrest(cluster, BACK_LINKS.name, "flush", "move"):
            while min(last.values()) < ROWS // WRITERS:
                with ExitStack() as running_now:
                    started = [running_now.enter_context(running(recover_links, url))]
                    for writer, number in last.items():
                        log = tmp_path / f"{writer}-{kills}-{number}.log"
                        arguments = (url, log, writer, number + 1, ROWS // WRITERS)
                        started.append(running_now.enter_context(running(link_rows, *arguments)))
                    time.sleep(dice.uniform(5, 20))
                    if time.monotonic() - killed_s > KILL_EVERY_S:
                        server[1].kill()
                        servers_killed += 1
                        server = cluster.start_region_server()
                        killed_s = time.monotonic()
                    kills += [kill_at_random(process, dice, 0.1, may_fail=True) for process in started].count(True)
                last |= last_acknowledged(tmp_path)
        recovery = link_writer(connection).recover(older_than_ms=0)
        assert recovery.failed == ()
        assert sum(last.values()) == ROWS
        assert faults_of(connection, last) == []
        assert differences(connection, link_writer(connection), [BACK_LINKS]) == []
    assert servers_killed
    with capsys.disabled():
        print(f"\nseed {seed}: {ROWS} rows, {kills} processes and {servers_killed} region servers killed")
