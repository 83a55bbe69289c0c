"""Random regular expressions: what Java and Python write alike, what they write differently, and what is wrong."""

from random import Random

_ATOMS = (
    *("a", "b", "1", ".", "é", "A", " ", "^", "$", "[ab]", "[^a]", "[a-c1]", "\\d", "\\w", "\\W", "\\s", "\\.", "\\b"),
    *(
        "\\D",
        "\\S",
        "\\B",
        "\\A",
        "\\z",
        "\\Z",
        "\\x61",
        "\\t",
        "\\n",
        "\\Qa.b\\E",
        "[^\\d]",
        "[\\w-]",
        "[^\\x00-\\x7f]",
    ),
    *("\\p{Alpha}", "\\p{Upper}", "\\P{Punct}", "\\h", "[]a]"),
)
# Wrong in Java, or not supported.
_ODD_ATOMS = ("\\u0061", "[a&&b]", "\\p{L}", "\\1", "\\", "[", ")", "(?m)", "\\R", "\\cA", "\\07")
_ODD = 0.02
_QUANTIFIERS = ("*", "+", "?", "{1}", "{2,}", "{0,1}", "*?", "+?", "?+", "*+", "{,2}")
_GROUPS = ("({})", "(?:{})", "(?i){}", "(?i:{})", "(?={})", "(?!{})", "(?<=a){}", "(?<!{})", "(?<n>{})\\k<n>")


def pattern(random: Random, depth: int = 0) -> bytes:
    """A pattern of a few atoms in groups and alternatives."""
    return _alternatives(random, depth).encode()


def _alternatives(random: Random, depth: int) -> str:
    return "|".join(_pieces(random, depth) for _ in range(random.choice((1, 1, 1, 2))))


def _pieces(random: Random, depth: int) -> str:
    return "".join(_piece(random, depth) for _ in range(random.choice((0, 1, 1, 2, 2, 3))))


def _piece(random: Random, depth: int) -> str:
    if depth < 2 and random.random() < 0.2:
        piece = random.choice(_GROUPS).format(_alternatives(random, depth + 1))
    else:
        piece = random.choice(_ODD_ATOMS if random.random() < _ODD else _ATOMS)
    return piece + random.choice(_QUANTIFIERS) if random.random() < 0.2 else piece
