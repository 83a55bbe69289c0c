"""Errors of the command line: wrong usage, and names that do not exist."""

from collections.abc import Iterable
from difflib import get_close_matches

from ...keys.errors import shown

_MOST_SUGGESTED = 3


class WrongUsage(ValueError):
    """The command line must be typed differently; the message says how in one line."""


def check_name(what: str, name: str, names: Iterable[str]) -> str:
    """Returns the name if it is one of `names`; otherwise the `WrongUsage` suggests the closest of them, or all."""
    names = list(names)
    if name in names:
        return name
    advice = did_you_mean(name, names) or f"one of {', '.join(names)}"
    raise WrongUsage(f"unknown {what} {shown(name)}: {advice}")


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`did you mean NAME?` with the few of `names` that begin so, the most similar, or the few that contain `name`.

    Empty if none is near.
    """
    in_lower_case = {other.lower(): other for other in names}
    beginning = [other for other in in_lower_case if len(name) > 2 and other.startswith(name.lower())]
    containing = [other for other in in_lower_case if len(name) > 2 and name.lower() in other]
    close = get_close_matches(name.lower(), in_lower_case, n=1)
    near = next((some for some in (beginning, close, containing) if 0 < len(some) <= _MOST_SUGGESTED), list[str]())
    return f"did you mean {' or '.join(in_lower_case[other] for other in near)}?" if near else ""


class CommandFailed(Exception):
    """The command cannot do what it should; the message says why in one line."""
