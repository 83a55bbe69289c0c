"""A service under load whose processes are killed: nothing that it has acknowledged is lost, and nothing is a 500."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from domains.orders.keys import TABLES
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.hbase.java import FOR_MINUTES
from tests.programs.hbase.server import HBase, running
from tests.programs.service.clients import Tally
from tests.programs.service.killing import (
    FORKING,
    SERVED,
    check_answers,
    check_orders,
    in_trouble,
    kill_a_worker,
    kill_all,
    killed_bookings,
    killed_orders,
    place_and_pay,
)
from tests.programs.service.running import UVICORN, service


@pytest.mark.parametrize(
    ("framework", "command", "kill", "times"),
    [("flask", FORKING, kill_a_worker, 6), pytest.param("fastapi", UVICORN, kill_all, 2, marks=pytest.mark.long)],
)
def test_killed_processes_lose_no_order(framework, command, kill, times, tmp_path: Path) -> None:
    url = f"embedded:{tmp_path / 'store.db'}"
    with closing(connect(url)) as connection:
        create_tables(connection, TABLES)
    tally, placed = Tally(), []
    with service(framework, "orders", command, STORE_URL=url) as started:
        in_trouble(place_and_pay(started.port, tally, placed), kill(started), times, 0.3)
    assert tally.settled > 0
    check_answers(tally)
    check_orders(url, placed)


# ---- on a real HBase


@pytest.fixture(scope="module")
def hbase() -> Iterator[HBase]:
    """An HBase of its own, because its gateways are killed and stopped."""
    with running(region_servers=1, java_options=FOR_MINUTES) as hbase:
        yield hbase


@pytest.mark.hbase
@pytest.mark.parametrize("framework", SERVED)
@pytest.mark.parametrize("outlive", [killed_orders, killed_bookings])
def test_what_is_acknowledged_outlives_killed_services_and_gateways(hbase, framework, outlive) -> None:
    tally = outlive(hbase, framework)
    assert tally.statuses[503]
    assert tally.statuses[504]
    assert tally.settled
