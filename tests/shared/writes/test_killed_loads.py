"""`rowbook load` of orders, killed again and again: recovered and loaded once more, it is one clean load."""

import csv
import random
import sys
import time
from contextlib import closing

import pytest

from domains.command_line.main import main
from domains.orders import OrderRepository
from fixtures.orders.make_samples import SAMPLES
from shared.stores import connect
from shared.tables import create_tables
from tests.shared.writes.changing import DERIVED, ORDERS, TABLES, differences
from tests.shared.writes.processes import kill_at_random, running, wait_for


def load(url, file, begun):
    """A process that loads a file as the command line does."""
    begun.touch()
    sys.argv = ["rowbook", "load", "orders", str(file), "--store", url, "--plain"]
    sys.stdout = sys.stderr = (begun.parent / "output").open("w")
    main()


def stored(url):
    """The orders, and the cells of their lists."""
    with closing(connect(url)) as connection:
        orders = [ORDERS.record(row, cells) for row, cells in connection.table(ORDERS.name).scan()]
        return orders, [list(connection.table(table.name).scan()) for table in DERIVED]


@pytest.mark.parametrize(
    ("times", "kills"), [(1, 2), pytest.param(16, 6, marks=pytest.mark.long)], ids=["quick", "whole"]
)
def test_a_load_that_was_killed_and_loaded_again_is_one_clean_load(tmp_path, capsys, times, kills):
    file, clean, killed = tmp_path / "orders.csv", f"embedded:{tmp_path / 'a.db'}", f"embedded:{tmp_path / 'b.db'}"
    lines = SAMPLES["orders"](times)
    with file.open("w", encoding="utf-8", newline="") as rows:
        writer = csv.DictWriter(rows, lines[0].keys())
        writer.writeheader()
        writer.writerows(lines)
    whole_s = finish(clean, file, tmp_path)
    seed = random.randrange(1_000_000)
    dice = random.Random(seed)
    partial_loads = settled = 0
    for number in range(kills):
        begun = tmp_path / f"begun-{number}"
        with running(load, killed, file, begun) as process:
            wait_for(begun.exists, process)
            partial_loads += kill_at_random(process, dice, whole_s)
        with closing(connect(killed)) as connection:
            create_tables(connection, TABLES)  # if it was killed before
            recovered = OrderRepository(connection).writer.recover(older_than_ms=0)
            assert recovered.failed == ()
            settled += recovered.settled
            assert differences(connection, OrderRepository(connection).writer, DERIVED) == []
    finish(killed, file, tmp_path)
    assert stored(killed) == stored(clean)
    assert len(stored(killed)[0]) == len(lines)
    with capsys.disabled():
        print(f"\nseed {seed}: {len(lines)} lines, {partial_loads} loads killed, {settled} writes settled")


def finish(url, file, folder):
    """Loads a file to its end; returns how many seconds it took."""
    begun = folder / f"begun-{url[-4:]}"
    with running(load, url, file, begun) as process:
        wait_for(begun.exists, process)
        began_s = time.monotonic()
        process.join(300)
        assert process.exitcode == 0, (folder / "output").read_text()
    return time.monotonic() - began_s
