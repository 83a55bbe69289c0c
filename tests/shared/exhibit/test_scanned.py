"""What a scan read of a table beside what it was to read: in words, and as it was measured; pages draw it."""

from contextlib import closing

import pytest

from shared.designs import scratch_store
from shared.exhibit.comparison import measure_variant
from shared.exhibit.scanned import ScannedTable, scanned_by
from shared.keys.ranges import RowRange
from tests.designs import all_designs
from tests.few_designs import few_of

BOTH, IN_VAIN, MISSED, NEITHER = (True, True), (False, True), (True, False), (False, False)
"""Whether rows were asked for, and whether they were read."""


def scanned(*rows):
    """A table of so many rows of each label and kind."""
    return ScannedTable.of(
        [RowRange(b"a", b"b")], [(label, *kind) for label, kind, count in rows for _ in range(count)]
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (scanned(("a", NEITHER, 2), ("b", BOTH, 1)), "1 row, of b"),
        (scanned(("a", BOTH, 2), ("b", IN_VAIN, 1), ("c", IN_VAIN, 3)), "6 rows, 4 of them of b, c"),
        (scanned(("a", BOTH, 2), ("a", IN_VAIN, 1)), "3 rows, 1 of them not asked for"),
        (scanned(("a", BOTH, 2), ("a", NEITHER, 1)), "2 rows, all asked for"),
        (scanned(*((name, IN_VAIN, 1) for name in "abcde")), "5 rows, not asked for"),
        (scanned(("a", BOTH, 1), ("b", MISSED, 2)), "1 row, of a; b missing"),
        (scanned(("a", IN_VAIN, 1), ("b", BOTH, 9), ("b", MISSED, 1)), "10 rows, 1 of them of a; 1 row missing"),
        (scanned(("a", MISSED, 2), ("a", NEITHER, 1)), "0 rows, 2 rows missing"),
    ],
)
def test_a_scan_in_words_names_what_it_read_in_vain_and_what_it_missed(table, words):
    assert table.words == words


@pytest.mark.parametrize("design", few_of(all_designs(), lambda design: design.name))
def test_a_question_reads_in_vain_what_was_measured(design):
    with closing(scratch_store(design.main.tables)) as connection:
        for measurement in measure_variant(connection, design, design.main).measurements:
            table = scanned_by(connection, design.main.record_tables, measurement)
            if table is not None:
                gets = sum(read.is_get for read in measurement.reads)
                beyond = measurement.read_for_records - gets - table.read
                assert 0 <= beyond <= 2 * len(table.ranges), measurement.pattern.question
                assert table.wanted == len(measurement.records)
