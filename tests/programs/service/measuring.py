"""What a service answers 50 clients, with several numbers of threads, beside the same endpoints by hand."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import count
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import attrs

from domains.orders import Order, OrderRepository
from domains.orders.keys import TABLES
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.hbase.server import HBase
from tests.programs.service.clients import Client, Tally, run_clients
from tests.programs.service.running import GUNICORN, ROOT, UVICORN, Service, service

CLIENTS = 50
ROUNDS = 5
SELLERS, ORDERS_OF_SELLER, PAGE = 50, 40, 20
THREADS = (4, 16, 50)
PROCESSES = 4
REQUESTS = {"order": 20, "page": 20, "placed": 10}
"""The requests of each client in a round, by kind."""
PREFIX = "service"
DEADLINE_MS = "30000"
"""So that a busy machine is slow, and answers none with 504."""


def services(_connection: Any, hbase: HBase) -> dict[str, object]:
    """Answers a second, and the milliseconds in which 99 of 100 come, of each program: medians of rounds in turns."""
    url = f"{hbase.url}&table_prefix={PREFIX}"
    with closing(connect(url)) as connection:
        create_tables(connection, TABLES)
        OrderRepository(connection).place_all(map(order, range(SELLERS * ORDERS_OF_SELLER)))
    measured: dict[str, dict[str, list[tuple[float, float]]]] = {}
    numbers = count(SELLERS * ORDERS_OF_SELLER)
    with ExitStack() as running:
        programs = {name: running.enter_context(of) for name, of in _programs(hbase, url)}
        for turn in range(ROUNDS + 1):
            for name, program in programs.items():
                for kind in REQUESTS:
                    if kind != "placed" or "hand" not in name:
                        result = _round(program.port, kind, numbers)
                        if turn:  # the first one opens sockets
                            measured.setdefault(name, {}).setdefault(kind, []).append(result)
    figures = {
        name: {kind: [median(values) for values in zip(*results, strict=True)] for kind, results in kinds.items()}
        for name, kinds in measured.items()
    }
    return {"clients": CLIENTS, "page": PAGE, "programs": figures}


def order(number: int) -> Order:
    """An order; 40 of each seller."""
    return Order(
        f"n-{number:07d}", f"s-{number % SELLERS}", f"b-{number % 7}", 1_768_176_000_000 + number, "tea", number
    )


def _programs(hbase: HBase, url: str) -> Iterator[tuple[str, Any]]:
    """Each program by its name, as a context in which it runs."""
    by_hand = {"GATEWAY_PORT": str(urlsplit(hbase.url).port), "TABLE_PREFIX": PREFIX}
    for threads in THREADS:
        environment = {
            "STORE_URL": f"{url}&pool_size={3 * threads}",
            "THREADS": str(threads),
            "DEADLINE_MS": DEADLINE_MS,
        }
        yield f"FastAPI, {threads} threads", service("fastapi", "orders", UVICORN, **environment)
        hand = Service(ROOT, UVICORN, by_hand | {"THREADS": str(threads)}, "tests.programs.service.by_hand:app")
        yield f"by hand, {threads} threads", hand.running()
    threads = 16
    environment = {"STORE_URL": f"{url}&pool_size={3 * threads}", "DEADLINE_MS": DEADLINE_MS}
    for workers in (1, PROCESSES):
        command = (*GUNICORN, "--workers", str(workers), "--threads", str(threads))
        yield f"Flask, {workers} x {threads} threads", service("flask", "orders", command, **environment)


def _round(port: int, kind: str, numbers: Iterator[int]) -> tuple[float, float]:
    """Answers a second, and the slowest hundredth in milliseconds."""
    tally = Tally()

    async def ask(client: Client, number: int) -> None:
        for turn in range(REQUESTS[kind]):
            at = (number * REQUESTS[kind] + turn) % (SELLERS * ORDERS_OF_SELLER)
            if kind == "order":
                status, _answer = await client.ask("GET", f"/order?order_number=n-{at:07d}")
            elif kind == "page":
                status, answer = await client.ask("GET", f"/of_seller?seller_id=s-{at % SELLERS}&limit={PAGE}")
                assert len(answer["records"]) == PAGE
            else:
                status, _answer = await client.ask("POST", "/place", attrs.asdict(order(next(numbers))))
            assert status in (200, 204), status

    seconds = run_clients(port, CLIENTS, ask, tally)
    return len(tally.durations_s) / seconds, tally.slowest_hundredth_ms()
