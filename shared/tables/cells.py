"""What cells are: how the records of a row become columns and values, and come back.

HBase stores row key, family and qualifier again with every value, so qualifiers are one or two letters (S1.8).
"""

from collections.abc import Callable, Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, runtime_checkable

import attrs

from ..keys.errors import listed, shown
from ..keys.limits import MAX_CELL_BYTES
from ..keys.parts import init_fields
from .compiled_records import FromCell
from .declared_types import excludes_maps, is_other_literal, literals_of, members_of, type_check, type_name, words_for
from .errors import InvalidRecord, UnknownValue
from .packing import MSGPACK, Packing

R = TypeVar("R")


class Cells(Protocol[R]):
    """The records of a row as cells: `RecordCells`, `ItemCells`, or a class of a domain's own.

    A row without a claimed cell holds no record. A claimed cell that does not decode is damage, and all other cells of
    the row are ignored. Only rows of `ItemCells` are read in parts. Rows of a domain's own cells are read whole, and a
    page ends after a whole row.
    """

    @property
    def record(self) -> type[R]:
        """The class of the records."""
        ...

    @property
    def columns(self) -> tuple[bytes, ...]:
        """What scans ask for: `family` for a whole family, or `family:qualifier`; never both for one family.

        Thrift1 returns only the column if a family and a column of it are asked for.
        """
        ...

    @property
    def cell_attributes(self) -> tuple[str, ...]:
        """The attributes of a record that its cells hold; the row key holds the others."""
        ...

    def pack(self, record: R) -> dict[bytes, bytes]:
        """The cells of one record, by column."""
        ...

    def records(self, key: object, cells: Mapping[bytes, bytes]) -> Iterator[R]:
        """The records of a row, from its decoded key and its cells. Raises InvalidRecord."""
        ...


@runtime_checkable
class CountsRevisions(Protocol):
    """Cells of one column that counts how often it has changed, such as that of a source."""

    @property
    def record(self) -> type[Any]:
        """The class of the records."""
        ...

    @property
    def columns(self) -> tuple[bytes, ...]:
        """The column."""
        ...

    def revision_of(self, cell: bytes | None) -> int:
        """The number of changes up to this cell; 0 if it is missing. Raises InvalidRecord."""
        ...


@attrs.frozen
class Column:
    """The column of one attribute, `family:qualifier`, and how its value is packed."""

    name: str
    packing: Packing = MSGPACK

    def __attrs_post_init__(self) -> None:
        check_column(self.name)


def check_column(name: object) -> None:
    """Raises InvalidRecord for a column that is not `family:qualifier`."""
    if not isinstance(name, str) or not name.partition(":")[0] or ":" not in name:
        raise InvalidRecord(f"Column: must be family:qualifier (got {shown(name)})")


def check_family(where: str, family: object) -> None:
    """Raises InvalidRecord for text that is not the name of a family."""
    if type(family) is not str or not family or ":" in family:
        raise InvalidRecord(f"{where}: must be the name of a family (got {shown(family)})")


def check_cell_size(name: str, column: bytes, value: bytes, row: bytes = b"") -> None:
    """Raises InvalidRecord for a cell that is larger than HBase accepts.

    `name` is the value's name in errors, `Order.item` or `Order`. If the row is not known yet, its length is not
    counted.
    """
    limit = MAX_CELL_BYTES - 19 - len(row) - len(column)  # 20 bytes more, but no colon in the column
    if len(value) > limit:
        raise InvalidRecord(f"{name}: must fit {limit} bytes, the rest of an HBase cell (got {len(value)} bytes)")


def families_of(cells: Cells[Any]) -> tuple[str, ...]:
    """The families that cells are in, each once."""
    return tuple(dict.fromkeys(column.partition(b":")[0].decode() for column in cells.columns))


_PLAIN = (NoneType, bool, int, float, str, bytes, list, dict, Any)
"""The types that msgpack holds as they are."""


def _is_plain(declared: Any) -> bool:
    if get_origin(declared) in (Union, UnionType, list, dict, Mapping):
        return all(map(_is_plain, get_args(declared)))
    return all(member in _PLAIN for member in members_of(declared))


def packing_for(declared: Any, packing: Packing) -> Packing:
    """The packing of values of a declared type; ValueError, which says what to do, if there is none."""
    if packing == MSGPACK and not _is_plain(declared):
        from .declared_packing import msgpack_for  # takes longer to load than this module, and few records need it

        return msgpack_for(declared)
    if packing.holds is not None and not all(member in (Any, *packing.holds) for member in members_of(declared)):
        wanted = f"must be declared as {listed(map(type_name, packing.holds))} to be packed as {packing.name}"
        raise ValueError(f"{wanted} (got {type_name(declared)}): declare that, or leave out the packing")
    return packing


