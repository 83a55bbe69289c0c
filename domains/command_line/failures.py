"""Which exceptions end a command in one line, and with which exit code."""

from shared.exhibit.comparison import NothingToMeasure
from shared.keys import InvalidKey, InvalidQuestion
from shared.loading import InvalidTimeFormat, UnknownField, UnknownUnit, UnneededTime, UnneededYear, UnreadableFile
from shared.stores import InvalidStoreURL, StoreError
from shared.tables import InvalidRecord, TableMismatch
from shared.tables.creation import NeedsThrift2
from shared.writes import ClockSkew, Expired

from . import terminal
from .usage import CommandFailed, WrongUsage

WRONG_USAGE = (
    *(WrongUsage, InvalidQuestion, InvalidKey, InvalidStoreURL),
    *(InvalidTimeFormat, UnknownField, UnknownUnit, UnneededTime, UnneededYear),
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
        return terminal.reason(error), 1
    return None
