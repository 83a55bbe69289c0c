"""The command line as a user meets it: what it prints, where, and how it ends."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import happybase
import pytest
from Hbase_thrift import IOError as HBaseError  # a module that happybase makes

from domains import cli
from domains.orders import TABLES, OrderConflict, OrderRepository
from shared.cells import InvalidRecord
from shared.keys import InvalidKey
from shared.loading import FORMATS
from shared.stores import connect
from shared.tables import create_tables

ROOT = Path(__file__).parents[2]
ORDERS = ROOT / "fixtures" / "orders" / "orders.csv"
QUIRKS = ROOT / "fixtures" / "orders" / "quirks.csv"
REAL = ROOT.parent / "shared" / "data" / "orders" / "punks_sales_first5000.csv"
MAP = (
    "--map order_number=tx --map seller_id=from --map buyer_id=to --map placed_ms=timestamp --map item=id "
    "--map 'amount=price (in wei)'"
)
HEADER = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"
LINE = "n-1,s-1,b-1,2026-01-01,lamp,7\n"
KEY = "73 2d 31 37 00 01  7f ff fe 8f e6 74 d0 77  6e 2d 34 32 00 01"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Commands run in an empty folder, away from the terminal of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def rowbook(capsys, monkeypatch):
    """Runs a command line; returns exit code, stdout and stderr."""

    def run(line):
        monkeypatch.setattr(sys, "argv", ["rowbook", *shlex.split(line)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsys.readouterr()
        return end.value.code or 0, out, err

    return run


@pytest.fixture
def ok(rowbook):
    """Runs a command that must end well and say nothing on stderr; returns what it prints."""

    def run(line):
        code, out, err = rowbook(line)
        assert (code, err) == (0, "")
        return out

    return run


@pytest.fixture
def kept(monkeypatch):
    """A store in memory that lasts over several commands; loading 5,000 sales into a file takes too long here."""
    connection = connect("embedded:")
    close = connection.close
    monkeypatch.setattr(connection, "close", lambda: None)
    monkeypatch.setattr(cli, "connect", lambda _url, table_prefix=None: connection)
    yield connection
    close()


def dump(connection: happybase.Connection):
    """All cells of all tables, with timestamps."""
    names = connection.tables()
    return {name: list(connection.table(name).scan(include_timestamp=True)) for name in names}


def stored(url):
    connection = connect(url)
    try:
        return dump(connection)
    finally:
        connection.close()


def real_process(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", "from domains.cli import main; main()", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **options},
    )


# list, help


def test_list_shows_each_design_with_its_question_and_its_keys(ok):
    assert ok("list").splitlines() == [
        "orders: How do seller, buyer and order number each find an order with one read?",
        "  orders            [order_number]",
        "  orders_by_seller  [seller_id][placed_ms descending][order_number]",
        "  orders_by_buyer   [buyer_id][placed_ms descending][order_number]",
    ]


@pytest.mark.parametrize("line", ["", "--help"])
def test_help_names_the_commands(ok, line):
    out = ok(line)
    assert [name for name in ("list", "run", "load", "ask", "explain") if f"\n  {name} " not in out] == []


def test_the_format_option_knows_every_format(ok):
    out = " ".join(ok("load --help").split())
    assert " or ".join(["auto", *FORMATS]) in out


# run


def test_run_shows_rows_of_every_table_and_what_each_question_costs(ok):
    out = ok("run")
    assert "\ntable orders_by_seller: one line of a seller's list\n" in out
    assert (
        """
  row    seller_id  placed_ms                 order_number
         1          2026-01-28T09:49:47.280Z  n-316
         31 00 01   7f ff fe 63 fb fd ac 6f   6e 2d 33 31 36 00 01
  cells  item  amount  status
         茶    1250    paid
         o:i   o:a     o:st
