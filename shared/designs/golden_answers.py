"""Golden answers: what each question finds in the samples, in a file beside them."""

import json
from collections.abc import Iterable
from typing import Any

import attrs

from ..records.plain_values import plain_value
from .metering import Measurement

FIRST_RECORDS = 5
"""Records of each answer whose values are golden."""


def golden_answers(measured: Iterable[Measurement]) -> dict[str, Any]:
    """{question: {"records": how many, "first": [[value, ...], ...]}} of the questions that are answered.

    Values are as in JSON, bytes in hex, times as ISO 8601; a record is a list of its values.
    """
    return {
        answer.pattern.question: {
            "records": len(answer.records),
            "first": [_in_json(record) for record in answer.records[:FIRST_RECORDS]],
        }
        for answer in measured
        if not answer.refused
    }


def json_of_answers(answers: dict[str, Any]) -> str:
    """The text of a file of golden answers: a line for each record, so that two versions can be compared."""
    lines: list[str] = []
    for question, answer in answers.items():
        first = ",".join(f"\n   {_line(record)}" for record in answer["first"])
        lines.append(f' {_line(question)}: {{\n  "records": {answer["records"]},\n  "first": [{first}\n  ]\n }}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _in_json(value: Any) -> Any:
    of: type[Any] = value.__class__
    if attrs.has(of):
        return [_in_json(inner) for inner in attrs.astuple(value, recurse=False)]
    if of is dict:
        return {str(name): _in_json(inner) for name, inner in value.items()}
    return [_in_json(inner) for inner in value] if of in (list, tuple) else plain_value(value)
