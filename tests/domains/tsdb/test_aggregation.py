"""Aggregation: the numbers that a real OpenTSDB 2.4.1 answered."""

import math

import numpy as np
import pytest

from domains.tsdb.asking.aggregation import aggregated
from domains.tsdb.asking.downsampling import Downsampling, downsampled
from domains.tsdb.asking.rates import Rate, rates
from domains.tsdb.asking.series import Values
from domains.tsdb.records import LAST_INT
from shared.keys import InvalidQuestion

T = 1_356_998_400
A = Values.of(((T + 10 * i) * 1000, i**2 - 20) for i in range(12))
B = Values.of(((T + 5 + 20 * i) * 1000, i + 0.5) for i in range(6))
SECONDS = (0, 5, 10, 20, 105, 110)
DAY = (T * 1000, (T + 3600) * 1000)


def answers(values):
    return {time_ms // 1000 - T: number for time_ms, number in values.points()}


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("sum", (-20, -19, -18.25, -14.75, 96, 101)),
        ("avg", (-20, -9.5, -9.125, -7.375, 48, 101)),
        ("max", (-20, 0.5, 0.75, 1.25, 90.5, 101)),
        ("min", (-20, -19.5, -19, -16, 5.5, 101)),
        ("zimsum", (-20, 0.5, -19, -16, 5.5, 101)),
        ("mimmin", (-20, 0.5, -19, -16, 5.5, 101)),
        ("count", (1, 2, 2, 2, 2, 1)),
        ("dev", (0, 10, 9.875, 8.625, 42.5, 0)),
        ("first", (-20, 0, -19, -16, 0, 101)),
        ("last", (-20, 0.5, 0, 0, 5.5, 101)),
    ],
)
def test_series_with_other_times_are_aggregated_as_opentsdb_does(name, numbers):
    answered = answers(aggregated([A, B], name))
    assert [answered[second] for second in SECONDS] == list(numbers)
    assert sorted(answered) == sorted([*range(0, 120, 10), *range(5, 120, 20)])


def test_an_int_is_a_float_if_its_own_or_the_next_point_of_a_series_is_one():
    answered = answers(aggregated([A, B], "sum"))
    assert [type(answered[second]) for second in (0, 5, 105, 110)] == [float, float, float, int]
    mixed = Values.of([(1000, 1), (2000, 2), (3000, 3.5), (4000, 4)])
    assert aggregated([mixed], "sum").points() == [(1000, 1), (2000, 2.0), (3000, 3.5), (4000, 4)]
    assert [type(number) for _, number in aggregated([mixed], "sum").points()] == [int, float, float, int]


@pytest.mark.parametrize(
    ("series", "name", "wanted"),
    [
        ([[(0, -1), (3000, -2)], [(1000, 0), (2000, 0)]], "sum", [(0, -1), (1000, -1), (2000, -1), (3000, -2)]),
        ([[(0, -3)], [(0, 0)]], "avg", [(0, -1)]),
        ([[(0, 3)], [(0, 0)]], "avg", [(0, 1)]),
        ([[(0, 2**62 + 1), (1000, 2**53 + 1)]], "max", [(0, 2**62 + 1), (1000, 2**53 + 1)]),
        ([[(0, 2**62 + 1)], [(0, 1)]], "sum", [(0, 2**62 + 2)]),
        ([[(0, 2**63 - 1)], [(0, -(2**63))]], "dev", [(0, 2**63 - 1)]),
        ([[(0, 1)], [(0, 2)]], "dev", [(0, 0)]),
        ([[(0, 1)], [(1000, 5)]], "sum", [(0, 1), (1000, 5)]),
        ([], "sum", []),
    ],
)
def test_ints_stay_exact_and_are_divided_towards_zero_as_in_java_and_a_series_that_has_ended_drops_out(
    series, name, wanted
):
    assert aggregated([Values.of(points) for points in series], name).points() == wanted


def test_an_interval_that_starts_before_the_period_is_left_out_and_the_last_one_is_whole():
    sums = Downsampling(30_000, "sum")
    assert answers(downsampled(A, sums, *DAY)) == {0: -55, 30: -10, 60: 89, 90: 242}
    assert answers(downsampled(A, sums, DAY[0] + 1000, DAY[1])) == {30: -10, 60: 89, 90: 242}
    assert answers(downsampled(A, sums, DAY[0], DAY[0] + 31_000)) == {0: -55, 30: -10}
    assert answers(downsampled(A, sums, DAY[0], DAY[0] + 30_000)) == {0: -55}


