"""Output: lines, JSON and byte rulers; coloured on a terminal, plain everywhere else.

`wrapped` fits text to the width. What is copied or read by programs stays on one line: commands, hex, JSON, errors.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

WIDTH = 100
"""Characters of a line if there is no terminal."""
GUTTER = 9
"""Characters before each line of a ruler."""
STYLES = ("dim", "bold", "cyan")
"""Styles of a ruler's names, values and bytes."""
NARROWEST = 60
"""Minimum width in characters; a narrower table would lose content, so a narrower terminal breaks the lines itself."""

_BREAK = re.compile(r"( +(?![^\[]*\])|(?<=\])(?=\[))")
"""Where a text may be broken: between words and between the parts of a key, but not within brackets."""


def visible(text: str) -> str:
    r"""Text that cannot control a terminal: characters that are not printable become \x1b, \u202e or \U000e0001."""
    return (
        text if text.isprintable() else "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)
    )


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


class NotWritten(Exception):
    """Output cannot be written; the message says why in one line."""


class _Console(Console):
    def __exit__(self, *raised: Any) -> None:
        """Writes the printed text; an error is `NotWritten`, because an OSError would look like an error of a store."""
        try:
            super().__exit__(*raised)
        except OSError as error:
            raise NotWritten(f"{'stderr' if self.stderr else 'stdout'}: {error.strerror or error}") from error

    def on_broken_pipe(self) -> None:
        """Prints nothing more once the reader has closed the pipe, so that the command ends as usual."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def console(plain: bool = False, stderr: bool = False) -> Console:
    """The console for output; plain also without a terminal, or if NO_COLOR is set. Text is never read as markup."""
    out = _console(stderr=stderr)
    if out.is_terminal and not out.is_dumb_terminal and not out.no_color and not plain:
        return out
    width = None if out.is_terminal or _columns() else WIDTH
    return _console(stderr=stderr, width=width, force_terminal=False, no_color=True)


def consoles(plain: bool) -> tuple[Console, Console]:
    """The consoles for output and for errors."""
    return console(plain), console(plain, stderr=True)


def _console(**options: Any) -> Console:
    # A COLUMNS that is not a width is left out: rich accepts 0, and fails on digits that are not ASCII.
    environment = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES")}
    environment |= {"COLUMNS": columns} if (columns := _columns()) else {}
    out = _Console(markup=False, highlight=False, emoji=False, _environ=environment, **options)
    if out.width < NARROWEST:
        out.width = NARROWEST
    return out


def _columns() -> str:
    """The width in the environment's COLUMNS; empty if that is not a width."""
    digits = re.fullmatch("0*([1-9][0-9]{0,3})", os.environ.get("COLUMNS", ""))
    return digits[1] if digits else ""


def line(to: Console, text: str = "", style: str | None = None) -> None:
    """Writes one line, however long, which cannot control the terminal."""
    to.out(visible(text), style=style, highlight=False)


def _lines(to: Console, texts: Iterable[tuple[str, str | None]]) -> None:
    """Writes lines, each a visible text and its style, at once: rich asks for the width with each call."""
    if to.no_color:
        to.out("\n".join(text for text, _ in texts), highlight=False)
    else:
        to.print(Text("\n").join(Text(text, style or "") for text, style in texts), soft_wrap=True)


def wrapped(to: Console, text: str, indent: int = 4, style: str | None = None) -> None:
    """Writes a text on as many lines as it needs, the later ones indented; a word that is wider stays whole."""
    _lines(to, ((shown, style) for shown in _wrapped(text, to.width, indent)))


def wrapped_words(to: Console, words: Iterable[str], indent: int = 4) -> None:
    """Writes words, with blanks between them, as `wrapped` writes a text; blanks within a word break no line."""
    first, *others = map(visible, words)
    pieces = [first, *(piece for word in others for piece in (" ", word))]
    _lines(to, ((shown, None) for shown in _filled(pieces, to.width, indent)))


def _wrapped(text: str, width: int, indent: int) -> Iterator[str]:
    yield from _filled(_BREAK.split(visible(text)), width, indent)


def _filled(pieces: Sequence[str], width: int, indent: int) -> Iterator[str]:
    """Lines of words; `pieces` are the words and, between them, what separates them."""
    first, *others = pieces
    shown = first
    for blanks, word in zip(others[::2], others[1::2], strict=True):
        if cell_len(shown) + len(blanks) + cell_len(word) <= width or not shown.strip():
            shown += blanks + word
        else:
            yield shown
            shown = " " * indent + word
    yield shown


def heading(to: Console, text: str) -> None:
    """Writes a heading after an empty line."""
    line(to)
    wrapped(to, text, style="bold")


def json_object(to: Console, value: dict[str, Any]) -> None:
    """Writes one JSON object on one line; bytes are hex."""
    line(to, json_text(to, value))


def json_text(to: Console, value: Any) -> str:
    """A value as JSON on one line that `to` can print; bytes are hex."""
    from ...records.plain_values import json_of

    text = json_of(value, ascii_only=to.encoding != "utf-8")
    # Characters that are not printable occur only within strings, where JSON may write them as \uXXXX.
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)
    return text


def raw(to: Console, text: str) -> None:
    """Writes a text as it is, for programs; `Console.out` would make blanks of tabs."""
    if to.quiet:
        return
    try:
        to.file.write(text)
        to.file.flush()
    except BrokenPipeError:
        to.on_broken_pipe()
    except OSError as error:
        raise NotWritten(f"stdout: {error.strerror or error}") from error


def exact_lines(to: Console, lines: Iterable[str]) -> None:
    """Writes lines, which end with a newline, as they are; escaped for a terminal, which must not obey them."""
    if not to.is_terminal:
        raw(to, "".join(lines))
        return
    for text in lines:
        line(to, text.removesuffix("\n"))


def ruler(to: Console, title: str, lines: Iterable[tuple[int, str]]) -> None:
    """Writes the lines of a ruler, the first one after the title."""
    styled_ruler(to, title, ([(text, STYLES[kind])] for kind, text in lines))


def styled_ruler(to: Console, title: str, lines: Iterable[Iterable[tuple[str, str]]]) -> None:
    """Writes the lines of a ruler, each made of texts with their styles, the first one after the title."""
    for texts in lines:
        shown = Text.assemble((f"  {title:5}  ", "dim"), *((visible(text), style) for text, style in texts))
        to.print(shown, soft_wrap=True)
        title = ""


# Words


def count(number: int, what: str) -> str:
    """`1 record`, `2 records`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def lines_of_designs(to: Console, texts: Iterable[str]) -> None:
    """Writes lines about designs; those that are not indented begin a design.

    A line that is wider than the terminal continues below its last column, or further left if a word of it, or a part
    of a key, has no room there.
    """
    width = to.width
    shown: list[tuple[str, str | None]] = []
    for text in texts:
        last_column = text.rfind("  ") + 2
        longest = max(map(cell_len, _BREAK.split(visible(text[last_column:]))))
        indent = max(4, min(last_column, width - longest))
        style = None if text.startswith(" ") else "bold"
        shown += ((line, style) for line in _wrapped(text, width, indent))
    _lines(to, shown)
