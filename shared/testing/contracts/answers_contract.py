"""What the questions of a design answer: alike in all variants, page by page, as explained."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, TypeAlias

import attrs
import happybase
import pytest

from ...designs import (
    FACTS,
    AccessPattern,
    Design,
    Measurement,
    Variant,
    measure,
    measure_pattern,
    metered,
    store_records,
)
from ...designs.golden_answers import golden_answers, json_of_answers
from ...keys import InvalidQuestion
from ...queries.scanning import MAX_LIMIT
from ...tables.recorded_layouts import check_layouts
from ..answers import check_equal_answers, check_same_records
from ..costs import broken_and_needless, exempt
from ..engines import Embedded
from ..paging import check_foreign_cursors, check_pages, check_writes_between_pages
from .of_design import ContractOfDesign, OpenSamples, samples_of

COARSE_STEPS_MS = (1, 3 * 86_400_000)
"""Times are made multiples of these, so that few, then many records share one: a millisecond, three days."""

ByVariant: TypeAlias = dict[str, Sequence[Any]]


class AnswersContract(ContractOfDesign):
    """Tests of what is answered."""

    whole_rows: ClassVar[bool] = False
    """Whether a page ends only after a whole row, which may hold more records than asked."""

    # ---- alike in all variants

    def test_all_variants_that_answer_give_the_same_records_but_those_that_are_wrong(
        self, rowbook_samples: OpenSamples
    ) -> None:
        measurements: dict[str, list[Measurement]] = {}
        for variant in self.design.variants:
            with rowbook_samples(self.design, variant) as connection:
                measurements[variant.name] = measure(connection, variant.open(connection), self.design.patterns)
        for pattern, in_order, in_other_orders, wrong in sorted_answers(self.design, measurements):
            right = {**in_order, **in_other_orders}
            assert right, f"{pattern.question}: no variant answers it"
            assert all(right.values()), f"{pattern.question}: finds nothing in the samples"
            check_same_records(right)
            for name, records in wrong.items():
                with pytest.raises(AssertionError, match=f" and {name} answer differently"):  # otherwise it is right
                    check_same_records({name: records, **right})

    def test_all_variants_that_answer_give_one_order_unless_exempt(self) -> None:
        exempt_patterns: set[tuple[str, str]] = set()
        differing_patterns: set[tuple[str, str]] = set()
        for step_ms in COARSE_STEPS_MS:
            measurements = {
                variant.name: measured_with_ties(self.design, variant, step_ms) for variant in self.design.variants
            }
            for pattern, in_order, in_other_orders, _wrong in sorted_answers(self.design, measurements):
                if in_order:
                    check_equal_answers(in_order)
                for name, records in in_other_orders.items():
                    exempt_patterns.add((name, pattern.question))
                    others = in_order or in_other_orders
                    if any(other != records for other in others.values()):
                        differing_patterns.add((name, pattern.question))
        assert exempt_patterns == differing_patterns  # otherwise an exemption is needless

    def test_the_answers_of_the_samples_are_golden(
        self, rowbook_samples: OpenSamples, pytestconfig: pytest.Config
    ) -> None:
        """They are beside the samples; `--rowbook-golden-keys` writes those of questions that have none there."""
        path = self.design.loads[0].samples.with_name("answers.json")
        with rowbook_samples(self.design, self.design.main) as connection:
            repository = self.design.main.open(connection)
            answers = golden_answers(measure(connection, repository, self.design.patterns))
        golden: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if pytestconfig.getoption("rowbook_golden_keys"):
            golden = {question: golden.get(question, answer) for question, answer in answers.items()}
            path.write_text(json_of_answers(golden), encoding="utf-8")
        assert path.exists(), f"{path}: must exist (pytest --rowbook-golden-keys writes it; then commit it)"
        assert answers == golden

    # ---- explained, and page by page

    def test_explain_tells_the_ranges_and_the_rpcs_of_every_question_before_it_reads(
        self, connection: happybase.Connection, repository: Any
    ) -> None:
        for pattern in self.design.patterns:
            if pattern.answer == "page":
                check_explanation(connection, repository, pattern)

    def test_pages_of_any_size_follow_each_other_without_gap_or_repeat(self, repository: Any) -> None:
        for query in queries(self.design, repository).values():
            check_pages(query, is_whole_rows=self.whole_rows)

    def test_a_cursor_that_is_damaged_or_of_another_question_is_refused(self, repository: Any) -> None:
        check_foreign_cursors(queries(self.design, repository))

    def test_rows_that_come_or_go_between_two_pages_move_no_other(self, variant: Variant) -> None:
        with Embedded().stocked_store(samples_of(self.design, variant), *variant.tables) as connection:
            for query in queries(self.design, variant.open(connection)).values():
                check_writes_between_pages(connection, query)

    # ---- what is read

    def test_costs_hold_at_any_size_unless_exempt(self, variant: Variant) -> None:
        broken, _needless = broken_and_needless(self.design, variant, self.measured_sizes(variant))
        assert broken == []

    def measured_sizes(self, variant: Variant) -> Sequence[Sequence[Measurement]]:
        """Every question, measured on the samples; a subclass may add measurements of larger data."""
        with Embedded().stocked_store(samples_of(self.design, variant), *variant.tables) as connection:
            check_layouts(connection, variant.tables)  # here, so that no question counts these calls
            repository = variant.open(connection)
            if self.design.names_in_key is not None:  # so that it knows the names that it looks up once
                measure(connection, repository, self.design.patterns)
            return [measure(connection, repository, self.design.patterns)]

    # ---- what the design declares

    def test_no_two_patterns_ask_the_same_question(self) -> None:
        questions = [pattern.question for pattern in self.design.patterns]
        assert len({*questions}) == len(questions)

    def test_an_exemption_names_a_fact_and_questions_of_the_design(self) -> None:
        of_variants = (exemption for variant in self.design.variants for exemption in variant.exemptions)
        for exemption in (*self.design.exemptions, *of_variants):
            assert exemption.fact in FACTS
            assert exemption.reason
            assert {*map(id, exemption.patterns)} <= {*map(id, self.design.patterns)}
            assert bool(exemption.patterns) == (exemption.fact != "loading")

    def test_a_variant_is_not_to_copy_for_one_reason_and_the_design_itself_is(self) -> None:
        assert self.design.main.is_to_copy
        for variant in self.design.variants:
            assert variant.wrong is None or not variant.mistake
            if variant.wrong is not None:
                assert variant.wrong.loses
                assert variant.wrong.patterns
                assert {*map(id, variant.wrong.patterns)} <= {*map(id, self.design.patterns)}


# ---- variants


def sorted_answers(
    design: Design, measurements: Mapping[str, Sequence[Measurement]]
) -> Iterator[tuple[AccessPattern, ByVariant, ByVariant, ByVariant]]:
    """Each pattern with the records of three sorts of variants, by name: in order, in another order, and wrong."""
    for number, pattern in enumerate(design.patterns):
        in_order: ByVariant = {}
        in_other_orders: ByVariant = {}
        wrong: ByVariant = {}
        for variant in design.variants:
            measurement = measurements[variant.name][number]
            if not measurement.refused:
                is_wrong = variant.wrong is not None and pattern in variant.wrong.patterns
                is_exempt = pattern in exempt(design, variant, "order")
                kind = wrong if is_wrong else in_other_orders if is_exempt else in_order
                kind[variant.name] = measurement.records
        yield pattern, in_order, in_other_orders, wrong


def measured_with_ties(design: Design, variant: Variant, step_ms: int) -> list[Measurement]:
    """All records of every question of a variant, if the samples have times that are multiples of `step_ms` only."""
    patterns = [attrs.evolve(pattern, limit=MAX_LIMIT) for pattern in design.patterns]

    def store(connection: happybase.Connection) -> None:
        repository = variant.open(connection)
        for load in design.loads:
            records = [with_coarse_times(record, step_ms) for record in load.sample_records()]
            store_records(variant, load, repository, dict.fromkeys(records))

    stock = samples_of(design, variant) if step_ms == 1 else store
    with Embedded().stocked_store(stock, *variant.tables) as connection:
        return measure(connection, variant.open(connection), patterns)


def with_coarse_times(record: Any, step_ms: int) -> Any:
    """The record with times that are multiples of `step_ms`."""
    values = attrs.asdict(record, recurse=False)
    times = {name: value for name, value in values.items() if name.endswith("_ms") and value is not None}
    return attrs.evolve(record, **{name: time_ms - time_ms % step_ms for name, time_ms in times.items()})


# ---- queries


def queries(design: Design, repository: Any) -> dict[str, Any]:
    """The questions of a design that are answered by pages and that the repository answers, each with its query."""
    found: dict[str, Any] = {}
    for pattern in design.patterns:
        with suppress(InvalidQuestion):
            if pattern.answer == "page":
                found[pattern.question] = pattern.ask(repository, **pattern.sample)
    return found


def check_explanation(connection: happybase.Connection, repository: Any, pattern: AccessPattern) -> None:
    """Compares the ranges and RPCs that a query foretells with those that are counted."""
    with metered(connection) as cost:
        try:
            explanation = pattern.ask(repository, **pattern.sample).explain(pattern.limit)
        except InvalidQuestion:
            return
    assert (cost.rpcs, cost.reads) == (0, []), pattern.question
    measured = measure_pattern(connection, repository, pattern, pattern.sample, pattern.limit)
    assert measured.explanation == explanation
    scanned = [  # what a page then gets may be in the same table: the message that a copy is of
        range_
        for read, (table, range_) in zip(measured.reads, measured.ranges, strict=True)
        if table == explanation.stored_in and (explanation.rpcs == 1 or not read.is_get)
    ]
    assert {*scanned} <= {*explanation.ranges}, pattern.question
    assert explanation.rpcs <= measured.cost.rpcs, pattern.question
    assert explanation.round_trips <= measured.cost.round_trips, pattern.question
    if len(measured.records) == pattern.limit and explanation.is_exact:
        assert explanation.rpcs == measured.cost.rpcs, pattern.question
