"""Names as sequences of words, and other words in their place, in the same style and number."""

import keyword
import re
from collections.abc import Iterable
from functools import cached_property
from typing import TypeAlias

import attrs

from ..screen.wrong_usage import WrongUsage

Words: TypeAlias = tuple[str, ...]
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")

_AN = re.compile(r"(?!uni|us|uti|eu|one)[aeiou]", re.IGNORECASE)
"""A word that follows `an`."""


def words_of(name: str) -> Words:
    """The words of a name, in lower case: of `OrderByNumber` and of `order_by_number` the same."""
    return tuple(word.lower() for word in _WORD.findall(name))


def plural(word: str) -> str:
    """The plural of a regular noun."""
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


@attrs.frozen
class Renames:
    """Words, each with those in their place; longer sequences come first."""

    pairs: tuple[tuple[Words, Words], ...]

    def of(self, name: str) -> str:
        """A name with other words, in its own style."""
        words = words_of(name)
        renamed: list[str] = []
        position = 0
        while position < len(words):
            for old, new in self.pairs:
                found = words[position : position + len(old)]
                if found == old or found == (*old[:-1], plural(old[-1])):
                    renamed += new if found == old else (*new[:-1], plural(new[-1]))
                    position += len(old)
                    break
            else:
                renamed.append(words[position])
                position += 1
        if tuple(renamed) == words:
            return name
        start = name[: len(name) - len(name.lstrip("_"))]
        if name.isupper():
            return start + "_".join(renamed).upper()
        if name.lstrip("_")[0].isupper():
            return start + "".join(word.capitalize() for word in renamed)
        return start + "_".join(renamed)

    def in_prose(self, text: str) -> str:
        """A text with other words, and with the article that fits each."""
        return self.old_words.sub(self._reworded, text) if self.pairs else text

    def _reworded(self, found: re.Match[str]) -> str:
        article, old = found["article"] or "", found["words"]
        new = self.of(old.replace(" ", "_")).replace("_", " ")
        new = new.capitalize() if old[0].isupper() and not article else new
        if article and bool(_AN.match(new)) != bool(_AN.match(old)):
            article = f"{article[0]}{'n' if _AN.match(new) else ''} "
        return article + new

    @property
    def forms(self) -> str:
        """The old words and their plurals in prose, as a regular expression; longer ones come first."""
        forms = {" ".join(old) for old, _ in self.pairs} | {
            " ".join((*old[:-1], plural(old[-1]))) for old, _ in self.pairs
        }
        return "|".join(sorted(forms, key=lambda form: (-len(form), form)))

    @cached_property
    def old_words(self) -> re.Pattern[str]:
        """Finds these words in prose."""
        return re.compile(rf"\b(?P<article>an? )?\b(?P<words>{self.forms})\b", re.IGNORECASE)


def read_renames(record: str | None, old_record: str, words: Iterable[str]) -> Renames:
    """The renames of a command line: `--record NEW`, which renames the words of `old_record`, and some `OLD=NEW`."""
    words = list(words)
    given = [word.partition("=")[::2] for word in words]
    wrong = [repr(word) for word, (old, new) in zip(words, given, strict=True) if not (is_name(old) and is_name(new))]
    if wrong:
        wanted = "two ASCII Python names, such as order_number=ticket_number"
        raise WrongUsage(f"--rename: must be OLD=NEW, {wanted} (got {', '.join(wrong)})")
    if record is not None:
        if not is_name(record) or not record[0].isupper():
            raise WrongUsage(f"--record: must be the name of a class, such as Ticket (got {record!r})")
        given.insert(0, (old_record, record))
    pairs: dict[Words, tuple[str, str]] = {}
    for old, new in given:
        first_old, first_new = pairs.setdefault(words_of(old), (old, new))
        if words_of(first_new) != words_of(new):
            got = f"{first_old}={first_new} and {old}={new}"
            raise WrongUsage(f"--record, --rename: must give {first_old} one new name (got {got})")
    renames = [(old, words_of(new)) for old, (_old, new) in pairs.items()]
    return Renames(tuple(sorted(renames, key=lambda pair: -len(pair[0]))))


def is_name(name: str) -> bool:
    """Whether this is an ASCII Python name, of words joined by `_` or by capitals, and no keyword."""
    return _NAME.fullmatch(name) is not None and not keyword.iskeyword(name)
