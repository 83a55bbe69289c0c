"""Java's regular expressions translated to Python's, as far as both have the same features."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ..outcomes.connection_errors import StoreError
from ..thrift1.errors import UncheckedError

if TYPE_CHECKING:
    import regex

# The module regex writes counted repeats out when it compiles: ((a{1000}){1000}){1000} would need all memory there is.
# A pattern of MAX_STEPS needs 0.1 s and 35 MB to compile.
MAX_STEPS = 65_536
STEP_BYTES = 200  # in a compiled pattern, measured
_CACHED_PATTERNS = 16

# In Java, without flags, these classes are ASCII only.
_POSIX_CLASSES = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": r"\x00-\x7f",
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\[-`{-~",
    "Graph": "!-~",
    "Print": " -~",
    "Blank": r" \t",
    "Cntrl": r"\x00-\x1f\x7f",
    "XDigit": "0-9a-fA-F",
    "Space": r" \t\n\x0b\f\r",
}
_SPACES = {
    "h": r" \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000",
    "v": r"\n\x0b\f\r\x85\u2028\u2029",
}

# The end of the text, or before its last line terminator.
_END = r"(?:\Z|(?=\r\n\Z)|(?<!\r)(?=\n\Z)|(?=[\r\x85\u2028\u2029]\Z))"

# Up to Java 18, \b uses the letters of all languages and \w only ASCII's; \B matches an empty text.
_POSITIONS = {"z": r"\Z", "Z": _END, "b": r"(?u:\b)", "B": r"(?u:(?!\b))"}

# One token of a pattern; a class in brackets is one token.
_TOKEN = re.compile(
    r"""
      \\Q (?P<quoted>.*?) (?:\\E|\Z)
    | \\k < (?P<reference>[a-zA-Z][a-zA-Z0-9]*) >
    | (?P<escape>\\ (?: [pP]\{\w+\} | x\{[0-9a-fA-F]{1,6}\} | . ))
    | (?P<class>\[ \^? \]?+ (?:\\.|[^\\\]])* \])
    | \(\? < (?P<name>[a-zA-Z][a-zA-Z0-9]*) >
    | \(\? (?P<flags>[is]*) (?P<scope>[:)])
    | (?P<group>\( (?: (?!\?) | \?[=!>] | \?<[=!] ))
    | (?P<repeat>\{ (?P<least>\d+) (?:,\d*)? \})
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLASS_TOKEN = re.compile(r"(?P<escape>\\(?:[pP]\{\w+\}|x\{[0-9a-fA-F]{1,6}\}|.))|(?P<other>\[|&&|--|[|~])", re.DOTALL)


def check_pattern(pattern: str) -> None:
    """Raises UncheckedError for a pattern that Java refuses, and for one that is not supported here.

    Not supported are Unicode classes, a class inside a class, flags other than i and s, octal and control escapes,
    lookbehind without a fixed width, and counted repeats of more than MAX_STEPS steps.
    """
    try:
        re.compile(_translated(pattern)[0])  # refuses features that only regex has, such as two groups with one name
    except (ValueError, re.error, OverflowError, RecursionError) as error:
        raise _refusal(pattern, error) from error


@lru_cache(_CACHED_PATTERNS)
def java_pattern(pattern: str, *, any_case: bool) -> "regex.Pattern[str]":
    """The compiled pattern, whose `search` finds what Java's `find` does with DOTALL; classes are ASCII only.

    The engine is the module `regex`, because its matches can have a deadline and can release the interpreter to other
    threads; those of Python's `re` cannot. Raises UncheckedError as `check_pattern` does, and StoreError without the
    extra `store`.
    """
    check_pattern(pattern)
    try:
        import regex
    except ModuleNotFoundError:
        raise StoreError(
            f"filter: a pattern on an embedded store needs the package regex: pip install 'rowbook[store]'"
            f" (got {pattern[:100]!r})"
        ) from None
    text, sets_any_case, _ = _translated(pattern)
    flags = regex.VERSION0 | regex.ASCII | regex.DOTALL
    if any_case or sets_any_case:
        flags |= regex.IGNORECASE
    try:
        return regex.compile(text, flags, cache_pattern=False)
    except (ValueError, regex.error, OverflowError, RecursionError) as error:
        raise _refusal(pattern, error) from error


def _refusal(pattern: str, error: Exception) -> UncheckedError:
    given = f"{pattern[:100]!r}: {error}"
    return UncheckedError(f"wants a Java regular expression that this store supports (got {given})")


def pattern_steps(pattern: str) -> int:
    """The length of a pattern with its counted repeats written out, in steps of about STEP_BYTES when compiled."""
    return _translated(pattern)[2]


@lru_cache(_CACHED_PATTERNS)
def _translated(pattern: str) -> tuple[str, bool, int]:
    """The pattern in Python's syntax, whether it turns on ignoring case outside of all groups, and its steps.

    HBase: that flag also applies to the text before it, because the gateway sends the pattern to the servers with the
    flags that hold at its end. Raises ValueError for features that are not supported.
    """
    pieces: list[str] = []
    sets_any_case = False
    flags: list[list[str]] = [[]]  # for each open group the flags set inside it, as in `(a(?i)b|c)`
    steps = _Steps()
    for token in _TOKEN.finditer(pattern):
        match token.lastgroup:
            case "quoted":
                pieces.append(re.escape(token["quoted"]))
            case "reference":
                pieces.append(f"(?P={token['reference']})")
            case "escape":
                pieces.append(_translated_escape(token["escape"]))
            case "class":
                pieces.append(_class(token["class"]))
            case "name":
                flags.append([])
                pieces.append(f"(?P<{token['name']}>")
            case "group":
                flags.append([])
                pieces.append(token["group"])
            case "scope":
                opened = f"(?{token['flags']}:"
                if token["scope"] == ":":
                    flags.append([])
                else:
                    sets_any_case = sets_any_case or (len(flags) == 1 and "i" in token["flags"])
                    flags[-1].append(opened)
                pieces.append(opened)
            case "repeat":
                steps.repeat(int(token["least"]))
                pieces.append(token["repeat"])
                continue
            case _:
                pieces.append(_other(token["other"], flags))
        steps.add(len(pieces[-1]), open_groups=len(flags))
    return "".join(pieces) + ")" * len(flags[0]), sets_any_case, steps.total()


class _Steps:
    """Counts the steps of a pattern with its counted repeats written out; raises ValueError beyond MAX_STEPS."""

    def __init__(self) -> None:
        self._groups = [0]  # the steps of each open group, the whole pattern first
        self._last = 0  # the steps of the token or group that a repeat would apply to

    def add(self, letters: int, *, open_groups: int) -> None:
        """Counts a piece of the pattern; `open_groups` is the number of groups open after it, the pattern included."""
        if open_groups > len(self._groups):
            self._groups.append(0)
            return
        closed = self._groups.pop() if open_groups < len(self._groups) else 0
        self._count(letters + closed)
        self._last = letters + closed

    def repeat(self, least: int) -> None:
        """Counts the mandatory repeats of the last token or group."""
        self._count(self._last * max(least - 1, 0))

    def total(self) -> int:
        """The steps of the whole pattern."""
        return sum(self._groups)

    def _count(self, steps: int) -> None:
        self._groups[-1] += steps
        if self._groups[-1] > MAX_STEPS:
            raise ValueError(f"with its repeats written out it must be at most {MAX_STEPS} steps")


def _other(letter: str, flags: list[list[str]]) -> str:
    if letter in "([{\\":
        raise ValueError(f"{letter} starts nothing that is supported")
    if letter == "$":
        return _END
    if letter == ")" and len(flags) > 1:
        return ")" * (len(flags.pop()) + 1)
    if letter == "|":  # a flag set before it also holds after it
        return ")" * len(flags[-1]) + "|" + "".join(flags[-1])
    return letter


def _translated_escape(escape: str) -> str:
    letter = escape[1]
    if letter in _SPACES:
        return f"[{_SPACES[letter]}]"
    if letter.lower() in _SPACES:
        return f"[^{_SPACES[letter.lower()]}]"
    if letter in "pP":
        return f"[{'^' if letter == 'P' else ''}{_posix_class(escape)}]"
    if letter in "A123456789":
        return escape
    return _POSITIONS.get(letter) or _translated_letter(escape)


def _class(brackets: str) -> str:
    return "[" + _CLASS_TOKEN.sub(_in_class, brackets[1:])


def _in_class(token: re.Match[str]) -> str:
    if token["other"] in ("[", "&&"):
        raise ValueError("a class inside a class is not supported")
    if token["other"]:  # has no meaning yet, but Python warns that it may get one
        return re.escape(token["other"][0]) if len(token["other"]) == 1 else r"-\-"
    escape = token["escape"]
    if escape[1] in _SPACES:
        return _SPACES[escape[1]]
    return _posix_class(escape) if escape[1] == "p" else _translated_letter(escape)


def _posix_class(escape: str) -> str:
    name = escape[3:-1]
    if name not in _POSIX_CLASSES:
        raise ValueError(f"{escape} is not supported")
    return _POSIX_CLASSES[name]


def _translated_letter(escape: str) -> str:
    """An escape that means the same inside and outside of a class."""
    if escape.startswith("\\x{"):
        return re.escape(chr(int(escape[3:-1], 16)))
    if escape == "\\e":
        return r"\x1b"
    if escape[1].isascii() and escape[1].isalnum() and escape[1] not in "dDsSwWtnrfaxu":
        raise ValueError(f"{escape} is not supported")
    return escape
