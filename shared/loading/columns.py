"""The columns of a file as the fields of a record: the column of each field, and the conversion of its values."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, TypeVar, cast

import attrs
from cattrs.gen import make_dict_structure_fn, override

from ..keys.errors import shown
from ..records.times import UNITS, Unit
from .detection import either
from .errors import InvalidTimeFormat, UnknownField, UnknownUnit, UnreadableFile
from .time_formats import TimeFormat
from .values import CONVERTER, read_text, read_time, read_value

R = TypeVar("R")

_MAX_SHOWN_CHARACTERS = 500
"""The most characters of column names in an error."""

NOT_CSV = "is not CSV"
NO_OTHER = ", nor any other of"
"""Follows the column that is missing first if all that a record needs are missing."""
_KINDS = (
    (r"#!", "a script"),
    (r"#+ ", "Markdown"),
    (r"<[!?a-zA-Z]", "HTML or XML"),
    (r"---", "YAML"),
    (r"%PDF", "PDF"),
)
"""How the first line of a text that is not CSV begins, as a regular expression, and what such a text is."""


@attrs.frozen
class Field:
    """One field of a record, and the column that it is read from."""

    record: str
    name: str
    type: Any
    column: str
    is_optional: bool
    """Whether the column may be missing."""
    unit: Unit | None
    """What the numbers of a time count; None if no unit was given."""
    time_format: TimeFormat | None
    """How a time is written; None if no format was given."""


def fields_of(
    record_type: type[Any],
    mapping: Mapping[str, str],
    units: Mapping[str, str],
    time_formats: Mapping[str, str],
    also: Iterable[str] = (),
) -> list[Field]:
    """The fields of a record: `mapping` is {field: column}, `units` {field: unit}, `time_formats` {field: format}.

    `also` are other names that must be fields. Raises UnknownField, UnknownUnit and InvalidTimeFormat.
    """
    attrs.resolve_types(record_type)
    record = record_type.__name__
    attributes = [attribute for attribute in attrs.fields(record_type) if attribute.init]
    names = [attribute.name for attribute in attributes]
    if unknown := [name for name in [*mapping, *units, *time_formats, *also] if name not in names]:
        raise UnknownField(f"{record}.{unknown[0]}: no such field (fields: {', '.join(names)})", unknown[0])
    times = ", ".join(name for name in names if name.endswith("_ms")) or "none"
    for name, unit in units.items():
        if not name.endswith("_ms"):
            raise UnknownUnit(f"{record}.{name}: is not a time, so it has no unit (times: {times})")
        if unit not in UNITS:
            raise UnknownUnit(f"{record}.{name}: its unit must be {either(UNITS)} (got {shown(unit)})")
        if name in time_formats:
            raise UnknownUnit(f"{record}.{name}: must have a unit or a time format, not both (got {shown(unit)})")
    for name in time_formats:
        if not name.endswith("_ms"):
            raise InvalidTimeFormat(f"{record}.{name}: is not a time, so it has no time format (times: {times})")
    return [
        Field(
            record,
            attribute.name,
            attribute.type,
            mapping.get(attribute.name, attribute.name),
            is_optional=attribute.default is not attrs.NOTHING and attribute.name not in mapping,
            unit=cast("Unit | None", units.get(attribute.name)),
            time_format=TimeFormat(f"{record}.{attribute.name}", time_formats[attribute.name])
            if attribute.name in time_formats
            else None,
        )
        for attribute in attributes
    ]


def required_columns(fields: Iterable[Field]) -> Set[str]:
    """The columns that every record needs."""
    return {field.column for field in fields if not field.is_optional}


def check_columns(fields: list[Field], columns: Collection[str]) -> None:
    """Checks that every field has exactly one column, or is optional; raises UnreadableFile."""
    missing = [field for field in fields if field.column not in columns and not field.is_optional]
    if missing:
        raise UnreadableFile(_why_missing(missing, columns, has_none=not any(one.column in columns for one in fields)))
    if isinstance(columns, list):
        repeated = [field.column for field in fields if columns.count(field.column) > 1]
        if repeated:
            raise UnreadableFile(f"column {repeated[0]} occurs {columns.count(repeated[0])} times")


def _why_missing(missing: Sequence[Field], columns: Collection[str], *, has_none: bool) -> str:
    """Why columns do not have those of some fields; `has_none` if they have none of the record's."""
    wanted = ", ".join(dict.fromkeys(field.column for field in missing))
    if has_none and isinstance(columns, list):
        header = ", ".join(columns)
        kind = next((f", which looks like {kind}" for start, kind in _KINDS if re.match(start, header)), "")
        if kind or len(columns) == 1:
            return f"{NOT_CSV}: must begin with the columns {wanted} (got {shown(header)}{kind})"
    first, *others = missing
    if has_none and others:
        reason = f"no column {first.column}{NO_OTHER} {first.record}"
    elif all(field.column == field.name for field in missing):
        reason = f"no column {wanted} for {first.record}"
    else:
        reason = f"no column {wanted} for {first.record}.{', '.join(field.name for field in missing)}"
    seen = ", ".join(name if name.isprintable() else repr(name) for name in dict.fromkeys(_column_names(columns)))
    seen = seen if len(seen) <= _MAX_SHOWN_CHARACTERS else seen[:_MAX_SHOWN_CHARACTERS] + " ..."
    return f"{reason}; map a field to one of: {seen}" if seen else reason


