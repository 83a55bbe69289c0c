"""The declared types of a record's attributes: which values they accept, and what error messages call them."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

_TYPE_NAMES = {
    int: "an int",
    float: "a float",
    str: "text",
    bytes: "bytes",
    bool: "a bool",
    datetime: "a datetime with a zone",
    Decimal: "a finite Decimal",
}


def _is_finite(value: Any) -> bool:
    return type(value) is Decimal and value.is_finite()


def type_check(declared: Any) -> Callable[[Any], bool]:
    """A function that tells whether a value is exactly of a declared type.

    A bool is not an int. Of lists, maps and the like it checks the outer type only; a `Mapping` may be of any class. A
    datetime must have a zone, and a Decimal must be finite.
    """
    origin: Any = get_origin(declared)
    if literals := literals_of(declared):
        return lambda value: (type(value), value) in literals
    if origin in (Union, UnionType):
        checks = [type_check(member) for member in get_args(declared)]
        return lambda value: any(check(value) for check in checks)
    if declared is Any:
        return lambda value: True
    if declared is datetime:
        from ..keys.value_codecs import is_moment  # few records need it

        return is_moment
    if declared is Decimal:
        return _is_finite
    if origin is Mapping:
        return lambda value: isinstance(value, Mapping)
    return lambda value: type(value) is (origin or declared or type(None))


def includes_none(declared: Any) -> bool:
    """Whether None is a value of a declared type."""
    return type_check(declared)(None)


def literals_of(declared: Any) -> tuple[tuple[type, Any], ...]:
    """The (type, value) pairs of a `Literal`, because True == 1 and 1 == 1.0; none for any other type."""
    origin: Any = get_origin(declared)
    values: tuple[Any, ...] = get_args(declared) if origin is Literal else ()
    return tuple((value.__class__, value) for value in values)


def is_other_literal(declared: Any, value: Any) -> bool:
    """Whether a value would be of a declared type if one of its `Literal`s had that value, too."""
    if get_origin(declared) in (Union, UnionType):
        return any(is_other_literal(member, value) for member in get_args(declared))
    return any(type(value) is literal_type for literal_type, _ in literals_of(declared))


def members_of(declared: Any) -> Iterator[Any]:
    """The types that a declared type allows: the members of a union, the types of a `Literal`, or the type itself."""
    if get_origin(declared) in (Union, UnionType):
        for member in get_args(declared):
            yield from members_of(member)
    else:
        yield from dict.fromkeys(literal_type for literal_type, _ in literals_of(declared)) or (declared,)


def excludes_maps(declared: Any) -> bool:
    """Whether no value of a declared type is or contains a map, whose keys msgpack may refuse."""
    members = get_args(declared)
    if get_origin(declared) in (list, Union, UnionType):
        return all(map(excludes_maps, members))
    return declared in (*_TYPE_NAMES, NoneType) or bool(literals_of(declared))


def words_for(declared: Any) -> str:
    """A declared type as error messages show it: `text`, `one of open, done`."""
    if get_origin(declared) is Literal:
        return f"one of {', '.join(map(str, get_args(declared)))}"
    return _TYPE_NAMES.get(declared) or type_name(declared)


def type_name(declared: Any) -> str:
    """A declared type as code writes it: `str | None`, `Mapping[str, int]`, `Status`."""
    if isinstance(declared, type) and not get_args(declared):
        return declared.__name__
    return str(declared).removeprefix("collections.abc.").removeprefix("typing.")
