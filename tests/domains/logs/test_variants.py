"""The variants side by side: whoever answers says what a plain list of the events says."""

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.logs.variants.random import BUCKETS, LogRandom, Repository
from domains.logs.variants.random import TABLE as RANDOM
from domains.logs.variants.slices import SLICE_MS
from shared.keys import InvalidQuestion
from shared.stores import connect
from tests.engines import examples

from .asking import BY_NAME, answering, by_time, event, expected, paged, query_of, refuses, stored

HOSTS = ["a", "ab", "b", "host1", "host12", "é"]
KINDS = ["E", "EE", "F"]
TIMES_MS = [0, 1, 2, 3, 7, 8, SLICE_MS - 1, SLICE_MS, SLICE_MS + 1, 2 * SLICE_MS, 3 * SLICE_MS]

events = st.lists(
    st.builds(
        event,
        st.sampled_from(TIMES_MS),
        st.sampled_from(HOSTS),
        st.sampled_from(KINDS),
        severity=st.sampled_from(["INFO", "WARN", "it's", ""]),
    ),
    max_size=30,
)
moments = st.sampled_from(TIMES_MS)
periods = st.lists(moments, min_size=2, max_size=2).map(sorted)
any_periods = periods | st.tuples(st.none() | moments, st.none()) | st.tuples(st.none(), moments)
some_host, some_kind = st.sampled_from([*HOSTS, "c"]), st.sampled_from([*KINDS, "G"])
beginnings = st.sampled_from(["a", "ab", "host1", "?", "é"])
questions = st.one_of(
    st.tuples(st.just("host_events"), some_host, some_kind, any_periods),
    st.tuples(st.just("latest"), some_host, some_kind, st.just([None, None])),
    st.tuples(st.just("window"), st.none() | some_host, st.none(), periods),
    st.tuples(st.just("hosts_like"), beginnings, st.none(), any_periods),
    st.tuples(
        st.sampled_from(["of_severity server", "of_severity client"]),
        some_host,
        st.sampled_from(["INFO", "WARN", "it's", "", "none"]),
        any_periods,
    ),
)


@settings(max_examples=examples(30))
@given(events, st.lists(questions, min_size=1, max_size=8), st.integers(1, 12))
def test_every_variant_answers_as_a_plain_list_does_or_refuses(engine, events, questions, limit):
    for name, variant in BY_NAME.items():
        with engine.shared_store(*variant.tables) as connection:
            logs = variant.open(connection)
            records = stored(logs, *events)
            for question in questions:
                if refuses(name, question):
                    with pytest.raises(InvalidQuestion):
                        query_of(logs, question)
                else:
                    assert in_order(paged(logs, question, limit), question) == expected(records, question), name


def in_order(found, question):
    """An answer in the order of time, which `hosts_like` does not promise."""
    return sorted(found, key=by_time) if question[0] == "hosts_like" else found


SAMPLE_QUESTIONS = [
    ("of_severity server", "web-1", "ERROR", [1_768_206_600_000, 1_768_207_500_000]),
    ("of_severity client", "店-1", "WARN", [1_768_206_600_000, 1_768_207_500_000]),
    ("host_events", "host1", "GET", [None, None]),
    ("host_events", "🐘", "GET", [1_768_206_600_000, 1_768_208_400_000]),
    ("latest", "web-12", "LOGIN", [None, None]),
    ("window", "web-1", None, [1_768_206_600_000, 1_768_207_500_000]),  # a whole slice
    ("window", None, None, [1_768_207_200_000, 1_768_208_000_001]),
    ("window", "店-1", None, [1_768_207_200_000, 1_768_208_000_001]),
    ("hosts_like", "web", None, [1_768_207_200_000, 1_768_208_000_001]),
    ("hosts_like", "host1", None, [1_768_206_600_000, 1_768_207_500_000]),
]


@answering
def test_the_samples_are_answered_as_a_plain_list_does(sampled, variant, samples):
    with closing(connect(sampled)) as connection:
        logs = variant.open(connection)
        for question in SAMPLE_QUESTIONS:
            if refuses(variant.name, question):
                continue
            records = list(query_of(logs, question))
            assert in_order(records, question) == expected(samples, question) != []


# ---- a random number first --------------------------------------------------------------------------


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
