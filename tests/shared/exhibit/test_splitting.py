"""The simulated table splits as HBase's default policy does, and as the published examples say."""

import pytest

from shared.exhibit.regions.simulated_splits import SimulatedTable, SplitPolicy, regions_of
from tests.programs.pages.newest_rows import NEWEST_FORMS, OWNED_FORMS, PLACES, newest_rows, rows_of_one_user
from tests.programs.pages.numbered_keys import BUCKETS, SERVERS

COUNTING, LATER = ("11", "12", "13", "14", "15", "16"), ("19", "20", "21", "22")


def keys(texts, step=1):
    return [text[::step].encode() for text in texts]


@pytest.mark.parametrize(
    ("stored", "later", "regions"),
    [
        (keys(COUNTING), keys(LATER), ["11 12 13", "14 15 16 19 20 21 22"]),
        (keys(COUNTING, -1), keys(LATER, -1), ["02 11 12 21 22 31", "41 51 61 91"]),
        (keys(("1", "12", "27", "3", "4", "66")), [], ["1 12 27", "3 4 66"]),
    ],
    ids=["counting", "transposed", "sorted as bytes"],
)
def test_the_published_examples_split_as_printed_and_later_keys_land_where_they_say(stored, later, regions):
    assert [b" ".join(region).decode() for region in regions_of(stored, 5, later)] == regions


def filled(places, order, policy, servers=1):
    table = SimulatedTable(places, 1, policy, servers)
    for place in order:
        table.split(table.put(place))
    return table


def test_the_only_region_of_a_server_splits_at_twice_the_flush_size_and_others_at_the_maximum():
    alone = filled(1000, range(1000), SplitPolicy(50, 300), servers=1)
    assert [region.rows for region in alone.regions[:3]] == [50, 150, 150]
    spread = filled(1000, range(1000), SplitPolicy(50, 300), servers=4)
    assert [region.rows for region in spread.regions[:6]] == [50, 50, 50, 50, 150, 150]


def test_every_region_that_rising_keys_have_left_behind_stays_half_full():
    table = filled(10_000, range(10_000), SplitPolicy(50, 100))
    *closed, _last = table.regions
    assert {region.rows for region in closed} == {50}
    assert table.half_full >= len(closed) == table.splits == pytest.approx(2 * 10_000 / 100, abs=2)
    assert table.idle(table.rows - 100) == closed[:-2]


def test_a_region_splits_where_its_rows_are_and_never_within_a_place():
    table = SimulatedTable(10, 1, SplitPolicy(5, 10), split_points=(8,))
    for place, rows in ((0, 4), (1, 30), (2, 5), (8, 30)):
        table.put(place, rows)
    for region in list(table.regions):
        table.split(region)
    assert [(region.start, region.stop, region.rows) for region in table.regions] == [
        (0, 1, 4),
        (1, 2, 30),
        (2, 8, 5),
        (8, 10, 30),
    ]


def test_a_new_region_goes_to_the_server_with_the_fewest_regions():
    table = filled(4000, range(4000), SplitPolicy(50, 100), servers=3)
    on_server = [sum(region.server == server for region in table.regions) for server in range(3)]
    assert max(on_server) - min(on_server) <= 1


FIRST, BETWEEN, LAST = PLACES
FIXED_WIDTH, AS_TEXT, HASHED = NEWEST_FORMS.values()


def test_new_users_go_to_the_last_region_or_as_text_to_one_that_moves():
    fixed, text = newest_rows(FIXED_WIDTH), newest_rows(AS_TEXT)
    assert fixed.shares == {FIRST: 0, BETWEEN: 0, LAST: 1}
    assert 0 < text.shares[FIRST] < 0.1 < text.shares[LAST] < text.shares[BETWEEN]
    assert fixed.at_once == text.at_once == 1


def test_a_hot_spot_moves_to_another_server_with_each_split_and_has_all_writes_meanwhile():
    fixed = newest_rows(FIXED_WIDTH)
    assert fixed.at_once == 1
    assert 1 / SERVERS <= fixed.of_all < 1.5 / SERVERS


def test_a_hash_before_a_number_splits_less_often_and_uses_all_servers():
    fixed, hashed = newest_rows(FIXED_WIDTH), newest_rows(HASHED)
    assert hashed.splits < 0.8 * fixed.splits
    assert hashed.at_once < 2 / SERVERS < fixed.at_once
    assert hashed.of_all < 2 / SERVERS


def test_the_new_rows_of_a_busy_user_go_to_one_region_unless_a_bucket_of_the_time_divides_them():
    plain, hashed, divided = (rows_of_one_user(form) for form in OWNED_FORMS.values())
    for one in (plain, hashed):
        assert one.at_once == 1
        assert 0.4 * one.of_regions < one.regions < 0.75 * one.of_regions
    assert divided.at_once < 1.5 / BUCKETS
