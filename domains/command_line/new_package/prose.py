"""Takes out of docstrings what is true only in the suite: about variants, pages, and names that are not there."""

import ast
import builtins
import keyword
import re
import textwrap
from collections.abc import Mapping
from functools import cache
from itertools import takewhile

import attrs
import libcst as cst

from .formatting import Indented
from .modules import LINE_LENGTH, Package, docstrings, edit_text
from .vendoring import LIBRARY

OF_SUITE = re.compile(r"\b(?:variants?|README|REFERENCE|glossary|suite|this design|main design)\b|\bS\d\.\d")
"""What a sentence has that speaks of the suite; S0.13 is advice that the root README names."""
SOURCES = re.compile(r"\s\(S\d\.\d[^)]*\)")
OF_LIBRARY = re.compile(r"`shared/([\w/]+)\.py`")
QUOTED = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*(?=(?:\(\))?$)")
FILE = re.compile(r"[\w/-]+\.(?:py|json|md|toml|csv|jsonl)")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`(])|(?<=\.\))\s+")
ITEM = re.compile(r"(?:- |[A-Z]\w+: +)")
"""What begins an item of a list, or an entry such as `Costs:`."""
QUOTES = '"""'


@attrs.frozen
class Names:
    """The names that a package has, or that it can use."""

    identifiers: frozenset[str]
    words: frozenset[str]
    """Words within strings of the code, such as names of tables and commands."""
    files: frozenset[str]
    gone: frozenset[str] = frozenset()
    """Names that the design has and the package has not."""

    def unknown(self, text: str) -> list[str]:
        """The names between backticks that stand for nothing: files, modules, classes, methods, fields, tables."""
        return [span for span in QUOTED.findall(" ".join(text.split())) if not self._is_known(span)]

    def _is_known(self, span: str) -> bool:
        if FILE.fullmatch(span):
            return span in self.files
        found = NAME.match(span)
        if found is None or span in self.words:
            return True  # bytes, a key, an expression
        if span.isalpha() and span.islower():
            return span not in self.gone  # otherwise it may be an example of a value
        return all(part in self.identifiers or part in self.words for part in IDENTIFIER.findall(found[0]))


def names_of(package: Package, design: Package) -> Names:
    """The names of the modules of a package, and those of the library; `design` has all modules of the design."""
    identifiers, words = _names(package)
    gone = {part for name in design for part in IDENTIFIER.findall(name)} | _names(design)[0]
    known = identifiers | library_names()
    files = {f"{name.replace('.', '/')}.py" for name in package} | {"keys.json"}
    return Names(frozenset(known), frozenset(words), frozenset(files), frozenset(gone - known))


def _names(package: Package) -> tuple[set[str], set[str]]:
    """The identifiers of a package, and the words in its strings."""
    identifiers, words = {part for name in package for part in name.split(".")}, set[str]()
    for module in package.values():
        found, said = _code_of(ast.parse(module.code))
        identifiers |= found
        words |= said
    return identifiers, words


OF_DESIGNS = ("domains", "fixtures")
"""Folders beside the rooms of an installed library that do not belong to it."""


@cache
def library_names() -> frozenset[str]:
    """The names that the modules of the library define or use, with those of Python."""
    identifiers = {*dir(builtins), *keyword.kwlist, "rowbook", "shared", "happybase"}
    for path in LIBRARY.rglob("*.py"):
        if path.relative_to(LIBRARY).parts[0] in OF_DESIGNS:
            continue
        identifiers |= {path.stem, path.parent.name, *_code_of(ast.parse(path.read_bytes()))[0]}
    return frozenset(identifiers)


def _code_of(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The identifiers of a module, and the words in its strings; without those of docstrings."""
    identifiers, words = set[str](), set[str]()
    texts = {id(node) for node, _text in docstrings(tree)}
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                identifiers |= {*value.split(".")}
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            words |= {node.value, *re.findall(r"[\w-]+", node.value)}
    return identifiers, words


# ---- texts

ENTRY = r"(?P<entry>Order|Serves|Costs|Fixed): +"
"""What begins an entry of a key class."""
ENTRIES = re.compile(rf"^{ENTRY}(?P<says>.*(?:\n +.*)*)", re.MULTILINE)
REFERENCE = re.compile(rf"{ENTRY}(?:what|as) `(?P<of>\w+)`(?: serves)?")
"""An entry that repeats the same entry of another key class."""


def entries_of(design: Package) -> dict[tuple[str, str], str]:
    """The entries `Order:`, `Serves:`, `Costs:`, `Fixed:` of all key classes of a design, by class and entry."""
    entries: dict[tuple[str, str], str] = {}
    for module in design.values():
        for node in ast.walk(ast.parse(module.code)):
            if isinstance(node, ast.ClassDef):
                text = ast.get_docstring(node) or ""
                for entry in ENTRIES.finditer(text):
                    entries[node.name, entry["entry"]] = " ".join(entry["says"].split())
    return entries


@attrs.frozen
class _Texts:
    """Makes docstrings true in a package."""

    names: Names
    entries: Mapping[tuple[str, str], str]

    def own(self, literal: str, indent: int, *, is_cut: bool = False) -> str:
        """A docstring with its quotes, without the sentences that are not true in a package; the same if all are.

        `indent` is the number of spaces before its lines. If `is_cut`, it ends before the first of these sentences.
        Empty if nothing is left.
        """
        if not literal.startswith(QUOTES):
            return literal
        inner = literal.removeprefix(QUOTES).removesuffix(QUOTES)
        text = OF_LIBRARY.sub(lambda found: f"`shared.{found[1].replace('/', '.')}`", inner)
        text = SOURCES.sub("", text)
        blocks: list[str] = []
        changed = text != inner
        for block in re.split(r"\n[ \t]*\n", text):
            kept, is_whole = self._block(block, indent, is_first=not blocks, is_cut=is_cut)
            changed |= not is_whole
            if kept.strip():
                blocks.append(kept if blocks else kept.lstrip())
            if not is_whole and is_cut:
                break
        if not changed or not blocks:
            return literal if blocks else ""
        text = "\n\n".join(blocks).rstrip()
        end = f"\n{' ' * indent}" if "\n" in text else ""
        return f"{QUOTES}{text}{end}{QUOTES}"

    def _block(self, block: str, indent: int, *, is_first: bool, is_cut: bool) -> tuple[str, bool]:
        """A paragraph, list or drawing without the sentences that are not true, and whether it is still whole."""
        lines = [line.removeprefix(" " * indent) for line in block.splitlines()]
        if lines[0].startswith("    ") and not is_first:  # a drawing: all or nothing
            return (block, True) if self._is_own(block) else ("", False)
        items: list[list[str]] = []
        for line in lines:
            if not items or ITEM.match(line):
                items.append([])
            items[-1].append(line)
        kept: list[str] = []
        for item in items:
            own = self._item(item, LINE_LENGTH - indent - len(QUOTES) * is_first, is_cut=is_cut)
            kept += own
            if own != item and is_cut:
                break
        return "\n".join(" " * indent + line if line else "" for line in kept), kept == lines

    def _item(self, lines: list[str], width: int, *, is_cut: bool) -> list[str]:
        """A paragraph, or an item of a list, without the sentences that are not true; the same lines if all are."""
        said = " ".join(" ".join(lines).split())
        text = REFERENCE.sub(self._entry, said)
        start = found[0].strip() if (found := ITEM.match(text)) else ""
        sentences = SENTENCE_END.split(text.removeprefix(start).strip())
        own = self._sentences(sentences, is_cut=is_cut) if start != "Source:" else []
        if own == sentences and text == said:
            return lines
        head = lines[0][: len(lines[0]) - len(lines[0].removeprefix(start).lstrip())] if start else ""
        further = lines[1][: len(lines[1]) - len(lines[1].lstrip())] if lines[1:] else " " * len(head)
        return textwrap.wrap(
            " ".join(own),
            width,
            initial_indent=head,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _sentences(self, sentences: list[str], *, is_cut: bool) -> list[str]:
        """The sentences that are true; of one that is not, the clauses before the first that is not."""
        own: list[str] = []
        for sentence in sentences:
            clauses = [*takewhile(self._is_own, sentence.split("; "))]
            if "; ".join(clauses) == sentence:
                own.append(sentence)
            else:
                own += [f"{'; '.join(clauses)}."] if clauses else []
                if is_cut:
                    break
        return own

    def _is_own(self, text: str) -> bool:
        return is_own(text, self.names)

    def _entry(self, found: re.Match[str]) -> str:
        """The entry itself, if the class that has it is not in the package."""
        said = self.entries.get((found["of"], found["entry"]), "")
        if found["of"] in self.names.identifiers or not said:
            return found[0]
        return f"{found['entry']}: {REFERENCE.sub(self._entry, said).rstrip('.')}"


def is_own(text: str, names: Names) -> bool:
    """Whether a text speaks neither of the suite nor of what is not there."""
    return not OF_SUITE.search(text) and not names.unknown(text)


class _OwnTexts(Indented):
    """Makes the docstrings of a statement true, and drops those of which nothing is."""

    def __init__(self, texts: _Texts) -> None:
        super().__init__()
        self._texts = texts

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        return edit_text(updated_node, lambda text: self._texts.own(text, self.margin))


def keep_own_prose(package: Package, design: Package, *, is_main: bool) -> None:
    """Makes all docstrings of a package true in it; `design` has all modules of the design."""
    texts = _Texts(names_of(package, design), entries_of(design))
    for module in package.values():
        module.description = texts.own(module.description, 0, is_cut=is_main) or module.description
        for unit in module.units:
            visited = (statement.visit(_OwnTexts(texts)) for statement in unit.statements)
            unit.statements = [statement for statement in visited if isinstance(statement, cst.BaseStatement)]


# ---- what is left


def foreign_prose(code: str, names: Names) -> list[str]:
    """The sentences in the docstrings of a module that speak of the suite, or of what is not there."""
    texts = (text for _node, text in docstrings(ast.parse(code)))
    sentences = (" ".join(sentence.split()) for text in texts for sentence in SENTENCE_END.split(text))
    return [sentence for sentence in sentences if not is_own(sentence, names)]
