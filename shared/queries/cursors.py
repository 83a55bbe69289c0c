"""The bytes of a cursor: a digest of its question, and the position of the last record read.

A cursor is URL-safe base64, without padding, of three fields:

    digest of the request    8 bytes   blake2b of table, format of its keys, columns that every record has, ranges,
                                       direction, conditions, order, filter and time
    checksum                 4 bytes   blake2b of the digest and the position
    position                 the rest  fields of bytes, each after its length in 2 bytes

So a client may continue with another release than the one that made the cursor: a new column, a new name of a `Code`
and a new name of an attribute do not change the digest, except that of an attribute in a condition or an order.

A position has three fields: the last row read, without its stream's prefix; its qualifier, empty unless a row holds
many records; the stream's number in 2 bytes, empty if there is one stream. In a sorted page, the record's key in that
order comes before them.
"""

import base64
import binascii
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from ..keys.errors import InvalidQuestion, shown
from ..keys.layout import KeyLayout
from ..tables.declarations import items_of
from ..tables.key_formats import key_format
from ..tables.record_cells import RecordCells
from .record_reader import Request

_DIGEST_BYTES = 8
_CHECKSUM_BYTES = 4
_FORMAT = b"rowbook 2"
"""Part of every checksum, so that a cursor of another format is not misread."""


class OtherQuestion(InvalidQuestion):
    """A cursor that belongs to another question."""


def digest_of(request: Request[Any]) -> bytes:
    """The digest of a request; a cursor continues only the request whose digest it holds.

    It is a digest of a `repr`, so renaming an attribute of `RowRange`, a codec or a condition breaks cursors in use.
    """
    table = request.layout
    cells = table.cells
    columns = sorted(cells.required_columns) if isinstance(cells, RecordCells) else cells.columns
    layout = f"({table.name!r}, {table.format.text!r}, {type(cells).__name__!r}, {columns!r})"
    return _digest_of(request, layout, _order)


def _earlier_digest_of(request: Request[Any]) -> bytes:
    """The digest in cursors of releases whose digests counted every column, code and attribute."""
    table = request.layout
    cells = table.cells
    items = items_of(cells)
    qualifier = _key(items.qualifier) if items else None
    of_cells = f"{type(cells).__name__!r}, {cells.columns!r}, {cells.cell_attributes!r}, {qualifier}"
    return _digest_of(request, f"({table.name!r}, {_key(table.key)}, {of_cells})", _key)


def _digest_of(request: Request[Any], layout: str, of_order: Callable[[KeyLayout[Any]], str]) -> bytes:
    server = request.server and request.server.text
    asked: tuple[Any, ...] = request.table.name, request.plan.streams, request.conditions, request.reverse, server
    if request.as_of_ms is not None:
        asked += (request.as_of_ms,)
    order = request.order and of_order(request.order)
    return blake2b(f"({asked!r}, {layout}, {order})".encode(), digest_size=_DIGEST_BYTES).digest()


@lru_cache(maxsize=256)
def _order(layout: KeyLayout[Any]) -> str:
    """The format of an order, and the attributes that it compares."""
    return repr((key_format(layout, None).text, [*layout.part_named]))


@lru_cache(maxsize=256)
def _key(layout: KeyLayout[Any]) -> str:
    """The `repr` of a key layout's prefixes and parts."""
    return repr((layout.prefixes, [(part.name, part.codec) for part in layout.parts]))


def encode_cursor(position: tuple[bytes, ...], digest: bytes) -> str:
    """The cursor of a position in the answer to the question of this digest."""
    return _encode(b"".join([len(field).to_bytes(2, "big") + field for field in position]), digest)


def _encode(position: bytes, digest: bytes) -> str:
    checksum = blake2b(digest + position, digest_size=_CHECKSUM_BYTES, person=_FORMAT).digest()
    return base64.urlsafe_b64encode(digest + checksum + position).rstrip(b"=").decode()


def decode_cursor(cursor: str, request: Request[Any], digest: bytes) -> tuple[bytes, ...]:
    """The position that a cursor holds, for the request of this digest.

    Raises InvalidQuestion if the cursor is damaged, and OtherQuestion if it belongs to another question.
    """
    if type(cursor) is not str:
        raise InvalidQuestion(f"cursor: must be text (got {shown(cursor)})")
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    cursor_digest, position = data[:_DIGEST_BYTES], data[_DIGEST_BYTES + _CHECKSUM_BYTES :]
    if _encode(position, cursor_digest) != cursor:
        if _is_of_first_format(data):
            raise InvalidQuestion("cursor: comes from an earlier release and cannot be continued; ask again without it")
        raise InvalidQuestion(f"cursor: is damaged (got {shown(cursor)}); ask again without it")
    if cursor_digest != digest and cursor_digest != _earlier_digest_of(request):
        raise OtherQuestion("cursor: belongs to another question; ask with the same values, or without it")
    return _fields(position)


def _is_of_first_format(data: bytes) -> bool:
    """Whether these are the bytes of a cursor of the first releases, which had another checksum."""
    position_start = _DIGEST_BYTES + _CHECKSUM_BYTES
    digest, checksum = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:position_start]
    return checksum == blake2b(digest + data[position_start:], digest_size=_CHECKSUM_BYTES).digest()


def _fields(position: bytes) -> tuple[bytes, ...]:
    fields: list[bytes] = []
    while position:
        end = 2 + int.from_bytes(position[:2], "big")
        fields.append(position[2:end])
        position = position[end:]
    return tuple(fields)
