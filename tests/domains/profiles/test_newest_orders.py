"""The newest orders of a user, whatever writers do at once and wherever they die: all shown, and few more stored."""

import random
import re
from contextlib import suppress
from functools import partial

import attrs
import pytest

from domains.profiles import SHOWN, OrderSummary, newest_orders
from domains.profiles.keys import TRIM_AT
from domains.profiles.shown.design import DESIGN
from shared.tables.recorded_layouts import check_layouts
from shared.testing import Stop, WatchedConnection, WriterDied, stopped_at
from tests.copies import ROOT
from tests.domains.interleaving import Actor
from tests.domains.variants import only

WRITERS = 16
MOST = TRIM_AT - 1 + WRITERS
AT_MS = 1_768_205_250_123
RIGHT = {variant.name: variant for variant in DESIGN.variants if variant.is_to_copy}
PROFILES, ONE_CELL, ORDERS_TABLE = RIGHT["profiles"], RIGHT["one-cell"], RIGHT["orders-table"]
VARIANTS = (PROFILES, ONE_CELL, ORDERS_TABLE)
only_profiles = only(DESIGN, "profiles")


def order(number, user="ada"):
    return OrderSummary(user, AT_MS + number, f"o-{number}", "mug", number)


def place(order):
    return -order.time_ms, order.order_id


def stored(connection, variant=PROFILES):
    return len(connection.table(variant.tables[0].name).row(b"ada", columns=[b"o"]))


def add(orders, variant, connection):
    repository = variant.open(connection)
    for order in orders:
        repository.add_order(order)


# ---- one writer


def test_a_user_has_the_newest_ten_orders_however_they_arrive(repository):
    orders = [order(number) for number in range(40)] + [attrs.evolve(order(38), order_id="o-380")]
    arrived = [*orders]
    random.Random(1).shuffle(arrived)
    for number, added in enumerate(arrived, start=1):
        repository.add_order(added)
        assert repository.newest_orders("ada") == sorted(arrived[:number], key=place)[:SHOWN]
        assert list(repository.page("ada").orders) == repository.newest_orders("ada")


@only_profiles
def test_an_order_is_a_get_and_a_put_and_one_in_ten_deletes_ten(connection, variant):
    watched = WatchedConnection(connection)
    check_layouts(watched, variant.tables)
    before, counts = watched.number_of_calls, []
    for number in range(60):
        add([order(number)], variant, watched)
        counts.append(stored(connection))
    assert counts == [*range(1, 21), *[*range(11, 21)] * 4]
    deleted = [sum(mutation.isDelete for _, mutations in call.rows for mutation in mutations) for call in watched.calls]
    assert (len(deleted), sum(deleted)) == (60 + 4, 40)
    assert watched.number_of_calls - before == 2 * 60 + 4


@only_profiles
def test_an_order_with_ten_newer_ones_is_not_put_and_a_stored_one_trims_nothing(connection, variant):
    add([order(number) for number in range(20)], variant, connection)
    watched = WatchedConnection(connection)
    add([order(-1), order(9)], variant, watched)
    assert watched.calls == []
    add([order(19), attrs.evolve(order(12), item="a cup")], variant, watched)
    assert stored(connection) == 20
    assert variant.open(connection).newest_orders("ada")[7].item == "a cup"


@only_profiles
@pytest.mark.parametrize("stop", [Stop(call, arrived) for call in (0, 1) for arrived in (frozenset(), frozenset({0}))])
def test_however_many_writers_die_one_after_the_other_no_more_orders_are_stored(connection, variant, stop):
    for number in range(60):
        with suppress(WriterDied):
            add([order(number)], variant, WatchedConnection(connection, stopped_at(stop)))
        assert stored(connection) <= TRIM_AT


# ---- writers at once