def _column_names(columns: Collection[str]) -> Iterator[str]:
    """The names of columns; a value within an object is named like `userIdentity.userName`."""
    for name in columns:
        inside = _object(_object(columns).get(name))
        yield from (f"{name}.{below}" for below in _column_names(inside)) if inside else (name,)


def with_nested(fields: Iterable[Field], values: dict[str, Any]) -> dict[str, Any]:
    """The values by column, including values within objects.

    The column `userIdentity.userName` is the value of `userName` in the object `userIdentity`, unless a column has that
    name itself.
    """
    nested: dict[str, Any] = {}
    for field in fields:
        first, *path = field.column.split(".")
        if path and field.column not in values:
            inside = _object(values.get(first))
            for name in path[:-1]:
                inside = _object(inside.get(name))
            if path[-1] in inside:
                nested[field.column] = inside[path[-1]]
    return {**values, **nested} if nested else values


def _object(value: Any) -> dict[str, Any]:
    """A value that is an object; an empty object for any other value."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def record_maker(record_type: type[R], fields: list[Field]) -> Callable[[Mapping[str, Any]], R]:
    """A function that makes a record from values by column; TypeError or ValueError for values that do not fit."""
    overrides = {field.name: override(rename=field.column, struct_hook=_value_reader(field)) for field in fields}
    structure = make_dict_structure_fn(
        record_type, CONVERTER, _cattrs_detailed_validation=False, **cast(Any, overrides)
    )
    return lambda values: structure(values, record_type)


def _value_reader(field: Field) -> Callable[[Any, Any], Any]:
    """What cattrs calls for the values of a field; its errors name record and field."""
    read: Callable[[Any], Any]
    if field.time_format is not None:
        read = field.time_format.read
    elif field.name.endswith("_ms"):
        read = partial(read_time, field.name, field.type, unit=field.unit)
    elif field.type is str:
        read = read_text
    else:
        read = partial(read_value, field.name, field.type)

    def read_named(value: Any, _type: Any) -> Any:
        try:
            return read(value)
        except (AttributeError, TypeError):  # cattrs treats a value as if it were of the type
            wanted = field.type.__name__ if isinstance(field.type, type) else field.type
            raise ValueError(f"{field.record}.{field.name}: must be {wanted} (got {shown(value)})") from None
        except ValueError as error:
            raise ValueError(f"{field.record}.{field.name}: {error}") from None

    return read_named
