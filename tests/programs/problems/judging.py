"""What a set of tables costs for a problem: rows read and written a second, counted on its records.

An answer is a list of tables, each with a row key: names of fields, after `-` if descending, and at most one salt of a
field. Every table holds all records. A record must have a row of its own in each table; one table must have a key that
never changes, because one row decides; and no range of a table may take more writes than a region absorbs, unless the
writes are even.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

import attrs

from shared.exhibit.heat import EVEN, RANGES, Writes
from shared.keys import Descending, EscapedText, Int64, InvalidQuestion, KeyLayout, Salt, between, part, row_key
from shared.keys.ranges import Plan

from .stated import ABSORBED, BUCKETS, DAY_MS, Problem, Question

SAMPLED = 12
"""Records whose values a question is asked with."""


class InvalidAnswer(ValueError):
    """An answer is not a list of tables of the problem's fields, or cannot be used."""


@attrs.frozen
class TableKey:
    """A row key: fields in order, after `-` if descending, and the field of a salt; empty if there is none."""

    fields: tuple[str, ...]
    salt: str = ""

    @classmethod
    def of(cls, problem: Problem, given: Any) -> "TableKey":
        """A key as an answer has it, `{"key": [...], "salt": ...}`. Raises InvalidAnswer."""
        if not isinstance(given, Mapping) or not isinstance(given.get("key"), list) or not given["key"]:
            raise InvalidAnswer(f"{problem.name}: a table must have a key, a list of fields (got {given!r})")
        key = cls(tuple(map(str, given["key"])), given.get("salt") or "")
        for name in (*map(_name, key.fields), *filter(None, [key.salt])):
            if name not in problem.fields:
                raise InvalidAnswer(f"{problem.name}: must be one of {', '.join(problem.fields)} (got {name!r})")
        names = [*map(_name, key.fields)]
        if len({*names}) != len(names) or (key.salt and key.salt not in names):
            raise InvalidAnswer(f"{problem.name}: a key has each field once, a salt is of one of them (got {given})")
        return key

    @property
    def names(self) -> list[str]:
        """The fields, in order."""
        return [*map(_name, self.fields)]

    def __str__(self) -> str:
        salt = f"[1 of {BUCKETS} buckets of {self.salt}]" if self.salt else ""
        return salt + "".join(f"[{field}]" for field in self.fields)


