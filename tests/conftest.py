"""Settings of every test run, and the real HBase on which some tests run."""

import gc
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings

from shared.tables import recorded_layouts
from shared.writes import CLOCK
from tests.engines import EMBEDDED, HBASE, Engine, NewStore, engine_named
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import SHARED_VARIABLE, VARIABLE, named_hbase, named_or_started, shared_folder
from tests.programs.hbase.stores import drop_store

settings.register_profile(
    "rowbook",
    settings(
        deadline=None,  # a slow machine is not a wrong key
        suppress_health_check=[HealthCheck.too_slow],  # neither is a busy machine
        derandomize="CI" in os.environ,  # the same examples in every CI run, new ones elsewhere
    ),
)
settings.load_profile("rowbook")

recorded_layouts.COMPARED_FOR_S = 86_400
"""A machine that stands still for ten minutes adds no calls to the costs that tests expect."""

_hbase = ExitStack()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--hbase",
        action="store_true",
        help=f"run tests that touch a store on a real HBase too: the one in {VARIABLE}, or a new one",
    )


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One process more than there are cores, because some tests wait; with a real HBase there are others already."""
    return None if config.getoption("hbase") else (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until the tests are collected
    if config.getoption("--hbase"):
        try:  # with -n, the first process does this before it starts the others, which inherit the name
            _hbase.enter_context(named_or_started())
        except NotStarted as error:
            raise pytest.UsageError(str(error)) from None
    named = named_hbase()
    if named and SHARED_VARIABLE not in os.environ:
        _hbase.callback(drop_store, named.store_url(_hbase.enter_context(shared_folder())))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames and named_hbase():
        engines = [pytest.param(HBASE, marks=pytest.mark.hbase)]
        if not metafunc.definition.get_closest_marker("hbase"):
            engines.insert(0, EMBEDDED)
        metafunc.parametrize("engine", engines, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "engine" in getattr(item, "fixturenames", ()) or item.get_closest_marker("hbase"):
            item.add_marker("store")
        if item.get_closest_marker("further") and engine_of(item) != HBASE:
            item.add_marker("long")
    seen: Counter[str] = Counter()
    left_out = {item: _is_left_out(item, seen) for item in items}
    config.hook.pytest_deselected(items=[item for item in items if left_out[item]])
    items[:] = [item for item in items if not left_out[item]]
    if not config.getoption("--hbase") and not named_hbase():
        skip = pytest.mark.skip(reason="needs a real HBase: --hbase starts one")
        for item in items:
            if item.get_closest_marker("hbase"):
                item.add_marker(skip)


def engine_of(item: pytest.Item) -> object:
    """The name of the engine that a test runs on; None if it takes the embedded store without naming it, or none."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get("engine")


def _is_left_out(item: pytest.Item, seen: Counter[str]) -> bool:
    """Whether a test is `sampled`, runs on HBase, and is not the first of ten; `seen` counts those of each function."""
    if not item.get_closest_marker("sampled") or engine_of(item) != HBASE:
        return False
    name = item.nodeid.partition("[")[0]
    seen[name] += 1
    return seen[name] % 10 != 1


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end, so no collection of garbage looks at it again."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(10_000)


def pytest_unconfigure() -> None:
    _hbase.close()


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The engine on which a test makes its stores; with --hbase the test runs on each engine."""
    with engine_named(getattr(request, "param", EMBEDDED)) as engine:
        yield engine


@pytest.fixture
def new_store(engine: Engine) -> Iterator[NewStore]:
    """Makes stores of given tables, which are gone when the test ends."""
    with ExitStack() as stores:
        yield lambda *tables: stores.enter_context(engine.store(*tables))


@pytest.fixture(autouse=True)
def _clock_of_this_process() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Fails the test that puts the clock of all writers ahead; it would be a later one that is refused."""
    yield
    ahead_ms = CLOCK.now_ms() - time.time_ns() // 1_000_000
    assert ahead_ms < 10_000, f"the writers' clock is ahead by {ahead_ms} ms"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what the explorer of writes has visited."""
    reports = terminalreporter.stats.get("passed", [])
    explored = [value for report in reports for name, value in report.user_properties if name == "explored"]
    if explored:
        cut = [what for what, _, is_cut in explored if is_cut]
        worlds = sum(count for _, count, _ in explored)
        terminalreporter.section("explorer of writes")
        terminalreporter.line(f"{len(explored) - len(cut)} explorations complete, {len(cut)} cut, {worlds:,} worlds")
        terminalreporter.line(f"cut: {'; '.join(cut) or 'none'}")
