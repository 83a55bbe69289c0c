"""The filter language of HBase's Thrift gateway: text becomes a tree of filters.

    expression = NAME(arguments) | (expression) | SKIP expression | WHILE expression
               | expression AND expression | expression OR expression

SKIP and WHILE bind tightest, then AND, then OR. Arguments are `'text'` (with `''` for a quote, every other byte is
itself), numbers, `true` and `false` in any case, and comparisons like `=, 'binary:v1'`.

This parser takes and refuses what HBase 2.6.1's does, which is not what one would write:

- A parenthesis that is never closed is taken. Inside parentheses nothing may bind tighter than an operator before it:
  `(A OR B AND C)` is refused, `(A OR (B AND C))` is not.
- An operator stands between a space or `)` and a space or `(`. A TAB is no space before it, nor before `(` or an
  argument.
- Operators only wait for filters, wherever these stand: `A B OR ` is `A OR B`.
- A filter reaches from its name to the first `)` outside quotes, and what stands between a space behind the name and
  `(` is dropped: `KeyOnlyFilter OR PageFilter(true)` is `KeyOnlyFilter(true)`.
- Spaces, commas and `)` separate arguments, and any number of them is one. The byte behind a closing quote is dropped.
- A number may begin with a minus sign, which alone is 0. One of more than 64 bits loses the upper ones, unless the sign
  bit gets set on the way.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from attrs import frozen

from ..thrift1.errors import UncheckedError, shown
from . import filters
from .combined import And, Or, Skip, While
from .comparators import Comparison
from .filters import Filter
from .java_patterns import MAX_STEPS, STEP_BYTES

# HBase knows no limit. Here a tree that is deeper could not be asked, since each level asks the next.
MAX_DEPTH = 100

# HBase knows no limit here either. So many bytes hold some 3,000 filters.
MAX_FILTER_BYTES = 65_536

# What a filter keeps in memory for each byte of its text, patterns aside; measured, many short comparisons the most.
_TEXT_BYTES = 64

_OPERATOR = re.compile(rb"(?<=[ )])(?:OR|AND)(?=[ (])|(?:(?<=[ ()])|\A)(?:SKIP|WHILE)(?=[ (])")
_FILTER = re.compile(rb"(?:''|'(?:''|[^'])*+'|[^')])*+\)")
_NAME = re.compile(rb"([^( ]++)[^(]*+\(")
_ARGUMENT = re.compile(rb"'(?P<quoted>(?:''|[^'])*+)'.?|(?P<bare>[^ ,)'][^ ,)]*+)|(?P<unclosed>'.*)", re.DOTALL)

_TIGHTNESS = {b"SKIP": 1, b"WHILE": 1, b"AND": 2, b"OR": 3}


def parse_filter(text: bytes) -> Filter:
    """The filter that the text describes, fresh: a filter serves one region of one scan.

    Parsing is cheap, some 30 us for two filters, so that every region parses anew. Raises UncheckedError with one line
    that says what was wanted, what was given and where.
    """
    return _Parser(text).parse()


def parsed_bytes(text: bytes) -> int:
    """About how much memory the filter takes that the text describes, at most; raises as `parse_filter` does."""
    parser = _Parser(text)
    parser.parse()
    return _TEXT_BYTES * len(text) + STEP_BYTES * parser.pattern_steps


class _Parser:
    """One text on its way: operators wait on a stack until they get filters from another."""

    def __init__(self, text: bytes) -> None:
        if len(text) > MAX_FILTER_BYTES:
            raise UncheckedError(f"filterString: must be at most {MAX_FILTER_BYTES} bytes (got {len(text)})")
        self.pattern_steps = 0
        self._text = text
        self._operators: list[bytes] = []
        self._filters: list[Filter] = []

    def parse(self) -> Filter:
        at = 0
        while at < len(self._text):
            at = self._read(at)
        while self._operators:
            self._apply(at)
        if len(self._filters) != 1:
            raise _refused(at, "wants filters joined by AND and OR", f"{len(self._filters)} filters without")
        return self._filters[0]

    def _read(self, at: int) -> int:
        """Reads one thing, and answers with where the next one begins."""
        letter = self._text[at : at + 1]
        if letter in b" \t":
            return at + 1
        operator = _OPERATOR.match(self._text, at)
        if operator:
            while self._operators and _TIGHTNESS.get(self._operators[-1], 4) < _TIGHTNESS[operator[0]]:
                self._apply(at)
        elif letter == b")":
            self._close(at)
            return at + 1
        elif letter != b"(":
            return self._read_filter(at)
        self._push(operator[0] if operator else letter, at)
        return operator.end() if operator else at + 1

    def _push(self, operator: bytes, at: int) -> None:
        self._operators.append(operator)
        nests = operator not in (b"AND", b"OR")
        if nests and sum(waiting not in (b"AND", b"OR") for waiting in self._operators) > MAX_DEPTH:
            raise _refused(at, f"wants at most {MAX_DEPTH} of (, SKIP and WHILE within each other", "more")

    def _close(self, at: int) -> None:
        if self._operators and self._operators[-1] == b"(":
            self._operators.pop()
            return
        operator = None
        while operator != b"(":
            self._apply(at)
            if not self._operators:
                raise _unmatched(at)
            operator = self._operators.pop()  # HBase: and never applied, unless it is the parenthesis

    def _apply(self, at: int) -> None:
        """Joins the last filters by the last operator, or by several of it in a row."""
        if not self._operators:
            raise _unmatched(at)
        operator = self._operators.pop()
        if operator in (b"AND", b"OR"):
            count = 2
            while self._operators and self._operators[-1] == operator:
                self._operators.pop()
                count += 1
            joined = self._take(count, operator, at)
            self._filters.append(And(joined) if operator == b"AND" else Or(joined))
        else:
            (single,) = self._take(1, operator, at)
            wrap = {b"SKIP": Skip, b"WHILE": While}.get(operator)
            self._filters.append(wrap(single) if wrap else single)

    def _take(self, count: int, operator: bytes, at: int) -> list[Filter]:
        if len(self._filters) < count:
            raise _refused(at, f"wants {count} filters for {shown(operator)}", str(len(self._filters)))
        taken = self._filters[-count:]
        del self._filters[-count:]
        return taken

    def _read_filter(self, at: int) -> int:
        expression = _FILTER.match(self._text, at)
        name = expression and _NAME.match(expression[0])
        if not expression or not name:
            raise _refused(at, "wants NAME(arguments)", self._text[at : at + 40])
        signature = _SIGNATURES.get(name[1])
        if not signature:
            names = shown(b", ".join(_SIGNATURES))
            raise _refused(at, f"wants one of the filters {names}", name[1])
        try:
            arguments = list(_arguments(expression[0], name.end()))
            parsed, steps = signature.build(arguments)
            self._count_steps(steps)
        except UncheckedError as error:
            raise UncheckedError(f"filterString: at byte {at}: {shown(name[1])} {error}") from None
        self._filters.append(parsed)
        return expression.end()

    def _count_steps(self, steps: int) -> None:
        self.pattern_steps += steps
        if self.pattern_steps > MAX_STEPS:
            raise UncheckedError(
                f"wants at most {MAX_STEPS} steps in all its regular expressions with their repeats written out"
                f" (got {self.pattern_steps})"
            )


def _refused(at: int, wanted: str, got: bytes | str) -> UncheckedError:
    given = repr(shown(got)) if isinstance(got, bytes) else got
    return UncheckedError(f"filterString: at byte {at}: {wanted} (got {given})")


def _unmatched(at: int) -> UncheckedError:
    return _refused(at, "wants a ( for this ), and inside it no operator tighter than one before", "none")


# Arguments


@frozen
class _Argument:
    """What stands between the separators: a text without its quotes, or anything else as it is."""

    text: bytes
    is_quoted: bool

    def __str__(self) -> str:
        text = repr(shown(self.text[:60]))
        return text if self.is_quoted else text[1:-1]


def _arguments(expression: bytes, at: int) -> Iterator[_Argument]:
    for found in _ARGUMENT.finditer(expression, at):
        if found["unclosed"]:
            raise UncheckedError(f"wants a closing quote (got {shown(found[0])!r})")
        is_quoted = found["bare"] is None
        yield _Argument(found["quoted"].replace(b"''", b"'") if is_quoted else found["bare"], is_quoted)


def _text(argument: _Argument) -> bytes:
    if not argument.is_quoted:
        raise UncheckedError(f"wants a text in quotes (got {argument})")
    return argument.text


def _column(family: _Argument, qualifier: _Argument) -> bytes:
    """The column's name; none is called b"", which stands for a column of a family with a colon in its name."""
    return b"" if b":" in _text(family) else _text(family) + b":" + _text(qualifier)


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
    return Comparison(operator.text, _text(comparator))


