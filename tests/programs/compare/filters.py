"""Filters as trees: what the grammar makes, shrinking cuts down, and scans send as text."""

from collections.abc import Iterator
from typing import TypeAlias

from attrs import frozen

Argument: TypeAlias = "bytes | int | bool | str | Comparator"
"""A text in quotes, a number, a boolean, or an operator as it stands."""


@frozen
class Comparator:
    """What a filter compares with: `binary:v1`."""

    kind: str
    operand: bytes


@frozen
class Single:
    """One filter with its arguments."""

    name: str
    arguments: list[Argument]


@frozen
class Combined:
    """Filters joined by AND or OR, or one below SKIP or WHILE."""

    operator: str
    filters: "list[Filter]"


Filter: TypeAlias = Single | Combined

# Filters that look at whole rows: HBase refuses a batch size beside them, after retries of 0.6 s.
_OF_ROWS = {"PageFilter", "DependentColumnFilter", "SKIP", "WHILE"}
_OF_ROWS |= {"SingleColumnValueFilter", "SingleColumnValueExcludeFilter"}
_COMPARED_WHOLE = ("binary", "binaryprefix")


def names(filter: Filter) -> Iterator[str]:
    """The names of all filters and operators in a tree."""
    if isinstance(filter, Single):
        yield filter.name
    else:
        yield filter.operator
        for part in filter.filters:
            yield from names(part)


def looks_at_rows(filter: Filter) -> bool:
    """Whether HBase refuses a batch size beside the filter."""
    return not _OF_ROWS.isdisjoint(names(filter))


def text_of(filter: Filter | bytes, row_prefix: bytes = b"") -> bytes:
    """The filter in HBase's language; the rows in it get the prefix of the place."""
    if isinstance(filter, bytes):
        return filter
    if isinstance(filter, Combined):
        texts = [text_of(part, row_prefix) for part in filter.filters]
        texts = [
            b"(%b)" % text if isinstance(part, Combined) else text
            for part, text in zip(filter.filters, texts, strict=True)
        ]
        operator = filter.operator.encode()
        return operator + b" " + texts[0] if operator in (b"SKIP", b"WHILE") else (b" %b " % operator).join(texts)
    prefix = row_prefix if filter.name in ("RowFilter", "PrefixFilter", "InclusiveStopFilter") else b""
    arguments = b", ".join(_argument(argument, prefix) for argument in filter.arguments)
    return filter.name.encode() + b"(" + arguments + b")"


def _argument(given: Argument, prefix: bytes) -> bytes:
    match given:
        case Comparator(kind, operand):
            return _quoted(kind.encode() + b":" + (prefix if kind in _COMPARED_WHOLE else b"") + operand)
        case bytes():
            return _quoted(prefix + given)
        case bool():
            return b"true" if given else b"false"
        case int():
            return b"%d" % given
        case _:
            return given.encode()


def _quoted(text: bytes) -> bytes:
    return b"'" + text.replace(b"'", b"''") + b"'"
