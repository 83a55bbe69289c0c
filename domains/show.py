"""What the command line writes: coloured and fitted to a terminal, plain and unwrapped everywhere else."""

import json
import os
import re
import textwrap
from collections.abc import Collection, Generator, Iterable, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

import attrs
import happybase
from rich import box
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from shared.designs import Design, Measured, Variant
from shared.designs.comparison import RANGES, Compared
from shared.designs.cost_tables import (
    QUESTION_COLUMNS,
    SPREAD_COLUMNS,
    WRITTEN_COLUMNS,
    question_row,
    refusals,
    spread_rows,
    written_row,
)
from shared.designs.patterns import key_line
from shared.designs.ruler import BYTES, cell_lines, ruler_lines, show_value
from shared.designs.traps import trap_row
from shared.keys import RowRange
from shared.loading import Line, Lines
from shared.tables import TableLayout
from shared.tables.ddl import statement_split_at, tables_with_splits

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
NARROWEST = 60
"""Characters of a line below which tables lose their content; a terminal that is narrower breaks the lines itself."""
RANGES_SHOWN = 8
KEY_BYTES_SHOWN = 80


def visible(text: str) -> str:
    r"""Text of which nothing controls a terminal: what is not printable becomes \x1b, \u202e or \U000e0001."""
    return (
        text if text.isprintable() else "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)
    )


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


class NotWritten(Exception):
    """Why output cannot be written, in one line."""


