"""Java's regular expressions as Python's: what both have, and what only differs in how it is written."""

import re
from functools import lru_cache

import regex

from ..thrift1.errors import UncheckedError

# regex writes counted repeats out when it compiles: ((a{1000}){1000}){1000} would take all memory there is. A pattern
# of this many steps takes 0.1 s and 35 MB, and the last ones compiled are kept.
MAX_STEPS = 65_536
STEP_BYTES = 200  # of a compiled pattern, measured
_PATTERNS_KEPT = 16

# Java, without flags, knows these classes for ASCII only.
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

# The end of the text, or the line terminator before it.
_END = r"(?:\Z|(?=\r\n\Z)|(?<!\r)(?=\n\Z)|(?=[\r\x85\u2028\u2029]\Z))"

# Up to Java 18 a word at its boundary is of all languages' letters, while \w is of ASCII's; an empty text has a \B.
_POSITIONS = {"z": r"\Z", "Z": _END, "b": r"(?u:\b)", "B": r"(?u:(?!\b))"}

# One thing that a pattern consists of; a class in brackets is one, up to its end.
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


@lru_cache(_PATTERNS_KEPT)
def java_pattern(pattern: str, *, any_case: bool) -> regex.Pattern[str]:
    """The pattern compiled, so that `search` finds what Java's `find` does with DOTALL; letters are ASCII's.

    The engine is `regex` because a match can have a deadline there and can leave the interpreter to other threads;
    Python's `re` has neither. Raises UncheckedError for what Java refuses, and for what is not carried over: Unicode
    classes, a class inside a class, flags other than i and s, octal and control escapes, lookbehind of no fixed width,
    counted repeats of more than MAX_STEPS steps.
    """
    try:
        text, sets_any_case, _ = _translated(pattern)
        re.compile(text)  # refuses what only regex knows, such as two groups of one name
        flags = regex.VERSION0 | regex.ASCII | regex.DOTALL
        if any_case or sets_any_case:
            flags |= regex.IGNORECASE
        return regex.compile(text, flags, cache_pattern=False)
    except (ValueError, re.error, regex.error, OverflowError, RecursionError) as error:
        given = f"{pattern[:100]!r}: {error}"
        text = f"wants a regular expression of Java's, of the kind that this store knows (got {given})"
        raise UncheckedError(text) from error


def pattern_steps(pattern: str) -> int:
    """How long a pattern is once its counted repeats are written out, in steps of about STEP_BYTES once compiled."""
    return _translated(pattern)[2]


@lru_cache(_PATTERNS_KEPT)
def _translated(pattern: str) -> tuple[str, bool, int]:
    """The pattern in Python's words, whether it sets that case does not matter outside of all groups, and its steps.

    HBase: that setting holds for what stands before it, too, since the pattern comes to its servers with the flags that
    it had at its end. ValueError says what cannot be carried over.
    """
    pieces: list[str] = []
    sets_any_case = False
    flags: list[list[str]] = [[]]  # for each open group the flags that were set within it, as in `(a(?i)b|c)`
    steps = _Steps()
    for token in _TOKEN.finditer(pattern):
        match token.lastgroup:
            case "quoted":
                pieces.append(re.escape(token["quoted"]))
            case "reference":
                pieces.append(f"(?P={token['reference']})")
            case "escape":
                pieces.append(_escape(token["escape"]))
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
    """How long a pattern is once its counted repeats are written out; ValueError beyond MAX_STEPS."""

    def __init__(self) -> None:
        self._groups = [0]  # the steps of each open group, the whole pattern first
        self._last = 0  # the steps of what a repeat would apply to

    def add(self, letters: int, *, open_groups: int) -> None:
        """Counts a piece of the pattern after which so many groups are open, the whole pattern among them."""
        if open_groups > len(self._groups):
            self._groups.append(0)
            return
        closed = self._groups.pop() if open_groups < len(self._groups) else 0
        self._count(letters + closed)
        self._last = letters + closed

    def repeat(self, least: int) -> None:
        """Counts the repeats of the last token or group that cannot be left out."""
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
        raise ValueError(f"{letter} begins nothing that is carried over")
    if letter == "$":
        return _END
    if letter == ")" and len(flags) > 1:
        return ")" * (len(flags.pop()) + 1)
    if letter == "|":  # a flag set before it holds after it as well
        return ")" * len(flags[-1]) + "|" + "".join(flags[-1])
    return letter


def _escape(escape: str) -> str:
    letter = escape[1]
    if letter in _SPACES:
        return f"[{_SPACES[letter]}]"
    if letter.lower() in _SPACES:
        return f"[^{_SPACES[letter.lower()]}]"
    if letter in "pP":
        return f"[{'^' if letter == 'P' else ''}{_posix_class(escape)}]"
    if letter in "A123456789":
        return escape
    return _POSITIONS.get(letter) or _letter_escape(escape)


def _class(brackets: str) -> str:
    return "[" + _CLASS_TOKEN.sub(_in_class, brackets[1:])


def _in_class(token: re.Match[str]) -> str:
    if token["other"] in ("[", "&&"):
        raise ValueError("a class inside a class is not carried over")
    if token["other"]:  # has no meaning yet, and Python warns that it may get one
        return re.escape(token["other"][0]) if len(token["other"]) == 1 else r"-\-"
    escape = token["escape"]
    if escape[1] in _SPACES:
        return _SPACES[escape[1]]
    return _posix_class(escape) if escape[1] == "p" else _letter_escape(escape)


def _posix_class(escape: str) -> str:
    name = escape[3:-1]
    if name not in _POSIX_CLASSES:
        raise ValueError(f"{escape} is not carried over")
    return _POSIX_CLASSES[name]


def _letter_escape(escape: str) -> str:
    """An escape that means the same inside and outside of a class."""
    if escape.startswith("\\x{"):
        return re.escape(chr(int(escape[3:-1], 16)))
    if escape == "\\e":
        return r"\x1b"
    if escape[1].isascii() and escape[1].isalnum() and escape[1] not in "dDsSwWtnrfaxu":
        raise ValueError(f"{escape} is not carried over")
    return escape
