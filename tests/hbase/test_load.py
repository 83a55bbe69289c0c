"""The comparison that all tests with killed servers rest on notices what it must."""

import pytest

from tests.programs.hbase.load import cells_of, compare, row_of, rows_of

ROWS = sorted(rows_of(0, 0) + rows_of(1, 0) + rows_of(1, 1))
ACKNOWLEDGED = {0: 1, 1: 2}


def scanned(rows):
    return [(row, cells_of(row)) for row in rows]


def faults(rows):
    return compare(scanned(rows), ACKNOWLEDGED).faults


def test_all_rows_once_and_in_order_are_right():
    assert compare(scanned(ROWS), ACKNOWLEDGED).rows == 60
    assert faults(ROWS) == []


def test_a_row_that_was_not_acknowledged_may_be_there():
    assert faults(sorted([*ROWS, row_of(0, 20)])) == []


def test_a_lost_row_is_named():
    assert faults(ROWS[:7] + ROWS[8:]) == [f"{ROWS[7]!r} was acknowledged and is missing"]


def test_a_row_twice_is_named():
    assert faults([*ROWS[:8], *ROWS[7:]]) == [f"{ROWS[7]!r} came after {ROWS[7]!r}"]


def test_a_row_out_of_order_is_named():
    assert faults([*ROWS[:7], ROWS[8], ROWS[7], *ROWS[9:]]) == [f"{ROWS[7]!r} came after {ROWS[8]!r}"]


@pytest.mark.parametrize("cells", [{}, {b"d:a": b"a of " + ROWS[7]}, cells_of(ROWS[8])], ids=["none", "half", "others"])
def test_a_row_with_other_cells_is_named(cells):
    rows = [*scanned(ROWS[:7]), (ROWS[7], cells), *scanned(ROWS[8:])]
    assert compare(rows, ACKNOWLEDGED).faults == [f"{ROWS[7]!r} holds {cells}"]
