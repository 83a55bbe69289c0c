"""A record's values as cells: one column for each attribute that the row key does not hold, packed with msgpack.

HBase stores row key, family and qualifier again with every value, so qualifiers are one or two letters (S1.8).
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin

import attrs

from ..keys import KeyLayout
from ..keys.compiled import FromCell, compile_record
from ..keys.errors import message_of, shown
from ..keys.parts import init_fields
from .errors import InvalidRecord
from .packing import MSGPACK, Packing

R = TypeVar("R")

_NAME_OF = {int: "an int", float: "a float", str: "text", bytes: "bytes", bool: "a bool"}


@attrs.frozen
class Column:
    """The qualifier of one attribute, and how its value is packed."""

    qualifier: str
    packing: Packing = MSGPACK


class CellLayout(Generic[R]):
    """The columns of a record in one family; attributes without a column are those of the row key.

    CellLayout(Order, "o", {"item": Column("i"), "amount": Column("a", BIG_INT)})

    A row that lacks a cell gives the attribute's default, so a column with a default can be added to a table that holds
    rows. Without a default, or if the row has no cell of the record at all, the row is not a record.
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
        attributes = [field.name for field in attrs.fields(record)]  # type: ignore[arg-type]
        for name in columns:
            if name not in attributes:
                raise InvalidRecord(f"{record.__name__}.{name}: no such attribute ({', '.join(attributes)})")
            if name not in self._fields:
                raise InvalidRecord(
                    f"{record.__name__}.{name}: cannot have a column, because __init__ does not take it (init=False)"
                )
        self._column = {name: f"{family}:{column.qualifier}".encode() for name, column in columns.items()}
        for column, names in groupby(sorted(columns, key=self.column), key=self.column):
            if len(alike := list(names)) > 1:
                raise InvalidRecord(
                    f"{record.__name__}.{alike[1]}: {alike[0]} has the column {column.decode()} already"
                )
        self.of_key = [name for name in self._fields if name not in columns]
        self._fits = {name: _fitting(self._types[name]) for name in columns}
        self._packs = {name: (self._fits[name], column.packing.pack) for name, column in columns.items()}

    def column(self, name: str) -> bytes:
        """The column of one attribute, `family:qualifier`."""
        return self._column[name]

    def pack(self, record: R, only: Iterable[str] | None = None) -> dict[bytes, bytes]:
        """The cells of a record, all or `only` those of some attributes."""
        pack = self.pack_value
        return {
            self._column[name]: pack(name, getattr(record, name)) for name in (self.columns if only is None else only)
        }

    def unpack(self, key: object, cells: Mapping[bytes, bytes]) -> R:
        """The record of a row: what the decoded row key holds, and the cells. Other columns are left alone."""
        values = {name: getattr(key, name) for name in self.of_key}
        for name, column in self._column.items():
            if column in cells:
                values[name] = self._unpack(name, cells[column])
            elif self._fields[name].default is attrs.NOTHING:
                raise InvalidRecord(f"{self.record.__name__}.{name}: no cell {column.decode()}")
        if self.columns and len(values) == len(self.of_key):
            columns = b", ".join(self._column.values()).decode()
            raise InvalidRecord(f"{self.record.__name__}: none of its cells ({columns})")
        try:
            return self.record(**{str(self._fields[name].alias): value for name, value in values.items()})
        except (TypeError, ValueError, RecursionError) as error:  # of the record's own validators and converters
            raise InvalidRecord(message_of(error)) from None

    def reader(
        self, layout: KeyLayout[Any], reference: Callable[[bytes, Mapping[bytes, bytes]], R]
    ) -> Callable[[bytes, Mapping[bytes, bytes]], R]:
        """A fast function that does what `reference` does: returns the record of a row and its cells."""
        from_cells = {name: self._from_cell(name, column.packing) for name, column in self.columns.items()}
        return compile_record(layout, self.record, from_cells, reference)

    def _from_cell(self, name: str, packing: Packing) -> FromCell:
        wanted: Any = self._types[name]
        default = self._fields[name].default
        usual = packing.unpack_usual if _holds_no_map(wanted) else None
        values: tuple[Any, ...] = ()
        kinds: set[Any] = {kind for kind, _ in _literals(wanted)}
        if len(kinds) == 1:
            values, wanted = get_args(wanted), kinds.pop()
        if wanted is Any or not isinstance(wanted, type):  # Any is a class, too
            wanted = None
        return FromCell(
            self.column(name),
            usual or packing.unpack,
            wanted,
            values,
            self._fits[name],
            is_optional=default is not attrs.NOTHING,
            default=attrs.NOTHING if _is_factory(default) else default,
        )

    def default_of(self, name: str) -> Any:
        """What a record has for an attribute whose cell is missing; `attrs.NOTHING` if it must not be missing.

        Raises InvalidRecord if that depends on the rest of the record.
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

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle and copy ask for: what is computed from these is computed anew."""
        return type(self), (self.record, self.family, self.columns)

    def pack_value(self, name: str, value: Any) -> bytes:
        """The cell of one attribute that has this value."""
        if name not in self._packs:
            raise InvalidRecord(f"{self.record.__name__}.{name}: has no column ({', '.join(self.columns)} have)")
        fits, pack = self._packs[name]
        try:
            if fits(value):
                return pack(value)
            why = self._misfit(name, value)
        except OverflowError:
            why = f"must fit 64 bits, or be declared BIG_INT (got {shown(value)})"
        except (TypeError, ValueError, RecursionError) as error:
            why = f"{error} (got {shown(value)})"
        raise InvalidRecord(f"{self.record.__name__}.{name}: {why}")

    def _unpack(self, name: str, cell: bytes) -> Any:
        try:
            value = self.columns[name].packing.unpack(cell)
        except Exception as error:  # msgpack's errors have no base of their own
            why, given = str(error) or type(error).__name__, cell.hex(" ")
            raise InvalidRecord(f"{self.record.__name__}.{name}: {why} (got {given:.100})") from None
        if not self._fits[name](value):
            raise InvalidRecord(f"{self.record.__name__}.{name}: {self._misfit(name, value)}")
        return value

    def _misfit(self, name: str, value: Any) -> str:
        return f"must be {_words(self._types[name])} (got {shown(value)})"


