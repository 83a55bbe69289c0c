"""One record in a row: a column for each attribute that the row key does not hold."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from ..keys import KeyLayout
from ..keys.errors import message_of, shown
from .cells import Column, PackedValue, check_cell_attributes, check_cell_size, check_column, record_fields
from .compiled_records import FromCell, compile_record
from .errors import InvalidRecord, UnknownValue
from .packing import COUNTER, Packing

if TYPE_CHECKING:
    from .other_columns import OtherColumns, PackedMapping

R = TypeVar("R")

MARKER_VALUE = b"\xc3"
"""msgpack's true. Not empty, because `checkAndPut` treats an empty cell as missing."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})


class RecordCells(Generic[R]):
    """One record in a row; attributes without a column are those of the row key.

    RecordCells(Order, {"item": "o:i", "amount": Column("o:a", BIG_INT)})
    RecordCells(ReaderOfAuthor, {}, marker="f:x")

    The second form is for a list whose row keys hold everything: its record is the key class itself, and the marker
    says that there is a record.

    An attribute with `OtherColumns` is a mapping of all other columns of a family.

    `key_names` names the part of the row key for each attribute that has another name. Such a record belongs to a whole
    slice, so it needs no `Rest`:

    RecordCells(DayCount, {"count": Column("s:n")}, key_names={"day_ms": "time_ms"})

    If a row lacks a cell, its attribute has the default, so a column with a default can be added to a table that
    already stores rows. A row that lacks the cell of an attribute without a default, or has none of the cells, is not a
    record. A column packed as `COUNTER` is only read: HBase's increment writes it.
    """

    def __init__(
        self,
        record: type[R],
        attributes: "Mapping[str, str | Column | OtherColumns]",
        *,
        marker: str | None = None,
        key_names: Mapping[str, str] = NO_NAMES,
    ) -> None:
        self.record = record
        self.attributes = {
            name: Column(column) if isinstance(column, str) else column for name, column in attributes.items()
        }
        self.marker = marker
        self.key_names = dict(key_names)
        self._fields = record_fields(record)
        self.cell_attributes = tuple(self.attributes)
        check_cell_attributes(record, self.cell_attributes, self._fields)
        if (marker is None) == (not attributes):
            wanted = "a marker, because it has no columns" if marker is None else "no marker, because it has columns"
            raise InvalidRecord(f"{record.__name__}: needs {wanted}")
        if marker is not None:
            check_column(marker)
        claimed = {
            name: (column.name if isinstance(column, Column) else column.family).encode()
            for name, column in self.attributes.items()
        }
        self._check_claimed(claimed)
        self._column = {name: claimed[name] for name, column in self.attributes.items() if isinstance(column, Column)}
        self.mappings = self._mappings()
        """The attributes that are mappings."""
        self._own_columns = tuple(self._column.values()) if marker is None else (marker.encode(),)
        whole = tuple(mapping.family for mapping in self.mappings.values())
        self.columns: tuple[bytes, ...] = (
            *(column for column in self._own_columns if column.partition(b":")[0] not in whole),
            *whole,
        )
        optional = {self._column[name] for name in self._column if self._fields[name].default is not attrs.NOTHING}
        self.required_columns = tuple(column for column in self._own_columns if column not in optional)
        """The columns that every row of a record has: those of attributes without a default, or the marker."""
        self._part_of = {name: key_names.get(name, name) for name in self._fields if name not in attributes}
        """The part of the row key for each attribute that has no column."""
        self._packed = {
            name: PackedValue(record, name, self._fields[name].type, column.packing)
            for name, column in self.attributes.items()
            if isinstance(column, Column)
        }
        self._written = tuple(name for name, column in self.attributes.items() if column.packing != COUNTER)

    def _check_claimed(self, claimed: Mapping[str, bytes]) -> None:
        for column, group in groupby(sorted(claimed, key=claimed.__getitem__), key=claimed.__getitem__):
            if len(names := list(group)) > 1:
                has = f"the column {column.decode()}" if b":" in column else f"the other columns of {column.decode()}"
                raise InvalidRecord(f"{self.record.__name__}.{names[1]}: {names[0]} has {has} already")

    def _mappings(self) -> "dict[str, PackedMapping]":
        others = {name: columns for name, columns in self.attributes.items() if not isinstance(columns, Column)}
        if not others:
            return {}
        from .other_columns import PackedMapping  # few records need it

        taken = {column: name for name, column in self._column.items()}
        types = {name: self._fields[name].type for name in others}
        return {name: PackedMapping(self.record, name, types[name], others[name], taken) for name in others}

    def column(self, name: str) -> bytes:
        """The column of one attribute, `family:qualifier`. A mapping has none of its own."""
        return self._column[name]

    def packing(self, name: str) -> Packing:
        """How a value of one attribute is packed; of a mapping, how each value of its keys is."""
        return self.mappings[name].packing if name in self.mappings else self._packed[name].packing

    def pack(self, record: R, only: Iterable[str] | None = None) -> dict[bytes, bytes]:
        """The cells of a record: all but its counters, or `only` the cells of some attributes.

        Raises InvalidRecord if nothing is left to write, if `only` names a counter or an attribute without a column, or
        if a cell is larger than HBase accepts.
        """
        if self.marker is not None and only is None:
            return {self.columns[0]: MARKER_VALUE}
        cells: dict[bytes, bytes] = {}
        for name in self._written if only is None else self._checked(only):
            if self.mappings and name in self.mappings:
                cells |= self.mappings[name].pack(getattr(record, name))
                continue
            column, packed = self._column[name], self._packed[name]
            cells[column] = value = packed.pack(getattr(record, name))
            check_cell_size(packed.name, column, value)
        if not cells:
            raise InvalidRecord(
                f"{self.record.__name__}: has no cell to write (columns: {', '.join(self.cell_attributes)})"
            )
        return cells

    def _checked(self, only: Any) -> tuple[str, ...]:
        """The names of attributes that can be written."""
        try:
            if isinstance(only, str | bytes):
                raise TypeError
            names: tuple[str, ...] = tuple(only)
        except TypeError:
            wanted = "only must be several attributes, such as a list"
            raise InvalidRecord(f"{self.record.__name__}: {wanted} (got {shown(only)})") from None
        for name in names:
            if name not in self.attributes:
                raise self._without_column(name)
            if name not in self._written:
                raise InvalidRecord(f"{self.record.__name__}.{name}: is a counter, which only counter_inc writes")
        return names

    def _without_column(self, name: str) -> InvalidRecord:
        have = f"{', '.join(self._column)} have" if self._column else "no attribute has"
        return InvalidRecord(f"{self.record.__name__}.{name}: has no column ({have})")

    def records(self, key: object, cells: Mapping[bytes, bytes]) -> Iterator[R]:
        """The record of a row, if it has any of its cells."""
        if self._has_any(cells):
            yield self.unpack(key, cells)

    def _has_any(self, cells: Mapping[bytes, bytes]) -> bool:
        """Whether a row has any cell of a record."""
        if self.mappings and any(mapping.has(column) for mapping in self.mappings.values() for column in cells):
            return True
        return any(column in cells for column in self._own_columns)

    def unpack(self, key: object, cells: Mapping[bytes, bytes]) -> R:
        """The record of a row, from its decoded key and its cells. Cells of other columns are ignored.

        Raises InvalidRecord; UnknownValue only if nothing else is wrong with the cells.
        """
        values = {name: getattr(key, part) for name, part in self._part_of.items()}
        unknown: UnknownValue | None = None
        for name, column in self._column.items():
            if column in cells:
                try:
                    values[name] = self._packed[name].unpack(cells[column])
                except UnknownValue as error:
                    unknown = error
            elif self._fields[name].default is attrs.NOTHING:
                raise InvalidRecord(f"{self.record.__name__}.{name}: no cell {column.decode()}")
        for name, mapping in self.mappings.items():
            values[name] = mapping.unpack(cells)
        if not self._has_any(cells):
            columns = b", ".join(self.columns).decode()
            raise InvalidRecord(f"{self.record.__name__}: none of its cells ({columns})")
        if unknown is not None:
            raise unknown
        try:
            return self.record(**{str(self._fields[name].alias): value for name, value in values.items()})
        except (TypeError, ValueError, RecursionError) as error:  # from the record's own validators and converters
            raise InvalidRecord(message_of(error)) from None

    def pack_value(self, name: str, value: Any) -> bytes:
        """The cell of one attribute that has this value."""
        if name not in self._packed:
            raise self._without_column(name)
        return self._packed[name].pack(value)

    def pack_key(self, name: str, key: str, value: Any) -> dict[bytes, bytes]:
        """The cell of one key of a mapping, by its column. Raises InvalidRecord."""
        if name not in self.mappings:
            raise InvalidRecord(f"{self.record.__name__}.{name}: has no keys, because it is not a mapping of columns")
        return self.mappings[name].pack({key: value})

    def unpack_value(self, name: str, cell: bytes) -> Any:
        """The value of the cell of one attribute. Raises InvalidRecord."""
        if name not in self._packed:
            raise self._without_column(name)
        return self._packed[name].unpack(cell)

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

        For a row that it cannot read, it calls `reference`, which does the same step by step and finds the reason.
        """
        if self.marker is not None:
            return reference
        from_cells: dict[str, FromCell] = {}
        for name, packed in self._packed.items():
            default: Any = self._fields[name].default
            from_cells[name] = packed.from_cell(
                self.column(name),
                is_optional=default is not attrs.NOTHING,
                default=attrs.NOTHING if _is_factory(default) else default,
            )
        from_families = {name: mapping.from_family for name, mapping in self.mappings.items()}
        return compile_record(layout, self.record, self._part_of, from_cells, from_families, reference)

    def __repr__(self) -> str:
        marker = "" if self.marker is None else f", marker={self.marker!r}"
        key_names = f", key_names={self.key_names}" if self.key_names else ""
        return f"RecordCells({self.record.__name__}, {self.attributes}{marker}{key_names})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies the arguments of `__init__`, which computes everything else again."""
        return _remade, (self.record, self.attributes, self.marker, self.key_names)


def _remade(
    record: type[R], attributes: "Mapping[str, Column | OtherColumns]", marker: str | None, key_names: Mapping[str, str]
) -> RecordCells[R]:
    return RecordCells(record, attributes, marker=marker, key_names=key_names)


def _is_factory(default: Any) -> bool:
    return isinstance(default, attrs.Factory)  # type: ignore[arg-type]  # a class; its stub says function
