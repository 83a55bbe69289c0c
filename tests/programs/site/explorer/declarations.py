"""A key as the Python that declares it, and the command that copies its design, both with a reader's own names."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from shared import keys
from shared.command_line.named.typed_values import field_types, values_of
from shared.command_line.new_package.name_words import Renames, is_name, plural, read_renames, words_of
from shared.keys import InvalidKey, KeyLayout
from shared.keys.errors import shown

from .changed_keys import CHANGED, Table, joined_parts
from .open_designs import Texts

TAKEN = ("part", "self")
"""Names that no part of a key can have."""


def declaration(table: Table, declared: KeyLayout[Any], values: Texts, names: "OwnNames") -> str:
    """The declaration of a table's key, and code that prints the bytes of the values, if there is one for each part.

    `declared` is the layout of which it was made: its module has the codecs that are not the library's.
    Raises InvalidKey for parts that the library cannot declare.
    """
    layout = table.key
    if joined := joined_parts(layout):
        raise InvalidKey(f"{', '.join(joined)}: JoinedText loses rows, so the library has no such codec")
    of, types = names.renames.of, field_types(layout.key_class)
    key = f"{names.record}Key" if layout.name == CHANGED and names.record else of(layout.name)
    fields = [
        f"    {of(one.name)}: {types[one.name].__name__} = part({one.codec}, {names.renames.in_prose(one.meaning)!r})"
        for one in layout.parts
    ]
    prefixes = (re.sub(r"(?<=of=')\w+", lambda part: of(part[0]), str(prefix)) for prefix in layout.prefixes)
    constant = re.sub(r"\W", "_", of(table.name)).upper()
    lines = ["@row_key", f"class {key}:", *fields, "", "", f"{constant} = KeyLayout({', '.join([key, *prefixes])})"]
    if all(values.get(name) for name in types):
        read = values_of([f"{name}={values[name]}" for name in types], types, "part")
        given = ", ".join(f"{of(one.name)}={read[one.name]!r}" for one in layout.parts)
        lines += [f"row = {constant}.encode({key}({given}))", 'print(row.hex(" "))']
    text = "\n".join([*lines, ""])
    return "\n".join([*_imports(text, {key, constant}, declared.key_class.__module__), "", "", text])


def _imports(text: str, own_names: set[str], module: str) -> list[str]:
    """The imports of a declaration: from the library, and from the module of the declared key."""
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} - own_names
    own = sorted(name for name in used - {*keys.__all__} if name in vars(sys.modules[module]))
    of_library = [f"from shared.keys import {', '.join(sorted(used & {*keys.__all__}))}"]
    return of_library + ([f"from {module} import {', '.join(own)}"] if own else [])


class OwnNames:
    """A reader's names of the record of a design and of parts, as the options of `rowbook new` that give them.

    {"seller_id": "garage_id"} needs `--rename seller=garage`, and {"buyer_id": "plate"} both `--rename buyer=plate` and
    `--rename buyer_id=plate`. Raises ValueError for a text that is not a name, and if two parts of a table would have
    the same name.
    """

    def __init__(self, record: str, names: Texts, tables: Sequence[Sequence[str]]) -> None:
        given = {name: text.strip() for name, text in names.items() if text.strip()}
        for name, new in given.items():
            if not is_name(new):
                raise ValueError(
                    f"your name for {name}: must be an ASCII Python name, such as garage_id (got {shown(new)})"
                )
            if new in TAKEN:
                raise ValueError(f"your name for {name}: must be another name than {new}, which every key class uses")
            if name == record and not new[0].isupper():
                raise ValueError(f"your name for {name}: must start with a capital, such as Ticket (got {shown(new)})")
        self.old_record, self.record = record, given.pop(record, None)
        self.words: list[str] = []
        for name, new in given.items():
            for pair in _pairs(name, new, record):
                if self.renames.of(name) != new:
                    self.words.append(pair)
        for parts in tables:
            new, times = Counter(map(self.renames.of, parts)).most_common(1)[0]
            if times > 1:
                same = " and ".join(name for name in parts if self.renames.of(name) == new)
                raise ValueError(f"your names: {same} must have different names (got {new})")

    @property
    def renames(self) -> Renames:
        """What the options change."""
        return read_renames(self.record, self.old_record, self.words)

    def command(self, design: str, variant: str = "") -> str:
        """The command that copies a design, or its variant, with these names."""
        folder = plural("_".join(words_of(self.record))) if self.record else design
        options = [f"--record {self.record}"] if self.record else []
        options += [f"--rename {pair}" for pair in self.words]
        return " ".join([f"rowbook new ../{folder} --from {variant or design}", *options])


def _pairs(name: str, new: str, record: str) -> list[str]:
    """The renames that may give a part its new name: of the words that differ, unless they name the record; of all."""
    old_words, new_words = name.split("_"), new.split("_")
    if len(old_words) > 1 == len(new_words):
        del old_words[-1]
    while len(old_words) > 1 < len(new_words) and old_words[-1] == new_words[-1]:
        del old_words[-1], new_words[-1]
    of_words = f"{'_'.join(old_words)}={'_'.join(new_words)}"
    return [f"{name}={new}"] if words_of(record) == (*old_words,) else [of_words, f"{name}={new}"]
