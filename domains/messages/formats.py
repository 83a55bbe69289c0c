"""Chat logs: JSON lines of messages in a channel, with times in minutes and the number of each line."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shared.loading import Format, ParsedRows

from .records import GROUP_SIGN

CHANNEL = f"{GROUP_SIGN}channel"
"""The receiver of a message to the whole channel."""
LINE_DIGITS = 6
"""Digits of a message id: the number of its line, so that ids of one file sort as its lines do."""

_STARTS = re.compile(r'\s*\{\s*"line"\s*:')


def _chat(lines: Iterable[str], _path: Path) -> ParsedRows:
    return ((number, number, _message(line)) for number, line in enumerate(lines, start=1) if line.strip())


def _message(line: str) -> dict[str, Any] | str:
    """The fields of a message, or the reason why the line has none."""
    try:
        fields: Any = json.loads(line)
        number, time, sender, receiver, body = (fields[name] for name in ("line", "ts", "sender", "receiver", "body"))
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"must be a JSON object with line, ts, sender, receiver, body (got {line.strip()!r:.100})"
    if type(number) is not int or not 0 <= number < 10**LINE_DIGITS:
        return f"line: must be 0..{10**LINE_DIGITS - 1} (got {number!r:.100})"
    return {
        "sender": sender,
        "receiver": CHANNEL if receiver is None else receiver,
        "sent_ms": time,
        "message_id": f"{number:0{LINE_DIGITS}}",
        "body": body,
    }


CHAT = Format("chat", "chat log", lambda line: bool(_STARTS.match(line)), _chat)
"""Logs of a channel: what was said to the whole channel goes to the receiver `#channel`."""

FORMATS = (CHAT,)
