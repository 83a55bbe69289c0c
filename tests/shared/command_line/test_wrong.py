"""What goes wrong and no transcript can show: long words, ports, rights, folders that are gone."""

import os
import re
import socket
from contextlib import closing
from itertools import islice

import attrs
import pytest

from domains.orders.keys import BY_SELLER
from shared.command_line.measured import running
from shared.command_line.rows.given_rows import encode_keys
from shared.command_line.screen.wrong_usage import WrongUsage
from shared.stores import connect
from shared.tables import create_tables
from tests.designs import all_designs, design_named
from tests.few_designs import few_of

LOAD = "load orders fixtures/orders/orders.csv"


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (f"ask orders of-seller seller_id=a --limit {'9' * 5000}", 2, "--limit: "),
        (f"ask orders numbered number_prefix={'n' * 32_768}", 2, "OrderByNumber.order_number: "),
        (f"explain orders --key {'61' * 32_768}", 1, "--key: a row key has 1..32767 bytes (got 32768)"),
    ],
)
def test_words_of_any_length_are_refused_in_one_line(rowbook, line, code, message):
    ended, out, err = rowbook(line)
    assert (ended, out, err[: len(message)], err.count("\n"), "or ask" in err) == (code, "", message, 1, False)


@pytest.mark.parametrize(
    ("content", "given"),
    [
        ("# rowbook\n\ntext, more\n", "'# rowbook', which looks like Markdown"),
        ("# rows, keys\n", "'# rows, keys', which looks like Markdown"),
        ("<!doctype html>\n<p>\n", "'<!doctype html>', which looks like HTML or XML"),
        ("one\n", "'one'"),
    ],
)
def test_a_text_that_is_not_csv_is_said_to_be_none(rowbook, folder, content, given):
    (folder / "README.md").write_text(content)
    columns = "must begin with the columns host, event, time_ms"
    others = "its first line does not look like combined log, log4j log or JSON lines"
    refused = f"README.md: is not CSV: {columns} (got {given}); {others}\n"
    assert rowbook("load logs README.md --store embedded:") == (1, "", refused)


@pytest.mark.parametrize("line", ["load orders a.csv --store", "ask orders of-seller --plot", "explain orders --key"])
def test_an_option_without_its_value_names_the_help_of_its_command(rowbook, line):
    command, *_words, option = line.split()
    refused = f"Option '{option}' requires an argument; see rowbook {command} --help\n"
    assert rowbook(line) == (2, "", refused)


OF_GUEST = "ask reservations of-guest guest_id=g-1"


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("ask orders with", "unknown question 'with': did you mean with-status?"),
        ("run orders:oldest", "unknown variant of orders 'oldest': did you mean oldest-first?"),
        ("review logs --keys keys", "review: give one of these: a design (NAME), or a file of row keys (--keys FILE)"),
        ("review logs --servers many", "--servers: must be 1..1000 (got 'many')"),
        (
            "scan logs --store embedded:",
            "embedded: is memory, in which nothing is stored yet; embedded:FILE is a store",
        ),
        (f"{OF_GUEST} from_day=soon", "from_day: must be a date such as 2017-06-23 (got 'soon')"),
        (f"{OF_GUEST} from_day=20270503", "from_day: must be a date such as 2017-06-23 (got '20270503')"),
        (
            "ask reservations free hotel=inn from_day=2027-05-05 until_day=2027-05-05",
            "until_day: must be after from_day 2027-05-05 (got 2027-05-05)",
        ),
    ],
)
def test_a_refusal_names_what_is_wanted(rowbook, line, refused):
    _code, out, err = rowbook(line)
    assert (out, err) == ("", f"{refused}\n")


@pytest.mark.parametrize("name", ["activity", "logs", "monitoring", "reservations"])
def test_a_key_that_no_table_has_is_refused_with_each_reason_once(rowbook, name):
    _code, out, err = rowbook(f"explain {name} --key --")
    _not_a_key, nearest = err.rstrip().split("; the nearest is ")
    _tables, _colon, reason = nearest.partition(": ")
    assert (reason in err, reason in " ".join(out.split())) == (True, False)


LOAD_A = "load orders a.csv --store embedded:"
OF_SELLER = "ask orders of-seller seller_id=a"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (f"{LOAD_A} --unit placed=h", 2),
        (f"{LOAD_A} --unit item=s", 2),
        (f"{LOAD_A} --time-format placed=%Q", 2),
        (f"{LOAD_A} --year 0", 2),
        (f"{LOAD_A} --at soon", 2),
        (f"{LOAD_A} --jobs 0", 2),
        (f"{LOAD_A} --tag =", 2),
        (f"{LOAD_A} --settings a=b", 2),
        ("load orders a.csv --store hbase://localhost:99999", 2),
        ("load orders a.csv --store hbase://", 2),
        (f"{OF_SELLER} seller_id=b", 2),
        (f"{OF_SELLER} status=", 2),
        (f"{OF_SELLER} since=2026-01-12T08:00+99:00", 2),
        (f"{OF_SELLER} since=5x-ago", 2),
        (f"{OF_SELLER} --limit -1", 2),
        (f"{OF_SELLER} --limit 1e3", 2),
        (f"{OF_SELLER} --cursor zz", 2),
        ("run orders --limit 20", 2),
        ("explain orders --key zz --form rot13", 2),
        ("explain orders --keys .", 1),
        ("scan orders orders --store embedded:none.db", 1),
        ("ddl orders --splits -1", 2),
        ("ddl orders --grants ''", 2),
        ("serve --port x", 2),
        ("serve --transport http", 2),
        ("recover orders --store embedded: --older-than -1", 2),
        ("recover orders --store embedded: --every 5", 2),
        ("repair orders --store embedded: --rate 0", 2),
        ("repair orders --store embedded: --discard x", 2),
        ("do orders x", 2),
        ("review logs --only none", 2),
        ("new x --only some", 2),
    ],
)
def test_what_is_wrong_is_one_line_in_a_pipe_and_on_a_terminal(rowbook, folder, terminal, words, code):
    (folder / "a.csv").write_text("order_number,seller_id,buyer_id,placed_ms,item,amount\nn-1,s,b,0,lamp,7\n")
    in_a_pipe = rowbook(words)
    terminal(80)
    on_a_terminal = rowbook(words)
    assert (in_a_pipe[0], in_a_pipe[1], in_a_pipe[2].count("\n")) == (code, "", 1)
    assert on_a_terminal[0] == code
    assert in_a_pipe[2].strip() in on_a_terminal[2]