def _comparison(operator: _Argument, comparator: _Argument) -> Comparison:
    comparison = _any_comparison(operator, comparator)
    if comparison.is_search and comparison.operator not in (b"=", b"!="):
        raise UncheckedError(f"wants = or != before {comparator} (got {operator})")
    return comparison


_Reader: TypeAlias = Callable[..., object]


@frozen
class _Signature:
    """A filter and the arguments that it takes: one of some lists, or any number of one kind."""

    make: Callable[..., Filter]
    choices: Sequence[tuple[_Reader, ...]] = ()
    all_of: _Reader | None = None

    def build(self, arguments: Sequence[_Argument]) -> tuple[Filter, int]:
        """The filter, and the steps of its regular expression."""
        if self.all_of:
            return self.make([self.all_of(each) for each in arguments]), 0
        widths = [sum(map(_width, choice)) for choice in self.choices]
        if len(arguments) not in widths:
            raise UncheckedError(f"wants {' or '.join(map(str, widths))} arguments (got {len(arguments)})")
        left = iter(arguments)
        readers = self.choices[widths.index(len(arguments))]
        values = [read(*islice(left, _width(read))) for read in readers]
        steps = sum(value.pattern_steps for value in values if isinstance(value, Comparison))
        return self.make(*values), steps


def _width(read: _Reader) -> int:
    return 2 if read in (_column, _comparison, _any_comparison) else 1


