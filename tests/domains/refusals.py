"""Wrong values for one argument of a call, and what is wrong with the errors that refuse them."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from shared.keys.errors import message_of, shown
from shared.testing.contracts.wrong_input_contract import TURNED_MS
from shared.testing.wrong_values import SURROGATE, WRONG

MAX_MESSAGE = 350


def refusals(call: Callable[..., Any], name: str, declared: Any, begins: str, /, **others: Any) -> Iterator[str]:
    """What is wrong with the answers to the wrong values of one argument; nothing if each is refused in one line.

    A message must match the pattern `begins`, so that it names the argument.
    """
    for value in WRONG:
        try:
            answer = answer_of(call, **others, **{name: value})
        except Exception as error:
            if reason := complaint(error, begins):
                yield f"{name}={shown(value)}: {reason}"
        else:
            if not accepts(declared, value):
                yield f"{name}={shown(value)}: answered {answer!r:.60}"


def turned_period(call: Callable[..., Any], /, **others: Any) -> Iterator[str]:
    """What is wrong with the answer to a period that ends before it begins; nothing if it is refused in one line."""
    try:
        answer = answer_of(call, **{**others, **TURNED_MS})
    except Exception as error:
        if reason := complaint(error, ""):
            yield reason
    else:
        yield f"{TURNED_MS}: answered {answer!r:.60}"


def answer_of(call: Callable[..., Any], /, **arguments: Any) -> Any:
    """The answer of a call; the first record of a query."""
    answer = call(**arguments)
    if hasattr(answer, "page"):
        answer = answer.page(1)
    return list(answer) if inspect.isgenerator(answer) else answer


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
    is_told = isinstance(error, ValueError) and type(error) is not ValueError  # a plain one is a bug to a service
    is_good = is_told and len(message) <= MAX_MESSAGE and message.isprintable()
    if is_good and re.match(begins, message):
        return ""
    return f"{type(error).__name__}: {message[:MAX_MESSAGE]}"
