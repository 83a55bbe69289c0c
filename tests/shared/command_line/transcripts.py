"""Transcripts: what one types and what `rowbook` then prints, in the text files of the folder beside this module.

    ## A bad line stops the load                 a section: one test, in a folder of its own
    file a.csv                                   makes a file of the lines below
    | path,at_ms
    do cancel_and_die 3                          calls a function of steps.py
    $ rowbook load orders a.csv --store $STORE   # exits 1
    ! a.csv:3: must have 6 fields ...            a line on stderr
      a.csv: csv, 1 record stored                a line on stdout

What stands before the first section is run once, and each section gets a copy of the folder. Commands that stand
directly below one another print the same, and so do those of `{one,another}` in a line. `| grep WORDS`, `| head N`,
`| tail N` and `| json PATH` choose among the lines, or take a value out of a JSON object: `records.*.host`. A section
with a line `store NAME...` runs on every engine; $STORE is the URL of a store for these designs, in other sections it
is embedded:a.db. One with a line `long` is a test of `make test-long`. $CURSOR is the latest cursor that was printed.
In the output stand `<cursor>`, `<folder>`, `<now>` (any time of today, or its milliseconds) and `<slot>` (the random
row of an intent) for what differs in every run.

`python -m tests.programs transcripts` writes the output (the lines that begin with a blank or `!`) anew and leaves the
others as they are.
So what a command line must keep is said in these, or true of every command:

- `# exits CODE`, which is a refusal: one line on stderr and nothing else; or `# exits CODE, N on stderr`
- without these words it exits with 0 and has nothing on stderr; wrong usage makes no file
- JSON is one object in one line; no output has a character that controls a terminal, or a traceback
"""

import json
import os
import re
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import chdir
from datetime import datetime
from functools import cache
from pathlib import Path

import attrs

from tests.shared.command_line import steps
from tests.shared.command_line.running import Ended, run

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).with_name("transcripts")
STORE = "embedded:a.db"
DAY_MS = 86_400_000
OUTPUT = "output"
"""Stands in the source for what the commands above print."""
EXITS = re.compile(r"\s+# exits (\d+)(?:, (\d+) on stderr)?$")


@attrs.frozen
class Command:
    """A line that is typed, and how it must end."""

    words: list[str]
    code: int
    errors: int
    """Number of lines on stderr."""
    is_refusal: bool
    """Whether nothing but one line on stderr is printed."""

    @classmethod
    def of(cls, line: str) -> "Command":
        found = EXITS.search(line)
        typed = EXITS.sub("", line).removeprefix("$ ")
        code = int(found[1]) if found else 0
        errors = int(found[2]) if found and found[2] else min(code, 1)
        lexer = shlex.shlex(typed, posix=True, punctuation_chars="|")
        lexer.whitespace_split, lexer.commenters = True, ""
        return cls([*lexer], code, errors, is_refusal=code > 0 and not (found and found[2]))

    def check(self, ended: Ended) -> None:
        """Checks what no rewriting of a transcript may change."""
        shown = f"{shlex.join(self.words)}\n{ended.out}{ended.err}"
        assert ended.code == self.code, f"must exit with {self.code} (exited with {ended.code}): {shown}"
        lines = ended.err.count("\n")
        assert lines == self.errors, f"must print {self.errors} lines on stderr (printed {lines}): {shown}"
        assert not (ended.out and self.is_refusal), f"must print nothing but why it is refused: {shown}"
        assert "Traceback" not in ended.out + ended.err, shown
        assert all(line.isprintable() for line in (ended.out + ended.err).split("\n")), shown
        if "--json" in self.words and ended.out:
            assert ended.out.count("\n") == 1, f"must print one line of JSON: {shown}"
            assert isinstance(json.loads(ended.out), dict), shown


@attrs.define
class Section:
    """A part of a transcript: its lines, without those that commands print."""

    title: str
    source: list[str]

    @property
    def designs(self) -> list[str]:
        """The designs in whose store it runs; none unless it says so."""
        return next((line.split()[1:] for line in self.source if line.startswith("store ")), [])


def is_output(line: str) -> bool:
    return line.startswith(("  ", "! "))


def sections(path: Path) -> list[Section]:
    """The parts of a transcript; the first one is what all others begin with."""
    return [Section(title, source_of(lines)) for title, lines in parts(path.read_text(encoding="utf-8"))]


