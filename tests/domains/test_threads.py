"""What every docstring says of threads: any number may share a repository on a connection of `connect`."""

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import happybase
import pytest

from domains.tsdb import TABLES, TsdbRepository
from domains.tsdb.keys import METRICS, UIDS
from shared.designs import Design, load_samples
from shared.stores import connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.server import ThriftServer
from shared.tables import create_tables
from shared.testing.contracts import answer
from shared.writes import Dictionary, WriterClock
from tests.designs import all_designs, design_named
from tests.few_designs import few_of

THREADS = 8
IN_ORDER = ("changes", "documents", "profiles", "sessions")
"""Designs whose samples are stored in order: late changes and sessions are refused, and the last profile counts."""
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _many_switches() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Python switches between threads thousands of times as often as it does otherwise."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(before / 5000)
    yield
    sys.setswitchinterval(before)


def store_together(design: Design, repository: Any) -> None:
    """Stores the samples, load after load, the records of each by all threads at once."""
    for load in design.loads:
        with ThreadPoolExecutor(1 if design.name in IN_ORDER else THREADS) as threads:
            storing = [threads.submit(load.store_in, repository, record) for record in load.sample_records()]
        assert [error for stored in storing if (error := stored.exception())] == []


def in_any_order(answers: list[Any]) -> list[Any]:
    """Answers whose records are sorted, floats rounded: `tsdb` reads and adds series as their names got numbers."""

    def rounded(record: Any) -> str:
        return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.9g}", repr(record))

    return [sorted(map(rounded, answered)) if isinstance(answered, list) else answered for answered in answers]


def answers(design: Design, repository: Any) -> list[Any]:
    """The answers to all questions with their sample arguments."""
    return [answer(pattern, repository, pattern.sample, pattern.limit) for pattern in design.patterns]


@pytest.mark.parametrize("design", few_of(all_designs(), lambda design: design.name))
def test_eight_threads_store_by_one_repository_and_ask_it(design: Design) -> None:
    check_threads(design, connect("embedded:"))


def test_eight_threads_share_a_connection_to_a_gateway() -> None:
    store, orders = EmbeddedConnection(None), design_named("orders")
    create_tables(store, orders.main.tables)
    with ThriftServer(store.service) as server:
        check_threads(orders, connect(f"hbase://{server.address}"))


def check_threads(design: Design, store: happybase.Connection) -> None:
    """Compares what eight threads stored and read with what one thread does."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, design.main.tables)
        alone = answers(design, load_samples(connection, design, design.main))
    with closing(store), ThreadPoolExecutor(THREADS) as threads:
        create_tables(store, design.main.tables)
        repository = design.main.open(store)
        store_together(design, repository)
        together = [threads.submit(answers, design, repository) for _ in range(THREADS)]
        first, *others = (asking.result() for asking in together)
        assert in_any_order(first) == in_any_order(alone)
        assert others == [first] * (THREADS - 1)


class FixedClock(WriterClock):
    """A clock that stands still while points are stored."""

    def read_ms(self) -> int:
        """The first millisecond of 2026."""
        return 1_767_225_600_000


class SlowTimes(list[int]):
    """Times of points. A thread that reads them sets one event, and waits for another one, for a second at most."""

    def __init__(self, times: list[int], are_read: Event, awaited: Event) -> None:
        super().__init__(times)
        self._are_read, self._awaited = are_read, awaited

    def __iter__(self) -> Iterator[int]:
        """The times, after the wait."""
        self._are_read.set()
        self._awaited.wait(1)
        return super().__iter__()


def test_two_values_of_a_point_get_two_timestamps_even_if_one_thread_overtakes_another() -> None:
    with closing(connect("embedded:")) as connection, ThreadPoolExecutor(2) as threads:
        create_tables(connection, TABLES)
        repository = TsdbRepository(connection, clock=FixedClock())
        are_read, is_dated = Event(), Event()
        # The first thread has chosen its timestamp and stands still before it has noted which points have it.
        slow = threads.submit(repository._write_ms, {b"row": SlowTimes([0], are_read, is_dated)})
        assert are_read.wait(10)
        fast = threads.submit(repository._write_ms, {b"row": [0]})
        fast.add_done_callback(lambda _: is_dated.set())
        assert slow.result() != fast.result()


def test_eight_threads_share_a_dictionary_whose_memory_is_full() -> None:
    with closing(connect("embedded:")) as connection, ThreadPoolExecutor(THREADS) as threads:
        create_tables(connection, TABLES)
        dictionary = Dictionary(connection, UIDS.name, METRICS, 3, cached=2)
        ids = {name: dictionary.assign(name) for name in map(str, range(100))}
        asking = [threads.submit(dictionary.ids_of, ids) for _ in range(500)]
        assert [asked.result() for asked in asking] == [ids] * len(asking)


SENTENCE = "Threads may share it on a connection of `connect`; on happybase's own, one thread at a time may use it."
OTHER_WORDS = re.compile(r"serves\s+one\s+thread|\bper\s+thread\b")


def test_every_docstring_about_threads_says_the_same() -> None:
    files = [path for folder in ("shared", "domains") for path in (ROOT / folder).rglob("*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    assert [path for path, text in texts.items() if OTHER_WORDS.search(text)] == []
    repositories = [path for path in texts if path.name == "repository.py"]
    assert [path for path in repositories if SENTENCE not in texts[path]] == []
