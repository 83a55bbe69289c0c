"""Comparators of the filter language: `=, 'binary:v1'` becomes a test of bytes."""

import codecs
import operator
import re
from collections.abc import Callable
from functools import cache, partial
from typing import TypeAlias

from attrs import field, frozen

from ..thrift1.errors import UncheckedError, io_error, name_text
from .java_patterns import check_pattern, java_pattern, pattern_steps

# HBase lets a pattern run for as long as it needs, and occupies a handler meanwhile. Backtracking needs memory too, up
# to 1 GB a second in a large cell.
MATCH_S = 0.25

# Most matches end within microseconds: releasing the interpreter would cost more than the match.
_SHORT_TEXT = 4096
_ALONE_S = 0.005

Test: TypeAlias = Callable[[bytes], bool]
"""Whether some bytes of a cell (a value, a qualifier, a row key) pass a comparison."""

_ORDERS: dict[bytes, Callable[[bytes, bytes], bool]] = {
    b"<": operator.lt,
    b"<=": operator.le,
    b"=": operator.eq,
    b"!=": operator.ne,
    b">=": operator.ge,
    b">": operator.gt,
}
OPERATORS = tuple(_ORDERS)


@frozen
class Comparison:
    """An operator and a comparator, `=` and `binary:v1`. `holds(cell)` is `cell OPERATOR operand`, bytes unsigned.

    | comparator | what is compared |
    |---|---|
    | `binary:B` | all bytes with B |
    | `binaryprefix:B` | as many of the first bytes as B has, with B |
    | `regexstring:P` | the Java pattern P is found anywhere in the bytes as UTF-8; a dot matches line ends too |
    | `regexstringnocase:P` | the same, without regard to the case of ASCII letters |
    | `substring:T` | the text T is contained, both in lower case of all languages |

    The last three search, so they accept only `=` and `!=`. HBase does not check that for DependentColumnFilter,
    where `<` then means not found, `>=` found, `<=` always and `>` never.
    """

    operator: bytes
    comparator: bytes
    holds: Test = field(init=False, eq=False, repr=False)

    @property
    def is_search(self) -> bool:
        """Whether the comparator searches, so it has no order."""
        return not self.comparator.startswith(b"binary")

    @property
    def pattern_steps(self) -> int:
        """The steps of its regular expression, see `java_patterns.py`; 0 without one."""
        kind, _, operand = self.comparator.partition(b":")
        return pattern_steps(java_text(operand)) if kind.startswith(b"regexstring") else 0

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "holds", _test(self.operator, self.comparator))


def _test(operator: bytes, comparator: bytes) -> Test:
    if operator not in _ORDERS:
        raise UncheckedError(
            f"wants an operator, one of {name_text(b' '.join(OPERATORS))} (got {name_text(operator)!r})"
        )
    kind, colon, operand = comparator.partition(b":")
    if colon and kind == b"binary":
        return _compares_all(operator, operand)
    if colon and kind == b"binaryprefix":
        return _compares_prefix(operator, operand)
    if colon and kind in _SEARCHES:
        return _searches(operator, _SEARCHES[kind](java_text(operand)))
    kinds = "binary, binaryprefix, regexstring, regexstringnocase or substring"
    raise UncheckedError(f"wants a comparator 'TYPE:VALUE' of type {kinds} (got {name_text(comparator)!r})")


def _compares_all(operator: bytes, operand: bytes) -> Test:
    # Bound methods of the operand, with the sides exchanged, for speed: a filter compares every cell.
    tests: dict[bytes, Test] = {
        b"<": operand.__gt__,
        b"<=": operand.__ge__,
        b"=": operand.__eq__,
        b"!=": operand.__ne__,
        b">=": operand.__le__,
        b">": operand.__lt__,
    }
    return tests[operator]


def _compares_prefix(operator: bytes, operand: bytes) -> Test:
    in_order, width = _ORDERS[operator], len(operand)
    return lambda given: in_order(given[:width], operand)


def _searches(operator: bytes, contains: Test) -> Test:
    # HBase: found is 0 and not found is 1, as if the operand were greater than the cell.
    tests: dict[bytes, Test] = {
        b"<": lambda given: not contains(given),
        b"<=": lambda given: True,
        b"=": contains,
        b"!=": lambda given: not contains(given),
        b">=": contains,
        b">": lambda given: False,
    }
    return tests[operator]


def _contains_pattern(pattern: str, *, any_case: bool = False) -> Test:
    check_pattern(pattern)
    compiled = cache(partial(java_pattern, pattern, any_case=any_case))  # by the first search

    def contains(given: bytes) -> bool:
        search = compiled().search
        text = java_text(given)
        try:
            if len(text) <= _SHORT_TEXT:
                return search(text, concurrent=False, timeout=_ALONE_S) is not None
        except TimeoutError:
            pass  # the search is repeated below, concurrently with other threads
        try:
            return search(text, concurrent=True, timeout=MATCH_S) is not None
        except TimeoutError:
            search_text = f"{pattern[:100]!r} on a cell of {len(given)} bytes"
            raise io_error("DoNotRetryIOException", f"regexstring took more than {MATCH_S} s: {search_text}") from None

    return contains


def _contains_text(text: str) -> Test:
    lowered = text.lower()
    return lambda given: lowered in java_text(given).lower()


_SEARCHES: dict[bytes, Callable[[str], Test]] = {
    b"regexstring": _contains_pattern,
    b"regexstringnocase": partial(_contains_pattern, any_case=True),
    b"substring": _contains_text,
}


def java_text(given: bytes) -> str:
    """Bytes as UTF-8 as Java decodes them: invalid bytes become U+FFFD, an encoded surrogate one, not three."""
    return given.decode(errors="java")


def _replace_as_java(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    surrogate = _SURROGATE.match(error.object, error.start)
    return "\ufffd", surrogate.end() if surrogate else error.end


_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
codecs.register_error("java", _replace_as_java)
