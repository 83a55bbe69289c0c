"""`rowbook recover`, `verify` and `repair`: pending writes, and rows that disagree with others or cannot be read."""

import json
import re
import time
from contextlib import closing, suppress
from itertools import islice

import attrs
import pytest

from domains.command_line.designs import all_designs, find_variants
from domains.feeds import FeedRepository, Follow
from domains.feeds.design import DESIGN as FEEDS
from domains.logs.design import DESIGN as LOGS
from domains.orders import Order, OrderRepository
from domains.orders.keys import BY_BUYER, BY_SELLER, BY_STATUS, ORDERS, SELLER_CELLS, TABLES, OrderByStatus
from domains.orders.records import BuyerLine, SellerLine
from domains.tsdb import SETTINGS, TsdbRepository, data_table
from domains.tsdb import TABLES as SERIES_TABLES
from domains.tsdb.codecs import SeriesSalt
from domains.tsdb.design import DESIGN as TSDB
from shared.stores import connect
from shared.tables import create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at
from shared.writes import WriterClock
from tests.domains.counters.asking import BY_NAME, DAY, KEEPING, counting, login, logins_of_three
from tests.domains.counters.asking import stored as store_logins
from tests.domains.counters.test_verifying import put

LAMP = Order("n-1", "s-1", "b-1", 1_000, "lamp", 4_900)
BED = Order("n-3", "s-1", "b-3", 3_000, "bed", 1_900)
SOFA = Order("n-2", "s-1", "b-2", 2_000, "sofa", 89_900)
AGREE = "orders: 2 sources and 6 lines compared: nothing is wrong\n"
PENDING = re.compile(r"orders: 1 pending write, the oldest since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def url(folder):
    """The URL of a store with two orders."""
    with closing(connect("embedded:a.db")) as connection:
        create_tables(connection, TABLES)
        for order in (LAMP, SOFA):
            OrderRepository(connection).place(order)
    time.sleep(0.02)  # the time of a revision may be some milliseconds ahead
    return "embedded:a.db"


@pytest.fixture
def tables(url):
    with closing(connect(url)) as connection:
        yield {table.name: connection.table(table.name) for table in TABLES}


def die(url, mutations):
    """Cancels the lamp, and dies before the n-th call that changes rows; the first one compares the clocks."""
    with closing(connect(url)) as connection, suppress(WriterDied):
        OrderRepository(WatchedConnection(connection, dying_at(mutations))).cancel("n-1")


def disagree(tables):
    """Makes a row of each kind that a crash may leave, and one that is not a key; returns their lines."""
    seller, buyer, status = SellerLine.of(LAMP), BuyerLine.of(LAMP), LAMP
    tables["orders_by_seller"].delete(BY_SELLER.row(seller))
    ((_, written_ms), *_) = tables["orders_by_buyer"].row(BY_BUYER.row(buyer), include_timestamp=True).values()
    tables["orders_by_buyer"].put(BY_BUYER.row(buyer), {b"o:i": b"\xa1x"}, timestamp=written_ms)
    paid = OrderByStatus("s-1", "paid", 1_000, "n-1")
    cells = tables["orders_by_status"].row(BY_STATUS.row(status))
    tables["orders_by_status"].put(BY_STATUS.row(paid), cells, timestamp=written_ms)
    tables["orders_by_buyer"].put(b"no key", {b"o:i": b"1"})
    return [
        f"orders_by_seller: missing row {BY_SELLER.row(seller).hex(' ')}",
        f"orders_by_buyer: differing row {BY_BUYER.row(buyer).hex(' ')}: in o:i",
        "orders_by_buyer: undecodable row 6e 6f 20 6b 65 79: OrderByBuyer.buyer_id: no terminator 00 01 in "
        "6e 6f 20 6b 65 79, at offset 0 of row 6e 6f 20 6b 65 79",
        f"orders_by_status: dangling row {BY_STATUS.row(paid).hex(' ')}",
    ]


# ---- recover


def test_without_pending_writes_recover_has_nothing_to_do(ok, url):
    assert ok(f"recover orders --store {url}") == "orders: 0 pending writes\n0 settled\n"


def test_a_young_write_waits_and_is_settled_if_told_to(ok, url, tables):
    die(url, 3)
    first, second = ok(f"recover orders --store {url}").splitlines()
    assert PENDING.fullmatch(first)
    assert second == "0 settled, 1 younger: their writers may be at work"
    summary = ok(f"verify orders --store {url}").splitlines()[-1]
    assert summary.endswith(": nothing is wrong; 1 pending write, see rowbook recover")
    first, second = ok(f"recover orders --store {url} --older-than 0").splitlines()
    assert PENDING.fullmatch(first)
    assert second == "1 settled"
    assert ok(f"recover orders --store {url}") == "orders: 0 pending writes\n0 settled\n"
    assert ok(f"verify orders --store {url}") == AGREE


@pytest.mark.parametrize("mutations", range(2, 8))
def test_whatever_call_a_writer_died_before_recover_makes_the_tables_agree(ok, url, mutations):
    die(url, mutations)
    assert ok(f"verify orders --store {url}").partition(": ")[0] == "orders"
    assert ok(f"recover orders --store {url} --older-than 0").splitlines()[1] == "1 settled"
    out = ok(f"verify orders --store {url}")
    assert out == AGREE


def test_recover_as_json(ok, url):
    die(url, 3)
    recovered = json.loads(ok(f"recover orders --store {url} --older-than 0 --json"))
    assert recovered.pop("oldest_ms") > 1_700_000_000_000
    assert recovered == {"name": "orders", "pending": 1, "settled": 1, "waiting": 0, "failed": []}
    assert json.loads(ok(f"recover orders --store {url} --json")) == {
        "name": "orders",
        "pending": 0,
        "oldest_ms": None,
        "settled": 0,
        "waiting": 0,
        "failed": [],
    }


def test_a_write_that_cannot_be_settled_is_told_and_kept(rowbook, url, tables):
    die(url, 3)
    tables["orders"].put(b"n-1", {b"o:order": b"damaged"})
    code, out, err = rowbook(f"recover orders --store {url} --older-than 0")
    first, second, third = out.splitlines()
    assert (code, err, second) == (1, "", "0 settled")
    assert PENDING.fullmatch(first)
    assert re.match("not settled: orders_intents: row( [0-9a-f]{2}){12}: orders: row 6e 2d 31: Order: must be ", third)
    code, out, err = rowbook(f"recover orders --store {url} --older-than 0 --json")
    assert (code, len(json.loads(out)["failed"])) == (1, 1)


# ---- verify and repair


def test_rows_that_agree_are_counted(ok, url):
    assert ok(f"verify orders --store {url}") == ok(f"repair orders --store {url}") == AGREE
    assert json.loads(ok(f"verify orders --store {url} --json")) == {
        "name": "orders",
        "sources": 2,
        "lines": 6,
        "found": [],
        "left": 0,
    }


def test_verify_prints_a_line_for_each_row_and_how_many_of_each_kind(rowbook, url, tables):
    lines = disagree(tables)
    code, out, err = rowbook(f"verify orders --store {url}")
    assert (code, err) == (1, "")
    *found, summary = out.splitlines()
    assert found == lines
    # A line is missing, one is not a key, and one is too many: 5 + 1 + 1.
    assert summary == "orders: 2 sources and 7 lines compared: 1 dangling, 1 differing, 1 missing, 1 undecodable"
    assert rowbook(f"verify orders --store {url}")[:2] == (code, out)  # it changes nothing


def test_repair_mends_each_row_and_says_so(rowbook, ok, url, tables):
    lines = disagree(tables)
    code, out, err = rowbook(f"repair orders --store {url} --discard undecodable")
    assert (code, err) == (0, "")
    *found, summary = out.splitlines()
    assert len(found) == len(lines)
    assert all(line.startswith("mended: orders_by_") for line in found)
    assert summary.endswith(": 1 dangling, 1 differing, 1 missing, 1 undecodable; 0 left")
    assert ok(f"verify orders --store {url}") == AGREE


def test_repair_completes_pending_writes_first(ok, url):
    die(url, 4)
    assert ok(f"repair orders --store {url}") == AGREE
    assert ok(f"recover orders --store {url}") == "orders: 0 pending writes\n0 settled\n"


def test_an_order_that_cannot_be_read_is_left(rowbook, url, tables):
    tables["orders"].put(b"n-1", {b"o:order": b"damaged"})
    code, out, _err = rowbook(f"repair orders --store {url}")
    assert code == 1
    assert out.splitlines()[0].startswith("orders: undecodable row 6e 2d 31: Order: must be a msgpack array")
    assert out.splitlines()[-1] == "orders: 2 sources and 6 lines compared: 1 undecodable; 1 left"


def test_findings_as_json(rowbook, url, tables):
    tables["orders_by_seller"].delete(row := BY_SELLER.row(SellerLine.of(LAMP)))
    code, out, _err = rowbook(f"verify orders --store {url} --json")
    finding = {
        "kind": "missing",
        "table": "orders_by_seller",
        "row": row.hex(),
        "source_row": ORDERS.row(LAMP).hex(),
        "reason": "",
        "mended": False,
    }
    assert (code, json.loads(out)) == (
        1,
        {"name": "orders", "sources": 2, "lines": 5, "found": [finding], "left": 1},
    )
    code, out, _err = rowbook(f"repair orders --store {url} --json")
    assert (code, json.loads(out)["found"], json.loads(out)["left"]) == (0, [{**finding, "mended": True}], 0)


@pytest.mark.parametrize("command", ["verify", "repair"])
def test_progress_is_shown_on_a_terminal_only(rowbook, url, terminal, command):
    assert rowbook(f"{command} orders --store {url}")[2] == ""
    terminal(80)
    code, out, err = rowbook(f"{command} orders --store {url}")
    assert code == 0
    assert "nothing is wrong" in out
    assert "2 sources and 6 lines compared" in err
    assert rowbook(f"{command} orders --store {url} --plain")[2] == ""


# ---- rows that repair keeps unless it is told what to do


@pytest.fixture
def restored(url, tables):
    """After a backup: the lamp was paid, and a bed was placed; then the orders were restored from the backup."""
    backup = dict(tables["orders"].scan())
    with closing(connect(url)) as connection:
        orders = OrderRepository(connection)
        orders.change_status("n-1", "paid")
        orders.place(BED)
    tables["orders"].delete(b"n-1")
    tables["orders"].delete(b"n-3")
    time.sleep(0.02)
    tables["orders"].put(b"n-1", backup[b"n-1"])
    return url


def lines_of(tables):
    return {name: dict(table.scan()) for name, table in tables.items() if name.startswith("orders_by_")}


@pytest.mark.parametrize("options", ["", "--discard undecodable", "--discard orders_by_seller:00"])
def test_repair_after_a_restored_backup_keeps_todays_orders(rowbook, restored, tables, options):
    before = lines_of(tables)
    code, out, err = rowbook(f"repair orders --store {restored} {options}")
    summary = out.splitlines()[-1]
    assert code == 1
    assert lines_of(tables) == before
    assert re.fullmatch(r"orders: .*: 1 missing, 6 orphaned; 7 left", summary)
    bed = "its source is missing, it holds seller_id='s-1', placed_ms=3000, order_number='n-3'"
    assert f"orders_by_seller: orphaned row {BY_SELLER.row(SellerLine.of(BED)).hex(' ')}: {bed}, " in out
    assert rowbook(f"repair orders --store {restored}")[1] == out
    kept = "--discard orders_by_seller:00: nothing is wrong with this row, so it is kept\n"
    assert err == (kept if "seller" in options else "")


def test_repair_after_a_restored_backup_keeps_todays_follows(rowbook, new_url):
    url = new_url(*FEEDS.main.tables)
    with closing(connect(url)) as connection:
        create_tables(connection, FEEDS.main.tables)
        FeedRepository(connection).follow(Follow("ada", "dan"))
        ((row, _),) = connection.table("feeds_following").scan()
        connection.table("feeds_following").delete(row)
        before = list(connection.table("feeds_followers").scan())
        code, out, _err = rowbook(f"repair feeds --store {url} --restore")
        assert (code, list(connection.table("feeds_followers").scan())) == (1, before)
    assert "its source is missing, it holds author='dan', reader='ada'; not restored: no line holds since_ms\n" in out


def test_orders_are_restored_from_their_lines(ok, restored):
    summary = ok(f"repair orders --store {restored} --restore").splitlines()[-1]
    assert summary == "orders: 3 sources and 9 lines compared: 6 orphaned; 0 left"
    assert ok(f"verify orders --store {restored}") == "orders: 3 sources and 9 lines compared: nothing is wrong\n"
    with closing(connect(restored)) as connection:
        orders = OrderRepository(connection)
        assert (orders.order("n-1"), orders.order("n-3")) == (attrs.evolve(LAMP, status="paid"), BED)
        assert orders.cancel("n-1").status == "cancelled"


def test_an_order_whose_buyer_no_line_tells_is_not_restored(rowbook, restored, tables):
    tables["orders_by_buyer"].delete(BY_BUYER.row(BuyerLine.of(BED)))
    code, out, _err = rowbook(f"repair orders --store {restored} --restore")
    assert code == 1
    left = [line for line in out.splitlines() if line.startswith("orders_by_")]
    assert [line.partition("; ")[2] for line in left] == ["not restored: no line holds buyer_id"] * 2


def test_the_lines_of_an_order_that_never_was_are_discarded(ok, url, tables):
    cells = SELLER_CELLS.pack(SellerLine.of(BED))
    tables["orders_by_seller"].put(row := BY_SELLER.row(SellerLine.of(BED)), cells, timestamp=1)
    found, summary = ok(f"repair orders --store {url} --discard orphaned").splitlines()
    assert found.startswith(f"mended: orders_by_seller: orphaned row {row.hex(' ')}: its source is missing")
    assert summary.endswith("1 orphaned; 0 left")
    assert (tables["orders_by_seller"].row(row), tables["orders"].row(b"n-3")) == ({}, {})
    tables["orders_by_buyer"].put(row := BY_BUYER.row(BuyerLine.of(BED)), cells, timestamp=1)
    out = ok(f"repair orders --store {url} --discard 'orders_by_buyer:{row.hex(' ')}'")
    assert out.endswith("1 orphaned; 0 left\n")
    assert tables["orders_by_buyer"].row(row) == {}


def test_an_order_that_cannot_be_read_is_discarded_by_its_row_alone(rowbook, ok, url, tables):
    tables["orders"].put(b"n-1", {b"o:order": b"damaged"})
    assert rowbook(f"repair orders --store {url} --discard undecodable")[0] == 1
    assert tables["orders"].row(b"n-1")
    assert rowbook(f"repair orders --store {url} --discard orders:{b'n-1'.hex()}")[0] == 1, "its lines are orphaned"
    assert tables["orders"].row(b"n-1") == {}
    ok(f"repair orders --store {url} --restore")
    assert ok(f"verify orders --store {url}") == AGREE


def test_a_write_that_cannot_be_settled_is_told_by_repair(rowbook, url, tables):
    die(url, 3)
    tables["orders"].put(b"n-1", {b"o:order": b"damaged"})
    code, out, err = rowbook(f"repair orders --store {url}")
    unsettled, undecodable, summary = out.splitlines()
    assert (code, err) == (1, "")
    assert re.match("orders_intents: unsettled row( [0-9a-f]{2}){12}: orders: row 6e 2d 31: Order: must be ", unsettled)
    assert undecodable.startswith("orders: undecodable row 6e 2d 31: ")
    assert summary.endswith(": 1 undecodable, 1 unsettled; 2 left; 1 pending write, see rowbook recover")


def test_one_damaged_intent_stops_no_command(rowbook, ok, url, tables):
    die(url, 3)
    tables["orders_intents"].put(b"\x01" * 12, {b"i:s": b"damaged"})
    code, out, err = rowbook(f"recover orders --store {url} --older-than 0")
    first, second, third = out.splitlines()
    assert (code, err, second) == (1, "", "1 settled")
    assert PENDING.fullmatch(first)
    assert third.startswith(f"not settled: orders_intents: row {' '.join(['01'] * 12)}: ")
    tables["orders_by_seller"].delete(BY_SELLER.row(SellerLine.of(SOFA)))
    for command in ("verify", "repair"):
        code, out, err = rowbook(f"{command} orders --store {url}")
        assert (code, err) == (1, "")
        assert out.startswith(f"orders_intents: undecodable row {' '.join(['01'] * 12)}: Intent.")
        assert "orders_by_seller: missing row" in out
    assert ok(f"repair orders --store {url} --discard undecodable").endswith("1 undecodable; 0 left\n")
    assert ok(f"verify orders --store {url}") == AGREE


@pytest.mark.parametrize("given", ["all", "orders", "orders:", ":6e", "orders:6", "orders:n-1"])
def test_a_wrong_discard_is_wrong_usage(rowbook, url, given):
    code, out, err = rowbook(f"repair orders --store {url} --discard {given}")
    assert (code, out, err.count("\n"), err[:11]) == (2, "", 1, "--discard: ")


def test_a_clock_that_is_wrong_is_one_line(rowbook, url, tables, monkeypatch):
    tables["orders_by_seller"].delete(BY_SELLER.row(SellerLine.of(SOFA)))
    monkeypatch.setattr(WriterClock, "read_ms", lambda _clock: time.time_ns() // 1_000_000 + 3_600_000)
    code, out, err = rowbook(f"verify orders --store {url}")
    assert (code, out, err.count("\n"), err[:7]) == (1, "", 1, "clock: ")


# ---- tsdb, which has neither intents nor derived rows


@pytest.fixture
def points_url(ok):
    """The URL of a store with the samples of `tsdb`."""
    ok(f"load tsdb {TSDB.loads[0].samples} --store embedded:points.db")
    return "embedded:points.db"


@pytest.fixture
def names(points_url):
    with closing(connect(points_url)) as connection:
        yield connection.table("tsdb-uid")


@pytest.fixture
def clean(points_url, names):
    """What `verify` says of the samples if nothing is wrong."""
    with closing(connect(points_url)) as connection:
        mappings = sum(len(cells) for row, cells in names.scan() if row != b"\0")
        rows = sum(1 for _ in connection.table("tsdb").scan())
    return f"tsdb: {mappings} mappings and {rows} rows compared: nothing is wrong"


def test_names_and_points_that_agree_are_counted(ok, points_url, clean):
    assert ok(f"verify tsdb --store {points_url}") == f"{clean}\n"


def test_a_leaked_uid_is_listed_and_is_not_wrong(ok, points_url, names, clean):
    uid = names.counter_inc(b"\0", b"id:tagv").to_bytes(3, "big")
    names.put(uid, {b"name:tagv": b"web-1"})
    leaked, summary = ok(f"verify tsdb --store {points_url}").splitlines()
    (other,) = names.row(b"web-1", [b"id:tagv"]).values()
    assert leaked == f"tsdb-uid: leaked row {uid.hex(' ')}: tagv 'web-1' has the UID {other.hex(' ')}"
    assert summary.partition(": nothing")[2] == " is wrong; 1 leaked, which is harmless"
    found = json.loads(ok(f"verify tsdb --store {points_url} --json"))
    assert ([finding["kind"] for finding in found["found"]], found["left"]) == (["leaked"], 0)
    assert f"{found['mappings'] - 1} mappings and {found['rows']} rows " in clean


def test_orphaned_rows_are_wrong(rowbook, points_url, names):
    (uid,) = names.row(b"web-1", [b"id:tagv"]).values()
    names.delete(b"web-1", [b"id:tagv"])
    code, out, err = rowbook(f"verify tsdb --store {points_url}")
    assert (code, err) == (1, "")
    leaked, *orphaned, summary = out.splitlines()
    assert leaked == f"tsdb-uid: leaked row {uid.hex(' ')}: tagv 'web-1' has no UID"
    assert {line[: len("tsdb: orphaned row ")] for line in orphaned} == {"tsdb: orphaned row "}
    assert summary.endswith(f" compared: {len(orphaned)} orphaned; 1 leaked, which is harmless")


def test_a_repair_of_names_and_points_finds_what_verify_does(ok, points_url):
    assert ok(f"repair tsdb --store {points_url}") == ok(f"verify tsdb --store {points_url}")


def test_another_salt_than_that_of_the_table_is_one_line(rowbook, points_url):
    with closing(connect(points_url)) as connection:
        connection.table(SETTINGS.name).delete(b"tsdb")
        connection.delete_table("tsdb", disable=True)
        create_tables(connection, [points := data_table("tsdb", salt=SeriesSalt())])
        TsdbRepository(connection, SERIES_TABLES._replace(points=points))
    for command in ("verify tsdb", "ask tsdb query m=sum:requests since=2013-01-01 until=2013-01-02"):
        code, out, err = rowbook(f"{command} --store {points_url}")
        assert (code, out) == (1, "")
        assert err == "table tsdb: tsd.storage.salt.width must be 1 (got 0)\n"


# ---- what is wrong


@pytest.mark.parametrize("command", ["recover", "verify", "repair"])
def test_a_design_without_writes_over_several_rows_is_wrong_usage(rowbook, new_url, ok, command):
    url = new_url(*LOGS.main.tables)
    ok(f"load logs {LOGS.loads[0].samples} --store {url}")
    code, out, err = rowbook(f"{command} logs --store {url}")
    assert (code, out) == (2, "")
    assert err == "logs: stores each event in one put, so there is nothing to recover or to compare\n"


@pytest.mark.parametrize("command", ["recover", "verify", "repair"])
@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("orders:without-intents", "send the same call again, which completes it"),
        ("feeds:texts", "send the same call again, which completes it"),
        ("messages:copies", "send the same call again, which completes it"),
        ("messages:one-table", "send the same call again, which completes it"),
        ("counters:increment", "if you keep the logins elsewhere, count them again into empty tables"),
        ("counters:sharded", "if you keep the logins elsewhere, count them again into empty tables"),
    ],
)
def test_a_variant_whose_interrupted_writes_nothing_finds_says_what_to_do(rowbook, new_url, command, name, advice):
    _design, (variant,) = find_variants(name)
    url = new_url(*variant.tables)
    with closing(connect(url)) as connection:
        create_tables(connection, variant.tables)
    code, out, err = rowbook(f"{command} {name} --store {url}")
    assert (code, out) == (2, "")
    assert err.startswith(f"{name}: ")
    assert err.endswith(f"; {advice}\n")


