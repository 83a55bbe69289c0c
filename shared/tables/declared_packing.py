"""The packing of a declared type: how msgpack holds the types that people have and it lacks.

    datetime       an int, microseconds since 1970-01-01 UTC; it must have a zone, and is read in UTC
    date           an int, days since 1970-01-01
    Enum           its value, text or an int; a value that no member has is an `UnknownValue`
    UUID           its 16 bytes
    Decimal        text, with all its digits; it must be finite
    tuple          an array: of any length, `tuple[date, ...]`, or of these types, `tuple[str, date]`
    attrs class    a map by the names of its attributes; one that the map lacks has its default

Each may be optional, and inside the others, lists and maps, where every value is checked. A map with an attribute that
this release does not know is an `UnknownValue`, because a record that is written again would lose it. The types of a
union must differ once they are packed. Values that Python calls equal are one to a write: it keeps 1.0 if 1.00 comes.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from enum import Enum, Flag
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import attrs

from ..keys.errors import listed, message_of, shown
from ..keys.parts import init_fields
from ..keys.value_codecs import day_of, days_of, microseconds_of, moment_of, uuid_of
from .declared_types import is_other_literal, literals_of, type_check, type_name, words_for
from .errors import UnknownValue
from .packing import MSGPACK, Packing, msgpack_of

_PLAIN: tuple[type[Any], ...] = (NoneType, bool, int, float, str, bytes)
_ALL: frozenset[type[Any]] = frozenset((*_PLAIN, list, dict))
"""The classes of plain values, which msgpack holds as they are."""


def msgpack_for(declared: Any) -> Packing:
    """The packing of values of a declared type; ValueError, which says what to do, if there is none."""
    form = _form_of(declared)
    return MSGPACK if form.is_plain else msgpack_of(form.to_plain, form.from_plain)


@attrs.frozen
class _Form:
    """How values of a declared type become plain, and are made of plain ones."""

    declared: Any
    fits: Callable[[Any], bool]
    classes: frozenset[type]
    """The classes of its values."""
    plain_classes: frozenset[type]
    to: Callable[[Any], Any] | None = None
    """What makes a value plain; None if it is so."""
    back: Callable[[Any], Any] | None = None

    @property
    def is_plain(self) -> bool:
        return self.to is None

    def to_plain(self, value: Any) -> Any:
        """The plain value; ValueError for a value of another type."""
        if not self.fits(value):
            raise ValueError(f"must be {words_for(self.declared)} (got {shown(value)})")
        return value if self.to is None else self.to(value)

    def from_plain(self, plain: Any) -> Any:
        """The value of a plain one; ValueError if none has it, UnknownValue if one of a later release may have it."""
        if plain.__class__ in self.plain_classes and self.back is not None:
            return self.back(plain)
        if self.back is not None or not self.fits(plain):
            error = UnknownValue if is_other_literal(self.declared, plain) else ValueError
            raise error(f"must be {words_for(self.declared)} (got {shown(plain)})")
        return plain


def _form_of(declared: Any, within: tuple[type, ...] = ()) -> _Form:
    """The form of a type, inside these attrs classes; ValueError if it has none."""
    origin: Any = get_origin(declared)
    literal_types = {literal_type for literal_type, _ in literals_of(declared)}
    if declared is Any:
        return _form(declared, _ALL)
    if isinstance(declared, type) and declared in _ALL:
        return _form(declared, (declared,))
    if literal_types and literal_types <= {*_PLAIN}:
        return _form(declared, literal_types)
    if origin in (Union, UnionType, list, dict, Mapping, tuple):
        types = (NoneType if member is None else member for member in get_args(declared) if member is not ...)
        members = [_form_of(member, within) for member in types]
        if origin is tuple:
            ways = _each(tuple, *members) if ... in get_args(declared) else _in_order(members)
            return _form(declared, {tuple}, {list}, *ways)
        if origin is list:
            return _form(declared, {list}, {list}, *(_each(list, *members) if _any_converts(members) else ()))
        return _union(declared, members) if origin in (Union, UnionType) else _map(declared, *members)
    if isinstance(declared, type):
        of_class: type[Any] = declared
        if declared in _scalars():
            plain, to, back = _scalars()[declared]
            return _form(declared, {declared}, {plain}, to, back)
        if issubclass(declared, Enum):
            return _enum(declared)
        if attrs.has(of_class):
            return _record(of_class, within)
    others = "declare a list, a tuple[X, ...], an attrs class, or another type of declared_packing.py"
    raise ValueError(f"must be of a type that can be packed (got {type_name(declared)}): {others}")


def _form(
    declared: Any,
    classes: Iterable[type],
    plain: Iterable[type] | None = None,
    to: Callable[[Any], Any] | None = None,
    back: Callable[[Any], Any] | None = None,
) -> _Form:
    plain = classes if plain is None else plain
    return _Form(declared, type_check(declared), frozenset(classes), frozenset(plain), to, back)


def _any_converts(members: Iterable[_Form]) -> bool:
    return not all(member.is_plain for member in members)


# ---- single values -------------------------------------------------------------------------------


@cache
def _scalars() -> dict[type, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]]:
    """The class of a plain value for each type, and the functions that make one of the other."""
    from uuid import UUID  # takes longer to load than this module, and few records need it

    return {
        datetime: (int, microseconds_of, moment_of),
        date: (int, days_of, day_of),
        Decimal: (str, str, _decimal_of),
        UUID: (bytes, attrgetter("bytes"), uuid_of),
    }


def _decimal_of(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or str(value) != text:
        raise ValueError(f"must be a finite Decimal as Python writes it (got {shown(text)})")
    return value


def _enum(declared: type[Enum]) -> _Form:
    member_of: dict[Any, Enum] = {member.value: member for member in declared}
    classes = {value.__class__ for value in member_of}
    fit_64_bits = all(-(2**63) <= value < 2**64 for value in member_of if type(value) is int)
    if not classes or not classes <= {str, int} or not fit_64_bits or issubclass(declared, Flag):
        wanted = "must be an Enum whose values are texts or ints of up to 64 bits, and not a Flag"
        raise ValueError(f"{wanted} (got {type_name(declared)}): change its values, or declare those")

    def back(plain: Any) -> Enum:
        if plain not in member_of:
            raise UnknownValue(f"must be one of {', '.join(map(str, member_of))} (got {shown(plain)})")
        return member_of[plain]

    return _form(declared, {declared}, classes, attrgetter("value"), back)


# ---- values that hold others ---------------------------------------------------------------------


def _each(make: Callable[[Any], Any], member: _Form) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """What makes plain values of several alike, and back: `make` is their class."""
    return (
        lambda values: [member.to_plain(value) for value in values],
        lambda plain: make([member.from_plain(value) for value in plain]),
    )


def _in_order(members: Sequence[_Form]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """What makes plain values of a tuple whose values have a type each, and back."""

    def checked(values: Sequence[Any]) -> Iterable[tuple[_Form, Any]]:
        if len(values) != len(members):
            raise ValueError(f"must have {len(members)} values (got {len(values)})")
        return zip(members, values, strict=True)

    return (
        lambda values: [member.to_plain(value) for member, value in checked(values)],
        lambda plain: tuple(member.from_plain(value) for member, value in checked(plain)),
    )


def _map(declared: Any, *members: _Form) -> _Form:
    if not _any_converts(members):
        return _form(declared, {dict})
    key, value = members
    if key.plain_classes & {list, dict}:
        wanted = "must have keys of a single value"
        raise ValueError(f"{wanted} (got {type_name(declared)}): declare a list of pairs, list[tuple[X, Y]]")
    return _form(
        declared,
        {dict},
        {dict},
        lambda values: {key.to_plain(name): value.to_plain(of_name) for name, of_name in values.items()},
        lambda plain: {key.from_plain(name): value.from_plain(of_name) for name, of_name in plain.items()},
    )


def _union(declared: Any, members: Sequence[_Form]) -> _Form:
    classes = [of_value for member in members for of_value in member.classes]
    plain_classes = [plain for member in members for plain in member.plain_classes]
    if not _any_converts(members):
        return _form(declared, classes)
    if repeated := [plain.__name__ for plain in _ALL if plain_classes.count(plain) > 1]:
        wanted = f"must be a union of types that differ once they are packed (got {type_name(declared)})"
        raise ValueError(f"{wanted}: two of them are packed as {min(repeated)}: declare one, or an attrs class of both")
    by_class = {of_value: member for member in members for of_value in member.classes}
    by_plain = {plain: member for member in members for plain in member.plain_classes}
    return _form(
        declared,
        classes,
        plain_classes,
        lambda value: by_class[value.__class__].to_plain(value),
        lambda plain: by_plain[plain.__class__].from_plain(plain),
    )


def _record(declared: type[Any], within: tuple[type, ...]) -> _Form:
    name_of = declared.__name__
    if declared in within:
        raise ValueError(f"must not contain itself (got {name_of}): declare its ids, and a table of them")
    attrs.resolve_types(declared)
    fields = {field.name: field for field in init_fields(declared)}
    forms: dict[str, _Form] = {}
    for name, field in fields.items():
        with _named(f"{name_of}.{name}"):
            forms[name] = _form_of(field.type, (*within, declared))

    def to(value: Any) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for name, form in forms.items():
            with _named(f"{name_of}.{name}"):
                plain[name] = form.to_plain(getattr(value, name))
        return plain

    def back(plain: dict[Any, Any]) -> Any:
        if unknown := [name for name in plain if name not in forms]:
            raise UnknownValue(f"{name_of}: must have {listed(forms)} only (got {shown(unknown[0])})")
        values: dict[str, Any] = {}
        for name, field in fields.items():
            if name in plain:
                with _named(f"{name_of}.{name}"):
                    values[str(field.alias)] = forms[name].from_plain(plain[name])
            elif field.default is attrs.NOTHING:
                raise ValueError(f"{name_of}.{name}: has no value, and no default")
        try:
            return declared(**values)
        except (TypeError, ValueError) as error:  # from its own validators and converters
            raise ValueError(message_of(error)) from None

    return _form(declared, {declared}, {dict}, to, back)


@contextmanager
def _named(name: str) -> Generator[None]:
    """A block whose errors name an attribute."""
    try:
        yield
    except ValueError as error:
        raise (UnknownValue if isinstance(error, UnknownValue) else ValueError)(f"{name}: {error}") from None
