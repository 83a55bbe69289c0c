"""What the key explorer of the site answers: bytes, ranges and landings of a layout that a reader changes.

It runs in the browser's Python, and in any other. It computes nothing itself: keys, plans, heat and errors are those of
the code that it shows. A layout is the declared one of a table, with `changes`:

    {"order": ["placed_ms", "seller_id"], "codecs": {"placed_ms": "Int64"}, "descending": {"placed_ms": false},
     "prefix": {"kind": "Salt", "of": "seller_id", "number": 8}}

Each may be left out. A `prefix` of None removes the declared ones. `rows` are keys that a reader adds to those of the
samples, each a mapping of parts to texts.
"""

import ast
import inspect
import json
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, lru_cache
from importlib import import_module
from io import StringIO
from itertools import chain, pairwise
from keyword import iskeyword
from pathlib import Path
from typing import Any

import attrs

from shared import keys
from shared.command_line.named.typed_values import arguments, field_types, values_of
from shared.command_line.new_package.name_words import plural, read_renames, words_of
from shared.command_line.rows.given_rows import encode_keys, tables_of
from shared.command_line.screen.wrong_usage import check_name
from shared.designs import AccessPattern, Design
from shared.designs.counting import metered
from shared.designs.metering import Measurement, measure_pattern
from shared.designs.patterns import key_line, part_line, prefix_line
from shared.designs.ruler import show_value
from shared.designs.scratch import scratch_store
from shared.exhibit.heat import LEGEND, Writes
from shared.exhibit.heat_tables import table_heat
from shared.exhibit.part_colours import key_boxes, roles_of
from shared.exhibit.range_words import range_words
from shared.keys import Descending, InvalidKey, InvalidQuestion, KeyLayout, Slice, part, row_key, split_points
from shared.keys.codecs import Codec
from shared.keys.conditions import is_one_value, matcher
from shared.keys.errors import message_of, shown
from shared.keys.parts import Part, Segment
from shared.keys.prefixes import Prefix
from shared.keys.ranges import Plan, RowRange
from shared.keys.slice_codecs import share_codec
from shared.queries import Query
from shared.records.plain_values import json_of
from shared.tables import BoundTable, InvalidRow, RecordCells, TableLayout
from shared.tables.layouts import physical_tables
from shared.tables.record_cells import MARKER_VALUE

from .in_browser import NeedsNumpy, without_numpy

SAMPLES = Path(__file__).with_name("samples")
"""The folder with the rows of each design's samples: what `samples.sample_rows` returns, as JSON."""


class PublishedText(Codec[str]):
    """Text, then a delimiter that may be in the text, too: as keys are often published, to show what that loses.

    PublishedText("_"): "s_17" -> "s_17_", which is read back as "s"
    """

    def __init__(self, delimiter: str) -> None:
        super().__init__(f"PublishedText({delimiter!r})", ordered=False, legible=True)
        self.delimiter = delimiter.encode()

    def encode(self, value: str) -> bytes:
        return keys.TrailingText.encode(value) + self.delimiter

    def decode_first(self, data: bytes) -> tuple[str, bytes]:
        text, _, rest = data.partition(self.delimiter)
        return keys.TrailingText.decode(text), rest


