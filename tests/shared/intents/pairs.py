"""Every pair of writes of each design, for the explorer. The writes are those of the crash tests."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from shared.testing import Store, Write
from shared.testing.crash_tests import CrashTests, crash_tests
from shared.upkeep.recovery import Recovery
from tests.domains.counters import stopped_writes as counters
from tests.domains.counters.stopped_writes import DAY, login, stored
from tests.domains.feeds import stopped_writes as feeds
from tests.domains.messages import stopped_writes as messages
from tests.domains.orders import stopped_writes as orders
from tests.engines import Embedded
from tests.shared.intents.interleaving import START_MS, Exploration, Explored, Scene
from tests.shared.intents.replaying import HandClock, Program, own_process
from tests.shared.intents.small_store import Cells, SmallStore

DOUBTS = {"counters": (counters.DayClosed, counters.ReplyLost)}
"""A login whose day was closed meanwhile may be counted or not."""
LEFT_OUT = {
    "feeds, pulled": {"follow", "follow_all", "unfollow", "trim"},  # the same as in "feeds, pushed"
    "counters": {"store", "new user"},  # a login is in two rows, but has no intent
}
BEFORE_MS = START_MS - 3_600_000
"""When the store got what the writes find: so long ago that a compaction drops its tombstones."""


def recover(repository: Any) -> Recovery:
    """Settles every write, however young it is."""
    recovery: Recovery = repository.upkeep.recover(older_than_ms=0)
    return recovery


def one_user(store: Store) -> None:
    """Fewer users than in the crash tests: each needs ten calls."""
    stored(store.repository(), login(), login(DAY + 1))


def closed_day(store: Store) -> None:
    one_user(store)
    store.die(counters.fold, before=lambda call: call.table.startswith("logins_by_day"))


@attrs.frozen(eq=False)
class Pair:
    """Two writes that run at once."""

    design: str
    tests: CrashTests
    write: Write
    rival: str
    """The name of the other write; empty if there is none."""
    doubts: tuple[type[Exception], ...] = ()

    def __str__(self) -> str:
        return f"{self.design}: {self.write.name}" + (f" | {self.rival}" if self.rival else "")

    def cells_before(self) -> Cells:
        """What the writes find."""
        store = SmallStore({}, BEFORE_MS)
        with own_process(HandClock(BEFORE_MS), "before"):
            self.write.before(Store(store.connection, self.tests.open))
        return store.cells


class PairExplorer:
    """Explores a pair in several ways; what its programs do after the same answers is found out once.

    `others` are the names of more rivals, which run at the same time.
    """

    def __init__(self, pair: Pair, *others: str) -> None:
        self._tests = pair.tests
        self._doubts = pair.doubts
        self._parts = pair.write.one_by_one
        self._writes: dict[str, Callable[[Any], object]] = {f"A ({pair.write.name})": pair.write.run}
        for letter, rival in zip("BCDE", filter(None, (pair.rival, *others)), strict=False):
            self._writes[f"{letter} ({rival})"] = pair.write.rivals[rival]
        self._before = pair.cells_before()
        self._programs: dict[tuple[str, int], Program] = {}

    def explore(self, scene: Scene, most: int) -> Explored:
        """Every order of the calls of the writes, of the recoverers, and of one recoverer that runs at last."""
        return self.exploration(scene).explore(most)

    def exploration(self, scene: Scene) -> Exploration:
        """The writes and recoverers of a scene."""
        names = [*self._writes, *(f"recoverer {number}" for number in range(scene.recoverers))]
        skews_ms = [*scene.skews_ms, *[0] * len(names)]
        programs = [self._program(name, skew_ms) for name, skew_ms in zip(names, skews_ms, strict=False)]
        last = self._program("last recoverer", 0)
        return Exploration(programs, last, self._tests, self._before, scene, len(self._writes), self._parts)

    def _program(self, name: str, skew_ms: int) -> Program:
        if (name, skew_ms) not in self._programs:
            run = self._writes.get(name, recover)
            program = Program(name, run, self._tests.open, self._tests.refusals, self._doubts, skew_ms)
            self._programs[name, skew_ms] = program
        return self._programs[name, skew_ms]


def _pairs() -> Iterator[Pair]:
    engine = Embedded()
    fold = attrs.evolve(counters.STOPPED, refusals=())
    pushed, pulled = feeds.STOPPED.variants
    folds = (
        attrs.evolve(counters.WRITES[0], before=one_user),
        attrs.evolve(counters.WRITES[1], before=closed_day),
    )
    designs = {
        "orders": (crash_tests(engine, orders.STOPPED, orders.DESIGN.main), orders.WRITES),
        "messages": (crash_tests(engine, messages.STOPPED, messages.DESIGN.main), messages.WRITES),
        "feeds, pushed": (crash_tests(engine, feeds.STOPPED, pushed), feeds.WRITES),
        "feeds, pulled": (crash_tests(engine, feeds.STOPPED, pulled), feeds.WRITES),
        "counters": (crash_tests(engine, fold, counters.DESIGN.main), folds),
    }
    for name, (tests, writes) in designs.items():
        for write in writes:
            if write.name in LEFT_OUT.get(name, ()):
                continue
            for rival in ("", *write.rivals):
                if rival in LEFT_OUT.get(name, ()):
                    continue
                yield Pair(name, tests, write, rival, DOUBTS.get(name, ()))


PAIRS = tuple(_pairs())
