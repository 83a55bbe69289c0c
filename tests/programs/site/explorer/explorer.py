"""What the key explorer of the site answers: bytes, ranges, pages and landings of a key that a reader changes.

It runs in the browser's Python, and in any other. It computes nothing itself: keys, plans, pages, heat and errors
come from the code that it shows. `changes` are described in `changed_keys.py`; `rows` are keys that a reader adds to
the samples, each a mapping of parts to texts.
"""

import json
import linecache
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import chain
from typing import Any

import attrs

from shared import keys
from shared.command_line.named.typed_values import field_types, values_of
from shared.command_line.rows.given_rows import encode_keys
from shared.designs.patterns import key_line, part_line, prefix_line
from shared.designs.ruler import show_value
from shared.exhibit.heat import LEGEND, Writes
from shared.exhibit.heat_tables import table_heat
from shared.exhibit.part_colours import key_boxes, roles_of
from shared.keys import Descending, InvalidQuestion
from shared.keys.errors import message_of
from shared.keys.parts import Segment
from shared.records.plain_values import json_of
from shared.tables.layouts import physical_tables

from .changed_keys import PREFIXES, Changes, JoinedText, Table, ascending, codecs_of, joined_parts, with_changes
from .declarations import OwnNames, declaration
from .in_browser import NeedsNumpy
from .open_designs import OpenDesign, Texts, open_design
from .stored_keys import Question, store_keys

OWN = None
"""The number of the question that a reader makes of the parts of a key."""


def describe(design: str) -> dict[str, Any]:
    """The tables of a design, with the parts of their keys, and its questions, each with the table that it reads."""
    of = open_design(design)
    questions: list[dict[str, Any]] = []
    for number, pattern in enumerate(of.design.patterns):
        try:
            reads = of.measure(pattern).ranges
        except NeedsNumpy:
            continue
        table = reads[0][0].decode() if reads else ""
        if table in of.tables:
            fields = [
                {
                    "name": one.name,
                    "is_needed": one.default is one.empty,
                    "value": show_value(one.name, pattern.sample[one.name]) if one.name in pattern.sample else None,
                }
                for one in pattern.parameters
            ]
            questions.append({"number": number, "question": pattern.question, "table": table, "fields": fields})
    tables = [_describe_table(of, table) for table in of.tables.values()]
    for table in tables:
        first = table["parts"][0]
        fields = [
            {"name": part["name"], "is_needed": False, "value": first["value"] if part is first else None}
            for part in table["parts"]
        ]
        questions.append({"number": OWN, "question": "my own question", "table": table["name"], "fields": fields})
    parts = chain.from_iterable(table.key.part_named for table in of.tables.values())
    return {
        "names": [of.design.loads[0].record.__name__, *dict.fromkeys(parts)],
        "prefixes": PREFIXES,
        "legend": LEGEND,
        "tables": tables,
        "questions": questions,
    }


def _describe_table(of: OpenDesign, table: Table) -> dict[str, Any]:
    samples = of.keys(table, "stored")
    types = field_types(table.key.key_class)
    middle = len(samples) // 2
    roles = [role for _label, role in key_boxes(table, roles_of(of.design))][len(table.key.prefixes) :]
    values = next(filter(None, (_as_typed(key, types) for key in samples[middle:] + samples[:middle])), {})
    return {
        "name": table.name,
        "prefixes": [*map(prefix_line, table.key.prefixes)],
        "parts": [
            {
                "name": one.name,
                "title": part_line(one),
                "meaning": one.meaning,
                "role": role,
                "type": types[one.name].__name__,
                "codec": str(ascending(one.codec)),
                "codecs": [
                    {"name": str(codec), "loses_rows": isinstance(codec, JoinedText)}
                    for codec in codecs_of(table, one.name)
                ],
                "descending": isinstance(one.codec, Descending),
                "value": values.get(one.name, ""),
            }
            for one, role in zip(table.key.parts, roles, strict=True)
        ],
    }


def _as_typed(key: Any, types: Mapping[str, Any]) -> dict[str, str]:
    """The parts of a key as a reader types them; empty if one is shown in another way than it is typed."""
    texts = {name: show_value(name, getattr(key, name)) for name in types}
    read = values_of([f"{name}={text}" for name, text in texts.items()], types, "part")
    return texts if all(read[name] == getattr(key, name) for name in types) else {}


def encode(design: str, table: str, changes: Changes, values: Texts) -> dict[str, Any]:
    """The key that the values make, with the bytes of each part, as `rowbook explain` reads and writes them.

    If the key is not complete, `refused` says why, and `parts` has the parts that have bytes.
    """
    of = open_design(design)
    layout = with_changes(of.table(table), changes)
    words = [f"{name}={value}" for name, value in values.items()]
    found, missing = encode_keys(of.design, [layout], words)
    if not found:
        return {"refused": missing[0].reason, "parts": _parts(missing[0].parts)}
    row = found[0][1]
    parts = _parts(layout.key.segments(row))
    if joined_parts(layout.key):  # which cannot be told by their bytes
        read = values_of(words, field_types(layout.key.key_class), "part")
        parts = [{"name": one.name, "bytes": one.codec.encode(read[one.name])} for one in layout.key.parts]
        spread = row[: len(row) - sum(len(part["bytes"]) for part in parts)]
        parts[:0] = [{"name": type(prefix).__name__, "bytes": spread} for prefix in layout.key.prefixes]
    variant = of.variant_of(layout.key) if changes else ""
    return {"row": row, "row_bytes": len(row), "parts": parts, "key": key_line(layout.key), "variant": variant}