CODECS: Mapping[type, tuple[Codec[Any], ...]] = {
    str: (
        *(keys.EscapedText, keys.TrailingText, keys.DelimitedText("_"), keys.DelimitedText("|")),
        *(keys.DelimitedText("\0"), keys.FixedText(20, "\0"), PublishedText("_")),
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

OWN, OWN_WORDS = -1, "my own question"
"""The number of the question that a reader makes of the parts of a key, and what it is called."""
CHANGED = "MyKey"
"""The name of a key class whose parts a reader changes."""
PAGE = 10
"""The records of a page."""

Changes = Mapping[str, Any]
Texts = Mapping[str, str]
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

    def all_keys(self, table: Table, rows: Sequence[Texts]) -> list[Any]:
        """The keys of the samples, and those that a reader adds."""
        types = field_types(table.key.key_class)
        added = (values_of([f"{name}={text}" for name, text in row.items()], types, "part") for row in rows)
        return [*self.keys(table, "stored"), *(table.key.key_class(**values) for values in added)]

    def measured(self, pattern: AccessPattern, words: list[str] | None = None) -> Measurement:
        """What a question asks of the empty store: its explanation, or its reads."""
        values = pattern.sample if words is None else arguments(pattern, words)
        return measure_pattern(self.connection, self.repository, pattern, values, pattern.limit)


@cache
def explored(name: str) -> Explored:
    """The design of that name, opened once."""
    with without_numpy():
        design: Design = import_module(f"domains.{name}.design").DESIGN
    connection = scratch_store(design.main.tables)
    rows = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return Explored(design, connection, design.main.open(connection), rows)


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
        codecs = {name: _codec(table, name, changes) for name in order}
        parts = {name: part(codec, _meaning(declared.part_named[name], codec)) for name, codec in codecs.items()}
        types = {name: field_types(declared.key_class)[name] for name in order}
        key_class = row_key(type(CHANGED, (), {"__annotations__": types, "__module__": __name__, **parts}))
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


def _meaning(declared: Part, codec: Codec[Any]) -> str:
    """The meaning of a part without what it says of another codec."""
    if codec == declared.codec:
        return declared.meaning
    return re.split(r"[,;] (?=\w+ first|any |descending)", declared.meaning)[0]


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
    parts = chain.from_iterable(table.key.part_named for table in reversed(tables.values()))
    return {
        "design": design,
        "question": of.design.question,
        "names": [of.design.loads[0].record.__name__, *dict.fromkeys(parts)],
        "prefixes": [*PREFIXES],
        "legend": LEGEND,
        "tables": described,
        "questions": questions,
    }


def _described(of: Explored, table: Table) -> dict[str, Any]:
    samples = of.keys(table, "stored")
    types = field_types(table.key.key_class)
    middle = len(samples) // 2
    roles = [role for _label, role in key_boxes(table, roles_of(of.design))][len(table.key.prefixes) :]
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
                "role": role,
                "type": types[one.name].__name__,
                "codec": str(_ascending(one.codec)),
                "codecs": [*map(str, _choices(table, one.name))],
                "descending": isinstance(one.codec, Descending),
                "value": values.get(one.name, ""),
            }
            for one, role in zip(table.key.parts, roles, strict=True)
        ],
    }


def _typed(key: Any, types: Mapping[str, Any]) -> dict[str, str]:
    """The parts of a key as a reader types them; empty if one is shown in another way than it is typed."""
    texts = {name: show_value(name, getattr(key, name)) for name in types}
    read = values_of([f"{name}={text}" for name, text in texts.items()], types, "part")
    return texts if all(read[name] == getattr(key, name) for name in types) else {}


def _shown(name: str, values: Mapping[str, Any]) -> str | None:
    return show_value(name, values[name]) if name in values else None


def encode(design: str, table: str, changes: Changes, values: Texts) -> dict[str, Any]:
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
    if _lossy(layout.key):  # which cannot tell its parts
        types = field_types(layout.key.key_class)
        read = values_of(words, types, "part")
        parts = [{"name": one.name, "bytes": one.codec.encode(read[one.name])} for one in layout.key.parts]
        spread = row[: len(row) - sum(len(one["bytes"]) for one in parts)]
        parts = [{"name": type(prefix).__name__, "bytes": spread} for prefix in layout.key.prefixes] + parts
    else:
        parts = _parts(layout.key.segments(row))
    return {"table": table, "row": row, "row_bytes": len(row), "parts": parts, "key": line}


def _lossy(layout: KeyLayout[Any]) -> list[str]:
    """The parts whose texts are not told from what follows."""
    return [one.name for one in layout.parts if isinstance(_ascending(one.codec), PublishedText)]


def _parts(segments: Any) -> list[dict[str, Any]]:
    each: list[Segment] = [*segments]
    return [{"name": segment.name, "bytes": segment.data, "value": segment.value} for segment in each]


def plan(
    design: str,
    table: str,
    changes: Changes,
    question: int,
    values: Texts,
    rows: Sequence[Texts] = (),
    cursor: str | None = None,
) -> dict[str, Any]:
    """The ranges of a question, how many rows they hold, and the first of them; or why the layout refuses it.

    A refused question is also `narrowed`: what its readers would read if the client compared the rest.
    """
    of = explored(design)
    declared = of.table(table)
    of_rows = attrs.evolve(_stored(design, table, json.dumps([changes, rows])), cursor=cursor)
    if question == OWN:
        return _answered(of_rows, _conditions(declared, values), [])
    pattern = of.design.patterns[question]
    measured = of.measured(pattern, [f"{name}={value}" for name, value in values.items() if value != ""])
    ranges = tuple(rows for stored_in, rows in measured.ranges if stored_in.decode() == table)
    if not ranges:
        raise InvalidQuestion(f"{pattern.name}: does not read {table} with these values")
    explanation = measured.explanation
    if explanation is not None:
        conditions = {name: one for name, one in explanation.conditions.items() if one != keys.between()}
    elif ranges[0].stop == ranges[0].start + b"\0":
        conditions = attrs.asdict(declared.key.decode(ranges[0].start), recurse=False)
    elif changes:
        raise InvalidQuestion(f"{pattern.name}: computes its answer, so only its own key can serve it")
    else:
        return of_rows.counted(ranges, {}, [])
    beyond = [] if explanation is None else [*explanation.client_work]
    answer = _answered(attrs.evolve(of_rows, declared=declared.key), conditions, beyond)
    filtered = () if explanation is None else explanation.server_filtered
    return answer if not filtered else {**answer, "filtered": filtered, "page": None}


