"""The names that a shell completes, and that help texts list."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from ...designs import Design, Variant
from ...designs.arguments import patterns_by_name
from ...loading import FORMATS, PARQUET
from .designs import all_designs, design_named
from .own_designs import own_design
from .suite import suite
from .typed_values import field_types


def question_names(name: str) -> list[str]:
    """The questions of the design with this name, or with a variant of this name."""
    design = _design(name)
    return [] if design is None else [*patterns_by_name(design)]


def format_names() -> list[str]:
    """The names of all formats that a design reads."""
    own = [format.name for design in all_designs() for load in design.loads for format in load.formats]
    return list(dict.fromkeys([*(format.name for format in FORMATS), PARQUET, *own]))


def load_names() -> list[str]:
    """The names of all loads of the designs."""
    return list(dict.fromkeys(load.name for design in all_designs() for load in design.loads))


def table_names(name: str) -> list[str]:
    """The tables of a variant, as `scan`, `get` and `count` name them."""
    variant = _variant(name)
    return [] if variant is None else list(dict.fromkeys(table.name for table in variant.record_tables))


def action_names(name: str) -> list[str]:
    """The actions of a design."""
    design = _design(name)
    return [] if design is None else [action.name for action in design.actions]


def setting_words(name: str) -> list[str]:
    """The settings of a design's tables, each with an equals sign."""
    design = _design(name)
    return [] if design is None or design.settings is None else [f"{setting}=" for setting in design.settings.names]


def may_have_settings(words: Sequence[str]) -> bool:
    """Whether the tables of a design that these words name have settings; also if they name none."""
    named = [design for word in words if (design := _design(word)) is not None]
    return not named or any(design.settings is not None for design in named)


def column_words(name: str) -> list[str]:
    """The fields of a design's records, each with an equals sign."""
    design = _design(name)
    return [] if design is None else [f"{field}=" for load in design.loads for field in field_types(load.record)]


def field_words(command: str, given: Mapping[str, Any], incomplete: str) -> list[str]:
    """The words `FIELD=VALUE` with which a command may go on: fields, or the values of a field that has only a few.

    bash cuts a word at its equals sign, and completes what follows it.
    """
    types = _types(command, given)
    words = [*(given.get("fields") or ())]
    if incomplete == "=" or words[-1:] == ["="]:
        field = words[-1] if incomplete == "=" else words[-2]
        start = "=" if incomplete == "=" else ""
        return [f"{start}{value}" for value in _choices(types.get(field))]
    field, equals, _value = incomplete.partition("=")
    if equals:
        return [f"{field}={value}" for value in _choices(types.get(field))]
    known = {word.partition("=")[0] for word in words}
    return [f"{name}=" for name in types if name not in known]


def _design(name: str) -> Design | None:
    design_name = name.partition(":")[0]
    return own_design(design_name) or (design_named(design_name) if design_name in suite().names else None)


def _variant(name: str) -> Variant | None:
    design, variant_name = _design(name), name.partition(":")[2]
    if design is None:
        return None
    return next((variant for variant in design.variants if variant.name == variant_name), design.main)


def _types(command: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a command takes, with their types."""
    name, types = str(given.get("name")), dict[str, Any]()
    design, variant = _design(name), _variant(name)
    if design is None or variant is None:
        return types
    called = [*design.patterns, *design.actions]
    wanted = given.get("question") or given.get("action")
    if command in ("ask", "do"):
        parameters = (one.parameters for one in called if one.name == wanted)
        return {parameter.name: parameter.annotation for parameters_ in parameters for parameter in parameters_}
    for table in variant.record_tables:
        if given.get("table") in (None, table.name):
            types |= {**field_types(table.key.key_class), **field_types(table.cells.record)}
    return types


def _choices(wanted: Any) -> list[str]:
    """The values of a type that has only a few."""
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return [str(member.value) for member in wanted]
    if get_origin(wanted) is Literal:
        return [str(value) for value in get_args(wanted)]
    return [choice for one in get_args(wanted) for choice in _choices(one)]
