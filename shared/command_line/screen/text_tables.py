"""Tables on the terminal: in colours, plain, or fitted to the width.

Those in colours are rich's. It breaks rows and words at the width of the terminal, and pads lines with blanks; a row of
a plain table is one line, for `grep` and `cut`, and no word or number of a fitted one is broken.
"""

import textwrap
from collections.abc import Callable, Collection, Iterable, Sequence
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
GAP = 2
"""Blanks between two columns."""


def no_style(_column: str, _text: str) -> str:
    """The style of each cell of a table in one colour."""
    return ""


def table(
    to: Console,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Collection[str] = (),
    *,
    fitted: bool = False,
    style: Callable[[str, str], str] = no_style,
) -> None:
    """Writes a table; the columns named in `numbers` are flush right.

    Without colours each row is one line, however long, unless the table is `fitted` to the width. `style` gives the
    style of a cell in colours, by the name of its column and its text.
    """
    rows = [[*map(visible, row)] for row in rows]
    flush_right = [name in numbers for name in columns]
    if not to.no_color:
        shown = rows
        if fitted:
            _header, *broken = _broken([columns, *rows], flush_right, to.width)
            shown = [["\n".join(cell) for cell in cells] for cells in broken]
        styles = [[style(name, text) for name, text in zip(columns, row, strict=True)] for row in rows]
        _coloured_table(to, columns, shown, styles, numbers, frame=None if fitted else box.SIMPLE_HEAD)
    elif fitted:
        broken = _broken([columns, *rows], flush_right, to.width)
        _plain_table(to, [line for cells in broken for line in zip_longest(*cells, fillvalue="")], flush_right)
    else:
        _plain_table(to, [columns, *rows], flush_right)


def lines_of_rows(columns: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> list[int]:
    """The lines of the header and of each row in a fitted table of so many characters, without numbers."""
    return [max(map(len, cells)) for cells in _broken([columns, *rows], [False] * len(columns), width)]


def least_width(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """The characters of the narrowest fitted table, which breaks its texts between all words."""
    return sum(_longest_words([columns, *rows])) + GAP * (len(columns) - 1)


def _longest_words(rows: Iterable[Sequence[str]]) -> list[int]:
    return [
        max(cell_len(word) for text in column for word in text.split() or [""]) for column in zip(*rows, strict=True)
    ]


def _coloured_table(
    to: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    styles: Iterable[Sequence[str]],
    numbers: Collection[str],
    frame: box.Box | None,
) -> None:
    padding = (0, 1, 0, 0) if frame else (0, 1)
    lines_of = [
        [max(map(cell_len, text.split("\n"))) for text in column] for column in zip(columns, *rows, strict=True)
    ]
    is_wide = sum(map(max, lines_of)) + GAP * (len(columns) - 1) > to.width
    rich_table = Table(box=frame, show_edge=False, pad_edge=False, padding=padding, header_style="bold")
    for name in columns:  # times and names of variants are never broken, other columns are
        header = _header(name) if name in numbers and (frame or is_wide) else name
        justify: JustifyMethod = "right" if name in numbers else "left"
        rich_table.add_column(
            header, justify=justify, overflow="fold", no_wrap=name.endswith("_ms") or name == "variant"
        )
    for row, of_row in zip(rows, styles, strict=True):
        rich_table.add_row(*(Text(text, style) for text, style in zip(row, of_row, strict=True)))
    to.print(rich_table)


def _header(name: str) -> str:
    """The name of a column of numbers on lines of its own width; no word is broken."""
    return textwrap.fill(name, HEADER_WIDTH, break_on_hyphens=False, break_long_words=False)


def value_per_line(to: Console, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes each record as a block with a line for each value."""
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
        line(to, (" " * GAP).join(cells).rstrip())


def _broken(rows: Sequence[Sequence[str]], flush_right: list[bool], width: int) -> list[list[list[str]]]:
    """The lines of each cell of each row: the longest texts are broken between words until the rows fit the width.

    Numbers and words are never broken, so a narrow terminal breaks the lines itself.
    """
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    longest_words = _longest_words(rows)
    while sum(widths) + GAP * (len(widths) - 1) > width:
        breakable = [
            number for number, right in enumerate(flush_right) if not right and widths[number] > longest_words[number]
        ]
        if not breakable:
            break
        widths[max(breakable, key=widths.__getitem__)] -= 1
    return [
        [_words_on_lines(text, column_width) for text, column_width in zip(row, widths, strict=True)] for row in rows
    ]


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
