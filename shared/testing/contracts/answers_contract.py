"""What the questions of a design answer: alike in all variants, page by page, as explained."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, TypeAlias

import happybase
import pytest

from ...designs import AccessPattern, Design, Measurement, Variant, measure, measure_pattern, metered
from ...designs.golden_answers import golden_answers, json_of_answers
from ...keys import InvalidQuestion
from ...tables.recorded_layouts import check_layouts
from ..answers import check_equal_answers, check_same_records
from ..costs import broken_facts, exempt
from ..engines import Embedded
from ..paging import check_foreign_cursors, check_pages, check_writes_between_pages
from .of_design import ContractOfDesign, OpenSamples, samples_of

ByVariant: TypeAlias = dict[str, Sequence[Any]]


class AnswersContract(ContractOfDesign):
    """Tests of what is answered."""

    whole_rows: ClassVar[bool] = False
    """Whether a page ends only after a whole row, which may hold more records than asked."""

    # ---- alike in all variants

    def test_all_variants_that_answer_give_the_same_records_in_one_order_unless_exempt(
        self, rowbook_samples: OpenSamples
    ) -> None:
        measurements: dict[str, list[Measurement]] = {}
        for variant in self.design.variants:
            with rowbook_samples(self.design, variant) as connection:
                measurements[variant.name] = measure(connection, variant.open(connection), self.design.patterns)
        for pattern, in_order, in_other_orders, _wrong in sorted_answers(self.design, measurements):
            assert in_order or in_other_orders, f"{pattern.question}: no variant answers it"
            if in_order:
                check_equal_answers(in_order)
            check_same_records({**in_order, **in_other_orders})

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
        for fact, pattern, figures in broken_facts(self.measured_sizes(variant)):
            assert pattern in exempt(self.design, variant, fact), f"{pattern.question}: {figures}"

    def measured_sizes(self, variant: Variant) -> Sequence[Sequence[Measurement]]:
        """Every question, measured on the samples; a subclass may add measurements of larger data."""
        with Embedded().stocked_store(samples_of(self.design, variant), *variant.tables) as connection:
            check_layouts(connection, variant.tables)  # here, so that no question counts these calls
            repository = variant.open(connection)
            if self.design.names_in_key is not None:  # so that it knows the names that it looks up once
                measure(connection, repository, self.design.patterns)
            return [measure(connection, repository, self.design.patterns)]


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
