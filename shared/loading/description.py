"""What a person says of a file, so that it can be read: as options of a command, or as a small TOML file.

A file of sensors, from a spreadsheet:

    delimiter = ";"
    decimal = ","
    none = ["", "?"]
    zone = "Europe/Rome"

    [fields.time_ms]
    column = "Date+Time"
    format = "%d/%m/%Y %H.%M.%S"

    [fields.value]
    column = "CO(GT)"
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

import attrs
from cattrs import Converter, ForbiddenExtraKeysError, transform_error

from ..keys.errors import shown
from .errors import InvalidDescription

JOINED = "+"
"""Stands between the names of several columns, whose values are joined by a blank."""


@attrs.frozen(kw_only=True)
class FieldDescription:
    """Where the values of a field are, and how they are written."""

    column: str = ""
    """The column, if it has not the field's name; `Date+Time` for several, whose values are joined by a blank."""
    value: str | None = None
    """The value in all lines, instead of a column."""
    default: str | None = None
    """The value in lines whose column is missing, null or none."""
    unit: str = ""
    """What the numbers of a time count: `s`, `ms` or `us`."""
    format: str = ""
    """How a time is written, in strptime's notation."""
    scale: int | None = None
    """What a number is multiplied by: 2.55 is 255 with a scale of 100. The product must be whole."""


@attrs.frozen(kw_only=True)
class TagDescription:
    """Where the values of a tag are: in the column of its name, unless another column or a value is said."""

    column: str = ""
    value: str | None = None
    """The value in all lines."""


@attrs.frozen(kw_only=True)
class Description:
    """A file, described. What is left out is as in a file of UTF-8 that the design's own format recognizes."""

    format: str = "auto"
    """The name of a format; `auto` for the one that recognizes the first line, and CSV if none does."""
    pattern: str = ""
    """A regular expression whose named groups are the columns of a line."""
    layout: str = ""
    """The format string of the program that wrote a log, after its name: `nginx:$remote_addr [$time_local] $status`."""
    encoding: str = ""
    """The name of the encoding; if omitted, UTF-8, or UTF-16 if the file starts with its byte order mark."""
    skip: int = 0
    """How many lines come before the first that counts."""
    delimiter: str = ""
    """What stands between the cells of CSV; a comma if omitted."""
    quote: str = '"'
    """What encloses a cell of CSV in which a delimiter stands; empty for nothing."""
    header: tuple[str, ...] = ()
    """The columns of CSV whose first line is not a header."""
    decimal: str = "."
    """What stands before the fraction of a number."""
    thousands: str = ""
    """What stands between groups of three digits of a number."""
    none: tuple[str, ...] = ()
    """Texts that stand for no value in columns of fields that may have none."""
    zone: str = ""
    """The zone of times that name none, such as `Europe/Rome`; UTC if omitted."""
    round: str = ""
    """`ms` if times have more digits than milliseconds, which are cut off."""
    year: int | None = None
    """The year of the first line, for times without one."""
    at: str = ""
    """The time of lines without one."""
    fields: Mapping[str, FieldDescription] = attrs.field(factory=dict[str, FieldDescription])
    """By the name of the field, with or without its `_ms`."""
    tags: Mapping[str, TagDescription] = attrs.field(factory=dict[str, TagDescription])
    """Tags of all lines, by name, for a record that has tags."""

    def of(self, field: str) -> FieldDescription:
        """The description of a field."""
        return self.fields.get(field) or FieldDescription()

    def with_fields(self, **said: Mapping[str, Any]) -> "Description":
        """The same with more of its fields: `column={"time_ms": "Date"}`, which is said in place of a value."""
        fields = dict(self.fields)
        for what, values in said.items():
            for name, value in values.items():
                field = fields.get(name) or FieldDescription()
                if what == "column" and name not in said.get("value", {}):
                    field = attrs.evolve(field, value=None)
                elif what == "value" and name not in said.get("column", {}):
                    field = attrs.evolve(field, column="")
                fields[name] = attrs.evolve(field, **{what: value})
        return attrs.evolve(self, fields=fields)


AS_IS = Description()
"""A file whose columns are the fields, written as its format writes them."""

_CONVERTER = Converter(forbid_extra_keys=True)


def _exactly(kind: type[Any], wanted: str) -> Any:
    def read(value: Any, _type: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"must be {wanted} (got {shown(value)})")
        return value

    return read


def _read_texts(value: Any, _type: Any) -> tuple[str, ...]:
    given: Any = value
    texts: list[Any] = given if type(value) is list else [None]
    if all(type(text) is str for text in texts):
        return tuple(texts)
    raise ValueError(f"must be a list of texts (got {shown(given)})")


_CONVERTER.register_structure_hook(str, _exactly(str, "text"))
_CONVERTER.register_structure_hook(int, _exactly(int, "a whole number"))
_CONVERTER.register_structure_hook_func(lambda wanted: wanted == tuple[str, ...], _read_texts)


def read_description(text: str, name: str) -> Description:
    """The description in the text of a TOML file; InvalidDescription if it is none. `name` is that of the file."""
    try:
        return _CONVERTER.structure(tomllib.loads(text), Description)
    except tomllib.TOMLDecodeError as error:
        raise InvalidDescription(f"{name}: is not TOML: {error}") from None
    except Exception as error:  # cattrs gathers all reasons in a group
        reason, _at, path = transform_error(error, path="", format_exception=_reason)[0].rpartition(" @ ")
        place = re.sub(r"\['(.*?)'\]", r".\1", path).strip(".")
        raise InvalidDescription(": ".join(filter(None, [name, place, reason]))) from None


def _reason(error: BaseException, _type: Any) -> str:
    """Why a value does not fit, for `transform_error`."""
    if isinstance(error, ForbiddenExtraKeysError):
        keys = ", ".join(attribute.name for attribute in attrs.fields(error.cl))
        return f"no such key: {shown(min(error.extra_fields))} (keys: {keys})"
    return str(error) if isinstance(error, ValueError) else "must be a table"
