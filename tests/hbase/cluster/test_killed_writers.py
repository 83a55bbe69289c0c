"""Orders that processes change while they, recoverers and region servers are killed: what was answered is stored."""

import os
import random
import time
from contextlib import ExitStack, closing

import pytest

from domains.orders import OrderRepository
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.hbase.cluster.cluster import running_cluster
from tests.programs.hbase.cluster.unrest import Unrest
from tests.shared.intents.changing import (
    BY_STATUS,
    DERIVED,
    ORDERS,
    TABLES,
    change_orders,
    contradictions,
    differences,
    recover_again_and_again,
)
from tests.shared.intents.processes import entries, kill_at_random, running

pytestmark = pytest.mark.cluster

CHANGES = int(os.environ.get("ROWBOOK_CHANGES", "6000"))
"""Changes that two cores accept in some minutes; several region servers are killed meanwhile."""
NUMBERS = range(2000)
WRITERS = 4
KILL_EVERY_S = 40
"""Between two kills of a region server: its regions are open again by then."""
PATIENT = "retry_ms=300000"


def test_no_answer_is_contradicted_after_kills_of_writers_and_region_servers(tmp_path, capsys):
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    dice = random.Random(seed)
    kills = servers_killed = accepted = 0
    with running_cluster() as cluster, ExitStack() as stack:
        url = f"{cluster.url}&{PATIENT}"
        connection = stack.enter_context(closing(connect(url)))
        create_tables(connection, TABLES)
        for row in (b"n-13", b"n-17", b"n-5"):
            cluster.split(ORDERS.layout.name, row)
        _, server = cluster.start_region_server()
        killed_s = time.monotonic()
        with Unrest(cluster, ORDERS.layout.name, "move"), Unrest(cluster, BY_STATUS.layout.name, "flush", "move"):
            while accepted < CHANGES:
                with ExitStack() as running_now:
                    started = [running_now.enter_context(running(recover_again_and_again, url))]
                    for writer in range(WRITERS):
                        arguments = (url, tmp_path / f"{writer}-{kills}.log", dice.random(), NUMBERS)
                        started.append(running_now.enter_context(running(change_orders, *arguments)))
                    time.sleep(dice.uniform(5, 20))
                    if time.monotonic() - killed_s > KILL_EVERY_S:
                        server.kill()
                        servers_killed += 1
                        _, server = cluster.start_region_server()
                        killed_s = time.monotonic()
                    kills += [kill_at_random(process, dice, 0.1, may_fail=True) for process in started].count(True)
                answers = entries(tmp_path)
                accepted = sum(answer["kind"] == "accepted" for answer in answers)
        writer = OrderRepository(connection).writer
        assert writer.recover(older_than_ms=0).failed == ()
        assert contradictions(writer, answers) == []
        assert differences(connection, writer, DERIVED) == []
    assert servers_killed
    with capsys.disabled():
        print(f"\nseed {seed}: {accepted} changes, {kills} processes and {servers_killed} region servers killed")