def _multiple_prefixes(prefixes: Sequence[bytes]) -> Filter:
    if len(set(prefixes)) < len(prefixes):
        raise UncheckedError(f"wants prefixes that differ (got {shown(b', '.join(prefixes))})")
    return filters.MultipleColumnPrefixFilter(prefixes)


_SIGNATURES: dict[bytes, _Signature] = {
    b"KeyOnlyFilter": _Signature(filters.KeyOnlyFilter, [(), (_boolean,)]),
    b"FirstKeyOnlyFilter": _Signature(filters.FirstKeyOnlyFilter, [()]),
    b"PrefixFilter": _Signature(filters.PrefixFilter, [(_text,)]),
    b"ColumnPrefixFilter": _Signature(filters.ColumnPrefixFilter, [(_text,)]),
    b"MultipleColumnPrefixFilter": _Signature(_multiple_prefixes, all_of=_text),
    b"ColumnCountGetFilter": _Signature(filters.ColumnCountGetFilter, [(_int,)]),
    b"PageFilter": _Signature(filters.PageFilter, [(_long,)]),
    b"ColumnPaginationFilter": _Signature(filters.ColumnPaginationFilter, [(_int, _int)]),
    b"InclusiveStopFilter": _Signature(filters.InclusiveStopFilter, [(_text,)]),
    b"TimestampsFilter": _Signature(filters.TimestampsFilter, all_of=_long),
    b"RowFilter": _Signature(filters.RowFilter, [(_comparison,)]),
    b"FamilyFilter": _Signature(filters.FamilyFilter, [(_comparison,)]),
    b"QualifierFilter": _Signature(filters.QualifierFilter, [(_comparison,)]),
    b"ValueFilter": _Signature(filters.ValueFilter, [(_comparison,)]),
    b"ColumnRangeFilter": _Signature(filters.ColumnRangeFilter, [(_text, _boolean, _text, _boolean)]),
    b"SingleColumnValueFilter": _Signature(
        filters.SingleColumnValueFilter, [(_column, _comparison), (_column, _comparison, _boolean, _boolean)]
    ),
    b"SingleColumnValueExcludeFilter": _Signature(
        filters.SingleColumnValueExcludeFilter, [(_column, _comparison), (_column, _comparison, _boolean, _boolean)]
    ),
    b"DependentColumnFilter": _Signature(
        filters.DependentColumnFilter, [(_column,), (_column, _boolean), (_column, _boolean, _any_comparison)]
    ),
    b"ColumnValueFilter": _Signature(filters.ColumnValueFilter, [(_column, _comparison)]),
}
