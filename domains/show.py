"""Writes the command line's output: coloured and fitted to a terminal, plain and unwrapped everywhere else."""

import json
import os
import re
import textwrap
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
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

from shared.designs import Design, Measurement, Variant
from shared.designs.cell_contents import shown_column
from shared.designs.comparison import RANGES, VariantCosts
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
from shared.designs.range_words import range_words
from shared.designs.ruler import BYTES, VALUES, cell_lines, ruler_lines, show_value
from shared.designs.traps import trap_row
from shared.keys import RowRange
from shared.loading import Line, Lines
from shared.queries import Explanation
from shared.tables import TableLayout
from shared.tables.ddl import statement_split_at, tables_with_splits

from .asking import MissingKeys, questions, shown_arguments
from .explaining import ExplainedKey

R = TypeVar("R")

WIDTH = 100
"""Characters of a line if there is no terminal."""
HEADER_WIDTH = 8
"""Characters of a line in the header of a column of numbers, which are narrower than the column's name."""
GUTTER = 9
"""Characters before each line of a ruler."""
STYLES = ("dim", "bold", "cyan")
"""Styles of a ruler's names, values and bytes."""
ROWS_SHOWN = 3
PADDED_TO = 60
"""Characters to which a column of a plain table is padded, at most; longer values push the rest of the line."""
LINES_AT_ONCE = 50
"""Lines that are loaded between two updates of the progress bar."""
NARROWEST = 60
"""Minimum width in characters; a narrower table would lose content, so a narrower terminal breaks the lines itself."""
RANGES_SHOWN = 8
KEY_BYTES_SHOWN = 80


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
            raise NotWritten(f"{'stderr' if self.stderr else 'stdout'}: {reason(error)}") from error

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


def heading(to: Console, text: str) -> None:
    """Writes a heading after an empty line."""
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
        header = textwrap.fill(name, HEADER_WIDTH) if name in numbers else name
        justify: JustifyMethod = "right" if name in numbers else "left"
        rich_table.add_column(
            header, justify=justify, overflow="fold", no_wrap=name.endswith("_ms") or name == "variant"
        )
    for row in rows:
        rich_table.add_row(*row)
    to.print(rich_table)


def _value_per_line(to: Console, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
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


def json_object(to: Console, value: dict[str, Any]) -> None:
    """Writes one JSON object on one line; bytes are hex."""
    text = json.dumps(value, default=bytes.hex, ensure_ascii=to.encoding != "utf-8")
    # Characters that are not printable occur only within strings, where JSON may write them as \uXXXX.
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)
    line(to, text)


def _with_title(to: Console, title: str, lines: list[tuple[int, str]]) -> None:
    """Writes the lines of a ruler, the first one after the title."""
    for kind, text in lines:
        to.print(Text.assemble((f"  {title:5}  ", "dim"), (visible(text), STYLES[kind])), soft_wrap=True)
        title = ""


# Designs


def design_keys(to: Console, design: Design, variants: Sequence[Variant]) -> None:
    """Writes a design's question, the key of each table of its variants in one line, and which variants not to copy."""
    line(to, f"{design.name}: {design.question}", style="bold")
    keys = [
        (variant.marked_name, table.name, key_line(table.key))
        for variant in variants
        for table in variant.record_tables
    ]
    widths = [max(map(cell_len, column)) for column in zip(*keys, strict=True)]
    variant_before = ""
    for variant, name, key in keys:
        shown_variant = "" if variant == variant_before else variant
        line(to, f"  {shown_variant.ljust(widths[0])}  {name.ljust(widths[1])}  {key}")
        variant_before = variant
    for marked in variants:
        if not marked.is_to_copy:
            line(to, f"  {marked.name} {marked.warning}")


def designs_as_json(to: Console, designs: Iterable[Design]) -> None:
    """Writes names, questions, variants and keys of all designs."""
    json_object(to, {"designs": [_design(design) for design in designs]})


