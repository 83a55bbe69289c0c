"""The upkeep of a design, alone or of several parts: what has begun and not ended, and what is wrong."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from ..events import report
from .findings import NOTHING_TOLD, Finding, Instructions, Mendable
from .recovery import Recovery, check_age


class StartedWork(Protocol):
    """A write, or longer work, that has begun and may not have ended."""

    @property
    def started_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC."""
        ...


class Erases(Protocol):
    """A repository whose records name persons, and which can erase one."""

    def erase(self, who: str, /) -> int:
        """Removes what names a person; returns how many rows remain.

        If the repository has an `upkeep`, its `recover` removes them later.
        """
        ...


def no_progress() -> None:
    """Shows nothing."""


class Upkeep:
    """The upkeep of a design, or a part of it: finds and mends wrong rows or unfinished work.

    A part writes `found`, from which `verify` and `repair` follow. A part that has more to say also writes `counts`,
    `pending` or `recover`. `CombinedUpkeep` makes one upkeep of several parts.
    """

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """What is wrong, each finding with what mends it. Calls `progress` often.

        `told` is what `repair` was told, which mends each finding before it asks for the next one. It is None for
        `verify`, which changes nothing; so only a `repair` may first recover, or mend several findings in one call.
        """
        raise NotImplementedError

    @property
    def counts(self) -> Mapping[str, int]:
        """Rows compared by the latest `verify` or `repair`, by a noun for their kind."""
        return {}

    def pending(self) -> Sequence[StartedWork]:
        """The writes that have not ended, the oldest first: under way, or left by a process that died."""
        return []

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Completes work that is `older_than_ms`; if omitted, the part decides how old. Run it every few minutes."""
        return Recovery(0, 0, ())

    def verify(self, progress: Callable[[], object] = no_progress) -> Iterator[Finding]:
        """Every inconsistent row. Run it once a week, and after an accident. Costs: see `found`."""
        counts: Counter[bool] = Counter()
        for mendable in self.found(progress, None):
            counts[mendable.finding.is_harmless] += 1
            yield mendable.finding
        report("verification", wrong=counts[False], harmless=counts[True])

    def repair(
        self, progress: Callable[[], object] = no_progress, instructions: Instructions = NOTHING_TOLD
    ) -> Iterator[tuple[Finding, bool]]:
        """Recovers, then mends what `verify` finds; with each finding, whether it was mended."""
        for mendable in self.found(progress, instructions):
            yield mendable.repair(instructions)


class CombinedUpkeep(Upkeep):
    """Several parts as one upkeep, run in the given order; so a part that relies on another one comes after it."""

    def __init__(self, *parts: Upkeep) -> None:
        self._parts = parts

    def found(self, progress: Callable[[], object], told: Instructions | None, /) -> Iterator[Mendable]:
        """What is wrong, part by part."""
        for part in self._parts:
            yield from part.found(progress, told)

    @property
    def counts(self) -> dict[str, int]:
        """Rows compared by all parts together, by kind."""
        counts: Counter[str] = Counter()
        for part in self._parts:
            counts.update(part.counts)
        return dict(counts)

    def pending(self) -> list[StartedWork]:
        """The work of all parts that has not ended, the oldest first."""
        return sorted((work for part in self._parts for work in part.pending()), key=lambda work: work.started_ms)

    def recover(self, older_than_ms: int | None = None) -> Recovery:
        """Recovers each part."""
        check_age(older_than_ms)
        return Recovery.of_all([part.recover(older_than_ms) for part in self._parts])
