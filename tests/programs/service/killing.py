"""A service under load whose processes and gateways are killed: nothing that it has acknowledged is lost.

Each client sends the same request again after 503, 504 and no answer, until it gets another one.
"""

import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any, TypeAlias

import attrs

from domains.orders import OrderRepository
from domains.orders.keys import TABLES as ORDERS
from domains.reservations import TABLES as ROOMS
from domains.reservations import Hotel, Stay
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.hbase.server import HBase
from tests.programs.service.clients import Client, Tally, run_clients
from tests.programs.service.running import GUNICORN, UVICORN, Service, service

CLIENTS = 16
FORKING = (*GUNICORN, "--workers", "4", "--threads", "4")
SERVED = {"flask": FORKING, "fastapi": UVICORN}
"""What serves each framework: of the first, one of four workers is killed, of the second all."""
TURNS = 4
FIRST_DAY, NIGHTS, ROOMS_OF_INN = 740_000, 400, 5
EVERY_S = 0.7


Load: TypeAlias = Callable[[threading.Event], object]
"""Work that goes on until the event is set."""


def in_trouble(work: Load, happens: Callable[[], object], times: int, every_s: float) -> None:
    """Works, until something has happened so often, and a while longer.

    It happens in this thread, because a server dies with the thread that has started it.
    """
    ended = threading.Event()
    with ThreadPoolExecutor(1) as executor:
        working = executor.submit(work, ended)
        try:
            for _ in range(times):
                time.sleep(every_s)
                happens()
            time.sleep(every_s)
        finally:
            ended.set()
        working.result()


def order(number: int) -> dict[str, Any]:
    placed_ms = 1_768_176_000_000 + number
    ids = {"order_number": f"n-{number:06d}", "seller_id": f"s-{number % 7}", "buyer_id": f"b-{number % 5}"}
    return {**ids, "placed_ms": placed_ms, "item": "tea", "amount": number}


def place_and_pay(port: int, tally: Tally, placed: list[int]) -> Load:
    """Clients that place orders, whose numbers they add to `placed`, and pay every second one."""
    numbers = itertools.count()

    def load(ended: threading.Event) -> None:
        async def requests(client: Client, _number: int) -> None:
            while not ended.is_set():
                number = next(numbers)
                status, answer = await client.until_settled("POST", "/place", order(number))
                assert status == 204, answer
                if number % 2:
                    paid = {"order_number": f"n-{number:06d}", "status": "paid"}
                    status, answer = await client.until_settled("POST", "/change_status", paid)
                    assert (status, answer and answer["status"]) == (200, "paid"), answer
                placed.append(number)

        run_clients(port, CLIENTS, requests, tally)

    return load


def check_orders(url: str, placed: list[int]) -> None:
    """Each order is there once, in the rows of its number, its seller, its buyer and its status."""
    with closing(connect(url)) as connection:
        repository = OrderRepository(connection)
        repository.upkeep.recover(0)
        assert [finding for finding in repository.upkeep.verify() if not finding.is_harmless] == []
        stored = [*repository.numbered("")]
        assert [stored.order_number for stored in stored] == [f"n-{number:06d}" for number in sorted(placed)]
        assert all(stored.status == ("paid" if stored.amount % 2 else "placed") for stored in stored)
        assert sum(1 for seller in range(7) for _ in repository.of_seller(f"s-{seller}")) == len(placed)


def check_answers(tally: Tally) -> None:
    assert not tally.statuses[500], tally
    assert {*tally.statuses} <= {200, 204, 409, 503, 504}, tally


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


def troubled(hbase: HBase, framework: str, design: str, url: str, load_of: Callable[[int, Tally], Load]) -> Tally:
    """Clients of a service whose processes and gateways are killed in turns, and whose gateway stops for a while."""
    tally = Tally()
    kill = kill_a_worker if framework == "flask" else kill_all
    with service(framework, design, SERVED[framework], STORE_URL=url, DEADLINE_MS="1000") as started:
        events = [kill(started), partial(restart_gateways, hbase), kill(started), partial(stop_for_a_while, hbase)]
        tally.troubles = TURNS * len(events)
        in_trouble(load_of(started.port, tally), in_turns(*events), tally.troubles, EVERY_S)
    check_answers(tally)
    return tally


def killed_orders(hbase: HBase, framework: str) -> Tally:
    """Places and pays orders while processes and gateways are killed, then checks every row; what the clients got."""
    url = f"{hbase.url}&table_prefix=killed_{framework}"
    with closing(connect(url)) as connection:
        create_tables(connection, ORDERS)
    placed: list[int] = []
    tally = troubled(hbase, framework, "orders", url, partial(place_and_pay, placed=placed))
    check_orders(url, placed)
    return tally


def killed_bookings(hbase: HBase, framework: str) -> Tally:
    """Books rooms that others want too; then each room has the bookings that were confirmed, and no night twice."""
    url = f"{hbase.url}&table_prefix=killed_{framework}"
    with closing(connect(url)) as connection:
        create_tables(connection, ROOMS)
        hotel = Hotel(connection)
        for number in range(ROOMS_OF_INN):
            hotel.open_room("inn", str(number))
    booked: dict[str, set[tuple[Any, ...]]] = {str(number): set() for number in range(ROOMS_OF_INN)}

    def load_of(port: int, tally: Tally) -> Load:
        return lambda ended: run_clients(port, CLIENTS, partial(_book, ended, booked), tally)

    tally = troubled(hbase, framework, "reservations", url, load_of)
    with closing(connect(url)) as connection:
        hotel = Hotel(connection)
        hotel.upkeep.recover(0)
        assert [*hotel.upkeep.verify()] == []
        for number, stays in booked.items():
            room = hotel.room("inn", number)
            assert room is not None
            nights = [night for stay in room.stays for night in range(stay.from_day, stay.until_day)]
            assert len(nights) == len({*nights})
            assert {attrs.astuple(stay) for stay in room.stays} == stays
    return tally


async def _book(
    ended: threading.Event, booked: Mapping[str, set[tuple[Any, ...]]], client: Client, number: int
) -> None:
    """Books random rooms until the event is set, and notes each stay that was confirmed."""
    choose = random.Random(number)
    for booking in itertools.count():
        if ended.is_set():
            return
        day = FIRST_DAY + choose.randrange(NIGHTS)
        stay = Stay(f"b-{number}-{booking}", f"g-{number}", day, day + choose.randint(1, 3))
        room = str(choose.randrange(ROOMS_OF_INN))
        asked = {"hotel": "inn", "number": room, "stay": attrs.asdict(stay)}
        status, answer = await client.until_settled("POST", "/book", asked)
        assert status in (200, 409), answer
        if status == 200:
            booked[room].add(attrs.astuple(stay))


def killed_services(_connection: Any, hbase: HBase) -> dict[str, object]:
    """What the clients of each service got; an error ends it."""
    found: dict[str, object] = {"clients": CLIENTS, "seconds": EVERY_S}
    for design, run in {"orders": killed_orders, "reservations": killed_bookings}.items():
        for framework in SERVED:
            tally = run(hbase, framework)
            statuses = {str(status): number for status, number in sorted(tally.statuses.items())}
            found[f"{design} in {framework}"] = {
                "statuses": statuses,
                "cut": tally.cut,
                "settled": tally.settled,
                "troubles": tally.troubles,
            }
    return found
