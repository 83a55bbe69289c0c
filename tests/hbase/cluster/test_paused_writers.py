"""Writes of orders that pause while regions move, another client recovers, and tables are compacted for real."""

import random
from functools import partial

import attrs
import pytest

from domains.orders.shown.design import DESIGN
from shared.testing import check_a_pause, crash_tests, dropped, kept
from tests.domains.orders.stopped_writes import STOPPED, WRITES
from tests.programs.hbase.cluster.cluster import running_cluster
from tests.programs.hbase.cluster.paused_together import PausedTogether
from tests.programs.hbase.named import NamedHBase
from tests.programs.hbase.stores import Stores

pytestmark = pytest.mark.cluster

CALLS = sum(write.promised_calls(DESIGN.main.name) for write in WRITES)
"""The calls of all writes that change the store; before each the writer is paused three times."""


@pytest.fixture(scope="module")
def cluster():
    with running_cluster() as cluster:
        yield cluster


@pytest.mark.parametrize("keeps", [True, False], ids=["kept", "dropped"])
def test_a_writer_that_paused_while_regions_moved_and_were_compacted_does_no_harm(cluster, keeps, capsys):
    """It is paused before each call; then it finishes, or dies at this call, or at a later one, which is drawn."""
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    dice = random.Random(seed)
    visited = died = 0
    with Stores(NamedHBase(cluster.url, "127.0.0.1", cluster.ports.thrift1, cluster.ports.thrift2, None)) as stores:
        engine = PausedTogether(cluster, stores)
        tables = tuple(map(kept if keeps else dropped, DESIGN.main.tables))
        crashes = attrs.evolve(crash_tests(engine, STOPPED, DESIGN.main), tables=tables)
        paused = partial(check_a_pause, crashes, compacts=True, keeps_tombstones=keeps)
        pauses = [(write, number) for write in WRITES for number in range(len(crashes.clean(write).calls))]
        for deaths in (
            [None for _ in pauses],
            [number for _, number in pauses],
            [dice.randint(number + 1, len(crashes.clean(write).calls)) for write, number in pauses],
        ):
            results = engine.run(partial(paused, *pause, death) for pause, death in zip(pauses, deaths, strict=True))
            visited += len(results)
            died += sum(results)
    assert visited == 3 * CALLS
    with capsys.disabled():
        print(f"\nseed {seed}: {visited} crash points, {died} deaths")
