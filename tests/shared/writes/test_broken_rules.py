"""Each rule of the write protocol is needed: without it the explorer reaches a bad world."""

from functools import partial

import pytest

from domains.orders.keys import OrderByNumber
from domains.orders.repository import after_erase
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at
from shared.writes.intents import KEEP_TOMBSTONES_MS
from tests.domains.orders.stopped_writes import LAMP, place
from tests.shared.writes.breaking import BREAKS
from tests.shared.writes.interleaving import START_MS
from tests.shared.writes.pairs import PAIRS, PairExplorer
from tests.shared.writes.replaying import HandClock, own_process
from tests.shared.writes.scenes import MORE_OF_ONE, OF_ONE, OF_TWO
from tests.shared.writes.small_store import SmallStore, compacted

MOST = 10_000
BY_NAME = {str(pair): pair for pair in PAIRS}

FAULT = OF_ONE["a fault and a recoverer"]
NOTICED = {
    "no intent is put": ("orders: place", FAULT),
    "the lines are put before the intent": ("orders: cancel", FAULT),
    "the lines are put after the decision": ("orders: cancel", FAULT),
    "lines are put at T - 1": ("orders: place after a lost claim", FAULT),
    "lines of a new source are put above its T": ("orders: place | place another", OF_TWO["a recoverer"]),
    "deletes are dated T + 1": ("orders: change_status | cancel", OF_TWO["a fault"]),
    "deletes do not spare the present record": ("orders: change_status", FAULT),
    "the source is put without a check": ("orders: place | place another", OF_TWO["a fault"]),
    "a source has the same bytes twice": ("orders: change_status", FAULT),
    "a writer whose reply was lost does not raise": ("orders: change_status", FAULT),
    "a recoverer never raises": ("orders: change_status", FAULT),
    "revisions differ by 1": ("orders: change_status | cancel", OF_TWO["a recoverer"]),
    "step 5 is not done again after the window": ("orders: change_status", MORE_OF_ONE["a pause and a compaction"]),
    "an ended intent is dated above the next one": ("feeds, pulled: post", FAULT),
}


@pytest.mark.parametrize("rule", NOTICED)
def test_the_explorer_notices_a_broken_rule(rule, monkeypatch):
    name, scene = NOTICED[rule]
    BREAKS[rule].patch(monkeypatch)
    explored = PairExplorer(BY_NAME[name]).explore(scene, MOST)
    assert explored.fault is not None, explored


SOUND = [*dict.fromkeys(NOTICED.values())]


@pytest.mark.parametrize(("name", "scene"), SOUND, ids=[name for name, _ in SOUND])
def test_the_explorer_finds_nothing_where_no_rule_is_broken(name, scene):
    explored = PairExplorer(BY_NAME[name]).explore(scene, MOST // 10)
    assert explored.fault is None, explored


@pytest.mark.parametrize("is_broken", [False, True], ids=["it raises", "it raises only what is open"])
def test_a_recoverer_that_does_not_always_raise_lets_a_removed_buyer_come_back(is_broken, monkeypatch):
    """A writer is stopped before it puts the buyer's line, while the buyer is removed; it puts the line, and dies."""
    if is_broken:
        BREAKS["a recoverer raises only what is open"].patch(monkeypatch)
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
        assert [line.order_number for line in orders.of_buyer(LAMP.buyer_id)] == ["n-42"] * is_broken
