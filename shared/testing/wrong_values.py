"""Wrong values for one argument of a call, and what is wrong with the errors that refuse them."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from ..keys.errors import message_of, shown

LONG = "a" * 1_000_000
SURROGATE = "\ud800"
"""Text that is not Unicode."""
WRONG: tuple[object, ...] = (
    *(None, True, 0, -1, 1.5, float("nan"), 10**30, 10**5000),
    *("", SURROGATE, "a\nb", LONG, "a" * 40_000, b"x", LONG.encode()),
    *([], {}, set[str](), ("x",), [LONG], [10**5000], object()),
)
"""The values; those of the declared type may be accepted."""
MAX_MESSAGE = 350


def refusals(call: Callable[..., Any], name: str, declared: Any, begins: str, /, **others: Any) -> Iterator[str]:
    """What is wrong with the answers to the wrong values of one argument; nothing if each is refused in one line.

    A message must match the pattern `begins`, so that it names the argument.
    """
    for value in WRONG:
        try:
            answer = call(**others, **{name: value})
            if hasattr(answer, "page"):
                answer = answer.page(1)
            if inspect.isgenerator(answer):
                answer = list(answer)
        except Exception as error:
            if reason := complaint(error, begins):
                yield f"{name}={shown(value)}: {reason}"
        else:
            if not accepts(declared, value):
                yield f"{name}={shown(value)}: answered {answer!r:.60}"


def accepts(declared: Any, value: Any) -> bool:
    """Whether a value is of a declared type."""
    origin: Any = get_origin(declared)
    if origin in (Union, UnionType):
        return any(accepts(member, value) for member in get_args(declared))
    if origin is Literal:
        return type(value) is str and value in get_args(declared)
    if origin is Mapping:
        return isinstance(value, Mapping)
    return type(value) is (origin or declared) and value != SURROGATE


def complaint(error: Exception, begins: str) -> str:
    """What is wrong with an error whose message must match `begins`; empty text if nothing is."""
    try:
        message = message_of(error)
    except ValueError as unprintable:
        return f"cannot be printed: {unprintable}"
    is_good = isinstance(error, ValueError) and len(message) <= MAX_MESSAGE and message.isprintable()
    if is_good and re.match(begins, message):
        return ""
    return f"{type(error).__name__}: {message[:MAX_MESSAGE]}"
