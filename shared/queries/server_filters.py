"""Filters that HBase's region servers apply to every row of a scan, as text of HBase's own filter language.

A filter saves network traffic, not disk reads: the server still reads the rows that it drops. An attribute that
questions often compare belongs in a row key.
"""

from contextlib import suppress
from typing import Any

import attrs

from ..keys.limits import MAX_FILTER_BYTES
from ..tables import RecordCells
from ..tables.errors import InvalidRecord


@attrs.frozen
class ServerFilter:
    """A filter for a scan, and the attributes that it compares."""

    attributes: tuple[str, ...]
    text: bytes
    columns: tuple[bytes, ...] = ()
    """The columns that it compares. A scan must ask for them, because a filter does not see any others."""


KEYS_ONLY = ServerFilter((), b"FirstKeyOnlyFilter() AND KeyOnlyFilter()")
"""Returns the first cell of each row, without its value: a scan of row keys."""


def equal(cells: RecordCells[Any], name: str, value: Any, *, key: str | None = None) -> ServerFilter:
    r"""A filter that returns the rows in which an attribute has this value, as `cells` packs it.

    equal(ORDER_CELLS, "status", "paid")    SingleColumnValueFilter('o','s',=,'binary:\xa4paid',true,true)

    The first `true` drops the rows that lack the column. It is `false` if the attribute's default is this value,
    because rows that lack the column then have it. If `cells` are those of another layout of the same table, the filter
    chooses records by a column that they do not have themselves.

    With `key`, the attribute is a mapping (`OtherColumns`), and the filter compares its value of this key. It drops the
    rows that lack the key.

    Raises InvalidRecord for a name that has no column, for a value that its attribute cannot have or that is too long,
    and for an attribute whose default depends on the rest of the record.
    """
    drops_rows_without = True
    if key is not None:
        ((column, packed),) = cells.pack_key(name, key, value).items()
        compared = key
    else:
        compared = name
        packed, column = cells.pack_value(name, value), cells.column(name)
        if (default := cells.default_of(name)) is not attrs.NOTHING:
            with suppress(InvalidRecord):  # a default need not be of the declared type
                drops_rows_without = cells.pack_value(name, default) != packed
    family, _, qualifier = column.partition(b":")
    text = b"SingleColumnValueFilter(%s,%s,=,%s,%s,true)" % (
        quoted(family),
        quoted(qualifier),
        quoted(b"binary:" + packed),
        b"true" if drops_rows_without else b"false",
    )
    if len(text) > MAX_FILTER_BYTES:
        limit = f"at most {MAX_FILTER_BYTES} bytes"
        raise InvalidRecord(f"{cells.record.__name__}.{name}: a server-side filter must be {limit} (got {len(text)})")
    return ServerFilter((compared,), text, (column,))


def quoted(value: bytes) -> bytes:
    """Bytes as a string of the filter language: in single quotes, with every quote doubled."""
    return b"'" + value.replace(b"'", b"''") + b"'"
