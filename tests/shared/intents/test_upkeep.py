"""An upkeep of several parts counts, lists and recovers what they do, without being told which of them can."""

from shared.upkeep import CombinedUpkeep, Upkeep
from shared.upkeep.recovery import Recovery

from .notes import Note, Notes, die


class Checking(Upkeep):
    """A part that only compares rows."""

    def found(self, progress, _told, /):
        yield from ()


def test_a_part_that_is_named_once_counts_lists_and_recovers(connection):
    die(connection, Note("a", "ada"))
    notes = Notes(connection)
    notes.store(Note("b", "bob"))
    upkeep = CombinedUpkeep(Checking(), CombinedUpkeep(notes.upkeep))
    assert upkeep.pending() == notes.pending() != []
    assert upkeep.recover(older_than_ms=0) == Recovery(1, 0, ())
    assert upkeep.pending() == [*upkeep.verify()] == []
    assert upkeep.counts == notes.upkeep.counts == {"source": 2, "line": 2}
