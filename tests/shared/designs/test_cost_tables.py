"""Costs as text: a verdict on each question, RPCs, what a record writes, and refusals by their reasons."""

from types import ModuleType
from typing import Any

import attrs
import pytest

from shared.designs import AccessPattern, Measurement, Variant
from shared.designs.comparison import Busiest, VariantCosts
from shared.designs.cost_tables import (
    SPREAD_COLUMNS,
    WRITTEN_COLUMNS,
    refusals,
    rpcs,
    spread_rows,
    verdict,
    written_row,
)
from shared.designs.metering import Cost, Read
from shared.keys import RowRange
from shared.queries import Explanation, Page
from tests.engines import plain_table

ASK = AccessPattern("all notes", len, {})


def measured(answer: Any, by_client: tuple[str, ...] = (), by_server: tuple[str, ...] = (), **cost: Any) -> Measurement:
    """An answer and its cost, in one range unless told otherwise; that of a query if it leaves work beyond ranges."""
    ranges = tuple(RowRange(bytes([number]), bytes([number + 1])) for number in range(cost.pop("ranges", 1)))
    reads, explanation = [Read(b"t", rows, rows) for rows in ranges], None
    if by_client or by_server:
        answer = Page(answer, None, 0)
        explanation = Explanation(b"t", ranges, 1, False, by_client, by_server, is_wide=False, rpcs=3, is_exact=False)
    return Measurement(ASK, answer, Cost(reads=reads, **cost), explanation=explanation)


def filtered(answer: Any, **cost: Any) -> Measurement:
    """An answer that is not that of a query, read with a server-side filter."""
    measurement = measured(answer, **cost)
    reads = [attrs.evolve(read, filter=b"KeyOnlyFilter()") for read in measurement.cost.reads]
    return attrs.evolve(measurement, cost=attrs.evolve(measurement.cost, reads=reads))


def with_gets(measurement: Measurement, gets: int) -> Measurement:
    """The same with gets of so many rows besides."""
    rows = [RowRange(bytes([number]), bytes([number, 0])) for number in range(100, 100 + gets)]
    reads = [*measurement.cost.reads, *(Read(b"u", row, row) for row in rows)]
    return attrs.evolve(measurement, cost=attrs.evolve(measurement.cost, reads=reads))


def refused(reason: str, question: str = "all notes") -> Measurement:
    return Measurement(AccessPattern(question, len, {}), None, Cost(rpcs=3, rows_read=5), refused=reason)


