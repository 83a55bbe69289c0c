"""Stores with the tables of notes, the clocks of a machine, which pass as a test says, and small batches."""

import time
from contextlib import closing
from functools import partial

import pytest

from shared.intents import comparing_lines, write_steps
from shared.intents.slots import Slots
from shared.queries.scanning import in_batches, scan_in_batches
from shared.stores import connect
from shared.tables import create_tables
from shared.writes import clock

from .clocks import Machine
from .notes import TABLES, Notes, moving_notes

BATCH_ROWS = 10


@pytest.fixture
def small_batches(monkeypatch):
    """Comparisons read so few rows at once."""
    monkeypatch.setattr(comparing_lines, "scan_in_batches", partial(scan_in_batches, batch_rows=BATCH_ROWS))
    monkeypatch.setattr(comparing_lines, "in_batches", partial(in_batches, size=BATCH_ROWS))


@pytest.fixture
def machine(monkeypatch):
    """The machine on which a test runs. Its slots are new, because slots remember when they were used last."""
    machine = Machine()
    monkeypatch.setattr(time, "time_ns", machine.time_ns)
    monkeypatch.setattr(clock, "_NEVER_SET", [machine.monotonic_ns])
    monkeypatch.setattr(write_steps, "SLOTS", Slots())
    return machine


@pytest.fixture
def connection():
    """An embedded store with the tables of notes."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        yield connection


@pytest.fixture
def notes(connection):
    """The notes of an embedded store."""
    return Notes(connection)


@pytest.fixture
def moving(connection):
    """The same with the moving list alone, and a clock of their own."""
    return moving_notes(connection)
