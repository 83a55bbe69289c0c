"""Old names of commands: a command line with one of them becomes the one with the new name. Help omits them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile

FLAGS = ("--json", "--plain", "--help")
"""Options of the old `compare` without a value."""


def new_words(words: Sequence[str]) -> list[str]:
    """The words of a command line, with the new name of its command and its options as they are there."""
    start = [*takewhile(lambda word: word.startswith("-"), words)]
    name, *rest = [*words[len(start) :], ""]
    return [*start, *OLD[name](rest[:-1])] if name in OLD else [*words]


def _heat(words: list[str]) -> list[str]:
    if not _has("--keys", words):
        return ["review", *words, "--only", "heat"]
    others = [word for word in words if word != "--hex"]
    return ["review", *others, "--form", "shell" if others == words else "hex"]


def _chapter(name: str, option: str, default: str, words: list[str]) -> list[str]:
    return ["review", *words, "--only", name, *([] if _has(option, words) else [option, default])]


OLD: Mapping[str, Callable[[list[str]], list[str]]] = {
    "heat": _heat,
    "simulate": partial(_chapter, "simulate", "--rows", "1e9"),
    "size": partial(_chapter, "size", "--keep", "90d"),
    "compare": lambda words: ["run", *_with_file_options(words)],
    "export": lambda words: ["scan", *words, "--lines"],
}


def _has(option: str, words: list[str]) -> bool:
    return any(word.partition("=")[0] == option for word in words)


def _with_file_options(words: list[str]) -> Iterator[str]:
    """The words, with `--file` before each file: an argument after the first one, which names the design."""
    is_named = takes_value = False
    for word in words:
        is_option = word.startswith("--")
        is_file = is_named and not is_option and not takes_value
        yield from ("--file", word) if is_file else (word,)
        is_named |= not is_option and not takes_value
        takes_value = is_option and "=" not in word and word not in FLAGS
