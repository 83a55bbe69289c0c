"""The two errors of the key core. Both are `ValueError`s with a one-line message."""

import attrs


class InvalidKey(ValueError):
    """A value that a key cannot hold, or bytes that are not a key of this layout.

    The message names record and part, what was wanted, what was given and, for bytes, the offset.
    """


class InvalidQuestion(ValueError):
    """A question that the key order cannot answer, or a cursor that belongs to another question."""


def shown(value: object) -> str:
    """A value as an error shows it: in short, because Python writes no int of thousands of digits."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an int of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception:  # a list of lists, too deep for Python; such an int in a list; or code of the value's own
        return f"a {type(value).__name__} that repr() cannot show"
    return text if len(text) <= 100 else f"{text[:100]}..."


def message_of(error: Exception) -> str:
    """What an error says, in one text; attrs' own validators give the attribute and the value after theirs."""
    said = error.args[0] if len(error.args) > 1 and isinstance(error.args[1], attrs.Attribute) else error
    return str(said) or repr(error)


def shown_bytes(data: bytes) -> str:
    """Bytes as an error shows them: in hex, the first 64."""
    return data[:64].hex(" ") + (f" ... ({len(data)} bytes)" if len(data) > 64 else "")
