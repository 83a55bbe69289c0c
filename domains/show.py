"""What the command line writes: coloured and fitted to a terminal, plain and unwrapped everywhere else."""

import json
import os
import textwrap
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

from shared.comparison import WRITTEN_COLUMNS, Compared, figures_of, refusals, written_of
from shared.ddl import splits_each, statement_with
from shared.designs import Design, Variant
from shared.loading import Line, Lines
from shared.patterns import PATTERN_COLUMNS, Measured, key_line, pattern_rows
from shared.ruler import BYTES, cell_lines, ruler_lines, show_value
from shared.tables import TableDesign
from shared.traps import trap_row

from .asking import Others, Rows, questions, shown_arguments

R = TypeVar("R")

WIDTH = 100
"""Characters of a line where there is no terminal to ask."""
HEADER_WIDTH = 8
"""Characters of a line above numbers, which are narrower than their names."""
GUTTER = 9
"""Characters in front of a ruler."""
STYLES = ("dim", "bold", "cyan")
"""Of a ruler's names, values and bytes."""
ROWS_SHOWN = 3
PADDED_TO = 60
"""Characters that a column of a plain table is filled up to; longer values push what follows."""
LINES_AT_ONCE = 50
"""How many lines are loaded between two moves of the progress bar."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Goes on in silence where the reader has left, so that a command ends as it would have."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


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


def _drawn_table(to: Console, columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[str]) -> None:
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in columns:  # times and names of variants stay whole, other columns give way
        header = textwrap.fill(name, HEADER_WIDTH) if name in numbers else name
        justify: JustifyMethod = "right" if name in numbers else "left"
        drawn.add_column(header, justify=justify, overflow="fold", no_wrap=name.endswith("_ms") or name == "variant")
    for row in rows:
        drawn.add_row(*row)
    to.print(drawn)


def _blocks(to: Console, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Records below each other, a line for each value, where a table of them would be mostly blanks."""
    widest = max(map(cell_len, names))
    for row in rows:
        for name, text in zip(names, row, strict=True):
            to.print(Text.assemble((f"{name.ljust(widest)}  ", "dim"), text), overflow="fold")
        line(to)


def _plain_table(to: Console, rows: list[Sequence[str]], flush_right: list[bool]) -> None:
    widths = [min(PADDED_TO, max(map(cell_len, column))) for column in zip(*rows, strict=True)]
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


def design_keys(to: Console, design: Design, variants: Sequence[Variant]) -> None:
    """A design's question, and the key of each table of its variants in one line."""
    line(to, f"{design.name}: {design.question}", style="bold")
    keys = [(variant.name, table.name, key_line(table.layout)) for variant in variants for table in variant.tables]
    wide = [max(map(cell_len, column)) for column in zip(*keys, strict=True)]
    before = ""
    for variant, name, key in keys:
        line(to, f"  {('' if variant == before else variant).ljust(wide[0])}  {name.ljust(wide[1])}  {key}")
        before = variant


def designs_as_json(to: Console, designs: Iterable[Design]) -> None:
    """Names, questions, variants and keys of all designs."""
    _json(to, {"designs": [_design(design) for design in designs]})


def _design(design: Design) -> dict[str, Any]:
    variants = [
        {"name": variant.name, "differs": variant.differs, "tables": [_table(table) for table in variant.tables]}
        for variant in design.variants
    ]
    return {"name": design.name, "question": design.question, "variants": variants}


def _table(table: TableDesign[Any]) -> dict[str, Any]:
    parts = [{"name": part.name, "format": str(part.codec), "meaning": part.meaning} for part in table.layout.parts]
    prefixes = [str(prefix) for prefix in table.layout.prefixes]
    return {"name": table.name, "holds": table.holds, "prefixes": prefixes, "parts": parts}


def rows(to: Console, connection: happybase.Connection, design: TableDesign[Any]) -> None:
    """The first rows of a table as they sort: the byte ruler of each key, and its cells."""
    line(to, f"\ntable {design.name}: {design.holds}", style="bold")
    for row, cells in connection.table(design.name).scan(limit=ROWS_SHOWN, batch_size=ROWS_SHOWN):
        line(to)
        _beside(to, "row", ruler_lines(design.layout, row, to.width - GUTTER))
        _beside(to, "cells", cell_lines(design.cells, cells, to.width - GUTTER))


def costs(to: Console, name: str, measured: list[Measured]) -> None:
    """What every question asked and cost; on a terminal the words that ask it are below, where no column cuts them."""
    question, _words, left, *numbers = PATTERN_COLUMNS
    found = [(text, words.strip("`"), figures) for text, words, *figures in pattern_rows(measured)]
    words_of = f"rowbook ask {name}"
    line(to, "\nWhat each question costs", style="bold")
    if to.no_color:
        columns = (question, words_of, left, *numbers)
        table(to, columns, [(text, words, *figures) for text, words, figures in found], numbers)
        return
    table(to, (question, left, *numbers), [(text, *figures) for text, _words, figures in found], numbers)
    for _text, words, _figures in found:
        line(to, f"{words_of} {words}", style="cyan")


