"""The errors of loading: a file that cannot be read, and options that do not fit the record or the file."""

from collections.abc import Sequence


class UnreadableFile(ValueError):
    """A file, or a line of one, that cannot be read as records; the message names file, line and reason."""


class UnknownField(ValueError):
    """A mapping or a unit for a field that the record does not have; `unknown` is its name."""

    def __init__(self, message: str, unknown: str = "") -> None:
        super().__init__(message)
        self.unknown = unknown


class UnknownUnit(ValueError):
    """A unit that does not exist, or a unit for a field that is not a time."""


class InvalidTimeFormat(ValueError):
    """A time format that strptime does not know, or by which it would guess; or one for a field that is not a time."""


class Unneeded(ValueError):
    """A description of what the lines of a file say themselves, such as a zone of times that name theirs."""


class InvalidDescription(ValueError):
    """A description of a file that is not valid TOML, or says what no description can."""


def either(names: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
