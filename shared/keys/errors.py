"""The two errors of the suite. Both are `ValueError`s with a one-line message."""


class InvalidKey(ValueError):
    """A value that a key cannot hold, or bytes that are not a key of this layout.

    The message names record and part, what was wanted, what was given and, for bytes, the offset.
    """


class InvalidQuestion(ValueError):
    """A question that the key order cannot answer, or a cursor that belongs to another question."""
