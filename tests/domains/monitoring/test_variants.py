"""The variants side by side: whoever answers says what a plain list of the points says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.monitoring.keys import HOUR_MS
from domains.monitoring.variants.bucketed import BUCKET_MS
from shared.keys import InvalidQuestion
from tests.engines import examples

from .asking import BUCKETS, BY_NAME, LOSSLESS, by_time, expected, latest_of_buckets, point, refuses, stored

HOSTS = ["a", "ab", "web-1", "web-12", "é"]
METRICS = ["c", "cpu", "cpu-idle"]
TIMES_MS = [0, 1, 59_999, 60_000, BUCKET_MS - 1, BUCKET_MS, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1, 3 * HOUR_MS, 10**12 + 7]

points = st.lists(
    st.builds(
        point,
        st.sampled_from(TIMES_MS),
        st.sampled_from(HOSTS),
        st.sampled_from(METRICS),
        st.integers(-8, 8).map(lambda eighths: eighths / 8),  # their sums are exact
    ),
    max_size=30,
)
moments = st.sampled_from([*TIMES_MS, 2 * HOUR_MS])
periods = st.lists(moments, min_size=2, max_size=2).map(sorted)
any_periods = periods | st.tuples(st.none() | moments, st.none()) | st.tuples(st.none(), moments)
hosts, metrics = st.sampled_from([*HOSTS, "?"]), st.sampled_from([*METRICS, "?"])


def question(method, period=periods, **parts):
    """A question as (method, arguments)."""
    return st.builds(
        lambda period, **arguments: (method, {**arguments, **period}),
        period.map(lambda ends: dict(zip(("since_ms", "until_ms"), ends, strict=True))),
        **parts,
    )


of_one = {"host": hosts, "metric": metrics}
bounded = st.one_of(
    question("of_metric", **of_one),
    question("of_host", host=hosts),
    question("across_hosts", metric=metrics),
    question("averages", **of_one, every_ms=st.sampled_from([1, 60_000, HOUR_MS, 7 * HOUR_MS + 1])),
)
questions = st.one_of(
    bounded,
    question("of_metric", any_periods, **of_one),
    st.builds(lambda **arguments: ("latest", arguments), **of_one),
)


def all_pages(query, limit):
    """The records of all pages."""
    records, cursor = [], None
    while True:
        page = query.page(limit, cursor)
        assert len(page.records) <= limit
        records += page.records
        cursor = page.cursor
        if cursor is None:
            return records


def asked(repository, method, arguments, limit):
    """The answer: by pages of `limit`, if it has pages."""
    answer = getattr(repository, method)(**arguments)
    return answer if method in ("latest", "averages") else all_pages(answer, limit)


def check(name, repository, points, questions, limit):
    """Asks every question and compares the answer with that of the list, or with a refusal."""
    for method, arguments in questions:
        if refuses(name, method):
            with pytest.raises(InvalidQuestion, match="which comes earlier in the row key"):
                asked(repository, method, arguments, limit)
            continue
        answer = asked(repository, method, arguments, limit)
        in_order = by_time(answer) if method in ("of_host", "across_hosts") else answer
        assert in_order == expected(points, method, **arguments), name


@settings(max_examples=examples(30))
@given(points, st.lists(questions, min_size=1, max_size=8), st.integers(1, 12))
def test_every_variant_with_the_time_in_its_key_answers_as_a_plain_list_does_or_refuses(
    engine, points, questions, limit
):
    for name in LOSSLESS:
        with engine.shared_store(*BY_NAME[name].tables) as connection:
            repository = BY_NAME[name].open(connection)
            check(name, repository, stored(repository, *points), questions, limit)


@settings(max_examples=examples(20))
@given(points, st.lists(bounded, min_size=1, max_size=6), st.integers(1, 12))
def test_buckets_answer_as_a_list_of_the_latest_point_of_each_bucket(engine, points, questions, limit):
    for name in BUCKETS:
        with engine.shared_store(*BY_NAME[name].tables) as connection:
            repository = BY_NAME[name].open(connection)
            stored(repository, *points)
            check(name, repository, latest_of_buckets(points), questions, limit)


@settings(max_examples=examples(20))
@given(points)
def test_answers_of_a_host_are_in_the_order_of_the_row_key(engine, points):
    for name, key in {
        "monitoring": lambda each: (each.metric, each.time_ms),
        "salted": lambda each: (each.metric, each.time_ms),
        "host-time-metric": lambda each: (each.time_ms, each.metric),
    }.items():
        with engine.shared_store(*BY_NAME[name].tables) as connection:
            repository = BY_NAME[name].open(connection)
            of_host = [each for each in stored(repository, *points) if each.host == "a"]
            assert list(repository.of_host("a", 0, 10**13 - 1)) == sorted(of_host, key=key), name


@settings(max_examples=examples(20))
@given(points)
def test_answers_of_all_hosts_are_by_host_then_time_in_plan_b(engine, points):
    with engine.shared_store(*BY_NAME["metric-host-time"].tables) as connection:
        repository = BY_NAME["metric-host-time"].open(connection)
        of_metric = [each for each in stored(repository, *points) if each.metric == "cpu"]
        in_order = sorted(of_metric, key=lambda each: (f"{each.host}_", each.time_ms))
        assert list(repository.across_hosts("cpu", 0, 10**13 - 1)) == in_order
