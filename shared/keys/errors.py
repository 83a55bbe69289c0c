"""The two errors of the key core, both `ValueError`s with a one-line message, and the wording they share."""

from collections.abc import Iterable

import attrs


class InvalidKey(ValueError):
    """A value that a key cannot hold, or bytes that are not a key of this layout.

    The message names record and part, the value wanted, the value given and, for bytes, the offset.
    """


class UnknownCode(InvalidKey):
    """Bytes that would be a key of this layout if it knew the byte of a `Code`: probably the key of a later release.

    All other bytes are valid; only a prefix that is computed from the unknown name is not checked.
    """


class InvalidQuestion(ValueError):
    """A question that the key order cannot answer, or a cursor that belongs to another question."""


class TooManyRanges(InvalidQuestion):
    """A question that would read more ranges than a plan may have; `layout` is the name of its key layout."""

    def __init__(self, message: str, layout: str = "") -> None:
        super().__init__(message)
        self.layout = layout


def shown(value: object) -> str:
    """A value as an error shows it: its first 100 characters; for an int too long for Python to write, its size."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an int of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception:  # nested too deep for Python; such an int in a list; or the value's own __repr__ fails
        return f"a {type(value).__name__} that repr() cannot show"
    return text if len(text) <= 100 else f"{text[:100]}..."


def message_of(error: Exception) -> str:
    """The message of an error; validators of attrs raise it with the attribute and the value as further arguments."""
    message = error.args[0] if len(error.args) > 1 and isinstance(error.args[1], attrs.Attribute) else error
    return str(message) or repr(error)


def shown_bytes(data: bytes) -> str:
    """Bytes as an error shows them: the first 64, in hex."""
    return data[:64].hex(" ") + (f" ... ({len(data)} bytes)" if len(data) > 64 else "")


def listed(names: Iterable[str]) -> str:
    """Names as an error lists them: `a`, `a and b`, `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
