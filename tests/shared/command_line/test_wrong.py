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
