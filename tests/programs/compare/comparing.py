"""Compares many sequences, in several threads, and shrinks what differs."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

from attrs import define, field, frozen

from tests.programs.compare.generating import EMPTY_QUALIFIERS, Generator
from tests.programs.compare.known import Known, explanation
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


def sequence(
    seed: str, kinds: Sequence[Kind], empty_qualifiers: float = EMPTY_QUALIFIERS
) -> tuple[Kind, list[Operation]]:
    """The kind of table and the operations that a seed makes."""
    random = Random(seed)
    (kind,) = random.choices(kinds, [_WEIGHTS[kind.name] for kind in kinds])
    return kind, Generator(random, kind, empty_qualifiers).operations(3 * LENGTH if kind.is_whole else LENGTH)


@define
class Comparison:
    """Sequences with the seeds `SEED/0`, `SEED/1`, ... on a reference store and a candidate."""

    reference: Reference
    candidate: Store
    seed: str
    kinds: Sequence[Kind] = tuple(KINDS.values())
    shrinking_s: float = SHRINKING_S
    empty_qualifiers: float = EMPTY_QUALIFIERS
    tally: Tally = field(factory=Tally)
    _next: int = 0
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
        failed = threading.Event()

        def work() -> None:
            try:
                while self.tally.operations < operations and len(self.tally.differences) < most_differences:
                    if failed.is_set():
                        return
                    with self._lock:
                        number, self._next = self._next, self._next + 1
                    self.run_one(f"{self.seed}/{number}")
                    with self._lock:
                        watch(self.tally)
            except BaseException:
                failed.set()
                raise

        with ThreadPoolExecutor(threads) as pool:
            for worker in [pool.submit(work) for _ in range(threads)]:
                worker.result()
        return self.tally

    def run_one(self, seed: str) -> None:
        """Runs one sequence, up to its first difference that is not known."""
        kind, operations = sequence(seed, self.kinds, self.empty_qualifiers)
        known: Counter[str] = Counter()
        difference: Difference | None = None
        answered: list[Answered] = []
        for answer in run(operations, kind, self.reference, self.candidate):
            answered.append(answer)
            rule = self._rule(answered, kind) if answer.differs else None
            if rule is not None:
                known[rule.name] += 1
            if answer.differs and (rule is None or rule.lasts or answer.operation.opens):
                difference = self._shrunk(seed, kind, answered) if rule is None else None
                break
        with self._lock:
            self.tally.operations += len(answered)
            self.tally.calls.update(answer.operation.call for answer in answered)
            self.tally.known += known
            if difference:
                self.tally.differences.append(difference)

    def _rule(self, answered: Sequence[Answered], kind: Kind) -> Known | None:
        """What explains the difference in the last of these answers."""
        return explanation([answer.operation for answer in answered[:-1]], answered[-1], kind)

    def _shrunk(self, seed: str, kind: Kind, answered: Sequence[Answered]) -> Difference:
        operations = [answer.operation for answer in answered]
        call = operations[-1].call
        for simpler in [*self._kinds_of_many(kind, operations), kind]:
            if self._differing(operations, simpler, call):
                smallest = shrunk(
                    operations,
                    lambda fewer, kind=simpler: self._differing(fewer, kind, call) is not None,
                    within_s=self.shrinking_s,
                )
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

    def _kinds_of_many(self, kind: Kind, operations: Operations) -> list[Kind]:
        """The kinds of tables that sequences share, and on which these operations might differ as well."""
        if any(operation.call in FLUSH for operation in operations):
            return []
        return [shared for shared in self.kinds if shared.families == kind.families and not shared.is_whole]
