"""The arguments of a call, read from the JSON body or the query string of a request."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any, get_args, get_origin

import attrs

from ..keys.errors import InvalidQuestion, message_of, shown
from ..loading.columns import fields_of, record_maker
from ..loading.description import AS_IS
from ..loading.values import read_value


def read_arguments(method: Callable[..., Any], given: Any) -> dict[str, Any]:
    """The arguments of a repository's method: each is read, as `read_value` does, by its type.

        given = {"seller_id": "s-17", "since_ms": "2026-01-12"}
        repository.of_seller(**read_arguments(repository.of_seller, given))

    `given` is an object of arguments by name, in which a record is an object too. If the method takes one record, and
    nothing else, `given` may be that record itself; if it takes many (`Iterable[Order]`), a list of them.
    Raises InvalidQuestion for a name that is missing or unknown, and for a value that cannot be read.
    """
    parameters = _parameters(method)
    if len(parameters) == 1 and _holds_records(parameters[0].annotation):
        return {parameters[0].name: _read(parameters[0].name, parameters[0].annotation, given)}
    optional = {parameter.name for parameter in parameters if parameter.default is not Parameter.empty}
    types = {parameter.name: parameter.annotation for parameter in parameters}
    values = _checked(given, method.__name__, types, optional)
    return {name: _read(name, types[name], value) for name, value in values.items()}


def _parameters(method: Callable[..., Any]) -> list[Parameter]:
    function = getattr(method, "__func__", method)  # kept for ever, unlike the repository of a method
    return _all_parameters(function)[1 if function is not method else 0 :]


@cache
def _all_parameters(function: Callable[..., Any]) -> list[Parameter]:
    return [*signature(function, eval_str=True).parameters.values()]


def _holds_records(wanted: Any) -> bool:
    return attrs.has(wanted) or (_is_iterable(wanted) and attrs.has(get_args(wanted)[0]))


def _is_iterable(wanted: Any) -> bool:
    return get_origin(wanted) is Iterable


def _checked(given: Any, of: str, types: Mapping[str, Any], optional: Iterable[str]) -> dict[str, Any]:
    """An object by name that has all that is needed, and nothing else."""
    if type(given) is not dict:
        raise InvalidQuestion(f"{of}: must be an object with {', '.join(types)} (got {shown(given)})")
    values: dict[str, Any] = given  # pyright: ignore[reportUnknownVariableType]
    if unknown := [name for name in values if name not in types]:
        raise InvalidQuestion(f"{of}.{unknown[0]}: is unknown (names: {', '.join(types)})")
    if missing := [name for name in types if name not in {*values, *optional}]:
        raise InvalidQuestion(f"{of}.{missing[0]}: is missing")
    return values


def _read(name: str, wanted: Any, value: Any) -> Any:
    if attrs.has(wanted):
        return _record(wanted, value)
    if _is_iterable(wanted):
        if type(value) is not list:
            raise InvalidQuestion(f"{name}: must be a list (got {shown(value)})")
        values: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [_read(name, get_args(wanted)[0], inside) for inside in values]
    try:
        return read_value(name, wanted, value)
    except ValueError as error:
        raise InvalidQuestion(f"{name}: {error}") from None


def _record(record: type[Any], value: Any) -> Any:
    types, optional, make = _fields(record)  # type: ignore[arg-type] # a class can be hashed
    values = _checked(value, record.__name__, types, optional)
    try:
        return make(values)
    except ValueError as error:
        raise InvalidQuestion(message_of(error)) from None


@cache
def _fields(record: type[Any]) -> tuple[Mapping[str, Any], Iterable[str], Callable[[Mapping[str, Any]], Any]]:
    """The types of a record's fields by name, the names of the optional ones, and a function that makes the record."""
    fields = fields_of(record, AS_IS)
    types = {field.name: field.type for field in fields}
    return types, [field.name for field in fields if field.is_optional], record_maker(record, fields)
