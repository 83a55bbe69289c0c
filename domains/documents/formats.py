r"""The file format of documents: people as flat JSON lines, whose names say how the values are nested.

{"user_id":"K000367","first":"Amy","last":"Klobuchar","state":"MN","term_start":"2025-01-03","social:twitter":"SenAmy"}
owner: the name of the file without its ending, document id K000367, changed at 2025-01-03, body {"name": {"first":
"Amy", "last": "Klobuchar"}, "state": "MN", "term_start": "2025-01-03", "social": {"twitter": "SenAmy"}}
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shared.keys import shown
from shared.loading import Format, ParsedRows

OF_NAME = ("first", "last", "official_full", "nickname")
"""The values that are nested under `name`."""

_STARTS = re.compile(r'\s*\{\s*"user_id"\s*:')


def _people(lines: Iterable[str], path: Path) -> ParsedRows:
    return ((number, number, _document(path.stem, line)) for number, line in enumerate(lines, start=1) if line.strip())


def _document(owner: str, line: str) -> dict[str, Any] | str:
    """The fields of a document, or the reason why the line has none."""
    try:
        values: Any = json.loads(line)
        document_id, since = values.pop("user_id"), values["term_start"]
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return f"must be a JSON object with user_id and term_start (got {shown(line.strip())})"
    body: dict[str, Any] = {}
    for name, value in values.items():
        outer, colon, inner = f"name:{name}".partition(":") if name in OF_NAME else name.partition(":")
        nested = body.setdefault(outer, {}) if colon else body
        if type(nested) is not dict or (inner if colon else outer) in nested:
            return f"{name}: must not be both a value and a name of others"
        nested[inner if colon else outer] = value
    return {"owner": owner, "document_id": document_id, "body": body, "changed_ms": since}


PEOPLE = Format("people", "flat JSON lines of people", lambda line: bool(_STARTS.match(line)), _people)
"""One person a line, under `user_id`. A colon in a name nests its value; `term_start` is when the document changed."""

FORMATS = (PEOPLE,)
