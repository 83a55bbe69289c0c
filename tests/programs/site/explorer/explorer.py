"""What the key explorer of the site answers: bytes, ranges and landings of a layout that a reader changes.

It runs in the browser's Python, and in any other. It computes nothing itself: keys, plans, heat and errors are those of
the code that it shows. A layout is the declared one of a table, with `changes`:

    {"order": ["placed_ms", "seller_id"], "codecs": {"placed_ms": "Int64"}, "descending": {"placed_ms": false},
     "prefix": {"kind": "Salt", "of": "seller_id", "number": 8}}

Each may be left out. A `prefix` of None removes the declared ones.
"""

import ast
import inspect
import json
import linecache
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import attrs

from shared import keys
from shared.command_line.named.typed_values import arguments, field_types, values_of
from shared.command_line.rows.given_rows import encode_keys, tables_of
from shared.command_line.screen.wrong_usage import check_name
from shared.designs import AccessPattern, Design
from shared.designs.metering import Measurement, measure_pattern
from shared.designs.patterns import key_line, part_line, prefix_line
from shared.designs.ruler import show_value
from shared.designs.scratch import scratch_store
from shared.exhibit.heat import LEGEND, Writes
from shared.exhibit.range_words import range_words
from shared.keys import Descending, InvalidKey, InvalidQuestion, KeyLayout, Slice, part, row_key, split_points
from shared.keys.codecs import Codec
from shared.keys.conditions import matcher
from shared.keys.errors import message_of
from shared.keys.parts import Segment
from shared.keys.prefixes import Prefix
from shared.keys.ranges import Plan, RowRange
from shared.keys.slice_codecs import share_codec
from shared.records.plain_values import json_of
from shared.tables import TableLayout

SAMPLES = Path(__file__).with_name("samples")
"""The folder with the rows of each design's samples: what `samples.sample_rows` returns, as JSON."""
CODECS: Mapping[type, tuple[Codec[Any], ...]] = {
    str: (
        *(keys.EscapedText, keys.TrailingText, keys.DelimitedText("_"), keys.DelimitedText("|")),
        *(keys.DelimitedText("\0"), keys.FixedText(20, "\0")),
    ),
    int: (
        *(keys.Int64, keys.UInt64, keys.Int32, keys.UInt32),
        *(keys.DecimalText(13), keys.ReversedDigits(13), keys.LongMaxMinus),
    ),
    bytes: (keys.EscapedBytes, keys.TrailingBytes),
}
"""The codecs that a reader may choose, by the type of the part; its declared one is always among them."""
PREFIXES: Mapping[str, Callable[[str, int], Prefix]] = {
    "Salt": lambda of, number: keys.Salt(of=of, buckets=number),
    "Modulo": lambda of, number: keys.Modulo(of=of, by=number),
    "HashPrefix": lambda of, number: keys.HashPrefix(of=of, bytes=number),
    "TimeBucket": lambda of, number: keys.TimeBucket(of=of, every_ms=number),
}
"""The prefixes that a reader may choose, each made of a part and a number."""

OWN, OWN_WORDS = -1, "my own: values of parts, an interval as a..b, a start of text as a*"
"""The number of the question that a reader makes of the parts of a key, and what it is called."""

Changes = Mapping[str, Any]
Table = TableLayout[Any, Any]


@attrs.frozen(eq=False, slots=False)
class Explored:
    """A design with an empty store, and the rows of its samples."""

    design: Design
    connection: Any
    repository: Any
    rows: Mapping[str, Mapping[str, list[str]]]
    """By table, in hex: `writes`, the row of every write in order of time, and `stored`, the rows after them."""

    def table(self, name: str) -> Table:
        """A table of the design by its name."""
        tables = {table.name: table for table in reversed(tables_of([self.design.main]))}
        return tables[check_name("table", name, tables)]

    def keys(self, table: Table, kind: str) -> list[Any]:
        """The keys of the samples' rows that the declared layout of the table decodes."""
        found: list[Any] = []
        for row in self.rows.get(table.name, {}).get(kind, ()):
            try:
                found.append(table.key.decode(bytes.fromhex(row)))
            except InvalidKey:  # another layout of the same table has it
                continue
        return found

    def measured(self, pattern: AccessPattern, words: list[str] | None = None) -> Measurement:
        """What a question asks of the empty store: its explanation, or its reads."""
        values = pattern.sample if words is None else arguments(pattern, words)
        return measure_pattern(self.connection, self.repository, pattern, values, pattern.limit)


