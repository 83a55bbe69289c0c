"""Costs as text: a verdict on each question, RPCs, what a record writes, and refusals by their reasons."""

from typing import Any

import pytest

from shared.designs import AccessPattern, Measurement, Variant
from shared.designs.comparison import Busiest, VariantCosts
from shared.designs.cost_tables import WRITTEN_COLUMNS, refusals, rpcs, verdict, written_row
from shared.designs.metering import Cost
from shared.keys.questions import RowRange
from shared.queries import Page

ASK = AccessPattern("all notes", len, {})


def measurement(
    answer: Any, by_client: tuple[str, ...] = (), by_server: tuple[str, ...] = (), **cost: Any
) -> Measurement:
    """An answer and its cost, in two ranges unless told otherwise."""
    if isinstance(answer, list) and (by_client or by_server):
        answer = Page(answer, None, 0, by_client, by_server)
    ranges = [(b"t", RowRange(b"", None))] * cost.pop("ranges", 2)
    return Measurement(ASK, answer, Cost(ranges=ranges, **cost))


def refused(reason: str, question: str = "all notes") -> Measurement:
    return Measurement(AccessPattern(question, len, {}), None, Cost(rpcs=3, rows_read=5), refused=reason)


# ---- verdicts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (measurement([1], ranges=1, rows_read=2), "1 range"),
        (measurement([1], ranges=8, rows_read=9), "8 ranges"),
        (measurement(None, ranges=1, rows_read=0), "1 range"),
        (measurement([1, 2, 3], ("host",), rows_read=10), "3.3x, filtered"),
        (measurement([1, 2], ("host", "kind"), rows_read=3), "1.5x, filtered"),
        (measurement([1], ("host",), rows_read=1000), "1000.0x, filtered"),
        (measurement([], ("host",), rows_read=7), "7 for none, filtered"),
        (measurement([1, 2], ("order",), rows_read=3), "1.5x, sorted"),
        (measurement([1, 2], ("host", "order"), ("kind",), rows_read=3), "1.5x, sorted"),
        (measurement([1, 2], (), ("kind",), rows_read=3), "1.5x, server filter"),
        (measurement([1, 2], ("host",), ("kind",), rows_read=3), "1.5x, filtered"),
        # If the store does not say what it read, it is what came over.
        (measurement([1, 2], ("host",), rows_fetched=3), "1.5x, filtered"),
        (refused("Note.host: not so"), "refused"),
    ],
)
def test_a_verdict_names_the_ranges_or_else_what_is_read_and_dropped(answer: Measurement, wanted: str) -> None:
    assert wanted == verdict(answer)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (measurement([1], ranges=1, rpcs=4), "4"),
        (measurement([1], ranges=0, rpcs=0), "0"),
        (measurement([1], ranges=8, rpcs=43), "43 (8 ranges)"),
        (refused("Note.host: not so"), "-"),
    ],
)
def test_rpcs_come_with_the_number_of_ranges_if_there_are_several(answer: Measurement, wanted: str) -> None:
    assert wanted == rpcs(answer)


# ---- what a record writes ----------------------------------------------------------------------------


def variant_costs(
    name: str, measurements: list[Measurement], *busiest: Busiest, rows: float = 1, size: float = 1
) -> VariantCosts:
    return VariantCosts(Variant(name, "", (), len), 10, measurements, rows, size, busiest)


@pytest.mark.parametrize(
    ("rows", "size", "busiest", "wanted"),
    [
        (1.0, 116.0, [Busiest(7, 7)], ("1", "116", "100% of 7")),
        (3.0, 489.6, [Busiest(8, 8), Busiest(1, 8)], ("3", "490", "100%, 12% of 8")),
        (2.0, 99.4, [Busiest(249, 250), Busiest(71, 250)], ("2", "99", "100%, 28% of 250")),
        (2.0, 99.4, [Busiest(2, 4), Busiest(1, 5), Busiest(0, 0)], ("2", "99", "50% of 4, 20% of 5, 0% of 0")),
    ],
)
def test_what_is_written_is_in_whole_numbers_and_shares_have_their_sample_size(
    rows: float, size: float, busiest: list[Busiest], wanted: tuple[str, ...]
) -> None:
    assert wanted == written_row(variant_costs("a", [], *busiest, rows=rows, size=size))
    assert len(wanted) == len(WRITTEN_COLUMNS)


# ---- refusals ----------------------------------------------------------------------------------------

NEEDS = "needs a value for host"


def lines(*variants: VariantCosts) -> list[str]:
    return [refusal.line for refusal in refusals(variants)]


def test_one_reason_is_one_line_whatever_the_key_classes_are_called() -> None:
    one = variant_costs("a", [refused(f"NoteByTime.at_ms: {NEEDS}"), measurement([])])
    other = variant_costs("b", [refused(f"NoteByHost.at_ms: {NEEDS}"), measurement([])])
    assert lines(one, variant_costs("c", [measurement([])]), other) == [f"at_ms: {NEEDS}: a, b (all notes)"]


def test_the_part_is_left_out_if_the_reason_is_about_several() -> None:
    both = [refused(f"Note.at_ms: {NEEDS}", "one"), refused(f"Note.text: {NEEDS}", "two"), measurement([])]
    assert lines(variant_costs("a", both)) == [f"{NEEDS}: a (one; two)"]


def test_a_variant_that_refuses_every_question_says_so() -> None:
    both = [refused(f"Note.at_ms: {NEEDS}", "one"), refused(f"Note.text: {NEEDS}", "two")]
    other = [measurement([]), refused(f"Note.text: {NEEDS}", "two")]
    assert lines(variant_costs("a", both), variant_costs("b", other)) == [f"{NEEDS}: a (every question), b (two)"]


def test_two_reasons_are_two_lines() -> None:
    both = [refused("Note.at_ms: has no end", "one"), refused("too many rows: 7", "two")]
    assert lines(variant_costs("a", both)) == ["at_ms: has no end: a (one)", "too many rows: 7: a (two)"]


def test_what_is_answered_is_not_refused() -> None:
    assert lines(variant_costs("a", [measurement([])])) == lines() == []