def _conditions(table: Table, values: Texts) -> dict[str, Any]:
    """The conditions on parts that a reader typed."""
    types = field_types(table.key.key_class)
    conditions: dict[str, Any] = {}
    for name, text in values.items():
        start, dots, end = map(str.strip, text.partition(".."))
        ends = [values_of([f"{name}={one}"], types, "part")[name] if one else None for one in (start, end)]
        if dots:
            conditions[name] = keys.between(*ends)
        elif start.endswith("*"):
            conditions[name] = keys.starting_with(start[:-1])
        elif start:
            conditions[name] = ends[0]
    return conditions


def _answered(rows: "Rows", conditions: Mapping[str, Any], beyond: list[str]) -> dict[str, Any]:
    layout = rows.table
    if not conditions:
        return rows.planned(layout.whole_table(), conditions, beyond)
    try:
        return rows.planned(layout.plan(**conditions), conditions, beyond)
    except InvalidQuestion as error:
        refused = {"refused": message_of(error)}
    try:
        narrowed = layout.narrow(**conditions)
    except InvalidQuestion:
        narrowed, beyond = layout.whole_table(), [*beyond, *conditions]
    return refused | {"narrowed": rows.planned(narrowed, conditions, beyond)}


@attrs.frozen(eq=False)
class Rows:
    """A table with a layout, the keys of its rows, and a store that holds them; none if a row holds many records."""

    table: Table
    keys: list[Any]
    connection: Any
    cursor: str | None = None
    declared: KeyLayout[Any] | None = None
    """The declared key, in whose direction a question of the design is answered; None for a question of a reader."""

    def planned(self, plan: Plan, conditions: Mapping[str, Any], beyond: list[str]) -> dict[str, Any]:
        """What a plan reads, with its first rows as the store returns them."""
        left = sorted({*plan.residual, *beyond} - {"order"})
        return self.counted(plan.ranges, conditions, left) | self._page(plan, conditions, left)

    def counted(self, ranges: tuple[RowRange, ...], conditions: Mapping[str, Any], left: list[str]) -> dict[str, Any]:
        """The ranges, and how many of the rows are in them; of these, how many match as far as keys tell."""
        layout = self.table.key
        matches = self._matcher(conditions)
        found: dict[bytes, Any] = {}
        lost: list[str] = []
        for key in self.keys:
            row = layout.row_of(key)
            if row in found and _values(found[row]) != _values(key):
                lost.append(f"{', '.join(_values(key))} replaces {', '.join(_values(found[row]))}, whose bytes it has")
            found[row] = key
        read = {row: key for row, key in found.items() if any(row in rows for rows in ranges)}
        return {
            "ranges": [_range(rows, layout) for rows in ranges],
            "rows": len(found),
            "lost": lost,
            "read": len(read),
            "matching": sum(map(matches, read.values())),
            "misread": [*filter(None, (_misread(layout, row, key) for row, key in read.items()))],
            "disordered": _disordered(layout, found),
            "left": left,
        }

    def _matcher(self, conditions: Mapping[str, Any]) -> Callable[[Any], bool]:
        parts = self.table.key.part_named
        tests = [
            (name, matcher(condition))
            for name, condition in conditions.items()
            if name in parts and not isinstance(share_codec(parts[name].codec), Slice)
        ]
        return lambda key: all(matches(getattr(key, name)) for name, matches in tests)

    def _page(self, plan: Plan, conditions: Mapping[str, Any], left: list[str]) -> dict[str, Any]:
        """A page of the rows, as the store returns them; none if the keys do not tell which match."""
        if self.connection is None or any(name not in self.table.key.part_named for name in left):
            return {}
        unreadable: list[InvalidRow] = []
        beyond = {name: condition for name, condition in conditions.items() if name not in plan.conditions}
        query = Query(BoundTable(self.connection, self.table), plan).where(**beyond).on_invalid(unreadable.append)
        wanted, present = (_first_open(layout, conditions) for layout in (self.declared, self.table.key))
        is_reverse = wanted is not None and present is not None and wanted.name == present.name
        is_reverse = is_reverse and wanted.codec.descending != present.codec.descending
        query = query.newest_first(wanted.codec.descending) if is_reverse else query
        with metered(self.connection) as cost:
            page = query.page(PAGE, self.cursor)
        names = self.table.key.part_named
        return {
            "page": [{name: show_value(name, getattr(key, name)) for name in names} for key in page.records],
            "is_reverse": is_reverse,
            "page_read": cost.rows_read,
            "page_rpcs": cost.rpcs,
            "cursor": page.cursor,
        }


