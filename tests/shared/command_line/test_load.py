"""`rowbook load` where no transcript can follow: pipes, signals, failing stores, few calls."""

import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import happybase
import pytest
from Hbase_thrift import IOError as HBaseError  # a module that happybase makes

from domains.logs.shown.design import DESIGN as LOGS
from domains.orders import OrderConflict
from domains.orders.shown.design import DESIGN as ORDERS
from domains.tsdb import TsdbRepository
from domains.tsdb.shown.design import DESIGN as TSDB
from shared.command_line.files.load_command import BAD_LINES_AT_START, MOST_OF_A_KIND
from shared.intents import IntentWriter
from shared.stores import connect
from tests.shared.command_line.running import ended

ROOT = Path(__file__).parents[3]
HEADER = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"
LINE = "n-1,s-1,b-1,2026-01-01,lamp,7\n"
HIT = '10.0.0.1 - - [12/Jan/2026:08:07:31 +0000] "GET / HTTP/1.1" 200 12\n'
POINTS = [f"load 135699840{second} {second + 1} host={host}" for second, host in enumerate("aaba")]


@pytest.fixture
def orders_url(new_url, folder):
    """The URL of an empty store for orders, which a.csv has one of."""
    (folder / "a.csv").write_text(HEADER + LINE)
    return new_url(*ORDERS.main.tables)


@pytest.fixture
def logs_url(new_url):
    """The URL of an empty store for logs."""
    return new_url(*LOGS.main.tables)


@pytest.fixture
def points_url(new_url, folder):
    """The URL of an empty store for points, which a.txt has four of."""
    (folder / "a.txt").write_text("".join(f"{line}\n" for line in POINTS))
    return new_url(*TSDB.main.tables)


def values(url):
    """The values of all points of `load`, by time."""
    with closing(connect(url)) as connection:
        series = TsdbRepository(connection).read("load")
    return [int(number) for _time, number in sorted(point for one in series for point in one.values.points())]


# Files that cannot be read


def test_if_the_first_file_cannot_be_read_no_store_is_made(rowbook, folder, stored, new_url):
    url = new_url()
    assert rowbook(f"load orders none.csv --store {url}")[0] == 1
    assert list(folder.iterdir()) == []
    assert stored(url) == {}


def test_a_file_of_which_no_line_can_be_read_ends_with_one_line_also_if_lines_are_skipped(rowbook, folder):
    (folder / "a.csv").write_text(HEADER + "n-1,s-1,b-1,never,lamp,7\n" * 2 * BAD_LINES_AT_START)
    code, _out, err = rowbook("load orders a.csv --on-error skip --store embedded:a.db")
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("a.csv:2: Order.placed_ms: must be a time such as")
    assert err.endswith(f"; none of its first {BAD_LINES_AT_START} lines can be read; 0 records stored before\n")


def test_a_file_whose_lines_can_be_read_after_many_bad_ones_is_loaded(rowbook, folder):
    bad = BAD_LINES_AT_START - 1
    (folder / "a.csv").write_text(HEADER + "bad\n" * bad + LINE + "bad\n" * 2 * bad)
    code, out, err = rowbook("load orders a.csv --on-error skip --store embedded:a.db")
    assert (code, out) == (0, f"a.csv: csv, 1 record stored, {3 * bad} bad lines skipped\n")
    *said, last = err.splitlines()
    assert [int(line.split(":")[1]) for line in said] == [*range(2, MOST_OF_A_KIND + 2)]
    assert last == f"{said[0]}; {3 * bad - MOST_OF_A_KIND:,} more like this are not shown"


