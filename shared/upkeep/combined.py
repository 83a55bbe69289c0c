"""The upkeep of a design: completing interrupted work, finding rows that disagree, and mending them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from .findings import NOTHING_TOLD, Finding, Instructions
from .recovery import Recovery, check_age


class StartedWork(Protocol):
    """A write, or longer work, that has begun and may not have ended."""

    @property
    def started_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        ...


class Checks(Protocol):
    """A part of an upkeep, which compares some rows of a design, or looks for unfinished work, and mends both."""

    def verify(self, progress: Callable[[], object] = ...) -> Iterator[Finding]:
        """Every inconsistent row. Run it once a week, and after an accident. Calls `progress` often."""
        ...

    def repair(
        self, progress: Callable[[], object] = ..., instructions: Instructions = ...
    ) -> Iterator[tuple[Finding, bool]]:
        """Recovers, then mends what `verify` finds; with each finding, whether it was mended."""
        ...


@runtime_checkable
class Counts(Protocol):
    """A part that counts what it compares."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Rows compared by the latest `verify` or `repair` of each part, by a noun for their kind."""
        ...


@runtime_checkable
class Starts(Protocol):
    """A part that knows the writes that have not ended."""

    def pending(self) -> Sequence[StartedWork]:
        """The writes that have not ended, the oldest first: under way, or left by a process that died."""
        ...


@runtime_checkable
class Recovers(Protocol):
    """A part with work that another process can complete."""

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes work that is `older_than_ms`; if omitted, the part decides how old. Run it every few minutes."""
        ...


class Upkeep(Checks, Counts, Starts, Recovers, Protocol):
    """The upkeep of a design; `CombinedUpkeep` makes it from several parts."""


class Erases(Protocol):
    """A repository whose records name persons, and which can erase one."""

    def erase(self, who: str, /) -> int:
        """Removes what names a person; returns how many rows remain.

        If the repository has an `upkeep`, its `recover` removes them later.
        """
        ...


def no_progress() -> None:
    """Shows nothing."""


class CombinedUpkeep:
    """Several parts as one upkeep, run in the given order.

    A part that has `counts`, `pending` or `recover` is asked for them: it need not be named again.
    """

    def __init__(self, *parts: Checks) -> None:
        self._parts = parts

    @property
    def counts(self) -> dict[str, int]:
        """Rows compared by all parts together, by kind."""
        counts: Counter[str] = Counter()
        for part in self._parts:
            if isinstance(part, Counts):
                counts.update(part.counts)
        return dict(counts)

    def pending(self) -> list[StartedWork]:
        """The work of all parts that has not ended, the oldest first."""
        parts = [part for part in self._parts if isinstance(part, Starts)]
        return sorted((work for part in parts for work in part.pending()), key=lambda work: work.started_ms)

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Recovers each part that can."""
        check_age(older_than_ms)
        return Recovery.of_all([part.recover(older_than_ms) for part in self._parts if isinstance(part, Recovers)])

    def verify(self, progress: Callable[[], object] = no_progress) -> Iterator[Finding]:
        """All findings, part by part."""
        for part in self._parts:
            yield from part.verify(progress)

    def repair(
        self, progress: Callable[[], object] = no_progress, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Repairs each part in order; so a part that relies on another one comes after it."""
        for part in self._parts:
            yield from part.repair(progress, instructions)
