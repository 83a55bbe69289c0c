"""Which exceptions end a command in one line, and with which exit code."""

from ...exhibit.comparison import NothingToMeasure
from ...keys import InvalidKey, InvalidQuestion
from ...loading import (
    InvalidDescription,
    InvalidTimeFormat,
    UnknownField,
    UnknownUnit,
    Unneeded,
    UnreadableFile,
)
from ...stores import InvalidStoreURL, StoreError
from ...stores.outcomes.connection_errors import first_line
from ...tables import InvalidRecord, TableMismatch
from ...tables.creation import NeedsThrift2
from ...writes import ClockSkew, Expired
from . import terminal
from .wrong_usage import CommandFailed, WrongUsage

WRONG_USAGE = (
    *(WrongUsage, InvalidQuestion, InvalidKey, InvalidStoreURL),
    *(InvalidDescription, InvalidTimeFormat, UnknownField, UnknownUnit, Unneeded),
)
FAILED = (
    *(CommandFailed, terminal.NotWritten, UnreadableFile),
    *(ClockSkew, Expired, InvalidRecord, NeedsThrift2, NothingToMeasure, StoreError, TableMismatch),
)


def outcome(error: Exception) -> tuple[str, int] | None:
    """The message and the exit code of an error, 2 for wrong usage and 1 otherwise; None for one of our own."""
    if isinstance(error, WRONG_USAGE):
        return str(error), 2
    if isinstance(error, FAILED):
        return str(error), 1
    if isinstance(error, OSError):  # from the help text, which typer writes itself
        return first_line(error), 1
    return None
