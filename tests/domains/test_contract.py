"""The contract that all designs and variants keep, on every engine; a design adds no test for any of it.

What holds of every question is in `shared.designs.FACTS`. A variant that breaks a fact must declare an exemption, and
an exemption that nothing needs fails too. So does a wrong answer that is right.
"""

import json
import re
from collections import defaultdict
from contextlib import closing, suppress
from functools import cache
from importlib import import_module
from itertools import islice
from operator import attrgetter

import attrs
import pytest

from domains.command_line.designs import all_designs
from shared.designs import FACTS, load_samples, measure, measure_pattern, metered, scratch_store
from shared.designs.growth import TIMES, growths, recorded_growth
from shared.keys import InvalidQuestion, KeyLayout, Salt
from shared.loading import UnreadableFile, read_lines
from shared.queries import MAX_LIMIT
from shared.tables import (
    ItemCells,
    LayoutMismatch,
    RecordCells,
    TableLayout,
    check_layouts,
)
from shared.testing import (
    check_equal_answers,
    check_every_table_has_rows,
    check_foreign_cursors,
    check_golden_keys,
    check_loading_twice,
    check_pages,
    check_round_trip,
    check_same_records,
    check_samples,
    check_writes_between_pages,
    stored_cells,
)
from shared.writes import Erasure, NotAllStored, writers_of
from tests.copies import ROOT, copy_design, run_example
from tests.engines import Embedded
from tests.programs.growth import measured_sizes, store_records
from tests.reference import without_reference

from .conftest import samples_of

FIXTURES = ROOT / "fixtures"
BY_NAME = {
    f"{design.name}:{variant.name}": (design, variant) for design in all_designs() for variant in design.variants
}
VARIANTS = list(BY_NAME)
ROWS_FOR_ONE = 2
"""A scan reads one row past its range to see that it ends, and of several merged ranges each a little ahead."""

COARSE_STEPS_MS = (1, 3 * 86_400_000)
"""Times are made multiples of these, so that few, then many records share one: a millisecond, three days."""
AGAIN_EACH = 11
"""Each eleventh sample is stored again."""

EMBEDDED = Embedded()

of_each_design = pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)


def exempt(design, variant, fact):
    """The patterns that a variant exempts from a fact."""
    exemptions = [exemption for exemption in (*design.exemptions, *variant.exemptions) if exemption.fact == fact]
    return [pattern for exemption in exemptions for pattern in exemption.patterns]


# ---- the samples, in every variant


@pytest.fixture(scope="module", params=VARIANTS)
def loaded(request, open_samples):
    """A design and a variant, with its samples stored, and its repository."""
    design, variant = BY_NAME[request.param]
    with open_samples(design, variant) as connection:
        yield design, variant, connection, variant.open(connection)


@pytest.mark.parametrize("name", VARIANTS)
def test_to_write_into_a_table_of_another_layout_is_refused(name):
    """If all tables have another one, nothing is stored; a writer without intents may have stored into other tables."""
    design, variant = BY_NAME[name]
    recorded = [table for table in variant.tables if table.is_recorded]
    for changed in (recorded, *([table] for table in recorded if table not in variant.unfilled)):
        names = {table.name for table in changed}
        tables = [with_another_salt(table) if table.name in names else table for table in variant.tables]
        with EMBEDDED.store(*tables) as connection:
            with pytest.raises((LayoutMismatch, NotAllStored), match="another layout needs a table of another name"):
                load_samples(connection, design, variant)
            assert not any(stored_cells(connection, changed).values())


def with_another_salt(table):
    key = KeyLayout(table.key.key_class, Salt(of=table.key.parts[0].name, buckets=3))
    return TableLayout(table.name, table.holds, key, table.cells, table.families)


def test_the_samples_fill_every_table_but_those_declared_unfilled(loaded):
    _design, variant, connection, _repository = loaded
    check_every_table_has_rows(connection, [table for table in variant.tables if table not in variant.unfilled])
    assert all(table in variant.tables for table in variant.unfilled)
    assert not any(stored_cells(connection, variant.unfilled).values())


def test_every_row_is_a_record_that_makes_the_same_row_and_cells(loaded):
    _design, variant, connection, _repository = loaded
    check_round_trip(connection, variant.tables)


def test_the_generated_functions_read_every_row_without_the_reference(loaded):
    _design, variant, connection, _repository = loaded
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


