"""`rowbook load`: records of the user, from files in every format, with bad lines, failures and Ctrl-C."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from Hbase_thrift import IOError as HBaseError  # a module that happybase makes

from domains.logs.design import DESIGN as LOGS_DESIGN
from domains.orders import OrderConflict
from domains.orders.design import DESIGN as ORDERS_DESIGN
from shared.keys import InvalidKey
from shared.stores import connect
from shared.tables import InvalidRecord
from shared.tables.recorded_layouts import RECORDS
from shared.writes import IntentWriter, holds_intents
from tests.engines import EMBEDDED

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
ORDERS = FIXTURES / "orders" / "orders.csv"
QUIRKS = FIXTURES / "orders" / "quirks.csv"
ACCESS = FIXTURES / "logs" / "access.log"
LOG4J = FIXTURES / "logs" / "broker-1" / "server.log"
DATA = ROOT.parent / "shared" / "data"
REAL_ORDERS = DATA / "orders" / "punks_sales_first5000.csv"
REAL_LOGS = DATA / "logs"
MAP = (
    "--map order_number=tx --map seller_id=from --map buyer_id=to --map placed_ms=timestamp --map item=id "
    "--map 'amount=price (in wei)'"
)
LOGS = {variant.name: variant for variant in LOGS_DESIGN.variants}
HEADER = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"
LINE = "n-1,s-1,b-1,2026-01-01,lamp,7\n"
HIT = '10.0.0.1 - - [12/Jan/2026:08:07:31 +0000] "GET / HTTP/1.1" 200 12\n'
EVENT = "[2026-01-12 08:07:31,042] INFO up (a.B)\n"


def as_json(**values):
    return json.dumps(values) + "\n"


@pytest.fixture
def kept(monkeypatch):
    """A store in memory that lasts over several commands; loading thousands of records into a file takes too long."""
    connection = connect("embedded:")
    close = connection.close
    monkeypatch.setattr(connection, "close", lambda: None)
    monkeypatch.setattr("domains.command_line.stores.connect", lambda _url, table_prefix=None: connection)
    yield connection
    close()


@pytest.fixture
def logs(folder):
    """One file of each format: access.log, broker-1/server.log, events.csv, events.jsonl."""
    shutil.copy(ACCESS, "access.log")
    (folder / "broker-1").mkdir()
    shutil.copy(LOG4J, "broker-1")
    (folder / "events.csv").write_text("host,event,time_ms,message\na,UP,2026-01-12T08:00Z,one\nb,UP,2,\n")
    (folder / "events.jsonl").write_text(as_json(host="a", event="DOWN", time_ms="2026-01-12 09:00:00 UTC") * 3)
    return "access.log broker-1/server.log events.csv events.jsonl"


@pytest.fixture
def orders_url(new_url):
    """The URL of an empty store for orders."""
    return new_url(*ORDERS_DESIGN.main.tables)


@pytest.fixture
def logs_url(new_url):
    """The URL of an empty store for logs."""
    return new_url(*LOGS_DESIGN.main.tables)


def rows_of(variant, orders):
    """Number of rows in each table: one for each order; for intents a slot of the one writer, and one for its clock.

    The key layout of each table is recorded in a row.
    """
    rows = {table.name: 2 if holds_intents(table) else orders for table in variant.tables}
    return {**rows, RECORDS.name: len(rows)}


# Formats


def test_load_reads_a_real_export_with_its_own_columns(ok, stored, orders_url):
    out = ok(f"load orders {QUIRKS} {MAP} --store {orders_url}")
    assert out == f"{QUIRKS}: csv, 12 records stored\n"
    assert {name: len(rows) for name, rows in stored(orders_url).items()} == rows_of(ORDERS_DESIGN.main, 12)


def test_load_tells_the_format_of_each_file(ok, logs, stored, logs_url):
    assert ok(f"load logs {logs} --store {logs_url}").splitlines() == [
        "access.log: combined, 5 records stored",
        "broker-1/server.log: log4j, 4 records stored",
        "events.csv: csv, 2 records stored",
        "events.jsonl: jsonl, 3 records stored",
    ]
    assert len(stored(logs_url)["logs"]) == 14


def test_load_as_json_is_one_object_with_every_file(ok, logs, logs_url):
    assert json.loads(ok(f"load logs {logs} --store {logs_url} --json")) == {
        "files": [
            {"file": "access.log", "format": "combined", "stored": 5, "skipped": 0},
            {"file": "broker-1/server.log", "format": "log4j", "stored": 4, "skipped": 0},
            {"file": "events.csv", "format": "csv", "stored": 2, "skipped": 0},
            {"file": "events.jsonl", "format": "jsonl", "stored": 3, "skipped": 0},
        ]
    }


def test_a_format_that_is_named_is_that_of_every_file(rowbook, logs, logs_url):
    code, out, err = rowbook(f"load logs {logs} --format combined --store {logs_url} --on-error skip")
    assert code == 0
    assert out.splitlines() == [
        "access.log: combined, 5 records stored",
        "broker-1/server.log: combined, 0 records stored, 6 bad lines skipped",
        "events.csv: combined, 0 records stored, 3 bad lines skipped",
        "events.jsonl: combined, 0 records stored, 3 bad lines skipped",
    ]
    assert err.count('must be host identity user [day/month/year:time zone] "request" status bytes') == 12


@pytest.mark.parametrize("format", ["combined", "log4j"])
def test_a_file_may_be_of_the_format_that_is_named(ok, logs, logs_url, format):
    file = {"combined": "access.log", "log4j": "broker-1/server.log"}[format]
    named = ok(f"load logs {file} --format {format} --store {logs_url}")
    assert named == ok(f"load logs {file} --store {logs_url}")


def test_the_folder_is_the_host_of_a_log4j_file_wherever_the_command_runs(ok, logs, monkeypatch, logs_url):
    monkeypatch.chdir("broker-1")
    ok(f"load logs server.log --store {logs_url}")
    records = json.loads(ok(f"ask logs latest host=broker-1 event=ERROR --store {logs_url} --json"))["records"]
    assert [(record["host"], record["severity"], record["time_ms"]) for record in records] == [
        ("broker-1", "ERROR", 1768205250900)
    ]
    assert "\njava.io.IOException: " in records[0]["message"]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("orders access.log --format combined", 2, "unknown format 'combined': one of auto, csv, jsonl\n"),
        ("orders access.log --format log4j", 2, "unknown format 'log4j': one of auto, csv, jsonl\n"),
        ("orders:oldest-first events.csv --format log4j", 2, "unknown format 'log4j': one of auto, csv, jsonl\n"),
        ("logs events.csv --format Combined", 2, "unknown format 'Combined': did you mean combined?\n"),
        ("logs events.csv --format xml", 2, "unknown format 'xml': one of auto, csv, jsonl, combined, log4j\n"),
        ("logs access.log --format csv", 1, "access.log: no column host, event, time_ms for LogEvent.host, event, "),
        ("orders access.log", 1, "access.log: no column order_number, seller_id"),
        ("logs events.csv --format jsonl", 1, "events.csv:1: is not valid JSON: "),
        ("logs events.csv --format log4j", 1, "events.csv:1: must start with [2016-12-19 16:31:46,123] LEVEL"),
    ],
)
@pytest.mark.usefixtures("logs")
def test_a_file_of_another_format_is_refused(rowbook, line, code, message):
    ended, out, err = rowbook(f"load {line} --store embedded:a.db")
    assert (ended, out, err[: len(message)]) == (code, "", message)


def test_a_file_that_is_taken_for_csv_says_what_else_it_might_have_been(rowbook, folder):
    (folder / "a.log").write_text("12/Jan/2026 GET /\n")
    code, _out, err = rowbook("load logs a.log --store embedded:a.db")
    assert code == 1
    assert err.endswith(
        "; read as CSV because its first line does not look like combined log, log4j log or JSON lines\n"
    )


# Units

SECONDS = 1_740_823_200


@pytest.fixture
def in_seconds(folder):
    (folder / "a.csv").write_text(HEADER + LINE.replace("2026-01-01", str(SECONDS)))
    return "a.csv"


def test_epoch_seconds_are_refused_with_the_option_that_reads_them(rowbook, in_seconds, orders_url):
    code, out, err = rowbook(f"load orders {in_seconds} --store {orders_url}")
    reason = "is most likely in seconds, 2025-03-01T10:00:00.000Z: give --unit placed_ms=s"
    assert (code, out) == (1, "")
    assert err.startswith(
        f"a.csv:2: Order.placed_ms: {reason}; if it counts milliseconds, give --unit placed_ms=ms (got {SECONDS})"
    )


@pytest.mark.parametrize(("unit", "placed_ms"), [("s", SECONDS * 1000), ("ms", SECONDS)])
def test_a_unit_that_is_named_is_that_of_every_file(ok, folder, in_seconds, orders_url, unit, placed_ms):
    (folder / "b.jsonl").write_text(
        as_json(order_number="n-2", seller_id="s-1", buyer_id="b-1", placed_ms=SECONDS, item="lamp", amount=7)
        + as_json(order_number="n-3", seller_id="s-1", buyer_id="b-1", placed_ms="2025-03-01T10Z", item="a", amount=7)
    )
    ok(f"load orders {in_seconds} b.jsonl --unit placed_ms={unit} --store {orders_url}")
    for order_number, at_ms in {"n-1": placed_ms, "n-2": placed_ms, "n-3": SECONDS * 1000}.items():
        answer = json.loads(ok(f"ask orders order order_number={order_number} --store {orders_url} --json"))
        assert answer["records"][0]["placed_ms"] == at_ms


def test_a_log_of_1970_has_times_of_its_own(ok, folder, stored, logs_url):
    (folder / "a.log").write_text(HIT.replace("12/Jan/2026", "12/Feb/1970"))
    (folder / "kafka0").mkdir()
    (folder / "kafka0" / "b.log").write_text(EVENT.replace("2026-01-12", "1970-02-12"))
    ok(f"load logs a.log kafka0/b.log --store {logs_url}")
    once = stored(logs_url)
    ok(f"load logs a.log kafka0/b.log --unit time_ms=s --store {logs_url}")
    assert stored(logs_url) == once


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--unit placed=s", "Order.placed: no such field (fields: order_number, "),
        ("--unit amount=s", "Order.amount: is not a time, so it has no unit (times: placed_ms)\n"),
        ("--unit placed_ms=h", "Order.placed_ms: its unit must be s, ms or us (got 'h')\n"),
        ("--unit placed_ms", "'placed_ms': must be FIELD=s|ms|us\n"),
        ("--unit placed_ms=s --unit placed_ms=us", "placed_ms: is given twice\n"),
    ],
)
def test_a_wrong_unit_is_wrong_usage(rowbook, folder, in_seconds, words, message):
    code, out, err = rowbook(f"load orders {in_seconds} {words} --store embedded:a.db")
    assert (code, out, err[: len(message)]) == (2, "", message)
    assert not (folder / "a.db").exists()


# The same records again


@pytest.mark.parametrize("variant", [name for name in LOGS if name != "random"])
def test_loading_files_of_every_format_again_changes_nothing(ok, logs, stored, new_url, variant):
    url = new_url(*LOGS[variant].tables)
    ok(f"load logs:{variant} {logs} --store {url}")
    once = stored(url)
    (table,) = LOGS[variant].tables
    assert {name: len(rows) for name, rows in once.items()} == {table.name: 14, RECORDS.name: 1}
    ok(f"load logs:{variant} {' '.join(reversed(logs.split()))} --store {url}")
    assert stored(url) == once


@pytest.mark.parametrize("variant", ORDERS_DESIGN.variants, ids=lambda variant: variant.name)
def test_loading_orders_again_changes_nothing_in_any_variant(ok, stored, new_url, variant):
    url = new_url(*variant.tables)
    ok(f"load orders:{variant.name} {QUIRKS} {MAP} --store {url}")
    once = stored(url)
    assert {name: len(rows) for name, rows in once.items()} == rows_of(variant, 12)
    ok(f"load orders:{variant.name} {QUIRKS} {MAP} --store {url}")
    assert stored(url) == once


def test_loading_again_into_the_random_variant_makes_copies(ok, logs, stored, new_url):
    url = new_url(*LOGS["random"].tables)
    ok(f"load logs:random {logs} --store {url}")
    assert len(stored(url)["logs_random"]) == 14
    ok(f"load logs:random {logs} --store {url}")
    assert len(stored(url)["logs_random"]) > 14  # all 14 drawn again: once in 8 to the 14th


def test_equal_lines_of_one_file_are_all_stored(ok, folder, stored, logs_url):
    (folder / "a.log").write_text(HIT * 3)
    ok(f"load logs a.log --store {logs_url}")
    once = stored(logs_url)
    assert len(once["logs"]) == 3
    ok(f"load logs a.log --store {logs_url}")
    assert stored(logs_url) == once


def test_equal_lines_of_two_files_are_not_stored_twice(ok, folder, stored, logs_url):
    (folder / "a.log").write_text(HIT * 2)
    (folder / "b.log").write_text(HIT * 3)
    ok(f"load logs a.log b.log --store {logs_url}")
    assert len(stored(logs_url)["logs"]) == 3


def test_an_event_is_the_same_row_from_whichever_format_it_comes(ok, folder, stored, logs_url):
    (folder / "a.log").write_text(HIT)
    event = {"host": "10.0.0.1", "event": "200", "message": '- - "GET / HTTP/1.1" 12'}
    (folder / "a.jsonl").write_text(as_json(**event, time_ms=1768205251000))
    cells = '2026-01-12T09:07:31+01:00,200,10.0.0.1,"- - ""GET / HTTP/1.1"" 12"'
    (folder / "a.csv").write_text(f"time_ms,event,host,message\n{cells}\n")
    ok(f"load logs a.log a.jsonl a.csv --store {logs_url}")
    assert len(stored(logs_url)["logs"]) == 1


def test_a_bad_line_between_equal_ones_does_not_count(rowbook, ok, folder, stored, logs_url):
    (folder / "a.log").write_text(f"{HIT}bad\n{HIT}")
    (folder / "b.log").write_text(HIT * 2)
    assert rowbook(f"load logs a.log --store {logs_url} --on-error skip")[0] == 0
    once = stored(logs_url)
    ok(f"load logs b.log --store {logs_url}")
    assert stored(logs_url) == once


def test_load_into_memory_says_that_nothing_stays(ok):
    assert "ends with this command" in ok(f"load orders {ORDERS} --store embedded:")
    assert json.loads(ok(f"load logs {ACCESS} --store embedded: --json"))["files"][0]["stored"] == 5


# Real files


@pytest.mark.skipif(not REAL_ORDERS.exists(), reason="the real sales are not on this machine")
def test_five_thousand_real_sales_load_twice_into_the_same_cells(ok, kept):
    assert ok(f"load orders {REAL_ORDERS} {MAP} --store hbase://kept").endswith("csv, 5000 records stored\n")
    once = {name: list(kept.table(name).scan(include_timestamp=True)) for name in kept.tables()}
    assert [len(once[table.name.encode()]) for table in ORDERS_DESIGN.main.record_tables] == [5000, 5000, 5000, 5000]
    ok(f"load orders {REAL_ORDERS} {MAP} --store hbase://kept")
    assert {name: list(kept.table(name).scan(include_timestamp=True)) for name in kept.tables()} == once
    seller = "0xc352b534e8b987e036a93539fd6897f53488e56a"
    whole = json.loads(ok(f"ask orders of-seller seller_id={seller} --limit 5000 --json --store hbase://kept"))
    with REAL_ORDERS.open(encoding="utf-8") as file:
        assert len(whole["records"]) == sum(line.split(", ")[4] == seller for line in file)


@pytest.mark.skipif(not REAL_LOGS.exists(), reason="the real logs are not on this machine")
def test_ten_real_log_files_load_in_one_command_and_answer_every_question(ok, kept):
    files = [REAL_LOGS / "apache_access.log", *sorted(REAL_LOGS.glob("kafka/kafka*/server.log.*"))]
    loaded = json.loads(ok(f"load logs {' '.join(map(str, files))} --store hbase://kept --json"))["files"]
    assert [entry["format"] for entry in loaded] == ["combined", *["log4j"] * 9]
    assert sum(entry["stored"] for entry in loaded) == len(list(kept.table("logs").scan())) == 3500 + 3207

    def records_of(question):
        return json.loads(ok(f"ask logs {question} --store hbase://kept --limit 10000 --json"))["records"]

    errors = [records_of(f"latest host={host} event=ERROR") for host in ("kafka0", "kafka1", "kafka2")]
    assert sum(map(len, errors)) == 28
    lines = [line.split() for line in files[0].read_text(encoding="utf-8").splitlines()]
    assert len(records_of("hosts-like host_prefix=180.76.5.17")) == sum(
        line[0].startswith("180.76.5.17") for line in lines
    )
    assert len(records_of("window host=83.149.9.216 since=2015-05-17 until=2015-05-18")) == sum(
        line[0] == "83.149.9.216" and line[3].startswith("[17/May/2015") for line in lines
    )
    records = records_of("host-events host=kafka2 event=INFO since=2016-12-19T19:00 until=2016-12-19T20:00")
    assert [entry["time_ms"] for entry in records] == sorted(entry["time_ms"] for entry in records)
    assert len(records) == 545


# Bad lines

BAD = {
    "n-2,s-1,b-1,2026-01-01,lamp,12x": "Order.amount: must be an int (got '12x')",
    "n-2,s-1,b-1,2026-01-01": "must have 6 fields, as the header (got 4)",
    ",s-1,b-1,2026-01-01,lamp,1": "Order.order_number: must be text, not empty (got '')",
    "n-2,s-1,b-1,-1,lamp,1": "Order.placed_ms: must be 0..253402300799999 (got -1)",
    "n-1,s-2,b-1,2026-01-01,lamp,7": "Order.seller_id: order 'n-1' is stored with 's-1' (got 's-2')",
    f"n-2,{'s' * 32_760},b-1,0,lamp,1": "OrderBySeller.seller_id: a row key has 1..32767 bytes (got 32775)",
}


@pytest.mark.parametrize(("line", "reason"), BAD.items(), ids=BAD.values())
def test_a_bad_line_stops_the_load_and_says_what_was_stored(rowbook, folder, line, reason, orders_url):
    (folder / "a.csv").write_text(HEADER + LINE + line + "\n" + LINE)
    code, out, err = rowbook(f"load orders a.csv --store {orders_url}")
    assert (code, out) == (1, "")
    assert err == f"a.csv:3: {reason}; --on-error skip goes on; 1 record stored before\n"


def test_bad_lines_are_skipped_if_told_to_each_with_its_reason(rowbook, folder, orders_url):
    (folder / "a.csv").write_text(HEADER + LINE + "".join(f"{line}\n" for line in BAD) + LINE)
    code, out, err = rowbook(f"load orders a.csv --store {orders_url} --on-error skip")
    assert (code, out) == (0, "a.csv: csv, 2 records stored, 6 bad lines skipped\n")
    assert err.splitlines() == [f"a.csv:{number}: {reason}" for number, reason in enumerate(BAD.values(), start=3)]


def test_a_stray_quote_costs_its_own_line_and_no_other(rowbook, folder, orders_url):
    good = [LINE.replace("n-1", f"n-{number}") for number in range(40)]
    good[20] = good[20].replace("lamp", '"lamp, ""big""\nand red"')
    stray = LINE.replace("lamp", '"lamp')
    (folder / "a.csv").write_text(HEADER + "".join(good[:10]) + stray + "".join(good[10:]) + stray)
    code, out, err = rowbook(f"load orders a.csv --store {orders_url} --on-error skip")
    assert (code, out) == (0, "a.csv: csv, 40 records stored, 2 bad lines skipped\n")
    first, second = err.splitlines()
    opened = "after the quote opened in line 12, character 24"
    assert first == f"""a.csv:12: is not valid CSV: ',' expected after '"' in line 23, {opened}"""
    assert second == "a.csv:44: is not valid CSV: the quote opened in line 44, character 24, is never closed"


def test_a_load_that_stops_at_a_stray_quote_says_where_it_was_opened(rowbook, folder, orders_url):
    (folder / "a.csv").write_text(HEADER + LINE + LINE.replace("lamp", '"lamp') + LINE * 3)
    code, _out, err = rowbook(f"load orders a.csv --store {orders_url}")
    opened = "the quote opened in line 3, character 24, is never closed"
    assert (code, err) == (
        1,
        f"a.csv:3: is not valid CSV: {opened}; --on-error skip goes on; 1 record stored before\n",
    )


def test_all_lines_of_a_bad_record_are_counted(rowbook, folder, orders_url):
    bad = LINE.replace("lamp", '"a\nb\nc"').replace(",7", ",x")
    (folder / "a.csv").write_text(HEADER + bad + LINE + LINE.replace("lamp", '"a\nb"').replace("s-1", "s-2"))
    code, out, err = rowbook(f"load orders a.csv --store {orders_url} --on-error skip")
    assert (code, out) == (0, "a.csv: csv, 1 record stored, 5 bad lines skipped\n")
    assert err.splitlines() == [
        "a.csv:2: Order.amount: must be an int (got 'x') (lines 2 to 4)",
        "a.csv:6: Order.seller_id: order 'n-1' is stored with 's-1' (got 's-2') (lines 6 to 7)",
    ]


@pytest.fixture
def bad_logs(folder):
    """One bad line in a file of each format, and good ones around it."""
    (folder / "a.log").write_text(f"{HIT}\nbad\n{HIT}")
    (folder / "kafka0").mkdir()
    (folder / "kafka0" / "b.log").write_text(f"{EVENT}[2026-13-12 08:07:31,042] INFO no\n\tat a.B\n{EVENT}")
    (folder / "c.jsonl").write_text(as_json(host="a", event="e", time_ms=0) + as_json(host="a", event="e", time_ms="x"))
    (folder / "d.csv").write_text('host,event,time_ms,message\na,"e\n",1,\n,e,2,\n')


def test_bad_lines_of_every_format_have_file_line_and_reason(rowbook, bad_logs, stored, logs_url):
    code, out, err = rowbook(f"load logs a.log kafka0/b.log c.jsonl d.csv --store {logs_url} --on-error skip")
    assert (code, out.splitlines()) == (
        0,
        [
            "a.log: combined, 2 records stored, 1 bad line skipped",
            "kafka0/b.log: log4j, 2 records stored, 2 bad lines skipped",
            "c.jsonl: jsonl, 1 record stored, 1 bad line skipped",
            "d.csv: csv, 1 record stored, 1 bad line skipped",
        ],
    )
    a, b, c, d = err.splitlines()
    assert a.startswith("a.log:3: must be host identity user [day/month/year:time zone]")
    assert a.endswith("(got 'bad')")
    assert b.startswith("kafka0/b.log:2: LogEvent.time_ms: must be a time such as 2016-12-19 16:31:46,123 (got ")
    assert b.endswith("(lines 2 to 3)")
    assert c.startswith("c.jsonl:2: LogEvent.time_ms: must be a time such as ")
    assert d == "d.csv:4: LogEvent.host: must be text, not empty (got '')"
    assert len(stored(logs_url)["logs"]) == 6


def test_a_bad_line_in_the_second_file_counts_what_the_first_one_stored(rowbook, bad_logs, logs_url):
    code, out, err = rowbook(f"load logs c.jsonl a.log --store {logs_url}")
    assert (code, out) == (1, "")
    assert err.startswith("c.jsonl:2: ")
    assert err.endswith("; --on-error skip goes on; 1 record stored before\n")
    code, _out, err = rowbook(f"load logs kafka0/b.log a.log --store {logs_url}")
    assert (code, err.count("\n")) == (1, 1)
    assert err.endswith("; --on-error skip goes on; 1 record stored before\n")


def test_skipped_lines_are_counted_in_json_and_named_on_stderr(rowbook, bad_logs, logs_url):
    code, out, err = rowbook(f"load logs a.log kafka0/b.log --store {logs_url} --on-error skip --json")
    assert code == 0
    assert [(file["stored"], file["skipped"]) for file in json.loads(out)["files"]] == [(2, 1), (2, 2)]
    assert err.count("\n") == 2


@pytest.mark.parametrize(
    ("variant", "host", "reason"),
    [
        ("host-first", "proxy", "LogHostFirst.host: must not contain the pad 'x' (got 'proxy')"),
        ("host-first", "a" * 21, f"LogHostFirst.host: must be at most 20 bytes of UTF-8 (got 21: '{'a' * 21}')"),
        ("slices", "a_b", "LogInSlices.host: must not contain the delimiter '_' (got b'a_b')"),
    ],
)
def test_what_a_variants_key_cannot_hold_is_a_bad_line_of_that_variant_only(
    rowbook, ok, folder, new_url, variant, host, reason
):
    url = new_url(*LOGS[variant].tables, *LOGS_DESIGN.main.tables)
    (folder / "a.jsonl").write_text(as_json(host="a", event="e", time_ms=0) + as_json(host=host, event="e", time_ms=0))
    code, out, err = rowbook(f"load logs:{variant} a.jsonl --store {url} --on-error skip")
    assert (code, out) == (0, "a.jsonl: jsonl, 1 record stored, 1 bad line skipped\n")
    assert err == f"a.jsonl:2: {reason}\n"
    assert ok(f"load logs a.jsonl --store {url}") == "a.jsonl: jsonl, 2 records stored\n"


@pytest.mark.parametrize("error", [OrderConflict, InvalidKey, InvalidRecord])
def test_what_a_domain_refuses_on_storing_is_a_bad_line(rowbook, folder, monkeypatch, error, orders_url):
    def refuse(*_):
        raise error("Order.item: no")

    monkeypatch.setattr(IntentWriter, "write", refuse)
    (folder / "a.csv").write_text(HEADER + LINE)
    assert rowbook(f"load orders a.csv --store {orders_url}")[0::2] == (
        1,
        "a.csv:2: Order.item: no; --on-error skip goes on; 0 records stored before\n",
    )


# Files and stores that fail


def test_a_second_file_that_cannot_be_read_says_what_was_stored(rowbook, folder, orders_url):
    (folder / "a.csv").write_text(HEADER + LINE)
    code, _out, err = rowbook(f"load orders a.csv none.csv --store {orders_url}")
    assert (code, err) == (1, "none.csv: No such file or directory; 1 record stored before\n")


def test_if_the_first_file_cannot_be_read_no_store_is_made(rowbook, folder, stored, new_url):
    url = new_url()
    rowbook(f"load orders none.csv --store {url}")
    assert list(folder.iterdir()) == []
    assert stored(url) == {}


def test_a_log_in_a_pipe_has_no_folder_that_could_be_its_host(rowbook, monkeypatch):
    reading, writing = os.pipe()
    os.write(writing, EVENT.encode())
    os.close(writing)
    code, _out, err = rowbook(f"load logs /dev/fd/{reading} --store embedded:")
    os.close(reading)
    assert code == 1
    assert err.startswith(
        f"/dev/fd/{reading}:1: LogEvent.host: must be the name of the file's folder, and a pipe has none; load a file;"
    )


def test_a_store_that_fails_within_a_load_is_reported_with_the_line(rowbook, folder, monkeypatch, orders_url):
    def fail(*_):
        raise HBaseError(b"org.apache.hadoop.hbase.RegionTooBusyException: busy\n\tat java.lang")

    monkeypatch.setattr(IntentWriter, "write", fail)
    (folder / "a.csv").write_text(HEADER + LINE)
    code, _out, err = rowbook(f"load orders a.csv --store {orders_url}")
    busy = "org.apache.hadoop.hbase.RegionTooBusyException: busy"
    assert (code, err) == (1, f"a.csv:2: the store failed: {busy}; 0 records stored before\n")


# Ctrl-C


def test_ctrl_c_ends_a_load_with_130_and_says_what_was_stored(rowbook, folder, monkeypatch, orders_url):
    def interrupt(self, key, decide):
        if key.order_number == "n-2":
            raise KeyboardInterrupt

    monkeypatch.setattr(IntentWriter, "write", interrupt)
    (folder / "a.csv").write_text(HEADER + LINE + LINE.replace("n-1", "n-2"))
    code, out, err = rowbook(f"load orders a.csv --store {orders_url}")
    assert (code, out) == (130, "")
    assert err == "interrupted; 1 record stored; load the same files again to go on\n"


def test_ctrl_c_in_a_real_process_ends_it_with_130(real_process, folder):
    os.mkfifo(folder / "pipe")
    process = real_process("load", "orders", "pipe", "--store", "embedded:", "--on-error", "skip")
    with (folder / "pipe").open("w") as pipe:
        pipe.write(HEADER + LINE + "bad\n")
        pipe.flush()
        assert process.stderr.readline() == "pipe:3: must have 6 fields, as the header (got 1)\n"
        process.send_signal(signal.SIGINT)  # while it waits for the next line, or still writes about the last one
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "interrupted; 1 record stored; load the same files again to go on"


def is_there(url):
    """Whether a store's file has been made; on HBase there is none to be made."""
    return url.startswith("hbase:") or Path(url.removeprefix("embedded:")).exists()


def test_a_load_that_was_interrupted_goes_on_when_it_is_started_again(
    real_process, ok, folder, stored, engine, logs_url
):
    lines = 6000 if engine.name == EMBEDDED else 1500
    (folder / "big.log").write_text("".join(HIT.replace("GET /", f"GET /{number}") for number in range(lines)))
    process = real_process("load", "logs", "big.log", "--store", logs_url)
    for _ in range(4000):  # until it is in the midst of storing
        if is_there(logs_url) and len(stored(logs_url).get("logs", [])) > lines // 10:
            break
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    reported = int(err.removeprefix("interrupted; ").partition(" records stored; ")[0])
    there = len(stored(logs_url)["logs"])
    assert 0 < reported < lines
    assert there - reported in (0, 1)  # one may have been stored and not yet counted
    assert ok(f"load logs big.log --store {logs_url}") == f"big.log: combined, {lines} records stored\n"
    assert len(stored(logs_url)["logs"]) == lines