class PackedValue:
    """One attribute of a record as bytes, and back; checks the declared type in both directions.

    Raises InvalidRecord for a type that the packing cannot hold.
    """

    def __init__(self, record: type[Any], name: str, declared: Any, packing: Packing) -> None:
        self.name = f"{record.__name__}.{name}"
        self.declared = declared
        try:
            self.packing = packing_for(declared, packing)
        except ValueError as error:
            raise InvalidRecord(f"{self.name}: {error}") from None
        self.fits: Callable[[Any], bool] = type_check(declared)

    def pack(self, value: Any) -> bytes:
        """The bytes of a value; InvalidRecord if it is not of the declared type, or does not fit its packing."""
        try:
            if self.fits(value):
                return self.packing.pack(value)
            reason = self.misfit(value)
        except OverflowError:
            reason = f"must fit 64 bits, or be declared BIG_INT (got {shown(value)})"
        except (TypeError, ValueError, RecursionError) as error:
            reason = f"{error} (got {shown(value)})"
        raise InvalidRecord(f"{self.name}: {reason}")

    def unpack(self, cell: bytes) -> Any:
        """The value of these bytes; InvalidRecord if they are damaged, or of another type.

        UnknownValue if only the `Literal`, the Enum or the class of the attribute lacks the value.
        """
        try:
            value = self.packing.unpack(cell)
        except UnknownValue as error:
            raise UnknownValue(f"{self.name}: {error}") from None
        except Exception as error:  # msgpack's errors have no common base
            reason = str(error) or type(error).__name__
            raise InvalidRecord(f"{self.name}: {reason} (got {cell.hex(' '):.100})") from None
        if not self.fits(value):
            reason = f"{self.name}: {self.misfit(value)}"
            raise UnknownValue(reason) if is_other_literal(self.declared, value) else InvalidRecord(reason)
        return value

    def of_item(self, item: Any) -> Any:
        """The value of an item of a msgpack array, as `unpack` would return it."""
        try:
            value = item if self.packing.of_item is None else self.packing.of_item(item)
        except UnknownValue as error:
            raise UnknownValue(f"{self.name}: {error}") from None
        except ValueError as error:
            raise InvalidRecord(f"{self.name}: {error}") from None
        if not self.fits(value):
            raise InvalidRecord(f"{self.name}: {self.misfit(value)}")
        return value

    def from_cell(self, column: bytes, *, is_optional: bool = False, default: Any = None) -> FromCell:
        """How generated functions read the value."""
        wanted: Any = self.declared
        unpack = self.packing.unpack_fast if excludes_maps(wanted) else None
        values: tuple[Any, ...] = ()
        literal_types: set[Any] = {literal_type for literal_type, _ in literals_of(wanted)}
        if len(literal_types) == 1:
            values, wanted = get_args(wanted), literal_types.pop()
        if wanted is Any or not isinstance(wanted, type):  # Any is a class, too
            wanted = None
        unpack = unpack or self.packing.unpack
        of_item = self.packing.of_item
        return FromCell(column, unpack, of_item, wanted, values, self.fits, is_optional=is_optional, default=default)

    def misfit(self, value: Any) -> str:
        """Why a value is not of the declared type."""
        return f"must be {words_for(self.declared)} (got {shown(value)})"


def record_fields(record: type[Any]) -> "dict[str, attrs.Attribute[Any]]":
    """The attributes that the `__init__` of a record takes, with their types resolved.

    Raises InvalidRecord if that `__init__` is not the one that attrs makes.
    """
    attrs.resolve_types(record)
    try:
        return {field.name: field for field in init_fields(record)}
    except ValueError as error:
        raise InvalidRecord(str(error)) from None


def check_cell_attributes(
    record: type[Any], names: tuple[str, ...], fields: "Mapping[str, attrs.Attribute[Any]]"
) -> None:
    """Raises InvalidRecord for names that are not attributes of a record, or that its `__init__` does not take."""
    attributes = [field.name for field in attrs.fields(record)]
    for name in names:
        if name not in attributes:
            raise InvalidRecord(f"{record.__name__}.{name}: no such attribute ({', '.join(attributes)})")
        if name not in fields:
            raise InvalidRecord(
                f"{record.__name__}.{name}: cannot have a column, because __init__ does not take it (init=False)"
            )
