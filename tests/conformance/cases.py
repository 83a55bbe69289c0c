"""The cases of the conformance suite, read from the TOML files beside this module; README.md says how to write one."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from shared.stores.thrift1.idl import Thrift1

FOLDER = Path(__file__).parent
SECTIONS = [f"1.{number}" for number in range(1, 11)] + [f"2.{number}" for number in range(1, 7)]

_ONE_FAMILY = {"d": dict[str, Any]()}
_TABLE_FIELDS = {"families", "splits", "rows", "namespaces"}
_RUNNER_CALLS = {"scan", "wait_ms", "major_compaction", "putMultiple"}
_EXPECTATIONS = ("gives", "gives_rows", "matches", "opens", "raises")
_STEP_FIELDS = {*_EXPECTATIONS, "text", "table", "exact_table", "fetch", "values"}
_THRIFT2_FIELDS = {"keepTombstonesMs"}
_READS = re.compile("get|scan|wait_ms|isTableEnabled")
# The calls whose rows a target may put a prefix before, so that cases can share a table.
_SINGLE_ROWS = re.compile("get(?!Table|Column|Region)|mutate|delete(?!Table)|atomicIncrement|increment|append|check")
_LONGEST_SHARED_ROW = 100


class InvalidCase(ValueError):
    """A case that is written wrongly; the message names its file and its sentence."""


@frozen
class Step:
    """One call, and what it gives, opens or raises."""

    call: str
    argument: Any
    expected: Mapping[str, Any]
    text: str | None
    table: str | None
    exact_table: str | None
    fetch: int


@frozen
class Case:
    """A table, and calls on it with what comes back.

    A case that only reads may name a `shared_table` of its file, which it sees filled with `rows`.
    """

    file: str
    sentence: str
    section: str
    slow: bool
    shared_table: str | None
    families: Mapping[str, Mapping[str, Any]] = field(repr=False)
    splits: list[str] = field(repr=False)
    rows: list[list[str]] = field(repr=False)
    namespaces: list[str] = field(repr=False)
    steps: list[Step] = field(repr=False)

    @property
    def needs_thrift2(self) -> bool:
        """Whether Thrift1 cannot create the table, or a namespace."""
        return bool(self.splits or self.namespaces) or any(
            _THRIFT2_FIELDS & options.keys() for options in self.families.values()
        )

    @property
    def puts_dated(self) -> bool:
        """Whether the case calls Thrift2's putMultiple."""
        return any(step.call == "putMultiple" for step in self.steps)

    @property
    def shares(self) -> bool:
        """Whether the case touches single rows of its own table only: those may lie in one table with other cases'."""
        return (
            not self.splits
            and all(_SINGLE_ROWS.match(step.call) or step.call == "wait_ms" for step in self.steps)
            and not any(step.table or step.exact_table is not None for step in self.steps)
            and all(0 < len(row) <= _LONGEST_SHARED_ROW for step in self.steps for row in _rows(step))
            and not any("bytes of" in str(step.argument) for step in self.steps)
        )


@cache
def read_cases(folder: Path = FOLDER) -> list[Case]:
    """All cases, file by file, in the order of each file."""
    cases: list[Case] = []
    file_names: dict[str, str] = {}
    for path in sorted(folder.glob("*.toml")):
        for case in _cases_of(path):
            if case.sentence in file_names:
                raise InvalidCase(f"{path.name}: {case.sentence!r}: also said in {file_names[case.sentence]}")
            file_names[case.sentence] = path.name
            cases.append(case)
    return cases


def _cases_of(path: Path) -> Iterable[Case]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidCase(f"{path.name}: {error}") from error
    tables = content.pop("table", {})
    for name, table in tables.items():
        _check_fields(table, _TABLE_FIELDS, f"{path.name}: table {name}")
    for section, cases in content.items():
        for sentence, fields in cases.items():
            where = f"{path.name}: {sentence!r}"
            _check_fields(fields, {"on", "slow"} if "on" in fields else {"steps", "slow", *_TABLE_FIELDS}, where)
            yield _case(path.stem, section, sentence, fields, tables, where)


