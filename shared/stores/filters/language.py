"""The filter language of HBase's Thrift gateway: text becomes a tree of filters.

    expression = NAME(arguments) | (expression) | SKIP expression | WHILE expression
               | expression AND expression | expression OR expression

SKIP and WHILE bind tightest, then AND, then OR. Arguments are `'text'` (with `''` for a quote, every other byte stands
for itself), numbers, `true` and `false` in any case, and comparisons like `=, 'binary:v1'`.

This parser accepts and refuses the same texts as HBase 2.6.1's, even where HBase's rules are odd, which no grammar of a
parser generator states:

- A parenthesis that is never closed is accepted. Inside parentheses no operator may bind tighter than the one before
  it: `(A OR B AND C)` is refused, `(A OR (B AND C))` is not.
- An operator needs a space or `)` before it and a space or `(` after it. A TAB does not count as a space before an
  operator, `(` or an argument.
- The position of an operator does not matter: `A B OR ` is `A OR B`.
- A filter extends from its name to the first `)` outside quotes. Between a space after the name and `(` everything is
  dropped: `KeyOnlyFilter OR PageFilter(true)` is `KeyOnlyFilter(true)`.
- Spaces, commas and `)` separate arguments; several of them are one separator. The byte after a closing quote is
  dropped.
- A number may start with a minus sign, which alone is 0. A number of more than 64 bits loses the upper ones, unless the
  sign bit is set while it is read.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from attrs import frozen

from ...keys.limits import MAX_FILTER_BYTES
from ..thrift1.errors import UncheckedError, name_text
from .cell_filters import ColumnValueFilter, KeyOnlyFilter, TimestampsFilter, ValueFilter
from .column_filters import (
    ColumnPrefixFilter,
    ColumnRangeFilter,
    FamilyFilter,
    MultipleColumnPrefixFilter,
    QualifierFilter,
)
from .combined import And, Or, Skip, While
from .comparators import Comparison
from .counting_filters import ColumnCountGetFilter, ColumnPaginationFilter, FirstKeyOnlyFilter, PageFilter
from .filter import Filter
from .java_patterns import MAX_STEPS, STEP_BYTES
from .row_filters import InclusiveStopFilter, PrefixFilter, RowFilter
from .value_filters import DependentColumnFilter, SingleColumnValueExcludeFilter, SingleColumnValueFilter

# HBase has no limit. Here a deeper tree would exceed Python's recursion limit, because each level calls the next.
MAX_FILTER_DEPTH = 100

# The memory that a filter needs per byte of its text, without patterns; measured: most for many short comparisons.
_TEXT_BYTES = 64

_OPERATOR = re.compile(rb"(?<=[ )])(?:OR|AND)(?=[ (])|(?:(?<=[ ()])|\A)(?:SKIP|WHILE)(?=[ (])")
_FILTER = re.compile(rb"(?:''|'(?:''|[^'])*+'|[^')])*+\)")
_NAME = re.compile(rb"([^( ]++)[^(]*+\(")
_ARGUMENT = re.compile(rb"'(?P<quoted>(?:''|[^'])*+)'.?|(?P<bare>[^ ,)'][^ ,)]*+)|(?P<unclosed>'.*)", re.DOTALL)

_TIGHTNESS = {b"SKIP": 1, b"WHILE": 1, b"AND": 2, b"OR": 3}


def parse_filter(text: bytes) -> Filter:
    """A new filter, parsed from text; a filter serves one region of one scan.

    Parsing is cheap, some 30 us for two filters, so every region parses again. Raises UncheckedError with one line that
    says what was wanted, what was given and where.
    """
    return _Parser(text).parse()


def parsed_bytes(text: bytes) -> int:
    """About how much memory the filter of a text needs at most, in bytes; raises as `parse_filter` does."""
    parser = _Parser(text)
    parser.parse()
    return _TEXT_BYTES * len(text) + STEP_BYTES * parser.pattern_steps


class _Parser:
    """The state of parsing one text: a stack of operators, and one of filters that they will join."""

    def __init__(self, text: bytes) -> None:
        if len(text) > MAX_FILTER_BYTES:
            raise UncheckedError(f"filterString: must be at most {MAX_FILTER_BYTES} bytes (got {len(text)})")
        self.pattern_steps = 0
        self._text = text
        self._operators: list[bytes] = []
        self._filters: list[Filter] = []

    def parse(self) -> Filter:
        position = 0
        while position < len(self._text):
            position = self._read(position)
        while self._operators:
            self._apply(position)
        if len(self._filters) != 1:
            raise _syntax_error(position, "wants filters joined by AND and OR", f"{len(self._filters)} filters without")
        return self._filters[0]

    def _read(self, position: int) -> int:
        """Reads an operator, a parenthesis or a filter; returns the position after it."""
        letter = self._text[position : position + 1]
        if letter in b" \t":
            return position + 1
        operator = _OPERATOR.match(self._text, position)
        if operator:
            while self._operators and _TIGHTNESS.get(self._operators[-1], 4) < _TIGHTNESS[operator[0]]:
                self._apply(position)
        elif letter == b")":
            self._close(position)
            return position + 1
        elif letter != b"(":
            return self._read_filter(position)
        self._push(operator[0] if operator else letter, position)
        return operator.end() if operator else position + 1

    def _push(self, operator: bytes, position: int) -> None:
        self._operators.append(operator)
        nests = operator not in (b"AND", b"OR")
        if nests and sum(waiting not in (b"AND", b"OR") for waiting in self._operators) > MAX_FILTER_DEPTH:
            raise _syntax_error(
                position, f"wants at most {MAX_FILTER_DEPTH} of (, SKIP and WHILE within each other", "more"
            )

    def _close(self, position: int) -> None:
        if self._operators and self._operators[-1] == b"(":
            self._operators.pop()
            return
        operator = None
        while operator != b"(":
            self._apply(position)
            if not self._operators:
                raise _unmatched(position)
            operator = self._operators.pop()  # HBase: an operator popped here is never applied

    def _apply(self, position: int) -> None:
        """Joins the last filters by the last operator; equal operators in a row join all their filters at once."""
        if not self._operators:
            raise _unmatched(position)
        operator = self._operators.pop()
        if operator in (b"AND", b"OR"):
            count = 2
            while self._operators and self._operators[-1] == operator:
                self._operators.pop()
                count += 1
            joined = self._pop_filters(count, operator, position)
            self._filters.append(And(joined) if operator == b"AND" else Or(joined))
        else:
            (single,) = self._pop_filters(1, operator, position)
            wrap = {b"SKIP": Skip, b"WHILE": While}.get(operator)
            self._filters.append(wrap(single) if wrap else single)

    def _pop_filters(self, count: int, operator: bytes, position: int) -> list[Filter]:
        if len(self._filters) < count:
            raise _syntax_error(position, f"wants {count} filters for {name_text(operator)}", str(len(self._filters)))
        operands = self._filters[-count:]
        del self._filters[-count:]
        return operands

    def _read_filter(self, position: int) -> int:
        expression = _FILTER.match(self._text, position)
        name = expression and _NAME.match(expression[0])
        if not expression or not name:
            raise _syntax_error(position, "wants NAME(arguments)", self._text[position : position + 40])
        signature = _SIGNATURES.get(name[1])
        if not signature:
            names = name_text(b", ".join(_SIGNATURES))
            raise _syntax_error(position, f"wants one of the filters {names}", name[1])
        try:
            arguments = list(_arguments(expression[0], name.end()))
            parsed, steps = signature.build(arguments)
            self._count_steps(steps)
        except UncheckedError as error:
            raise UncheckedError(f"filterString: at byte {position}: {name_text(name[1])} {error}") from None
        self._filters.append(parsed)
        return expression.end()

    def _count_steps(self, steps: int) -> None:
        self.pattern_steps += steps
        if self.pattern_steps > MAX_STEPS:
            raise UncheckedError(
                f"wants at most {MAX_STEPS} steps in all its regular expressions with their repeats written out"
                f" (got {self.pattern_steps})"
            )


def _syntax_error(position: int, wanted: str, got: bytes | str) -> UncheckedError:
    given = repr(name_text(got)) if isinstance(got, bytes) else got
    return UncheckedError(f"filterString: at byte {position}: {wanted} (got {given})")


def _unmatched(position: int) -> UncheckedError:
    return _syntax_error(position, "wants a ( for this ), and inside it no operator tighter than one before", "none")


# Arguments


@frozen
class _Argument:
    """One argument: a text without its quotes, or anything else as written."""

    text: bytes
    is_quoted: bool

    def __str__(self) -> str:
        text = repr(name_text(self.text[:60]))
        return text if self.is_quoted else text[1:-1]


def _arguments(expression: bytes, position: int) -> Iterator[_Argument]:
    for match in _ARGUMENT.finditer(expression, position):
        if match["unclosed"]:
            raise UncheckedError(f"wants a closing quote (got {name_text(match[0])!r})")
        is_quoted = match["bare"] is None
        yield _Argument(match["quoted"].replace(b"''", b"'") if is_quoted else match["bare"], is_quoted)


def _quoted_text(argument: _Argument) -> bytes:
    if not argument.is_quoted:
        raise UncheckedError(f"wants a text in quotes (got {argument})")
    return argument.text


def _column_name(family: _Argument, qualifier: _Argument) -> bytes:
    """The column's name; b"", which no column has, if the family's name contains a colon."""
    return b"" if b":" in _quoted_text(family) else _quoted_text(family) + b":" + _quoted_text(qualifier)


def _boolean(argument: _Argument) -> bool:
    given = argument.text.lower()
    if argument.is_quoted or given not in (b"true", b"false"):
        raise UncheckedError(f"wants true or false (got {argument})")
    return given == b"true"


def _long(argument: _Argument, limit: int = 2**63) -> int:
    digits = argument.text.removeprefix(b"-")
    number = 0
    for digit in digits:
        number = (number * 10 + digit - ord("0")) % 2**64
        if number >= 2**63:
            break
    is_negative = number > 0 and digits != argument.text
    if argument.is_quoted or not (digits or b"0").isdigit() or number >= limit or is_negative:
        raise UncheckedError(f"wants a whole number from 0 to {limit - 1} (got {argument})")
    return number


def _int(argument: _Argument) -> int:
    return _long(argument, 2**31)


def _any_comparison(operator: _Argument, comparator: _Argument) -> Comparison:
    if operator.is_quoted:
        raise UncheckedError(f"wants an operator, without quotes (got {operator})")
    return Comparison(operator.text, _quoted_text(comparator))


def _comparison(operator: _Argument, comparator: _Argument) -> Comparison:
    comparison = _any_comparison(operator, comparator)
    if comparison.is_search and comparison.operator not in (b"=", b"!="):
        raise UncheckedError(f"wants = or != before {comparator} (got {operator})")
    return comparison


_ReadArguments: TypeAlias = Callable[..., object]


@frozen
class _Signature:
    """A filter and its arguments: one of several lists, or any number of one kind."""

    make: Callable[..., Filter]
    choices: Sequence[tuple[_ReadArguments, ...]] = ()
    all_of: _ReadArguments | None = None

    def build(self, arguments: Sequence[_Argument]) -> tuple[Filter, int]:
        """The filter, and the steps of its regular expression."""
        if self.all_of:
            return self.make([self.all_of(argument) for argument in arguments]), 0
        widths = [sum(map(_width, choice)) for choice in self.choices]
        if len(arguments) not in widths:
            raise UncheckedError(f"wants {' or '.join(map(str, widths))} arguments (got {len(arguments)})")
        remaining = iter(arguments)
        readers = self.choices[widths.index(len(arguments))]
        values = [read(*islice(remaining, _width(read))) for read in readers]
        steps = sum(value.pattern_steps for value in values if isinstance(value, Comparison))
        return self.make(*values), steps


def _width(read: _ReadArguments) -> int:
    return 2 if read in (_column_name, _comparison, _any_comparison) else 1


def _multiple_prefixes(prefixes: Sequence[bytes]) -> Filter:
    if len(set(prefixes)) < len(prefixes):
        raise UncheckedError(f"wants prefixes that differ (got {name_text(b', '.join(prefixes))})")
    return MultipleColumnPrefixFilter(prefixes)


_SIGNATURES: dict[bytes, _Signature] = {
    b"KeyOnlyFilter": _Signature(KeyOnlyFilter, [(), (_boolean,)]),
    b"FirstKeyOnlyFilter": _Signature(FirstKeyOnlyFilter, [()]),
    b"PrefixFilter": _Signature(PrefixFilter, [(_quoted_text,)]),
    b"ColumnPrefixFilter": _Signature(ColumnPrefixFilter, [(_quoted_text,)]),
    b"MultipleColumnPrefixFilter": _Signature(_multiple_prefixes, all_of=_quoted_text),
    b"ColumnCountGetFilter": _Signature(ColumnCountGetFilter, [(_int,)]),
    b"PageFilter": _Signature(PageFilter, [(_long,)]),
    b"ColumnPaginationFilter": _Signature(ColumnPaginationFilter, [(_int, _int)]),
    b"InclusiveStopFilter": _Signature(InclusiveStopFilter, [(_quoted_text,)]),
    b"TimestampsFilter": _Signature(TimestampsFilter, all_of=_long),
    b"RowFilter": _Signature(RowFilter, [(_comparison,)]),
    b"FamilyFilter": _Signature(FamilyFilter, [(_comparison,)]),
    b"QualifierFilter": _Signature(QualifierFilter, [(_comparison,)]),
    b"ValueFilter": _Signature(ValueFilter, [(_comparison,)]),
    b"ColumnRangeFilter": _Signature(ColumnRangeFilter, [(_quoted_text, _boolean, _quoted_text, _boolean)]),
    b"SingleColumnValueFilter": _Signature(
        SingleColumnValueFilter,
        [(_column_name, _comparison), (_column_name, _comparison, _boolean, _boolean)],
    ),
    b"SingleColumnValueExcludeFilter": _Signature(
        SingleColumnValueExcludeFilter,
        [(_column_name, _comparison), (_column_name, _comparison, _boolean, _boolean)],
    ),
    b"DependentColumnFilter": _Signature(
        DependentColumnFilter,
        [(_column_name,), (_column_name, _boolean), (_column_name, _boolean, _any_comparison)],
    ),
    b"ColumnValueFilter": _Signature(ColumnValueFilter, [(_column_name, _comparison)]),
}
