"""A service under load whose processes are killed: nothing that it has acknowledged is lost, and nothing is a 500.

Each client sends the same request again after 503, 504 and no answer, until it gets another one.
"""

import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from domains.orders import OrderRepository
from domains.orders.keys import TABLES as ORDERS
from domains.reservations import TABLES as ROOMS
from domains.reservations import Hotel, Stay
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.hbase.java import FOR_MINUTES
from tests.programs.hbase.server import HBase, running
from tests.programs.service.clients import Client, Tally, run_clients
from tests.programs.service.running import GUNICORN, UVICORN, Service, service

CLIENTS = 16
FORKING = (*GUNICORN, "--workers", "4", "--threads", "4")
FIRST_DAY, NIGHTS, ROOMS_OF_INN = 740_000, 400, 5


@contextmanager
def trouble(happens: Callable[[], object], every_s: float) -> Iterator[list[float]]:
    """Lets something happen again and again during the block; when it happened is in the list."""
    times: list[float] = []
    ended = threading.Event()

    def happen() -> None:
        while not ended.wait(every_s):
            happens()
            times.append(time.monotonic())

    thread = threading.Thread(target=happen)
    thread.start()
    try:
        yield times
    finally:
        ended.set()
        thread.join()


def order(number: int) -> dict[str, Any]:
    placed_ms = 1_768_176_000_000 + number
    ids = {"order_number": f"n-{number:06d}", "seller_id": f"s-{number % 7}", "buyer_id": f"b-{number % 5}"}
    return {**ids, "placed_ms": placed_ms, "item": "tea", "amount": number}


def place_and_pay(each: int) -> Callable[[Client, int], Any]:
    """What a client does: places orders of its own, and pays every second one."""

    async def requests(client: Client, number: int) -> None:
        for order_number in range(number * each, (number + 1) * each):
            status, answer = await client.until_settled("POST", "/place", order(order_number))
            assert status == 204, answer
            if order_number % 2:
                paid = {"order_number": f"n-{order_number:06d}", "status": "paid"}
                status, answer = await client.until_settled("POST", "/change_status", paid)
                assert (status, answer and answer["status"]) == (200, "paid"), answer

    return requests


def check_orders(url: str, count: int) -> None:
    """Each order is there once, in the rows of its number, its seller, its buyer and its status."""
    with closing(connect(url)) as connection:
        repository = OrderRepository(connection)
        repository.upkeep.recover(0)
        assert [finding for finding in repository.upkeep.verify() if not finding.is_harmless] == []
        stored = [*repository.numbered("")]
        assert [stored.order_number for stored in stored] == [f"n-{number:06d}" for number in range(count)]
        assert all(stored.status == ("paid" if stored.amount % 2 else "placed") for stored in stored)
        assert sum(1 for seller in range(7) for _ in repository.of_seller(f"s-{seller}")) == count


def check_answers(tally: Tally) -> None:
    assert not tally.statuses[500], tally
    assert {*tally.statuses} <= {200, 204, 503, 504}, tally


def kill_a_worker(started: Service) -> Callable[[], None]:
    numbers = iter(range(10**6))

    def kill() -> None:
        workers = started.workers()
        os.kill(workers[next(numbers) % len(workers)], signal.SIGKILL)

    return kill


def kill_all(started: Service) -> Callable[[], None]:
    def kill() -> None:
        started.kill()
        started.start()

    return kill


@pytest.mark.parametrize(
    ("framework", "command", "kill", "every_s"),
    [("flask", FORKING, kill_a_worker, 0.3), ("fastapi", UVICORN, kill_all, 0.5)],
)
def test_killed_processes_lose_no_order(framework, command, kill, every_s, tmp_path: Path) -> None:
    url = f"embedded:{tmp_path / 'store.db'}"
    with closing(connect(url)) as connection:
        create_tables(connection, ORDERS)
    tally = Tally()
    with service(framework, "orders", command, STORE_URL=url) as started, trouble(kill(started), every_s) as killed:
        run_clients(started.port, CLIENTS, place_and_pay(20), tally)
    assert len(killed) >= 2
    assert tally.settled > 0
    check_answers(tally)
    check_orders(url, 20 * CLIENTS)


# ---- on a real HBase


