"""Values of fields and tags that the caller of `read_lines` gives for all lines of a file."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from ..keys.errors import shown
from .columns import Field, check_columns
from .errors import UnknownField
from .formats import ParsedRows
from .values import is_of_pairs, read_value


@attrs.frozen
class Given:
    """Values of fields and tags, and the columns of other tags."""

    constants: Mapping[str, str]
    """The values by field."""
    tags: Mapping[str, str | None]
    """The values by tag; None for a tag with a column."""
    mapping: Mapping[str, str]
    """The columns of fields and tags that have other names."""

    @property
    def columns_of_tags(self) -> dict[str, str]:
        """The column of each tag that has one."""
        return {tag: self.mapping.get(tag, tag) for tag, value in self.tags.items() if value is None}

    def check(self, record_type: type[Any], fields: Iterable[Field]) -> None:
        """Raises UnknownField if a record has no tags but some are given, and if a field has a column and a value."""
        record = record_type.__name__
        if self.tags and not _of_tags(fields):
            raise UnknownField(f"{record}: has no tags (got the tag {shown(next(iter(self.tags)))})")
        for name in self.constants.keys() & self.mapping.keys():
            raise UnknownField(f"{record}.{name}: must have a value or a column, not both")

    def needed(self, fields: Iterable[Field]) -> list[Field]:
        """The fields and tags for which a file must have columns."""
        of_tags = [field.name for field in _of_tags(fields)] if self.tags else []
        others = [field for field in fields if field.name not in self.constants and field.name not in of_tags]
        return others + [
            Field(field.record, f"{field.name}, {tag}", str, column, is_optional=False, unit=None, time_format=None)
            for field in _of_tags(fields)
            for tag, column in self.columns_of_tags.items()
        ]

    def added(self, rows: ParsedRows, fields: list[Field]) -> ParsedRows:
        """The rows with these values; a row that lacks the column of a tag becomes a text that says so."""
        constants = {field.column: self.constants[field.name] for field in fields if field.name in self.constants}
        columns = self.columns_of_tags
        needed = [field for field in self.needed(fields) if field.column in columns.values()]
        fixed = {tag: value for tag, value in self.tags.items() if value is not None}
        of_tags = _of_tags(fields) if self.tags else []
        for number, last_number, values in rows:
            if not isinstance(values, str):
                try:
                    check_columns(needed, values)
                    for field in of_tags:
                        stored = read_value(field.name, field.type, values.get(field.column, ()))
                        own = {tag: values[column] for tag, column in columns.items() if values[column] != ""}
                        values = values | {field.column: [*{**dict(stored), **fixed, **own}.items()]}
                    values = values | constants
                except ValueError as error:
                    values = str(error)
            yield number, last_number, values


def _of_tags(fields: Iterable[Field]) -> list[Field]:
    return [field for field in fields if is_of_pairs(field.type)]
