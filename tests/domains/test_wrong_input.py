"""Wrong values in records, questions and other calls of every design: one line names the field, wanted and given."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs
import pytest

from domains.command_line.designs import all_designs
from domains.tsdb.records import LAST_POINT_MS
from shared.designs import Design, Variant, load_samples
from shared.keys.errors import message_of, shown
from shared.records import LAST_MS
from shared.stores import connect
from shared.tables import create_tables

LONG = "a" * 1_000_000
WRONG = (
    *(None, True, 0, -1, 1.5, float("nan"), 10**30, 10**5000),
    *("", "\ud800", "a\nb", LONG, "a" * 40_000, b"x", LONG.encode()),
    *([], {}, set[str](), ("x",), [LONG], [10**5000], object()),
)
MAX_MESSAGE = 350

LOADS = [load for design in all_designs() for load in design.loads if load.record.__name__ != "Message"]
RECORDS = [(design.name, load) for design in all_designs() for load in design.loads]
FIRST = {"position": 1, "revision": 1}
"""The first number of a field that does not begin with 0."""
LAST = {
    "position": 2**63 - 2,
    "revision": 2**32 - 1,
    "tie": 2**64 - 1,
    "post_id": 2**64 - 1,
    "tsdb": LAST_POINT_MS,
}
"""The last number of a field, or of the times of a design, that does not go up to the last millisecond of 9999."""
MAY_BE_EMPTY = ("item", "body", "text", "email")
"""Fields of text that may be empty, besides those that are if they are omitted."""
MAY_BE_ANY = ("amount", "price")
"""Fields of numbers without bounds."""
VARIANTS = [(design, variant) for design in all_designs() for variant in design.variants]


def accepts(declared: Any, value: Any) -> bool:
    """Whether a value is of a declared type."""
    origin: Any = get_origin(declared)
    if origin in (Union, UnionType):
        return any(accepts(member, value) for member in get_args(declared))
    if origin is Literal:
        return type(value) is str and value in get_args(declared)
    if origin is Mapping:
        return isinstance(value, Mapping)
    return type(value) is (origin or declared) and value != "\ud800"


def complaint(error: Exception, names: str) -> str:
    """What is wrong with an error, which must name one of `names`; empty text if nothing is."""
    try:
        message = message_of(error)
    except ValueError as unprintable:
        return f"cannot be printed: {unprintable}"
    is_good = isinstance(error, ValueError) and len(message) <= MAX_MESSAGE and message.isprintable()
    if is_good and re.match(names, message):
        return ""
    return f"{type(error).__name__}: {message[:MAX_MESSAGE]}"


def refusals(call: Callable[..., Any], name: str, declared: Any, names: str, /, **others: Any) -> Iterator[str]:
    """What is wrong with the answers to wrong values of one argument."""
    for value in WRONG:
        try:
            answer = call(**others, **{name: value})
            if hasattr(answer, "page"):
                answer = answer.page(1)
            if inspect.isgenerator(answer):
                answer = list(answer)
        except Exception as error:
            if reason := complaint(error, names):
                yield f"{name}={shown(value)}: {reason}"
        else:
            if not accepts(declared, value):
                yield f"{name}={shown(value)}: answered {answer!r:.60}"


@pytest.mark.parametrize("load", LOADS, ids=[load.record.__name__ for load in LOADS])
def test_a_record_refuses_wrong_values_in_one_line(load: Any) -> None:
    sample = next(load.sample_records())
    attrs.resolve_types(load.record)
    fields = [field for field in attrs.fields(load.record) if field.init]
    values = {str(field.alias): getattr(sample, field.name) for field in fields if field.name != "tie"}
    wrong: list[str] = []
    for field in fields:
        others = {name: value for name, value in values.items() if name != field.alias}
        # The store refuses text that is not Unicode, by the codecs of its rows and cells.
        any_text = str | field.type if str in (field.type, *get_args(field.type)) else field.type
        names = rf"{load.record.__name__}\.\w+: must .*\(got "
        wrong += refusals(load.record, str(field.alias), any_text, names, **others)
    assert [line for line in wrong if "='\\ud800': answered" not in line] == []


@pytest.mark.parametrize(("design", "load"), RECORDS, ids=[f"{name}:{load.record.__name__}" for name, load in RECORDS])
def test_a_record_has_numbers_from_first_to_last_and_texts_that_are_not_empty(design: str, load: Any) -> None:
    sample = next(load.sample_records())
    attrs.resolve_types(load.record)
    for field in attrs.fields(load.record):
        values: dict[Any, str] = {}
        if field.type is int and field.name not in MAY_BE_ANY:
            last = LAST.get(field.name, LAST.get(design, LAST_MS))
            first = FIRST.get(field.name, 0)
            values = {end: f"must be {first}..{last} (got {end})" for end in (first - 1, last + 1)}
            ends = [first, last]
            assert [getattr(attrs.evolve(sample, **{field.name: end}), field.name) for end in ends] == ends
        elif field.type in (str, str | None) and field.default != "" and field.name not in MAY_BE_EMPTY:
            values = {"": "must be text, not empty (got '')"}
        for value, reason in values.items():
            with pytest.raises(ValueError, match=f"^{load.record.__name__}.{field.name}: {re.escape(reason)}$"):
                attrs.evolve(sample, **{field.name: value})


def opened(design: Design, variant: Variant) -> Any:
    """The repository of a variant; with the samples if it looks up names, because an unknown one ends a question."""
    connection = connect("embedded:")
    create_tables(connection, variant.tables)
    if design.names_in_key is not None:
        load_samples(connection, design, variant)
    return variant.open(connection)


@pytest.mark.parametrize(("design", "variant"), VARIANTS, ids=[f"{d.name}:{v.name}" for d, v in VARIANTS])
def test_a_question_refuses_wrong_values_in_one_line(design: Design, variant: Variant) -> None:
    repository = opened(design, variant)
    wrong: list[str] = []
    for pattern in {pattern.name: pattern for pattern in design.patterns}.values():
        ask = partial(pattern.ask, repository)
        for parameter in pattern.parameters:
            others = {name: value for name, value in pattern.sample.items() if name != parameter.name}
            # A bound that may be omitted in another question may be None here, and a bucket by chance answers nothing.
            is_bound = parameter.name in ("since_ms", "until_ms", "newest_first")
            declared = parameter.annotation | NoneType if is_bound else parameter.annotation
            names = rf"\w+\.\w+: |(where: )?{parameter.name.removesuffix('_ms')}|\w+: needs |{others.get('tag')}: |"
            names += r"tsdb-uid: \w+: "
            wrong += (f"{pattern.name} {line}" for line in refusals(ask, parameter.name, declared, names, **others))
    assert wrong == []


@pytest.mark.parametrize(("design", "variant"), VARIANTS, ids=[f"{d.name}:{v.name}" for d, v in VARIANTS])
def test_other_calls_refuse_wrong_names_numbers_and_times_in_one_line(design: Design, variant: Variant) -> None:
    repository = opened(design, variant)
    questions = {pattern.method.__name__ for pattern in design.patterns}
    plain: dict[Any, Any] = {int: 0, str: "x", bool: True, int | None: None, str | None: None}
    wrong: list[str] = []
    for name, method in inspect.getmembers(type(repository), inspect.isfunction):
        if name.startswith("_") or name in questions:
            continue
        _self, *parameters = inspect.signature(method, eval_str=True).parameters.values()
        values = {parameter.name: plain.get(parameter.annotation) for parameter in parameters}
        if any(parameter.annotation not in plain for parameter in parameters):
            continue
        for parameter in parameters:
            if parameter.name == "older_than_ms":
                continue
            others = {other: value for other, value in values.items() if other != parameter.name}
            names = rf"\w+\.\w+: |{parameter.name.removesuffix('_ms')}|{name}: needs |tsdb-uid: \w+: "
            call = getattr(repository, name)
            wrong += (
                f"{name} {line}" for line in refusals(call, parameter.name, parameter.annotation, names, **others)
            )
    assert wrong == []
