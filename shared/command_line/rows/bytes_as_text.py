r"""Bytes as text: hex digits, HBase's own notation with \xNN, or base64; and files with a row key in each line."""

import base64
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from ...keys.errors import shown
from ...keys.limits import MAX_ROW_BYTES
from ..screen.wrong_usage import CommandFailed, WrongUsage

KeyForm: TypeAlias = Literal["hex", "shell", "base64"]
"""`shell` is what the HBase shell prints: ASCII text, and \\xNN for every other byte and for a backslash."""

WANTED: dict[KeyForm, str] = {
    "hex": "hex digits, two for each byte",
    "shell": r"\xNN with two hex digits for each backslash",
    "base64": "base64",
}
READ_AS: dict[KeyForm, str] = {"hex": "as hex digits", "shell": "as text", "base64": "as base64"}
ESCAPED = re.compile(rb"\\(?:x([0-9a-fA-F]{2}))?")


def encoded(text: str) -> bytes:
    """An argument as it was typed."""
    return text.encode(errors="surrogateescape")


def forms_of(texts: Collection[bytes], form: KeyForm | None) -> tuple[KeyForm, ...]:
    """The forms that texts from one place may have, unless one is named: hex and the shell's, or the shell's alone.

    The shell prints no backslash for a key such as 536365, which may be hex digits, too. But if one of the texts has a
    backslash, or is not hex, the shell has printed them all.
    """
    if form is not None or not texts:
        return (form or "hex",)
    may_be_hex = all(b"\\" not in text and bytes_of(text, "hex") is not None for text in texts)
    return ("hex", "shell") if may_be_hex else ("shell",)


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


def read_bytes(what: str, text: str, form: KeyForm) -> bytes:
    """The bytes that an argument stands for."""
    data = bytes_of(encoded(text), form)
    if data is None:
        raise WrongUsage(f"{what}: must be {WANTED[form]} (got {shown(text)})")
    return data


def read_keys(file: str, form: KeyForm | None) -> Iterator[dict[KeyForm, bytes]]:
    """The row keys of a file, one in each line, by the forms that all lines may have; `-` is stdin."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
        from ...stores.outcomes.connection_errors import first_line  # which imports happybase

        raise CommandFailed(f"{file}: {first_line(error)}") from None
    lines = data.splitlines()
    forms = forms_of(lines, form)
    for line_number, text in enumerate(lines, start=1):
        yield {of_text: _row_key(f"{file}:{line_number}", text, of_text) for of_text in forms}


def _row_key(where: str, text: bytes, form: KeyForm) -> bytes:
    key = bytes_of(text, form)
    if key is None:
        raise CommandFailed(f"{where}: must be a row key: {WANTED[form]} (got {shown(text.decode(errors='replace'))})")
    if not 0 < len(key) <= MAX_ROW_BYTES:
        raise CommandFailed(f"{where}: a row key has 1..{MAX_ROW_BYTES} bytes (got {len(key)})")
    return key
