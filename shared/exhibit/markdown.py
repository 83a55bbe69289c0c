"""Markdown for READMEs: tables, lists, blocks of text, and the marks around generated blocks.

A template engine would write whole pages; here people write them, and code only what stands between two marks.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # designs have blocks of their own, and no command draws pictures
    from .pictures import Picture

MAX_LINE = 120
"""Characters of a table's line in a README."""
MAX_COLUMNS = 7
_MARKS = re.compile(r'["*`<\\&~$]|(?<![^\W_])_|_(?![^\W_])|\]\(')
"""Quotation marks, and what Markdown may take for a mark within a line; `_` only at the start or the end of a word."""
_STARTS_BLOCK = re.compile(r" (?=>|(?:[-+*]|#{1,6}|\d{1,9}[.)])(?: |$))")
"""The space before what would start a list, a heading or a quotation if it were the first word of a line."""
_BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z0-9-]+) -->\n)(?:(?!<!--).)*(<!-- end -->)", re.DOTALL)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A GitHub table."""
    lines = [columns, ["---"] * len(columns), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def markdown_list(items: Iterable[str], indent: str = "") -> str:
    """A list, its items broken at words; `indent` puts it below an item of another list."""
    first, others = f"{indent}- ", f"{indent}  "
    return "\n".join(filled(item, first=first, others=others) for item in items)


def quoted(text: str) -> str:
    """Text from elsewhere in quotes, or as code if it has quotation marks or what Markdown may take for marks."""
    return code(text) if _MARKS.search(text) else f'"{text}"'


def code(text: str) -> str:
    """Text within a line that Markdown leaves as it is."""
    marks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if "`" in (text[:1], text[-1:]) else ""
    return f"{marks}{space}{text}{space}{marks}"


def fits(table: str) -> bool:
    """Whether a table is narrow enough for a README."""
    header = table.partition("\n")[0]
    return header.count(" | ") < MAX_COLUMNS and max(map(len, table.splitlines())) <= MAX_LINE


def with_blocks(text: str, blocks: Mapping[str, str]) -> str:
    """The README's text with every generated block made again.

    Raises KeyError for a block that nothing generates, and ValueError for a mark without its end.
    """
    made, count = _BLOCK.subn(lambda match: f"{match[1]}{blocks[match['name']]}\n{match[3]}", text)
    if not count == text.count("<!-- generated") == text.count("<!-- end"):
        raise ValueError(
            f"a README has {text.count('<!-- generated')} marks of generated blocks and {count} whole blocks"
        )
    return made


def below(caption: str, block: str) -> str:
    """A block below its caption."""
    return f"{filled(caption)}\n\n{block}"


def filled(text: str, width: int = MAX_LINE, *, first: str = "", others: str = "") -> str:
    """A paragraph, its lines broken between words; `first` and `others` stand before its first and its other lines."""
    glued = _STARTS_BLOCK.sub("\0", text)
    whole = textwrap.TextWrapper(width, first, others, break_on_hyphens=False, break_long_words=False)
    return whole.fill(glued).replace("\0", " ")


def text_block(text: str, language: str = "text") -> str:
    """A block of text as it is, or of code."""
    return f"```{language}\n{text}\n```"


def picture_block(name: str, picture: "Picture", folder: str = "shown/pictures") -> str:
    """A picture of a folder with its alt text, and below it its sentence, if it has one."""
    image = picture_only(name, picture, folder)
    return f"{image}\n\n{filled(picture.sentence)}" if picture.sentence else f"{image}\n"


def picture_only(name: str, picture: "Picture", folder: str = "shown/pictures") -> str:
    """A picture of a folder with its alt text."""
    return f"![{picture.alt}]({folder}/{name}.svg)"