def parts(text: str) -> list[tuple[str, list[str]]]:
    """The titles of a transcript with the lines below them; the first one, which has no title, is the beginning."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        if line.startswith("## "):
            found.append((line.removeprefix("## "), []))
        else:
            found[-1][1].append(line)
    return found


def source_of(lines: Iterable[str]) -> list[str]:
    """The lines with OUTPUT in place of those that commands print; an empty one of these is between two others."""
    kept: list[str] = []
    for line in lines:
        if not is_output(line):
            kept.append(line)
            continue
        while not kept[-1]:
            kept.pop()
        if kept[-1] != OUTPUT:
            kept.append(OUTPUT)
    return kept


class Session:
    """Runs the lines of a section in the current folder."""

    def __init__(self, store: str = STORE) -> None:
        self._store = store
        self._cursor = ""

    def lines(self, source: Iterable[str]) -> Iterator[str]:
        """The lines of the source, each command with what it prints."""
        waiting: list[str] = []
        """What the commands above have printed, the same each."""
        file: Path | None = None
        for line in [*source, ""]:
            for command in alternatives(line) if line.startswith("$ ") else []:
                shown = self.shown(command)
                assert waiting in ([], shown), f"must print what the one above does: {command}\n{shown}\n{waiting}"
                waiting = shown
            if not line.startswith("$ "):
                yield from waiting
                waiting = []
            if line == OUTPUT:
                continue
            if line.startswith("file "):
                file = Path(line.removeprefix("file "))
                file.parent.mkdir(exist_ok=True)
                file.write_text("", encoding="utf-8")
            elif line == "|" or line.startswith("| "):
                assert file is not None
                with file.open("a", encoding="utf-8") as opened:
                    opened.write(f"{line[2:]}\n")
            elif line.startswith("do "):
                name, *words = shlex.split(line.removeprefix("do "))
                getattr(steps, name)(*words)
            yield line

    def shown(self, line: str) -> list[str]:
        """What a command prints, as a transcript shows it."""
        command = Command.of(line.replace("$STORE", shlex.quote(self._store)).replace("$CURSOR", self._cursor))
        name = command.words.index("rowbook")
        environment = dict(word.split("=", 1) for word in command.words[:name])
        words, *filters = split_at(command.words[name + 1 :], "|")
        before = sorted(Path().rglob("*"))
        ended = self._run(words, environment)
        command.check(ended)
        assert command.code != 2 or sorted(Path().rglob("*")) == before, f"must make no file: {line}"
        if found := re.findall(r'--cursor=(\S+)|"cursor": "([^"]+)"', ended.out):
            self._cursor = "".join(found[-1])
        out = ended.out.splitlines()
        for name, *arguments in filters:
            out = FILTERS[name](out, *arguments)
        printed = [f"  {line}".rstrip() for line in out] + [f"! {line}" for line in ended.err.splitlines()]
        while printed and not printed[-1]:
            printed.pop()
        return [self._without_what_differs(line) for line in printed]

    def _run(self, words: list[str], environment: dict[str, str]) -> Ended:
        if words[:1] == ["run"] and "--store" not in words:
            return run_in_memory(tuple(words), tuple(environment.items()))
        return run(words, environment)

    def _without_what_differs(self, line: str) -> str:
        line = line.replace(shlex.quote(self._store), "$STORE").replace(self._store, "$STORE")
        line = line.replace(str(Path.cwd()), "<folder>")
        line = line.replace(self._cursor, "<cursor>") if self._cursor else line
        line = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", lambda found: _time(found[0]), line)
        line = re.sub(r"\b\d{13}\b", lambda found: "<now>" if _is_now(int(found[0])) else found[0], line)
        return re.sub(r"(intents: (\w+ )?row)( [0-9a-f]{2}){12}\b", r"\1 <slot>", line)


def _time(text: str) -> str:
    return "<now>" if _is_now(int(datetime.fromisoformat(text).timestamp() * 1000)) else text


def _is_now(time_ms: int) -> bool:
    return abs(time_ms - time.time() * 1000) < DAY_MS


@cache
def run_in_memory(words: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> Ended:
    """How a command ends that neither reads nor writes files; it runs once."""
    return run([*words], dict(environment))


def alternatives(line: str) -> list[str]:
    """The lines that a line with `{one,another}` stands for, as in a shell."""
    braces = re.search(r"\{([^{}]*,[^{}]*)\}", line)
    if not braces:
        return [line]
    first, last = line[: braces.start()], line[braces.end() :]
    return [made for word in braces[1].split(",") for made in alternatives(f"{first}{word}{last}")]


def split_at(words: list[str], separator: str) -> list[list[str]]:
    """The words before, between and after the separators."""
    groups: list[list[str]] = [[]]
    for word in words:
        if word == separator:
            groups.append([])
        else:
            groups[-1].append(word)
    return groups


def _value(value, path: list[str]):
    """The value at a path in JSON, null if an object lacks it; `*` is every one of a list."""
    for number, name in enumerate(path):
        if name == "*":
            return [_value(item, path[number + 1 :]) for item in value]
        value = value[int(name)] if isinstance(value, list) else value.get(name)
    return value


FILTERS = {
    "grep": lambda out, words: [line for line in out if words in line],
    "head": lambda out, number: out[: int(number)],
    "tail": lambda out, number: out[-int(number) :],
    "json": lambda out, path: [json.dumps(_value(json.loads(out[0]), path.split(".")), ensure_ascii=False)],
}


@cache
def beginning(path: Path) -> Path:
    """A folder in which the beginning of a transcript was run."""
    folder = Path(tempfile.mkdtemp(prefix="transcript-"))
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    with chdir(folder):
        [*Session().lines(sections(path)[0].source)]
    return folder


def run_section(path: Path, section: Section, folder: Path, store: str = STORE) -> list[str]:
    """The lines of a section as they should be, run in an empty folder."""
    shutil.copytree(beginning(path), folder, symlinks=True, dirs_exist_ok=True)
    with chdir(folder):
        return [*Session(store).lines(section.source)][:-1]


def rewritten(path: Path) -> str:
    """The text of a transcript with what commands print now."""
    first, *others = sections(path)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        os.symlink(ROOT / "fixtures", "fixtures")
        lines = [*Session().lines(first.source)][:-1]
    for section in others:
        with tempfile.TemporaryDirectory() as folder:
            lines += [f"## {section.title}", *run_section(path, section, Path(folder))]
    return "\n".join(lines) + "\n"
