"""Delivering group messages: a copy for each member, in steps; and finding copies that are lost."""

from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial

import attrs

from shared.intents import SourceRow
from shared.intents.without_intents import claim
from shared.intents.work_in_steps import UnfinishedWork
from shared.keys import shown
from shared.queries import scan
from shared.queries.scanning import in_batches
from shared.sources import BoundSource
from shared.tables import InvalidRow
from shared.upkeep import Finding, Instructions, Mendable, Upkeep
from shared.upkeep.findings import mended_together

from .keys import UNFINISHED
from .records import Message, StoredMessage, copies_of

MEMBERS_AT_ONCE = 1000
"""Number of members who get their copies in one step of a delivery."""
NOT_DELIVERED = "members may lack their copies; rowbook recover messages continues the delivery"


class GroupDeliveries(Upkeep):
    """Delivers group messages; the part of an upkeep that compares them with the copies that they say are delivered.

    A copy that its member has deleted keeps its row. So a copy without a row is lost, and `repair` creates it again,
    unread, also for a member who had read or deleted it. While a message is delivered, the lines of its copies come
    before the copies, and are no findings.
    """

    def __init__(self, messages: BoundSource[StoredMessage]) -> None:
        self._writer = messages.writer
        self._inbox = messages.table()
        unfinished = messages.table(UNFINISHED)
        self.unfinished = UnfinishedWork(messages.writer, unfinished, _is_unfinished, self._deliver, NOT_DELIVERED)
        self._copies = 0

    def deliver(self, message: Message) -> None:
        """Creates the copy of each member, in steps; the stored message counts the members who have their copies.

        A step claims its copies, which leaves existing copies as they are, and then raises the count. So two processes
        may deliver one message at once, and a step that died may run again. Only an erasure deletes the record of a
        copy, and before that it deletes the group message, or removes the member from it. So if a step sees a deleted
        copy, and the group message is still as it was read, the message was sent again after the erasure: then the copy
        is created again, too.
        """
        self._deliver(self._inbox.row(message))

    def _deliver(self, row: bytes) -> None:
        while True:
            message = self._writer.reader.read(row).record
            if message is None or message.is_delivered:
                return
            start, end = message.delivered, message.delivered + MEMBERS_AT_ONCE
            claim(self._writer, copies_of(message, start, end), partial(self._is_as_read, row, message))
            self._writer.write(message, partial(after_step, message, min(end, len(message.members))))

    def _is_as_read(self, row: bytes, message: StoredMessage) -> bool:
        stored = self._writer.reader.read(row).record
        return stored is not None and _have_same_copies(stored, message)

    # ---- upkeep

    @property
    def counts(self) -> Mapping[str, int]:
        """How many copies were compared so far."""
        return {"copy": self._copies}

    def found(self, progress: Callable[[], object], _told: Instructions | None, /) -> Iterator[Mendable]:
        """The copies that are lost, because they have no row. `repair` creates them.

        A copy has its row before the count of its group message includes it.
        Costs: one scan of the inboxes, and a call for each 1,000 copies.
        """
        self._copies = 0
        for batch in in_batches(self._delivered_copies()):
            row_of = {copy: self._inbox.row(copy) for copy, _ in batch}
            stored = self._writer.reader.read_each(row_of.values())
            lost = {
                copy: Finding("missing", self._inbox.layout.name, row_of[copy], original, _reason(copy))
                for copy, original in batch
                if _was_never_written(stored[row_of[copy]])
            }
            yield from mended_together(lost.values(), partial(self._created, lost))
            self._copies += len(batch)
            progress()

    def _created(self, lost: Mapping[StoredMessage, Finding]) -> set[Finding]:
        """Creates lost copies; returns the findings of those that are there now."""
        claim(self._writer, lost)
        stored = self._writer.reader.read_each(finding.row for finding in lost.values())
        return {finding for finding in lost.values() if not _was_never_written(stored[finding.row])}

    def about_to_be_claimed(self) -> Set[bytes]:
        """The rows of copies that are still to be created: their lines come first."""
        rows: set[bytes] = set()
        for source in self._writer.reader.read_each(self.unfinished.rows()).values():
            if not isinstance(source, InvalidRow) and source.record is not None:
                rows |= {self._inbox.row(copy) for copy in copies_of(source.record, source.record.delivered)}
        return rows

    def _delivered_copies(self) -> Iterator[tuple[StoredMessage, bytes]]:
        """The copies that group messages say are delivered, each with the row of its group message."""
        inbox = self._inbox
        for batch in in_batches(scan(inbox.rows, inbox.whole_table(), columns=inbox.layout.cells.columns)):
            for row, cells in batch:
                source = self._writer.reader.source_or_error(row, cells)
                if not isinstance(source, InvalidRow) and source.record is not None:
                    yield from ((copy, row) for copy in copies_of(source.record, 0, source.record.delivered))


def after_step(read: StoredMessage, end: int, stored: StoredMessage | None) -> StoredMessage | None:
    """The message with the count of copies raised to `end`; the stored one if its copies are not those that were read.

    Another process may have raised the count, or a member may have been erased.
    """
    if stored is None or not _have_same_copies(stored, read):
        return stored
    return attrs.evolve(stored, delivered=end)


def _have_same_copies(message: StoredMessage, other: StoredMessage) -> bool:
    return (message.delivered, message.members) == (other.delivered, other.members)


def _is_unfinished(message: StoredMessage) -> bool:
    return not message.is_delivered


def _was_never_written(source: SourceRow[StoredMessage] | InvalidRow) -> bool:
    return not isinstance(source, InvalidRow) and source.was_never_written


def _reason(copy: StoredMessage) -> str:
    return f"the copy of {shown(copy.receiver)} is lost"