"""
        in out
    )
    table = out[out.index("What each question costs") :].splitlines()
    assert table[1].split("  ")[0] == "question"
    for pattern, line in zip(cli.ORDERS.patterns, table[2:], strict=True):
        assert line.startswith(pattern.question)
        assert pattern.words in line


def test_run_in_memory_is_the_same_for_a_named_design(ok):
    assert ok("run orders") == ok("run") == ok("run orders orders")


def test_run_on_a_store_of_the_user_drops_its_tables_and_touches_no_others(ok):
    ok(f"load orders {ORDERS} --store embedded:mine.db")
    before = stored("embedded:mine.db")
    memory, file = ok("run"), ok("run --store embedded:mine.db")
    assert memory == file
    assert stored("embedded:mine.db") == before


def test_run_keeps_its_tables_if_told_to_and_says_which(ok):
    out = ok("run --store embedded:a.db --keep")
    names = ["rowbook_demo_orders", "rowbook_demo_orders_by_buyer", "rowbook_demo_orders_by_seller"]
    assert [name.decode() for name in stored("embedded:a.db")] == names
    assert all(name in out.splitlines()[-1] for name in names)
    ok("run --store embedded:a.db")
    assert stored("embedded:a.db") == {}


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (InvalidRecord("a row"), 1), (HBaseError(b"gone\n\tat java"), 1)]
)
def test_run_drops_its_tables_also_when_it_fails(rowbook, monkeypatch, error, code):
    def fail(*_):
        raise error

    monkeypatch.setattr(cli, "measure", fail)
    ended, _out, err = rowbook("run --store embedded:a.db")
    assert (ended, err.count("\n")) == (code, 0 if code == 130 else 1)
    assert stored("embedded:a.db") == {}


def test_an_error_of_ours_is_not_hidden(monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "measure", fail)
    monkeypatch.setattr(sys, "argv", ["rowbook", "run"])
    with pytest.raises(ZeroDivisionError):
        cli.main()


# load


def test_load_reads_a_real_export_with_its_own_columns(ok):
    out = ok(f"load orders {QUIRKS} {MAP} --store embedded:punks.db")
    assert out == f"{QUIRKS}: csv, 12 records stored\n"
    rows = stored("embedded:punks.db")
    assert [len(found) for found in rows.values()] == [12, 12, 12]


def test_loading_again_changes_nothing(ok):
    ok(f"load orders {QUIRKS} {MAP} --store embedded:punks.db")
    once = stored("embedded:punks.db")
    ok(f"load orders {QUIRKS} {MAP} --store embedded:punks.db")
    assert stored("embedded:punks.db") == once


@pytest.mark.skipif(not REAL.exists(), reason="the real sales are not on this machine")
def test_five_thousand_real_sales_load_twice_into_the_same_cells(ok, kept):
    assert ok(f"load orders {REAL} {MAP} --store hbase://kept").endswith("csv, 5000 records stored\n")
    once = dump(kept)
    assert [len(rows) for rows in once.values()] == [5000, 5000, 5000]
    ok(f"load orders {REAL} {MAP} --store hbase://kept")
    assert dump(kept) == once
    seller = "0xc352b534e8b987e036a93539fd6897f53488e56a"
    whole = json.loads(ok(f"ask orders of-seller seller_id={seller} --limit 5000 --json --store hbase://kept"))
    with REAL.open(encoding="utf-8") as file:
        assert len(whole["records"]) == sum(line.split(", ")[4] == seller for line in file)


def test_load_tells_the_format_of_each_file(ok, folder):
    (folder / "a.csv").write_text(HEADER + LINE)
    columns = HEADER.strip().split(",")
    (folder / "b").write_text(json.dumps(dict(zip(columns, ["n-2", "s-1", "b-1", 0, "mug", 10**21], strict=True))))
    assert ok("load orders a.csv b --store embedded:a.db").splitlines() == [
        "a.csv: csv, 1 record stored",
        "b: jsonl, 1 record stored",
    ]


def test_load_into_memory_says_that_nothing_stays(ok):
    assert "ends with this command" in ok(f"load orders {ORDERS} --store embedded:")


BAD = {
    "n-2,s-1,b-1,2026-01-01,lamp,12x": "Order.amount: must be an int (got '12x')",
    "n-2,s-1,b-1,2026-01-01": "must have 6 fields, as the header (got 4)",
    ",s-1,b-1,2026-01-01,lamp,1": "Order.order_number: must be text, not empty (got '')",
    "n-2,s-1,b-1,-1,lamp,1": "Order.placed_ms: must be 0..253402300799999 (got -1)",
    "n-1,s-2,b-1,2026-01-01,lamp,7": "Order.seller_id: order 'n-1' is stored with 's-1' (got 's-2')",
    f"n-2,{'s' * 32_760},b-1,0,lamp,1": "OrderBySeller: a row key has 1..32767 bytes (got 32775)",
}


@pytest.mark.parametrize(("line", "reason"), BAD.items(), ids=BAD.values())
def test_a_bad_line_stops_the_load_and_says_what_was_stored(rowbook, folder, line, reason):
    (folder / "a.csv").write_text(HEADER + LINE + line + "\n" + LINE)
    code, out, err = rowbook("load orders a.csv --store embedded:a.db")
    assert (code, out) == (1, "")
    assert err == f"a.csv:3: {reason}; --on-error skip goes on; 1 record stored before\n"


def test_bad_lines_are_skipped_if_told_to_each_with_its_reason(rowbook, folder):
    (folder / "a.csv").write_text(HEADER + LINE + "".join(f"{line}\n" for line in BAD) + LINE)
    code, out, err = rowbook("load orders a.csv --store embedded:a.db --on-error skip")
    assert (code, out) == (0, "a.csv: csv, 2 records stored, 6 bad lines skipped\n")
    assert err.splitlines() == [f"a.csv:{number}: {reason}" for number, reason in enumerate(BAD.values(), start=3)]


def test_a_second_file_that_cannot_be_read_says_what_was_stored(rowbook, folder):
    (folder / "a.csv").write_text(HEADER + LINE)
    code, _out, err = rowbook("load orders a.csv none.csv --store embedded:a.db")
    assert (code, err) == (1, "none.csv: No such file or directory; 1 record stored before\n")


def test_a_first_file_that_cannot_be_read_leaves_no_store_behind(rowbook, folder):
    rowbook("load orders none.csv --store embedded:a.db")
    assert list(folder.iterdir()) == []


def test_a_store_that_fails_within_a_load_is_reported_with_the_line(rowbook, folder, monkeypatch):
    def fail(*_):
        raise HBaseError(b"org.apache.hadoop.hbase.RegionTooBusyException: busy\n\tat java.lang")

    monkeypatch.setattr(OrderRepository, "_put", fail)
    (folder / "a.csv").write_text(HEADER + LINE)
    code, _out, err = rowbook("load orders a.csv --store embedded:a.db")
    busy = "org.apache.hadoop.hbase.RegionTooBusyException: busy"
    assert (code, err) == (1, f"a.csv:2: the store failed: {busy}; 0 records stored before\n")


def test_ctrl_c_ends_a_load_with_130_and_says_what_was_stored(rowbook, folder, monkeypatch):
    def interrupt(self, order, written_ms):
        if order.order_number == "n-2":
            raise KeyboardInterrupt

    monkeypatch.setattr(OrderRepository, "_put", interrupt)
    (folder / "a.csv").write_text(HEADER + LINE + LINE.replace("n-1", "n-2"))
    code, out, err = rowbook("load orders a.csv --store embedded:a.db")
    assert (code, out) == (130, "")
    assert err == "interrupted; 1 record stored; load the same files again to go on\n"


def test_ctrl_c_in_a_real_process_ends_it_with_130(folder):
    os.mkfifo(folder / "pipe")
    process = real_process("load", "orders", "pipe", "--store", "embedded:", "--on-error", "skip")
    with (folder / "pipe").open("w") as pipe:
        pipe.write(HEADER + LINE + "bad\n")
        pipe.flush()
        assert process.stderr.readline() == "pipe:3: must have 6 fields, as the header (got 1)\n"
        process.send_signal(signal.SIGINT)  # while it waits for the next line
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert err == "interrupted; 1 record stored; load the same files again to go on\n"


# ask


def test_ask_without_a_question_lists_each_once_with_its_arguments(ok):
    out = ok("ask orders").splitlines()
    assert out[:4] == [
        "rowbook ask orders order order_number=",
        "  an order by its number",
        "rowbook ask orders of-seller seller_id= [since= until= status=]",
        "  a seller's latest orders",
    ]
    listed = json.loads(ok("ask orders --json"))["questions"]
    assert [each["question"] for each in listed] == ["order", "of-seller", "of-buyer"]


def test_an_answer_is_a_table_with_times_and_costs_below(ok):
    assert ok("ask orders of-seller seller_id=s-17 --limit 2").splitlines()[:4] == [
        "order_number  placed_ms                 item  amount  status",
        "n-318         2026-01-28T13:38:58.457Z  desk       0  shipped",
        "n-315         2026-01-28T06:27:16.290Z  lamp       0  shipped",
        "2 records; 3 rows read, 3 RPCs",
    ]


def test_the_next_page_is_the_command_that_is_printed(ok):
    line = "ask orders of-seller seller_id=s-17 status=placed --limit 15"
    whole = json.loads(ok("ask orders of-seller seller_id=s-17 status=placed --json"))["records"]
    found = []
    for _ in range(len(whole) + 1):
        found += json.loads(ok(f"{line} --json"))["records"]
        last = ok(line).splitlines()[-1]
        if not last.startswith("next page: rowbook "):
            break
        line = last.removeprefix("next page: rowbook ")
    assert found == whole
    assert len(whole) > 30


def test_rows_read_are_told_beside_rows_returned(ok):
    assert ok("ask orders of-seller seller_id=s-17 status=cancelled").splitlines()[-1].startswith("6 records; 144 rows")


def test_json_is_one_object_with_records_cursor_and_rows_read(ok):
    answer = json.loads(ok("ask orders order order_number=n-42 --json"))
    assert answer == {
        "records": [
            {
                "order_number": "n-42",
                "seller_id": "s-17",
                "buyer_id": "b-28",
                "placed_ms": 1767542528584,
                "item": "chair",
                "amount": 0,
                "status": "paid",
            }
        ],
        "cursor": None,
        "rows_read": 1,
    }
    assert json.loads(ok("ask orders of-seller seller_id=s-17 --limit 1 --json"))["cursor"]


@pytest.mark.parametrize(
    "since", ["since=2026-01-28T06:27:16.290Z", "since_ms=1769581636290", "'since=2026-01-28 06:27:16.290 UTC'"]
)
def test_times_are_asked_with_or_without_their_unit(ok, since):
    answer = json.loads(ok(f"ask orders of-seller seller_id=s-17 {since} --json"))
    assert [record["order_number"] for record in answer["records"]] == ["n-318", "n-315"]


@pytest.mark.parametrize("line", ["order order_number=none", "of-seller seller_id=none"])
def test_an_empty_answer_says_so_and_ends_with_0(ok, line):
    assert ok(f"ask orders {line}").startswith("nothing found; 0 rows read")
    assert json.loads(ok(f"ask orders {line} --json")) == {"records": [], "cursor": None, "rows_read": 0}


def test_ask_reads_what_load_stored(ok):
    ok(f"load orders {QUIRKS} {MAP} --store embedded:punks.db")
    seller = "0xb83f935bde19842392087216b03876892e4cd7de"
    out = ok(f"ask orders of-seller seller_id={seller} --store embedded:punks.db --limit 3")
    assert "1000000000000000008" in out
    assert "--store embedded:punks.db --limit 3 --cursor=" in out.splitlines()[-1]


def test_a_damaged_row_is_an_error_with_its_table_and_row(rowbook, ok):
    ok(f"load orders {QUIRKS} {MAP} --store embedded:a.db")
    connection = connect("embedded:a.db")
    connection.table("orders_by_seller").put(b"s-1\x00\x01junk", {b"o:i": b"\xc1"})
    connection.close()
    code, out, err = rowbook("ask orders of-seller seller_id=s-1 --store embedded:a.db")
    assert (code, out) == (1, "")
    assert err.startswith("orders_by_seller: row 73 2d 31 00 01 6a 75 6e 6b: OrderBySeller.placed_ms: needs 8 bytes")


# explain


def test_explain_shows_every_key_whose_parts_are_given_and_what_the_others_need(ok):
    assert (
        ok("explain orders order_number=n-42 seller_id=s-17 placed=2020-02-06T08:08:37Z")
        == """\
