"""Scenes for which a rule of the write protocol is needed: without it the explorer reaches a bad world."""

from functools import partial

import pytest

from domains.orders.keys import OrderByNumber
from domains.orders.repository import after_erase
from shared.intents.times import KEEP_TOMBSTONES_MS
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at
from tests.domains.orders.stopped_writes import LAMP, place
from tests.shared.intents.interleaving import START_MS
from tests.shared.intents.pairs import PAIRS, PairExplorer
from tests.shared.intents.replaying import HandClock, own_process
from tests.shared.intents.scenes import MORE_OF_ONE, OF_ONE, OF_TWO
from tests.shared.intents.small_store import SmallStore, compacted

BY_NAME = {str(pair): pair for pair in PAIRS}
FAULT = OF_ONE["a fault and a recoverer"]
SCENES = [
    ("orders: place", FAULT),
    ("orders: cancel", FAULT),
    ("orders: place after a lost claim", FAULT),
    ("orders: place | place another", OF_TWO["a recoverer"]),
    ("orders: change_status | cancel", OF_TWO["a fault"]),
    ("orders: change_status", FAULT),
    ("orders: place | place another", OF_TWO["a fault"]),
    ("orders: change_status | cancel", OF_TWO["a recoverer"]),
    ("orders: change_status", MORE_OF_ONE["a pause and a compaction"]),
    ("feeds, pulled: post", FAULT),
]
"""Without a rule there soon is a bad world in one of them; `tests/mutants/writes.toml` leaves each rule out."""


@pytest.mark.parametrize(("name", "scene"), SCENES, ids=[name for name, _ in SCENES])
def test_the_explorer_finds_nothing_where_no_rule_is_broken(name, scene):
    explored = PairExplorer(BY_NAME[name]).explore(scene, 1_000)
    assert explored.fault is None, explored


def test_a_recoverer_always_raises_so_that_a_removed_buyer_does_not_come_back():
    """A writer is stopped before it puts the buyer's line, while the buyer is removed; it puts the line, and dies."""
    pair, clock = BY_NAME["orders: place"], HandClock(START_MS)
    store = SmallStore(pair.cells_before(), START_MS)
    with own_process(clock, "all"):
        orders = pair.tests.open(store.connection)

        def meanwhile():
            orders.writer.write(OrderByNumber(LAMP.order_number), partial(after_erase, LAMP.buyer_id))
            clock.now_ms = store.now_ms = START_MS + 2 * KEEP_TOMBSTONES_MS
            assert orders.upkeep.recover().settled == 1
            store.cells = compacted(store.cells, KEEP_TOMBSTONES_MS, store.now_ms)

        paused = WatchedConnection(store.connection, paused_at(5, meanwhile, dying_at(6)))
        with pytest.raises(WriterDied):
            place(pair.tests.open(paused))
        assert paused.calls[5].table == "orders_by_buyer"
        assert [line.order_number for line in orders.of_buyer(LAMP.buyer_id)] == []