@pytest.fixture(scope="module")
def hbase() -> Iterator[HBase]:
    """An HBase of its own, because its gateways are killed and stopped."""
    with running(region_servers=1, java_options=FOR_MINUTES) as hbase:
        yield hbase


def restart_gateways(hbase: HBase) -> None:
    hbase.kill_gateways()
    hbase.start()


def stop_for_a_while(hbase: HBase) -> None:
    """Stops the gateway for longer than the deadline of a request."""
    gateway = hbase.servers.running["thrift1"]
    gateway.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    gateway.send_signal(signal.SIGCONT)


def in_turns(*events: Callable[[], object]) -> Callable[[], None]:
    turns = itertools.cycle(events)
    return lambda: next(turns)() and None


@contextmanager
def troubled(hbase: HBase, framework: str, design: str, command: tuple[str, ...], prefix: str) -> Iterator[Service]:
    """A service whose processes and gateways are killed in turns, and whose gateway stops for a while."""
    kill = kill_a_worker if command == FORKING else kill_all
    url = f"{hbase.url}&table_prefix={prefix}"
    with service(framework, design, command, STORE_URL=url, DEADLINE_MS="1000") as started:
        events = [kill(started), partial(restart_gateways, hbase), kill(started), partial(stop_for_a_while, hbase)]
        with trouble(in_turns(*events), 0.7) as happened:
            yield started
        assert len(happened) >= 2 * len(events)


@pytest.mark.hbase
@pytest.mark.parametrize(("framework", "command"), [("flask", FORKING), ("fastapi", UVICORN)])
def test_orders_outlive_killed_services_and_gateways(hbase, framework, command, capsys) -> None:
    url = f"{hbase.url}&table_prefix={framework}"
    with closing(connect(url)) as connection:
        create_tables(connection, ORDERS)
    tally = Tally()
    with troubled(hbase, framework, "orders", command, framework) as started:
        run_clients(started.port, CLIENTS, place_and_pay(100), tally)
    check_answers(tally)
    assert tally.statuses[503]
    assert tally.statuses[504]
    check_orders(url, 100 * CLIENTS)
    with capsys.disabled():
        print(f"\n{framework}: {dict(tally.statuses)}, {tally.cut} cut, {tally.settled} settled by the same request")


@pytest.mark.hbase
@pytest.mark.parametrize(("framework", "command"), [("flask", FORKING), ("fastapi", UVICORN)])
def test_bookings_outlive_killed_services_and_gateways_and_share_no_night(hbase, framework, command, capsys) -> None:
    url = f"{hbase.url}&table_prefix={framework}"
    booked: dict[str, list[dict[str, Any]]] = {}

    async def book(client: Client, number: int) -> None:
        choose = random.Random(number)
        for booking in range(60):
            day = FIRST_DAY + choose.randrange(NIGHTS)
            stay = {"booking_id": f"b-{number}-{booking}", "guest_id": f"g-{number}", "from_day": day}
            stay["until_day"] = day + choose.randint(1, 3)
            asked = {"hotel": "inn", "number": str(choose.randrange(ROOMS_OF_INN)), "stay": stay}
            status, answer = await client.until_settled("POST", "/book", asked)
            assert status in (200, 409), answer
            if status == 200:
                booked.setdefault(asked["number"], []).append(stay)

    with closing(connect(url)) as connection:
        create_tables(connection, ROOMS)
        hotel = Hotel(connection)
        for number in range(ROOMS_OF_INN):
            hotel.open_room("inn", str(number))
    tally = Tally()
    with troubled(hbase, framework, "reservations", command, framework) as started:
        run_clients(started.port, CLIENTS, book, tally)
    assert {*tally.statuses} == {200, 409, 503, 504}, tally
    with closing(connect(url)) as connection:
        hotel = Hotel(connection)
        hotel.upkeep.recover(0)
        assert [*hotel.upkeep.verify()] == []
        for number in range(ROOMS_OF_INN):
            room = hotel.room("inn", str(number))
            assert room is not None
            nights = [night for stay in room.stays for night in range(stay.from_day, stay.until_day)]
            assert len(nights) == len({*nights})
            assert {attrs.astuple(stay) for stay in room.stays} == {
                attrs.astuple(Stay(**stay)) for stay in booked.get(str(number), [])
            }
    with capsys.disabled():
        print(f"\n{framework}: {dict(tally.statuses)}, {tally.cut} cut, {tally.settled} settled by the same request")
