"""Errors of the command line: wrong usage, and names that do not exist."""

from collections.abc import Iterable
from difflib import get_close_matches

from ...keys.errors import shown


class WrongUsage(ValueError):
    """The command line must be typed differently; the message says how in one line."""


def check_name(what: str, name: str, names: Iterable[str]) -> str:
    """Returns the name if it is one of `names`; otherwise the `WrongUsage` suggests the closest of them."""
    names = list(names)
    if name in names:
        return name
    close = get_close_matches(name, names, n=1)
    advice = f"did you mean {close[0]}?" if close else f"one of {', '.join(names)}"
    raise WrongUsage(f"unknown {what} {shown(name)}: {advice}")


class CommandFailed(Exception):
    """The command cannot do what it should; the message says why in one line."""
