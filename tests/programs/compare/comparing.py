"""Compares many sequences, in several threads, and leaves out of one that differs what does not matter."""

import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from random import Random

from attrs import define, field, frozen

from tests.programs.compare.generating import Generator
from tests.programs.compare.known import explanation
from tests.programs.compare.operations import Operation
from tests.programs.compare.places import KINDS, Kind, Store
from tests.programs.compare.running import Answered, run

LENGTH = 40
"""Operations of a sequence; three times as many of one that has a whole table to itself."""
SHORTENING_S = 30.0
"""What shortening one difference may take."""

_WEIGHTS = {"one family": 30, "two families": 30, "three families": 30, "three regions": 9, "whole table": 1}


@frozen
class Difference:
    """A sequence, with its answers, on whose last operation the stores differ."""

    seed: str
    kind: Kind
    answered: Sequence[Answered]
    is_reproduced: bool
    """Whether it showed again when the sequence was repeated."""

    def __str__(self) -> str:
        """The operations, and both answers to the last one."""
        last = self.answered[-1]
        return "\n".join(
            [
                f"seed {self.seed}, {self.kind}" + ("" if self.is_reproduced else ", not seen again when repeated"),
                *(f"  {answered.operation}" for answered in self.answered),
                f"  reference: {last.reference}",
                f"  candidate: {last.candidate}",
            ]
        )


@define
class Tally:
    """What was run so far, and what differed."""

    operations: int = 0
    known: Counter[str] = field(factory=Counter[str])
    differences: list[Difference] = field(factory=list[Difference])


def sequence(seed: str) -> tuple[Kind, list[Operation]]:
    """The kind of table and the operations that a seed makes."""
    random = Random(seed)
    (name,) = random.choices([*_WEIGHTS], [*_WEIGHTS.values()])
    kind = KINDS[name]
    return kind, Generator(random, kind).operations(3 * LENGTH if kind.is_whole else LENGTH)


@define
class Comparison:
    """Sequences with the seeds `SEED/0`, `SEED/1`, ... on a reference store and a candidate."""

    reference: Store
    candidate: Store
    seed: str
    shortening_s: float = SHORTENING_S
    tally: Tally = field(factory=Tally)
    _lock: threading.Lock = field(factory=threading.Lock)

    def run(
        self,
        operations: int,
        *,
        threads: int = 1,
        most_differences: int = 1,
    ) -> Tally:
        """Runs until so many operations are through, or so many differences were found."""
        numbers = count()

        def is_wanted() -> bool:
            return self.tally.operations < operations and len(self.tally.differences) < most_differences

        with ThreadPoolExecutor(threads) as pool:
            running: set[Future[None]] = set()
            while running or is_wanted():
                free = threads - len(running) if is_wanted() else 0
                running |= {pool.submit(self.run_one, f"{self.seed}/{next(numbers)}") for _ in range(free)}
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for worker in done:
                    worker.result()
        return self.tally

    def run_one(self, seed: str) -> None:
        """Runs one sequence, up to its first difference that is not known."""
        kind, operations = sequence(seed)
        known: Counter[str] = Counter()
        difference: Difference | None = None
        answered: list[Answered] = []
        for answer in run(operations, kind, self.reference, self.candidate):
            answered.append(answer)
            rule = self._rule(answered, kind) if answer.differs else None
            if rule is not None:
                known[rule] += 1
            if answer.differs and (rule is None or answer.operation.opens):
                difference = self._shortened(seed, kind, answered) if rule is None else None
                break
        with self._lock:
            self.tally.operations += len(answered)
            self.tally.known += known
            if difference:
                self.tally.differences.append(difference)

    def _rule(self, answered: Sequence[Answered], kind: Kind) -> str | None:
        """What explains the difference in the last of these answers."""
        return explanation([answer.operation for answer in answered[:-1]], answered[-1], kind)

    def _shortened(self, seed: str, kind: Kind, answered: Sequence[Answered]) -> Difference:
        """Without the operations that do not matter: first half of them at a time, in the end each alone."""
        until_s = time.monotonic() + self.shortening_s
        shortest = self._differing(answered, kind)
        if shortest is None:
            return Difference(seed, kind, answered, is_reproduced=False)
        size = len(shortest) // 2
        while size:
            for end in range(len(shortest), 0, -size):
                kept = [*shortest[: max(end - size, 0)], *shortest[end:]]
                is_same_call = kept[-1:] == shortest[-1:]
                if is_same_call and time.monotonic() < until_s and (again := self._differing(kept, kind)):
                    shortest = again
            size //= 2
        return Difference(seed, kind, shortest, is_reproduced=True)

    def _differing(self, given: Sequence[Answered], kind: Kind) -> Sequence[Answered] | None:
        """The answers to the same operations, if the last one is the first that differs."""
        answered: list[Answered] = []
        for answer in run([answer.operation for answer in given], kind, self.reference, self.candidate):
            answered.append(answer)
            if answer.differs and self._rule(answered, kind) is None:
                return answered if len(answered) == len(given) else None
        return None
