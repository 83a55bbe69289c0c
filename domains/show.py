"""What the command line writes: coloured and fitted to a terminal, plain and unwrapped everywhere else."""

import json
import os
import sys
from collections.abc import Collection, Generator, Iterable, Sequence
from typing import Any, TypeVar

import attrs
import happybase
from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from shared.loading import Line, Lines
from shared.patterns import PATTERN_COLUMNS, Design, Measured, key_line, pattern_rows
from shared.ruler import BYTES, cell_lines, ruler_lines, show_value
from shared.tables import TableDesign

from .asking import Others, Rows, questions, shown_arguments

R = TypeVar("R")

WIDTH = 100
"""Characters of a line where there is no terminal to ask."""
GUTTER = 9
"""Characters in front of a ruler."""
STYLES = ("dim", "bold", "cyan")
"""Of a ruler's names, values and bytes."""
ROWS_SHOWN = 3
LINES_AT_ONCE = 50
"""How many lines are loaded between two moves of the progress bar."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Goes on in silence where the reader has left, so that a command ends as it would have."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console(plain: bool = False, stderr: bool = False) -> Console:
    """Where output goes; plain without a terminal too, and where NO_COLOR is set. Text is never taken for markup."""
    found = _console(stderr=stderr)
    if found.is_terminal and not found.is_dumb_terminal and not found.no_color and not plain:
        return found
    width = None if found.is_terminal or "COLUMNS" in os.environ else WIDTH
    return _console(stderr=stderr, width=width, force_terminal=False, no_color=True)


def _console(**options: Any) -> Console:
    return _Console(markup=False, highlight=False, emoji=False, **options)


def line(to: Console, text: str = "", style: str | None = None) -> None:
    """One line, however long."""
    to.out(text, style=style, highlight=False)


def table(to: Console, columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[str] = ()) -> None:
    """A table; the columns named in `numbers` are flush right."""
    if to.no_color:
        _plain_table(to, [columns, *rows], [name in numbers for name in columns])
    else:
        _drawn_table(to, columns, rows, numbers)


def _drawn_table(
    to: Console, columns: Sequence[str], rows: Iterable[Sequence[str | Text]], numbers: Collection[str]
) -> None:
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in columns:  # times stay whole, other columns give way
        header = name.replace(" ", "\n", 1) if name in numbers else name
        justify: JustifyMethod = "right" if name in numbers else "left"
        drawn.add_column(header, justify=justify, overflow="fold", no_wrap=name.endswith("_ms"))
    for row in rows:
        drawn.add_row(*row)
    to.print(drawn)


def _plain_table(to: Console, rows: list[Sequence[str]], flush_right: list[bool]) -> None:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells: list[str] = []
        for text, wide, right in zip(row, widths, flush_right, strict=True):
            blanks = " " * (wide - cell_len(text))
            cells.append(blanks + text if right else text + blanks)
        line(to, "  ".join(cells).rstrip())


def _json(to: Console, value: dict[str, Any]) -> None:
    line(to, json.dumps(value, default=bytes.hex, ensure_ascii=to.encoding != "utf-8"))


def _beside(to: Console, title: str, lines: list[tuple[int, str]]) -> None:
    """The lines of a ruler, beside their title."""
    for kind, text in lines:
        to.print(Text.assemble((f"  {title:5}  ", "dim"), (text, STYLES[kind])), soft_wrap=True)
        title = ""


# Designs


def design_keys(to: Console, design: Design) -> None:
    """A design's question, and the key of each of its tables in one line."""
    line(to, f"{design.name}: {design.question}", style="bold")
    wide = max(len(table.name) for table in design.tables)
    for each in design.tables:
        line(to, f"  {each.name.ljust(wide)}  {key_line(each.layout)}")


def rows(to: Console, connection: happybase.Connection, design: TableDesign[Any]) -> None:
    """The first rows of a table as they sort: the byte ruler of each key, and its cells."""
    line(to, f"\ntable {design.name}: {design.holds}", style="bold")
    for row, cells in connection.table(design.name).scan(limit=ROWS_SHOWN, batch_size=ROWS_SHOWN):
        line(to)
        _beside(to, "row", ruler_lines(design.layout, row, to.width - GUTTER))
        _beside(to, "cells", cell_lines(design.cells, cells, to.width - GUTTER))