def _parts(segments: Iterable[Segment]) -> list[dict[str, Any]]:
    return [{"name": segment.name, "bytes": segment.data, "value": segment.value} for segment in segments]


def plan(
    design: str,
    table: str,
    changes: Changes,
    question: int | None,
    values: Texts,
    rows: Sequence[Texts] = (),
    cursor: str | None = None,
) -> dict[str, Any]:
    """What a question reads of the samples' rows, see `StoredKeys.answer`; a page of it from the one after `cursor`."""
    of = open_design(design)
    declared = of.table(table)
    stored = store_keys(design, table, json.dumps([changes, rows]))
    if question is OWN:
        return stored.answer(Question(_conditions(declared, values)), cursor)
    pattern = of.design.patterns[question]
    measured = of.measure(pattern, [f"{name}={value}" for name, value in values.items() if value != ""])
    ranges = tuple(rows for stored_in, rows in measured.ranges if stored_in.decode() == table)
    if not ranges:
        raise InvalidQuestion(f"{pattern.name}: does not read {table} with these values")
    explanation = measured.explanation
    if explanation is not None:
        conditions = {name: one for name, one in explanation.conditions.items() if one != keys.between()}
        work = (explanation.client_work, explanation.server_filtered)
        return stored.answer(Question(conditions, *work, declared.key), cursor)
    if ranges[0].stop == ranges[0].start + b"\0":
        conditions = attrs.asdict(declared.key.decode(ranges[0].start), recurse=False)
        return stored.answer(Question(conditions), cursor)
    if changes:
        words = "its code reads rows by the declared key, so a changed key cannot answer it"
        raise InvalidQuestion(f"{pattern.name}: {words}")
    return stored.count(ranges, {}) | {"compared": (), "filtered": ()}


def _conditions(table: Table, values: Texts) -> dict[str, Any]:
    """The conditions on parts that a reader typed: a value, an interval `a..b`, or a start of text `a*`."""
    types = field_types(table.key.key_class)
    conditions: dict[str, Any] = {}
    for name, text in values.items():
        start, dots, end = map(str.strip, text.partition(".."))
        ends = [values_of([f"{name}={one}"], types, "part")[name] if one else None for one in (start, end)]
        if dots and (start or end):
            conditions[name] = keys.between(*ends)
        elif start.endswith("*"):
            conditions[name] = keys.starting_with(start[:-1])
        elif start and not dots:
            conditions[name] = ends[0]
    return conditions


def landing(design: str, table: str, changes: Changes) -> dict[str, Any]:
    """The share that each range takes of the samples' new rows, at each moment, as the heat map counts them."""
    of = open_design(design)
    layout = with_changes(of.table(table), changes)
    written = [layout.key.row_of(key) for key in of.keys(of.table(table), "writes")]
    found = table_heat("", *physical_tables([layout]), Writes(written, layout.splits.points))
    heat = found.heat
    return {
        "moments": [*map(_percents, heat.moment_shares)],
        "shares": _percents(heat.shares),
        "verdict": found.verdict,
        "even": f"{1 / heat.ranges:.0%}",
        "writes": len(written),
    }


def _percents(shares: Sequence[float]) -> list[str]:
    return [f"{share:.0%}" if share else "" for share in shares]


def python(design: str, table: str, changes: Changes, values: Texts, names: Texts) -> dict[str, str]:
    """The declaration of the key, to copy, and the command that copies the design; `names` are a reader's own."""
    of = open_design(design)
    declared = of.table(table).key
    tables = [[*table.key.part_named] for table in of.tables.values()]
    own = OwnNames(of.design.loads[0].record.__name__, names, tables)
    changed = with_changes(of.table(table), changes)
    variant = of.variant_of(changed.key) if changes else ""
    made = declaration(changed, declared, values, own)
    return {"python": made, "command": own.command(design, variant), "variant": variant}


def run(code: str, before: Sequence[str] = ()) -> dict[str, Any]:
    """What a program prints, and its traceback if it fails, as Python shows it; `before` ran before it, in silence."""
    out = StringIO()
    names = {"__name__": "__main__"}
    is_failed = False
    try:
        for number, block in enumerate([*before, code], 1):
            file = "example.py" if number > len(before) else f"example_{number}.py"
            linecache.cache[file] = (len(block), None, block.splitlines(keepends=True), file)
            shown = out if number > len(before) else StringIO()
            with redirect_stdout(shown), redirect_stderr(shown):
                exec(compile(block, file, "exec", dont_inherit=True), names)
    except BaseException as error:
        is_failed = True
        frames = error.__traceback__ and error.__traceback__.tb_next  # without the frame of this function
        traceback.print_exception(error.with_traceback(frames), file=out)
    return {"output": out.getvalue(), "is_failed": is_failed}


CALLS: Mapping[str, Callable[..., dict[str, Any]]] = {
    call.__name__: call for call in (describe, encode, plan, landing, python, run)
}


def answer(request: str) -> str:
    """The answer to a request as JSON, bytes in hex: `{"call": "encode", "design": ...}`; a refusal is one line."""
    given: dict[str, Any] = json.loads(request)
    call = CALLS[given.pop("call")]
    try:
        answered = call(**given)
    except ValueError as error:
        answered = {"refused": message_of(error)}
    return json_of(answered)
