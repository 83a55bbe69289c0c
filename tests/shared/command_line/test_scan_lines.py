"""`rowbook scan --lines`: whole records as lines that `rowbook load` reads again."""

import gzip
import json

import pytest

from tests.designs import all_designs

WHOLE = {
    "orders": "orders",
    "logs": "events",
    "monitoring": "points",
    "counters": "logins",
    "feeds": "follows",
    "tsdb": "points",
    "activity": "actions",
    "profiles": "profiles",
    "changes": "changes",
    "catalog": "products",
    "sessions": "sessions",
    "leaderboard": "results",
    "links": "links",
}
"""The designs with a table of whole records, or with an export, each with a load of them."""
OF_A_LOG = {"changes": "position", "sessions": "number"}
"""The designs that store records only in the order of a log, each with the field that has it; a scan has key order."""
PARTS = {"messages": "messages", "documents": "documents", "reservations": "bookings"}
"""The others, each with its first load."""


@pytest.mark.parametrize(
    ("name", "load"),
    [pytest.param(*item, marks=() if item[0] in ("orders", "tsdb") else pytest.mark.long) for item in WHOLE.items()],
)
def test_the_lines_of_a_load_make_the_same_records_again(rowbook, folder, name, load):
    (samples,) = (
        one.samples for design in all_designs() for one in design.loads if (design.name, one.name) == (name, load)
    )
    _code, _out, _err = rowbook(f"load {name} {samples} --as {load} --allow-expired --store embedded:a.db")
    lines = rowbook(f"scan {name} --lines --as {load} --store embedded:a.db")[1]
    assert len(lines.splitlines()) > 10
    again = lines.splitlines(keepends=True)
    if name in OF_A_LOG:
        again.sort(key=lambda line: json.loads(line)[OF_A_LOG[name]])
    (folder / "lines.txt").write_text("".join(again), encoding="utf-8", newline="")
    assert rowbook(f"load {name} lines.txt --as {load} --allow-expired --store embedded:b.db")[0] == 0
    assert rowbook(f"scan {name} --lines --as {load} --store embedded:b.db")[1] == lines


@pytest.mark.usefixtures("fixtures")
def test_conditions_a_limit_and_a_format_choose_the_lines_and_a_file_gets_them(ok, rowbook, folder):
    ok("load orders fixtures/orders/orders.csv --store embedded:a.db")
    lines = ok("scan orders --lines --store embedded:a.db").splitlines()
    assert len(lines) == 320
    of_seller = [line for line in lines if '"seller_id": "s-17"' in line]
    code, out, err = rowbook("scan orders orders seller_id=s-17 --lines --limit 2 --store embedded:a.db")
    assert (code, out.splitlines()) == (0, of_seller[:2])
    assert err == "there are more records: --limit N or --limit all shows them\n"
    table = rowbook("scan orders --lines --format csv --limit 1 --store embedded:a.db")[1].splitlines()
    assert [row.partition(",")[0] for row in table] == ["order_number", json.loads(lines[0])["order_number"]]
    assert ok("scan orders --lines --to a.jsonl.gz --store embedded:a.db") == "a.jsonl.gz: jsonl, 320 records\n"
    assert gzip.decompress((folder / "a.jsonl.gz").read_bytes()).decode().splitlines() == lines


@pytest.mark.parametrize("name", PARTS)
def test_a_design_without_a_table_of_whole_records_says_so(rowbook, name):
    refused = f"--lines: no table of {name} holds whole {PARTS[name]}; scan without it shows what one holds\n"
    assert rowbook(f"scan {name} --lines --store embedded:a.db") == (2, "", refused)
    assert {design.name for design in all_designs()} == {*WHOLE, *PARTS}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "orders orders_by_status --lines",
            "--lines: must be a table with whole orders: orders (got orders_by_status)",
        ),
        ("tsdb tsdb --lines", "--lines: points are read from all tables, so leave out tsdb"),
        ("orders --lines --csv", "--lines: must be without --json, --csv and --parquet"),
        ("orders orders --to a.csv", "--to: needs --lines"),
        ("orders --lines --format xml", "unknown format 'xml': one of jsonl, csv"),
    ],
)
def test_what_lines_cannot_be_is_refused_in_one_line(rowbook, words, message):
    assert rowbook(f"scan {words} --store embedded:a.db") == (2, "", f"{message}\n")