def costs(to: Console, design: Design, measured: list[Measured]) -> None:
    """What every question asked and cost; on a terminal the question above the words that ask it."""
    question, _words, *numbers = PATTERN_COLUMNS
    found = [(text, words.strip("`"), figures) for text, words, *figures in pattern_rows(measured)]
    words_of = f"rowbook ask {design.name}"
    line(to, "\nWhat each question costs", style="bold")
    if to.no_color:
        table(to, (question, words_of, *numbers), [(text, words, *figures) for text, words, figures in found], numbers)
        return
    both: list[list[str | Text]] = [
        [Text.assemble(text, "\n", (words, "cyan")), *figures] for text, words, figures in found
    ]
    _drawn_table(to, (f"{question}, {words_of}", *numbers), both, numbers)


# Answers


def question_list(to: Console, design: Design, *, as_json: bool) -> None:
    """The questions of a design, each with its arguments."""
    found = [
        {"question": name, "arguments": shown_arguments(each[0]), "answers": [one.question for one in each]}
        for name, each in questions(design).items()
    ]
    if as_json:
        _json(to, {"questions": found})
        return
    for each in found:
        line(to, f"rowbook ask {design.name} {each['question']} {each['arguments']}", style="bold")
        for answer in each["answers"]:
            line(to, f"  {answer}")


def answer(to: Console, measured: Measured, again: str, *, as_json: bool) -> None:
    """Records, what they cost, and the command for the next page."""
    records, cost = measured.records, measured.cost
    cursor = measured.answer.cursor if measured.pattern.is_paged else None
    rows_read = cost.rows_fetched if cost.rows_read is None else cost.rows_read
    if as_json:
        _json(to, {"records": [attrs.asdict(each) for each in records], "cursor": cursor, "rows_read": rows_read})
        return
    if records:
        names = [field.name for field in attrs.fields(records[0].__class__)]
        numbers = [name for name in names if type(getattr(records[0], name)) is int and not name.endswith("_ms")]
        table(to, names, [[show_value(name, getattr(each, name)) for name in names] for each in records], numbers)
    found = count(len(records), "record") if records else "nothing found"
    line(to, f"{found}; {count(rows_read, 'row')} read, {count(cost.rpcs, 'RPC')}")
    if cursor:
        line(to, f"next page: {again} --cursor={cursor}")


def explained(to: Console, rows: Rows, others: Others, *, as_json: bool) -> None:
    """The byte ruler of every key, and why the other tables have none."""
    if as_json:
        keys = [{"table": table.name, "row": row, "parts": _parts(table, row)} for table, row in rows]
        _json(to, {"keys": keys, "others": [{"table": table.name, "reason": reason} for table, reason in others]})
        return
    for each, row in rows:
        line(to, f"{each.name}: {key_line(each.layout)}", style="bold")
        _beside(to, "row", ruler_lines(each.layout, row, to.width - GUTTER))
        _beside(to, "hex", [(BYTES, row.hex())])
        line(to)
    for each, why in others:
        line(to, f"{each.name}: {key_line(each.layout)}", style="bold")
        line(to, f"  {why}")


def _parts(design: TableDesign[Any], row: bytes) -> list[dict[str, Any]]:
    return [{"name": each.name, "bytes": each.data, "value": each.value} for each in design.layout.segments(row)]


# Words


def reasons(others: Others) -> str:
    """Why there is no key, in one line."""
    return "; ".join(f"{table.name}: {why}" for table, why in others)


def reason(error: Exception) -> str:
    """The first line of what a store said; after it HBase sends a Java stack trace."""
    said: object = getattr(error, "message", None) or getattr(error, "strerror", None) or str(error)
    text = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    return (text.splitlines() or [type(error).__name__])[0]


def count(number: int, what: str) -> str:
    """`1 record`, `2 records`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def progress(to: Console, title: str, lines: Lines[R]) -> Generator[Line[R]]:
    """The lines, with a bar on a terminal that shows how far into the file they are."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=to, transient=True, disable=to.no_color, redirect_stdout=False) as bar:
        task = bar.add_task(title, total=lines.size_bytes)
        for number, each in enumerate(lines):
            if lines.size_bytes and number % LINES_AT_ONCE == 0:
                bar.update(task, completed=lines.read_bytes)
            yield each
