"""Values that are wrong for most fields and arguments, and whether one is of a declared type after all."""

from inspect import Parameter
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

LONG = "a" * 1_000_000
SURROGATE = "\ud800"
"""Text that is not Unicode."""
WRONG: tuple[object, ...] = (
    *(None, True, 0, -1, 1.5, float("nan"), 10**30, 10**5000),
    *("", SURROGATE, "a\nb", LONG, "a" * 40_000, b"x", LONG.encode()),
    *([], {}, set[str](), ("x",), [LONG], [10**5000], object()),
)
"""The values; those of the declared type may be accepted."""


def may_accept(declared: Any, value: object) -> bool:
    """Whether a value is of a declared type, as Python sees it: True is an int, and an int is a float.

    If a type cannot be checked, any value is.
    """
    of: Any = get_origin(declared) or declared
    if of in (Union, UnionType):
        return any(may_accept(member, value) for member in get_args(declared))
    if of is Literal:
        return value in get_args(declared)
    if of is Parameter.empty or not isinstance(of, type):
        return True
    return isinstance(value, (int, float) if of is float else of) and value != SURROGATE
