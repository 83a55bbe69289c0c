"""A repair that dies, and another one that continues it."""

import pytest

from shared.upkeep import Instructions
from shared.upkeep.checkpoints import Checkpoint

from .conftest import BATCH_ROWS
from .notes import OWNERS, STATES, Note, put_all

NOTES = [Note(f"{number:05}", "ada") for number in range(2 * BATCH_ROWS + 5)]
pytestmark = pytest.mark.usefixtures("small_batches")


class Killed(BaseException):
    """The process is dead."""


class Runs:
    """Runs of one repair, which are killed after a batch, before or after it is saved."""

    def __init__(self, notes):
        self._notes = notes
        self.reached = {}
        self.sources = self.mended = 0

    def run(self, saves=None, *, is_saved=True):
        """Repairs until so many batches are saved, or to the end; returns whether it came there."""
        left = saves

        def save(reached):
            nonlocal left
            if left == 0:
                raise Killed
            if left is not None:
                left -= 1
            if left != 0 or is_saved:
                self.reached = reached

        try:
            instructions = Instructions(checkpoint=Checkpoint(self.reached, save))
            self.mended += sum(is_mended for _, is_mended in self._notes.upkeep.repair(instructions=instructions))
            return True
        except Killed:
            return False
        finally:
            self.sources += self._notes.upkeep.counts["source"]


@pytest.fixture
def without_a_list(connection, notes):
    """Notes whose list by owner is empty, as a new list is."""
    put_all(connection, NOTES)
    connection.delete_table(OWNERS.name, disable=True)
    connection.create_table(OWNERS.name, {"n": {}})
    return notes


@pytest.mark.parametrize("is_saved", [True, False], ids=["saved", "not-saved"])
def test_a_new_list_is_filled_by_repairs_that_die_and_each_continues_after_the_last_batch(without_a_list, is_saved):
    runs = Runs(without_a_list)
    while not runs.run(2, is_saved=is_saved):
        pass
    assert without_a_list.findings() == []
    assert runs.sources <= 3 * len(NOTES)
    assert runs.run()
    assert {*runs.reached.values()} == {None}


def test_a_repair_that_finds_an_orphaned_line_saves_nothing_more_and_keeps_the_line(connection, notes):
    put_all(connection, NOTES)
    line = STATES.row(orphan := STATES.key.key_class("open", "zz"))
    connection.table(STATES.name).put(line, STATES.cells.pack(orphan))
    runs = Runs(notes)
    for _ in range(2):
        assert runs.run()
        assert {passed for passed, row in runs.reached.items() if row is None} == {"searched notes_by_owner"}
    assert runs.mended == 0
    assert line in dict(connection.table(STATES.name).scan())


def test_a_checkpoint_beside_other_instructions_is_refused():
    with pytest.raises(ValueError, match="must be alone, because rows before it are skipped"):
        Instructions(restore=True, checkpoint=Checkpoint({}, len))
