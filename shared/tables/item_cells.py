"""Many records in a row: one in each cell, whose qualifier is a key of its own."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import attrs

from ..keys import InvalidKey, InvalidQuestion, KeyLayout, Plan, Prefixed, Rest, between, successor
from ..keys.conditions import Between, is_one_value
from ..keys.errors import UnknownCode, listed, message_of, shown
from ..keys.planning import check_condition, is_point
from ..keys.ranges import RowRange
from ..keys.slice_codecs import share_codec
from .cells import PackedValue, check_cell_attributes, check_cell_size, check_family, record_fields
from .compiled_records import compile_item
from .errors import InvalidRecord, UnknownValue
from .packing import COUNTER, MAX_ARRAY, MSGPACK, Packing, array_of, unpack_array
from .record_cells import MARKER_VALUE

K = TypeVar("K")
R = TypeVar("R")


class _Qualifiers(KeyLayout[K]):
    """The same keys, as qualifiers: only the errors differ."""

    key_noun = row_noun = "qualifier"


class ItemCells(Generic[R]):
    """One record in each cell: the qualifier is a key of some attributes, the value holds the others.

    ItemCells(Point, "p", KeyLayout(WithinHour), value="value")
    ItemCells(RecentOrder, "user", KeyLayout(Slot), value=("order_id", "item", "amount"))

    The value is that of one attribute, or a msgpack array of several. A release may append attributes with defaults:
    then older cells have shorter arrays, but at least the first `at_least` values. A shorter array is damage. A value
    without attributes is a marker: the cell says only that the record exists.

    If the qualifier's first part is `Prefixed`, cells with any other qualifier are not claimed: they may belong to
    another layout.
    """

    def __init__(
        self,
        record: type[R],
        family: str,
        qualifier: KeyLayout[Any],
        value: str | tuple[str, ...] = (),
        *,
        packing: Packing = MSGPACK,
        at_least: int = 1,
    ) -> None:
        self.record = record
        self.family = family
        self.qualifier = qualifier
        self._qualifiers = _Qualifiers(qualifier.key_class, *qualifier.prefixes)
        self.value = value
        self.packing = packing
        check_family("ItemCells.family", family)
        self._fields = record_fields(record)
        names = (value,) if isinstance(value, str) else tuple(value)
        self.cell_attributes = (*qualifier.part_named, *names)
        check_cell_attributes(record, self.cell_attributes, self._fields)
        for name in names:
            if name in qualifier.part_named:
                raise InvalidRecord(f"{record.__name__}.{name}: must be in the qualifier or in the value, not in both")
        if len(names) > MAX_ARRAY:
            raise InvalidRecord(f"{record.__name__}: at most {MAX_ARRAY} attributes fit a value (got {len(names)})")
        if not isinstance(value, str) and packing != MSGPACK:
            raise InvalidRecord(f"{record.__name__}: needs one attribute in its value to pack it as {packing.name}")
        if type(at_least) is not int or not 1 <= at_least <= max(1, len(names)):
            wanted = f"must be 1..{max(1, len(names))}, the attributes in the value"
            raise InvalidRecord(f"{record.__name__}: at_least {wanted} (got {shown(at_least)})")
        self.at_least = at_least
        self._packed = {name: PackedValue(record, name, self._fields[name].type, packing) for name in names}
        self._value_name = f"{record.__name__}.{', '.join(names)}"
        rests = [part.name for part in qualifier.parts if share_codec(part.codec)]
        self.key_attributes = [name for name in self._fields if name not in self.cell_attributes or name in rests]
        """The attributes that the row key holds, whole or, for a `Slice`, in part."""
        unpack_all = None if isinstance(value, str) else unpack_array
        from_value = {name: packed.from_cell(b"") for name, packed in self._packed.items()}
        self.item: Callable[[Any, bytes, bytes], R] = compile_item(
            self._qualifiers,
            record,
            self.key_attributes,
            from_value,
            unpack_all if names else _nothing,
            self._item_reference,
        )
        """The record of one claimed cell, from row key, qualifier and value. Raises InvalidRecord."""
        self._start = f"{family}:".encode()
        self.columns = (family.encode(),)
        first = qualifier.parts[0].codec
        if isinstance(first, Rest):
            first = first.codec
        self.label = first.label if isinstance(first, Prefixed) and not qualifier.prefixes else b""
        """What all claimed qualifiers start with; maybe nothing."""

    @property
    def claimed(self) -> tuple[bytes, bytes | None]:
        """The first claimed qualifier, and the first one after all claimed ones; None if no later one is unclaimed."""
        return self.label, successor(self.label) if self.label else None

    def column(self, item: object) -> bytes:
        """The column of a record, or of a qualifier's key."""
        return self._start + self._qualifiers.row_of(item)

    def pack(self, record: R) -> dict[bytes, bytes]:
        """The cell of a record, by its column. Raises InvalidRecord, also if HBase does not accept its size."""
        try:
            column = self.column(record)
        except InvalidKey as error:
            raise InvalidRecord(str(error)) from None
        value = self._pack_value(record)
        check_cell_size(self._value_name, column, value)
        return {column: value}

    def _pack_value(self, record: R) -> bytes:
        if not self._packed:
            return MARKER_VALUE
        if self.packing == COUNTER:
            raise InvalidRecord(f"{self.record.__name__}.{self.value}: is a counter, which only counter_inc writes")
        cells = [packed.pack(getattr(record, name)) for name, packed in self._packed.items()]
        return cells[0] if isinstance(self.value, str) else array_of(cells)

    def records(self, key: object, cells: Mapping[bytes, bytes]) -> Iterator[R]:
        """The records of the claimed cells, in the order of their qualifiers. Raises InvalidRecord."""
        start = len(self._start)
        for column in sorted(cells):
            if column.startswith(self._start + self.label):
                yield self.item(key, column[start:], cells[column])

    def _item_reference(self, key: object, qualifier: bytes, value: bytes) -> R:
        """What `item` does, step by step; it also finds the reason why a cell does not hold a record."""
        values = {name: getattr(key, name) for name in self.key_attributes}
        try:
            parts = self._qualifiers.decode_reference(qualifier)
        except InvalidKey as error:
            raise (UnknownValue if isinstance(error, UnknownCode) else InvalidRecord)(str(error)) from None
        for name in self.qualifier.part_named:
            values[name] = getattr(parts, name) + values[name] if name in values else getattr(parts, name)
        values |= self._unpack_value(value)
        try:
            return self.record(**{str(self._fields[name].alias): value for name, value in values.items()})
        except (TypeError, ValueError, RecursionError) as error:  # from the record's own validators and converters
            raise InvalidRecord(message_of(error)) from None

    def _unpack_value(self, value: bytes) -> dict[str, Any]:
        if isinstance(self.value, str):
            return {self.value: self._packed[self.value].unpack(value)}
        if not self._packed:
            return {}
        wanted = f"{self.record.__name__}: must be a msgpack array of {', '.join(self._packed)}"
        try:
            items = unpack_array(value)
        except Exception as error:  # msgpack's errors have no common base
            raise InvalidRecord(f"{wanted}: {str(error) or type(error).__name__} (got {value.hex(' '):.100})") from None
        if items is None or len(items) > len(self._packed):
            raise InvalidRecord(f"{wanted} (got {shown(MSGPACK.unpack(value))})")
        values: dict[str, Any] = {}
        for (name, packed), item in zip(self._packed.items(), items, strict=False):
            values[name] = packed.of_item(item)
        for number, name in [*enumerate(self._packed)][len(items) :]:
            if number < self.at_least or self._fields[name].default is attrs.NOTHING:
                raise InvalidRecord(f"{self._packed[name].name}: has no value (got {shown(items)})")
        return values

    def plan(self, layout: KeyLayout[Any], plan_rows: Callable[..., Plan], question: Mapping[str, Any]) -> Plan:
        """The plan for a question about parts of the row key and of the qualifier; see `TableLayout.plan`.

        `plan_rows` is `plan` or `narrow` of the layout of the row key.
        """
        of_cells = self.qualifier.part_named
        for name in question:
            if name not in layout.part_named and name not in of_cells:
                names = listed(dict.fromkeys([*layout.part_named, *of_cells]))
                raise InvalidQuestion(f"{layout.name}.{name}: no such part; the parts are {names}")
        rows = plan_rows(**{name: condition for name, condition in question.items() if name in layout.part_named})
        residual = dict(rows.residual)
        for name, condition in question.items():
            if name not in layout.part_named and condition != between():
                check_condition(self.qualifier, of_cells[name], condition)
                residual[name] = condition
        conditions = {name: condition for name, condition in question.items() if name in of_cells}
        if rows.point is None or not is_point(self.qualifier, conditions):
            qualifiers = self._in_every_row(layout, question)
            return attrs.evolve(rows, point=None, qualifiers=qualifiers, conditions=question, residual=residual)
        try:
            shares = (self.qualifier.share(part, question[name]) for name, part in of_cells.items())
            column = self.column(self.qualifier.key_class(*shares))
        except InvalidKey as error:
            raise InvalidQuestion(str(error)) from None
        # The column binds the qualifier's parts and, with the row, divided parts; it does not bind a value in the cell.
        residual = {name: condition for name, condition in rows.residual.items() if name not in of_cells}
        return attrs.evolve(rows, column=column, conditions=question, residual=residual)

    def _in_every_row(self, layout: KeyLayout[Any], question: Mapping[str, Any]) -> RowRange | None:
        """The range of qualifiers that the answer's records have in every row; None if they are not a range."""
        conditions: dict[str, Any] = {}
        for name in self.qualifier.part_named:
            condition = question.get(name, between())
            if name in layout.part_named:
                divided = share_codec(layout.part_named[name].codec)
                condition = between() if divided is None else _rest_in_one_slice(condition, divided.every)
            conditions[name] = condition
        try:
            ranges = self.qualifier.narrow(**conditions).ranges
        except InvalidQuestion:  # the first part of the qualifier is not ordered
            return None
        return RowRange(ranges[0].start, ranges[-1].stop) if ranges else None

    def __repr__(self) -> str:
        packing = "" if self.packing == MSGPACK else f", packing={self.packing.name}"
        return f"ItemCells({self.record.__name__}, {self.family!r}, {self.qualifier}, {self.value!r}{packing})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies the arguments of `__init__`, which computes everything else again."""
        return _remade, (self.record, self.family, self.qualifier, self.value, self.packing, self.at_least)


def _remade(
    record: type[R], family: str, qualifier: KeyLayout[Any], value: Any, packing: Packing, at_least: int
) -> ItemCells[R]:
    return ItemCells(record, family, qualifier, value, packing=packing, at_least=at_least)


def _rest_in_one_slice(condition: Any, every: int) -> Any:
    """The condition on the rest within a slice, if all values that meet the whole condition are in one slice."""
    if is_one_value(condition):
        return condition % every
    if not isinstance(condition, Between) or condition.since is None or condition.until is None:
        return between()
    start = condition.since - condition.since % every
    if not start <= condition.since < condition.until <= start + every:
        return between()
    return between(condition.since - start, condition.until - start)


def _nothing(_value: bytes) -> list[Any]:
    """The values of a marker, which has no attributes: its cell may hold anything."""
    return []