def _disordered(layout: KeyLayout[Any], found: Mapping[bytes, Any]) -> str:
    """Two neighbours whose bytes are in another order than their values: `seller_id s-17 before s-1`; empty if none."""
    width = sum(prefix.width_bytes for prefix in layout.spread)
    for row, later in pairwise(sorted(found)):
        name = next(name for name in layout.part_named if getattr(found[row], name) != getattr(found[later], name))
        first, second = (getattr(found[each], name) for each in (row, later))
        if row[:width] == later[:width] and first > second and not layout.part_named[name].codec.ordered:
            return f"{name} {show_value(name, first)} before {show_value(name, second)}"
    return ""


@lru_cache(maxsize=4)
def _stored(design: str, table: str, changes_and_rows: str) -> Rows:
    changes, rows = json.loads(changes_and_rows)
    of = explored(design)
    keys, layout = of.all_keys(of.table(table), rows), changed(of.table(table), changes)
    if any(isinstance(share_codec(one.codec), Slice) for one in layout.key.parts):
        return Rows(layout, keys, None)
    of_keys = TableLayout(table, layout.holds, layout.key, RecordCells(layout.key.key_class, {}, marker="f:x"))
    connection = scratch_store([of_keys])
    with connection.table(table).batch() as batch:
        for key in keys:
            batch.put(layout.key.row_of(key), {b"f:x": MARKER_VALUE})
    return Rows(of_keys, keys, connection)


def _first_open(layout: KeyLayout[Any] | None, conditions: Mapping[str, Any]) -> Part | None:
    """The first part of a key for which a question gives no single value, by whose values its answer is sorted."""
    parts = () if layout is None else layout.parts
    return next((one for one in parts if not is_one_value(conditions.get(one.name, keys.between()))), None)


def _values(key: Any) -> list[str]:
    """The values of a key as a person reads them."""
    return [show_value(name, value) for name, value in attrs.asdict(key, recurse=False).items()]


def _misread(layout: KeyLayout[Any], row: bytes, key: Any) -> str:
    """How a row is read back as another key, or why not at all; empty if it is read as it was written."""
    try:
        found = layout.decode(row)
    except InvalidKey as error:
        return message_of(error)
    pairs = ((name, getattr(key, name), getattr(found, name)) for name in layout.part_named)
    return ", ".join(
        f"{name} {show_value(name, put)} as {show_value(name, got)}" for name, put, got in pairs if put != got
    )


def _disordered(layout: KeyLayout[Any], found: Mapping[bytes, Any]) -> str:
    """Two neighbours whose bytes are in another order than their values: `seller_id s-17 before s-1`; empty if none."""
    width = sum(prefix.width_bytes for prefix in layout.spread)
    for row, later in pairwise(sorted(found)):
        name = next(name for name in layout.part_named if getattr(found[row], name) != getattr(found[later], name))
        first, second = (getattr(found[each], name) for each in (row, later))
        if row[:width] == later[:width] and first > second and not layout.part_named[name].codec.ordered:
            return f"{name} {show_value(name, first)} before {show_value(name, second)}"
    return ""


@lru_cache(maxsize=4)
def _stored(design: str, table: str, changes_and_rows: str) -> Rows:
    changes, rows = json.loads(changes_and_rows)
    of = explored(design)
    keys, layout = of.all_keys(of.table(table), rows), changed(of.table(table), changes)
    if any(isinstance(share_codec(one.codec), Slice) for one in layout.key.parts):
        return Rows(layout, keys, None)
    of_keys = TableLayout(table, layout.holds, layout.key, RecordCells(layout.key.key_class, {}, marker="f:x"))
    connection = scratch_store([of_keys])
    with connection.table(table).batch() as batch:
        for key in keys:
            batch.put(layout.key.row_of(key), {b"f:x": MARKER_VALUE})
    return Rows(of_keys, keys, connection)


