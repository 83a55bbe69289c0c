"""Every order of steps of the write protocol, in small worlds: no answer is wrong, nothing is lost."""

import pytest

from tests.shared.writes.protocol_model import Rules, Wish, explore_protocol, world_of

PAY = Wish("change", "paid", clock=12)
CANCEL = Wish("change", "cancelled", clock=100)
BACK = Wish("change", "placed", clock=50)
DELETE = Wish("delete", None, clock=30)
CLAIM = Wish("claim", "placed", clock=5)
CLAIM_LATER = Wish("claim", "placed", clock=40)
CLAIM_PAID = Wish("claim", "paid", clock=40)

SMALL = {
    "a change, a late message": world_of(PAY, late=1),
    "a change of a slow writer, a late message": world_of(PAY, late=1, pauses=1),
    "a claim, a late message, a compaction": world_of(CLAIM, state=None, late=1, compactions=1),
    "two changes without a recoverer": world_of(PAY, CANCEL, recoverers=0, compactions=1),
    "a deletion and a claim": world_of(DELETE, CLAIM_LATER, recoverers=0, compactions=1),
}
LARGE = {
    "two changes, a compaction": world_of(PAY, CANCEL, compactions=1),
    "two changes, a late message": world_of(PAY, CANCEL, late=1),
    "the same change twice, a late message": world_of(PAY, PAY, late=1),
    "there and back, a compaction": world_of(PAY, BACK, compactions=1),
    "a change and a deletion, a compaction": world_of(PAY, DELETE, compactions=1),
    "two claims of one record": world_of(CLAIM, CLAIM_LATER, state=None, compactions=1),
    "two claims of two records": world_of(CLAIM, CLAIM_PAID, state=None, late=1),
    "a claim and a change": world_of(CLAIM, PAY, state=None, compactions=1),
    "a deletion and a claim": world_of(DELETE, CLAIM_LATER, late=1),
    "two changes of slow writers": world_of(PAY, CANCEL, pauses=1),
    "two recoverers": world_of(PAY, recoverers=2, late=1, compactions=1),
    "two writers that try twice": world_of(PAY, CANCEL, recoverers=0, attempts=2, compactions=1),
}


@pytest.mark.parametrize("world", SMALL.values(), ids=SMALL)
def test_no_order_of_steps_is_bad_in_a_small_world(world):
    explored = explore_protocol(world)
    assert explored.fault is None, explored
    assert explored.states > 100


@pytest.mark.long
@pytest.mark.parametrize("world", LARGE.values(), ids=LARGE)
def test_no_order_of_steps_is_bad_in_a_large_world(world, capsys):
    explored = explore_protocol(world, most=3_000_000)
    assert explored.fault is None, explored
    with capsys.disabled():
        print(f"\n{explored}")


BROKEN = {
    "times of revisions differ by 1": (Rules(spacing=1), world_of(PAY, BACK), "lack|lost|no record"),
    "a recoverer does not raise": (Rules(recoverer_raises=False), world_of(PAY), "lack|lost|no record"),
    "a writer whose reply was lost does not raise": (Rules(loser_raises=False), world_of(PAY, late=1), "was answered"),
    "the line comes after the decision": (Rules(line_first=False), world_of(PAY), "lacks the line"),
    "a delete does not spare the record as it is": (Rules(spares_current=False), world_of(PAY), "lack|lost"),
    "the source is put without a check": (Rules(compares_source=False), world_of(PAY, CANCEL), "was answered"),
}


@pytest.mark.parametrize(("rules", "world", "fault"), BROKEN.values(), ids=BROKEN)
def test_a_protocol_with_one_rule_broken_reaches_a_bad_world(rules, world, fault):
    explored = explore_protocol(world, rules, most=3_000_000)
    assert explored.fault is not None, explored
    assert any(part in explored.fault for part in fault.split("|")), explored
