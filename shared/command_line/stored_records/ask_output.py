"""The output of `rowbook ask`: the questions of a design, an answer, or the reads of a question."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs
import happybase
from rich.console import Console

from ...designs import Design, Measurement
from ...designs.arguments import patterns_by_name, shown_arguments
from ...designs.ruler import show_value
from ...queries.explanations import Explanation
from ...records import show_time
from ...tables import InvalidRow, TableLayout
from ..rows.ranges import figures, show_ranges
from ..screen.terminal import count, json_object, line, wrapped, wrapped_words
from ..screen.text_tables import least_width, lines_of_rows, table, value_per_line

SHOWN_BYTES, WHOLE_BYTES = 3, 4
"""Of longer bytes, such as the tie of an event, a row of a table on a terminal shows so many."""


def question_list(to: Console, name: str, design: Design, *, as_json: bool) -> None:
    """Writes the questions of a design, each with its arguments."""
    if as_json:
        values = [
            {
                "question": question,
                "arguments": shown_arguments(patterns[0]),
                "answers": [pattern.question for pattern in patterns],
            }
            for question, patterns in patterns_by_name(design).items()
        ]
        json_object(to, {"questions": values})
        return
    for question, patterns in patterns_by_name(design).items():
        wrapped(to, f"rowbook ask {name} {question} {shown_arguments(patterns[0])}".rstrip(), style="bold")
        for pattern in patterns:
            wrapped_words(to, [*f"  {pattern.question}:".split(" "), *pattern.quoted_arguments])


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
    """Writes the records, or another kind of answer, their cost, and the `command` with the next page's cursor.

    `unknown` says in words which names of the question the store does not have, and which rows the page leaves out.
    """
    records = measurement.records
    cursor = measurement.answer.cursor if measurement.pattern.answer == "page" else None
    if as_json:
        values = [attrs.asdict(record) if _is_record(record) else record for record in records]
        json_object(to, {"records": values, "cursor": cursor, "unknown": unknown, **figures(measurement)})
        return
    for title, values in _tables(records) if records else ():
        if title:
            line(to, f"{title}:")
        show_values(to, values)
    what = "record" if all(map(_is_record, records)) else "answer"
    number = count(len(records), what) if records else f"nothing found{' so far' if cursor else ''}"
    number += f"{', but' if records else ':'} {', '.join(unknown)}" if unknown else ""
    wrapped(to, f"{number}; {count(measurement.rows_read, 'row')} read, {count(measurement.cost.rpcs, 'RPC')}")
    show_ranges(to, measurement.ranges, tables, connection)
    if cursor:
        line(to, f"next page: {command} --cursor={cursor}")


def unknown_rows(measurement: Measurement) -> Sequence[InvalidRow]:
    """The rows that a page leaves out, because only a later release can read them."""
    return measurement.answer.unknown if measurement.pattern.answer == "page" else ()


def _tables(records: Sequence[Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The records as one table without a title; if an only record consists of other records, a table for each of them.

    The values that are not records come first.
    """
    values = [_attributes(record) for record in records]
    within = {name: [*map(_attributes, parts)] for name, value in values[0].items() if (parts := _records_in(value))}
    if len(values) > 1 or not within:
        yield "", values
        return
    if others := {name: value for name, value in values[0].items() if name not in within}:
        yield "", [others]
    yield from within.items()


def _records_in(value: Any) -> list[Any]:
    """The records that a value is or consists of; none for any other value."""
    parts: list[Any] = [*value] if isinstance(value, list | tuple) else [value]
    return parts if parts and all(map(_is_record, parts)) else []


def show_values(to: Console, values: list[dict[str, Any]]) -> None:
    """Writes values by name: a row for each record or, if a terminal is too narrow for it, a line for each value.

    The rows of a terminal show the start of bytes that are longer than `WHOLE_BYTES`.
    """
    names = [*values[0]]
    numbers = [name for name, value in values[0].items() if type(value) is int and not name.endswith("_ms")]
    on_terminal = not to.no_color
    rows = [[_in_row(name, value, short=on_terminal) for name, value in fields.items()] for fields in values]
    lines = sum(lines_of_rows(names, rows, to.width)[1:])
    if on_terminal and (least_width(names, rows) > to.width or lines > len(rows) * (len(names) + 1)):
        value_per_line(to, names, [[show_value(name, value) for name, value in fields.items()] for fields in values])
    else:
        table(to, names, rows, numbers, fitted=on_terminal or to.file.isatty())


def _in_row(name: str, value: Any, *, short: bool) -> str:
    """A value in a row of a table, where a byte has no blank around it, so that bytes are one word."""
    if not isinstance(value, bytes) or not value:
        return show_value(name, value)
    return f"{value[:SHOWN_BYTES].hex()}..." if short and len(value) > WHOLE_BYTES else value.hex()


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
                "round_trips": explanation.round_trips,
                "then": explanation.then_ranges,
                "as_of_ms": explanation.as_of_ms,
            },
        )
        return
    direction = ", in reverse" if explanation.reverse else ""
    of_them = "" if explanation.streams == len(explanation.ranges) else f"{explanation.streams} of them "
    side_by_side = f", {of_them}side by side" if explanation.streams > 1 else ""
    wrapped(to, f"would read {count(len(explanation.ranges), 'range')}{side_by_side}{direction}")
    show_ranges(to, [(explanation.stored_in, rows) for rows in explanation.ranges], tables, connection)
    compared = [name for name in explanation.client_work if name != "order"]
    if explanation.server_filtered:
        wrapped(to, f"the server compares {', '.join(explanation.server_filtered)} and drops other rows")
    if compared:
        wrapped(to, f"the client compares {', '.join(compared)} and drops other records")
    if "order" in explanation.client_work:
        wrapped(to, "the client sorts the records, so each page reads all of the ranges")
    if explanation.as_of_ms is not None:
        wrapped(to, f"as of {show_time(explanation.as_of_ms)}, as far back as the families keep versions")
    if explanation.then_ranges:
        wrapped(to, f"then {explanation.then_ranges}, which these rows determine")
    rpcs = count(explanation.rpcs, "RPC")
    how_sure = ", if the first range fills it" if explanation.is_exact else " or more"
    wrapped(to, f"first page: {rpcs}{how_sure}{explanation.waits}")


def _is_record(answer: Any) -> bool:
    return attrs.has(answer.__class__)


def _attributes(answer: Any) -> dict[str, Any]:
    """The attributes of a record by name; any other answer, such as a number, under the name `answer`."""
    return attrs.asdict(answer, recurse=False) if _is_record(answer) else {"answer": answer}