def test_sums_of_an_interval_are_added_one_after_the_other_as_java_does():
    numbers = [float(2**63), 1.0, -float(2**63), 2.5, 1e-3, -2.5] * 20
    (added,) = downsampled(Values.of(enumerate(numbers)), Downsampling(1000, "sum"), 0, 1000).numbers
    total = 0.0
    for number in numbers:
        total += number
    assert added == total != math.fsum(numbers)


@pytest.mark.parametrize(
    ("by", "wanted"), [("first", [3, 8]), ("last", [4, 8]), ("dev", [0.5, 0]), ("avg", [3.5, 8]), ("count", [2, 1])]
)
def test_an_interval_is_one_number_of_its_points(by, wanted):
    values = Values.of([(0, 3), (10, 4), (1000, 8)])
    assert downsampled(values, Downsampling(1000, by), 0, 2000).numbers.tolist() == wanted


@pytest.mark.parametrize(("fill", "number"), [("nan", math.nan), ("zero", 0.0)])
def test_empty_intervals_are_filled_to_the_end_of_the_period(fill, number):
    values = Values.of([(0, 1), (20_000, 3)])
    filled = downsampled(values, Downsampling(10_000, "max", fill), 0, 57_000).points()
    assert [time_ms for time_ms, _ in filled] == [0, 10_000, 20_000, 30_000, 40_000]
    assert str([one for _, one in filled]) == str([1.0, number, 3.0, number, number])


def test_nan_is_passed_over_and_is_the_answer_only_if_no_series_has_a_number():
    filled = [
        downsampled(values, Downsampling(10_000, "sum", "nan"), 0, 30_000)
        for values in (Values.of([(0, 1)]), Values.of([(0, 2), (10_000, 5)]))
    ]
    with np.errstate(invalid="ignore"):
        assert str([number for _, number in aggregated(filled, "sum").points()]) == "[3.0, 5.0, nan]"
        assert str([number for _, number in aggregated(filled, "avg").points()]) == "[1.5, 5.0, nan]"


def shown(values):
    """The points without the first rate, which is that since 1970."""
    return values.points()[1:]


def test_a_rate_is_the_change_for_each_second_and_the_first_is_that_since_1970():
    assert list(answers(rates(A, Rate())).items())[1:4] == [(10, 0.1), (20, 0.3), (30, 0.5)]
    assert rates(Values.of([(2000, 1)]), Rate()).points() == [(2000, 0.5)]
    assert rates(Values.of(()), Rate()).points() == []


def test_a_counter_that_starts_again():
    counter = Values.of([(1000, 10), (2000, 250), (3000, 5), (4000, 25)])
    assert shown(rates(counter, Rate(is_counter=True, max=255))) == [(2000, 240.0), (3000, 10.0), (4000, 20.0)]
    assert shown(rates(counter, Rate(is_counter=True, max=255, reset=5))) == [(2000, 240.0), (3000, 0.0), (4000, 20.0)]
    assert shown(rates(counter, Rate(is_counter=True, drops_resets=True))) == [(2000, 240.0), (4000, 20.0)]
    assert shown(rates(counter, Rate()))[1] == (3000, -245.0)
    assert Rate().max == LAST_INT


def test_rates_are_not_interpolated_and_the_first_one_counts_until_the_second_point():
    first, second = Values.of([(1000, 1.0), (4000, 5.0)]), Values.of([(500, 7.0), (2000, 10.0), (3000, 20.0)])
    assert aggregated([first, second], "sum", are_rates=True).points() == [(2000, 11.0), (3000, 21.0), (4000, 5.0)]
    assert aggregated([first, Values.of([(3000, 2.0)])], "sum", are_rates=True).points() == [(4000, 5.0)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: aggregated([A], "p99"), "aggregator: must be one of sum, avg, .* .got 'p99'"),
        (lambda: Downsampling(0, "avg"), "Downsampling.every_ms: must be 1..31536000000000, a thousand years .got 0"),
        (lambda: Downsampling(1000, "p99"), "Downsampling.by: must be one of sum, avg, .*, dev .got 'p99'"),
        (lambda: Downsampling(1000, "avg", "null"), "Downsampling.fill: must be one of none, nan, zero .got 'null'"),
    ],
)
def test_what_is_unknown_is_refused(make, message):
    with pytest.raises(InvalidQuestion, match=message):
        make()