def reader_of(table):
    """The generated function that reads the records of a table, in a list; an empty list if it has none."""
    if isinstance(table.cells, ItemCells):
        return [table.cells.item]
    return [table.record] if isinstance(table.cells, RecordCells) and table.cells.marker is None else []


def check_key(layout, encoded):
    key = layout.decode(encoded)
    assert layout.encode(key) == layout.row_of(key) == encoded


def test_loading_the_same_records_twice_changes_nothing_unless_exempt(loaded):
    design, variant, connection, repository = loaded
    try:
        for load in design.loads:
            check_loading_twice(
                connection,
                variant.tables,
                lambda record, load=load: load.store_in(repository, record),
                islice(load.sample_records(), 0, None, AGAIN_EACH),
            )
        changed = False
    except AssertionError:
        changed = True
    exemptions = [exemption for exemption in (*design.exemptions, *variant.exemptions) if exemption.fact == "loading"]
    assert changed == bool(exemptions)


# ---- questions


def answers_of(design, measurements):
    """Each pattern with the records of three sorts of variants, by name: in order, in another order, and wrong."""
    for number, pattern in enumerate(design.patterns):
        in_order, in_other_orders, wrong = {}, {}, {}
        for variant in design.variants:
            measurement = measurements[variant.name][number]
            if not measurement.refused:
                is_wrong = variant.wrong is not None and pattern in variant.wrong.patterns
                is_exempt = pattern in exempt(design, variant, "order")
                kind = wrong if is_wrong else in_other_orders if is_exempt else in_order
                kind[variant.name] = measurement.records
        yield pattern, in_order, in_other_orders, wrong


@of_each_design
def test_all_variants_that_answer_give_the_same_records_but_those_that_are_wrong(open_samples, design):
    measurements = {}
    for variant in design.variants:
        with open_samples(design, variant) as connection:
            measurements[variant.name] = measure(connection, variant.open(connection), design.patterns)
    for pattern, in_order, in_other_orders, wrong in answers_of(design, measurements):
        right = {**in_order, **in_other_orders}
        assert all(right.values()), f"{pattern.question}: finds nothing in the samples"
        check_same_records(right)
        for name, records in wrong.items():
            with pytest.raises(AssertionError, match=f" and {name} answer differently"):  # otherwise it is right
                check_same_records({name: records, **right})


@of_each_design
def test_all_variants_that_answer_give_one_order_unless_exempt(design):
    exempt_patterns, differing_patterns = set(), set()
    for step_ms in COARSE_STEPS_MS:
        measurements = {variant.name: measured_with_ties(design, variant, step_ms) for variant in design.variants}
        for pattern, in_order, in_other_orders, _wrong in answers_of(design, measurements):
            if in_order:
                check_equal_answers(in_order)
            for name, records in in_other_orders.items():
                exempt_patterns.add((name, pattern.question))
                others = in_order or in_other_orders
                if any(other != records for other in others.values()):
                    differing_patterns.add((name, pattern.question))
    assert exempt_patterns == differing_patterns  # otherwise an exemption is needless


def measured_with_ties(design, variant, step_ms):
    """All records of every question of a variant, if the samples have times that are multiples of `step_ms` only."""
    patterns = [attrs.evolve(pattern, limit=MAX_LIMIT) for pattern in design.patterns]

    def store(connection):
        repository = variant.open(connection)
        for load in design.loads:
            records = [with_coarse_times(record, step_ms) for record in load.sample_records()]
            store_records(variant, load, repository, dict.fromkeys(records))

    stock = samples_of(design, variant) if step_ms == 1 else store
    with EMBEDDED.stocked_store(stock, *variant.tables) as connection:
        return measure(connection, variant.open(connection), patterns)


def with_coarse_times(record, step_ms):
    times = {name: value for name, value in attrs.asdict(record, recurse=False).items() if name.endswith("_ms")}
    return attrs.evolve(record, **{name: time_ms - time_ms % step_ms for name, time_ms in times.items()})


@of_each_design
def test_a_variant_is_not_to_copy_for_one_reason_and_the_design_itself_is(design):
    assert design.main.is_to_copy
    for variant in design.variants:
        assert variant.wrong is None or not variant.mistake
        if variant.wrong is not None:
            assert variant.wrong.loses
            assert variant.wrong.patterns
            assert {*map(id, variant.wrong.patterns)} <= {*map(id, design.patterns)}


