"""What goes wrong on the command line: one line on stderr that says what to do, nothing on stdout, and an exit code."""

import os
import socket
from pathlib import Path

import attrs
import pytest

from domains.command_line import running
from domains.command_line.designs import all_designs, design_named
from domains.command_line.key_words import encode_keys
from domains.orders.keys import BY_SELLER
from shared.stores import connect

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = ", ".join(design.name for design in all_designs())
ORDERS = FIXTURES / "orders" / "orders.csv"
QUIRKS = FIXTURES / "orders" / "quirks.csv"
EVENTS = FIXTURES / "logs" / "logs.jsonl"
MAP = (
    "--map order_number=tx --map seller_id=from --map buyer_id=to --map placed_ms=timestamp --map item=id "
    "--map 'amount=price (in wei)'"
)
HEADER = "order_number,seller_id,buyer_id,placed_ms,item,amount\n"
LOGS = "one of host-first, time-first, modulo, salted, slices, random; logs is the design itself\n"
NO_POINTS = "has no split points (wanted 3): rows start with"

ENDS = [
    # unknown names
    ("rnu", 2, "No such command 'rnu'. Did you mean 'run'?; see rowbook --help"),
    ("run order", 2, "unknown design 'order': did you mean orders?"),
    ("run trains", 2, f"unknown design 'trains': one of {NAMES}\n"),
    ("run orders trains", 2, f"unknown design 'trains': one of {NAMES}\n"),
    ("load trains x.csv --store embedded:a.db", 2, "unknown design 'trains'"),
    ("ask trains", 2, "unknown design 'trains'"),
    ("explain trains a=b", 2, "unknown design 'trains'"),
    ("ddl trains", 2, "unknown design 'trains'"),
    ("ask LOGS", 2, f"unknown design 'LOGS': one of {NAMES}\n"),
    ("ask ''", 2, f"unknown design '': one of {NAMES}\n"),
    # unknown variants
    ("run logs:none", 2, f"unknown variant of logs 'none': {LOGS}"),
    ("run orders logs:none", 2, f"unknown variant of logs 'none': {LOGS}"),
    ("load logs:none x.log --store embedded:a.db", 2, f"unknown variant of logs 'none': {LOGS}"),
    ("ask logs:none latest host=a event=b", 2, f"unknown variant of logs 'none': {LOGS}"),
    ("explain logs:none host=a", 2, f"unknown variant of logs 'none': {LOGS}"),
    ("ddl logs:none", 2, f"unknown variant of logs 'none': {LOGS}"),
    ("ddl logs:", 2, f"unknown variant of logs '': {LOGS}"),
    ("ddl :salted", 2, f"unknown design '': one of {NAMES}\n"),
    ("ddl :", 2, f"unknown design '': one of {NAMES}\n"),
    ("ddl logs:salt", 2, f"unknown variant of logs 'salt': {LOGS}"),
    ("ddl logs:Salted", 2, f"unknown variant of logs 'Salted': {LOGS}"),
    ("ddl logs:salted:", 2, f"unknown variant of logs 'salted:': {LOGS}"),
    ("ddl 'logs: salted'", 2, f"unknown variant of logs ' salted': {LOGS}"),
    ("ddl orders:salted", 2, "unknown variant of orders 'salted': "),
    ("ddl logs_salted", 2, f"unknown design 'logs_salted': one of {NAMES}\n"),
    # unknown questions, fields, options, stores
    ("ask orders of-seler", 2, "unknown question 'of-seler': did you mean of-seller?"),
    ("ask logs:salted of-seller", 2, "unknown question 'of-seller': did you mean of-severity?\n"),
    (
        "ask logs:salted sellers",
        2,
        "unknown question 'sellers': one of host-events, latest, window, hosts-like, of-severity\n",
    ),
    ("ask orders of-seller seler_id=s", 2, "unknown field of of-seller 'seler_id': did you mean seller_id?"),
    ("ask logs latest host=a event=b since=1", 2, "unknown field of latest 'since': one of host, event\n"),
    ("ask logs latest host=a event=b limit=1", 2, "unknown field of latest 'limit': one of host, event\n"),
    ("explain orders price=3", 2, "unknown field 'price': one of order_number, seller_id, placed, buyer_id"),
    (
        "explain logs:salted random_bucket=3",
        2,
        "unknown field 'random_bucket': one of time, host, event, tie, severity, message\n",
    ),
    ("list --fast", 2, "No such option: --fast"),
    ("list extra", 2, "Got unexpected extra argument(s) (extra); see rowbook list --help"),
    ("ddl logs orders", 2, "Got unexpected extra argument(s) (orders); see rowbook ddl --help"),
    ("ask orders of-seller seller_id=s --store punks.db", 2, "store URL: wants embedded:"),
    ("run --store mysql://localhost", 2, "store URL: wants embedded:"),
    ("run --store hbase://localhost?speed=high", 2, "store URL: option: wants one of"),
    (f"load orders {ORDERS} --store embedded:a.db --format xml", 2, "unknown format 'xml': one of auto, csv, jsonl\n"),
    (f"load orders {ORDERS} --store embedded:a.db --map price=a", 2, "Order.price: no such field (fields: order_num"),
    # missing, surplus and malformed
    ("load orders", 2, "Missing argument 'FILE'; see rowbook load --help"),
    ("ddl", 2, "Missing argument 'NAME'; see rowbook ddl --help"),
    (f"load orders {ORDERS}", 2, "Missing option '--store'; see rowbook load --help"),
    (f"load orders {ORDERS} --store embedded:a.db --map item", 2, "'item': must be FIELD=COLUMN"),
    (f"load orders {ORDERS} --store embedded:a.db --map item=a --map item=b", 2, "item: is given twice"),
    (f"load orders {ORDERS} --store embedded:a.db --on-error mend", 2, "Invalid value for '--on-error'"),
    ("run --keep", 2, "--keep: a store in memory ends with the command"),
    ("run logs:salted --keep --json", 2, "--keep: a store in memory ends with the command"),
    ("run --store", 2, "Option '--store' requires an argument"),
    ("ask orders of-seller", 2, "of-seller: needs seller_id= [since= until= status=]"),
    ("ask logs:salted window host=a since=1", 2, "window: needs since= until= [host=]\n"),
    ("ask orders of-seller s-17", 2, "'s-17': must be field=value"),
    ("ask logs latest =a event=b", 2, "'=a': must be field=value"),
    ("ask orders of-seller seller_id=a seller_id=b", 2, "seller_id: is given twice"),
    ("ask orders of-seller seller_id=a since=1 since_ms=2", 2, "since_ms: is given twice"),
    ("ask orders of-seller seller_id=a since=soon", 2, "since: must be a time such as 2017-06-23T21:05:06.000Z, "),
    ("ask orders of-seller seller_id=a since=2026-13-01", 2, "since: must be a time such as"),
    ("ask orders of-seller seller_id=a since=", 2, "since: must be a time such as"),
    ("ask orders of-seller seller_id=a since=20260112", 2, "since: must be 2026-01-12 for that day, or +20260112 for"),
    ("ask orders of-seller seller_id=a since=2026-01-12T08:00:00.0005Z", 2, "since: must be a time in whole millis"),
    ("ask orders of-seller seller_id=a since=99999999999999999999", 2, "OrderBySeller.placed_ms: must be"),
    (
        "ask orders of-seller seller_id=a since=2 until=1",
        2,
        "since: must not be after until (got 1970-01-01T00:00:00.002Z and 1970-01-01T00:00:00.001Z)",
    ),
    ("ask logs window host=a since=2 until=1", 2, "since: must not be after until (got 1970-01-01T00:00:00.002Z and"),
    ("ask logs:random window since=2 until=1", 2, "since: must not be after until (got 1970-01-01T00:00:00.002Z and"),
    ("ask orders of-seller seller_id=a status=lost", 2, "status: must be one of placed, paid, shipped, cancelled"),
    ("ask orders of-seller seller_id=a --limit 0", 2, "--limit: must be 1..1000000 (got 0)"),
    ("ask logs:salted window since=1 until=2 --limit 0", 2, "--limit: must be 1..1000000 (got 0)"),
    ("ask orders of-seller seller_id=a --limit -1", 2, "--limit: must be 1..1000000 (got -1)"),
    ("ask orders of-seller seller_id=a --limit 1000001", 2, "--limit: must be 1..1000000 (got 1000001)"),
    (f"ask orders of-seller seller_id=a --limit {'9' * 5000}", 2, "--limit: "),
    ("ask orders of-seller seller_id=a --limit few", 2, "--limit: must be an int (got 'few')"),
    ("ask orders of-seller seller_id=a --cursor abc", 2, "cursor: is damaged (got 'abc'); ask again without it"),
    ("ask orders of-seller seller_id=a --cursor ''", 2, "cursor: is damaged"),
    ("ask orders order order_number=n-42 --limit 3", 2, "order: answers with one record, without --limit"),
    (
        "ask orders:oldest-first order order_number=n-42 --cursor a",
        2,
        "order: answers with one record, without --cursor",
    ),
    ("ask orders order order_number=", 2, "OrderByNumber.order_number: a row key has 1..32767 bytes (got 0)"),
    ("explain orders", 2, "explain orders: give the fields of a key (field=value ...), or --key HEX"),
    ("explain logs:salted --json", 2, "explain logs:salted: give the fields of a key (field=value ...), or --key HEX"),
    ("explain orders seller_id=s --key 00", 2, "explain orders: give the fields"),
    ("explain orders seller_id=s", 2, "no key of orders is complete: orders: needs order_number=; orders_by_seller"),
    (
        "explain logs:random host=a",
        2,
        "no key of logs:random is complete: logs_random: needs random_bucket= event= time= tie=",
    ),
    ("explain logs:salted host=a event=e time=0 tie=00", 2, "no key of logs:salted is complete: logs_salted: LogTi"),
    ("explain logs:salted tie=0011x", 2, "tie: must be bytes in hex (got '0011x')"),
    ("explain orders seller_id=s order_number=n placed=x", 2, "placed: must be a time such as"),
    ("explain orders:orders seller_id=s placed=9223372036854775808", 2, "no key of orders:orders is comp"),
    ("explain orders --key 123", 2, "--key: must be hex digits, two for each byte (got '123')"),
    ("explain logs --key 0x77", 2, "--key: must be hex digits, two for each byte (got '0x77')"),
    ("explain orders --key 12xy", 2, "--key: must be hex digits"),
    ("explain orders --key ''", 2, "--key: must be hex digits"),
    # split points
    ("ddl logs:salted --splits", 2, "Option '--splits' requires an argument"),
    ("ddl logs:salted --splits 0", 2, "--splits: must be 1..1023 (got 0)\n"),
    ("ddl logs:salted --splits -1", 2, "--splits: must be 1..1023 (got -1)\n"),
    ("ddl logs:salted --splits x", 2, "--splits: must be an int (got 'x')\n"),
    ("ddl logs:salted --splits 1.5", 2, "--splits: must be an int (got '1.5')\n"),
    ("ddl logs:salted --splits ''", 2, "--splits: must be an int (got '')\n"),
    ("ddl logs:salted --splits 1024", 2, "--splits: must be 1..1023 (got 1024)\n"),
    (f"ddl logs:salted --splits {'9' * 5000}", 2, "--splits: "),
    ("ddl logs:salted --splits 8", 2, "LogTimeFirst: must be 1..7 split points (got 8)\n"),
    ("ddl logs:salted --splits 8 --json", 2, "LogTimeFirst: must be 1..7 split points (got 8)\n"),
    ("ddl logs:random --splits 256", 2, "LogRandom: must be 1..255 split points (got 256)\n"),
    ("ddl logs --splits 3", 2, f"LogNewestFirst: {NO_POINTS} host (EscapedText)"),
    ("ddl logs:time-first --splits 3", 2, f"LogTimeFirst: {NO_POINTS} time_ms: new rows always come after the last"),
    ("ddl logs:slices --splits 3", 2, f"LogInSlices: {NO_POINTS} time_ms: new rows always come after the last"),
    ("ddl orders --splits 3 --json", 2, f"OrderByNumber: {NO_POINTS} order_number (TrailingText)"),
    # what is found on the way
    ("explain orders --key ff", 1, "not a key of orders: orders: OrderByNumber.order_number: must be UTF-8"),
    (f"explain orders --key {'61' * 32_768}", 1, "not a key of orders: "),
    ("explain logs:salted --key ff", 1, "not a key of logs:salted: logs_salted: LogTimeFirst.time_ms: needs 8 bytes"),
    (
        "explain logs:salted --key 048000019bb15caf007765622d31000147455400010011223344556677",
        1,
        "not a key of logs:salted: logs_salted: LogTimeFirst: Salt(of='host', buckets=8)",
    ),
    ("load orders none.csv --store embedded:a.db", 1, "none.csv: No such file or directory"),
    ("load logs:salted none.log --store embedded:a.db --json", 1, "none.log: No such file or directory\n"),
    ("load orders folder --store embedded:a.db", 1, "folder: Is a directory"),
    ("load orders empty --store embedded:a.db", 1, "empty: is empty"),
    ("load logs empty --store embedded:a.db", 1, "empty: is empty"),
    ("load orders binary --store embedded:a.db", 1, "binary: is not UTF-8 text (byte 00 at offset 1)"),
    ("load logs binary --store embedded:a.db", 1, "binary: is not UTF-8 text (byte 00 at offset 1); must be combined "),
    ("load orders header --store embedded:a.db", 1, "header: no column amount for Order.amount; map a field to one"),
    (f"load orders {QUIRKS} --store embedded:a.db", 1, f"{QUIRKS}: no column order_number, seller_id"),
    (f"load orders {QUIRKS} {MAP} --map status=state --store embedded:a.db", 1, f"{QUIRKS}: no column state"),
    (f"load logs {ORDERS} --store embedded:a.db", 1, f"{ORDERS}: no column host, event, time_ms for LogEvent.host"),
    (f"load orders {EVENTS} --store embedded:a.db", 1, f"{EVENTS}:1: no column order_number, seller_id"),
    (f"load orders {ORDERS} --store embedded:none/a.db", 1, "none/a.db: the folder"),
    (f"load orders {ORDERS} --store embedded:folder", 1, "folder: is a folder, name a file in it"),
    (f"load orders {ORDERS} --store embedded:pipe", 1, "pipe: is a pipe, a socket or a device, name a file\n"),
    (
        "ask orders order order_number=n --store embedded:pipe",
        1,
        "pipe: is a pipe, a socket or a device, name a file\n",
    ),
    ("run --store embedded:/dev/null", 1, "/dev/null: is a pipe, a socket or a device, name a file\n"),
    ("serve --store embedded:/dev/full", 1, "/dev/full: is a pipe, a socket or a device, name a file\n"),
    ("load orders /dev/null --store embedded:", 1, "/dev/null: is empty\n"),
    (
        "load orders /dev/zero --store embedded:",
        1,
        "/dev/zero: the first line must have fewer than 10485760 characters",
    ),
    ("load orders socket --store embedded:", 1, "socket: No such device or address\n"),
    (f"load orders {ORDERS} --store embedded:binary", 1, "binary: it is not a store, choose another path"),
    (f"load orders {ORDERS} --store embedded:other.db", 1, "table orders: must have the families o (has x)"),
    ("ask orders order order_number=n-42 --store embedded:none.db", 1, "none.db: no such store; rowbook load makes"),
    ("ask orders order order_number=n-42 --store embedded:", 1, "embedded:: has no table orders, orders_by_seller"),
    ("ask orders order order_number=n-42 --store embedded:new.db", 1, "embedded:new.db: has no table orders, orders_b"),
    ("ask logs:salted latest host=a event=e --store embedded:new.db", 1, "embedded:new.db: has no table logs_salted; "),
]


