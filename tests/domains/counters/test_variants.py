"""Random logins and random questions, answered by every variant as a plain list answers them."""

from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.counters import DAY_MS
from shared.records import LAST_MS
from tests.engines import examples

from .asking import BY_NAME, COUNTING, DAY, KEEPING, answer, expected, login, stored

USERS = ["ada", "ada2", "ada_2", "a", "ad", "a\0", "é", "🐘"]
DAYS = [0, DAY - DAY_MS, DAY, DAY + DAY_MS, LAST_MS - LAST_MS % DAY_MS]
TIMES = st.one_of(
    st.sampled_from([day + at for day in DAYS for at in (0, 1, DAY_MS - 1)]),
    st.integers(DAY - 2 * DAY_MS, DAY + 2 * DAY_MS),
)
users = st.sampled_from(USERS)
days = st.sampled_from(DAYS)
logins = st.lists(st.builds(login, TIMES, users), max_size=40)


def period(times):
    """Two ends in their order, either of them open."""
    ends = st.lists(times, min_size=2, max_size=2).map(sorted)
    return st.tuples(ends, st.booleans(), st.booleans()).map(
        lambda drawn: [None if is_open else end for end, is_open in zip(drawn[0], drawn[1:], strict=True)]
    )


questions = st.one_of(
    st.builds(lambda user, ends: ("days", user, *ends), users, period(days)),
    st.builds(lambda user, ends: ("logins", user, *ends), users, period(TIMES)),
    st.tuples(st.just("day_count"), users, days),
    st.tuples(st.just("day_total"), days),
    st.tuples(st.just("top_users"), days, st.integers(1, 9)),
)


@settings(max_examples=examples(60))
@given(logins, st.lists(questions, min_size=1, max_size=10))
def test_random_questions_are_answered_as_a_plain_list_does(engine, new, asked):
    with ExitStack() as stores:
        for name, variant in BY_NAME.items():
            repository = variant.open(stores.enter_context(engine.shared_store(*variant.tables)))
            records = stored(repository, *new)
            for question in asked:
                if question[0] != "logins" or name in KEEPING:
                    assert answer(repository, question) == expected(records, question), name


@settings(max_examples=examples(30))
@given(logins, st.lists(st.integers(0, 39), max_size=20), days)
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


@pytest.mark.parametrize("name", BY_NAME)
def test_the_samples_are_answered_as_a_plain_list_does(engine, samples, name):
    variant = BY_NAME[name]
    with engine.store(*variant.tables) as connection:
        repository = variant.open(connection)
        for each in samples:
            repository.store(each)
        all_users = sorted({each.user for each in samples})
        all_days = sorted({each.time_ms - each.time_ms % DAY_MS for each in samples})
        asked = [("days", user, None, None) for user in all_users]
        asked += [("top_users", day_ms, 5) for day_ms in all_days] + [("day_total", day_ms) for day_ms in all_days]
        asked += [("days", "user_1", all_days[3], all_days[9]), ("day_count", "batch", all_days[-1])]
        assert [answer(repository, question) for question in asked] == [
            expected(samples, question) for question in asked
        ]
        assert sum(repository.day_total(day_ms) for day_ms in all_days) == len(samples) == 1440