def _design(design: Design) -> dict[str, Any]:
    variants = [
        {
            "name": variant.name,
            "differs": variant.differs,
            **_marks(variant),
            "tables": [_table(table) for table in variant.record_tables],
        }
        for variant in design.variants
    ]
    return {"name": design.name, "question": design.question, "variants": variants}


def _marks(variant: Variant) -> dict[str, Any]:
    """Why a variant is not to be copied: what it loses, or what is bad about it; both are empty if it may be."""
    return {"loses": "" if variant.wrong is None else variant.wrong.loses, "mistake": variant.mistake}


def _table(table: TableLayout[Any, Any]) -> dict[str, Any]:
    parts = [{"name": part.name, "format": str(part.codec), "meaning": part.meaning} for part in table.key.parts]
    prefixes = [str(prefix) for prefix in table.key.prefixes]
    return {"name": table.name, "holds": table.holds, "prefixes": prefixes, "parts": parts}


def rows(to: Console, connection: happybase.Connection, table: TableLayout[Any, Any]) -> None:
    """Writes the first rows of a table in row-key order: the byte ruler of each key, and its cells."""
    heading(to, f"table {table.name}: {table.holds}")
    stored = connection.table(table.name).scan(columns=table.cells.columns, limit=ROWS_SHOWN, batch_size=ROWS_SHOWN)
    for row, cells in stored:
        line(to)
        _with_title(to, "row", ruler_lines(table.key, row, to.width - GUTTER))
        _with_title(to, "cells", cell_lines(table, cells, to.width - GUTTER))


def ranges(
    to: Console,
    connection: happybase.Connection,
    tables: Iterable[TableLayout[Any, Any]],
    measurements: Iterable[Measurement],
) -> None:
    """Writes the ranges that each question read; names of tables are without the connection's prefix."""
    heading(to, "The rows that each question reads")
    for measurement in measurements:
        question = measurement.pattern.question
        line(to, f"{question}: refused" if measurement.refused else question)
        _ranges(to, measurement.ranges, tables, connection)
        if measurement.beyond_ranges:
            line(to, f"  then {measurement.beyond_ranges}")


def _ranges(
    to: Console,
    ranges: Iterable[tuple[bytes, RowRange]],
    tables: Iterable[TableLayout[Any, Any]],
    connection: happybase.Connection,
) -> None:
    prefix = connection.table_prefix
    table_prefix = b"" if prefix is None else prefix + connection.table_prefix_separator
    tables = list(tables)
    names = Counter(table.name for table in tables)
    layouts = {table.name: table.key for table in tables if names[table.name] == 1}  # otherwise no row tells which
    ranges_: list[tuple[str, str]] = []
    for stored_name, rows in ranges:
        name = stored_name.removeprefix(table_prefix).decode()
        ranges_.append((name, range_words(rows, layouts.get(name)) or _range(rows)))
    widest = max((cell_len(name) for name, _ in ranges_), default=0)
    for name, range_ in ranges_[:RANGES_SHOWN]:
        line(to, f"  {name.ljust(widest)}  {range_}")
    if len(ranges_) > RANGES_SHOWN:
        line(to, f"  and {count(len(ranges_) - RANGES_SHOWN, 'range')} more, which --json shows")


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


def costs(to: Console, name: str, measurements: list[Measurement]) -> None:
    """Writes what each question costs, then the commands that ask them, which no column cuts."""
    heading(to, "What each question costs")
    table(to, QUESTION_COLUMNS, map(question_row, measurements), QUESTION_COLUMNS[2:], fitted=True)
    line(to)
    for measurement in measurements:
        line(to, f"rowbook ask {name} {measurement.pattern.words}", style="cyan")