def in_turn(connection, variant, writers, choose, dies=lambda: False, after=lambda: None):
    """Runs writers of which one at a time sends its next call: the one that is chosen, unless it dies."""

    def prepared(writer, own):
        check_layouts(own, variant.tables)
        return partial(writer, own)

    waiting = {number: Actor(partial(prepared, writer)).after(connection, 0) for number, writer in enumerate(writers)}
    while waiting:
        actor = waiting.pop(number := choose(sorted(waiting)))
        if not dies():
            actor = actor.after(connection, 1)
            if not actor.is_done:
                waiting[number] = actor
            elif actor.answer is not None:
                raise actor.answer
        after()


def rounds():
    """A schedule in which all waiting writers send one call each, then all send the next one."""
    left = []

    def choose(waiting):
        left.extend(waiting if not left else ())
        return left.pop(0)

    return choose


def at_once(connection, variant, choose, orders=WRITERS, first=100):
    """Each writer adds one order, all newer than those that are stored."""
    writers = [partial(add, [order(first + number)], variant) for number in range(orders)]
    in_turn(connection, variant, writers, choose)


@only_profiles
@pytest.mark.parametrize(("before", "after"), [(TRIM_AT - 1, MOST), (TRIM_AT, SHOWN + WRITERS)])
def test_writers_that_read_before_any_of_them_puts_leave_one_order_each(connection, variant, before, after):
    add([order(number) for number in range(before)], variant, connection)
    at_once(connection, variant, rounds())
    assert stored(connection) == after
    at_once(connection, variant, min, orders=1, first=900)  # one more
    assert stored(connection) == (SHOWN + 1 if after >= TRIM_AT else after + 1)
    assert f"{MOST} with {WRITERS}" in newest_orders.__doc__
    page = (ROOT / "domains/profiles/README.md").read_text(encoding="utf-8")
    assert f"At most {MOST} orders are stored with {WRITERS} writers" in page


@pytest.mark.parametrize(("variant", "rpcs"), [(PROFILES, 32), (ONE_CELL, 272), (ORDERS_TABLE, 16)])
def test_writers_of_one_cell_read_again_whenever_another_one_succeeds(engine, variant, rpcs):
    calls = []
    with engine.shared_store(*variant.tables) as connection:
        choose = rounds()
        at_once(connection, variant, lambda waiting: calls.append(waiting) or choose(waiting))
        shown = variant.open(connection).newest_orders("ada")
    assert shown == [order(number) for number in range(115, 105, -1)]
    assert len(calls) == rpcs
    if variant is not ORDERS_TABLE:
        page = " ".join((ROOT / "domains/profiles/REFERENCE.md").read_text(encoding="utf-8").split())
        assert re.search(rf"{WRITERS} writers that add .* need .*{rpcs} (calls )?in `{variant.name}`", page)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.further) for seed in range(1, 6))])
def test_whatever_sixteen_writers_do_and_wherever_they_die_the_newest_ten_are_shown(engine, variant, seed):
    if engine.is_slow and seed:
        pytest.skip("one schedule takes long enough")
    chance = random.Random(seed)
    times = [chance.randrange(0, 200) for _ in range(5 * WRITERS)]
    orders = [attrs.evolve(order(time_ms), order_id=f"o-{number}") for number, time_ms in enumerate(times)]
    confirmed = {}
    most = {"profiles": MOST, "one-cell": 1, "orders-table": 0}[variant.name]

    def write(own, connection):
        repository = variant.open(connection)
        for added in own:
            repository.add_order(added)
            confirmed[added] = True

    with engine.shared_store(*variant.tables) as connection:
        reader = variant.open(connection)

        def check():
            shown = reader.newest_orders("ada")
            last = place(shown[-1]) if len(shown) == SHOWN else (0,)
            assert [added for added in confirmed if added not in shown and place(added) < last] == []
            assert len(shown) == SHOWN or {*confirmed} <= {*shown}
            assert variant is ORDERS_TABLE or stored(connection, variant) <= most

        writers = [partial(write, orders[number::WRITERS]) for number in range(WRITERS)]
        in_turn(connection, variant, writers, chance.choice, lambda: chance.random() < 0.02, check)
        assert len(confirmed) > 2 * WRITERS
