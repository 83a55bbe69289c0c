"""Killed writers: what was acknowledged is there, and nothing is there by half."""

import random
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from shared.stores import StoreError, connect
from tests.shared.stores.processes import Process

COLUMNS = [b"d:%d" % number for number in range(4)]
ROWS = [b"row-%03d" % number for number in range(120)]

# What the store holds: the number of the batch that wrote each row last, and the counter.
Contents = tuple[dict[bytes, bytes], int]


def batch_of(seed: int, number: int) -> tuple[list[bytes], list[bytes], int]:
    """The rows that a batch puts, the rows that it deletes, and the bytes that it adds to each value."""
    rng = random.Random(f"{seed} {number}")
    rows = rng.sample(ROWS, rng.choice([1, 2, 10, 60, 100]))
    deletes = rows[: len(rows) // 5]
    return rows[len(deletes) :], deletes, rng.choice([0, 0, 50, 2000, 10_000])


def load(path: Path, seed: int, number: int, report: Callable[[int], None]) -> None:
    """Batches from `number` on, without end, each followed by a counter; reports each write that has returned."""
    connection = connect(f"embedded:{path}")
    if b"t" not in connection.tables():
        connection.create_table("t", {"d": {"max_versions": 1}})
    table = connection.table("t")
    while True:
        if number % 2 == 0:
            puts, deletes, padding = batch_of(seed, number)
            # The clock may stand still between two batches; a delete would then hide the next put.
            with table.batch(timestamp=number + 1) as batch:
                for row in puts:
                    batch.put(row, {column: b"%d " % number + bytes(padding) for column in COLUMNS})
                for row in deletes:
                    batch.delete(row)
        else:
            table.counter_inc(b"counter", b"d:n")
        report(number)
        number += 1


def after(contents: Contents, seed: int, number: int) -> Contents:
    """What one more write makes of the contents."""
    rows, counter = contents
    if number % 2:
        return rows, counter + 1
    puts, deletes, _ = batch_of(seed, number)
    kept = {row: written for row, written in rows.items() if row not in deletes}
    return kept | dict.fromkeys(puts, b"%d" % number), counter


def stored(path: Path) -> Contents:
    """The contents of a store; every row must be whole."""
    connection = connect(f"embedded:{path}")
    rows, counter = {}, 0
    if b"t" in connection.tables():
        table = connection.table("t")
        counter = table.counter_get(b"counter", b"d:n")
        for row, cells in table.scan(row_start=b"row", batch_size=50):
            assert sorted(cells) == COLUMNS
            assert len(set(cells.values())) == 1
            rows[row] = cells[b"d:0"].split()[0]
        connection.client.service.engine.check()
    connection.close()
    return rows, counter


def kill_and_compare(folder: Path, kills: int, seed: int) -> int:
    """Kills a load at random moments, each time that it is started again; every fifth time on a new store.

    Gives the number of batches that were acknowledged.
    """
    rng = random.Random(seed)
    batches = 0
    for kill in range(kills):
        if kill % 5 == 0:
            path, number, contents = folder / f"{kill}.db", 0, ({}, 0)
        writer = Process(lambda report: load(path, seed, number, report))  # noqa: B023 - runs at once
        reports = writer.reports()
        begun = [next(reports), next(reports)] if kill % 2 else []  # otherwise perhaps before its first batch
        time.sleep(rng.choice([0.02, 0.1, 0.3]) * rng.random())
        writer.kill()
        for acknowledged in chain(begun, reports):
            assert acknowledged == number
            contents = after(contents, seed, number)
            batches += number % 2 == 0
            number += 1
        assert writer.wait() == -9
        present = stored(path)
        if present != contents:  # the write on its way may be there too, and whole
            contents = after(contents, seed, number)
            number += 1
        assert present == contents, f"kill {kill} of seed {seed}"
    return batches


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.long)])
def test_killed_loads_lose_no_acknowledged_write_and_leave_no_half_batch(tmp_path, kills):
    assert kill_and_compare(tmp_path, kills, seed=random.randrange(10**6)) >= kills // 2


def test_several_processes_open_a_store_at_once_after_its_writer_was_killed(tmp_path):
    path = tmp_path / "store.db"
    writer = Process(lambda report: load(path, 1, 0, report))
    reports = writer.reports()
    while next(reports) < 50:
        pass
    writer.kill()
    last = max([50, *reports])

    def open_and_add(report: Callable[[float], None]) -> None:
        begin = time.monotonic()
        table = connect(f"embedded:{path}").table("t")
        value = table.counter_get(b"counter", b"d:n")
        table.put(b"other", {b"d:0": b"1"})
        report([value, time.monotonic() - begin])

    openers = [Process(open_and_add) for _ in range(8)]
    results = [result for opener in openers for result in opener.reports()]
    assert [opener.wait() for opener in openers] == [0] * 8
    writer.wait()
    assert {value for value, _ in results} <= {(last + 1) // 2, (last + 2) // 2}
    assert max(wait_s for _, wait_s in results) < 10


def test_a_store_whose_creation_was_killed_is_a_store_or_empty(tmp_path):
    for kill in range(6):
        path = tmp_path / f"{kill}.db"
        writer = Process(lambda report: connect(f"embedded:{path}").create_table("t", {"d": {}}))  # noqa: B023
        time.sleep(0.003 * kill)
        writer.kill()
        writer.wait()
        try:
            assert connect(f"embedded:{path}").tables() in ([], [b"t"])
        except StoreError as error:
            raise AssertionError(f"killed after {3 * kill} ms") from error