@cache
def explored(name: str) -> Explored:
    """The design of that name, opened once."""
    with _without_numpy():
        design: Design = import_module(f"domains.{name}.design").DESIGN
    connection = scratch_store(design.main.tables)
    rows = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return Explored(design, connection, design.main.open(connection), rows)


class _InPlaceOfNumpy(ModuleType):
    """What modules find when they import numpy and there is none: they can be imported, but not call it afterwards."""

    __path__: ClassVar[list[str]] = []
    is_importing = False

    def __getattr__(self, name: str) -> "_InPlaceOfNumpy":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _types: Any) -> "_InPlaceOfNumpy":
        return self

    def __or__(self, _other: Any) -> "_InPlaceOfNumpy":
        return self

    __ror__ = __or__

    def __call__(self, *_values: Any, **_named: Any) -> "_InPlaceOfNumpy":
        if self.is_importing:
            return self
        raise NeedsNumpy("needs numpy, which is not part of this page")


class NeedsNumpy(ValueError):
    """Something computes with numpy, for which there is no build for browsers to be had."""


@contextmanager
def _without_numpy() -> Iterator[None]:
    """If there is no numpy, lets modules be imported that use it, so that the keys of `tsdb` can be explored."""
    if find_spec("numpy") is not None:
        yield
        return
    names = ("numpy", "numpy.typing")
    sys.modules.update({name: _InPlaceOfNumpy(name) for name in names})
    _InPlaceOfNumpy.is_importing = True
    try:
        yield
    finally:
        _InPlaceOfNumpy.is_importing = False
        for name in names:
            del sys.modules[name]


# ---- the layout


def changed(table: Table, changes: Changes) -> Table:
    """The table with a changed layout. Raises InvalidKey or InvalidRecord with the reason why there is no such one."""
    declared = table.key
    order = changes.get("order") or [*declared.part_named]
    if sorted(order) != sorted(declared.part_named):
        raise InvalidKey(f"order: must have each of {', '.join(declared.part_named)} once (got {', '.join(order)})")
    prefixes = declared.prefixes
    if "prefix" in changes:
        prefixes = () if changes["prefix"] is None else (_prefix(**changes["prefix"]),)
    if order == [*declared.part_named] and not {"codecs", "descending"} & {*changes}:
        key_class = declared.key_class
    else:
        parts = {name: part(_codec(table, name, changes), declared.part_named[name].meaning) for name in order}
        types = {name: field_types(declared.key_class)[name] for name in order}
        key_class = row_key(type(declared.name, (), {"__annotations__": types, "__module__": __name__, **parts}))
    layout = KeyLayout(key_class, *prefixes)
    return attrs.evolve(table, key=layout, splits=split_points(layout))


def _prefix(kind: str, of: str, number: int) -> Prefix:
    return PREFIXES[check_name("prefix", kind, PREFIXES)](of, number)


def _codec(table: Table, name: str, changes: Changes) -> Codec[Any]:
    declared = table.key.part_named[name].codec
    choices = {str(codec): codec for codec in _choices(table, name)}
    text = changes.get("codecs", {}).get(name, str(_ascending(declared)))
    codec = choices[check_name(f"codec of {name}", text, choices)]
    is_descending = changes.get("descending", {}).get(name, isinstance(declared, Descending))
    return Descending(codec) if is_descending else codec


def _ascending(codec: Codec[Any]) -> Codec[Any]:
    return codec.codec if isinstance(codec, Descending) else codec


def _choices(table: Table, name: str) -> list[Codec[Any]]:
    """The declared codec of a part, and those that fit its type; only the declared one if a slice is in the part."""
    declared = _ascending(table.key.part_named[name].codec)
    others = () if share_codec(declared) else CODECS.get(field_types(table.key.key_class)[name], ())
    return [declared, *(codec for codec in others if str(codec) != str(declared))]


# ---- the answers


def describe(design: str) -> dict[str, Any]:
    """The tables of a design, with the parts of their keys, and its questions, each with the table that it reads."""
    of = explored(design)
    tables = {table.name: table for table in reversed(tables_of([of.design.main])) if of.keys(table, "stored")}
    questions: list[dict[str, Any]] = []
    for number, pattern in enumerate(of.design.patterns):
        try:
            reads = of.measured(pattern).ranges
        except NeedsNumpy:
            continue
        if reads and reads[0][0].decode() in tables:
            fields = [
                {"name": one.name, "is_needed": one.default is one.empty, "value": _shown(one.name, pattern.sample)}
                for one in pattern.parameters
            ]
            words = {"number": number, "question": pattern.question, "table": reads[0][0].decode(), "fields": fields}
            questions.append(words)
    described = [_described(of, table) for table in reversed(tables.values())]
    for table in described:
        first, *others = table["parts"]
        fields = [{"name": part["name"], "is_needed": False, "value": None} for part in others]
        fields.insert(0, {"name": first["name"], "is_needed": False, "value": first["value"]})
        questions.append({"number": OWN, "question": OWN_WORDS, "table": table["name"], "fields": fields})
    return {
        "design": design,
        "question": of.design.question,
        "prefixes": [*PREFIXES],
        "legend": LEGEND,
        "tables": described,
        "questions": questions,
    }


