"""The samples on a real HBase: the cells, answers and costs are those of the embedded store.

So the tables of the READMEs, which are made on the embedded store, hold on HBase.
"""

import attrs
import pytest

from shared.designs import measure
from shared.queries import Page
from shared.testing.contracts import open_samples
from shared.testing.engines import Embedded
from tests.designs import all_designs

from .conftest import is_stored_once

pytestmark = pytest.mark.hbase

VARIANTS = [(design, variant) for design in all_designs() for variant in design.variants]


STABLE = [(design, variant) for design, variant in VARIANTS if not is_stored_once(design, variant)]
DATED_BY_SERVERS = ("profiles_one_cell", "profiles_slots")
"""Tables with cells that are written without a timestamp: by `checkAndPut`, which takes none, or as published."""


def each_of(variants):
    return pytest.mark.parametrize(("design", "variant"), variants, ids=lambda each: each.name)


@pytest.fixture
def on_hbase(rowbook_samples, design, variant):
    with rowbook_samples(design, variant) as connection:
        yield connection


@pytest.fixture
def in_memory(design, variant):
    with open_samples(Embedded(), design, variant) as connection:
        yield connection


@each_of(STABLE)
def test_every_cell_of_the_samples_is_stored_with_its_timestamp(on_hbase, in_memory, design, variant):
    for table in variant.record_tables:
        there, here = (stored(connection, design, table) for connection in (on_hbase, in_memory))
        assert there == here


DATED_BY_CLOCKS = (
    *("orders", "messages", "feeds", "tsdb", "catalog", "documents", "changes"),
    *("reservations", "sessions", "leaderboard"),
)


def stored(connection, design, table):
    """Every cell with its timestamp; if clocks date the cells of a design or a table, every row with its records."""
    rows = connection.table(table.name)
    if design.name in DATED_BY_CLOCKS or table.name in DATED_BY_SERVERS:
        return [(row, [fixed(record) for record in table.records(row, cells)]) for row, cells in rows.scan()]
    return list(rows.scan(include_timestamp=True))


def fixed(record):
    """The record without what is drawn at random, and what the last call had begun: other tests store samples again."""
    left_out = {name: value for name, value in (("run", b""), ("begun", {})) if hasattr(record, name)}
    return attrs.evolve(record, **left_out)


@each_of(VARIANTS)
def test_every_question_has_the_same_answer_ranges_rpcs_and_bytes(on_hbase, in_memory, design, variant):
    there, here = (
        measure(connection, variant.open(connection), design.patterns) for connection in (on_hbase, in_memory)
    )
    prefix = on_hbase.table("").name
    assert [comparable(measurement, prefix) for measurement in there] == [
        comparable(measurement, b"") for measurement in here
    ]


def comparable(measurement, prefix):
    """A measurement without the rows read, which HBase does not count, without the prefix of tables and cursors."""
    reads = [attrs.evolve(read, table=read.table.removeprefix(prefix)) for read in measurement.cost.reads]
    answer = measurement.answer
    if isinstance(answer, Page):
        answer = attrs.evolve(answer, cursor=answer.cursor and "there is a next page")
    explanation = measurement.explanation
    if explanation is not None:
        explanation = attrs.evolve(explanation, stored_in=explanation.stored_in.removeprefix(prefix))
    cost = attrs.evolve(measurement.cost, reads=reads, rows_read=None)
    return attrs.evolve(measurement, answer=answer, cost=cost, explanation=explanation)
