"""Tables on the terminal: in colours, plain, or fitted to the width.

Those in colours are rich's. It breaks rows and words at the width of the terminal, and pads lines with blanks; a row of
a plain table is one line, for `grep` and `cut`, and no word or number of a fitted one is broken.
"""

import textwrap
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest

from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from .terminal import line, visible

HEADER_WIDTH = 8
"""Characters of a line in the header of a column of numbers, which are narrower than the column's name."""
PADDED_TO = 60
"""Characters to which a column of a plain table is padded, at most; longer values push the rest of the line."""


def table(
    to: Console,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Collection[str] = (),
    *,
    fitted: bool = False,
) -> None:
    """Writes a table; the columns named in `numbers` are flush right.

    Without colours each row is one line, however long, unless the table is `fitted` to the width.
    """
    rows = [[*map(visible, row)] for row in rows]
    if to.no_color:
        flush_right = [name in numbers for name in columns]
        lines: list[Sequence[str]] = [columns, *rows]
        _plain_table(to, _fitted(lines, flush_right, to.width) if fitted else lines, flush_right)
    else:
        _coloured_table(to, columns, rows, numbers)


def _coloured_table(
    to: Console, columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[str]
) -> None:
    rich_table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in columns:  # times and names of variants are never broken, other columns are
        header = _header(name) if name in numbers else name
        justify: JustifyMethod = "right" if name in numbers else "left"
        rich_table.add_column(
            header, justify=justify, overflow="fold", no_wrap=name.endswith("_ms") or name == "variant"
        )
    for row in rows:
        rich_table.add_row(*row)
    to.print(rich_table)


def _header(name: str) -> str:
    """The name of a column of numbers on lines of its own width; no word is broken."""
    return textwrap.fill(name, HEADER_WIDTH, break_on_hyphens=False, break_long_words=False)


def value_per_line(to: Console, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes each record as a block with a line for each value, because a table of them would be mostly blanks."""
    widest = max(map(cell_len, names))
    for row in rows:
        for name, text in zip(names, row, strict=True):
            to.print(Text.assemble((f"{name.ljust(widest)}  ", "dim"), visible(text)), overflow="fold")
        line(to)


def _plain_table(to: Console, rows: list[Sequence[str]], flush_right: list[bool]) -> None:
    widths = [min(PADDED_TO, max(map(cell_len, column))) for column in zip(*rows, strict=True)]
    for row in rows:
        cells: list[str] = []
        for text, width, right in zip(row, widths, flush_right, strict=True):
            blanks = " " * (width - cell_len(text))
            cells.append(blanks + text if right else text + blanks)
        line(to, "  ".join(cells).rstrip())


def _fitted(rows: list[Sequence[str]], flush_right: list[bool], width: int) -> list[Sequence[str]]:
    """The rows with their longest texts broken between words, each on as many lines as it needs.

    Numbers and words are never broken, so a narrow terminal breaks the lines itself.
    """
    columns = [*zip(*rows, strict=True)]
    widths = [max(map(cell_len, column)) for column in columns]
    longest_words = [max(cell_len(word) for text in column for word in text.split() or [""]) for column in columns]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        breakable = [
            number for number, right in enumerate(flush_right) if not right and widths[number] > longest_words[number]
        ]
        if not breakable:
            break
        widths[max(breakable, key=widths.__getitem__)] -= 1
    lines: list[Sequence[str]] = []
    for row in rows:
        cells = [_words_on_lines(text, column_width) for text, column_width in zip(row, widths, strict=True)]
        lines += zip_longest(*cells, fillvalue="")
    return lines


def _words_on_lines(text: str, width: int) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        if lines[-1] and cell_len(lines[-1]) + 1 + cell_len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines
