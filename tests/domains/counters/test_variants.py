"""Logins that are stored again, in variants that keep them and in those that count."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engines import examples

from .asking import BY_NAME, COUNTING, KEEPING, expected, stored
from .plain_list import DAYS, PLAIN_LIST


@settings(max_examples=examples(30))
@given(PLAIN_LIST.records, st.lists(st.integers(0, 29), max_size=20), st.sampled_from(DAYS))
def test_logins_that_are_stored_again_count_once_as_cells_and_twice_as_increments(engine, new, again, day_ms):
    repeated = [new[number] for number in again if number < len(new)]
    for name in (KEEPING[0], COUNTING[0]):
        with engine.shared_store(*BY_NAME[name].tables) as connection:
            repository = BY_NAME[name].open(connection)
            records = stored(repository, *new)
            for number in again:
                if number < len(records):
                    repository.store(records[number])
            once = expected(records, ("day_total", day_ms))
            more = expected(repeated, ("day_total", day_ms)) if name in COUNTING else 0
            assert repository.day_total(day_ms) == once + more