@pytest.fixture
def prepared(folder):
    """Files and stores that commands stumble over."""
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    (folder / "binary").write_bytes(b"\x7f\0\0binary" * 100)
    (folder / "header").write_text(HEADER.replace(",amount", ",price") + "n-1,s-1,b-1,2026-01-01,lamp,7\n")
    connect("embedded:new.db").close()
    connection = connect("embedded:other.db")
    connection.create_table("orders", {"x": {}})
    connection.close()


@pytest.mark.usefixtures("prepared", "few_samples")
@pytest.mark.parametrize(("line", "code", "message"), ENDS, ids=[line[:70] for line, *_ in ENDS])
def test_what_goes_wrong_is_one_line_and_an_exit_code(rowbook, line, code, message):
    ended, out, err = rowbook(line)
    assert (ended, out, err[: len(message)]) == (code, "", message)
    assert err.endswith("\n")
    assert err.count("\n") == 1


def test_wrong_usage_makes_no_store(rowbook, folder):
    for line, code, _message in ENDS:
        if code == 2 and "embedded:a.db" in line:
            rowbook(line)
    assert list(folder.iterdir()) == []


def test_nothing_is_run_before_every_name_is_known(rowbook, folder, monkeypatch):
    monkeypatch.setattr(running, "measure_variant", lambda *_: pytest.fail("must not run"))
    assert rowbook("run orders logs:none --store embedded:a.db")[0] == 2
    assert list(folder.iterdir()) == []


