"""Thirty problems as people state them: records with fields, and the questions that are asked of them."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import attrs

RECORDS = 800
"""Records that are made for each problem."""
DAY_MS = 86_400_000
START_MS = 1_767_225_600_000
BUCKETS = 8
"""The buckets of a salt in every answer."""
ABSORBED = 10_000
"""Writes a second that one region takes, in all problems; servers of published clusters take 2,900 to 91,000."""


@attrs.frozen
class Question:
    """One question of a problem: what it fixes, its period, its order, and how often it is asked."""

    name: str
    rate: float
    """Times a second."""
    equal: Sequence[str]
    """The fields that have the value of some record."""
    fixed: Mapping[str, str] = attrs.field(factory=dict[str, str])
    """The fields that always have the same value, such as the state `open`."""
    within: Mapping[str, float] = attrs.field(factory=dict[str, float])
    """The field of a time, and the length of the period in days."""
    order: str = ""
    """The field by which the answer is sorted; after `-` if the highest comes first."""
    limit: int | None = None

    @property
    def text(self) -> str:
        """The question in words."""
        period = "".join(f", {name} within {days} days" for name, days in self.within.items())
        order = f", sorted by {self.order}" if self.order else ""
        limit = f", the first {self.limit}" if self.limit else ""
        given = [*self.equal, *(f"{name} = {value}" for name, value in self.fixed.items())]
        return f"{self.name}: {' and '.join(given) or 'nothing'} given{period}{order}{limit}; {self.rate}/s"

    @property
    def bound(self) -> set[str]:
        """The fields that have one value."""
        return {*self.equal, *self.fixed}


@attrs.frozen(slots=False)
class Problem:
    """A problem in a person's words, with its figures."""

    name: str
    text: str
    writes: float
    """Records stored a second."""
    fields: Mapping[str, Mapping[str, Any]]
    questions: Sequence[Question]

    @cached_property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """Records of the problem in the order in which they are written; the same ones each time."""
        random = Random(self.name)
        columns = {name: _values(name, field, random) for name, field in self.fields.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def changes(self, name: str) -> float:
        """Changes of a field a second."""
        return self.fields[name].get("changes", 0)

    @property
    def statement(self) -> str:
        """What a person says, for whoever designs the keys."""
        fields = "".join(f"  {name}: {_meaning(field)}\n" for name, field in self.fields.items())
        questions = "".join(f"  {question.text}\n" for question in self.questions)
        return f"{self.name}: {self.text}\n{self.writes} records are stored a second.\n{fields}{questions}"


def problems() -> list[Problem]:
    """All problems of `problems.toml`."""
    stated = tomllib.loads(Path(__file__).with_name("problems.toml").read_text(encoding="utf-8"))["problems"]
    return [
        Problem(**one | {"questions": [Question(name, **asked) for name, asked in one["questions"].items()]})
        for one in stated
    ]


def _meaning(field: Mapping[str, Any]) -> str:
    match field:
        case {"unique": "rising"}:
            words = "a number that counts up, unique"
        case {"unique": _}:
            words = "a random id, unique"
        case {"days": _}:
            words = "when the record is written, in milliseconds"
        case {"numbers": top}:
            words = f"a number from 0 to {top}"
        case {"values": [*names]}:
            words = f"one of {', '.join(names)} (weights {', '.join(map(str, field['weights']))})"
        case _:
            words = f"a text, {field['values']} values in {RECORDS} records, skew {field['skew']}"
    return f"{words}; changes {field['changes']}/s" if "changes" in field else words


def _values(name: str, field: Mapping[str, Any], random: Random) -> Sequence[Any]:
    match field:
        case {"unique": "rising"}:
            return range(1_000_000, 1_000_000 + RECORDS)
        case {"unique": _}:
            return random.sample([f"{number:06x}" for number in range(RECORDS * 1_000)], RECORDS)
        case {"days": days}:
            return sorted(START_MS + random.randrange(int(days * DAY_MS)) for _ in range(RECORDS))
        case {"numbers": top}:
            return [random.randrange(top + 1) for _ in range(RECORDS)]
        case {"values": [*names]}:
            return random.choices(names, field["weights"], k=RECORDS)
        case _:
            names = [f"{name[:1]}{number}" for number in range(field["values"])]
            random.shuffle(names)  # so that frequent values are no neighbours
            return random.choices(names, [1 / (rank + 1) ** field["skew"] for rank in range(len(names))], k=RECORDS)