def comparison(to: Console, design: Design, found: list[Compared]) -> None:
    """The variants side by side: what each question costs in each, and what their tables take and refuse."""
    line(to, "\nWhat each question costs in each variant", style="bold")
    numbers = ("rows read for one returned", "ranges", "RPCs")
    lines: list[tuple[str, ...]] = []
    for number, pattern in enumerate(design.patterns):
        for each in found:
            one = each.measured[number]
            rows, ranges, rpcs = figures_of(one)
            left = "refused" if one.refused else one.beyond_ranges
            lines.append((pattern.question if each is found[0] else "", each.variant.name, rows, ranges, rpcs, left))
    table(to, ("question", "variant", *numbers, "beyond the ranges"), lines, numbers)
    line(to, "\nWhat each variant writes", style="bold")
    names = WRITTEN_COLUMNS
    table(to, ("variant", *names, "what differs"), [_written(each) for each in found], names)
    for variant, question, reason in refusals(found):
        line(to, f"{variant} refuses: {question}: {reason}")


def traps(to: Console, design: Design) -> None:
    """Published mistakes, each with what it gives and what the right way gives."""
    for trap in design.traps:
        name, published, wanted, wrong, right = trap_row(trap)
        line(to, f"\ntrap: {name}: {published}", style="bold")
        line(to, f"  asked for  {wanted}")
        line(to, f"  gives      {wrong}")
        line(to, f"  right way  {right}")


def _written(each: Compared) -> tuple[str, ...]:
    return (each.variant.name, *written_of(each), each.variant.differs)


def costs_as_json(to: Console, found: Iterable[tuple[Design, list[Compared]]]) -> None:
    """What every question cost in every variant of some designs."""
    _json(to, {"designs": [{"name": design.name, "variants": list(map(_costs, of_it))} for design, of_it in found]})


def _costs(each: Compared) -> dict[str, Any]:
    return {
        "name": each.variant.name,
        "questions": [_cost(one) for one in each.measured],
        "rows_written": each.rows_per_record,
        "bytes_stored": each.bytes_per_record,
        "busiest_shares": each.busiest_shares,
    }


def _cost(each: Measured) -> dict[str, Any]:
    asked = {"question": each.pattern.name, "answers": each.pattern.question, "ask": each.pattern.words}
    if each.refused:
        return {**asked, "refused": each.refused}
    ranges = [{"table": table.decode(), "from": found.start, "up_to": found.stop} for table, found in each.cost.ranges]
    counts = {
        "rpcs": each.cost.rpcs,
        "rows_read": each.rows_read,
        "rows_returned": len(each.records),
        "bytes_fetched": each.cost.bytes_fetched,
    }
    left = {"left_to_the_client": each.by_client, "left_to_a_filter": each.by_server}
    return {**asked, **left, "ranges": ranges, **counts}


def statements(to: Console, tables: Iterable[TableDesign[Any]], splits: int | None, *, as_json: bool) -> None:
    """The HBase-shell statements that create tables."""
    found = splits_each(tables, splits)
    if not as_json:
        for each, points in found:
            line(to, statement_with(each, points))
        return
    _json(
        to,
        {
            "tables": [
                {
                    "name": each.name,
                    "families": {name: attrs.asdict(family) for name, family in each.families.items()},
                    "splits": points.points,
                    "reason": points.reason,
                }
                for each, points in found
            ]
        },
    )


# Answers


def question_list(to: Console, name: str, design: Design, *, as_json: bool) -> None:
    """The questions of a design, each with its arguments."""
    found = [
        {"question": question, "arguments": shown_arguments(each[0]), "answers": [one.question for one in each]}
        for question, each in questions(design).items()
    ]
    if as_json:
        _json(to, {"questions": found})
        return
    for each in found:
        line(to, f"rowbook ask {name} {each['question']} {each['arguments']}", style="bold")
        for answer in each["answers"]:
            line(to, f"  {answer}")


def answer(to: Console, measured: Measured, again: str, *, as_json: bool) -> None:
    """Records, what they cost, and the command for the next page."""
    records, cost = measured.records, measured.cost
    cursor = measured.answer.cursor if measured.pattern.is_paged else None
    rows_read = measured.rows_read
    if as_json:
        _json(to, {"records": [attrs.asdict(each) for each in records], "cursor": cursor, "rows_read": rows_read})
        return
    if records:
        names = [field.name for field in attrs.fields(records[0].__class__)]
        numbers = [name for name in names if type(getattr(records[0], name)) is int and not name.endswith("_ms")]
        rows = [[show_value(name, getattr(each, name)) for name in names] for each in records]
        wide = sum(max(map(cell_len, column)) for column in zip(*rows, strict=True))
        if wide > 2 * to.width and not to.no_color:
            _blocks(to, names, rows)
        else:
            table(to, names, rows, numbers)
    found = count(len(records), "record") if records else f"nothing found{' so far' if cursor else ''}"
    line(to, f"{found}; {count(rows_read, 'row')} read, {count(cost.rpcs, 'RPC')}")
    if cursor:
        line(to, f"next page: {again} --cursor={cursor}")


def loaded_as_json(to: Console, files: Iterable[tuple[str, str, int, int]]) -> None:
    """What was done with every file: its format, records stored, bad lines skipped."""
    names = ("file", "format", "stored", "skipped")
    _json(to, {"files": [dict(zip(names, each, strict=True)) for each in files]})


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