def test_a_gateway_that_is_not_there_is_one_line(rowbook, few_samples):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"hbase://127.0.0.1:{unused.getsockname()[1]}"
        for line in ("run", "run logs:salted --json", "ask orders order order_number=n-42", f"load orders {ORDERS}"):
            code, out, err = rowbook(f"{line} --store {url}")
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert err == f"{url}: cannot connect (Connection refused); is a Thrift gateway running there?\n"


def test_a_key_says_in_one_line_what_a_validator_of_attrs_refuses():
    @attrs.frozen
    class Ticket:
        seat: str = attrs.field(validator=attrs.validators.in_(["a"]))
        seller_id: str = ""

    orders = design_named("orders")
    load = attrs.evolve(orders.loads[0], record=Ticket)
    design = attrs.evolve(orders, loads=(load,))
    _rows, others = encode_keys(design, [BY_SELLER], ["seat=b"])
    reason = "needs seller_id= placed= order_number=, because 'seat' must be in ['a'] (got 'b')"
    assert others == [(BY_SELLER, reason)]


def test_a_store_file_in_a_folder_that_is_gone_is_one_line_about_the_file(rowbook, folder, monkeypatch):
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()
    code, out, err = rowbook(f"load orders {ORDERS} --store embedded:a.db")
    monkeypatch.chdir(folder)
    assert (code, out, err) == (1, "", "embedded:a.db: No such file or directory\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_store_that_cannot_be_written_is_one_line(rowbook, folder):
    connect("embedded:a.db").close()
    (folder / "a.db").chmod(0o400)
    code, _out, err = rowbook(f"load orders {ORDERS} --store embedded:a.db")
    assert (code, err.count("\n")) == (1, 1)
    assert "cannot be written" in err