orders: [order_number]
  row    order_number
         n-42
         6e 2d 34 32
  hex    6e2d3432

orders_by_seller: [seller_id][placed_ms descending][order_number]
  row    seller_id          placed_ms                 order_number
         s-17               2020-02-06T08:08:37.000Z  n-42
         73 2d 31 37 00 01  7f ff fe 8f e6 74 d0 77   6e 2d 34 32 00 01
  hex    732d313700017ffffe8fe674d0776e2d34320001

orders_by_buyer: [buyer_id][placed_ms descending][order_number]
  needs buyer_id=
"""
    )


@pytest.mark.parametrize("key", [KEY, KEY.replace(" ", ""), KEY.upper()])
def test_explain_goes_back_from_hex_with_or_without_blanks(ok, key):
    out = ok(f"explain orders --key '{key}'")
    assert "         s-17               2020-02-06T08:08:37.000Z  n-42\n" in out
    assert "\norders_by_buyer: [buyer_id]" in out
    assert "OrderByNumber.order_number: must be UTF-8" in out


def test_explain_as_json_has_bytes_and_values(ok):
    there = json.loads(ok("explain orders seller_id=s-17 placed_ms=0 order_number=n-42 --json"))
    _number, (seller) = there["keys"]
    assert seller["parts"][1] == {"name": "placed_ms", "bytes": "7fffffffffffffff", "value": 0}
    assert there["others"] == [{"table": "orders_by_buyer", "reason": "needs buyer_id="}]
    back = json.loads(ok(f"explain orders --key {seller['row']} --json"))
    assert seller in back["keys"]


def test_a_key_that_no_table_has_says_why_for_each(rowbook):
    code, out, err = rowbook("explain orders --key ff")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert all(f"{table.name}: " in err for table in TABLES)


# Wrong usage and failures: one line on stderr, nothing on stdout

ENDS = [
    # unknown names
    ("rnu", 2, "No such command 'rnu'. Did you mean 'run'?; see rowbook --help"),
    ("run order", 2, "unknown design 'order': did you mean orders?"),
    ("run trains", 2, "unknown design 'trains': one of orders"),
    ("load trains x.csv --store embedded:a.db", 2, "unknown design 'trains'"),
    ("ask trains", 2, "unknown design 'trains'"),
    ("explain trains a=b", 2, "unknown design 'trains'"),
    ("ask orders of-seler", 2, "unknown question 'of-seler': did you mean of-seller?"),
    ("ask orders of-seller seler_id=s", 2, "unknown field of of-seller 'seler_id': did you mean seller_id?"),
    ("explain orders price=3", 2, "unknown field 'price': one of order_number, seller_id, placed, buyer_id"),
    ("list --fast", 2, "No such option: --fast"),
    ("list extra", 2, "Got unexpected extra argument(s) (extra); see rowbook list --help"),
    ("ask orders of-seller seller_id=s --store punks.db", 2, "store URL: wants embedded:"),
    ("run --store mysql://localhost", 2, "store URL: wants embedded:"),
    ("run --store hbase://localhost?speed=high", 2, "store URL: option: wants one of"),
    (f"load orders {ORDERS} --store embedded:a.db --format xml", 2, "unknown format 'xml': one of auto, csv, jsonl"),
    (f"load orders {ORDERS} --store embedded:a.db --map price=a", 2, "Order.price: no such field (fields: order_num"),
    # missing, surplus and malformed
    ("load orders", 2, "Missing argument 'FILE'; see rowbook load --help"),
    (f"load orders {ORDERS}", 2, "Missing option '--store'; see rowbook load --help"),
    (f"load orders {ORDERS} --store embedded:a.db --map item", 2, "'item': must be FIELD=COLUMN"),
    (f"load orders {ORDERS} --store embedded:a.db --map item=a --map item=b", 2, "item: is given twice"),
    (f"load orders {ORDERS} --store embedded:a.db --on-error mend", 2, "Invalid value for '--on-error'"),
    ("run --keep", 2, "--keep: a store in memory ends with the command"),
    ("run --store", 2, "Option '--store' requires an argument"),
    ("ask orders of-seller", 2, "of-seller: needs seller_id= [since= until= status=]"),
    ("ask orders of-seller s-17", 2, "'s-17': must be field=value"),
    ("ask orders of-seller seller_id=a seller_id=b", 2, "seller_id: is given twice"),
    ("ask orders of-seller seller_id=a since=1 since_ms=2", 2, "since_ms: is given twice"),
    ("ask orders of-seller seller_id=a since=soon", 2, "since: must be a time such as"),
    ("ask orders of-seller seller_id=a since=99999999999999999999", 2, "OrderBySeller.placed_ms: must be"),
    (
        "ask orders of-seller seller_id=a since=2 until=1",
        2,
        "since: must not be after until (got 1970-01-01T00:00:00.002Z and 1970-01-01T00:00:00.001Z)",
    ),
    ("ask orders of-seller seller_id=a status=lost", 2, "status: must be one of placed, paid, shipped, cancelled"),
    ("ask orders of-seller seller_id=a --limit 0", 2, "--limit: must be 1..1000000 (got 0)"),
    ("ask orders of-seller seller_id=a --limit -1", 2, "--limit: must be 1..1000000 (got -1)"),
    (f"ask orders of-seller seller_id=a --limit {'9' * 5000}", 2, "--limit: "),
    ("ask orders of-seller seller_id=a --limit few", 2, "--limit: must be an int (got 'few')"),
    ("ask orders of-seller seller_id=a --cursor abc", 2, "cursor: is damaged (got 'abc'); ask again without it"),
    ("ask orders of-seller seller_id=a --cursor ''", 2, "cursor: is damaged"),
    ("ask orders order order_number=n-42 --limit 3", 2, "order: answers with one record, without --limit"),
    ("ask orders order order_number=", 2, "OrderByNumber: a row key has 1..32767 bytes (got 0)"),
    ("explain orders", 2, "explain orders: give the fields of a key (field=value ...), or --key HEX"),
    ("explain orders seller_id=s --key 00", 2, "explain orders: give the fields"),
    ("explain orders seller_id=s", 2, "no key of orders is complete: orders: needs order_number=; orders_by_seller"),
    ("explain orders seller_id=s order_number=n placed=x", 2, "placed: must be a time such as"),
    ("explain orders seller_id=s order_number=n placed=9223372036854775808", 2, "OrderBySeller.placed_ms: must be"),
    ("explain orders --key 123", 2, "--key: must be hex digits, two for each byte (got '123')"),
    ("explain orders --key 12xy", 2, "--key: must be hex digits"),
    ("explain orders --key ''", 2, "--key: must be hex digits"),
    # what is found on the way
    ("explain orders --key ff", 1, "no key of orders: orders: OrderByNumber.order_number: must be UTF-8"),
    (f"explain orders --key {'61' * 32_768}", 1, "no key of orders: "),
    ("load orders none.csv --store embedded:a.db", 1, "none.csv: No such file or directory"),
    ("load orders folder --store embedded:a.db", 1, "folder: Is a directory"),
    ("load orders empty --store embedded:a.db", 1, "empty: is empty"),
    ("load orders binary --store embedded:a.db", 1, "binary: is not UTF-8 text (byte 00 at offset 1)"),
    ("load orders header --store embedded:a.db", 1, "header: no column amount for Order.amount; map a field to one"),
    (f"load orders {QUIRKS} --store embedded:a.db", 1, f"{QUIRKS}: no column order_number, seller_id"),
    (f"load orders {QUIRKS} {MAP} --map status=state --store embedded:a.db", 1, f"{QUIRKS}: no column state for"),
    (f"load orders {ORDERS} --store embedded:none/a.db", 1, "none/a.db: the folder"),
    (f"load orders {ORDERS} --store embedded:folder", 1, "folder: is a folder, name a file in it"),
    (f"load orders {ORDERS} --store embedded:binary", 1, "binary: it is not a store, choose another path"),
    (f"load orders {ORDERS} --store embedded:other.db", 1, "table orders: must have the families o (has x)"),
    ("ask orders order order_number=n-42 --store embedded:none.db", 1, "none.db: no such store; rowbook load makes"),
    ("ask orders order order_number=n-42 --store embedded:", 1, "embedded:: has no table orders, orders_by_seller"),
    ("ask orders order order_number=n-42 --store embedded:new.db", 1, "embedded:new.db: has no table orders, orders_b"),
]


@pytest.fixture
def prepared(folder):
    """Files and stores that commands stumble over."""
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    (folder / "binary").write_bytes(b"\x7f\0\0binary" * 100)
    (folder / "header").write_text(HEADER.replace(",amount", ",price") + LINE)
    connect("embedded:new.db").close()
    connection = connect("embedded:other.db")
    connection.create_table("orders", {"x": {}})
    connection.close()


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize(("line", "code", "message"), ENDS, ids=[line[:70] for line, *_ in ENDS])
def test_what_goes_wrong_is_one_line_and_an_exit_code(rowbook, line, code, message):
    ended, out, err = rowbook(line)
    assert (ended, out, err[: len(message)]) == (code, "", message)
    assert err.endswith("\n")
    assert err.count("\n") == 1


def test_a_cursor_of_another_question_is_refused(rowbook, ok):
    cursor = json.loads(ok("ask orders of-seller seller_id=s-17 --limit 2 --json"))["cursor"]
    ok(f"ask orders of-seller seller_id=s-17 --limit 9 --cursor={cursor}")
    for other in ("of-seller seller_id=s-1", "of-seller seller_id=s-17 status=paid", "of-buyer buyer_id=s-17"):
        code, out, err = rowbook(f"ask orders {other} --cursor={cursor}")
        assert (code, out) == (2, "")
        assert err == "cursor: belongs to another question; ask with the same values, or without it\n"


def test_a_gateway_that_is_not_there_is_one_line(rowbook):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"hbase://127.0.0.1:{unused.getsockname()[1]}"
        for line in ("run", "ask orders order order_number=n-42", f"load orders {ORDERS}"):
            code, out, err = rowbook(f"{line} --store {url}")
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert err.startswith(f"{url}: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_store_that_cannot_be_written_is_one_line(rowbook, folder):
    connect("embedded:a.db").close()
    (folder / "a.db").chmod(0o400)
    code, _out, err = rowbook(f"load orders {ORDERS} --store embedded:a.db")
    assert (code, err.count("\n")) == (1, 1)
    assert "cannot be written" in err


@pytest.mark.parametrize("error", [OrderConflict, InvalidKey, InvalidRecord])
def test_what_a_domain_refuses_on_storing_is_a_bad_line(rowbook, folder, monkeypatch, error):
    def refuse(*_):
        raise error("Order.item: no")

    monkeypatch.setattr(OrderRepository, "_put", refuse)
    (folder / "a.csv").write_text(HEADER + LINE)
    assert rowbook("load orders a.csv --store embedded:a.db")[0::2] == (
        1,
        "a.csv:2: Order.item: no; --on-error skip goes on; 0 records stored before\n",
    )


# Terminals and pipes


@pytest.fixture
def terminal(monkeypatch):
    """Output as on a terminal of so many columns."""

    def set_up(columns):
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("COLUMNS", str(columns))

    return set_up


def without_colours(text):
    return "".join(piece.partition("m")[2] if at else piece for at, piece in enumerate(text.split("\x1b[")))


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_run_fits_a_terminal_and_breaks_no_word(ok, terminal, columns):
    terminal(columns)
    out = ok("run")
    assert "\x1b[" in out
    shown = without_colours(out)
    assert max(map(cli.show.cell_len, shown.splitlines())) <= columns
    for pattern in cli.ORDERS.patterns:
        assert [word for word in pattern.words.split() if word not in shown] == []


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_times_in_an_answer_stay_whole_on_a_terminal(ok, terminal, columns):
    terminal(columns)
    assert "2026-01-04T16:02:08.584Z" in ok("ask orders order order_number=n-42")


@pytest.mark.parametrize("plain", ["--plain run", "run --plain", "NO_COLOR"])
def test_plain_output_has_no_colours_and_no_boxes(ok, terminal, monkeypatch, plain):
    terminal(100)
    if plain == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
        plain = "run"
    out = ok(plain)
    assert "\x1b" not in out
    assert not set("─━│┃┏└") & set(out)


def test_values_cannot_colour_the_terminal_nor_speak_markup(ok, folder, terminal):
    (folder / "a.csv").write_text(HEADER + "n-1,s-1,b-1,0,[red]lamp[/red] :smile: \x1b[31m,7\n")
    ok("load orders a.csv --store embedded:a.db")
    terminal(200)
    out = ok("ask orders order order_number=n-1 --store embedded:a.db")
    assert r"'[red]lamp[/red] :smile: \x1b[31m'" in out


def test_a_progress_bar_is_on_stderr_of_a_terminal_only(rowbook, terminal):
    assert rowbook(f"load orders {ORDERS} --store embedded:")[2] == ""
    terminal(100)
    code, out, err = rowbook(f"load orders {ORDERS} --store embedded:")
    assert (code, "%" in err, "%" in out) == (0, True, False)
    assert f"{ORDERS}: csv, 320 records stored" in without_colours(out)


@pytest.mark.parametrize("command", [["run", "--store", "embedded:a.db"], ["ask", "orders", "--json"], ["list"]])
def test_a_pipe_that_is_closed_early_ends_quietly_and_cleans_up(command):
    process = real_process(*command)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=20) == 0
    if "embedded:a.db" in command:
        assert stored("embedded:a.db") == {}
    process.stderr.close()


def test_what_an_output_cannot_encode_is_escaped():
    process = real_process("ask", "orders", "of-seller", "seller_id=店-1", "--limit", "2", PYTHONIOENCODING="ascii")
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert r"\u8336" in out


def test_it_runs_as_a_module_too(folder):
    done = subprocess.run(
        [sys.executable, "-m", "domains.cli", "list"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.split(":")[0]) == (0, "orders")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("rowbook ", {"list", "run", "load", "ask", "explain"}),
        ("rowbook ask o", {"orders"}),
        ("rowbook ask orders of-", {"of-seller", "of-buyer"}),
    ],
)
def test_the_shell_completes_commands_designs_and_questions(rowbook, monkeypatch, words, found):
    monkeypatch.setenv("_ROWBOOK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    code, out, _err = rowbook("")
    assert (code, set(out.split())) == (0, found)


def test_designs_can_be_asked_over_tables_that_others_made(ok):
    connection = connect("embedded:a.db")
    create_tables(connection, TABLES)
    connection.close()
    assert ok("ask orders order order_number=n-42 --store embedded:a.db").startswith("nothing found")