def _described(of: Explored, table: Table) -> dict[str, Any]:
    samples = of.keys(table, "stored")
    types = field_types(table.key.key_class)
    middle = len(samples) // 2
    values = next(filter(None, (_typed(key, types) for key in samples[middle:] + samples[:middle])), {})
    return {
        "name": table.name,
        "holds": table.holds,
        "order": (inspect.getdoc(table.key.key_class) or "").partition("\n")[0],
        "samples": len(samples),
        "prefixes": [*map(prefix_line, table.key.prefixes)],
        "parts": [
            {
                "name": one.name,
                "title": part_line(one),
                "meaning": one.meaning,
                "type": types[one.name].__name__,
                "codec": str(_ascending(one.codec)),
                "codecs": [*map(str, _choices(table, one.name))],
                "descending": isinstance(one.codec, Descending),
                "value": values.get(one.name, ""),
            }
            for one in table.key.parts
        ],
    }


def _typed(key: Any, types: Mapping[str, Any]) -> dict[str, str]:
    """The parts of a key as a reader types them; empty if one is shown in another way than it is typed."""
    texts = {name: show_value(name, getattr(key, name)) for name in types}
    read = values_of([f"{name}={text}" for name, text in texts.items()], types, "part")
    return texts if all(read[name] == getattr(key, name) for name in types) else {}


def _shown(name: str, values: Mapping[str, Any]) -> str | None:
    return show_value(name, values[name]) if name in values else None


def encode(design: str, table: str, changes: Changes, values: Mapping[str, str]) -> dict[str, Any]:
    """The key that the values make, with the bytes of each part, as `rowbook explain` reads and writes them.

    If it is not complete, `refused` says why, and `parts` are those that are.
    """
    of = explored(design)
    layout = changed(of.table(table), changes)
    words = [f"{name}={value}" for name, value in values.items()]
    found, missing = encode_keys(of.design, [layout], words)
    if not found:
        return {"refused": missing[0].reason, "parts": _parts(missing[0].parts)}
    row = found[0][1]
    line = key_line(layout.key)
    return {"table": table, "row": row, "row_bytes": len(row), "parts": _parts(layout.key.segments(row)), "key": line}


def _parts(segments: Any) -> list[dict[str, Any]]:
    each: list[Segment] = [*segments]
    return [{"name": segment.name, "bytes": segment.data, "value": segment.value} for segment in each]


def plan(design: str, table: str, changes: Changes, question: int, values: Mapping[str, str]) -> dict[str, Any]:
    """The ranges of a question, and how many rows of the samples they hold; or why the layout refuses it.

    A refused question is also `narrowed`: what its readers would read if the client compared the rest.
    """
    of = explored(design)
    layout = changed(of.table(table), changes)
    if question == OWN:
        return _answered(of, layout, _conditions(layout, values), [])
    pattern = of.design.patterns[question]
    measured = of.measured(pattern, [f"{name}={value}" for name, value in values.items() if value != ""])
    ranges = tuple(rows for stored_in, rows in measured.ranges if stored_in.decode() == table)
    if not ranges:
        raise InvalidQuestion(f"{pattern.name}: does not read {table} with these values")
    explanation = measured.explanation
    if explanation is not None:
        conditions = {name: one for name, one in explanation.conditions.items() if one != keys.between()}
    elif ranges[0].stop == ranges[0].start + b"\0":
        conditions = attrs.asdict(of.table(table).key.decode(ranges[0].start), recurse=False)
    elif changes:
        raise InvalidQuestion(f"{pattern.name}: computes its answer, so only its own key can serve it")
    else:
        return _counted(of, layout, ranges, {}, [])
    beyond = [] if explanation is None else [*explanation.client_work, *explanation.server_filtered]
    return _answered(of, layout, conditions, beyond)


