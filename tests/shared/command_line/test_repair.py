"""`rowbook repair` as a long process: fills a new list while writers are at work, at a limited rate, and is killed."""

import json
import random
import time
from contextlib import ExitStack, closing

import pytest

from domains.orders.keys import BY_BUYER, BY_SELLER, BY_STATUS, ORDERS
from shared.stores import connect
from shared.tables import create_tables
from tests.shared.intents.changing import TABLES, change_orders, numbered
from tests.shared.intents.processes import running, wait_for

STORE = "embedded:orders.db"
REPAIR = f"repair orders --store {STORE} --quiet"


def place_without_the_list_by_buyer(url, orders):
    """Stores orders as their writers would have, before there was a list by buyer."""
    with closing(connect(url)) as connection:
        create_tables(connection, TABLES)
        for table in (ORDERS.layout, BY_SELLER.layout, BY_STATUS.layout):
            with connection.table(table.name).batch(timestamp=1, batch_size=1000) as batch:
                for order in map(numbered, range(orders)):
                    batch.put(table.row(order), table.cells.pack(order))


def lines_and_orders(url):
    """The lines of the list by buyer, and those that the orders want."""
    with closing(connect(url)) as connection:
        lines, orders = (
            [table.record(row, cells) for row, cells in connection.table(table.name).scan()]
            for table in (BY_BUYER.layout, ORDERS.layout)
        )
    return {line.order_number: line for line in lines}, {
        order.order_number: line for order, line in zip(orders, BY_BUYER.shown(orders), strict=True)
    }


@pytest.mark.long
@pytest.mark.parametrize(("writers", "orders", "kills"), [(2, 1_050, 1), (16, 3_000, 8)])
def test_a_new_list_is_filled_while_writers_are_at_work_and_the_repair_is_killed(
    rowbook, real_process, folder, writers, orders, kills
):
    dice = random.Random(seed := random.randrange(1_000_000))
    print(f"seed {seed}")
    place_without_the_list_by_buyer(STORE, orders)
    checkpoint = folder / "orders.checkpoint"
    with ExitStack() as stack:
        for number in range(writers):
            log = folder / f"{number}.log"
            process = stack.enter_context(running(change_orders, STORE, log, dice.random(), range(orders + 50)))
            wait_for(lambda log=log: log.exists() and log.stat().st_size > 500, process)
        for _ in range(kills):
            repair = real_process(*REPAIR.split(), "--checkpoint", str(checkpoint))
            time.sleep(dice.uniform(0.5, 4))
            repair.kill()  # SIGKILL
            repair.communicate()
        last = real_process(*REPAIR.split(), "--checkpoint", str(checkpoint))
        out, err = last.communicate(timeout=1_200)
        print(out, err)
        assert last.returncode == 0, out + err
        assert not checkpoint.exists()
    assert rowbook(f"recover orders --store {STORE} --older-than 0")[0] == 0
    code, said, _ = rowbook(f"verify orders --store {STORE}")
    assert (code, "nothing is wrong" in said) == (0, True)
    lines, wanted = lines_and_orders(STORE)
    assert lines == wanted
    assert len(lines) >= orders


def test_a_rate_limits_the_rows_of_a_second_and_progress_is_printed_without_a_terminal(rowbook, folder, monkeypatch):
    place_without_the_list_by_buyer(STORE, 30)
    waited = []
    monkeypatch.setattr("shared.command_line.operations.upkeep.LINE_EVERY_S", 0)
    monkeypatch.setattr("shared.command_line.operations.upkeep.time.sleep", waited.append)
    code, out, err = rowbook(f"{REPAIR} --rate 1")
    assert (code, out) == (0, "orders: 30 sources and 90 lines compared: 30 missing; 0 left\n")
    assert err.splitlines()[-1] == "orders: 30 sources and 90 lines compared, 30 rows mended so far"
    assert len(waited) >= 30
    assert min(waited) > 0


def test_what_is_mended_is_counted_and_listed_unless_quiet(rowbook, folder):
    for option, listed in (("", 5), ("--quiet", 0)):
        (folder / "orders.db").unlink(missing_ok=True)
        place_without_the_list_by_buyer(STORE, 5)
        repaired = json.loads(rowbook(f"repair orders --store {STORE} --json {option}")[1])
        assert (len(repaired["found"]), repaired["mended"], repaired["left"]) == (listed, 5, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not JSON", "c: must be a checkpoint that rowbook repair has written; name another file"),
        ('{"reached": {"compared orders": 7}}', "c: must be a checkpoint that rowbook repair has written"),
        ('{"name": "feeds", "reached": {}}', "c: is the checkpoint of a repair with another name; name another file"),
        (
            '{"name": "orders", "store": "embedded:orders.db", "tables": ["orders"], "reached": {}}',
            "c: is the checkpoint of a repair with another table;",
        ),
    ],
)
def test_a_file_that_is_not_a_checkpoint_of_this_repair_is_refused_and_kept(rowbook, folder, text, message):
    place_without_the_list_by_buyer(STORE, 1)
    (folder / "c").write_text(text)
    code, out, err = rowbook(f"{REPAIR} --checkpoint c")
    assert (code, out) == (2, "")
    assert message in err
    assert (folder / "c").read_text() == text


@pytest.mark.parametrize("options", ["--discard orphaned", "--restore"])
def test_a_checkpoint_with_other_instructions_is_wrong_usage(rowbook, options):
    code, _, err = rowbook(f"{REPAIR} --checkpoint c {options}")
    assert (code, err.splitlines()[-1][:14]) == (2, "--checkpoint: ")


def test_a_checkpoint_that_cannot_be_written_is_one_line(rowbook, folder):
    place_without_the_list_by_buyer(STORE, 1)
    code, _, err = rowbook(f"{REPAIR} --checkpoint none/c")
    assert (code, err) == (1, "none/c: No such file or directory\n")
