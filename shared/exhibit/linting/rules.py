"""The rules: each is a function of one table that yields its findings, and says in each why and what to do."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

import attrs

from ...designs.patterns import part_line, prefix_line
from ...intents.source_cells import SourceCells
from ...keys import Modulo, Reversed, Salt
from ...keys.conditions import Between
from ...keys.errors import TooManyRanges, listed
from ...keys.parts import Part
from ...keys.prefixes import MAX_BUCKETS
from ...keys.slice_codecs import Slice, share_codec
from ...tables import COUNTER, ItemCells, RecordCells, TableLayout
from ...tables.cells import families_of, record_fields
from ..heat import HOT
from .subjects import LintedTable

RISING = 0.9
"""A sequence rises if so many of its values are not below any value before them."""
FEWEST_VALUES = 16
"""Different values of a part below which samples do not show whether it rises."""
DISTINGUISHED = 0.5
"""Parts after the time are a tie-breaker if they differ in so many of the records of one owner."""


@attrs.frozen
class LintFinding:
    """Something in a table that costs more than it seems, or loses records."""

    rule: str
    """A key of `LINT_RULES`."""
    table: str
    reason: str
    """Why it is a finding, as a sentence without its full stop."""
    advice: str
    """What to do, as a clause that starts with a verb."""


Told = Iterator[tuple[str, str]]
"""The reason and the advice of each finding."""


# ---- keys ----------------------------------------------------------------------------------------


def rising(table: LintedTable) -> Told:
    """The key starts with a time, or with numbers that count up in the samples."""
    layout = table.layout.key
    if layout.spread or not table.is_filled:
        return
    first = layout.parts[0]
    spread = "put a Salt of another part before it, or accept it if one region can absorb all writes"
    if layout.time_bucket is not None:
        yield f"its key starts with the {prefix_line(layout.time_bucket)}: new rows all go to the newest slice", spread
    elif _is_time(first):
        end = "first" if first.codec.descending else "last"
        yield f"its key starts with {part_line(first)}: new rows all go to the {end} region", spread
    elif not isinstance(first.codec, Reversed):
        values = [_number_in(getattr(key, first.name)) for key in table.samples.keys]
        numbers = [number for number in values if number is not None]
        if len(numbers) == len(values) and len(set(numbers)) >= FEWEST_VALUES and _rises(numbers):
            yield (
                f"its key starts with {first.name}, which counts up: new rows are next to each other, in one region",
                "reverse the number or hash it, or accept it if one region can absorb all writes",
            )


def unsplit(table: LintedTable) -> Told:
    """A spreading prefix spreads rows over the regions that exist, and a new table has one."""
    if table.layout.key.spread and not table.layout.splits.points:
        prefix = table.layout.key.spread[0]
        yield (
            f"{prefix_line(prefix)} spreads its rows, but the table has no split points: it starts as one region",
            "leave out splits= of the TableLayout, so that the key layout gives the points, or give some",
        )


def text_number(table: LintedTable) -> Told:
    """Digits of different lengths sort as text: 10 before 9."""
    for part in table.layout.key.parts:
        asked = [question for question in table.asked if isinstance(question.conditions.get(part.name), Between)]
        texts = {getattr(key, part.name) for key in table.samples.keys}
        lengths = {len(text) for text in texts} if all(map(_is_digits, texts)) else set[int]()
        if asked and len(lengths) > 1:
            yield (
                f'"{asked[0].question}" asks for an interval of {part.name}, which holds numbers of {min(lengths)} to '
                f"{max(lengths)} digits as text, where 10 comes before 9",
                "declare an int with UInt64, or DecimalText(width) if people read the keys",
            )


def unbound(table: LintedTable) -> Told:
    """A part without a condition in any question stands before parts that questions compare."""
    names = [part.name for part in table.layout.key.parts]
    given = frozenset[str]().union(*(question.given for question in table.asked))
    if table.all_refused and not any(isinstance(question.reason, TooManyRanges) for question in table.refused):
        yield (
            f"no question gives {names[0]}, with which its key starts, so every question is refused",
            "leave it out, or compute it from other parts as a Salt",
        )
    for number, name in enumerate(names):
        compared = {part for question in table.asked for part in question.conditions.keys() - question.bound}
        blocked = [later for later in names[number + 1 :] if later in compared]
        if name not in given and blocked:
            yield (
                f"no question gives {name}, so no range binds {listed(blocked)} after it",
                f"put {name} after {blocked[-1]}, or leave it out",
            )


def many_ranges(table: LintedTable) -> Told:
    """Every bucket is read in every slice of a period."""
    for question in table.refused:
        error = question.reason
        if isinstance(error, TooManyRanges) and error.layout == table.layout.key.name:
            yield (
                f'"{question.question}" is refused, because a plan has at most {MAX_BUCKETS:,} ranges: {error}',
                "make slices longer or buckets fewer, or ask for a shorter period",
            )


def few_buckets(table: LintedTable) -> Told:
    """A salt fills at most as many buckets as there are values, and a modulo as many as there are remainders."""
    for prefix in table.layout.key.spread:
        if isinstance(prefix, Salt):
            values = {tuple(getattr(key, name) for name in prefix.of) for key in table.samples.keys}
            if 0 < len(values) < prefix.buckets:
                yield (
                    f"the samples have {len(values)} values of {listed(prefix.of)} for {prefix.buckets} buckets, so "
                    f"{prefix.buckets - len(values)} or more of them stay empty",
                    "compute the salt from a part with more values, or take fewer buckets",
                )
        elif isinstance(prefix, Modulo):
            remainders = Counter(getattr(key, prefix.of[0]) % prefix.by for key in table.samples.keys)
            busiest = max(remainders.values(), default=0)
            if busiest > HOT * len(table.samples.keys) and prefix.by > 2:
                yield (
                    f"{busiest / len(table.samples.keys):.0%} of the samples are in one of {prefix.by} buckets: many "
                    f"values of {prefix.of[0]} are multiples of a number that has a divisor in common with {prefix.by}",
                    "compute a Salt from another part",
                )


def tie(table: LintedTable) -> Told:
    """The key has a time, and nothing after it tells records of that time apart."""
    cells = table.layout.cells
    if not isinstance(cells, RecordCells | ItemCells | SourceCells) or not _values(table) or not table.is_filled:
        return
    parts = _key_parts(table)
    times = [number for number, part in enumerate(parts) if _is_time(part)]
    if not times:
        return
    time = parts[times[-1]]
    breaker = "add a part that differs, such as a tie, or accept it if the later record should replace the earlier one"
    if isinstance(share_codec(time.codec), Slice):
        yield (
            f"its key holds only the {part_line(time)}: records of one slice replace each other",
            "put the Rest of the time into the qualifier of ItemCells",
        )
        return
    before = [part.name for part in parts[: times[-1]] if not _is_time(part)]
    after = [part.name for part in parts[times[-1] + 1 :]]
    if not after:
        yield f"no part after {time.name} tells records of one millisecond apart", breaker
    elif not _distinguish(table.samples.records, before, after):
        yield f"{listed(after)} after {time.name} cannot tell all records of one millisecond apart", breaker


# ---- cells and families --------------------------------------------------------------------------


def long_key(table: LintedTable) -> Told:
    """HBase stores the row key with every cell, so a row of many small cells is mostly keys."""
    samples = table.samples
    if all(table.layout.families[name].compression != "NONE" for name in families_of(table.layout.cells)):
        return
    held = samples.name_bytes + samples.value_bytes
    if samples.repeated_key_bytes > held:
        key, cells = samples.key_bytes / len(samples.rows), len(samples.cells) / len(samples.rows)
        yield (
            f"its key of {key:.0f} bytes is stored in each of {cells:.1f} cells of a row: "
            f"{samples.repeated_key_bytes / samples.stored_bytes:.0%} of all bytes repeat it, "
            f"{held / samples.stored_bytes:.0%} are columns and values",
            "store attributes that are read together in one cell, or codes instead of names, or compress the family",
        )


def no_ttl(table: LintedTable) -> Told:
    """A point is one number under a key with a time; there is a new one for each time."""
    values = _values(table)
    fields = record_fields(table.layout.cells.record)
    if len(values) != 1 or not _is_number(fields[values[0]].type) or not any(map(_is_time, _key_parts(table))):
        return
    for name in families_of(table.layout.cells):
        if table.layout.families[name].lifetime_s is None:
            yield (
                f"family {name} has no TTL, and holds a {values[0]} for each time",
                "declare Family(ttl_seconds=...), counted from a cell's timestamp, or delete old rows and accept it",
            )


def source_ttl(table: LintedTable) -> Told:
    """An expired source starts again at revision 1, so a write that was decided long ago may be decided again."""
    if isinstance(table.layout.cells, SourceCells):
        for name in families_of(table.layout.cells):
            if (ttl_s := table.layout.families[name].lifetime_s) is not None:
                yield (
                    f"family {name} expires after {ttl_s:,} s, and holds the source of each record: an "
                    "expired one starts again at revision 1, and its lines stay",
                    "leave out the TTL, and delete records by writes",
                )


def ttls_differ(table: LintedTable) -> Told:
    """Nothing in the rest of a record says that a part of it has expired, unless the rest lacks a required cell."""
    lifetimes = [
        (ttl_s, layout.name, name) for layout in table.of_records for name, ttl_s in layout.lifetimes_s.items()
    ]
    cells = table.layout.cells
    required = cells.required_columns if isinstance(cells, RecordCells) else ()
    keeping = {column.partition(b":")[0].decode() for column in required}
    for name, ttl_s in table.layout.lifetimes_s.items():
        longest_s, other, other_name = max(lifetimes, default=(ttl_s, "", ""))
        if ttl_s < longest_s:
            yield (
                f"family {name} expires after {ttl_s:,.0f} s, but family {other_name} of {other}, which holds the same "
                f"{cells.record.__name__}, "
                + ("never does" if longest_s == math.inf else f"only after {longest_s:,.0f} s"),
                "declare the same ttl_seconds for a record in every table, or accept it if this one may forget",
            )
        elif keeping and name not in keeping and table.layout.families[name].lifetime_s == ttl_s:
            yield (
                f"family {name} expires after {ttl_s:,.0f} s, like what every {cells.record.__name__} has, but HBase "
                "reads the clock for each family: at that moment a record may be read without it",
                "declare longer ttl_seconds for it: queries skip a row that lacks a required cell",
            )


def kept_tombstones(table: LintedTable) -> Told:
    """Thrift1, which happybase speaks, has no field for it."""
    for name in families_of(table.layout.cells):
        keep_ms = table.layout.families[name].keep_tombstones_ms
        if keep_ms:
            yield (
                f"family {name} keeps tombstones for {keep_ms / 60_000:.0f} minutes, which Thrift1 alone cannot set",
                "create the table by `rowbook ddl` or through a store's URL with thrift2_port, and accept it",
            )


RULE_OF: Mapping[str, Callable[[LintedTable], Told]] = {
    "rising": rising,
    "unsplit": unsplit,
    "text-number": text_number,
    "unbound": unbound,
    "long-key": long_key,
    "many-ranges": many_ranges,
    "few-buckets": few_buckets,
    "tie": tie,
    "no-ttl": no_ttl,
    "source-ttl": source_ttl,
    "ttls-differ": ttls_differ,
    "kept-tombstones": kept_tombstones,
}
"""The function of each of the `LINT_RULES`."""


def lint(tables: Iterable[LintedTable]) -> list[LintFinding]:
    """The findings of all rules in some tables, each once, in the order of the rules."""
    tables = list(tables)
    layouts_of: defaultdict[type[Any], list[TableLayout[Any, Any]]] = defaultdict(list)
    for table in tables:
        layouts_of[table.layout.cells.record].append(table.layout)
    tables = [attrs.evolve(table, of_records=layouts_of[table.layout.cells.record]) for table in tables]
    findings = (
        LintFinding(rule, table.layout.name, reason, advice)
        for rule, tell in RULE_OF.items()
        for table in tables
        for reason, advice in tell(table)
    )
    return list(dict.fromkeys(findings))


# ---- parts and values ----------------------------------------------------------------------------


def _is_time(part: Part) -> bool:
    return part.name.endswith("_ms") or share_codec(part.codec) is not None


def _key_parts(table: LintedTable) -> list[Part]:
    """The parts of the row key, then those of the qualifiers."""
    cells = table.layout.cells
    return [*table.layout.key.parts, *(cells.qualifier.parts if isinstance(cells, ItemCells) else ())]


def _number_in(value: Any) -> int | None:
    """An int, or the number at the end of a text such as `n-42`; None if there is none."""
    if type(value) is int:
        return value
    match = re.search(r"[0-9]+$", value) if type(value) is str else None
    return int(match[0]) if match else None


def _rises(numbers: Sequence[int]) -> bool:
    highest, rose = numbers[0], 0
    for number in numbers:
        rose += number >= highest
        highest = max(highest, number)
    return rose >= RISING * len(numbers)


def _is_digits(value: Any) -> bool:
    return type(value) is str and re.fullmatch("[0-9]+", value) is not None


def _values(table: LintedTable) -> list[str]:
    """The attributes that only the cells of a record hold, without counters: HBase adds to those."""
    cells = table.layout.cells
    in_key = {part.name for part in _key_parts(table)}
    names = [name for name in cells.cell_attributes if name not in in_key]
    if isinstance(cells, RecordCells):
        packings = {name: getattr(cells.attributes[name], "packing", None) for name in names}
        return [name for name in names if packings[name] != COUNTER]
    return names


def _distinguish(records: Iterable[Any], before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the attributes `after` differ in most records that agree in the attributes `before`."""
    of_owner: defaultdict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for record in records:
        of_owner[_of(record, before)].append(_of(record, after))
    count = sum(map(len, of_owner.values()))
    return sum(len(set(values)) for values in of_owner.values()) >= DISTINGUISHED * count


def _of(record: Any, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(getattr(record, name, None) for name in names)


def _is_number(declared: Any) -> bool:
    kinds = get_args(declared) if get_origin(declared) in (Union, UnionType) else (declared,)
    return all(kind in (int, float) for kind in kinds)
