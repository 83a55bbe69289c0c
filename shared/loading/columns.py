"""The columns of a file as the fields of a record: the column of each field, and the conversion of its values."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, TypeVar, cast

import attrs
from cattrs.gen import make_dict_structure_fn, override

from ..keys.errors import shown
from ..records.times import UNITS, Unit
from . import advice
from .cells import may_be_empty, read_cell
from .description import JOINED, Description, FieldDescription
from .errors import InvalidTimeFormat, UnknownField, UnknownUnit, UnreadableFile, either
from .log_times import Years
from .time_formats import TimeFormat
from .values import CONVERTER, allows_none, read_text, read_time, read_value
from .written_numbers import WrittenNumbers, is_int, is_number
from .written_times import AS_WRITTEN, WrittenTimes

R = TypeVar("R")

_MISSPELLED = 0.6
"""From this ratio of `SequenceMatcher` on, a name may be a misspelling of another one."""
_MAX_SHOWN_CHARACTERS = 500
"""The most characters of column names in an error."""

NOT_CSV = "is not CSV"
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
    times: WrittenTimes = AS_WRITTEN
    unit: Unit | None = None
    """What the numbers of a time count; None if no unit was given."""
    time_format: TimeFormat | None = None
    """How a time is written; None if no format was given."""
    numbers: WrittenNumbers | None = None
    """How numbers are written; None if as in Python."""
    has_default: bool = False
    """Whether a line that lacks the column, or has null there, makes a record with the attribute's default."""
    joined: Sequence[str] = attrs.field(
        init=False, default=attrs.Factory(lambda field: _joined_columns(field.column), takes_self=True)
    )
    """The columns whose values are joined, if there are several."""

    def is_in(self, columns: Collection[str]) -> bool:
        """Whether a file with these columns has the values of the field."""
        return self.column in columns or (bool(self.joined) and all(piece in columns for piece in self.joined))


def _joined_columns(column: str) -> Sequence[str]:
    pieces = column.split(JOINED)
    return pieces if len(pieces) > 1 and all(pieces) else ()


def fields_of(record_type: type[Any], description: Description) -> list[Field]:
    """The fields of a record, as they are described.

    Raises UnknownField, UnknownUnit, InvalidTimeFormat and InvalidDescription.
    """
    attrs.resolve_types(record_type)
    record = record_type.__name__
    attributes = [attribute for attribute in attrs.fields(record_type) if attribute.init]
    names = [attribute.name for attribute in attributes]
    if unknown := [name for name in description.fields if name not in names]:
        raise UnknownField(f"{record}.{unknown[0]}: no such field (fields: {', '.join(names)})", unknown[0])
    times = WrittenTimes.of(description.zone, description.round)
    for name, field in description.fields.items():
        _check_field(record, name, field, names)
    return [_field(record, attribute, description, times) for attribute in attributes]


def _field(record: str, attribute: "attrs.Attribute[Any]", description: Description, times: WrittenTimes) -> Field:
    name, said = attribute.name, description.of(attribute.name)
    numbers = None
    if is_number(attribute.type) and not name.endswith("_ms"):
        numbers = WrittenNumbers(description.decimal, description.thousands, said.scale, is_int(attribute.type))
    elif said.scale is not None:
        raise UnknownUnit(f"{record}.{name}: is not a number, so it has no scale")
    return Field(
        record,
        name,
        attribute.type,
        said.column or name,
        is_optional=said.default is not None or (attribute.default is not attrs.NOTHING and not said.column),
        times=times,
        unit=cast("Unit | None", said.unit or None),
        time_format=_time_format(f"{record}.{name}", said.format, description, times) if said.format else None,
        numbers=None if numbers is None or numbers.are_plain else numbers,
        has_default=attribute.default is not attrs.NOTHING,
    )


def _time_format(field: str, notation: str, description: Description, times: WrittenTimes) -> TimeFormat:
    return TimeFormat(field, notation, times, None if description.year is None else Years(description.year))


def _check_field(record: str, name: str, said: FieldDescription, names: Iterable[str]) -> None:
    times = ", ".join(other for other in names if other.endswith("_ms")) or "none"
    if said.unit and not name.endswith("_ms"):
        raise UnknownUnit(f"{record}.{name}: is not a time, so it has no unit (times: {times})")
    if said.unit and said.unit not in UNITS:
        raise UnknownUnit(f"{record}.{name}: its unit must be {either(UNITS)} (got {shown(said.unit)})")
    if said.unit and said.format:
        raise UnknownUnit(f"{record}.{name}: must have a unit or a time format, not both (got {shown(said.unit)})")
    if said.format and not name.endswith("_ms"):
        raise InvalidTimeFormat(f"{record}.{name}: is not a time, so it has no time format (times: {times})")
    if said.value is not None and said.column:
        raise UnknownField(f"{record}.{name}: must have a value or a column, not both")


def required_columns(fields: Iterable[Field]) -> Set[str]:
    """The columns that every record needs."""
    return {field.column for field in fields if not field.has_default}


def mapped_columns(fields: Iterable[Field]) -> dict[str, Field]:
    """The fields that have a default but were mapped to a column, by this column, which lines may lack."""
    return {field.column: field for field in fields if field.has_default and not field.is_optional}