@attrs.frozen(slots=False)
class StoredTable:
    """The records of a problem under one row key."""

    problem: Problem
    key: TableKey

    @cached_property
    def layout(self) -> KeyLayout[Any]:
        """The layout of the row key."""
        return _layout(self.problem, self.key)

    @cached_property
    def written(self) -> list[tuple[bytes, Mapping[str, Any]]]:
        """The row of each record, in the order of writing."""
        cls, names = self.layout.key_class, self.key.names
        return [(self.layout.encode(cls(*(record[name] for name in names))), record) for record in self.problem.records]

    @cached_property
    def rows(self) -> list[tuple[bytes, Mapping[str, Any]]]:
        """The rows in key order, each with its record."""
        return sorted(self.written, key=lambda stored: stored[0])

    @property
    def moves(self) -> bool:
        """Whether a change of a field moves lines of the table."""
        return any(map(self.problem.changes, self.key.names))

    @cached_property
    def fault(self) -> str:
        """Why the table cannot be used; empty if it can."""
        rows = [row for row, _record in self.written]
        if lost := len(rows) - len({*rows}):
            return f"{self.key} loses {lost} of {len(rows)} records: their rows are equal"
        points = tuple(bytes([bucket]) for bucket in range(1, BUCKETS)) if self.key.salt else ()
        share = Writes(rows, points).heat.share
        if share * self.problem.writes > ABSORBED and share > EVEN / RANGES:
            return f"{self.key} has {share * self.problem.writes:,.0f} writes a second in one range"
        return ""

    @property
    def write_cost(self) -> float:
        """Puts and deletes a second: one for each record, two for each change of a field in the key."""
        return self.problem.writes + sum(2 * self.problem.changes(name) for name in self.key.names)

    def cost(self, question: Question) -> float:
        """Ranges and rows that the question reads a second; a table whose lines move needs a get for each record."""
        random = Random(question.name)
        counted = sum(self._work(question, record) for record in random.sample(self.problem.records, SAMPLED))
        return question.rate * counted / SAMPLED

    def _work(self, question: Question, record: Mapping[str, Any]) -> int:
        conditions: dict[str, Any] = {**{name: record[name] for name in question.equal}, **question.fixed}
        periods = {
            name: (record[name] - int(days * DAY_MS / 2), record[name] + int(days * DAY_MS / 2))
            for name, days in question.within.items()
        }
        bounds = {name: between(*period) for name, period in periods.items()}
        asked = {name: value for name, value in (conditions | bounds).items() if name in self.key.names}
        try:
            plan = self.layout.narrow(**asked)
        except InvalidQuestion:
            plan = self.layout.whole_table()
        wanted = question.limit if question.limit and self._has_order(question) else None
        read = matching = 0
        for stored in self._in_order(plan):
            read += 1
            matching += all(stored[name] == value for name, value in conditions.items()) and all(
                since <= stored[name] < until for name, (since, until) in periods.items()
            )
            if matching == wanted:
                break
        returned = min(matching, question.limit or matching)
        return len(plan.ranges) + read + (returned if self.moves else 0)

    def _has_order(self, question: Question) -> bool:
        """Whether rows of the question's range come in its order."""
        bound = next((n for n, name in enumerate(self.key.names) if name not in question.bound), len(self.key.names))
        return self.key.fields[bound : bound + 1] == (question.order,)

    def _in_order(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        """The records of the plan's ranges, in the order of keys without the salt."""
        found: list[tuple[bytes, Mapping[str, Any]]] = []
        keys = self._keys
        for rows in plan.ranges:
            last = len(keys) if rows.stop is None else bisect_left(keys, rows.stop)
            found += self.rows[bisect_left(keys, rows.start) : last]
        yield from (record for _row, record in sorted(found, key=lambda stored: stored[0][1 if self.key.salt else 0 :]))

    @cached_property
    def _keys(self) -> list[bytes]:
        return [row for row, _record in self.rows]


@attrs.frozen
class Judged:
    """What an answer costs."""

    cost: float | None
    """Rows and ranges a second, read and written; None if the answer cannot be used."""
    faults: Sequence[str]
    """Why it cannot be used."""


def judged(problem: Problem, keys: Sequence[TableKey]) -> Judged:
    """What these tables cost, each question asked of the table that answers it cheapest."""
    tables = [StoredTable(problem, key) for key in keys]
    faults = [table.fault for table in tables if table.fault]
    if not faults and all(table.moves for table in tables):
        faults.append("every key holds a field that changes, so no row decides")
    if faults:
        return Judged(None, faults)
    read = sum(min(table.cost(question) for table in tables) for question in problem.questions)
    return Judged(read + sum(table.write_cost for table in tables), [])


def _layout(problem: Problem, key: TableKey) -> KeyLayout[Any]:
    codecs = {name: EscapedText if isinstance(problem.records[0][name], str) else Int64 for name in key.names}
    parts: dict[str, Any] = {}
    for field in key.fields:
        codec = codecs[_name(field)]
        parts[_name(field)] = part(Descending(codec) if field.startswith("-") else codec, "a part")
    types = {name: str if codec is EscapedText else int for name, codec in codecs.items()}
    key_class: type[Any] = row_key(type("Key", (), parts | {"__annotations__": types}))
    return KeyLayout(key_class, Salt(of=key.salt, buckets=BUCKETS)) if key.salt else KeyLayout(key_class)


def _name(field: str) -> str:
    return field.removeprefix("-")