class _Console(Console):
    def __exit__(self, *raised: Any) -> None:
        """Writes what was printed; without a name of its own, an error there would pass for one of a store."""
        try:
            super().__exit__(*raised)
        except OSError as error:
            raise NotWritten(f"{'stderr' if self.stderr else 'stdout'}: {reason(error)}") from error

    def on_broken_pipe(self) -> None:
        """Goes on in silence where the reader has left, so that a command ends as it would have."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def console(plain: bool = False, stderr: bool = False) -> Console:
    """Where output goes; plain without a terminal too, and where NO_COLOR is set. Text is never taken for markup."""
    out = _console(stderr=stderr)
    if out.is_terminal and not out.is_dumb_terminal and not out.no_color and not plain:
        return out
    width = None if out.is_terminal or _columns() else WIDTH
    return _console(stderr=stderr, width=width, force_terminal=False, no_color=True)


def _console(**options: Any) -> Console:
    # What is not a width is left out: rich takes 0 for one, and stumbles over digits that are not ASCII.
    environment = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES")}
    environment |= {"COLUMNS": columns} if (columns := _columns()) else {}
    out = _Console(markup=False, highlight=False, emoji=False, _environ=environment, **options)
    if out.width < NARROWEST:
        out.width = NARROWEST
    return out


def _columns() -> str:
    """The width that the environment names, if it is one."""
    digits = re.fullmatch("0*([1-9][0-9]{0,3})", os.environ.get("COLUMNS", ""))
    return digits[1] if digits else ""


def line(to: Console, text: str = "", style: str | None = None) -> None:
    """One line, however long, with nothing in it that controls a terminal."""
    to.out(visible(text), style=style, highlight=False)


def heading(to: Console, text: str) -> None:
    """A line of its own, after an empty one."""
    line(to)
    line(to, text, style="bold")


def table(
    to: Console,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Collection[str] = (),
    *,
    fitted: bool = False,
) -> None:
    """A table; the columns named in `numbers` are flush right.

    Without colours each row is one line, however long, unless the table is to be `fitted` to the width.
    """
    rows = [[*map(visible, row)] for row in rows]
    if to.no_color:
        flush_right = [name in numbers for name in columns]
        lines: list[Sequence[str]] = [columns, *rows]
        _plain_table(to, _fitted(lines, flush_right, to.width) if fitted else lines, flush_right)
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
            to.print(Text.assemble((f"{name.ljust(widest)}  ", "dim"), visible(text)), overflow="fold")
        line(to)


def _plain_table(to: Console, rows: list[Sequence[str]], flush_right: list[bool]) -> None:
    widths = [min(PADDED_TO, max(map(cell_len, column))) for column in zip(*rows, strict=True)]
    for row in rows:
        cells: list[str] = []
        for text, wide, right in zip(row, widths, flush_right, strict=True):
            blanks = " " * (wide - cell_len(text))
            cells.append(blanks + text if right else text + blanks)
        line(to, "  ".join(cells).rstrip())


def _fitted(rows: list[Sequence[str]], flush_right: list[bool], width: int) -> list[Sequence[str]]:
    """The rows with their longest texts broken between words, each on as many lines as that takes.

    Numbers and words stay whole, so a narrow terminal breaks the lines itself.
    """
    columns = [*zip(*rows, strict=True)]
    widths = [max(map(cell_len, column)) for column in columns]
    longest_words = [max(cell_len(word) for text in column for word in text.split() or [""]) for column in columns]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        wide = [
            number for number, right in enumerate(flush_right) if not right and widths[number] > longest_words[number]
        ]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    lines: list[Sequence[str]] = []
    for row in rows:
        cells = [_words_on_lines(text, wide) for text, wide in zip(row, widths, strict=True)]
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


def _json(to: Console, value: dict[str, Any]) -> None:
    text = json.dumps(value, default=bytes.hex, ensure_ascii=to.encoding != "utf-8")
    # All that is not ASCII stands within strings, where JSON has \uXXXX for what is not printable.
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)
    line(to, text)


def _beside(to: Console, title: str, lines: list[tuple[int, str]]) -> None:
    """The lines of a ruler, beside their title."""
    for kind, text in lines:
        to.print(Text.assemble((f"  {title:5}  ", "dim"), (visible(text), STYLES[kind])), soft_wrap=True)
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


def _table(table: TableLayout[Any, Any]) -> dict[str, Any]:
    parts = [{"name": part.name, "format": str(part.codec), "meaning": part.meaning} for part in table.layout.parts]
    prefixes = [str(prefix) for prefix in table.layout.prefixes]
    return {"name": table.name, "holds": table.holds, "prefixes": prefixes, "parts": parts}


def rows(to: Console, connection: happybase.Connection, design: TableLayout[Any, Any]) -> None:
    """The first rows of a table as they sort: the byte ruler of each key, and its cells."""
    heading(to, f"table {design.name}: {design.holds}")
    for row, cells in connection.table(design.name).scan(limit=ROWS_SHOWN, batch_size=ROWS_SHOWN):
        line(to)
        _beside(to, "row", ruler_lines(design.layout, row, to.width - GUTTER))
        _beside(to, "cells", cell_lines(design.cells, cells, to.width - GUTTER))


def ranges(to: Console, connection: happybase.Connection, measured: Iterable[Measured]) -> None:
    """The ranges that every question read; tables without the prefix of the connection."""
    prefix = connection.table_prefix
    table_prefix = b"" if prefix is None else prefix + connection.table_prefix_separator
    heading(to, "The rows that each question reads")
    for answer in measured:
        line(to, f"{answer.pattern.question}: refused" if answer.refused else answer.pattern.question)
        _ranges(to, answer, table_prefix)
        if answer.beyond_ranges:
            line(to, f"  then {answer.beyond_ranges}")


def _ranges(to: Console, measured: Measured, table_prefix: bytes = b"") -> None:
    shown = [(name.removeprefix(table_prefix).decode(), _range(rows)) for name, rows in measured.cost.ranges]
    widest = max((cell_len(table) for table, _ in shown), default=0)
    for table, rows in shown[:RANGES_SHOWN]:
        line(to, f"  {table.ljust(widest)}  {rows}")
    if len(shown) > RANGES_SHOWN:
        line(to, f"  and {count(len(shown) - RANGES_SHOWN, 'range')} more, which --json shows")


def _range(rows: RowRange) -> str:
    r"""`row n-42`, `s-17\x00\x01 up to s-17\x00\x02`: keys as HBase's tools write them."""
    if rows.stop == rows.start + b"\0":
        return f"row {_key(rows.start)}"
    return f"{_key(rows.start) or 'the first row'} up to {'the end' if rows.stop is None else _key(rows.stop)}"