def test_explain_tells_the_ranges_and_the_rpcs_of_every_question_before_it_reads(loaded):
    design, _variant, connection, repository = loaded
    for pattern in design.patterns:
        if pattern.answer != "page":
            continue
        with metered(connection) as cost:
            try:
                explanation = pattern.ask(repository, **pattern.sample).explain(pattern.limit)
            except InvalidQuestion:
                continue
        assert (cost.rpcs, cost.reads) == (0, []), pattern.question
        measured = measure_pattern(connection, repository, pattern, pattern.sample, pattern.limit)
        assert measured.explanation == explanation
        scanned = [  # what a page then gets may be in the same table: the message that a copy is of
            range_
            for read, (table, range_) in zip(measured.reads, measured.ranges, strict=True)
            if table == explanation.stored_in and (explanation.rpcs == 1 or not read.is_get)
        ]
        assert set(scanned) <= set(explanation.ranges), pattern.question
        assert explanation.rpcs <= measured.cost.rpcs, pattern.question
        if len(measured.records) == pattern.limit and explanation.is_exact:
            assert explanation.rpcs == measured.cost.rpcs, pattern.question


# ---- pages


def queries(design, repository):
    """The questions of a design that are answered by pages and that the repository answers, each with its query."""
    found = {}
    for pattern in design.patterns:
        with suppress(InvalidQuestion):
            if pattern.answer == "page":
                found[pattern.question] = pattern.ask(repository, **pattern.sample)
    return found


def test_pages_of_any_size_follow_each_other_without_gap_or_repeat(loaded):
    design, _variant, _connection, repository = loaded
    for query in queries(design, repository).values():
        check_pages(query, is_whole_rows=design.name == "tsdb")


def test_a_cursor_that_is_damaged_or_of_another_question_is_refused(loaded):
    design, _variant, _connection, repository = loaded
    check_foreign_cursors(queries(design, repository))


@pytest.mark.parametrize("name", VARIANTS)
def test_rows_that_come_or_go_between_two_pages_move_no_other(name):
    design, variant = BY_NAME[name]
    with EMBEDDED.stocked_store(samples_of(design, variant), *variant.tables) as connection:
        for query in queries(design, variant.open(connection)).values():
            check_writes_between_pages(connection, query)


# ---- costs at any size


@cache
def grown(name, sizes=(1, 2)):
    """A list for each size: every question of a variant, measured in tables of that size."""
    design, variant = BY_NAME[name]
    with EMBEDDED.stocked_store(samples_of(design, variant), *variant.tables) as connection:
        check_layouts(connection, variant.tables)  # here, so that no question counts these calls
        return [*measured_sizes(connection, design, variant, sizes)]


def changes_ranges(sizes):
    """The number of ranges that a pattern reads at each size, if it is not constant."""
    ranges = [len(size.reads) for size in sizes]
    return f"reads {', '.join(map(str, ranges))} ranges" if len(set(ranges)) > 1 else ""


def reads_too_many_rows(sizes):
    """The rows that a pattern reads and returns at the first size at which they are out of proportion.

    Of rows that hold many records their cells are counted, unless a server-side filter drops whole rows.
    """
    for size in sizes:
        (read, returned), ranges = size.read_and_returned, len(size.reads)
        if read > ROWS_FOR_ONE * (returned + ranges):
            return f"reads {read} rows, returns {returned} (ranges: {ranges})"
    return ""


def broken_and_needless(design, variant, measurements_by_size):
    """The facts that a variant breaks without an exemption, with figures; and the exemptions that it does not need."""
    broken, needless = [], []
    for fact, figures_of in (("ranges", changes_ranges), ("rows", reads_too_many_rows)):
        for sizes in zip(*measurements_by_size, strict=True):  # one pattern at every size
            if any(size.refused for size in sizes):
                continue
            pattern, figures = sizes[0].pattern, figures_of(sizes)
            is_exempt = pattern in exempt(design, variant, fact)
            if figures and not is_exempt:
                broken.append(f"{pattern.question}: {figures}")
            elif is_exempt and not figures:
                needless.append(f"{pattern.question}: is exempt from {fact}, and does not need to be")
    return broken, needless


