"""Filters that HBase's region servers apply to every row of a scan, as text of HBase's own filter language.

A filter spares the network, not the disk: the rows that it holds back are read all the same. What a question is often
narrowed by belongs into a row key.
"""

from contextlib import suppress
from typing import Any

import attrs

from ..tables.cells import CellLayout
from ..tables.errors import InvalidRecord


@attrs.frozen
class ServerFilter:
    """A filter of a scan, and the attributes that it compares."""

    names: tuple[str, ...]
    text: bytes


def equal(cells: CellLayout[Any], name: str, value: Any) -> ServerFilter:
    r"""Lets through the rows of which an attribute has this value, packed as `cells` packs it.

    equal(ORDER_CELLS, "status", "paid")    SingleColumnValueFilter('o','s',=,'binary:\xa4paid',true,true)

    The first `true` holds back the rows that lack the column. If the attribute's default is packed as the value is, it
    is `false`, because these rows have that value. Raises InvalidRecord for a name that has no column, for a value that
    its attribute cannot have, and for an attribute whose default depends on the rest of the record.
    """
    packed = cells.pack_value(name, value)
    must_be_there = True
    if (default := cells.default_of(name)) is not attrs.NOTHING:
        with suppress(InvalidRecord):  # a default need not be of the declared type
            must_be_there = cells.pack_value(name, default) != packed
    family, _, qualifier = cells.column(name).partition(b":")
    text = b"SingleColumnValueFilter(%s,%s,=,%s,%s,true)" % (
        _quoted(family),
        _quoted(qualifier),
        _quoted(b"binary:" + packed),
        b"true" if must_be_there else b"false",
    )
    return ServerFilter((name,), text)


def _quoted(value: bytes) -> bytes:
    """HBase's filter language takes any byte between quotes; a quote itself stands there twice."""
    return b"'" + value.replace(b"'", b"''") + b"'"
