"""A random number first: what it costs that no reader can compute it."""

import pytest

from domains.logs.variants.random import BUCKETS, LogRandom, Repository
from domains.logs.variants.random import TABLE as RANDOM

from .asking import event


@pytest.fixture
def random_rows(opened):
    """The table of the variant, with one event that was stored until three numbers had been drawn for it."""
    connection, logs = opened("random")
    rows = connection.table(RANDOM.name)
    for _ in range(250):
        if len(list(rows.scan())) < 3:
            logs.store(event())
    return rows


def test_to_find_an_event_under_random_numbers_takes_a_get_for_each_number(random_rows):
    of = event()
    keys = [LogRandom(drawn, of.host, of.event, of.time_ms, of.tie) for drawn in range(BUCKETS)]
    in_ranges = [bool(random_rows.row(RANDOM.key.encode(key))) for key in keys]
    assert (len(in_ranges), sum(in_ranges)) == (8, 3)


def test_a_delete_under_a_random_number_leaves_two_stale(random_rows):
    row, _cells = next(random_rows.scan(limit=1))
    random_rows.delete(row)
    assert len(list(random_rows.scan())) == 2


def test_an_event_loaded_again_and_again_is_a_row_under_every_number(opened):
    connection, _ = opened("random")
    for _ in range(250):  # 250 draws miss one of eight numbers once in 10**14 runs
        Repository(connection).store(event())
    assert len(list(connection.table(RANDOM.name).scan())) == BUCKETS
