"""Which variants have an upkeep, and a clock that is wrong; the transcript `upkeep` has the commands."""

import time
from contextlib import closing, contextmanager
from itertools import islice

import pytest

from shared.stores import connect
from shared.tables import create_tables
from shared.testing import WatchedConnection
from shared.writes import WriterClock
from tests.designs import all_designs
from tests.shared.command_line import steps

UPKEEP = ("pending", "recover", "verify", "repair")
VARIANTS = [(design, variant) for design in all_designs() for variant in design.variants]
each_variant = pytest.mark.parametrize(
    ("design", "variant"), VARIANTS, ids=[f"{design.name}:{variant.name}" for design, variant in VARIANTS]
)


@contextmanager
def repository_of(variant):
    """A repository on an empty store, and the calls that change it."""
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        yield variant.open(watched := WatchedConnection(connection)), watched.calls


@each_variant
def test_a_variant_has_an_upkeep_and_answers_every_question_or_says_why_not(design, variant):
    with repository_of(variant) as (repository, _calls):
        has_upkeep = all(hasattr(getattr(repository, "upkeep", None), name) for name in UPKEEP)
        assert has_upkeep != bool(design.why_no_upkeep(variant)), "needs an attribute upkeep, or without_upkeep"
        assert hasattr(repository, "erase") == design.can_erase(variant)
        reasons = {pattern.method.__name__: pattern.why_lacking for pattern in design.patterns}
        lacks = getattr(repository, "lacks", {})
        assert [name for name in lacks if hasattr(repository, name)] == []
        assert [name for name in reasons if not hasattr(repository, name) and not (reasons | lacks)[name]] == []


@pytest.mark.parametrize(
    ("design", "variant"),
    [(design, variant) for design, variant in VARIANTS if design.without_upkeep and not variant.without_upkeep],
)
def test_a_design_without_upkeep_puts_one_row_for_a_record(design, variant):
    with repository_of(variant) as (repository, calls):
        for load in design.loads:
            for record in islice(load.sample_records(), 20):
                calls.clear()
                load.store_in(repository, record)
                assert len({(call.table, row) for call in calls for row, _ in call.rows}) == 1


def test_a_clock_that_is_wrong_is_one_line(rowbook, folder, monkeypatch):
    steps.place_two_orders()
    steps.delete("orders_by_seller", "732d3100017ffffffffffffc176e2d310001")
    monkeypatch.setattr(WriterClock, "read_ms", lambda _clock: time.time_ns() // 1_000_000 + 3_600_000)
    code, out, err = rowbook("verify orders --store embedded:a.db")
    assert (code, out, err.count("\n"), err[:7]) == (1, "", 1, "clock: ")