def _key(row: bytes) -> str:
    text = "".join(
        chr(byte) if 0x21 <= byte <= 0x7E and byte != 0x5C else f"\\x{byte:02X}" for byte in row[:KEY_BYTES_SHOWN]
    )
    return text if len(row) <= KEY_BYTES_SHOWN else f"{text}... ({len(row)} bytes)"


def costs(to: Console, name: str, measured: list[Measured]) -> None:
    """What every question costs, and below the words that ask it, where no column cuts them."""
    heading(to, "What each question costs")
    table(to, QUESTION_COLUMNS, map(question_row, measured), QUESTION_COLUMNS[2:], fitted=True)
    line(to)
    for answer in measured:
        line(to, f"rowbook ask {name} {answer.pattern.words}", style="cyan")


def comparison(to: Console, design: Design, variants: list[Compared]) -> None:
    """The variants side by side: what each question costs in each, and what their tables take and refuse."""
    heading(to, "What each question costs in each variant")
    numbers = ("ranges", "RPCs", "rows read")
    lines: list[tuple[str, ...]] = []
    for answers in zip(*(compared.measured for compared in variants), strict=True):
        for compared, measured in zip(variants, answers, strict=True):
            question, *figures = question_row(measured)[: len(numbers) + 2]
            lines.append((question if compared is variants[0] else "", compared.variant.name, *figures))
    table(to, ("question", "variant", "cost", *numbers), lines, numbers, fitted=True)
    heading(to, "What each variant writes")
    written = [(compared.variant.name, *written_row(compared), compared.variant.differs) for compared in variants]
    table(to, ("variant", *WRITTEN_COLUMNS, "what differs"), written, WRITTEN_COLUMNS, fitted=True)
    heading(to, f"What each table's busiest range takes of its newest rows; an even spread is {1 / RANGES:.1%}")
    table(to, SPREAD_COLUMNS, spread_rows(variants), SPREAD_COLUMNS[2:], fitted=True)
    if refused := refusals(variants):
        heading(to, "What is refused, and why")
        for refusal in refused:
            line(to, refusal.line())


def traps(to: Console, design: Design) -> None:
    """Published mistakes, each with what it gives and what the right way gives."""
    for trap in design.traps:
        name, published, wanted, wrong, right = trap_row(trap)
        heading(to, f"trap: {name}: {published}")
        line(to, f"  asked for  {wanted}")
        line(to, f"  gives      {wrong}")
        line(to, f"  right way  {right}")


def costs_as_json(to: Console, designs: Iterable[tuple[Design, list[Compared]]]) -> None:
    """What every question cost in every variant of some designs."""
    _json(
        to,
        {"designs": [{"name": design.name, "variants": list(map(_costs, variants))} for design, variants in designs]},
    )


def _costs(compared: Compared) -> dict[str, Any]:
    return {
        "name": compared.variant.name,
        "questions": list(map(_cost, compared.measured)),
        "rows_written": compared.rows_per_record,
        "bytes_stored": compared.bytes_per_record,
        "busiest_shares": compared.busiest_shares,
    }


def _cost(measured: Measured) -> dict[str, Any]:
    pattern = measured.pattern
    question = {"question": pattern.name, "answers": pattern.question, "ask": pattern.words}
    return {**question, "refused": measured.refused} if measured.refused else {**question, **_figures(measured)}


def _figures(each: Measured) -> dict[str, Any]:
    """What an answer cost."""
    return {
        "left_to_the_client": each.client_work,
        "left_to_a_filter": each.server_filtered,
        "ranges": [
            {"table": table.decode(), "from": rows.start, "up_to": rows.stop} for table, rows in each.cost.ranges
        ],
        "rpcs": each.cost.rpcs,
        "rows_read": each.rows_read,
        "rows_returned": len(each.records),
        "bytes_fetched": each.cost.bytes_fetched,
    }