def comparison(to: Console, design: Design, variants: list[VariantCosts]) -> None:
    """Writes the variants side by side: what each question costs in each, what each writes, and what they refuse."""
    heading(to, "What each question costs in each variant")
    numbers = ("ranges", "RPCs", "rows read")
    lines: list[tuple[str, ...]] = []
    for measurements in zip(*(variant_costs.measurements for variant_costs in variants), strict=True):
        for variant_costs, measurement in zip(variants, measurements, strict=True):
            question, *figures = question_row(measurement)[: len(numbers) + 2]
            name = variant_costs.variant.marked_name
            lines.append((question if variant_costs is variants[0] else "", name, *figures))
    table(to, ("question", "variant", "cost", *numbers), lines, numbers, fitted=True)
    heading(to, "What each variant writes")
    columns = WRITTEN_COLUMNS[:-1]  # the bytes of intents would make the table too wide
    written = [
        (compared.variant.marked_name, *written_row(compared)[:-1], compared.variant.differs) for compared in variants
    ]
    table(to, ("variant", *columns, "what differs"), written, columns, fitted=True)
    heading(to, f"What each table's busiest range takes of its newest rows; an even spread is {1 / RANGES:.1%}")
    table(to, SPREAD_COLUMNS, spread_rows(variants), SPREAD_COLUMNS[2:], fitted=True)
    if refused := refusals(variants):
        heading(to, "What is refused, and why")
        for refusal in refused:
            line(to, refusal.line())


def traps(to: Console, design: Design) -> None:
    """Writes the published mistakes, each with what it gives and what the right way gives."""
    for trap in design.traps:
        name, published_as, task, wrong, right = trap_row(trap)
        heading(to, f"trap: {name}: {published_as}")
        line(to, f"  asked for  {task}")
        line(to, f"  gives      {wrong}")
        line(to, f"  right way  {right}")


def costs_as_json(to: Console, designs: Iterable[tuple[Design, list[VariantCosts]]]) -> None:
    """Writes what every question cost in every variant of some designs."""
    json_object(
        to,
        {"designs": [{"name": design.name, "variants": list(map(_costs, variants))} for design, variants in designs]},
    )


def _costs(variant_costs: VariantCosts) -> dict[str, Any]:
    return {
        "name": variant_costs.variant.name,
        **_marks(variant_costs.variant),
        "questions": list(map(_cost, variant_costs.measurements)),
        "rows_written": variant_costs.rows_per_record,
        "bytes_stored": variant_costs.bytes_per_record,
        "rpcs_to_store": variant_costs.rpcs_per_record,
        "bytes_of_intents": variant_costs.intent_bytes_per_record,
        "busiest_shares": variant_costs.busiest_shares,
    }


def _cost(measurement: Measurement) -> dict[str, Any]:
    pattern = measurement.pattern
    question = {"question": pattern.name, "answers": pattern.question, "ask": pattern.words}
    if measurement.refused:
        return {**question, "refused": measurement.refused}
    return {**question, "is_wrong": measurement.is_wrong, **_figures(measurement)}


def _figures(measurement: Measurement) -> dict[str, Any]:
    """The figures of an answer's cost."""
    cost = measurement.cost
    return {
        "left_to_the_client": measurement.client_work,
        "left_to_a_filter": measurement.server_filtered,
        "ranges": [
            {"table": table.decode(), "from": rows.start, "up_to": rows.stop} for table, rows in measurement.ranges
        ],
        "rpcs": cost.rpcs,
        "rows_read": measurement.rows_read,
        "rows_returned": len(measurement.records),
        "bytes_fetched": cost.bytes_fetched,
    }


def statements(to: Console, variant: Variant, splits: int | None, *, as_json: bool) -> None:
    """Writes the HBase-shell statements that create a variant's tables; `splits` is for those of its records."""
    others = [table for table in variant.tables if table not in variant.record_tables]
    split_tables = [*tables_with_splits(variant.record_tables, splits), *tables_with_splits(others, None)]
    if not as_json:
        for table, points in split_tables:
            for text in statement_split_at(table, points).split("\n"):
                line(to, text)
        return
    json_object(
        to,
        {
            "tables": [
                {
                    "name": table.name,
                    "families": {name: attrs.asdict(family) for name, family in table.families.items()},
                    "splits": points.points,
                    "reason": points.reason,
                }
                for table, points in split_tables
            ]
        },
    )


# Answers