# ---- verdicts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (measured([1], ranges=1, rows_read=2), "1 range"),
        (measured([1], ranges=8, rows_read=9), "8 ranges"),
        (measured(None, ranges=1, rows_read=0), "1 range"),
        # A scan reads at most two rows beyond the answer.
        (measured(400, ranges=1, rows_read=3), "1 range"),
        (measured(400, ranges=1, rows_read=4), "4.0x, computed"),
        (measured(400, ranges=8, rows_read=17), "8 ranges"),
        (measured(400, ranges=8, rows_read=18), "8 ranges, 18.0x, computed"),
        (measured([1, 2], ranges=1, rows_read=2, cells_fetched=4, is_wide=True), "1 range"),
        (measured([1, 2], ranges=1, rows_read=2, cells_fetched=5, is_wide=True), "2.5x, computed"),
        # Rows that hold many records, most of which a filter drops.
        (filtered([1, 2, 3], rows_read=6, rows_fetched=1, cells_fetched=3, is_wide=True), "6.0x, server filter"),
        (filtered([], rows_read=6, rows_fetched=0, is_wide=True), "6 for none, server filter"),
        (filtered([1, 2, 3], rows_read=3, rows_fetched=3), "1 range"),
        (filtered([1, 2], rows_read=12, rows_fetched=12, cells_fetched=60, is_wide=True), "30.0x, computed"),
        # If the store does not say what it read, the filter may have dropped any number of rows.
        (filtered([1, 2, 3], rows_fetched=3), "1.0x, server filter"),
        (measured(400, ranges=1, rows_read=2, cells_fetched=400), "1 range"),
        (measured([1, 2, 3], ("host",), rows_read=10), "3.3x, filtered"),
        (measured([1, 2], ("host", "kind"), rows_read=3), "1.5x, filtered"),
        (measured([1], ("host",), rows_read=1000), "1000.0x, filtered"),
        (measured([], ("host",), rows_read=7), "7 for none, filtered"),
        (measured([1, 2], ("order",), rows_read=3), "1.5x, sorted"),
        (measured([1, 2], ("host", "order"), ("kind",), rows_read=3), "1.5x, sorted"),
        (measured([1, 2], (), ("kind",), rows_read=3), "1.5x, server filter"),
        (measured([1, 2], ("host",), ("kind",), rows_read=3), "1.5x, filtered"),
        (measured([1], ("host",), ranges=8, rows_read=9), "8 ranges, 9.0x, filtered"),
        (measured([1], ("order",), ranges=2, rows_read=9), "2 ranges, 9.0x, sorted"),
        (with_gets(measured([1], ranges=1, rows_read=2), 1), "1 range, 1 get"),
        (with_gets(measured([1, 2], ranges=2, rows_read=4), 2), "2 ranges, 2 gets"),
        (with_gets(measured([1, 2], ranges=0, rows_read=2), 2), "2 ranges"),
        (with_gets(measured([1, 2], (), ("kind",), rows_read=7), 2), "3.5x, server filter"),
        # If the store does not say what it read, it is what came over.
        (measured([1, 2], ("host",), rows_fetched=3), "1.5x, filtered"),
        (refused("Note.host: not so"), "refused"),
        # What a wrong answer costs would be compared with what right ones cost.
        (attrs.evolve(measured([1], ranges=1, rows_read=2), is_wrong=True), "wrong answer"),
        (attrs.evolve(measured([1], ("host",), ranges=8, rows_read=9), is_wrong=True), "wrong answer"),
        (attrs.evolve(refused("Note.host: not so"), is_wrong=True), "refused"),
    ],
)
def test_a_verdict_names_the_ranges_or_else_what_is_read_and_dropped(answer, wanted):
    assert wanted == verdict(answer)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (measured([1], ranges=1, rpcs=4), "4"),
        (measured([1], ranges=0, rpcs=0), "0"),
        (measured([1], ranges=8, rpcs=43), "43"),
        (refused("Note.host: not so"), "-"),
    ],
)
def test_rpcs_are_a_number_unless_the_question_is_refused(answer, wanted):
    assert wanted == rpcs(answer)


# ---- what a record writes ----------------------------------------------------------------------------


def costs(
    name: str,
    measurements: list[Measurement],
    *busiest: Busiest,
    rows: float = 1,
    size: float = 1,
    rpcs: float = 1,
    intents: float = 0,
) -> VariantCosts:
    tables = tuple(plain_table(f"t{number}") for number in range(len(busiest)))
    return VariantCosts(
        Variant(ModuleType(name), "", tables=tables, open=len), 10, measurements, rows, size, rpcs, intents, busiest
    )


@pytest.mark.parametrize(("size", "wanted"), [(116.0, "116"), (489.6, "490"), (99.4, "99")])
def test_bytes_that_are_written_are_in_whole_numbers(size, wanted):
    row = written_row(costs("a", [], rows=3.0, size=size))
    assert row == ("3", wanted, "1", "-")
    assert len(row) == len(WRITTEN_COLUMNS)


@pytest.mark.parametrize(("rows", "wanted"), [(1.0, "1"), (1.4, "1.4"), (0.0334, "0.0334"), (1 / 3, "0.333")])
def test_rows_that_are_written_have_three_digits(rows, wanted):
    assert written_row(costs("a", [], rows=rows))[0] == wanted


