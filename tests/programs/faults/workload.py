"""A run: workers do seeded operations through the proxy, and at the end everything is looked at once more."""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from attrs import frozen

from tests.programs.faults import reads, writes
from tests.programs.faults.clients import client
from tests.programs.faults.gateways import EmbeddedGateway, Gateway
from tests.programs.faults.plans import Kind, Plan
from tests.programs.faults.proxy import Proxy
from tests.programs.faults.rows import SHARED_COUNTER, STILL, long_in, still_cells
from tests.programs.faults.tally import Broken, Tally
from tests.programs.faults.worker import Worker

TIMEOUT_MS = 150

# Of a hundred operations so many each.
OPERATIONS: dict[Callable[[Worker], None], int] = {
    reads.get: 12,
    reads.get_several: 5,
    reads.get_versions: 3,
    reads.get_descriptions: 1,
    reads.get_from_no_family: 2,
    reads.scan: 10,
    reads.scan_and_get: 2,
    reads.scan_all: 2,
    reads.scan_with_state: 4,
    reads.scan_in_part: 2,
    reads.scan_with_nonsense: 1,
    reads.two_scans: 2,
    reads.merged_ranges: 6,
    reads.scan_as_arrays: 6,
    writes.put_dated: 12,
    writes.delete_columns: 4,
    writes.delete_row: 2,
    writes.batch_dated: 6,
    writes.put_now: 6,
    writes.batch_now: 3,
    writes.count: 6,
    writes.count_with_others: 4,
    writes.append: 4,
    writes.check_and_put: 4,
    writes.put_to_no_family: 3,
}


@frozen
class Run:
    """What came of a run."""

    plan: Plan
    tally: Tally
    calls: int
    faults: Counter[Kind]
    seconds: float


def run(
    plan: Plan,
    operations: int,
    *,
    kinds: Mapping[Callable[[Worker], None], int] = OPERATIONS,
    threads: int = 1,
    gateway: Callable[[], Gateway] = EmbeddedGateway,
    timeout_ms: int = TIMEOUT_MS,
) -> Run:
    """So many operations of these kinds, shared out to the threads, under the plan's faults."""
    tally = Tally()
    with closing(gateway()) as behind, Proxy(behind, plan) as proxy:
        with behind.direct().table(behind.table).batch(timestamp=1) as batch:
            for row in STILL:
                batch.put(row, still_cells(row))
        faulty = client(proxy.host, proxy.port, timeout_ms)
        workers = [
            Worker(number, faulty, behind.direct().table(behind.table), proxy, tally, timeout_ms / 1000)
            for number in range(threads)
        ]
        began_s = time.perf_counter()
        _work(workers, operations, kinds)
        seconds = time.perf_counter() - began_s
        proxy.clients_leave()
        faulty.close()
        proxy.settle()
        for worker in workers:
            _look_again(worker)
        _look_at_shared_counter(workers[0])
        _look_at_sockets(proxy, tally)
        return Run(plan, tally, proxy.calls, proxy.faults, seconds)


def _work(workers: list[Worker], operations: int, kinds: Mapping[Callable[[Worker], None], int]) -> None:
    def work(worker: Worker) -> None:
        for serial in range(worker.number, operations, len(workers)):
            worker.begin(serial)
            (operation,) = worker.dice.choices(list(kinds), list(kinds.values()))
            operation(worker)

    with ThreadPoolExecutor(len(workers)) as threads:
        list(threads.map(work, workers))


def _look_again(worker: Worker) -> None:
    """Whether every own row still is what it was after the last operation on it."""
    stored = worker.stored(dict.fromkeys(worker.own.all))
    for row, cells in stored.items():
        if cells != worker.believed.get(row, {}):
            worker.note(Broken.WRONG_STATE, f"in the end {row!r} is {cells!r} instead of {worker.believed.get(row)!r}")


def _look_at_shared_counter(worker: Worker) -> None:
    value = long_in(worker.direct.row(SHARED_COUNTER))
    least, most = worker.tally.shared_least, worker.tally.shared_most
    if not least <= value <= most:
        broken = Broken.FALSE_SUCCESS if value < least else Broken.WRONG_STATE
        worker.note(broken, f"the shared counter is {value} instead of {least}..{most}")


def _look_at_sockets(proxy: Proxy, tally: Tally) -> None:
    """Whether those were closed that should be, and no others; but for clients that were slow and gave up."""
    if proxy.dropped > tally.timeouts:
        tally.note(Broken.DROPPED, f"{proxy.dropped} of {proxy.connections} connections", proxy.dropped)
    if proxy.kept:
        tally.note(Broken.KEPT, f"for {proxy.kept} of {proxy.calls} calls", proxy.kept)


def new_seed() -> int:
    """One that nobody chose."""
    return secrets.randbelow(1_000_000)
