"""Writes a difference as a conformance case, with HBase's answers as those that are wanted."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.conformance.cases import parameters
from tests.programs.compare.answers import Answer, Cell, Raised, Row
from tests.programs.compare.comparing import Difference
from tests.programs.compare.filters import Combined, Single, text_of
from tests.programs.compare.operations import Moment, Operation
from tests.programs.compare.running import Answered

_RENAMED = {"max_versions": "maxVersions", "time_to_live": "timeToLive"}
_LONG = re.compile(r"(.)\1{99,}", re.DOTALL)


def as_case(difference: Difference, candidate: str) -> str:
    """Lines for a file of `tests/conformance`; of which section it is, and what it says, is for the reader to find.

    A timestamp between two writes has no notation there and stands as words.
    """
    kind = difference.kind
    families = {
        name: {_RENAMED[key]: option for key, option in options.items()} for name, options in kind.families.items()
    }
    last = difference.answered[-1]
    lines = [
        f"# seed {difference.seed}" + ("" if difference.is_reproduced else ", not seen again when repeated"),
        '["section"."..."]',
        f"families = {_toml(families)}",
        *([f"splits = {_toml(list(kind.splits))}"] if kind.splits else []),
        "steps = [",
        *(f"  {step}," for answered in difference.answered for step in _steps(answered, answered.reference)),
        *(f"  # {candidate}: {step}" for step in _steps(last, last.candidate)),
        "]",
    ]
    return "\n".join(lines)


def _steps(answered: Answered, answer: Answer) -> Iterator[str]:
    operation = answered.operation
    if not operation.fetch or isinstance(answer, Raised):
        yield _step(operation, answer)
    elif operation.call == "scannerOpenWithScan" and len(operation.fetch) == 1 and operation.fetch != [None]:
        yield _whole_scan(operation, answer)
    else:
        yield f'{{ {_call(operation)}, opens = "s" }}'
        for number, portion in enumerate(answer):
            size = operation.fetch[number % len(operation.fetch)]
            call = 'scannerGet = "s"' if size is None else f'scannerGetList = ["s", {size}]'
            yield f"{{ {call}, {_expected(portion)} }}"
        yield '{ scannerClose = "s" }'


def _step(operation: Operation, answer: Answer) -> str:
    pieces = [_call(operation)]
    if operation.opens is not None:
        pieces.append(f"opens = {_toml(operation.opens)}")
    elif answer is not None:
        pieces.append(_expected(answer))
    return f"{{ {', '.join(pieces)} }}"


def _whole_scan(operation: Operation, answer: Sequence[Answer]) -> str:
    rows = [row for portion in answer if isinstance(portion, list) for row in portion]
    raised = [portion for portion in answer if isinstance(portion, Raised)]
    pieces = [
        f"scan = {_toml(operation.arguments['scan'])}",
        *([f"fetch = {operation.fetch[0]}"] if operation.fetch != [1000] else []),
        *(map(_expected, raised) if raised else [_expected(rows)]),
        *_table(operation),
    ]
    return f"{{ {', '.join(pieces)} }}"


def _call(operation: Operation) -> str:
    return ", ".join([f"{operation.call} = {_arguments(operation)}", *_table(operation)])


def _table(operation: Operation) -> list[str]:
    return [f"exact_table = {_toml(operation.table)}"] if operation.table is not None else []


def _arguments(operation: Operation) -> str:
    """In the order of the IDL, as a list; a single one alone; by name where some were not sent."""
    arguments = {name: value for name, value in operation.arguments.items() if value is not None}
    if "rowBatches" in arguments:
        arguments["rowBatches"] = [[batch["row"], *batch["mutations"]] for batch in arguments["rowBatches"]]
    names = parameters(operation.call)
    if len(names) == 1 and names[0] in arguments:
        return _toml(arguments[names[0]])
    return _toml([arguments[name] for name in names] if arguments.keys() == set(names) else arguments)


def _expected(answer: Answer) -> str:
    if isinstance(answer, Raised):
        text = f", text = {_toml(answer.java_class)}" if answer.java_class else ""
        return f"raises = {_toml(answer.name)}{text}"
    return f"gives = {_toml(answer)}"


def _toml(value: Any) -> str:
    """A value as the notation of the cases has it."""
    match value:
        case bytes():
            return _quoted(value.decode("latin-1"))
        case str():
            return _quoted(value)
        case bool():
            return json.dumps(value)
        case Moment():
            return _quoted(f"between the last {value.back + 2} writes and the last {value.back + 1}")
        case Single() | Combined():
            return _toml(text_of(value))
        case Cell():
            return _quoted(_cell(value))
        case Row():
            cells = [f"{column.decode('latin-1')}={_cell(cell)}" for column, cell in value.cells]
            return _toml([value.key, cells] if value.in_order else [value.key, *cells])
        case dict() if value.keys() <= {"isDelete", "column", "value"} and "column" in value:
            column = value["column"].decode("latin-1")
            if value.get("isDelete"):
                return _quoted(f"-{column}")
            return _quoted(column if value.get("value") is None else f"{column}={value['value'].decode('latin-1')}")
        case dict():
            pairs = [f"{name} = {_toml(item)}" for name, item in value.items() if item is not None]
            return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
        case list() | tuple():
            return f"[{', '.join(map(_toml, value))}]"
    return str(value)


def _cell(cell: Cell) -> str:
    return f"{cell.value.decode('latin-1')}@{cell.time}"


def _quoted(text: str) -> str:
    return json.dumps(_LONG.sub(lambda match: f"{{{len(match[0])} bytes of {match[1]}}}", text))
