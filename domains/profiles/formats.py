r"""The file format of profiles: a public list of members of a parliament, one flat JSON object a line.

{"user_id":"A000001","first":"Ana","last":"Amodei","term_start":"2025-01-03","id:fec":["H1"]}
user A000001, name Ana Amodei, time 2025-01-03T00:00:00.000Z, attributes: first Ana, ..., id:fec ["H1"]
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shared.loading import FORMATS as OF_EVERY_DESIGN
from shared.loading import Format, FormatRows

_JSON_LINES = next(format for format in OF_EVERY_DESIGN if format.name == "jsonl")


def _members(lines: Iterable[str], path: Path) -> FormatRows:
    """The profile of each line. A value that is not text becomes its JSON."""
    for first, last, row in _JSON_LINES.read(lines, path):
        yield first, last, _profile(row) if isinstance(row, dict) else row


def _profile(row: dict[str, Any]) -> dict[str, Any] | str:
    texts = {
        name: value if type(value) is str else json.dumps(value, ensure_ascii=False) for name, value in row.items()
    }
    user_id, name = texts.pop("user_id", ""), texts.pop("official_full", "")
    name = name or f"{texts.get('first', '')} {texts.get('last', '')}".strip()
    return {"user_id": user_id, "name": name, "time_ms": texts.get("term_start", ""), "attributes": texts}


MEMBERS = Format(
    "members",
    "members of a parliament",
    lambda line: line.startswith('{"user_id"') and '"term_start"' in line,
    _members,
    line_ends=_JSON_LINES.line_ends,
)
"""Flat objects with `user_id`, `first`, `last` and `term_start`; everything else is an attribute.

The name is `official_full`, or the first and the last name. The time is the start of the present term.
"""

FORMATS = (MEMBERS,)
