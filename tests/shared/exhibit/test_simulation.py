"""A simulated load: where its rows go, compared with rows that are encoded one by one."""

import random
from bisect import bisect_left
from collections import Counter
from itertools import accumulate, pairwise

import pytest

from shared.exhibit.heat_tables import at_least
from shared.exhibit.regions.simulated_splits import SimulatedTable, SplitPolicy
from shared.exhibit.regions.simulation import Sample, draw, simulate
from shared.keys import InvalidKey
from tests.designs import find_variants
from tests.programs.pages.numbered_keys import (
    BUCKETS,
    FORMS,
    divided,
    java_hash,
    prefixes_of,
    remainder,
    signed_remainder,
    spread_and_scan,
)

BY_NAME = {form.name: form for form in FORMS}


def test_numbers_that_count_up_fill_one_region_and_reversed_or_hashed_ones_all():
    found = {name: spread_and_scan(BY_NAME[name]) for name in ("plain", "reversed", "inverted", "hashed")}
    plain = found.pop("plain")
    assert plain.simulation.verdict == "a hot spot: one region takes 100% of the writes at any time"
    assert plain.simulation.idle_fullness == pytest.approx(0.5, abs=0.08)
    assert plain.simulation.moments[-1].idle > 0.8 * len(plain.simulation.table.regions)
    assert (plain.reads_all, plain.ranges, plain.rows) == (False, 1, 1000)
    for name, one in found.items():
        assert one.simulation.verdict.startswith("even"), name
        assert one.simulation.moments[-1].idle <= 2, name
        assert one.reads_all, name
        assert len(one.simulation.table.regions) < len(plain.simulation.table.regions) * 0.75, name


def test_a_salt_spreads_over_as_many_servers_as_it_has_values_and_keeps_the_range():
    salted = spread_and_scan(BY_NAME["salted"])
    assert salted.simulation.busiest_server == pytest.approx(1 / BUCKETS, abs=0.05)
    assert (salted.reads_all, salted.ranges, salted.rows) == (False, BUCKETS, 1000)
    assert salted.simulation.idle_fullness == pytest.approx(0.5, abs=0.08)


def test_a_hash_that_is_divided_has_too_many_prefixes_and_keeps_the_order_and_a_remainder_has_few():
    assert [java_hash(text) for text in ("a", "hello", "polygenelubricants")] == [97, 99162322, -(2**31)]
    assert [divided(letter, 3) for letter in "abcde"] == [b"32a", b"32b", b"33c", b"33d", b"33e"]
    assert [remainder(letter, 3) for letter in "abcde"] == [b"1a", b"2b", b"0c", b"1d", b"2e"]
    assert [form("user_1", 8) for form in (signed_remainder, remainder)] == [b"-3user_1", b"5user_1"]
    signed = {int(signed_remainder(f"user_{number}", BUCKETS).partition(b"user")[0]) for number in range(1, 10_000)}
    assert sorted(signed) == [*range(1 - BUCKETS, BUCKETS)]
    assert len(prefixes_of(divided)) > 4_000
    assert prefixes_of(remainder) == {b"%d" % bucket for bucket in range(BUCKETS)}
    assert spread_and_scan(BY_NAME["divided"]).simulation.busiest_region == pytest.approx(1)
    assert spread_and_scan(BY_NAME["remainder"]).simulation.busiest_region == pytest.approx(1 / BUCKETS, abs=0.03)


def rows_of_owners(count, form):
    """Rows in order of time: each is written by one of three owners, the first of whom writes half of all."""
    chance = random.Random(7)
    return [form(chance.choice("aabc"), number) for number in range(count)]


@pytest.mark.parametrize(
    ("form", "direction", "share"),
    [
        (lambda owner, number: b"%s%08d" % (owner.encode(), number), 1, 0.5),
        (lambda owner, number: b"%s%08d" % (owner.encode(), 10**7 - number), -1, 0.5),
        (lambda owner, number: b"%08d%s" % (number // 50, owner.encode()), 1, 1.0),
        pytest.param(
            *(lambda owner, number: b"%08d%s" % (number * 7919 % 10**5, owner.encode()), 0, 0.0125),
            marks=pytest.mark.long,
        ),
    ],
    ids=["by owner", "newest first", "slices of time", "spread"],
)
def test_the_busiest_region_at_any_time_follows_from_the_order_of_keys(form, direction, share):
    sample = Sample.thinned(rows_of_owners(5000, form), 1000)
    assert sample.direction == direction
    simulation = simulate(sample, 10**8, 100, SplitPolicy(10**7, 10**8), servers=4)
    assert simulation.busiest_region == pytest.approx(share, rel=0.25)
    assert sum(sum(moment.ranges) for moment in simulation.moments) == simulation.table.rows == 10**8


@pytest.mark.parametrize("rows", [30, 10_000_000])
def test_rows_are_drawn_as_often_as_their_weights_say_and_all_of_them(rows):
    weights = {5: 0.5, 7: 0.3, 9: 0.2}
    drawn = Counter[int]()
    for seed in range(200):
        once = dict(draw(random.Random(seed), weights, rows))
        assert sum(once.values()) == rows
        drawn.update(once)
    assert {place: count / drawn.total() for place, count in drawn.items()} == pytest.approx(weights, abs=0.03)


def encoded_one_by_one(variant, records):
    """The row of every record in order; of a key with a random part, which a record lacks, none."""
    (table, *_others) = variant.record_tables
    try:
        return [table.row(record) for _load, record in records]
    except InvalidKey:
        return []


@pytest.mark.long
def test_the_shares_of_regions_are_those_of_a_million_rows_encoded_one_by_one():
    design, variants = find_variants("logs")
    records = at_least(design, 10**6)[: 10**6]
    for variant in variants:
        if not (rows := encoded_one_by_one(variant, records)):
            continue
        order = sorted(range(len(rows)), key=lambda at: (rows[at], at))
        place_of = [0] * len(rows)
        for place, at in enumerate(order):
            place_of[at] = place
        policy = SplitPolicy(len(rows) / 28, len(rows) / 14)
        table = SimulatedTable(len(rows), 1, policy, servers=5)
        for place in place_of:
            table.split(table.put(place))
        assert 15 <= len(table.regions) <= 30
        sample = Sample.thinned(rows)
        simulated = simulate(sample, len(rows), 1, policy, servers=5).table
        keys, places = [rows[at] for at in order], sorted(sample.rows)
        before = [0, *accumulate(simulated.stored)]
        points = [keys[region.start] for region in table.regions[1:]]
        own_points = [places[region.start] for region in simulated.regions[1:]]

        def shares(points, keys=keys, places=places, before=before):
            return [
                (bisect_left(keys, point) / len(keys), before[bisect_left(places, point)] / before[-1])
                for point in points
            ]

        assert max(abs(share - other) for share, other in shares([*points, *own_points])) <= 0.02, variant.name
        cumulative = [(0, 0), *shares(points), (1, 1)]
        apart = [abs((b - a) - (d - c)) for (a, c), (b, d) in pairwise(cumulative)]
        assert max(apart) <= 0.01, variant.name
