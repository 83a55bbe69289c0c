"""The steps from series to an answer: groups, the order of series, the period."""

from domains.tsdb.answering import answered
from domains.tsdb.query_text import parse_query
from domains.tsdb.series import Series, Values
from tests.domains.tsdb.compacting import HOUR

SECOND = 1000


def series(tsuid, tags, *numbers):
    """A series with a number in each second."""
    values = Values.of((HOUR + second * SECOND, number) for second, number in enumerate(numbers))
    return Series("m", tags, (), values, (tsuid,))


ALL = (
    series("03", {"host": "a", "dc": "x"}, 1, 2, 4),
    series("01", {"host": "b", "dc": "x"}, 8, 16, 32),
    series("02", {"host": "c"}, 64, 128, 256),
)
"""In the order of their rows: a salt comes first."""


def answer(m, *asked):
    """Tags and numbers of each group, for the seconds from the first to before the second of `asked`."""
    first, last = asked or (0, 3)
    read_ms, asked_ms = (HOUR, HOUR + 3 * SECOND), (HOUR + first * SECOND, HOUR + last * SECOND)
    groups = answered(parse_query(m), ALL, read_ms, asked_ms)
    return [(dict(group.tags), [number for _, number in group.values.points()]) for group in groups]


def test_a_series_without_the_tag_of_the_groups_is_in_none_of_them():
    assert answer("sum:m{dc=*}") == [({"dc": "x"}, [9, 18, 36])]
    assert answer("sum:m") == [({"dc": "x"}, [73, 146, 292])], "its tags are those with one value, also if some lack it"
    assert [tags["host"] for tags, _ in answer("none:m")] == ["b", "c", "a"], "by their TSUIDs"


def test_the_first_rate_is_that_since_1970_and_is_not_answered():
    assert answer("none:rate:m{host=*}")[2] == ({"host": "a", "dc": "x"}, [1.0, 2.0])
    assert answer("sum:rate:m{host=*}")[2] == ({"host": "a", "dc": "x"}, [1.0, 2.0])
    assert answer("none:rate:m", 1, 2)[2][1] == [1.0], "a rate also has the point before the period"


def test_first_and_last_take_the_series_in_the_order_of_their_rows():
    assert (answer("first:m")[0][1], answer("last:m")[0][1]) == ([1, 2, 4], [64, 128, 256])


def test_an_interval_that_begins_before_the_period_is_left_out():
    assert answer("sum:2s-sum:m{host=*}", 0, 3)[2][1] == [3, 4]
    assert answer("sum:2s-sum:m{host=*}", 1, 3)[2][1] == [4]
