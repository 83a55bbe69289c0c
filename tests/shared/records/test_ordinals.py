"""Numbers of equal values."""

from shared.records import Ordinals


def test_equal_values_are_numbered_from_0_and_others_by_themselves():
    ordinals = Ordinals()
    assert [ordinals(value) for value in ["a", "b", "a", "a", "b", ("a", 1), ("a", 1)]] == [0, 0, 1, 2, 1, 0, 1]


def test_another_file_is_numbered_from_0_again():
    assert [Ordinals()("a"), Ordinals()("a")] == [0, 0]
