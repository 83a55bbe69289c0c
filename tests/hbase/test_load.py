"""The comparison that all tests with killed servers rest on notices what it must."""

from operator import itemgetter

import pytest

from tests.programs.hbase.load import cells_of, compare, row_of, rows_of

ROWS = sorted(rows_of(0, 0) + rows_of(1, 0) + rows_of(1, 1))
ACKNOWLEDGED = {0: 1, 1: 2}


WHOLE = [(row, cells_of(row)) for row in ROWS]


@pytest.mark.parametrize(
    ("scanned", "said"),
    [
        (WHOLE, []),
        (sorted([*WHOLE, (row_of(0, 20), cells_of(row_of(0, 20)))], key=itemgetter(0)), []),  # not acknowledged
        (WHOLE[:7] + WHOLE[8:], [f"{ROWS[7]!r} was acknowledged and is missing"]),
        ([*WHOLE[:8], *WHOLE[7:]], [f"{ROWS[7]!r} came after {ROWS[7]!r}"]),
        ([*WHOLE[:7], WHOLE[8], WHOLE[7], *WHOLE[9:]], [f"{ROWS[7]!r} came after {ROWS[8]!r}"]),
        *(
            ([*WHOLE[:7], (ROWS[7], cells), *WHOLE[8:]], [f"{ROWS[7]!r} holds {cells}"])
            for cells in ({}, {b"d:a": b"a of " + ROWS[7]}, cells_of(ROWS[8]))
        ),
    ],
    ids=["all", "one more", "lost", "twice", "out of order", "without cells", "half", "with others' cells"],
)
def test_a_row_that_is_lost_twice_out_of_order_or_has_other_cells_is_named(scanned, said):
    comparison = compare(scanned, ACKNOWLEDGED)
    assert (comparison.faults, comparison.rows) == (said, len(scanned))
