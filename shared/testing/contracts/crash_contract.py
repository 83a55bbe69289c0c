"""Writers that die, pause or meet another one at any call: what readers see, and what completes it, as a class."""

from collections.abc import Iterator
from inspect import signature
from operator import attrgetter
from typing import ClassVar

import pytest

from ...keys.errors import shown
from ..crash_tests import CrashTests, crash_tests
from ..engines import Engine
from ..rival_checks import check_a_store_that_fails_often, check_late_calls, check_rivals
from ..stop_checks import check_a_crash_of_the_recoverer_too, check_a_pause_at_each_call, check_a_stop_at_each_call
from ..stopped_writes import Opened, StoppedWrites, Write

STOPS, STOPS_OF_SLOW = 6, 4
"""Calls of a write of the first variant at which it is stopped, unless all are; fewer if a store takes long to make."""
FEW, FEWEST = 2, 1
"""Points that every other check visits; fewer in other variants, or if a store takes long to make."""

_MADE: dict[tuple[str, int], CrashTests] = {}


class CrashContract:
    """Tests of writes over several rows: `class TestCrashes(CrashContract): stopped = STOPPED`.

    A test visits some crash points of each write, always the same ones; with `visits_all` all of them.
    """

    stopped: ClassVar[StoppedWrites]
    """The writes that are tested, and the variants whose writes survive a crash."""
    visits_all: ClassVar[bool] = False
    """Whether every crash point is visited, which may take minutes; on a real HBase it never is."""

    def __init_subclass__(cls) -> None:
        """Leaves out the tests of writes that `recover` completes, if there are none."""
        stopped = getattr(cls, "stopped", None)
        if isinstance(stopped, StoppedWrites) and not any(write.is_recovered for write in stopped.writes):
            for name, test in vars(CrashContract).items():
                if name.startswith("test_") and not {"recovered", "rivalled"}.isdisjoint(signature(test).parameters):
                    setattr(cls, name, None)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Runs a test for all variants, or for all writes of each that the name of its parameter stands for."""
        stopped = getattr(self, "stopped", None)
        if not isinstance(stopped, StoppedWrites):
            raise pytest.Collector.CollectError(
                f"{type(self).__name__}.stopped: must be a rowbook.testing.StoppedWrites (got {shown(stopped)})"
            )
        for name in ("write", "recovered", "rivalled"):
            if name in metafunc.fixturenames:
                cases = [*self._cases(name)]
                ids = [f"{variant.name}: {write.name}" for variant, write in cases]
                metafunc.parametrize(("variant", name), cases, ids=ids)
                return
        if "variant" in metafunc.fixturenames:
            metafunc.parametrize("variant", stopped.variants, ids=attrgetter("name"))

    def _cases(self, name: str) -> Iterator[tuple[Opened, Write]]:
        """Every `write`; every one that `recover` completes; and those that meet rivals, of the first variant."""
        for variant in self.stopped.variants:
            for write in self.stopped.writes:
                is_first = variant is self.stopped.variants[0]
                if name == "write" or (write.is_recovered and (name == "recovered" or is_first or self.visits_all)):
                    yield variant, write

    @pytest.fixture
    def crashes(self, rowbook_engine: Engine, variant: Opened) -> CrashTests:
        """The crash tests of the variant, which run each write without a crash only once."""
        made = (rowbook_engine.name, id(variant))
        if made not in _MADE:
            _MADE[made] = crash_tests(rowbook_engine, self.stopped, variant)
        return _MADE[made]

    @pytest.fixture
    def few(self, rowbook_engine: Engine, variant: Opened) -> int | None:
        """The number of points that a check visits; None for all."""
        if self.visits_all and not rowbook_engine.is_slow:
            return None
        return FEW if variant is self.stopped.variants[0] and not rowbook_engine.is_slow else FEWEST

    def test_a_write_makes_as_many_calls_that_change_the_store_as_it_promises(
        self, crashes: CrashTests, variant: Opened
    ) -> None:
        promised = {write.name: write.promised_calls(variant.name) for write in self.stopped.writes}
        made = {name: calls for name, (calls, _) in crashes.points(self.stopped.writes).items()}
        assert made == {name: made[name] if calls is None else calls for name, calls in promised.items()}

    def test_a_writer_that_stops_at_any_call_leaves_what_the_same_call_or_a_recoverer_completes(
        self, crashes: CrashTests, variant: Opened, write: Write, few: int | None
    ) -> None:
        if few is None:
            assert check_a_stop_at_each_call(crashes, write) == len(crashes.clean(write).points)
        else:
            many = STOPS_OF_SLOW if crashes.engine.is_slow else STOPS
            at_most = many if variant is self.stopped.variants[0] else few
            check_a_stop_at_each_call(crashes, write, at_most, all_replies_lost=False)

    def test_a_recoverer_may_die_or_pause_at_any_call_too(
        self, crashes: CrashTests, recovered: Write, few: int | None
    ) -> None:
        check_a_crash_of_the_recoverer_too(crashes, recovered, few)

    @pytest.mark.parametrize("keeps_tombstones", [True, False], ids=["kept", "dropped"])
    def test_a_writer_that_paused_while_all_was_recovered_and_compacted_does_no_harm(
        self, crashes: CrashTests, recovered: Write, keeps_tombstones: bool, few: int | None
    ) -> None:
        check_a_pause_at_each_call(crashes, recovered, few, compacts=True, keeps_tombstones=keeps_tombstones)
        if few is None:
            check_a_pause_at_each_call(crashes, recovered)

    def test_a_call_that_arrives_after_all_is_over_changes_nothing(
        self, crashes: CrashTests, recovered: Write, few: int | None
    ) -> None:
        check_late_calls(crashes, recovered, few)

    def test_two_writers_at_once_are_as_one_after_the_other(
        self, crashes: CrashTests, rivalled: Write, few: int | None
    ) -> None:
        check_rivals(crashes, rivalled, few)
        if few is None and not rivalled.one_by_one:
            check_rivals(crashes, rivalled, dies=True, compacts=True)

    def test_a_store_that_fails_often_holds_what_was_answered_in_the_end(
        self, crashes: CrashTests, variant: Opened
    ) -> None:
        if self.stopped.often:
            failures = check_a_store_that_fails_often(crashes, self.stopped.often, self.stopped.often_every)
            assert failures, "no call has failed: StoppedWrites.often needs more writes"
