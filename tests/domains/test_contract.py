"""The contract that all designs and variants keep, on every engine; a design adds no test for any of it."""

import json
import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import islice
from operator import attrgetter

import attrs
import pytest

from shared.designs import FACTS, measure, store_records
from shared.exhibit import ShownDesign
from shared.exhibit.growth import TIMES, growths, recorded_growth
from shared.loading import Description, UnreadableFile, read_lines
from shared.queries.scanning import MAX_LIMIT
from shared.tables import ItemCells, RecordCells
from shared.tables.recorded_layouts import check_layouts
from shared.testing import DesignContract
from shared.testing.answers import check_equal_answers, check_same_records
from shared.testing.contracts import samples_of
from shared.testing.contracts.answers_contract import sorted_answers
from shared.testing.contracts.samples_contract import AGAIN_EACH
from shared.testing.costs import ROWS_FOR_ONE, broken_facts, exempt, reads_too_many_rows
from shared.testing.damaged_rows import some_row
from shared.testing.stored_samples import stored_cells
from tests.copies import ROOT
from tests.designs import all_designs
from tests.domains.hard_samples import check_samples
from tests.engines import Embedded
from tests.programs.growth import measured_sizes
from tests.reference import without_reference

from .by_design import contracts
from .variants import marks_of
from .wrong_input import WrongInputInOneLine

FIXTURES = ROOT / "fixtures"
BY_NAME = {
    f"{design.name}:{variant.name}": (design, variant) for design in all_designs() for variant in design.variants
}
VARIANTS = list(BY_NAME)
COARSE_STEPS_MS = (1, 3 * 86_400_000)
"""Times are made multiples of these, so that few, then many records share one: a millisecond, three days."""
SHOWN = [design for design in all_designs() if isinstance(design, ShownDesign)]
of_each_design = pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)


class ContractOfTheSuite(DesignContract, WrongInputInOneLine):
    """The contract, on larger data too, and on the functions that key classes generate; and the suite's own style."""

    def measured_sizes(self, variant):
        return grown(f"{self.design.name}:{variant.name}")

    # ---- what is declared is needed

    def test_variants_give_one_order_among_records_of_one_time_too_and_no_exemption_or_warning_is_needless(self):
        exempt_patterns, differing_patterns = set(), set()
        for step_ms in COARSE_STEPS_MS:
            measurements = {
                variant.name: measured_with_ties(self.design, variant, step_ms) for variant in self.design.variants
            }
            for pattern, in_order, in_other_orders, wrong in sorted_answers(self.design, measurements):
                right = {**in_order, **in_other_orders}
                assert all(right.values()) or step_ms > 1, f"{pattern.question}: finds nothing in the samples"
                if in_order:
                    check_equal_answers(in_order)
                for name, records in in_other_orders.items():
                    exempt_patterns.add((name, pattern.question))
                    if any(other != records for other in (in_order or in_other_orders).values()):
                        differing_patterns.add((name, pattern.question))
                for name, records in wrong.items() if step_ms == 1 else ():
                    with pytest.raises(
                        AssertionError, match=f" and {name} answer differently"
                    ):  # otherwise it is right
                        check_same_records({name: records, **right})
        assert exempt_patterns == differing_patterns

    def test_an_exemption_from_loading_is_needed(self, variant, connection, repository):
        if any(exemption.fact == "loading" for exemption in (*self.design.exemptions, *variant.exemptions)):
            before = stored_cells(connection, variant.tables)
            for load in self.design.loads:
                for record in islice(load.sample_records(), 0, None, AGAIN_EACH):
                    load.store_in(repository, record)
            assert stored_cells(connection, variant.tables) != before

    def test_the_tables_declared_unfilled_are_tables_of_the_variant_and_stay_empty(self, variant, connection):
        assert all(table in variant.tables for table in variant.unfilled)
        assert not any(stored_cells(connection, variant.unfilled).values())

    def test_a_row_with_a_damaged_cell_is_known_for_every_table(self, variant):
        assert all(some_row(table.key, table.name) for table in variant.tables)

    def test_no_two_patterns_ask_the_same_question(self):
        questions = [pattern.question for pattern in self.design.patterns]
        assert len({*questions}) == len(questions)

    def test_an_exemption_names_a_fact_and_questions_of_the_design(self):
        of_variants = (exemption for variant in self.design.variants for exemption in variant.exemptions)
        for exemption in (*self.design.exemptions, *of_variants):
            assert exemption.fact in FACTS
            assert exemption.reason
            assert {*map(id, exemption.patterns)} <= {*map(id, self.design.patterns)}
            assert bool(exemption.patterns) == (exemption.fact != "loading")

    def test_a_variant_is_not_to_copy_for_one_reason_and_the_design_itself_is(self):
        assert self.design.main.is_to_copy
        for variant in self.design.variants:
            assert variant.wrong is None or not variant.mistake
            if variant.wrong is not None:
                assert variant.wrong.loses
                assert variant.wrong.patterns
                assert {*map(id, variant.wrong.patterns)} <= {*map(id, self.design.patterns)}

    # ---- what is generated

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


def measured_with_ties(design, variant, step_ms):
    """All records of every question of a variant, if the samples have times that are multiples of `step_ms` only."""
    patterns = [attrs.evolve(pattern, limit=MAX_LIMIT) for pattern in design.patterns]

    def store(connection):
        repository = variant.open(connection)
        for load in design.loads:
            records = [with_coarse_times(record, step_ms) for record in load.sample_records()]
            store_records(variant, load, repository, dict.fromkeys(records))

    stock = samples_of(design, variant) if step_ms == 1 else store
    with Embedded().stocked_store(stock, *variant.tables) as connection:
        return measure(connection, variant.open(connection), patterns)


def with_coarse_times(record, step_ms):
    """The record with times that are multiples of `step_ms`."""
    values = attrs.asdict(record, recurse=False)
    times = {name: value for name, value in values.items() if name.endswith("_ms") and value is not None}
    return attrs.evolve(record, **{name: time_ms - time_ms % step_ms for name, time_ms in times.items()})


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
    broken = {(fact, pattern.question) for fact, pattern, _ in broken_facts(measured[:3])}
    refused = {one.pattern.question for size in measured[:3] for one in size if one.refused}
    exemptions = {(fact, of.question) for fact in ("ranges", "rows") for of in exempt(*BY_NAME[name], fact)}
    assert broken == {(fact, question) for fact, question in exemptions if question not in refused}
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
    given = Description(year=None if of.has_year else 2025, at="+0" if of.may_lack_time else "")
    texts = {}
    for path in SAMPLE_FILES:
        with suppress(UnreadableFile):
            lines = [
                *read_lines(path, load.record, formats=load.formats, description=attrs.evolve(given, format=of.name))
            ]
            if lines and all(line.record is not None for line in lines):
                texts[path] = path.read_text(encoding="utf-8")
    assert texts
    recognized = [path for path, text in texts.items() if of.recognizes(text.partition("\n")[0])]
    assert {read_lines(path, load.record, formats=load.formats, description=given).format for path in recognized} <= {
        of.name
    }


# ---- published keys


@of_each_design
def test_a_design_that_names_a_source_shows_the_published_key_of_one_of_its_own_tables(design):
    tables = design.main.tables
    if any(re.search(r"Source: .*\bS\d", table.key.key_class.__doc__) for table in tables):
        assert {published.table.name for published in design.published} & {table.name for table in tables}


@pytest.mark.parametrize(
    "design", [design for design in all_designs() if isinstance(design, ShownDesign)], ids=lambda design: design.name
)
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
