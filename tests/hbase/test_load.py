"""The comparison that all tests with killed servers rest on notices what it must."""

import pytest

from tests.programs.hbase.load import cells_of, compare, row_of, rows_of

ROWS = sorted(rows_of(0, 0) + rows_of(1, 0) + rows_of(1, 1))
ACKNOWLEDGED = {0: 1, 1: 2}


def scanned(rows):
    return [(row, cells_of(row)) for row in rows]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS, []),
        (sorted([*ROWS, row_of(0, 20)]), []),  # not acknowledged
        (ROWS[:7] + ROWS[8:], [f"{ROWS[7]!r} was acknowledged and is missing"]),
        ([*ROWS[:8], *ROWS[7:]], [f"{ROWS[7]!r} came after {ROWS[7]!r}"]),
        ([*ROWS[:7], ROWS[8], ROWS[7], *ROWS[9:]], [f"{ROWS[7]!r} came after {ROWS[8]!r}"]),
    ],
    ids=["all", "one more", "lost", "twice", "out of order"],
)
def test_a_row_that_is_lost_twice_or_out_of_order_is_named_and_one_more_may_be_there(rows, said):
    comparison = compare(scanned(rows), ACKNOWLEDGED)
    assert (comparison.faults, comparison.rows) == (said, len(rows))


@pytest.mark.parametrize("cells", [{}, {b"d:a": b"a of " + ROWS[7]}, cells_of(ROWS[8])], ids=["none", "half", "others"])
def test_a_row_with_other_cells_is_named(cells):
    rows = [*scanned(ROWS[:7]), (ROWS[7], cells), *scanned(ROWS[8:])]
    assert compare(rows, ACKNOWLEDGED).faults == [f"{ROWS[7]!r} holds {cells}"]