def _conditions(table: Table, values: Mapping[str, str]) -> dict[str, Any]:
    """The conditions on parts that a reader typed."""
    types = field_types(table.key.key_class)
    conditions: dict[str, Any] = {}
    for name, text in values.items():
        start, dots, end = text.partition("..")
        ends = [values_of([f"{name}={one}"], types, "part")[name] if one else None for one in (start, end)]
        if dots:
            conditions[name] = keys.between(*ends)
        elif text.endswith("*"):
            conditions[name] = keys.starting_with(text[:-1])
        elif text:
            conditions[name] = ends[0]
    return conditions


def _answered(of: Explored, layout: Table, conditions: Mapping[str, Any], beyond: list[str]) -> dict[str, Any]:
    if not conditions:
        return _planned(of, layout, layout.whole_table(), conditions, beyond)
    try:
        return _planned(of, layout, layout.plan(**conditions), conditions, beyond)
    except InvalidQuestion as error:
        refused = {"refused": message_of(error)}
    try:
        narrowed = layout.narrow(**conditions)
    except InvalidQuestion:
        narrowed, beyond = layout.whole_table(), [*beyond, *conditions]
    return refused | {"narrowed": _planned(of, layout, narrowed, conditions, beyond)}


def _planned(
    of: Explored, table: Table, plan: Plan, conditions: Mapping[str, Any], beyond: list[str]
) -> dict[str, Any]:
    return _counted(of, table, plan.ranges, conditions, sorted({*plan.residual, *beyond} - {"order"}))


def _counted(
    of: Explored, table: Table, ranges: tuple[RowRange, ...], conditions: Mapping[str, Any], left: list[str]
) -> dict[str, Any]:
    """The ranges, and how many of the samples' rows are in them; of these, how many match as far as keys tell."""
    layout = table.key
    tests = [
        (name, matcher(condition))
        for name, condition in conditions.items()
        if name in layout.part_named and not isinstance(share_codec(layout.part_named[name].codec), Slice)
    ]
    found = {layout.row_of(key): key for key in of.keys(of.table(table.name), "stored")}
    read = [key for row, key in found.items() if any(row in rows for rows in ranges)]
    matching = [key for key in read if all(matches(getattr(key, name)) for name, matches in tests)]
    return {
        "ranges": [_range(rows, layout) for rows in ranges],
        "rows": len(found),
        "read": len(read),
        "matching": len(matching),
        "left": left,
    }


def _range(rows: RowRange, layout: KeyLayout[Any]) -> dict[str, Any]:
    return {"from": rows.start, "up_to": rows.stop, "words": range_words(rows, layout)}


def landing(design: str, table: str, changes: Changes) -> dict[str, Any]:
    """The share that each range takes of the samples' new rows, at each moment, as the heat map counts them."""
    of = explored(design)
    declared = of.table(table)
    layout = changed(declared, changes)
    written = [layout.key.row_of(key) for key in of.keys(declared, "writes")]
    heat = Writes(written, layout.splits.points).heat
    return {
        "moments": [*map(_percents, heat.moment_shares)],
        "shares": _percents(heat.shares),
        "verdict": heat.verdict,
        "cut": heat.cut,
        "writes": len(written),
    }


def _percents(shares: Sequence[float]) -> list[str]:
    return [f"{share:.0%}" if share else "" for share in shares]


def python(design: str, table: str, changes: Changes) -> dict[str, str]:
    """The declaration of the layout, to copy."""
    declared = explored(design).table(table).key
    layout = changed(explored(design).table(table), changes).key
    types = field_types(layout.key_class)
    fields = [
        f"    {one.name}: {types[one.name].__name__} = part({one.codec}, {one.meaning!r})" for one in layout.parts
    ]
    made = f"LAYOUT = KeyLayout({', '.join([layout.name, *map(str, layout.prefixes)])})"
    text = "\n".join(["@row_key", f"class {layout.name}:", *fields, "", "", made, ""])
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    imported = [f"from shared.keys import {', '.join(sorted(names & {*keys.__all__}))}"]
    module = vars(sys.modules[declared.key_class.__module__])
    own = sorted(name for name in names - {*keys.__all__, layout.name} if name in module)
    imported += [f"from {declared.key_class.__module__} import {', '.join(own)}"] if own else []
    return {"python": "\n".join([*imported, "", "", text])}


def run(code: str) -> dict[str, Any]:
    """What a program prints, and its traceback if it fails, as Python shows it. Each run has names of its own."""
    out = StringIO()
    linecache.cache["example.py"] = (len(code), None, code.splitlines(keepends=True), "example.py")
    is_failed = False
    with redirect_stdout(out), redirect_stderr(out):
        try:
            exec(compile(code, "example.py", "exec", dont_inherit=True), {"__name__": "__main__"})
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
