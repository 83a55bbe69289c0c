"""An attribute that is a mapping: all columns of a family that no other attribute has, by qualifier."""

from collections.abc import Mapping
from typing import Any, get_args, get_origin

import attrs

from ..keys import InvalidKey
from ..keys.codecs import text_of, utf8
from ..keys.errors import shown
from .cells import PackedValue, check_cell_size, check_family
from .compiled_records import FromFamily
from .declared_types import type_check, words_for
from .errors import InvalidRecord
from .packing import COUNTER, MSGPACK, Packing


@attrs.frozen
class OtherColumns:
    """A mapping, by qualifier, of all columns of a family that no other attribute has.

    RecordCells(Change, {"kind": Column("C:_type_", TEXT), "values": OtherColumns("C", TEXT)})

    `values` is declared as `Mapping[str, str]` and is read as a dict. A key is a qualifier without the family, as
    UTF-8, and may contain colons; each value is packed as that of a `Column`. A row without such columns has an empty
    mapping. A scan asks for the whole family.

    **A put deletes nothing.** A key that a record has lost stays in its row until its column is deleted. In derived
    rows an `IntentWriter` does that, after it has put the other columns; until then readers see old keys beside new
    values. Other code that stores a record again must delete the columns
    `cells.pack(old).keys() - cells.pack(new).keys()`, with an earlier timestamp than that of the put.

    If a later release declares an attribute for one of the qualifiers, an earlier release reads it as a key.
    """

    family: str
    packing: Packing = MSGPACK

    def __attrs_post_init__(self) -> None:
        check_family("OtherColumns", self.family)
        if self.packing == COUNTER:
            raise InvalidRecord("OtherColumns: cannot hold counters, which have a Column each")

    @property
    def name(self) -> str:
        """`C:*`, as pages show it."""
        return f"{self.family}:*"


class PackedMapping:
    """One attribute of a record as the cells of a family, and back; checks keys and values in both directions.

    `taken` are the columns of the record's other attributes, with their names.
    """

    def __init__(
        self, record: type[Any], name: str, declared: Any, columns: OtherColumns, taken: Mapping[bytes, str]
    ) -> None:
        self.name = f"{record.__name__}.{name}"
        self.family = columns.family.encode()
        self._start = self.family + b":"
        self._taken = {column: other for column, other in taken.items() if column.startswith(self._start)}
        self._declared = declared
        self._fits = type_check(declared)
        if get_origin(declared) not in (Mapping, dict) or get_args(declared)[0] is not str:
            wanted = "must be declared as Mapping[str, ...], because it holds columns by qualifier"
            raise InvalidRecord(f"{self.name}: {wanted} (got {words_for(declared)})")
        self._value = PackedValue(record, name, get_args(declared)[1], columns.packing)

    @property
    def packing(self) -> Packing:
        """How each value is packed."""
        return self._value.packing

    def pack(self, mapping: Any) -> dict[bytes, bytes]:
        """The cells of a mapping. Raises InvalidRecord, also for a key whose column another attribute has."""
        if not self._fits(mapping):
            raise InvalidRecord(f"{self.name}: must be {words_for(self._declared)} (got {shown(mapping)})")
        cells: dict[bytes, bytes] = {}
        for key, value in mapping.items():
            column = self._column(key)
            try:
                cells[column] = packed = self._value.pack(value)
            except InvalidRecord as error:
                raise self._of_key(key, error) from None
            check_cell_size(f"{self.name}[{shown(key)}]", column, packed)
        return cells

    def _column(self, key: Any) -> bytes:
        try:
            column = self._start + utf8(key)
        except InvalidKey as error:
            raise InvalidRecord(f"{self.name}: a key {error}") from None
        if column in self._taken:
            raise InvalidRecord(f"{self.name}: must not have the key {shown(key)}, the column of {self._taken[column]}")
        return column

    def unpack(self, cells: Mapping[bytes, bytes]) -> dict[str, Any]:
        """The mapping of a row, in the order of its qualifiers. Raises InvalidRecord for a damaged cell."""
        mapping: dict[str, Any] = {}
        for column in sorted(cells):
            if self.has(column):
                try:
                    key = text_of(column[len(self._start) :])
                except InvalidKey as error:
                    raise InvalidRecord(f"{self.name}: a qualifier {error}") from None
                try:
                    mapping[key] = self._value.unpack(cells[column])
                except InvalidRecord as error:
                    raise self._of_key(key, error) from None
        return mapping

    def has(self, column: bytes) -> bool:
        """Whether a column belongs to the mapping."""
        return column.startswith(self._start) and column not in self._taken

    def _of_key(self, key: str, error: InvalidRecord) -> InvalidRecord:
        """The error of a value, with its key."""
        return InvalidRecord(f"{self.name}[{shown(key)}]{str(error).removeprefix(self.name)}")

    @property
    def from_family(self) -> FromFamily:
        """How generated functions read the mapping."""
        return FromFamily(self._start, frozenset(self._taken), self._value.from_cell(b""))
