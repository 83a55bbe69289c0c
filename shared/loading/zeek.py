r"""Logs of Zeek: text with columns, which `#` lines describe, or JSON lines; times in seconds.

    #separator \x09
    #fields ts  uid  id.orig_h  tunnel_parents  ...         a tab between the columns
    #types  time  string  addr  set[string]  ...
    1521911721.789543  C18H5P2mT0bRiA2Sdk  10.164.94.120  (empty)  ...

    {"ts":1521911721.789543,"uid":"C18H5P2mT0bRiA2Sdk","id.orig_h":"10.164.94.120","tunnel_parents":[],...}

Both have the same columns, with one difference: numbers are text in the first, as in CSV.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import attrs

from ..keys.errors import shown
from .formats import Format, ParsedRows
from .json_lines import JSONL, json_or_other

_JSON_STARTS = re.compile(
    r'\s*\{\s*"(?:_path"|ts"\s*:\s*(?:[0-9]{9,10}\.[0-9]|"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"))'
)
_JSON_NAMES = ('"uid"', '"fuid"', '"id.orig_h"', '"_path"', '"fingerprint"', '"peer"')
"""One of these is in each line of most logs; the others must be named."""
_ESCAPED = re.compile(r"(?:\\x[0-9a-fA-F]{2})+")
_BOOLS = {"T": "true", "F": "false"}
_SEPARATOR = "#separator "


def _recognizes(line: str) -> bool:
    return line.startswith(_SEPARATOR) or (bool(_JSON_STARTS.match(line)) and any(name in line for name in _JSON_NAMES))


def _columns(lines: Iterable[str], _path: Path) -> ParsedRows:
    header = _Header()
    for number, line in enumerate(lines, start=1):
        bare = line.removesuffix("\n")
        if bare.startswith("#"):
            header = header.followed_by(bare)
        elif bare.strip():
            yield number, number, header.values(bare)


@attrs.frozen
class _Header:
    """What the `#` lines up to a line say; if files were joined, a second header follows the lines of the first."""

    separator: str = "\t"
    set_separator: str = ","
    empty: str = "(empty)"
    unset: str = "-"
    fields: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    readers: tuple[Callable[[str], Any], ...] = ()
    """One for each column."""

    def followed_by(self, line: str) -> "_Header":
        """With another line, which may also be a comment or `#close`."""
        if line.startswith(_SEPARATOR):
            return _Header(separator=_unescaped(line.removeprefix(_SEPARATOR)))
        name, *words = line.split(self.separator)
        changed = self
        match name:
            case "#fields":
                changed = attrs.evolve(self, fields=tuple(words), types=())
            case "#types":
                changed = attrs.evolve(self, types=tuple(words))
            case "#set_separator":
                changed = attrs.evolve(self, set_separator=_unescaped("".join(words)))
            case "#empty_field":
                changed = attrs.evolve(self, empty="".join(words))
            case "#unset_field":
                changed = attrs.evolve(self, unset="".join(words))
            case _:  # #path, #open, #close, a comment
                return self
        types = changed.types or ("string",) * len(changed.fields)
        return attrs.evolve(changed, readers=tuple(map(changed._reader, types)))

    def _reader(self, type: str) -> Callable[[str], Any]:
        """How a value that is set is read: a set or a vector is a list of texts."""
        if not type.startswith(("set[", "vector[")):
            return (lambda text: _BOOLS.get(text, text)) if type == "bool" else self._text
        return lambda text: (
            []
            if text == self.empty
            else [None if part == self.unset else self._text(part) for part in text.split(self.set_separator)]
        )

    def _text(self, text: str) -> str:
        return "" if text == self.empty else _unescaped(text) if "\\" in text else text

    def values(self, line: str) -> dict[str, Any] | str:
        """The values of a line by column, or the reason why it has none."""
        words = line.split(self.separator)
        if len(words) == len(self.fields) == len(self.readers):
            unset = self.unset
            return {
                name: None if word == unset else read(word)
                for name, word, read in zip(self.fields, words, self.readers, strict=True)
            }
        if not self.fields:
            return f"must follow a line #fields, which names the columns (got {shown(line)})"
        if len(self.readers) != len(self.fields):
            return f"#types must have {len(self.fields)} types, like #fields (got {len(self.readers)})"
        return f"must have {len(self.fields)} fields, like #fields (got {len(words)})"


def _unescaped(text: str) -> str:
    r"""The characters that Zeek writes as `\x09`; bytes that are not UTF-8 stay as they are written."""

    def characters(match: "re.Match[str]") -> str:
        try:
            return bytes.fromhex(match[0].replace("\\x", "")).decode()
        except UnicodeDecodeError:
            return match[0]

    return _ESCAPED.sub(characters, text)


ZEEK = Format("zeek", "Zeek log", _recognizes, json_or_other(JSONL.read, _columns), time_column="ts", time_unit="s")
"""Logs of Zeek, and of Bro before it, with tabs or as JSON. What is unset is None, an empty set is an empty list."""