@pytest.mark.parametrize(("calls", "wanted"), [(1.0, "1"), (7.00625, "7"), (7.06, "7.1"), (0.5, "0.5")])
def test_calls_that_store_a_record_have_one_digit_after_the_point(calls, wanted):
    assert written_row(costs("a", [], rpcs=calls))[2] == wanted


@pytest.mark.parametrize(("sent", "wanted"), [(0.0, "-"), (281.4, "281")])
def test_bytes_of_intents_are_a_number_if_there_are_any(sent, wanted):
    assert written_row(costs("a", [], intents=sent))[3] == wanted


def test_a_table_of_two_layouts_has_one_share():
    two_layouts = attrs.evolve(costs("a", [], Busiest(1, 8)).variant, tables=(plain_table("t"), plain_table("t")))
    shared = attrs.evolve(costs("a", [], Busiest(1, 8)), variant=two_layouts)
    assert list(spread_rows([shared])) == [("a", "t", "8", "12%")]


def test_each_table_has_the_share_of_its_newest_rows_and_their_number():
    rows = list(spread_rows([costs("a", [], Busiest(8, 8), Busiest(1, 8)), costs("b", [], Busiest(0, 0))]))
    assert rows == [("a", "t0", "8", "100%"), ("", "t1", "8", "12%"), ("b", "t0", "-", "-")]
    assert {len(row) for row in rows} == {len(SPREAD_COLUMNS)}


# ---- refusals ----------------------------------------------------------------------------------------

NEEDS = "needs a value for host"


def lines(*variants: VariantCosts) -> list[str]:
    return [refusal.line() for refusal in refusals(variants)]


def test_one_reason_is_one_line_whatever_the_key_classes_are_called():
    one = costs("a", [refused(f"NoteByTime.at_ms: {NEEDS}"), measured([])])
    other = costs("b", [refused(f"NoteByHost.at_ms: {NEEDS}"), measured([])])
    assert lines(one, costs("c", [measured([])]), other) == [f'a and b refuse "all notes": at_ms: {NEEDS}']


def test_the_part_is_left_out_if_the_reason_is_about_several():
    both = [refused(f"Note.at_ms: {NEEDS}", "one"), refused(f"Note.text: {NEEDS}", "two"), measured([])]
    assert lines(costs("a", both)) == [f'a refuses "one" and "two": {NEEDS}']


def test_a_variant_that_refuses_every_question_says_so():
    both = [refused(f"Note.at_ms: {NEEDS}", "one"), refused(f"Note.text: {NEEDS}", "two")]
    other = [measured([]), refused(f"Note.text: {NEEDS}", "two")]
    assert lines(costs("a", both), costs("b", other)) == [f'a refuses every question; b refuses "two": {NEEDS}']


def test_a_variant_that_refuses_every_question_for_several_reasons_names_most_questions_at_once_and_last():
    two = [refused(f"Note.text: {NEEDS}", name) for name in ("one", "two")]
    assert lines(costs("a", [*two, refused("Note.at_ms: has no end", "three")])) == [
        'a refuses "three": at_ms: has no end',
        f"a refuses every other question: text: {NEEDS}",
    ]


def test_the_name_of_a_key_class_is_left_out_and_other_words_before_a_colon_stay():
    whole = [refused("Note: has no range", "one"), refused("order: too many rows", "two"), measured([])]
    assert lines(costs("a", whole)) == ['a refuses "one": has no range', 'a refuses "two": order: too many rows']


def test_names_of_variants_stand_between_marks():
    (refusal,) = refusals([costs("a", [refused("no", "one"), measured([])])])
    assert refusal.line("`") == '`a` refuses "one": no'


def test_two_reasons_are_two_lines():
    both = [refused("Note.at_ms: has no end", "one"), refused("too many rows: 7", "two")]
    both.append(measured([]))
    assert lines(costs("a", both)) == ['a refuses "one": at_ms: has no end', 'a refuses "two": too many rows: 7']


def test_what_is_answered_is_not_refused():
    assert lines(costs("a", [measured([])])) == lines() == []
