"""Values: read exactly as they are written, or refused."""

from collections.abc import Mapping

import pytest

from shared.loading import read_value


@pytest.mark.parametrize(
    ("wanted", "given", "value"),
    [
        (float, "1.5", 1.5),
        (float, 7, 7.0),
        (float, "0" * 5000 + ".5", 0.5),
        (int | float, 9_007_199_254_740_993, 9_007_199_254_740_993),
        (int | float, "1.5", 1.5),
        (int | float, "7", 7),
        (bool, "true", True),
        (bool, "false", False),
        (bool, True, True),
        (bytes, "00ff", b"\x00\xff"),
        (Mapping[str, str | None], {"a": "b", "": None}, {"a": "b", "": None}),
    ],
)
def test_other_types_are_read_as_they_are_written(wanted, given, value):
    read = read_value("field", wanted, given)
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        *((wanted, given) for wanted in (float, int | float) for given in ("nan", "1_0", True, "x")),
        *((bool, "no"), (bool, 1), (bytes, "0"), (bytes, 3)),
        *((Mapping[str, str], given) for given in ("{}", [["a", "b"]], None, {"a": 5}, {"a": None})),
    ],
)
def test_other_types_are_never_guessed(wanted, given):
    with pytest.raises(ValueError, match="must be "):
        read_value("field", wanted, given)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("1e999", "'1e999'"),
        ("9" * 5000, f"'{'9' * 99}..."),
        (10**400, "an int of 1329 bits"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_that_no_float_holds_is_refused(given, shown):
    with pytest.raises(ValueError, match=r"^must be a number") as refused:
        read_value("field", float, given)
    assert str(refused.value) == f"must be a number in the range of a float (got {shown})"


def test_an_int_of_thousands_of_digits_is_refused_as_other_types_in_one_line():
    for wanted in (float, str, bool, bytes):
        with pytest.raises(ValueError, match=r"^must be .* \(got an int of 16610 bits\)$"):
            read_value("field", wanted, 10**5000)