@pytest.mark.parametrize("name", VARIANTS)
def test_costs_hold_at_any_size_unless_exempt(name):
    broken, _needless = broken_and_needless(*BY_NAME[name], grown(name))
    assert broken == []


def recorded_of(name):
    """What is recorded of a variant, by question; None if it is not to be copied."""
    design, variant = BY_NAME[name]
    return recorded_growth(design).variants.get(variant.name) if variant.is_to_copy else None


@pytest.mark.parametrize("name", [name for name, (_design, variant) in BY_NAME.items() if variant.is_to_copy])
def test_the_recorded_growth_begins_with_what_the_samples_cost(name):
    recorded = {question: growth.up_to(1) for question, growth in recorded_of(name).items()}
    assert recorded == growths(grown(name)[:1]), "run make growth"


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANTS)
def test_costs_hold_in_larger_tables_no_exemption_is_needless_and_the_recorded_growth_is_measured_again(name):
    recorded = recorded_of(name)
    sizes = 3 if recorded is None else max(len(growth.read) + bool(growth.ends) for growth in recorded.values())
    measured = grown(name, TIMES[:sizes])
    assert broken_and_needless(*BY_NAME[name], measured[:3]) == ([], [])
    assert recorded in (None, growths(measured)), "run make growth"


@of_each_design
def test_an_exemption_names_a_fact_and_questions_of_the_design(design):
    for variant in design.variants:
        for exemption in (*design.exemptions, *variant.exemptions):
            assert exemption.fact in FACTS
            assert exemption.reason
            assert set(map(id, exemption.patterns)) <= set(map(id, design.patterns))
            assert bool(exemption.patterns) == (exemption.fact != "loading")


@of_each_design
def test_no_two_patterns_ask_the_same_question(design):
    questions = [pattern.question for pattern in design.patterns]
    assert len(set(questions)) == len(questions)


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


@of_each_design
def test_golden_keys_are_those_of_every_table(design):
    golden = json.loads((FIXTURES / design.name / "keys.json").read_text(encoding="utf-8"))
    layouts = {table.name: table.key for variant in design.variants for table in variant.tables}
    check_golden_keys(layouts, {name: examples for name, examples in golden.items() if name in layouts})


@pytest.mark.parametrize(
    "design", [design for design in all_designs() if design.name != "tsdb"], ids=attrgetter("name")
)
def test_the_samples_hold_what_breaks_row_keys(design):
    check_samples([[*load.sample_records()] for load in design.loads])


OWN_FORMATS = [(design, load, of) for design in all_designs() for load in design.loads for of in load.formats]


@pytest.mark.parametrize(
    ("design", "load", "of"), OWN_FORMATS, ids=[f"{design.name}: {of.name}" for design, _, of in OWN_FORMATS]
)
def test_every_line_of_some_file_is_a_record_of_a_format_which_the_file_is_found_to_have(design, load, of):
    given = {"formats": load.formats, "year": None if of.has_year else 2025, "at_ms": 0 if of.may_lack_time else None}
    texts = {}
    for path in FIXTURES.rglob("*.*"):
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


# ---- copies


@of_each_design
def test_five_files_and_the_rooms_they_import_are_a_copy_that_runs(design, tmp_path):
    copy_design(design.name, tmp_path)
    done = run_example(design.name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


# ---- facts that would be broken


def test_a_cost_that_grows_with_the_table_is_noticed_at_the_size_where_it_begins():
    one_time, two_times = (size[0] for size in grown("orders:orders"))
    costly = attrs.evolve(two_times, cost=attrs.evolve(two_times.cost, rows_read=ROWS_FOR_ONE * 2 + 1))
    assert reads_too_many_rows([one_time, two_times]) == ""
    assert reads_too_many_rows([one_time, costly]) == "reads 5 rows, returns 1 (ranges: 1)"


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_the_variants_that_share_intents_or_erasures_share_their_sources(design):
    """They name rows of their sources, so `recover` of another source would end them, and complete nothing."""
    sources = defaultdict(set)
    for variant in design.variants:
        with closing(scratch_store(variant.tables)) as connection:
            writers = writers_of(variant.open(connection))
            for writer in writers:
                sources[writer.intents.name].add(writer.source.name)
            for table in variant.tables:
                if table.cells.record is Erasure:
                    sources[table.name].add(tuple(writer.source.name for writer in writers))
    assert {name: names for name, names in sources.items() if len(names) > 1} == {}
