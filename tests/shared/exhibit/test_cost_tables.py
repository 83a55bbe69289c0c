"""Costs as text: a verdict on each question, RPCs, and refusals by their reasons."""

from types import ModuleType
from typing import Any

import attrs
import pytest

from shared.designs import AccessPattern, Measurement, Variant
from shared.designs.counting import Cost, Read
from shared.exhibit.comparison import VariantCosts
from shared.exhibit.cost_tables import question_row, refusals
from shared.exhibit.verdicts import verdict
from shared.keys.ranges import RowRange
from shared.queries import Page
from shared.queries.explanations import Explanation

ASK = AccessPattern("all notes", len, {})


def measured(answer: Any, by_client: tuple[str, ...] = (), by_server: tuple[str, ...] = (), **cost: Any) -> Measurement:
    """An answer and its cost, in one range unless told otherwise; that of a query if it leaves work beyond ranges."""
    ranges = tuple(RowRange(bytes([number]), bytes([number + 1])) for number in range(cost.pop("ranges", 1)))
    reads, explanation = [Read(b"t", rows, rows) for rows in ranges], None
    if by_client or by_server:
        answer = Page(answer, None, 0)
        said = {"is_wide": False, "rpcs": 3, "round_trips": 2, "is_exact": False}
        explanation = Explanation(b"t", ranges, 1, False, by_client, by_server, **said)
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
        (measured([1], ranges=8, rows_read=9), "8 ranges"),
        # A scan reads at most two rows beyond the answer.
        (measured(400, ranges=1, rows_read=3), "1 range"),
        (measured(400, ranges=1, rows_read=4), "4.0x, computed"),
        (measured(400, ranges=8, rows_read=18), "8 ranges, 18.0x, computed"),
        (measured([1, 2], ranges=1, rows_read=2, cells_fetched=4, is_wide=True), "1 range"),
        (measured([1, 2], ranges=1, rows_read=2, cells_fetched=5, is_wide=True), "2.5x, computed"),
        # Rows that hold many records, most of which a filter drops.
        (filtered([1, 2, 3], rows_read=6, rows_fetched=1, cells_fetched=3, is_wide=True), "6.0x, server filter"),
        (filtered([1, 2, 3], rows_read=3, rows_fetched=3), "1 range"),
        # If the store does not say what it read, the filter may have dropped any number of rows.
        (filtered([1, 2, 3], rows_fetched=3), "1.0x, server filter"),
        (measured([1, 2, 3], ("host",), rows_read=10), "3.3x, filtered"),
        (measured([], ("host",), rows_read=7), "7 for none, filtered"),
        (measured([1, 2], ("host", "order"), ("kind",), rows_read=3), "1.5x, sorted"),
        (measured([1], ("order",), ranges=2, rows_read=9), "2 ranges, 9.0x, sorted"),
        (with_gets(measured([1], ranges=1, rows_read=2), 1), "1 scan + 1 call for 1 row"),
        (with_gets(measured([1, 2], ranges=2, rows_read=4), 1), "2 scans + 1 call for 1 row"),
        (with_gets(measured([1, 2], ranges=0, rows_read=2), 2), "2 ranges"),
        (with_gets(measured([1, 2], (), ("kind",), rows_read=7), 2), "3.5x, server filter"),
        # If the store does not say what it read, it is what came over.
        (measured([1, 2], ("host",), rows_fetched=3), "1.5x, filtered"),
        (refused("Note.host: not so"), "refused"),
        # What a wrong answer costs would be compared with what right ones cost.
        (attrs.evolve(measured([1], ranges=1, rows_read=2), is_wrong=True), "wrong answer"),
        (attrs.evolve(measured([1], ("host",), ranges=8, rows_read=9), is_wrong=True), "wrong answer"),
    ],
)
def test_a_verdict_names_the_ranges_or_else_what_is_read_and_dropped(answer, wanted):
    assert wanted == verdict(answer)


def test_a_verdict_counts_the_calls_that_get_its_rows():
    wanted = with_gets(measured([1, 2], ranges=3, rows_read=5), 14)
    for number, read in enumerate(wanted.cost.reads):
        wanted.cost.reads[number] = attrs.evolve(read, call=number // 10)
    assert verdict(wanted) == "3 scans + 2 calls for 14 rows"


def test_the_column_of_ranges_agrees_with_the_verdict_beside_it_and_counts_no_gets():
    _question, words, ranges, *_others = question_row(with_gets(measured([1, 2], ranges=3, rows_read=5), 14))
    assert (words, ranges) == ("3 scans + 1 call for 14 rows", "3")


# ---- refusals ----------------------------------------------------------------------------------------

NEEDS = "needs a value for host"


def costs(name: str, measurements: list[Measurement]) -> VariantCosts:
    return VariantCosts(Variant(ModuleType(name), "", tables=(), open=len), 10, measurements, 1, 1, 1, 0)


ONE, TWO = refused(f"Note.at_ms: {NEEDS}", "one"), refused(f"Note.text: {NEEDS}", "two")
ANSWERED = measured([])


@pytest.mark.parametrize(
    ("measurements", "lines"),
    [
        # One reason is one line, whatever the key classes are called.
        (
            {
                "a": [refused(f"NoteByTime.at_ms: {NEEDS}"), ANSWERED],
                "c": [ANSWERED],
                "b": [refused(f"NoteByHost.at_ms: {NEEDS}"), ANSWERED],
            },
            [f'a and b refuse "all notes": at_ms: {NEEDS}'],
        ),
        # The part is left out if the reason is about several.
        ({"a": [ONE, TWO, ANSWERED]}, [f'a refuses "one" and "two": {NEEDS}']),
        ({"a": [ONE, TWO], "b": [ANSWERED, TWO]}, [f'a refuses every question; b refuses "two": {NEEDS}']),
        # Most questions are named at once and last.
        (
            {"a": [refused(f"Note.text: {NEEDS}", "one"), TWO, refused("Note.at_ms: has no end", "three")]},
            ['a refuses "three": at_ms: has no end', f"a refuses every other question: text: {NEEDS}"],
        ),
        # The name of a key class is left out, other words before a colon stay.
        (
            {"a": [refused("Note: has no range", "one"), refused("order: too many rows", "two"), ANSWERED]},
            ['a refuses "one": has no range', 'a refuses "two": order: too many rows'],
        ),
    ],
)
def test_refusals_are_a_line_for_each_reason(measurements, lines):
    variants = [costs(name, of_variant) for name, of_variant in measurements.items()]
    assert [refusal.line() for refusal in refusals(variants)] == lines