def rows_of_a_record(design, variant):
    """The most rows that one of some sample records is put into."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        repository = variant.open(watched := WatchedConnection(connection))
        rows = 0
        for load in design.loads:
            for record in islice(load.sample_records(), 20):
                watched.calls.clear()
                load.store_in(repository, record)
                rows = max(rows, len({(call.table, row) for call in watched.calls for row, _ in call.rows}))
    return rows


def test_a_design_without_upkeep_puts_one_row_for_a_record():
    without = [design for design in all_designs() if design.without_upkeep]
    assert {design.name for design in without} == {"logs", "monitoring"}
    assert {rows_of_a_record(design, variant) for design in without for variant in design.variants} == {1}


@pytest.mark.parametrize("command", ["recover", "verify", "repair"])
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("orders --store embedded:none.db", 1, "none.db: no such store; rowbook load makes one\n"),
        ("orders", 2, "Missing option '--store'"),
        ("trains --store embedded:", 2, "unknown design 'trains'"),
        ("orders --store embedded:", 1, "embedded:: has no table orders, "),
        ("orders --store nowhere:a", 2, "store URL: "),
    ],
)
def test_what_is_wrong_is_one_line(rowbook, command, arguments, code, message):
    ended, out, err = rowbook(f"{command} {arguments}")
    assert (ended, out, err[: len(message)], err.count("\n")) == (code, "", message, 1)


@pytest.mark.parametrize("seconds", ["-1", "x", "1.5", "400000000"])
def test_an_age_that_is_no_number_of_seconds_is_refused(rowbook, url, seconds):
    code, _out, err = rowbook(f"recover orders --store {url} --older-than {seconds}")
    assert (code, err.partition(":")[0]) == (2, "--older-than")


def test_tables_of_several_variants_are_compared_with_their_own_sources(ok, folder):
    (folder / "a.csv").write_text("order_number,seller_id,buyer_id,placed_ms,item,amount\nn-1,s-1,b-1,0,lamp,7\n")
    for name in ("orders:index-table", "orders:hashed-number"):
        url = f"embedded:{name[7:]}.db"
        ok(f"load {name} a.csv --store {url}")
        assert ok(f"verify {name} --store {url}") == f"{name}: 1 source and 3 lines compared: nothing is wrong\n"


# ---- counters, whose logins two tables have


@pytest.mark.parametrize("name", KEEPING)
def test_verify_and_repair_of_the_command_line(rowbook, ok, folder, name):
    variant = BY_NAME[name]
    with closing(connect("embedded:a.db")) as connection:
        create_tables(connection, variant.tables)
        store_logins(variant.open(connection), *logins_of_three())
        put(connection, variant.tables[1], login(DAY + 9, "zoe"))
    of = f"counters:{name} --store embedded:a.db"
    assert ok(f"recover {of}").endswith(": 0 pending writes\n0 settled\n")
    code, out, _err = rowbook(f"verify {of}")
    assert code == 1
    assert out.endswith(": 0 days, 15 logins and 0 sums compared: 1 missing\n")
    assert ok(f"repair {of}").splitlines()[-1].endswith("logins and 0 sums compared: 1 missing; 0 left")
    assert ok(f"verify {of}").endswith(": 0 days, 16 logins and 0 sums compared: nothing is wrong\n")


@counting
@pytest.mark.parametrize("command", ["verify", "repair", "recover"])
def test_counters_refuse_in_true_words_what_needs_logins(rowbook, folder, variant, command):
    with closing(connect("embedded:a.db")) as connection:
        create_tables(connection, variant.tables)
    code, out, err = rowbook(f"{command} counters:{variant.name} --store embedded:a.db")
    assert (code, out) == (2, "")
    assert "increments counters, so nothing tells what a crash or a lost reply left out" in err
    assert len(err.splitlines()) == 1
