"""Stores with the tables of notes, and the clocks of a machine that pass as a test says."""

import time
from collections.abc import Iterator
from contextlib import closing

import happybase
import pytest

from shared.stores import connect
from shared.tables import create_tables
from shared.writes import clock, intents
from shared.writes.slots import Slots
from tests.engines import NewStore

from .clocks import Machine
from .notes import TABLES, Notes, moving_notes


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine on which a test runs. Its slots are new, because slots remember when they were used last."""
    machine = Machine()
    monkeypatch.setattr(time, "time_ns", machine.time_ns)
    monkeypatch.setattr(clock, "_NEVER_SET", [machine.monotonic_ns])
    monkeypatch.setattr(intents, "SLOTS", Slots())
    return machine


@pytest.fixture
def connection() -> Iterator[happybase.Connection]:
    """An embedded store with the tables of notes."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        yield connection


@pytest.fixture
def notes(connection: happybase.Connection) -> Notes:
    """The notes of an embedded store."""
    return Notes(connection)


@pytest.fixture
def moving(connection: happybase.Connection) -> Notes:
    """The same with the moving list alone, and a clock of their own."""
    return moving_notes(connection)


@pytest.fixture
def on_each_engine(new_store: NewStore) -> happybase.Connection:
    """A store with the tables of notes, on a real HBase too."""
    return new_store(*TABLES)