def test_nothing_is_run_before_every_name_is_known(rowbook, folder, monkeypatch):
    monkeypatch.setattr(running, "measure_variant", lambda *_: pytest.fail("must not run"))
    assert rowbook("run orders logs:none --store embedded:a.db")[0] == 2
    assert list(folder.iterdir()) == []


def test_a_gateway_that_is_not_there_is_one_line(rowbook, fixtures):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"hbase://127.0.0.1:{unused.getsockname()[1]}"
        refused = f"{url}: cannot connect (Connection refused); is a Thrift gateway running there?\n"
        for line in ("run", "ask orders order order_number=n-42", LOAD):
            assert rowbook(f"{line} --store {url}") == (1, "", refused)


@pytest.mark.parametrize("design", few_of(all_designs(), lambda design: design.name))
def test_a_store_that_lacks_one_table_is_one_line_with_its_name_and_the_command_that_makes_it(rowbook, folder, design):
    kept_in = design.settings and design.settings.kept_in.name  # without which a store can be read
    missing = [table.name for table in design.main.tables if table.name != kept_in][-1]
    with closing(connect("embedded:a.db")) as connection:
        create_tables(connection, [table for table in design.main.tables if table.name != missing])
    load = f"rowbook load {design.name} FILE --store embedded:a.db"
    named = "; if they have other names, give these by --settings" if design.settings else ""
    refused = f"embedded:a.db: has no table {missing}; create missing tables with {load}{named}\n"
    ask = f"ask {design.name} {design.patterns[0].words} --store embedded:a.db"
    commands = ["adopt"] if design.without_upkeep else ["adopt", "recover", "verify", "repair"]
    for line in (ask, *(f"{command} {design.name} --store embedded:a.db" for command in commands)):
        assert rowbook(line) == (1, "", refused)
    file = folder / f"few{design.loads[0].samples.suffix}"
    with design.loads[0].samples.open(encoding="utf-8") as samples:
        file.write_text("".join(islice(samples, 5)), encoding="utf-8")
    assert [rowbook(line)[0] for line in (load.removeprefix("rowbook ").replace("FILE", file.name), ask)] == [0, 0]


def test_a_port_in_use_is_refused_with_one_line(rowbook):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = f"127.0.0.1:{port}: Address already in use; --port 0 picks a free port\n"
        assert rowbook(f"serve --port {port}") == (1, "", refused)


def test_a_key_says_in_one_line_what_a_validator_of_attrs_refuses():
    def of_ticket(record, _field, value):
        if value != record.seat:
            raise ValueError("Ticket.seller_id: must be the seat")

    @attrs.frozen
    class Ticket:
        seat: str = attrs.field(validator=attrs.validators.in_(["a"]))
        seller_id: str = attrs.field(default="a", validator=of_ticket)

    @attrs.frozen
    class Guest:
        seat: str = attrs.field(validator=attrs.validators.in_(["a", "b"]))
        room: str

    orders = design_named("orders")
    tickets, guests = (attrs.evolve(orders.loads[0], record=record) for record in (Ticket, Guest))
    design = attrs.evolve(orders, loads=(tickets,))
    with pytest.raises(WrongUsage, match=re.escape("'seat' must be in ['a'] (got 'b')")):
        encode_keys(design, [BY_SELLER.layout], ["seat=b"])
    both = attrs.evolve(design, loads=(tickets, guests))  # the seat of a guest may be b
    reason = "needs seller_id= placed_ms= order_number=, because 'seat' must be in ['a'] (got 'b')"
    of_seller = "needs placed_ms= order_number=, because Ticket.seller_id: must be the seat"
    for of, words, why in ((both, ["seat=b"], reason), (design, ["seat=a", "seller_id=b"], of_seller)):
        _rows, others = encode_keys(of, [BY_SELLER.layout], words)
        assert [(missing.table, missing.reason) for missing in others] == [(BY_SELLER.layout, why)]


def test_a_store_file_in_a_folder_that_is_gone_is_one_line_about_the_file(rowbook, folder, fixtures, monkeypatch):
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()
    ended = rowbook(f"load orders {fixtures}/orders/orders.csv --store embedded:a.db")
    monkeypatch.chdir(folder)
    assert ended == (1, "", "embedded:a.db: No such file or directory\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_store_that_cannot_be_written_is_one_line(rowbook, folder, fixtures):
    connect("embedded:a.db").close()
    (folder / "a.db").chmod(0o400)
    code, _out, err = rowbook(f"{LOAD} --store embedded:a.db")
    assert (code, err.count("\n")) == (1, 1)
    assert "cannot be written" in err
