"""The rows of intents: how writers put, end and read them."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from ..tables import InvalidRow, TableLayout
from ..writes.dated_cells import put_rows
from ..writes.server_clock import MAX_SKEW_MS
from .slots import CLOCK_SLOT, INTENT_CELLS, SLOTS, SOURCE_TABLE, Intent, SlotOfProcess, idle

if TYPE_CHECKING:
    import happybase

Dated: TypeAlias = Mapping[bytes, tuple[bytes, int]]
"""The cells of a row, each with its timestamp."""

CLOCKS_APART_MS = 2 * MAX_SKEW_MS
"""The largest difference between two clocks that are both right."""


@attrs.frozen
class Pending:
    """A write that is under way, or whose writer died."""

    intent: Intent
    started_ms: int

    @property
    def source_row(self) -> bytes:
        """The row of its source. Raises ValueError for an idle slot."""
        return source_row_of(self.intent)


class IntentRows:
    """The table of the intents of one domain, on a connection."""

    def __init__(self, connection: "happybase.Connection", table: TableLayout[SlotOfProcess, Intent]) -> None:
        self.table = table
        self.rows = connection.table(table.name)

    def begin(self, intents: Iterable[Intent], at_ms: int) -> None:
        """Puts intents, each in a slot of its own. Costs: 1 put for each 1,000."""
        put_rows(self.rows, [(self.table.row(intent), INTENT_CELLS.pack(intent)) for intent in intents], at_ms)

    def end(self, intents: Iterable[Intent], at_ms: int) -> None:
        """Ends intents. `at_ms` is below the date of the slot's next one, which a late recoverer must not end.

        Costs: 1 put for each 1,000.
        """
        self.begin((idle(intent.process, intent.slot) for intent in intents), at_ms)

    def clock_row(self) -> tuple[bytes, dict[bytes, bytes]]:
        """The row and cells through which this process compares its clock; see `checked_moment`."""
        slot = idle(SLOTS.process, CLOCK_SLOT)
        return self.table.row(slot), INTENT_CELLS.pack(slot)

    def stored(self) -> dict[bytes, Dated]:
        """All slots. Costs: one scan of the table."""
        return dict(self.rows.scan(include_timestamp=True))

    def read(self, row: bytes, cells: Dated) -> Pending:
        """The intent in these cells of a row; of an idle slot, one that has ended. Raises InvalidRow."""
        if {*cells} == {SOURCE_TABLE}:  # the rest of an idle slot, whose row an earlier release has deleted
            cells = {column: (value, cells[SOURCE_TABLE][1]) for column, value in _IDLE_CELLS.items()}
        values = {column: value for column, (value, _) in cells.items()}
        return Pending(self.table.record(row, values), cells[INTENT_CELLS.column("source_row")][1])

    def pending(self, on_invalid: Callable[[InvalidRow], object]) -> list[Pending]:
        """The intents that have not ended, the oldest first; calls `on_invalid` with those that cannot be read."""
        slots: list[Pending] = []
        for row, cells in self.stored().items():
            try:
                slots.append(self.read(row, cells))
            except InvalidRow as error:
                on_invalid(error)
        return sorted((slot for slot in slots if slot.intent.source_row is not None), key=lambda slot: slot.started_ms)


_IDLE_CELLS = INTENT_CELLS.pack(idle(b"", 0))


def source_row_of(intent: Intent) -> bytes:
    """The row of the source of an intent. Raises ValueError if the intent has ended."""
    if intent.source_row is None:
        raise ValueError("the write has ended")
    return intent.source_row


def is_young(age_ms: int, most_ms: int) -> bool:
    """Whether work of this age is younger than `most_ms`; not if no right clock can show its date yet."""
    return -CLOCKS_APART_MS <= age_ms < most_ms


def dated_in_future(table: TableLayout[Any, Any], row: bytes, time_ms: int) -> InvalidRow:
    """Why a row stays that should go: a delete dated like its cells would also hide what is put there until then."""
    return InvalidRow(table.name, row, f"kept, because it is dated {time_ms}, after what any clock may show")