def check_columns(fields: list[Field], columns: Collection[str]) -> None:
    """Checks that every field has exactly one column, or is optional; raises UnreadableFile.

    A header must have the column of a field that was mapped to one; a line may lack it, if the field has a default.
    """
    optional = [field.is_optional or (field.has_default and not isinstance(columns, list)) for field in fields]
    needed = [field for field, may_lack in zip(fields, optional, strict=True) if not may_lack]
    missing = [field for field in needed if not field.is_in(columns)]
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
        reason = f"no column {first.column}, nor any other of {first.record}"
    elif all(field.column == field.name for field in missing):
        reason = f"no column {wanted} for {first.record}"
    else:
        reason = f"no column {wanted} for {first.record}.{', '.join(field.name for field in missing)}"
    names = sorted(dict.fromkeys(_column_names(columns)), key=partial(_distance, first.column))
    seen = ", ".join(name if name and name.isprintable() and ", " not in name else repr(name) for name in names)
    seen = seen if len(seen) <= _MAX_SHOWN_CHARACTERS else seen[:_MAX_SHOWN_CHARACTERS] + " ..."
    return f"{reason}; map a field to one of: {seen}" if seen else reason


def _distance(wanted: str, name: str) -> float:
    """Less than 0 for a name that may be a misspelling of the wanted one, 0 for any other name."""
    from difflib import SequenceMatcher  # only a refusal needs it

    ratio = SequenceMatcher(None, wanted.lower(), name.lower()).ratio()
    return -ratio if ratio > _MISSPELLED else 0


def _column_names(columns: Collection[str]) -> Iterator[str]:
    """The names of columns; a value within an object is named like `userIdentity.userName`."""
    for name in columns:
        inside = _object(_object(columns).get(name))
        yield from (f"{name}.{below}" for below in _column_names(inside)) if inside else (name,)


def with_nested(fields: Iterable[Field], values: dict[str, Any]) -> dict[str, Any]:
    """The values by column, including values within objects, and values that are joined from several columns.

    The column `userIdentity.userName` is the value of `userName` in the object `userIdentity`, and `Date+Time` the
    values of both, joined by a blank, unless a column has that name itself.
    """
    nested: dict[str, Any] = {}
    for field in fields:
        if field.joined and field.column not in values:
            pieces = [values.get(piece) for piece in field.joined]
            if all(type(piece) in (str, int) for piece in pieces):
                nested[field.column] = " ".join(map(str, pieces))
            continue
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


def _advice(field: Field, value: Any) -> str:
    """What would read a value that was refused."""
    if value is None:
        return f"; --default {field.name}=VALUE gives a value to lines without one"
    if (field.is_optional or allows_none(field.type)) and (no_value := advice.for_no_value(value)):
        return no_value
    if field.name.endswith("_ms"):
        return advice.for_time(field.name, value, field.times, field.unit, has_format=field.time_format is not None)
    if not is_number(field.type):
        return ""
    numbers = field.numbers or WrittenNumbers()
    of_scale = advice.for_scale(field.name, value, numbers) if numbers.scale else ""
    return of_scale or advice.for_number(value, numbers, is_whole=is_int(field.type))


def record_maker(
    record_type: type[R], fields: list[Field], *, has_cells: bool = False
) -> Callable[[Mapping[str, Any]], R]:
    """A function that makes a record from values by column; TypeError or ValueError for values that do not fit.

    None is a value of a field that may be None. Any other field has its default then, if there is one. With
    `has_cells`, the values are texts of cells, see `cells.py`.
    """
    overrides = {
        field.name: override(rename=field.column, struct_hook=_value_reader(field, has_cells)) for field in fields
    }
    structure = make_dict_structure_fn(
        record_type, CONVERTER, _cattrs_detailed_validation=False, **cast(Any, overrides)
    )
    may_be_left_out = {field.column for field in fields if field.has_default and not allows_none(field.type)}

    def make_record(values: Mapping[str, Any]) -> R:
        if None in values.values():
            values = {
                column: value for column, value in values.items() if value is not None or column not in may_be_left_out
            }
        return structure(values, record_type)

    return make_record


def _value_reader(field: Field, has_cells: bool) -> Callable[[Any, Any], Any]:
    """What cattrs calls for the values of a field; its errors name record and field."""
    read: Callable[[Any], Any]
    if field.time_format is not None:
        read = field.time_format.read
    elif field.name.endswith("_ms"):
        read = partial(read_time, field.name, field.type, unit=field.unit, times=field.times)
    elif field.type is str:
        read = read_text
    else:
        read = partial(read_value, field.name, field.type)

    as_plain = None if field.numbers is None else field.numbers.read
    may_be_none = allows_none(field.type)
    is_cell = has_cells and may_be_empty(field.type)

    def read_named(value: Any, _type: Any) -> Any:
        if is_cell and type(value) is str:
            value = read_cell(value)
        if value is None and may_be_none:
            return None
        try:
            return read(value if as_plain is None else as_plain(value))
        except (AttributeError, TypeError):  # cattrs treats a value as if it were of the type
            wanted = field.type.__name__ if isinstance(field.type, type) else field.type
            raise ValueError(f"{field.record}.{field.name}: must be {wanted} (got {shown(value)})") from None
        except ValueError as error:
            raise ValueError(f"{field.record}.{field.name}: {error}{_advice(field, value)}") from None

    return read_named