def _is_misread(layout: KeyLayout[Any], row: bytes, key: Any) -> bool:
    """Whether a row is read back as another key, or not at all."""
    try:
        return any(getattr(layout.decode(row), name) != getattr(key, name) for name in layout.part_named)
    except InvalidKey:
        return True


def _range(rows: RowRange, layout: KeyLayout[Any]) -> dict[str, Any]:
    return {"from": rows.start, "up_to": rows.stop, "words": range_words(rows, layout)}


def landing(design: str, table: str, changes: Changes) -> dict[str, Any]:
    """The share that each range takes of the samples' new rows, at each moment, as the heat map counts them."""
    of = explored(design)
    declared = of.table(table)
    layout = changed(declared, changes)
    written = [layout.key.row_of(key) for key in of.keys(declared, "writes")]
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


def python(
    design: str, table: str, changes: Changes, values: Texts | None = None, names: Texts | None = None
) -> dict[str, str]:
    """The declaration of the layout and the bytes of the values, to copy; and the command that copies the design.

    `names` are a reader's own: of the record, by its class, and of parts.
    """
    of = explored(design)
    declared, layout = of.table(table).key, changed(of.table(table), changes).key
    if lossy := _lossy(layout):
        raise InvalidKey(f"{', '.join(lossy)}: PublishedText loses rows, so the library has no such codec")
    record = of.design.loads[0].record.__name__
    names = {name: new.strip() for name, new in (names or {}).items() if new.strip()}
    for name, new in names.items():
        if not new.isidentifier() or iskeyword(new):
            raise ValueError(f"your name for {name}: must be a name of Python, such as garage_id (got {shown(new)})")
    words = _renames(record, names)
    renames = read_renames(words.get("--record"), record, words.get("--rename", ()))
    types = field_types(layout.key_class)
    named = f"{names[record]}Key" if layout.name == CHANGED and record in names else renames.of(layout.name)
    fields = [
        f"    {renames.of(one.name)}: {types[one.name].__name__} = part({one.codec}, {renames.in_prose(one.meaning)!r})"
        for one in layout.parts
    ]
    prefixes = (re.sub(r"(?<=of=')\w+", lambda of: renames.of(of[0]), str(prefix)) for prefix in layout.prefixes)
    lines = ["@row_key", f"class {named}:", *fields, "", "", f"LAYOUT = KeyLayout({', '.join([named, *prefixes])})"]
    if values and all(values.values()):
        read = values_of([f"{name}={values[name]}" for name in types], types, "part")
        given = ", ".join(f"{renames.of(one.name)}={read[one.name]!r}" for one in layout.parts)
        lines += [f"row = LAYOUT.encode({named}({given}))", 'print(row.hex(" "))']
    text = "\n".join([*lines, ""])
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    imported = [f"from shared.keys import {', '.join(sorted(used & {*keys.__all__}))}"]
    module = vars(sys.modules[declared.key_class.__module__])
    own = sorted(name for name in used - {*keys.__all__, named} if name in module)
    imported += [f"from {declared.key_class.__module__} import {', '.join(own)}"] if own else []
    options = [f"--record {words['--record']}"] if "--record" in words else []
    options += [f"--rename {pair}" for pair in words.get("--rename", ())]
    folder = plural("_".join(words_of(names[record]))) if record in names else design
    return {
        "python": "\n".join([*imported, "", "", text]),
        "command": " ".join([f"rowbook new ../{folder} --from {design}", *options]),
    }


def _renames(record: str, names: Texts) -> dict[str, Any]:
    """The options of `rowbook new` that give names to a record and to parts, with as few words as do.

    {"seller_id": "garage_id"} needs `seller=garage`, {"buyer_id": "plate"} `buyer=plate` and `buyer_id=plate`.
    """
    options: dict[str, Any] = {"--record": names[record]} if record in names else {}
    pairs: list[str] = []
    for name, new in names.items():
        if name == record:
            continue
        old_words, new_words = name.split("_"), new.split("_")
        if len(old_words) > 1 == len(new_words):
            del old_words[-1]
        while len(old_words) > 1 < len(new_words) and old_words[-1] == new_words[-1]:
            del old_words[-1], new_words[-1]
        shorter = [] if words_of(record) == (*old_words,) else [f"{'_'.join(old_words)}={'_'.join(new_words)}"]
        for pair in (*shorter, f"{name}={new}"):
            if read_renames(options.get("--record"), record, pairs).of(name) != new:
                pairs.append(pair)
    return options | ({"--rename": pairs} if pairs else {})


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
