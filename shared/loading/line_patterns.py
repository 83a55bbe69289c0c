r"""Lines of which a regular expression says the columns: `(?P<host>\S+) (?P<event>\w+) (?P<message>.*)`.

The engine is the module `regex`, because its matches can have a deadline: with a pattern such as `(a|a)*$`, `re` may
need hours for one line. For a usual line, `regex` needs 4 microseconds more than `re`.
"""

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..keys.errors import shown
from .formats import Format, ParsedRows

if TYPE_CHECKING:
    import regex

MATCH_S = 1.0
"""How long a pattern may match one line; the longest line needs 0.1 s if the pattern tries few ways."""
MAX_REPEATS = 10_000
"""The largest product of the counts of a pattern, as in `a{100}`: the module `regex` writes such repeats out."""
_SEARCHED_CHARACTERS = 1000
"""How far it is searched where a line stops to match."""
_SEARCH_S = 0.1
"""How long each of these searches may take."""
_NAMED = re.compile(r"\(\?P?<([^<>=!]+)>")


def pattern_format(pattern: str) -> Format:
    """The format of lines that a regular expression matches from start to end; its named groups are the columns.

    The syntax is that of the module `regex`, whose `(?<name>...)` is `(?P<name>...)`. A group that takes no part in a
    match is None. Raises ValueError, one line, for a pattern that is not valid or names no group.
    """
    compiled = _compiled(pattern)

    def read(lines: Iterable[str], _path: Path) -> ParsedRows:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, number, _values(compiled, line.removesuffix("\n").removesuffix("\r"))

    return Format(
        "pattern",
        "lines of the pattern",
        lambda line: isinstance(_values(compiled, line.removesuffix("\n").removesuffix("\r")), dict),
        read,
        header=lambda _line: [*compiled.groupindex],
    )


def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        import regex
    except ModuleNotFoundError:
        raise ValueError("pattern: needs the package regex: pip install 'rowbook[store]'") from None
    counts = re.findall(r"\{([0-9]*),?([0-9]*)\}", pattern)
    if math.prod(max(int(least or 1), int(most or 1), 1) for least, most in counts) > MAX_REPEATS:
        raise ValueError(f"pattern: its counts must multiply to {MAX_REPEATS} at most (got {shown(pattern)})")
    try:
        compiled = regex.compile(pattern, regex.VERSION0, cache_pattern=False)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(f"pattern: must be a regular expression: {error} (got {shown(pattern)})") from None
    names = _NAMED.findall(pattern)
    if not compiled.groupindex:
        raise ValueError(f"pattern: must name the columns as groups, such as (?P<host>\\S+) (got {shown(pattern)})")
    for name in compiled.groupindex:
        if names.count(name) > 1:
            raise ValueError(f"pattern: must name a group once (got {names.count(name)} groups {name})")
    return compiled


def _values(compiled: "regex.Pattern[str]", line: str) -> dict[str, Any] | str:
    """The groups of a line, or the reason why it does not match."""
    try:
        match = compiled.fullmatch(line, timeout=MATCH_S)
    except TimeoutError:
        return (
            f"the pattern needs more than {MATCH_S:.0f} s, because it can match parts of a line in many ways: let each"
            f" part exclude what follows it, such as [^ ]+ before a blank (got {shown(line)})"
        )
    return match.groupdict() if match else f"must match the pattern{_where(compiled, line)} (got {shown(line)})"


def _where(compiled: "regex.Pattern[str]", line: str) -> str:
    """How much of a line can be the start of one that matches, and the group that is wanted there; empty if none."""
    groups: dict[str, Any] = {}
    least, most = 0, min(len(line), _SEARCHED_CHARACTERS)
    while least < most:
        middle = (least + most + 1) // 2
        try:
            start = compiled.fullmatch(line[:middle], partial=True, timeout=_SEARCH_S)
        except TimeoutError:
            return ""
        if start:
            least, groups = middle, start.groupdict()
        else:
            most = middle - 1
    wanted = next((name for name, text in groups.items() if text is None), "")
    if least == len(line):
        return f", and ends where {wanted} is wanted" if wanted else ", and ends too early"
    if not 0 < least < _SEARCHED_CHARACTERS:
        return ""
    return f", but does only up to character {least}{wanted and f', where {wanted} is wanted'}"