def _case(
    file: str, section: str, sentence: str, fields: dict[str, Any], tables: Mapping[str, Any], where: str
) -> Case:
    steps_by_table = fields.get("on") or {None: fields.get("steps")}
    shared, written_steps = next(iter(steps_by_table.items()))
    if len(steps_by_table) > 1 or not written_steps:
        raise InvalidCase(f"{where}: wants steps, or the steps on one table")
    steps = [
        _step(step, f"{where}: step {number}")
        for number, written in enumerate(written_steps, 1)
        for call in _each_call(written)
        for step in _with_each_value(call)
    ]
    if shared is not None and (shared not in tables or not all(_READS.match(step.call) for step in steps)):
        raise InvalidCase(f"{where}: on: wants a table of the file, and steps that only read")
    table = fields if shared is None else tables[shared]
    families, splits, rows = table.get("families", _ONE_FAMILY), table.get("splits", []), table.get("rows", [])
    namespaces = table.get("namespaces", [])
    return Case(file, sentence, section, fields.get("slow", False), shared, families, splits, rows, namespaces, steps)


def _each_call(written: dict[str, Any]) -> list[dict[str, Any]]:
    """The step itself, or if it has `calls`, one step for each of them with the same outcome."""
    outcome = {name: value for name, value in written.items() if name != "calls"}
    return [{**call, **outcome} for call in written["calls"]] if "calls" in written else [written]


def _with_each_value(written: dict[str, Any]) -> list[dict[str, Any]]:
    """The step itself, or if it has `values`, one step for each of them in the place of `{value}`."""
    if "values" not in written:
        return [written]
    return [_with_value(written, value) for value in written["values"]]


def _with_value(written: Any, value: str) -> Any:
    if isinstance(written, dict):
        return {name: _with_value(part, value) for name, part in written.items()}
    if isinstance(written, list):
        return [_with_value(part, value) for part in written]
    return written.replace("{value}", value) if isinstance(written, str) else written


def _step(fields: dict[str, Any], where: str) -> Step:
    calls = [name for name in fields if name not in _STEP_FIELDS]
    if len(calls) != 1:
        raise InvalidCase(f"{where}: wants one call (got {', '.join(calls) or 'none'})")
    (call,) = calls
    if call not in _RUNNER_CALLS and call not in Thrift1.thrift_services:
        raise InvalidCase(f"{where}: {call}: is no call of Thrift1, and none of {', '.join(sorted(_RUNNER_CALLS))}")
    expected = {name: fields[name] for name in _EXPECTATIONS if name in fields}
    answers = call == "scan" or _answers(call)
    if len(expected) > 1 or (bool(expected) != answers and "raises" not in expected):
        raise InvalidCase(
            f"{where}: {call}: wants one of {', '.join(_EXPECTATIONS)} (got {', '.join(expected) or 'none'})"
        )
    if "text" in fields and "raises" not in expected:
        raise InvalidCase(f"{where}: text: belongs to raises")
    options = (fields.get(name) for name in ("text", "table", "exact_table"))
    return Step(call, fields[call], expected, *options, fetch=fields.get("fetch", 1000))


def _answers(call: str) -> bool:
    """Whether the call returns something."""
    return call in Thrift1.thrift_services and 0 in getattr(Thrift1, f"{call}_result").thrift_spec


def parameters(call: str) -> list[str]:
    """The names of a call's parameters, without the table and the attributes."""
    names = [spec[1] for spec in getattr(Thrift1, f"{call}_args").thrift_spec.values()]
    return [name for name in names if name not in ("tableName", "tableNameOrRegionName", "attributes")]


def named_arguments(step: Step) -> dict[str, Any]:
    """A step's arguments by name: written as a list, as a table, or without either when there is only one."""
    names = parameters(step.call)
    if len(names) == 1:
        return {names[0]: step.argument}
    if isinstance(step.argument, dict):
        return step.argument
    return dict(zip(names, step.argument, strict=False))


def _rows(step: Step) -> list[str]:
    if step.call in _RUNNER_CALLS:
        return []
    named = named_arguments(step)
    structs = [named.get("append"), named.get("increment"), *named.get("increments", [])]
    return [
        *([named["row"]] if "row" in named else []),
        *named.get("rows", []),
        *(batch[0] for batch in named.get("rowBatches", [])),
        *(struct.get("row", "") for struct in structs if struct is not None),
    ]


def _check_fields(fields: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    unknown = fields.keys() - set(known)
    if unknown:
        raise InvalidCase(f"{where}: no such field: {', '.join(sorted(unknown))}")
