"""Events: what happens is logged with fields, reaches the hook, and costs nothing and prints nothing otherwise."""

import logging
import subprocess
import sys
from contextlib import closing, suppress

import pytest

from shared.events import EVENTS, LOGGER, report, set_hook
from shared.intents import WriterUpkeep
from shared.stores import Unreachable, connect
from shared.stores.hbase import connection as hbase
from shared.stores.hbase import retries
from shared.tables import create_tables
from shared.upkeep.recovery import settle_each
from shared.writes import ClockSkew
from shared.writes.dated_cells import put_dated
from tests.shared.intents.clocks import SetClock
from tests.shared.intents.notes import TABLES, ById, Note, Notes
from tests.shared.stores.scripted_gateway import Fault, ScriptedGateway


@pytest.fixture
def hooked():
    """The events that reach the hook, as name and fields."""
    events = []
    set_hook(lambda event, fields: events.append((event, dict(fields))))
    yield events
    set_hook(None)


def happens_on_the_way(monkeypatch):
    """A call is lost, a socket and a scanner too; a batch is split, and one call counts as slow."""
    monkeypatch.setattr(retries, "SHORTEST_PAUSE_S", 0.005)
    with ScriptedGateway() as gateway:
        table = gateway.opened(retry_ms=10_000)
        for row in (b"a", b"b"):
            gateway.table.put(row, {b"d:a": b"1"})
        gateway.goes_wrong("getRowWithColumns", Fault.LOST_CALL)
        table.row(b"a")
        gateway.cut()
        table.row(b"a")
        gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
        assert [row for row, _ in table.scan(batch_size=1)] == [b"a", b"b"]
        with closing(connect(f"{gateway.url}?transport=framed")) as without_thrift2:
            put_dated(without_thrift2.table("t"), [(b"c", {b"d:a": b"1"}, 1), (b"c", {b"d:a": b"2"}, 2)])
        monkeypatch.setattr(hbase, "SLOW_S", 0.0)
        table.row(b"a")
        gateway.stop()
        with suppress(Unreachable):
            gateway.connect(retry_ms=0)


def happens_to_writers():
    """Two writers meet, clocks are compared, and one is wrong; recovery succeeds and fails; rows are compared."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        notes = Notes(connection)
        rivals = [Note("a", "bob"), None]

        def decide(stored):
            if rival := rivals.pop(0):
                notes.store(rival)
            return Note("a", "bob", text="later")

        notes.writer.write(ById("a"), decide)
        notes.writer.recover()
        assert [*WriterUpkeep(notes.writer).verify()] == []
        settle_each([b"r"], int, "notes")  # b"r" is no number
    with closing(connect("embedded:")) as connection, suppress(ClockSkew):
        create_tables(connection, TABLES)
        Notes(connection, clock=SetClock(3_600_000)).store(Note("a", "ann"))


def test_every_kind_of_event_reaches_the_hook_and_the_log_with_its_fields(hooked, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG, "rowbook.events")
    happens_on_the_way(monkeypatch)
    happens_to_writers()
    fields = {(event, *fields) for event, fields in hooked}
    assert fields == {(event, *kind.fields) for event, kind in EVENTS.items()}
    records = [record for record in caplog.records if record.name == "rowbook.events"]
    of_records = [
        (record.levelno, record.event, {name: getattr(record, name) for name in EVENTS[record.event].fields})
        for record in records
    ]
    levels = {event: kind.level for event, kind in EVENTS.items()}
    assert of_records == [(levels[event], event, fields) for event, fields in hooked if levels[event]]
    retry = next(record for record in records if record.event == "retry")
    assert retry.getMessage().startswith("retry: call='getRowWithColumns' table='t' attempt=1 waited_ms=")
    calls = [fields for event, fields in hooked if event == "call"]
    assert {call["attempts"] for call in calls} == {1, 2}


def test_a_hook_that_fails_is_logged_and_harms_nothing(caplog):
    set_hook(lambda event, fields: fields["nosuch"])
    try:
        report("conflict", table="notes")
    finally:
        set_hook(None)
    assert [record.getMessage() for record in caplog.records] == ["the hook failed for conflict"]


QUIET = """
from shared.events import report
report("failed_recovery", table="notes", reason="none")
"""


CONFIGURED = "import logging; logging.basicConfig()"
LINE = "ERROR:rowbook.events:failed_recovery: table='notes' reason='none'\n"


@pytest.mark.parametrize(("before", "printed"), [("", ""), (CONFIGURED, LINE)])
def test_nothing_is_printed_until_the_program_configures_logging(before, printed):
    ended = subprocess.run([sys.executable, "-c", before + QUIET], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("", printed)


def test_no_record_is_made_for_a_level_that_is_off(monkeypatch):
    monkeypatch.setattr(LOGGER, "log", None)  # a call would fail
    LOGGER.setLevel(logging.WARNING)
    try:
        report("conflict", table="notes")
    finally:
        LOGGER.setLevel(logging.NOTSET)
