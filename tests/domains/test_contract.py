"""The contract that all designs and variants keep, on every engine; a design adds no test for any of it."""

import json
import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from operator import attrgetter

import attrs
import pytest

from domains.command_line.designs import all_designs
from shared.designs.growth import TIMES, growths, recorded_growth
from shared.loading import UnreadableFile, read_lines
from shared.tables import ItemCells, RecordCells
from shared.tables.recorded_layouts import check_layouts
from shared.testing import DesignContract, check_samples
from shared.testing.contracts import samples_of
from shared.testing.costs import ROWS_FOR_ONE, broken_and_needless, reads_too_many_rows
from tests.copies import ROOT
from tests.engines import Embedded
from tests.programs.growth import measured_sizes
from tests.reference import without_reference

from .by_design import contracts
from .variants import marks_of

FIXTURES = ROOT / "fixtures"
BY_NAME = {
    f"{design.name}:{variant.name}": (design, variant) for design in all_designs() for variant in design.variants
}
VARIANTS = list(BY_NAME)
of_each_design = pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)


class ContractOfTheSuite(DesignContract):
    """The contract, on larger data too, and on the functions that key classes generate."""

    def measured_sizes(self, variant):
        return grown(f"{self.design.name}:{variant.name}")

    def test_the_generated_functions_read_every_row_without_the_reference(self, variant, connection):
        for table in variant.tables:
            rows = list(connection.table(table.name).scan())
            layouts = [table.key, *([table.cells.qualifier] if isinstance(table.cells, ItemCells) else [])]
            functions = [function for layout in layouts for function in (layout.encode, layout.decode, layout.row_of)]
            with without_reference(*functions, *reader_of(table)):
                for row, cells in rows:
                    check_key(table.key, row)
                    if isinstance(table.cells, ItemCells):
                        records = table.records(row, cells)
                        for record in records:
                            check_key(table.cells.qualifier, table.cells.column(record).partition(b":")[2])
                    elif reader_of(table) and not cells.keys().isdisjoint(table.cells.columns):
                        assert table.record(row, cells)


class Messages(ContractOfTheSuite):
    """A message tells wrong members in other words, because it needs a group to have any."""

    test_a_record_refuses_wrong_values_in_one_line = None


class Tsdb(ContractOfTheSuite):
    """Its pages end with whole rows; messages begin with the name of a tag, or with the table that lacks a name."""

    whole_rows = True
    also_refuses = ("host: ", r"tsdb-uid: \w+: ")


for of in all_designs():
    own_contract = {"messages": Messages, "tsdb": Tsdb}.get(of.name, ContractOfTheSuite)
    globals().update(contracts(own_contract, "design", {of.name: of}))


def reader_of(table):
    """The generated function that reads the records of a table, in a list; an empty list if it has none."""
    if isinstance(table.cells, ItemCells):
        return [table.cells.item]
    return [table.record] if isinstance(table.cells, RecordCells) and table.cells.marker is None else []


def check_key(layout, encoded):
    key = layout.decode(encoded)
    assert layout.encode(key) == layout.row_of(key) == encoded


# ---- costs at any size


@cache
def grown(name, sizes=(1, 2)):
    """A list for each size: every question of a variant, measured in tables of that size."""
    design, variant = BY_NAME[name]
    with Embedded().stocked_store(samples_of(design, variant), *variant.tables) as connection:
        check_layouts(connection, variant.tables)  # here, so that no question counts these calls
        return [*measured_sizes(connection, design, variant, sizes)]


def recorded_of(name):
    """What is recorded of a variant, by question; None if it is not to be copied."""
    design, variant = BY_NAME[name]
    return recorded_growth(design).variants.get(variant.name) if variant.is_to_copy else None


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=marks_of(*of)) for name, of in BY_NAME.items() if of[1].is_to_copy]
)
def test_the_recorded_growth_begins_with_what_the_samples_cost(name):
    recorded = {question: growth.up_to(1) for question, growth in recorded_of(name).items()}
    assert recorded == growths(grown(name)[:1]), "run python -m tests.programs growth"


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANTS)
def test_costs_hold_in_larger_tables_no_exemption_is_needless_and_the_recorded_growth_is_measured_again(name):
    recorded = recorded_of(name)
    sizes = 3 if recorded is None else max(len(growth.read) + bool(growth.ends) for growth in recorded.values())
    measured = grown(name, TIMES[:sizes])
    assert broken_and_needless(*BY_NAME[name], measured[:3]) == ([], [])
    assert recorded in (None, growths(measured)), "run python -m tests.programs growth"


