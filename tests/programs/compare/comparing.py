"""Compares many sequences, in several threads, and shrinks what differs."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from random import Random

from attrs import define, field, frozen

from tests.programs.compare.generating import Generator
from tests.programs.compare.known import LASTING, explanation
from tests.programs.compare.operations import FLUSH, Operation, Operations
from tests.programs.compare.places import KINDS, Kind, Reference, Store
from tests.programs.compare.running import Answered, run
from tests.programs.compare.shrinking import shrunk

LENGTH = 40
"""Operations of a sequence; three times as many of one that has a whole table to itself."""
SHRINKING_S = 30.0
"""What shrinking one difference may take."""

_WEIGHTS = {"one family": 30, "two families": 30, "three families": 30, "three regions": 9, "whole table": 1}


@frozen
class Difference:
    """A sequence, with its answers, on whose last operation the stores differ."""

    seed: str
    kind: Kind
    answered: Sequence[Answered]
    is_reproduced: bool
    """Whether it showed again when the sequence was repeated."""

    @property
    def call(self) -> str:
        """The call that is answered differently."""
        return self.answered[-1].operation.call


@define
class Tally:
    """What was run so far, and what differed."""

    operations: int = 0
    calls: Counter[str] = field(factory=Counter[str])
    known: Counter[str] = field(factory=Counter[str])
    differences: list[Difference] = field(factory=list[Difference])
    started_s: float = field(factory=time.monotonic)

    @property
    def per_second(self) -> float:
        return self.operations / (time.monotonic() - self.started_s)


def sequence(seed: str) -> tuple[Kind, list[Operation]]:
    """The kind of table and the operations that a seed makes."""
    random = Random(seed)
    (name,) = random.choices([*_WEIGHTS], [*_WEIGHTS.values()])
    kind = KINDS[name]
    return kind, Generator(random, kind).operations(3 * LENGTH if kind.is_whole else LENGTH)


@define
class Comparison:
    """Sequences with the seeds `SEED/0`, `SEED/1`, ... on a reference store and a candidate."""

    reference: Reference
    candidate: Store
    seed: str
    shrinking_s: float = SHRINKING_S
    tally: Tally = field(factory=Tally)
    _lock: threading.Lock = field(factory=threading.Lock)

    def run(
        self,
        operations: int,
        *,
        threads: int = 1,
        most_differences: int = 1,
        watch: Callable[[Tally], None] = lambda tally: None,
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
                watch(self.tally)
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
            if answer.differs and (rule is None or rule in LASTING or answer.operation.opens):
                difference = self._shrunk(seed, kind, answered) if rule is None else None
                break
        with self._lock:
            self.tally.operations += len(answered)
            self.tally.calls.update(answer.operation.call for answer in answered)
            self.tally.known += known
            if difference:
                self.tally.differences.append(difference)

    def _rule(self, answered: Sequence[Answered], kind: Kind) -> str | None:
        """What explains the difference in the last of these answers."""
        return explanation([answer.operation for answer in answered[:-1]], answered[-1], kind)

    def _shrunk(self, seed: str, kind: Kind, answered: Sequence[Answered]) -> Difference:
        operations = [answer.operation for answer in answered]
        call = operations[-1].call
        for simpler in [*_kinds_of_many(kind, operations), kind]:

            def fails(fewer: Operations, kind: Kind = simpler) -> bool:
                return self._differing(fewer, kind, call) is not None

            if fails(operations):
                smallest = shrunk(operations, fails, within_s=self.shrinking_s)
                if again := self._differing(smallest, simpler, call):
                    return Difference(seed, simpler, again, is_reproduced=True)
        return Difference(seed, kind, answered, is_reproduced=False)

    def _differing(self, operations: Operations, kind: Kind, call: str) -> list[Answered] | None:
        """All answers, where the last one, to this call, is the first that differs."""
        if operations[-1].call != call:
            return None
        answered: list[Answered] = []
        for answer in run(operations, kind, self.reference, self.candidate):
            answered.append(answer)
            if answer.differs and self._rule(answered, kind) is None:
                return answered if len(answered) == len(operations) else None
        return None


def _kinds_of_many(kind: Kind, operations: Operations) -> list[Kind]:
    """The kinds of tables that sequences share, and on which these operations might differ as well."""
    if any(operation.call in FLUSH for operation in operations):
        return []
    return [shared for shared in KINDS.values() if shared.families == kind.families and not shared.is_whole]
