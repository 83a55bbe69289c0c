"""Empty stores of `tsdb`: with its own tables, and a repository of each of several layouts."""

from contextlib import contextmanager

import pytest

from domains.tsdb.keys import TABLES, Widths, data_table
from domains.tsdb.repository import TsdbRepository
from domains.tsdb.storage.codecs import SeriesSalt
from shared.writes import server_clock
from tests.domains.clocks import SetClock
from tests.domains.tsdb.compacting import NOW


@pytest.fixture
def simulated_time(monkeypatch):
    """The clock of a test may be far from that of the store, and it stands still while those of the machine run."""
    monkeypatch.setattr(server_clock, "MAX_SKEW_MS", 10**15)
    monkeypatch.setattr(server_clock, "MAX_DRIFT_MS", 10**15)


@pytest.fixture
def clock():
    return SetClock(NOW)


@pytest.fixture
def connection(new_store):
    return new_store(*TABLES)


LAYOUTS = {
    "plain": (data_table(), Widths()),
    "salted": (data_table(salt=SeriesSalt(1, 20)), Widths()),
    "other widths": (data_table(widths=Widths(1, 2, 4), salt=SeriesSalt(2, 3)), Widths(1, 2, 4)),
}


@contextmanager
def opened(engine, name):
    """A repository of a layout, in a store of its own."""
    points, widths = LAYOUTS[name]
    tables = TABLES._replace(points=points)
    with engine.store(*tables) as connection:
        yield TsdbRepository(connection, tables, widths=widths)


@pytest.fixture(params=LAYOUTS)
def repository(request, engine):
    with opened(engine, request.param) as repository:
        yield repository