def statements(to: Console, tables: Iterable[TableLayout[Any, Any]], splits: int | None, *, as_json: bool) -> None:
    """The HBase-shell statements that create tables."""
    found = tables_with_splits(tables, splits)
    if not as_json:
        for each, points in found:
            for text in statement_split_at(each, points).split("\n"):
                line(to, text)
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
    if as_json:
        values = [
            {
                "question": question,
                "arguments": shown_arguments(patterns[0]),
                "answers": [pattern.question for pattern in patterns],
            }
            for question, patterns in questions(design).items()
        ]
        _json(to, {"questions": values})
        return
    for question, patterns in questions(design).items():
        line(to, f"rowbook ask {name} {question} {shown_arguments(patterns[0])}", style="bold")
        for pattern in patterns:
            line(to, f"  {pattern.question}")


def answer(to: Console, measured: Measured, again: str, *, as_json: bool) -> None:
    """Records or whatever else a question answers, what that cost, and the command for the next page."""
    records = measured.records
    cursor = measured.answer.cursor if measured.pattern.answer == "page" else None
    if as_json:
        values = [attrs.asdict(record) if _is_record(record) else record for record in records]
        _json(to, {"records": values, "cursor": cursor, **_figures(measured)})
        return
    if records:
        values = [_by_name(record) for record in records]
        names = [*values[0]]
        numbers = [name for name, value in values[0].items() if type(value) is int and not name.endswith("_ms")]
        rows = [[show_value(name, value) for name, value in fields.items()] for fields in values]
        wide = sum(max(map(cell_len, column)) for column in zip(*rows, strict=True))
        if wide > 2 * to.width and not to.no_color:
            _blocks(to, names, rows)
        else:
            table(to, names, rows, numbers)
    what = "record" if all(map(_is_record, records)) else "answer"
    number = count(len(records), what) if records else f"nothing found{' so far' if cursor else ''}"
    line(to, f"{number}; {count(measured.rows_read, 'row')} read, {count(measured.cost.rpcs, 'RPC')}")
    _ranges(to, measured)
    if cursor:
        line(to, f"next page: {again} --cursor={cursor}")


def _is_record(answer: Any) -> bool:
    return attrs.has(answer.__class__)


def _by_name(answer: Any) -> dict[str, Any]:
    """The attributes of a record; a number, or whatever else a question answers, under one name."""
    return attrs.asdict(answer, recurse=False) if _is_record(answer) else {"answer": answer}


def loaded_as_json(to: Console, files: Iterable[tuple[str, str, int, int]]) -> None:
    """What was done with every file: its format, records stored, bad lines skipped."""
    names = ("file", "format", "stored", "skipped")
    _json(to, {"files": [dict(zip(names, file, strict=True)) for file in files]})


def explained(to: Console, rows: Rows, others: Others, *, as_json: bool) -> None:
    """The byte ruler of every key, and why the other tables have none."""
    if as_json:
        keys = [{"table": table.name, "row": row, "parts": _parts(table, row)} for table, row in rows]
        _json(to, {"keys": keys, "others": [{"table": table.name, "reason": reason} for table, reason in others]})
        return
    for table, row in rows:
        line(to, f"{table.name}: {key_line(table.layout)}", style="bold")
        _beside(to, "row", ruler_lines(table.layout, row, to.width - GUTTER))
        _beside(to, "hex", [(BYTES, row.hex())])
        line(to)
    for table, why in others:
        line(to, f"{table.name}: {key_line(table.layout)}", style="bold")
        line(to, f"  {why}")


def _parts(design: TableLayout[Any, Any], row: bytes) -> list[dict[str, Any]]:
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
        task = bar.add_task(visible(title), total=lines.size_bytes)
        for number, line_read in enumerate(lines):
            if lines.size_bytes and number % LINES_AT_ONCE == 0:
                bar.update(task, completed=lines.read_bytes)
            yield line_read
