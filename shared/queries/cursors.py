"""The bytes of a cursor: which question it belongs to, and the position of the last row read.

A cursor is URL-safe base64 of three fields:

    digest of the question   8 bytes   blake2b of table, ranges, direction, conditions, order and filter
    checksum                 4 bytes   blake2b of the digest and the position
    position                 the rest  the last row read, without its spreading prefix
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
    """What tells one question from every other: the cursor of one does not continue another."""
    by = None if order is None else (order.time_bucket, [(part.name, part.codec) for part in order.parts])
    asked = repr((table.name, plan.streams, plan.spread_bytes, conditions, reverse, by, filter and filter.text))
    return blake2b(asked.encode(), digest_size=_DIGEST_BYTES).digest()


def cursor_at(position: bytes, question: bytes) -> str:
    """The cursor of a position, a key without its spreading prefix, in the answer of a question."""
    check = blake2b(question + position, digest_size=_CHECKSUM_BYTES).digest()
    return base64.urlsafe_b64encode(question + check + position).rstrip(b"=").decode()


def position_of(cursor: str, question: bytes) -> bytes:
    """The position that a cursor holds; InvalidQuestion if it is damaged or belongs to another question."""
    if type(cursor) is not str:
        raise InvalidQuestion(f"cursor: must be text (got {shown(cursor)})")
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    asked, position = data[:_DIGEST_BYTES], data[_DIGEST_BYTES + _CHECKSUM_BYTES :]
    if cursor_at(position, asked) != cursor:
        raise InvalidQuestion(f"cursor: is damaged (got {shown(cursor)}); ask again without it")
    if asked != question:
        raise InvalidQuestion("cursor: belongs to another question; ask with the same values, or without it")
    return position
