"""Gets from a region while another one is busy, on the same region server and on another one."""

import threading
from collections import Counter
from contextlib import closing
from functools import partial
from itertools import count
from statistics import median, quantiles
from typing import Any

from shared.stores import connect
from tests.programs.hbase.recording import times_in_turns
from tests.programs.hbase.server import HBase

TABLE = "regions"
REGIONS = 12
ROWS = 20_000
CLIENTS = 16
GETS = 400
FILTER = b"SingleColumnValueFilter('f', 'v', =, 'binary:none')"
"""It drops every row, so that a scan of the hot region keeps the server busy and returns nothing."""


def _row(region: int, number: int) -> bytes:
    return bytes([region]) + b"%06d" % number


def hot_region(connection: Any, hbase: HBase) -> dict[str, object]:
    """Median and 95th percentile of gets in milliseconds: on the server of the hot region, and on another one."""
    points = [bytes([region]) for region in range(1, REGIONS)]
    with connection.beyond_thrift1() as gateway:
        gateway.create_split_table(TABLE, {"f": {}}, points)
    table = connection.table(TABLE)
    places = [(region["server_name"], region["port"]) for region in table.regions()]
    (busy, _count), *_others = Counter(places).most_common()
    hot, cold, *_rest = [number for number, place in enumerate(places) if place == busy]
    elsewhere = next(number for number, place in enumerate(places) if place != busy)
    with table.batch(batch_size=2_000) as batch:
        for number in range(ROWS):
            batch.put(_row(hot, number), {b"f:v": b"value"})
        for region in (cold, elsewhere):
            for number in range(100):
                batch.put(_row(region, number), {b"f:v": b"value"})

    numbers = count()
    gets = {
        name: lambda region=region: table.row(_row(region, next(numbers) % 100))
        for name, region in (("same", cold), ("other", elsewhere))
    }
    measured = partial(times_in_turns, gets, GETS)
    measured()  # the first calls of a server are slow
    idle = measured()
    stopping = threading.Event()
    scanned = Counter[str]()

    def scan_again_and_again() -> None:
        with closing(connect(f"{hbase.url}&timeout_ms=120000")) as own:
            while not stopping.is_set():
                assert not list(own.table(TABLE).scan(row_prefix=bytes([hot]), filter=FILTER))
                scanned["scans"] += 1

    clients = [threading.Thread(target=scan_again_and_again) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        hot_times = measured()
    finally:
        stopping.set()
        for client in clients:
            client.join()
    connection.delete_table(TABLE, disable=True)
    rows = [
        {"server": name, "load": load, "median_ms": round(median(times), 2), "p95_ms": round(_p95(times), 2)}
        for load, both in (("idle", idle), ("hot", hot_times))
        for name, times in both.items()
    ]
    return {"clients": CLIENTS, "rows": ROWS, "gets": GETS, "times": rows, "scans": scanned["scans"]}


def _p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]
