"""The findings of `verify`, and instructions for `repair` about rows that it otherwise keeps."""

from collections.abc import Callable, Iterable, Iterator, Set
from functools import cache, partial
from typing import Literal, TypeAlias, TypeVar

import attrs

from ..keys.errors import UnknownCode, shown_bytes
from ..tables import InvalidRow
from .checkpoints import Checkpoint

R = TypeVar("R")

TIMES_READ_AGAIN = 2
"""How often a row that disagrees is read again before it is a finding: writers may be at work."""

Kind: TypeAlias = Literal[
    "missing",
    "dangling",
    "differing",
    "undecodable",
    "unknown",
    "orphaned",
    "future",
    "unsettled",
    "leaked",
    "left-over",
]


@attrs.frozen
class Finding:
    """A row that `verify` reports."""

    kind: Kind
    """For sources and their lines see `verifying.py`. A row with ids of a dictionary is orphaned if no name leads to
    it; the row of an id to which no name leads is leaked. A row is left-over if the design leaves it on purpose,
    because no question shows it; the reason names the command that removes it."""
    table: str
    row: bytes
    source_row: bytes | None
    """None if the row does not name its source, or is itself a source."""
    reason: str = ""

    @property
    def is_harmless(self) -> bool:
        """Whether nothing is wrong: writers leak ids, which are never assigned again, and designs leave rows over."""
        return self.kind in ("leaked", "left-over")

    def because(self, reason: str) -> "Finding":
        """The finding with one more reason."""
        return attrs.evolve(self, reason="; ".join(filter(None, (self.reason, reason))))

    def __str__(self) -> str:
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.table}: {self.kind} row {shown_bytes(self.row)}{reason}"


def unreadable(table: str, row: bytes, error: ValueError) -> Finding:
    """The finding of a row that cannot be read: undecodable, or unknown if it is probably of a later release."""
    is_unknown = error.is_unknown if isinstance(error, InvalidRow) else isinstance(error, UnknownCode)
    reason = error.reason if isinstance(error, InvalidRow) else str(error)
    return Finding("unknown" if is_unknown else "undecodable", table, row, None, reason)


def too_new_to_delete(table: bytes, row: bytes, column: bytes, date: int) -> str:
    """Why a cell stays that is dated after what a writer may put next, and how to remove it."""
    from ..tables.ddl import delete_statement

    remove = delete_statement(table.decode(), row, column, date)
    return f"dated {date}; Thrift1 would also hide later puts, so delete it in the HBase shell: {remove}"


@attrs.frozen
class Instructions:
    """How `repair` treats rows that it otherwise keeps, because they may hold the only copy; and where it continues.

    Raises ValueError for a `checkpoint` beside anything else: what it skips would be neither restored nor discarded.
    """

    restore: bool = False
    """Makes records again from their orphaned lines, if these hold all attributes."""
    discards_orphaned: bool = False
    """Removes orphaned lines."""
    discards_undecodable: bool = False
    """Removes lines and intents that cannot be read. It removes a source only if `discards_rows` names its row."""
    discards_rows: frozenset[tuple[str, bytes]] = frozenset()
    """Table and row of each other row to remove."""
    checkpoint: Checkpoint | None = None
    """Where the comparison of sources with their lines continues, and saves how far it has come."""

    def __attrs_post_init__(self) -> None:
        if self.checkpoint is not None and attrs.evolve(self, checkpoint=None) != NOTHING_TOLD:
            raise ValueError("Instructions.checkpoint: must be alone, because rows before it are skipped")

    def discards(self, finding: Finding, *, is_source: bool = False) -> bool:
        """Whether the row of a finding is to be removed."""
        if (finding.table, finding.row) in self.discards_rows:
            return True
        if finding.kind == "undecodable":
            return self.discards_undecodable and not is_source
        return self.discards_orphaned and finding.kind == "orphaned"


NOTHING_TOLD = Instructions()


def reason_told(failed: Iterable[str], table: str, row: bytes) -> str:
    """Why `recover` could not settle a row, by its `Recovery.failed`; empty if it does not name the row."""
    start = f"{table}: row {shown_bytes(row)}: "
    return next((reason.removeprefix(start) for reason in failed if reason.startswith(start)), "")


def _cannot() -> bool:
    return False


@attrs.frozen
class Mendable:
    """A finding, and two ways to mend it; each returns whether nothing is wrong now.

    `discard` may return the reason why it did not.
    """

    finding: Finding
    mend: Callable[[], bool] = _cannot
    """Loses nothing."""
    discard: Callable[[], bool | str] = _cannot
    """Removes what may be the only copy of its data; only if instructions say so."""
    is_source: bool = False

    def repair(self, instructions: Instructions) -> tuple[Finding, bool]:
        """The finding, and whether it was mended."""
        if self.mend():
            return self.finding, True
        is_told = instructions.discards(self.finding, is_source=self.is_source)
        result = is_told and self.discard()
        return (self.finding.because(result), False) if isinstance(result, str) else (self.finding, result)


def mended_together(findings: Iterable[Finding], mend: Callable[[], Set[Finding]]) -> Iterator[Mendable]:
    """Findings that one call of `mend` mends, before the first is reported; it returns those that it has mended."""
    mended = cache(mend)

    def is_mended(finding: Finding) -> bool:
        return finding in mended()

    return (Mendable(finding, partial(is_mended, finding)) for finding in findings)


def confirmed(
    records: list[R], disagreeing: Callable[[list[R]], list[R]], read_again: Callable[[list[R]], list[R]]
) -> list[R]:
    """The records that disagree with another table, also when both are read again, twice: writers may be at work.

    `disagreeing` reads the other table and chooses records; `read_again` returns records as they are now, without those
    that are gone.
    """
    wrong = disagreeing(records)
    for _ in range(TIMES_READ_AGAIN):
        wrong = disagreeing(read_again(wrong))
    return wrong