# ---- fixtures


@of_each_design
def test_samples_and_keys_are_what_their_generators_write(design, tmp_path, monkeypatch):
    for generator in sorted((FIXTURES / design.name).glob("make_*.py")):
        module = import_module(f"fixtures.{design.name}.{generator.stem}")
        monkeypatch.setattr(module, "__file__", str(tmp_path / generator.name))
        module.main()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (FIXTURES / design.name / path.relative_to(tmp_path)).read_bytes(), path.name
    assert (tmp_path / "keys.json").exists()
    for load in design.loads:
        assert (tmp_path / load.samples.relative_to(FIXTURES / design.name)).exists()


@pytest.mark.parametrize(
    "design",
    [design for design in all_designs() if design.name not in ("reservations", "tsdb")],  # days are no times
    ids=attrgetter("name"),
)
def test_the_samples_hold_what_breaks_row_keys(design):
    check_samples([[*load.sample_records()] for load in design.loads])


SAMPLE_FILES = [path for path in FIXTURES.rglob("*.*") if path.suffix in {".csv", ".jsonl", ".log", ".prom", ".txt"}]
OWN_FORMATS = [(design, load, of) for design in all_designs() for load in design.loads for of in load.formats]


@pytest.mark.parametrize(
    ("design", "load", "of"), OWN_FORMATS, ids=[f"{design.name}: {of.name}" for design, _, of in OWN_FORMATS]
)
def test_every_line_of_some_file_is_a_record_of_a_format_which_the_file_is_found_to_have(design, load, of):
    given = {"formats": load.formats, "year": None if of.has_year else 2025, "at_ms": 0 if of.may_lack_time else None}
    texts = {}
    for path in SAMPLE_FILES:
        with suppress(UnreadableFile):
            lines = [*read_lines(path, load.record, format=of.name, **given)]
            if lines and all(line.record is not None for line in lines):
                texts[path] = path.read_text(encoding="utf-8")
    assert texts
    recognized = [path for path, text in texts.items() if of.recognizes(text.partition("\n")[0])]
    assert {read_lines(path, load.record, **given).format for path in recognized} <= {of.name}


# ---- published keys


@of_each_design
def test_a_design_that_names_a_source_shows_the_published_key_of_one_of_its_own_tables(design):
    tables = design.main.tables
    if any(re.search(r"Source: .*\bS\d", table.key.key_class.__doc__) for table in tables):
        assert {published.table.name for published in design.published} & {table.name for table in tables}


@of_each_design
def test_every_part_that_differs_from_the_published_one_says_why_and_no_other_does(design):
    tables = [table for variant in design.variants for table in variant.tables]
    for published in design.published:
        by_hand = json.loads((FIXTURES / design.name / "published.json").read_text(encoding="utf-8"))
        assert published.row == bytes.fromhex(by_hand[published.quoted])
        assert published.differing == [*published.deviations]
        names = [segment.name for segment in published.segments]
        assert [name for name in names if name in published.parts] == [*published.parts]
        assert published.table in tables
    for column in design.published_columns:
        by_hand = json.loads((FIXTURES / design.name / "published.json").read_text(encoding="utf-8"))
        assert column.column == bytes.fromhex(by_hand[column.quoted])
        assert (column.here == column.column) == (not column.deviation)
        assert column.table in tables


# ---- facts that would be broken


def test_a_cost_that_grows_with_the_table_is_noticed_at_the_size_where_it_begins():
    one_time, two_times = (size[0] for size in grown("orders:orders"))
    costly = attrs.evolve(two_times, cost=attrs.evolve(two_times.cost, rows_read=ROWS_FOR_ONE * 2 + 1))
    assert reads_too_many_rows([one_time, two_times]) == ""
    assert reads_too_many_rows([one_time, costly]) == "reads 5 rows, returns 1 (ranges: 1)"
