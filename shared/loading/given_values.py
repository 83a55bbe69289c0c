"""Values that a description gives: for all lines, or for those whose column holds none."""

import attrs

from ..keys.errors import shown
from .cells import may_be_empty
from .columns import Field, check_columns
from .description import Description
from .errors import UnknownField
from .formats import ParsedRows, Values
from .values import is_of_pairs, read_value

_SCALARS = (str, int, float)


@attrs.frozen
class Given:
    """The values that a description gives to the fields of a record."""

    description: Description
    fields: list[Field]

    def check(self) -> None:
        """Raises UnknownField if a record has no tags but some are given."""
        if self.description.tags and not self._of_tags:
            tag = next(iter(self.description.tags))
            raise UnknownField(f"{self.fields[0].record}: has no tags (got the tag {shown(tag)})")

    @property
    def _of_tags(self) -> list[Field]:
        return [field for field in self.fields if is_of_pairs(field.type)]

    @property
    def columns_of_tags(self) -> dict[str, str]:
        """The column of each tag that has one."""
        return {tag: said.column or tag for tag, said in self.description.tags.items() if said.value is None}

    def needed(self) -> list[Field]:
        """The fields and tags for which a file must have columns."""
        of_tags = [field.name for field in self._of_tags] if self.description.tags else []
        values = [name for name, said in self.description.fields.items() if said.value is not None]
        others = [field for field in self.fields if field.name not in (*values, *of_tags)]
        return others + [
            Field(field.record, f"{field.name}, {tag}", str, column, is_optional=False)
            for field in self._of_tags
            for tag, column in self.columns_of_tags.items()
        ]

    def added(self, rows: ParsedRows, *, has_cells: bool = False) -> ParsedRows:
        """The rows with these values; a row that lacks the column of a tag becomes a text that says so.

        With `has_cells`, the values are texts of cells, see `cells.py`.
        """
        adds = self.description.fields or self.description.tags or self.description.none
        return self._added(rows, has_cells) if adds else rows

    def _added(self, rows: ParsedRows, has_cells: bool) -> ParsedRows:
        described = [(field.column, self.description.of(field.name)) for field in self.fields]
        constants = {column: said.value for column, said in described if said.value is not None}
        defaults = {column: said.default for column, said in described if said.default is not None}
        none = frozenset(self.description.none)
        of_cells = {field.column for field in self.fields if has_cells and may_be_empty(field.type)}
        for number, last_number, values in rows:
            if not isinstance(values, str):
                try:
                    if self.description.tags:
                        values = self._with_tags(values)
                    if none:
                        empty = [
                            name for name, value in values.items() if type(value) in _SCALARS and str(value) in none
                        ]
                        values = values | dict.fromkeys(empty)
                    for column, default in defaults.items():
                        if values.get(column) is None or (column in of_cells and not values[column]):
                            values = values | {column: default}
                    values = values | constants
                except ValueError as error:
                    values = str(error)
            yield number, last_number, values

    def _with_tags(self, values: Values) -> Values:
        columns = self.columns_of_tags
        check_columns([field for field in self.needed() if field.column in columns.values()], values)
        fixed = {tag: said.value for tag, said in self.description.tags.items() if said.value is not None}
        for field in self._of_tags:
            stored = read_value(field.name, field.type, values.get(field.column) or ())
            own = {tag: values[column] for tag, column in columns.items() if values[column] != ""}
            values = values | {field.column: [*{**dict(stored), **fixed, **own}.items()]}
        return values
