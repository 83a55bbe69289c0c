"""Killed writers: what was acknowledged is there, and nothing is there by half."""

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.stores import StoreError, connect
from tests.shared.stores.embedded.batches import batches_in, store_batch
from tests.shared.stores.processes import Process


def load(path: Path, number: int, report: Callable[[int], None]) -> None:
    """Batches from `number` on, without end, each followed by an increment; reports each after both have returned."""
    connection = connect(f"embedded:{path}")
    if b"t" not in connection.tables():
        connection.create_table("t", {"d": {"max_versions": 1}})
    table = connection.table("t")
    while True:
        store_batch(table, number)
        table.counter_inc(b"counter", b"d:n")
        report(number)
        number += 1


@pytest.mark.parametrize("kills", [4, pytest.param(200, marks=pytest.mark.long)])
def test_killed_loads_lose_no_acknowledged_write_and_leave_no_half_batch_also_to_several_who_open_at_once(
    tmp_path, kills
):
    dice, acknowledged = random.Random(), 0
    for kill in range(kills):
        if kill % 5 == 0:
            path, number, count = tmp_path / f"{kill}.db", 0, 0
        writer = Process(lambda report: load(path, number, report))  # noqa: B023 - runs at once
        reports = writer.reports()
        begun = [next(reports), next(reports)] if kill % 2 else []  # otherwise perhaps before its first batch
        time.sleep(dice.choice([0.02, 0.1, 0.3]) * dice.random())
        writer.kill()
        reported = [*begun, *reports]
        assert reported == [*range(number, number + len(reported))]
        assert writer.wait() == -9
        acknowledged += len(reported)
        openers = [Process(lambda report: report(batches_in(path))) for _ in range(3)]  # noqa: B023 - runs at once
        stored = {batches for opener in openers for batches in opener.reports()}
        assert [opener.wait() for opener in openers] == [0] * 3
        before, number = number, batches_in(path)
        assert stored == {number}
        assert number - before - len(reported) in (0, 1)
        if number:
            counted, count = count, connect(f"embedded:{path}").table("t").counter_get(b"counter", b"d:n")
            assert count - counted - len(reported) in (0, 1)
    assert acknowledged >= kills // 2


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
