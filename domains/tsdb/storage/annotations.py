"""Annotations: notes in the row of the hour in which they start, of one series or of all.

    qualifier   01, then the offset in 2 bytes of seconds, or in 4 bytes of milliseconds
    value       JSON: tsuid (if it is of a series), startTime, endTime, description, notes, custom

    1388450562      second 2562         01 0a 02
    1388450562500   millisecond 2562500 01 00 27 19 c4

Annotations of all series are in rows of their own: a metric UID of zero bytes and the hour, without salt and tags.
"""

import json
from collections.abc import Mapping
from typing import Any

import attrs

from shared.keys import InvalidKey, shown
from shared.keys.errors import shown_bytes
from shared.records import integer, text
from shared.tables import InvalidRecord

from ..records import LAST_POINT_MS
from .codecs import Seconds
from .qualifiers import HOUR_MS

ANNOTATION = 0x01
"""The first byte of the qualifier of an annotation."""
_FIRST_IN_MS = 2**32
"""OpenTSDB reads a time from here on as milliseconds, and an earlier one as seconds."""


def _upper(tsuid: Any) -> Any:
    return tsuid.upper() if isinstance(tsuid, str) else tsuid


@attrs.frozen
class Annotation:
    """A note at a time, or over a period."""

    start_time: int = attrs.field(validator=integer(1, LAST_POINT_MS))
    """Seconds since 1970-01-01 UTC, or milliseconds if it is 4294967296 or more: what the client of OpenTSDB sent."""
    description: str = attrs.field(default="", validator=text(empty=True))
    notes: str = attrs.field(default="", validator=text(empty=True))
    end_time: int = attrs.field(default=0, validator=integer(0, LAST_POINT_MS))
    """When the note ends, in seconds or milliseconds as `start_time`; 0 if it does not end."""
    custom: Mapping[str, str] | None = None
    tsuid: str = attrs.field(default="", converter=_upper, validator=text(empty=True))
    """The series: UIDs of metric and tags in hex, which is stored in upper case; empty for all series."""

    @property
    def start_ms(self) -> int:
        """The start in milliseconds since 1970-01-01 UTC."""
        return self.start_time if self.start_time >= _FIRST_IN_MS else self.start_time * 1000


def annotation_qualifier(start_time: int) -> bytes:
    """The qualifier of an annotation that starts at this time, with OpenTSDB's quirk.

    OpenTSDB divides a start that ends in three zeros by 1,000 before it takes the offset. This is meant for
    milliseconds, but happens to seconds too: 1425716000 -> 01 00 74. The row and the JSON have the right time.
    """
    if start_time % 1000 == 0:
        start_time //= 1000
    if start_time < _FIRST_IN_MS:
        return bytes([ANNOTATION]) + (start_time % 3600).to_bytes(2, "big")
    return bytes([ANNOTATION]) + (start_time % HOUR_MS).to_bytes(4, "big")


def is_annotation(qualifier: bytes) -> bool:
    """Whether a cell holds an annotation."""
    return len(qualifier) in (3, 5) and qualifier[0] == ANNOTATION


def global_row(metric_bytes: int, start_ms: int, salt_bytes: int = 0) -> bytes:
    """The row of annotations of all series that start in this hour."""
    return bytes(salt_bytes + metric_bytes) + Seconds.encode(start_ms - start_ms % HOUR_MS)


def is_global_row(row: bytes, metric_bytes: int, salt_bytes: int = 0) -> bool:
    """Whether a row is of annotations of all series."""
    zeros = bytes(salt_bytes + metric_bytes)
    return len(row) == len(zeros) + (Seconds.width_bytes or 0) and row.startswith(zeros)


def pack_annotation(annotation: Annotation) -> bytes:
    """The JSON of an annotation, byte for byte as OpenTSDB writes it: fields in this order, custom keys sorted."""
    fields: dict[str, Any] = {"tsuid": annotation.tsuid} if annotation.tsuid else {}
    fields |= {"startTime": annotation.start_time, "endTime": annotation.end_time}
    fields |= {"description": annotation.description, "notes": annotation.notes}
    fields["custom"] = None if annotation.custom is None else dict(sorted(annotation.custom.items()))
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()


def read_annotation(value: bytes) -> Annotation:
    """The annotation of a cell; fields that it lacks have their defaults. Raises InvalidRecord."""
    try:
        fields = json.loads(value)
        return Annotation(
            fields["startTime"],
            fields.get("description") or "",
            fields.get("notes") or "",
            fields.get("endTime") or 0,
            fields.get("custom"),
            fields.get("tsuid") or "",
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidRecord(f"Annotation: must be its JSON: {error} (got {shown_bytes(value)})") from None


def tsuid_bytes(tsuid: str) -> bytes:
    """The UIDs of metric and tags of a series, from their hex. Raises InvalidKey."""
    try:
        return bytes.fromhex(tsuid)
    except (ValueError, TypeError):
        raise InvalidKey(f"tsuid: must be UIDs in hex (got {shown(tsuid)})") from None
