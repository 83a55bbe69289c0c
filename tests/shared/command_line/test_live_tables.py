"""`rowbook scan` and `count` on the tables of every design: the same records in every form, and nothing changes."""

import json
import shlex
from contextlib import closing

import attrs
import pytest
from pyarrow import parquet

from domains.logs import LogEvent, LogRepository
from domains.logs.keys import LOGS
from domains.logs.shown.variants import salted
from domains.orders import Order, OrderRepository
from domains.orders.keys import TABLES
from shared.command_line.stored_records.record_output import CsvLines
from shared.designs import load_samples
from shared.queries import Query
from shared.stores import connect
from shared.tables import BoundTable, Family, create_tables
from tests.designs import NAMES

URL = "embedded:a.db"


@pytest.mark.parametrize("name", ["orders", *(pytest.param(name, marks=pytest.mark.long) for name in NAMES[1:])])
def test_every_table_is_read_as_json_csv_and_parquet(ok, rowbook, folder, stored, cut_designs, name):
    design = cut_designs[name]
    tables = {table.name: table for table in reversed(design.main.record_tables)}  # the first layout of each
    with closing(connect(URL)) as connection:
        create_tables(connection, design.main.tables)
        load_samples(connection, design, design.main)
        records = {name: read(connection, table) for name, table in tables.items()}
    before = stored(URL)
    for name, of_table in records.items():
        command = f"{design.name} {name} --store {URL}"
        assert ok(f"count {command}") == f"{name}: {len(of_table)} record{'' if len(of_table) == 1 else 's'}\n"
        in_json = json.loads(ok(f"scan {command} --limit all --json"))
        assert (len(in_json["records"]), in_json["more"], in_json["unreadable"]) == (len(of_table), False, 0)
        lines = CsvLines(tables[name].cells.record)
        code, out, said = rowbook(f"scan {command} --limit all --csv")
        assert (code, out) == (0, lines.header + "".join(map(lines.of, of_table)))
        assert said == "" or said.startswith("for rowbook load, write ")
        assert rowbook(f"scan {command} --limit all --parquet a.parquet")[::2] == (0, said)
        assert parquet.read_table("a.parquet").num_rows == len(of_table)
        assert ok(f"scan {command} --limit 1")
    assert stored(URL) == before


def read(connection, table):
    bound = BoundTable(connection, table)
    return list(Query(bound, bound.whole_table()))


def test_a_limit_holds_within_a_row_of_many_records(ok, folder, cut_designs):
    ok(f"load monitoring {cut_designs['monitoring'].loads[0].samples} --store {URL}")
    read = json.loads(ok(f"scan monitoring points --store {URL} --limit 1 --json"))
    assert (len(read["records"]), read["more"]) == (1, True)


LAMP = Order("n-1", "s-1", "b-1", 1_767_225_600_000, "lamp", 4_900)


@pytest.fixture
def orders(folder):
    """A store with a few orders."""
    with closing(connect(URL)) as connection:
        create_tables(connection, TABLES)
        yield OrderRepository(connection)


@pytest.fixture
def logs(folder):
    """A store for logs."""
    with closing(connect(URL)) as connection:
        create_tables(connection, [LOGS.layout])
        yield LogRepository(connection)


def test_a_parquet_file_has_types_and_csv_can_be_loaded_again(ok, folder, orders):
    orders.place(LAMP)
    ok(f"scan orders orders --store {URL} --parquet a.parquet")
    (row,) = parquet.read_table("a.parquet").to_pylist()
    assert row["placed_ms"].isoformat() == "2026-01-01T00:00:00+00:00"
    assert {**row, "placed_ms": LAMP.placed_ms} == attrs.asdict(LAMP)
    (folder / "a.csv").write_text(ok(f"scan orders orders --store {URL} --csv"), encoding="utf-8")
    ok("load orders a.csv --store embedded:b.db")
    with closing(connect("embedded:b.db")) as connection:
        assert OrderRepository(connection).order("n-1") == LAMP


def test_a_parquet_file_that_cannot_be_finished_is_not_there(rowbook, folder, orders):
    orders.place(attrs.evolve(LAMP, amount=10**38))
    code, _out, err = rowbook(f"scan orders orders --store {URL} --parquet a.parquet")
    assert (code, err) == (1, "--parquet: a number has more than 38 digits; --csv has room for it\n")
    assert list(folder.glob("*.parquet*")) == []


def test_an_interval_may_end_one_past_the_last_time_of_the_key(rowbook, ok, logs):
    logs.store_all(LogEvent("web-1", "GET", number) for number in range(3))
    for command, until in (("scan logs", "until"), ("ask logs host-events since=0", "until_ms")):
        line = f"{command} host=web-1 event=GET --store {URL} --json"
        records = json.loads(ok(f"{line} {until}={2**63}"))["records"]
        assert sorted(record["time_ms"] for record in records) == [0, 1, 2]
        wanted = f"LogNewestFirst.time_ms: must be {-(2**63)}..{2**63 - 1} (got {2**63 + 1})\n"
        assert rowbook(f"{line} {until}={2**63 + 1}") == (2, "", wanted)


def test_a_limit_ends_the_reading_of_a_large_table(ok, logs):
    logs.store_all(LogEvent("web-1", "GET", number) for number in range(1_202))
    assert json.loads(ok(f"count logs logs --store {URL} --limit 1100 --json"))["more"]
    assert ok(f"count logs logs --store {URL} --limit all") == "logs: 1202 records\n"
    assert len(json.loads(ok(f"scan logs logs --store {URL} --json"))["records"]) == 100


def test_the_region_that_holds_a_row_is_one_of_its_table(ok, folder, new_url):
    url, event = new_url(salted.TABLE.layout), LogEvent("web-1", "GET", 1_767_225_600_000)
    with closing(connect(url)) as connection:
        create_tables(connection, salted.TABLES)
        salted.Repository(connection).store(event)
    row = salted.TABLE.layout.row(event)
    (key,) = json.loads(ok(f"explain logs:salted --key {row.hex()} --store {shlex.quote(url)} --json"))["keys"]
    place = key["place"]
    assert (place["regions"], place["is_stored"]) == (8, True)
    assert bytes.fromhex(place["from"]) <= row < bytes.fromhex(place["up_to"] or "ff")
    (folder / "keys").write_text(row.hex(), encoding="utf-8")
    where = f"region {place['region']} of {place['regions']}"
    assert where in ok(f"explain logs:salted --keys keys --store {shlex.quote(url)}")


def test_a_stored_row_says_when_its_cells_expire(ok, logs, monkeypatch):
    event = LogEvent("web-1", "GET", 1_767_225_600_000)
    logs.store(event)
    explain = f"explain logs --key {LOGS.layout.row(event).hex()} --store {URL}"
    assert "expires" not in ok(explain)
    assert "expires" not in ok(f"{explain} --json")
    monkeypatch.setattr(Family, "lifetime_s", 86_400)
    assert "the row is stored; family l expires at 2026-01-02T00:00:00.000Z" in " ".join(ok(explain).split())
    key, *_variants = json.loads(ok(f"{explain} --json"))["keys"]
    assert key["place"]["expires_ms"] == {"l": event.time_ms + 86_400_000}
