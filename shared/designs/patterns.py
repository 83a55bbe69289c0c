"""Access patterns as data: a question in words, and the call that answers it.

The cost tables in a domain's README are measurements of these calls.
"""

import inspect
import shlex
from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import attrs

from ..keys import InvalidQuestion, KeyLayout, Modulo, Reversed, Salt, Slice, TimeBucket
from ..keys.parts import Part
from ..keys.prefixes import Prefix
from ..keys.slice_codecs import share_codec
from ..queries import DependentQuery, Query
from .ruler import show_value

DEFAULT_LIMIT = 100
"""Records per page by default; also the default of `Query.page`."""


class _Called:
    """A method or function that is called with a repository, and with arguments that a user gives."""

    method: Callable[..., Any]

    @property
    def name(self) -> str:
        """Its name on the command line, which is the method's."""
        return self.method.__name__.replace("_", "-")

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The arguments that a user may give."""
        _self, *parameters = inspect.signature(self.method, eval_str=True).parameters.values()
        return parameters


@attrs.frozen
class Action(_Called):
    """Work on stored rows that is neither a question nor a load, such as a compaction: `rowbook do NAME ACTION`.

    `method` is called with the repository of a variant and the arguments of the user. It returns an attrs instance: its
    ints are printed with their names, and its `failed`, if there is one, lists the rows that cannot be read.
    """

    words: str
    """What it does, in a few words."""
    method: Callable[..., Any]


@attrs.frozen
class AccessPattern(_Called):
    """One question that a design answers.

    `method` is the repository's method (`OrderRepository.of_seller`), `sample` the arguments with which it is
    measured. Arguments whose names end in `_ms` are times. Patterns of one name differ in their samples.
    """

    question: str
    """The question in words; unique within a design."""
    method: Callable[..., Any]
    sample: Mapping[str, Any] = attrs.field(hash=False)
    limit: int = DEFAULT_LIMIT
    """The most records of the page that is measured, if the method returns a query."""
    why_lacking: str = attrs.field(kw_only=True, default="")
    """Why some variants have no such method; a variant with a reason of its own has it in its repository's `lacks`."""

    def ask(self, repository: Any, **arguments: Any) -> Any:
        """What the method of a repository returns: a query, or an answer.

        Raises InvalidQuestion if the repository of a variant does not have the method, and says why.
        """
        name = self.method.__name__
        if not hasattr(repository, name):
            reasons: Mapping[str, str] = getattr(repository, "lacks", {})
            raise InvalidQuestion(f"{name}: {reasons.get(name, self.why_lacking)}")
        return getattr(repository, name)(**arguments)

    @property
    def words(self) -> str:
        """The arguments of `rowbook ask` for this question, with the sample's values."""
        return " ".join([self.name, *self.quoted_arguments])

    @property
    def quoted_arguments(self) -> list[str]:
        """What `rowbook ask` needs after the question's name, for a shell: a word for each value, one for the limit."""
        words: list[str] = []
        for name, value in self.sample.items():
            words.append(shlex.quote(f"{name}={value.hex() if isinstance(value, bytes) else show_value(name, value)}"))
        words += [f"--limit {self.limit}"] if self.limit != DEFAULT_LIMIT else []
        return words

    @property
    def answer(self) -> Literal["page", "first", "count", "value"]:
        """The kind of answer: a page of records, the only record or None, a number, or another value."""
        kind: Any = inspect.signature(self.method, eval_str=True).return_annotation
        if get_origin(kind) in (Query, DependentQuery):
            return "page"
        if NoneType in get_args(kind):
            return "first"
        return "count" if kind is int else "value"


def key_line(layout: KeyLayout[Any]) -> str:
    """A key in one line: `[1 of 8 buckets of seller_id][seller_id][placed_ms descending][order_number]`."""
    names = [prefix_line(prefix) for prefix in layout.prefixes]
    names += [f"{part_line(part)}{_direction(part)}" for part in layout.parts]
    return "".join(f"[{name}]" for name in names)


def part_line(part: Part) -> str:
    """The name of a part; for a divided value, also the share that the part holds."""
    divided = share_codec(part.codec)
    if divided is None:
        return part.name
    length = _period(divided.every) if part.name.endswith("_ms") else str(divided.every)
    return f"{length} slice of {part.name}" if isinstance(divided, Slice) else f"rest of {part.name}"


def _direction(part: Part) -> str:
    if part.codec.descending:
        return " descending"
    return " reversed" if isinstance(part.codec, Reversed) else ""


def prefix_line(prefix: Prefix) -> str:
    """What a prefix holds, in a few words."""
    if isinstance(prefix, TimeBucket):
        return f"{_period(prefix.every_ms)} slice of {prefix.of}"
    of = " and ".join(prefix.of)
    if isinstance(prefix, Salt):
        return f"1 of {prefix.buckets} buckets of {of}"
    if isinstance(prefix, Modulo):
        return f"{of} modulo {prefix.by}"
    separator = f" and {prefix.separator}" if prefix.separator else ""
    return f"{prefix.count}-{'digit' if prefix.hex else 'byte'} hash of {of}{separator}"


_UNITS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1000), ("millisecond", 1))


def _period(period_ms: int) -> str:
    """`15-minute`, in the largest unit that divides it."""
    name, length_ms = next(unit for unit in _UNITS if period_ms % unit[1] == 0)
    return f"{period_ms // length_ms}-{name}"
