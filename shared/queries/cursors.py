"""The bytes of a cursor: which question it belongs to, and the position of the last row read.

A cursor is URL-safe base64, without padding, of three fields:

    digest of the question   8 bytes   blake2b of table, ranges, direction, conditions, order and filter
    checksum                 4 bytes   blake2b of the digest and the position
    position                 the rest  the last row read, without its spreading prefix; of a sorted page also its key
                                       in that order (`sorted_pages.py`)
"""

import base64
import binascii
from hashlib import blake2b
from typing import Any

import happybase

from ..keys.errors import InvalidQuestion, shown
from ..keys.layout import KeyLayout
from ..keys.questions import Plan
from .server_filters import ServerFilter

_DIGEST_BYTES = 8
_CHECKSUM_BYTES = 4


def question_digest(
    table: happybase.Table,
    plan: Plan,
    conditions: list[tuple[str, Any]],
    reverse: bool,
    order: KeyLayout[Any] | None,
    filter: ServerFilter | None,
) -> bytes:
    """The digest of a question; a cursor continues only the question whose digest it holds.

    It is a digest of a `repr`, so renaming an attribute of `RowRange`, a codec or a condition ends cursors in use.
    """
    sort_key = None if order is None else (order.time_bucket, [(part.name, part.codec) for part in order.parts])
    question = (table.name, plan.streams, plan.spread_bytes, conditions, reverse, sort_key, filter and filter.text)
    return blake2b(repr(question).encode(), digest_size=_DIGEST_BYTES).digest()


def encode_cursor(position: bytes, digest: bytes) -> str:
    """The cursor of a position in the answer to the question of this digest."""
    checksum = blake2b(digest + position, digest_size=_CHECKSUM_BYTES).digest()
    return base64.urlsafe_b64encode(digest + checksum + position).rstrip(b"=").decode()


def decode_cursor(cursor: str, digest: bytes) -> bytes:
    """The position that a cursor holds; InvalidQuestion if it is damaged or belongs to another question."""
    if type(cursor) is not str:
        raise InvalidQuestion(f"cursor: must be text (got {shown(cursor)})")
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    cursor_digest, position = data[:_DIGEST_BYTES], data[_DIGEST_BYTES + _CHECKSUM_BYTES :]
    if encode_cursor(position, cursor_digest) != cursor:
        raise InvalidQuestion(f"cursor: is damaged (got {shown(cursor)}); ask again without it")
    if cursor_digest != digest:
        raise InvalidQuestion("cursor: belongs to another question; ask with the same values, or without it")
    return position
