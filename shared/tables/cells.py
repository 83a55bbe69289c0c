"""A record's values as cells: one column for each attribute that the row key does not hold, packed with msgpack.

HBase stores row key, family and qualifier again with every value, so qualifiers are one or two letters (S1.8).
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any, Generic, TypeVar, get_args

import attrs

from ..keys import KeyLayout
from ..keys.compiled import FromCell, compile_record
from ..keys.errors import message_of, shown
from ..keys.parts import init_fields
from .declared_types import excludes_maps, literals_of, type_check, words_for
from .errors import InvalidRecord
from .packing import MSGPACK, Packing

R = TypeVar("R")


@attrs.frozen
class Column:
    """The qualifier of one attribute, and how its value is packed."""

    qualifier: str
    packing: Packing = MSGPACK


class CellLayout(Generic[R]):
    """The columns of a record in one family; attributes without a column are those of the row key.

    CellLayout(Order, "o", {"item": Column("i"), "amount": Column("a", BIG_INT)})

    If a row lacks a cell, its attribute has the default, so a column with a default can be added to a table that
    already stores rows. A row that lacks the cell of an attribute without a default, or has none of the cells, is not a
    record.
    """

    def __init__(self, record: type[R], family: str, columns: Mapping[str, Column]) -> None:
        self.record = record
        self.family = family
        self.columns = dict(columns)
        attrs.resolve_types(record)  # type: ignore[type-var]  # R is an attrs class
        try:
            self._fields = {field.name: field for field in init_fields(record)}
        except ValueError as error:
            raise InvalidRecord(str(error)) from None
        self._types = {name: field.type for name, field in self._fields.items()}
        self._check_columns()
        self._column = {name: f"{family}:{column.qualifier}".encode() for name, column in columns.items()}
        self._check_qualifiers()
        self.key_attributes = [name for name in self._fields if name not in columns]
        self._fits = {name: type_check(self._types[name]) for name in columns}
        self._packs = {name: (self._fits[name], column.packing.pack) for name, column in columns.items()}

    def _check_columns(self) -> None:
        attributes = [field.name for field in attrs.fields(self.record)]  # type: ignore[arg-type]
        for name in self.columns:
            if name not in attributes:
                raise InvalidRecord(f"{self.record.__name__}.{name}: no such attribute ({', '.join(attributes)})")
            if name not in self._fields:
                raise InvalidRecord(
                    f"{self.record.__name__}.{name}: cannot have a column, because __init__ does not take it"
                    " (init=False)"
                )

    def _check_qualifiers(self) -> None:
        for column, group in groupby(sorted(self.columns, key=self.column), key=self.column):
            if len(names := list(group)) > 1:
                raise InvalidRecord(
                    f"{self.record.__name__}.{names[1]}: {names[0]} has the column {column.decode()} already"
                )

    def column(self, name: str) -> bytes:
        """The column of one attribute, `family:qualifier`."""
        return self._column[name]

    def pack(self, record: R, only: Iterable[str] | None = None) -> dict[bytes, bytes]:
        """The cells of a record: all, or `only` the cells of some attributes."""
        pack = self.pack_value
        return {
            self._column[name]: pack(name, getattr(record, name)) for name in (self.columns if only is None else only)
        }

    def unpack(self, key: object, cells: Mapping[bytes, bytes]) -> R:
        """The record of a row, from its decoded key and its cells. Cells of other columns are ignored."""
        values = {name: getattr(key, name) for name in self.key_attributes}
        for name, column in self._column.items():
            if column in cells:
                values[name] = self._unpack_value(name, cells[column])
            elif self._fields[name].default is attrs.NOTHING:
                raise InvalidRecord(f"{self.record.__name__}.{name}: no cell {column.decode()}")
        if self.columns and len(values) == len(self.key_attributes):
            columns = b", ".join(self._column.values()).decode()
            raise InvalidRecord(f"{self.record.__name__}: none of its cells ({columns})")
        try:
            return self.record(**{str(self._fields[name].alias): value for name, value in values.items()})
        except (TypeError, ValueError, RecursionError) as error:  # of the record's own validators and converters
            raise InvalidRecord(message_of(error)) from None

    def pack_value(self, name: str, value: Any) -> bytes:
        """The cell of one attribute that has this value."""
        if name not in self._packs:
            raise InvalidRecord(f"{self.record.__name__}.{name}: has no column ({', '.join(self.columns)} have)")
        fits, pack = self._packs[name]
        try:
            if fits(value):
                return pack(value)
            reason = self._misfit(name, value)
        except OverflowError:
            reason = f"must fit 64 bits, or be declared BIG_INT (got {shown(value)})"
        except (TypeError, ValueError, RecursionError) as error:
            reason = f"{error} (got {shown(value)})"
        raise InvalidRecord(f"{self.record.__name__}.{name}: {reason}")

    def _unpack_value(self, name: str, cell: bytes) -> Any:
        try:
            value = self.columns[name].packing.unpack(cell)
        except Exception as error:  # msgpack's errors have no base of their own
            reason = str(error) or type(error).__name__
            raise InvalidRecord(f"{self.record.__name__}.{name}: {reason} (got {cell.hex(' '):.100})") from None
        if not self._fits[name](value):
            raise InvalidRecord(f"{self.record.__name__}.{name}: {self._misfit(name, value)}")
        return value

    def _misfit(self, name: str, value: Any) -> str:
        return f"must be {words_for(self._types[name])} (got {shown(value)})"

    def default_of(self, name: str) -> Any:
        """The value of an attribute whose cell is missing; `attrs.NOTHING` if the attribute has no default.

        Raises InvalidRecord if the default depends on the rest of the record.
        """
        field: Any = self._fields[name]
        default, converter = field.default, field.converter
        if default is attrs.NOTHING:
            return default
        if getattr(converter, "takes_self", False) or (_is_factory(default) and default.takes_self):
            raise InvalidRecord(f"{self.record.__name__}.{name}: its default depends on the rest of the record")
        value = default.factory() if _is_factory(default) else default
        convert = getattr(converter, "converter", converter)  # of an attrs.Converter, or the function itself
        if convert is None:
            return value
        return convert(value, field) if getattr(converter, "takes_field", False) else convert(value)

    def reader(
        self, layout: KeyLayout[Any], reference: Callable[[bytes, Mapping[bytes, bytes]], R]
    ) -> Callable[[bytes, Mapping[bytes, bytes]], R]:
        """A fast function that makes the record of a row key and its cells.

        It calls `reference`, which does the same step by step, for rows that it cannot read, to find the reason.
        """
        from_cells = {name: self._from_cell(name, column.packing) for name, column in self.columns.items()}
        return compile_record(layout, self.record, from_cells, reference)

    def _from_cell(self, name: str, packing: Packing) -> FromCell:
        value_type: Any = self._types[name]
        default = self._fields[name].default
        unpack = packing.unpack_fast if excludes_maps(value_type) else None
        values: tuple[Any, ...] = ()
        literal_types: set[Any] = {literal_type for literal_type, _ in literals_of(value_type)}
        if len(literal_types) == 1:
            values, value_type = get_args(value_type), literal_types.pop()
        if value_type is Any or not isinstance(value_type, type):  # Any is a class, too
            value_type = None
        return FromCell(
            self.column(name),
            unpack or packing.unpack,
            value_type,
            values,
            self._fits[name],
            is_optional=default is not attrs.NOTHING,
            default=attrs.NOTHING if _is_factory(default) else default,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies the arguments of `__init__`, which computes everything else again."""
        return type(self), (self.record, self.family, self.columns)


def _is_factory(default: Any) -> bool:
    return isinstance(default, attrs.Factory)  # type: ignore[arg-type]  # a class; its stub says function
