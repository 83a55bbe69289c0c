"""`rowbook scan --lines`: whole records as lines that `rowbook load` reads again."""

import gzip
import json

import pytest


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
    assert ok("scan orders --lines --to a.csv --store embedded:a.db") == "a.csv: csv, 320 records\n"
    assert ok("scan orders --lines --to b.csv --format jsonl --store embedded:a.db") == "b.csv: jsonl, 320 records\n"


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
        ("orders --lines --format xml", "unknown format 'xml': one of jsonl, csv, parquet"),
        ("orders --lines --format parquet", "--format parquet: needs --to FILE"),
        (
            "links --lines --as clicks",
            "--lines: links cannot write its clicks, because its tables hold Link, OwnedLink, Clicks; copy the"
            " tables instead: snapshots of HBase, or the file of an embedded store",
        ),
    ],
)
def test_what_lines_cannot_be_is_refused_in_one_line(rowbook, words, message):
    assert rowbook(f"scan {words} --store embedded:a.db") == (2, "", f"{message}\n")


@pytest.mark.parametrize("time_ms", [1_768_203_451, 202_601_120_807])
def test_a_time_whose_digits_may_be_another_one_goes_out_and_in_again(ok, folder, time_ms):
    (folder / "a.csv").write_text(f"host,metric,time_ms,value\nh,m,{time_ms},1\n", encoding="utf-8")
    ok("load monitoring a.csv --unit time=ms --store embedded:a.db")
    ok("scan monitoring --lines --to b.jsonl --store embedded:a.db")
    ok("load monitoring b.jsonl --store embedded:b.db")
    (point,) = json.loads(ok("scan monitoring --json --store embedded:b.db"))["records"]
    assert point["time_ms"] == time_ms