def _is_factory(default: Any) -> bool:
    return isinstance(default, attrs.Factory)  # type: ignore[arg-type]  # a class; its stub says function


def _fitting(wanted: Any) -> Callable[[Any], bool]:
    """Tells whether a value is exactly of a declared type; of lists, maps and the like it looks at the outer type."""
    origin: Any = get_origin(wanted)
    if literals := _literals(wanted):
        return lambda value: (type(value), value) in literals
    if origin in (Union, UnionType):
        fits = [_fitting(each) for each in get_args(wanted)]
        return lambda value: any(fit(value) for fit in fits)
    if wanted is Any:
        return lambda value: True
    return lambda value: type(value) is (origin or wanted or type(None))


def _literals(wanted: Any) -> tuple[tuple[type, Any], ...]:
    """The values of a `Literal` after their types, because True == 1 and 1 == 1.0; none if it is another type."""
    origin: Any = get_origin(wanted)
    values: tuple[Any, ...] = get_args(wanted) if origin is Literal else ()
    return tuple((value.__class__, value) for value in values)


def _holds_no_map(wanted: Any) -> bool:
    """Whether no value of a declared type is or contains a map, whose keys msgpack may refuse."""
    parts = get_args(wanted)
    if get_origin(wanted) in (list, Union, UnionType):
        return all(map(_holds_no_map, parts))
    return wanted in (*_NAME_OF, NoneType) or bool(_literals(wanted))


def _words(wanted: Any) -> str:
    if get_origin(wanted) is Literal:
        return f"one of {', '.join(map(str, get_args(wanted)))}"
    return _NAME_OF.get(wanted, str(wanted))