# Stores that fail


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OrderConflict("Order.item: no"), "Order.item: no; --on-error skip continues"),
        (HBaseError(b"RegionTooBusyException: busy\n\tat java.lang"), "the store failed: RegionTooBusyException: busy"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_a_record_that_a_domain_or_the_store_refuses_is_named_by_its_line(
    rowbook, monkeypatch, orders_url, error, said
):
    def refuse(*_):
        raise error

    monkeypatch.setattr(IntentWriter, "write", refuse)
    said = f"a.csv:2: {said}; 0 records stored before\n"
    assert rowbook(f"load orders a.csv --store {orders_url}") == (1, "", said)


@pytest.mark.parametrize(
    ("failing_calls", "ended"),
    [
        (1, (0, "a.txt: opentsdb, 4 records stored\n", "")),
        (2, (1, "", "a.txt:1: the store failed: gone; 0 records stored before\n")),
    ],
)
def test_after_a_failed_call_the_records_are_stored_one_by_one_until_another_call_fails(
    rowbook, points_url, monkeypatch, failing_calls, ended
):
    send, failures = happybase.Batch.send, iter(range(failing_calls))

    def fail_at_first(batch):
        if next(failures, None) is not None:
            raise OSError("gone")
        send(batch)

    monkeypatch.setattr(happybase.Batch, "send", fail_at_first)
    assert rowbook(f"load tsdb a.txt --store {points_url}") == ended
    assert values(points_url) == ([] if ended[0] else [1, 2, 3, 4])


# Ctrl-C


def test_ctrl_c_ends_a_load_with_130_and_says_what_was_stored(rowbook, folder, monkeypatch, orders_url):
    def interrupt(self, row, *_revisions):
        if row == b"n-2":
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(IntentWriter, "check_and_put", interrupt)
    (folder / "a.csv").write_text(HEADER + LINE + LINE.replace("n-1", "n-2"))
    said = "interrupted; 0 records stored, and maybe some of the next 2; run the same command to resume\n"
    assert rowbook(f"load orders a.csv --store {orders_url}") == (130, "", said)


def has_more_than_a_batch(url):
    with closing(connect(url)) as connection:
        is_made = b"logs" in connection.tables()
        return is_made and len(list(connection.table("logs").scan(filter=b"KeyOnlyFilter()", limit=1001))) > 1000


@pytest.mark.further
def test_a_load_that_was_interrupted_goes_on_when_started_again(real_process, ok, folder, stored, logs_url):
    lines = 4_000
    times = (f"{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}" for number in range(lines))
    hits = [HIT.replace("08:07:31", text) for text in times]
    (folder / "big.log").write_text("".join(hits))
    process = real_process("load", "logs", "-", "--store", logs_url, stdin=subprocess.PIPE)
    process.stdin.writelines(hits[:2_500])
    process.stdin.flush()
    path = Path(logs_url.removeprefix("embedded:"))
    for _ in range(4000):  # until it waits for more lines; on HBase it has no file
        if (logs_url.startswith("hbase:") or path.exists()) and has_more_than_a_batch(logs_url):
            break
        time.sleep(0.01)
    code, out, err = ended(process, signal.SIGINT)
    assert (code, out) == (130, "")
    reported = int(err.removeprefix("interrupted; ").partition(" records stored")[0])
    there = len(stored(logs_url)["logs"])
    assert 0 < reported < lines
    assert 0 <= there - reported <= 1000  # of the 1,000 records that are stored at once some are not yet counted
    assert ok(f"load logs big.log --store {logs_url}") == f"big.log: combined, {lines} records stored\n"
    assert len(stored(logs_url)["logs"]) == lines


def test_the_unit_in_the_name_of_a_time_may_be_left_out_in_every_option(ok, rowbook, folder):
    (folder / "a.csv").write_text("order_number,seller_id,buyer_id,at,item,amount\nn-1,s-1,b-1,1580976517,lamp,7\n")
    load = "load orders a.csv --store embedded:a.db"
    ok(f"{load} --map placed=at --unit placed=s")
    assert "2020-02-06T08:08:37.000Z" in ok("ask orders order order_number=n-1 --store embedded:a.db")
    assert rowbook(f"{load} --map placed=at --map placed_ms=at") == (2, "", "placed_ms: is given twice\n")