def question_list(to: Console, name: str, design: Design, *, as_json: bool) -> None:
    """Writes the questions of a design, each with its arguments."""
    if as_json:
        values = [
            {
                "question": question,
                "arguments": shown_arguments(patterns[0]),
                "answers": [pattern.question for pattern in patterns],
            }
            for question, patterns in questions(design).items()
        ]
        json_object(to, {"questions": values})
        return
    for question, patterns in questions(design).items():
        line(to, f"rowbook ask {name} {question} {shown_arguments(patterns[0])}", style="bold")
        for pattern in patterns:
            line(to, f"  {pattern.question}")


def answer(
    to: Console,
    connection: happybase.Connection,
    tables: Iterable[TableLayout[Any, Any]],
    measurement: Measurement,
    command: str,
    unknown: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Writes the records, or another kind of answer, what they cost, and the `command` with the next page's cursor.

    `unknown` says in words which names of the question the store does not have.
    """
    records = measurement.records
    cursor = measurement.answer.cursor if measurement.pattern.answer == "page" else None
    if as_json:
        values = [attrs.asdict(record) if _is_record(record) else record for record in records]
        json_object(to, {"records": values, "cursor": cursor, "unknown": unknown, **_figures(measurement)})
        return
    if records:
        values = [_attributes(record) for record in records]
        names = [*values[0]]
        numbers = [name for name, value in values[0].items() if type(value) is int and not name.endswith("_ms")]
        rows = [[show_value(name, value) for name, value in fields.items()] for fields in values]
        table_width = sum(max(map(cell_len, column)) for column in zip(*rows, strict=True))
        if table_width > 2 * to.width and not to.no_color:
            _value_per_line(to, names, rows)
        else:
            table(to, names, rows, numbers)
    what = "record" if all(map(_is_record, records)) else "answer"
    number = count(len(records), what) if records else f"nothing found{' so far' if cursor else ''}"
    number += f"{', but' if records else ':'} {', '.join(unknown)}" if unknown else ""
    line(to, f"{number}; {count(measurement.rows_read, 'row')} read, {count(measurement.cost.rpcs, 'RPC')}")
    _ranges(to, measurement.ranges, tables, connection)
    if cursor:
        line(to, f"next page: {command} --cursor={cursor}")


def query_explanation(
    to: Console,
    connection: happybase.Connection,
    tables: Iterable[TableLayout[Any, Any]],
    explanation: Explanation,
    *,
    as_json: bool,
) -> None:
    """Writes what a query would read: its ranges, the work beyond them, the RPCs of its first page."""
    if as_json:
        json_object(
            to,
            {
                "ranges": [
                    {"table": explanation.stored_in.decode(), "from": rows.start, "up_to": rows.stop}
                    for rows in explanation.ranges
                ],
                "merged": explanation.streams,
                "reverse": explanation.reverse,
                "left_to_the_client": explanation.client_work,
                "left_to_a_filter": explanation.server_filtered,
                "rpcs": explanation.rpcs,
                "rpcs_are_exact": explanation.is_exact,
                "then": explanation.then_ranges,
            },
        )
        return
    direction = ", in reverse" if explanation.reverse else ""
    of_them = "" if explanation.streams == len(explanation.ranges) else f"{explanation.streams} of them "
    side_by_side = f", {of_them}side by side" if explanation.streams > 1 else ""
    line(to, f"would read {count(len(explanation.ranges), 'range')}{side_by_side}{direction}")
    _ranges(to, [(explanation.stored_in, rows) for rows in explanation.ranges], tables, connection)
    compared = [name for name in explanation.client_work if name != "order"]
    if explanation.server_filtered:
        line(to, f"the server compares {', '.join(explanation.server_filtered)} and drops other rows")
    if compared:
        line(to, f"the client compares {', '.join(compared)} and drops other records")
    if "order" in explanation.client_work:
        line(to, "the client sorts the records, so each page reads all of the ranges")
    if explanation.then_ranges:
        line(to, f"then {explanation.then_ranges}, as these rows tell")
    rpcs = count(explanation.rpcs, "RPC")
    line(
        to,
        f"first page: {rpcs}, if the first range fills it" if explanation.is_exact else f"first page: {rpcs} or more",
    )


def _is_record(answer: Any) -> bool:
    return attrs.has(answer.__class__)


def _attributes(answer: Any) -> dict[str, Any]:
    """The attributes of a record by name; any other answer, such as a number, under the name `answer`."""
    return attrs.asdict(answer, recurse=False) if _is_record(answer) else {"answer": answer}


def loads_as_json(to: Console, files: Iterable[tuple[str, str, int, int]]) -> None:
    """Writes what was loaded: each file with its format, records stored and bad lines skipped."""
    names = ("file", "format", "stored", "skipped")
    json_object(to, {"files": [dict(zip(names, file, strict=True)) for file in files]})


def explanation(to: Console, keys: Iterable[ExplainedKey], missing_keys: MissingKeys, *, as_json: bool) -> None:
    """Writes the byte ruler of every key, its names and its cell, and why the other tables have none."""
    if as_json:
        others = [{"table": table.name, "reason": reason} for table, reason in missing_keys]
        json_object(to, {"keys": [_explained(key) for key in keys], "others": others})
        return
    for key in keys:
        line(to, f"{key.table.name}: {key_line(key.table.key)}", style="bold")
        _with_title(to, "row", ruler_lines(key.table.key, key.row, to.width - GUTTER))
        _with_title(to, "hex", [(BYTES, key.row.hex())])
        if key.names:
            widest = max(map(cell_len, key.names))
            _with_title(to, "names", [(VALUES, f"{part.ljust(widest)}  {name}") for part, name in key.names.items()])
        if key.contents is not None:
            _with_title(to, "cell", [(BYTES, shown_column(key.column)), (VALUES, key.contents.holds)])
            _cell_values(to, key.contents.values)
        line(to)
    for table, why in missing_keys:
        line(to, f"{table.name}: {key_line(table.key)}", style="bold")
        line(to, f"  {why}")


def _cell_values(to: Console, values: Sequence[Mapping[str, Any]]) -> None:
    if values:
        rows = [[show_value(name, value) for name, value in of_one.items()] for of_one in values]
        table(to, [*values[0]], rows)


def _explained(key: ExplainedKey) -> dict[str, Any]:
    explained: dict[str, Any] = {"table": key.table.name, "row": key.row, "parts": _parts(key.table, key.row)}
    if key.names is not None:
        explained["names"] = key.names
    if key.contents is not None:
        explained["cell"] = {
            "column": shown_column(key.column),
            "holds": key.contents.holds,
            "values": key.contents.values,
        }
    return explained


def _parts(table: TableLayout[Any, Any], row: bytes) -> list[dict[str, Any]]:
    segments = table.key.segments(row)
    return [{"name": segment.name, "bytes": segment.data, "value": segment.value} for segment in segments]


# Words


def reasons(missing_keys: MissingKeys) -> str:
    """Why there is no key, in one line."""
    return "; ".join(f"{table.name}: {why}" for table, why in missing_keys)


def reason(error: Exception) -> str:
    """The first line of a store's error message; HBase sends a Java stack trace after it.

    The class of a Java exception is left out if it says only that something failed.
    """
    message: object = getattr(error, "message", None) or getattr(error, "strerror", None) or str(error)
    text = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    first = (text.splitlines() or [type(error).__name__])[0]
    return first.removeprefix("org.apache.hadoop.hbase.DoNotRetryIOException: ").removeprefix("java.io.IOException: ")


def count(number: int, what: str) -> str:
    """`1 record`, `2 records`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def progress(to: Console, title: str, lines: Lines[R]) -> Generator[Line[R]]:
    """The lines of a file; on a terminal, a bar shows how much of the file is read."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=to, transient=True, disable=to.no_color, redirect_stdout=False) as bar:
        task = bar.add_task(visible(title), total=lines.size_bytes)
        for number, line_read in enumerate(lines):
            if lines.size_bytes and number % LINES_AT_ONCE == 0:
                bar.update(task, completed=lines.read_bytes)
            yield line_read
