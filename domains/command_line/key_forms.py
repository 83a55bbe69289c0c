r"""Bytes as text: hex digits, HBase's own notation with \xNN, or base64; and files with a row key in each line."""

import base64
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from shared.keys import MAX_ROW_BYTES
from shared.keys.errors import shown

from .terminal import reason
from .usage import CommandFailed, WrongUsage

KeyForm: TypeAlias = Literal["hex", "shell", "base64"]
"""`shell` is what the HBase shell prints: ASCII text, and \\xNN for every other byte and for a backslash."""

WANTED: dict[KeyForm, str] = {
    "hex": "hex digits, two for each byte",
    "shell": r"\xNN with two hex digits for each backslash",
    "base64": "base64",
}
ESCAPED = re.compile(rb"\\(?:x([0-9a-fA-F]{2}))?")


def form_of(text: bytes, form: KeyForm | None) -> KeyForm:
    """The form of a text, if none is named: the shell's if it has a backslash, otherwise hex."""
    return form or ("shell" if b"\\" in text else "hex")


def bytes_of(text: bytes, form: KeyForm) -> bytes | None:
    """The bytes that a text stands for; None if it does not have this form."""
    if form == "shell":
        if any(match[1] is None for match in ESCAPED.finditer(text)):
            return None
        return ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), text)
    try:
        return base64.b64decode(text, validate=True) if form == "base64" else bytes.fromhex(text.decode("ascii"))
    except ValueError:
        return None


def read_bytes(what: str, text: str, form: KeyForm | None) -> bytes:
    """The bytes that an argument stands for."""
    given = text.encode(errors="surrogateescape")
    of_text = form_of(given, form)
    data = bytes_of(given, of_text)
    if data is None:
        advice = "; --form shell or --form base64 reads others" if form is None and of_text == "hex" else ""
        raise WrongUsage(f"{what}: must be {WANTED[of_text]} (got {shown(text)}){advice}")
    return data


def read_keys(file: str, form: KeyForm | None) -> Iterator[bytes]:
    """The row keys of a file, one in each line; `-` is stdin."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
        raise CommandFailed(f"{file}: {reason(error)}") from None
    for line_number, text in enumerate(data.splitlines(), start=1):
        of_text = form_of(text, form)
        key = bytes_of(text, of_text)
        if key is None:
            got = shown(text.decode(errors="replace"))
            raise CommandFailed(f"{file}:{line_number}: must be a row key: {WANTED[of_text]} (got {got})")
        if not 0 < len(key) <= MAX_ROW_BYTES:
            raise CommandFailed(f"{file}:{line_number}: a row key has 1..{MAX_ROW_BYTES} bytes (got {len(key)})")
        yield key
