"""`rowbook adopt`: the layouts of tables without a record are recorded; and what commands say of such tables."""

from contextlib import closing

import attrs
import pytest

from domains.logs.design import DESIGN as LOGS
from domains.logs.keys import LOGS as TABLE
from domains.logs.records import LogEvent
from shared.stores import connect
from shared.tables import create_tables

ASK = "ask logs latest host=web-1 event=GET --store embedded:a.db"
WARNING = (
    "warning: table logs: the store has no record of its key layout, so nobody can tell whether the declared one made"
    " its rows; rowbook adopt compares them, and records it\n"
)


@pytest.fixture
def unrecorded(folder):
    """A store as an earlier release made it."""
    with closing(connect("embedded:a.db")) as connection:
        create_tables(connection, [attrs.evolve(TABLE, is_recorded=False)])
        LOGS.main.open(connection)
        event = LogEvent("web-1", "GET", 1_768_219_200_000, "info", "/", b"\0" * 8)
        connection.table("logs").put(TABLE.row(event), TABLE.cells.pack(event), timestamp=event.time_ms)


@pytest.mark.usefixtures("unrecorded")
def test_a_table_without_a_record_is_asked_with_one_line_of_warning_until_it_is_adopted(rowbook):
    code, out, err = rowbook(ASK)
    assert (code, err) == (0, WARNING)
    assert rowbook("adopt logs --store embedded:a.db") == (0, "logs: recorded, 1 row compared\n", "")
    assert rowbook("adopt logs --store embedded:a.db") == (0, "logs: recorded already, 1 row compared\n", "")
    assert rowbook(ASK) == (0, out, "")


@pytest.mark.usefixtures("unrecorded")
def test_rows_of_another_layout_are_not_adopted(rowbook):
    with closing(connect("embedded:a.db")) as connection:
        connection.table("logs").put(b"\7", {b"l:s": b"\xa4info", b"l:m": b"\xa1/"})
    code, out, err = rowbook("adopt logs --store embedded:a.db")
    assert (code, out) == (1, "")
    assert err.startswith("table logs: row 07 is not of row EscapedText, EscapedText, Descending(Int64), ")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("unrecorded")
def test_another_layout_under_a_recorded_name_is_refused_in_one_line(rowbook, monkeypatch):
    assert rowbook("adopt logs --store embedded:a.db")[0] == 0
    other = attrs.evolve(TABLE, key=next(v for v in LOGS.variants if v.name == "time-first").tables[0].key)
    variant = attrs.evolve(LOGS.main, tables=(other,))
    monkeypatch.setattr("domains.command_line.asking.find_variants", lambda _name: (LOGS, (variant,)))
    code, out, err = rowbook(ASK)
    assert (code, out) == (1, "")
    assert err.startswith("table logs: its keys are row EscapedText, EscapedText, ")
    assert "(the declared layout makes row Int64, EscapedText, " in err
    assert err.count("\n") == 1
