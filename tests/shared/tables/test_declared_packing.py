"""The types that people have: what a column holds of them, what comes back, and what is refused when it is declared."""

import enum
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import attrs
import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.keys import EscapedText, InvalidQuestion, KeyLayout, UInt8, between
from shared.queries import Query, equal
from shared.tables import (
    BIG_INT,
    COUNTER,
    RAW,
    TEXT,
    TEXTS,
    BoundTable,
    Column,
    InvalidRecord,
    ItemCells,
    OtherColumns,
    Packing,
    RecordCells,
    TableLayout,
    create_tables,
)
from shared.tables.errors import UnknownValue
from tests.reference import without_reference
from tests.shared.keys.strategies import many
from tests.shared.specimens import key_class
from tests.shared.tables.records import record_class


class Status(enum.Enum):
    OPEN = "open"
    PAID = "paid"


class Priority(enum.IntEnum):
    LOW = 1
    HIGH = 2


@attrs.frozen
class Address:
    city: str
    since: date | None = None
    tags: tuple[str, ...] = attrs.field(default=(), kw_only=True)


@attrs.frozen
class Person:
    name: str = attrs.field(validator=attrs.validators.max_len(20))
    address: Address | None
    _secret: bytes = b""


BARE = {"city": "b", "since": None, "tags": []}
AT = datetime(2020, 2, 6, 8, 8, 37, 123456, tzinfo=UTC)
HERE = timezone(timedelta(hours=2))
ID = UUID("00112233-4455-6677-8899-aabbccddeeff")
ByName = key_class("ByName", name=EscapedText)


def table_of(declared: Any, packing: Packing | None = None) -> TableLayout[Any, Any]:
    """A table with one column of a declared type."""
    record = record_class("Record", name=str, value=declared)
    column = "f:v" if packing is None else Column("f:v", packing)
    return TableLayout("t", "one value", KeyLayout(ByName), RecordCells(record, {"value": column}))


def cell_of(declared: Any, value: Any) -> bytes:
    """The cell of a value, which comes back from it by the generated function and by its reference."""
    table = table_of(declared)
    record = table.cells.record("a", value)
    row, cells = table.row(record), table.cells.pack(record)
    with without_reference(table.record):
        assert table.record(row, cells) == record
    assert table._record_reference(row, cells) == record
    assert type(table.record(row, cells).value) is type(value)
    return cells[b"f:v"]


# ---- bytes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "value", "plain"),
    [
        (datetime, datetime(1970, 1, 1, tzinfo=UTC), 0),
        (datetime, AT, 1_580_976_517_123_456),
        (datetime, AT.astimezone(HERE), 1_580_976_517_123_456),
        (datetime, datetime.min.replace(tzinfo=UTC), -62_135_596_800_000_000),
        (date, date(1970, 1, 1), 0),
        (date, date(1969, 12, 31), -1),
        (Status, Status.PAID, "paid"),
        (Priority, Priority.HIGH, 2),
        (UUID, ID, ID.bytes),
        (bool, True, True),
        (Decimal, Decimal("1.50"), "1.50"),
        (Decimal, Decimal("-1E+30"), "-1E+30"),
        (tuple[date, ...], (date(1970, 1, 2), date(1970, 1, 3)), [1, 2]),
        (tuple[str, Status, None], ("a", Status.OPEN, None), ["a", "open", None]),
        (tuple[()], (), []),
        (datetime | None, None, None),
        (Decimal | float | None, 1.5, 1.5),
        (Status | int | Address, Address("b"), BARE),
        (list[UUID | None], [ID, None], [ID.bytes, None]),
        (dict[date, list[Status]], {date(1970, 1, 2): [Status.OPEN]}, {1: ["open"]}),
        (Mapping[str, tuple[Decimal, ...]], {"a": (Decimal(1),)}, {"a": ["1"]}),
        (Address, Address("b", date(1970, 1, 2), tags=("x",)), {"city": "b", "since": 1, "tags": ["x"]}),
        (
            Person,
            Person("p", Address("b")),
            {"name": "p", "address": {"city": "b", "since": None, "tags": []}, "_secret": b""},
        ),
        (tuple[list[str], Literal["x", 1]], (["a"], 1), [["a"], 1]),
        (tuple[Any, date], ({"x": 1}, date(1970, 1, 2)), [{"x": 1}, 1]),
    ],
)
def test_a_value_is_packed_as_this_plain_one(declared, value, plain):
    assert cell_of(declared, value) == msgpack.packb(plain)


def test_a_time_comes_back_in_utc():
    table = table_of(datetime)
    record = table.record(b"a\0\1", table.cells.pack(table.cells.record("a", AT.astimezone(HERE))))
    assert record.value == AT
    assert record.value.tzinfo is UTC


SCALARS = [
    (datetime, st.datetimes(timezones=st.sampled_from([UTC, HERE]), min_value=datetime(2, 1, 1))),
    (date, st.dates()),
    (UUID, st.uuids()),
    (Decimal, st.decimals(allow_nan=False, allow_infinity=False)),
    (Status, st.sampled_from(Status)),
    (Priority, st.sampled_from(Priority)),
    (bool, st.booleans()),
    (str, st.text(max_size=3)),
    (int, st.integers(-9, 2**64 - 1)),
]


def around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Types made of others, each with a strategy of its values."""

    def several(pair: Any) -> list[Any]:
        declared, values = pair
        return [
            (declared | None, st.none() | values),
            (tuple[declared, ...], st.lists(values, max_size=3).map(tuple)),
            (tuple[declared, date], st.tuples(values, st.dates())),
            (list[declared], st.lists(values, max_size=3)),
            (dict[UUID, declared], st.dictionaries(st.uuids(), values, max_size=2)),
            (Mapping[str, declared], st.dictionaries(st.text(max_size=2), values, max_size=2)),
        ]

    return inner.flatmap(lambda pair: st.sampled_from(several(pair)))


@many
@given(data=st.data())
def test_values_of_types_within_types_come_back(data):
    declared, values = data.draw(st.recursive(st.sampled_from(SCALARS), around, max_leaves=3))
    cell_of(declared, data.draw(values))


def test_attributes_of_all_kinds_of_cells_hold_them():
    within = key_class("Within", number=UInt8)
    record = record_class("Record", name=str, number=int, at=datetime, status=Status | None)
    for value in (("at", "status"), "at"):
        one = record if value != "at" else record_class("One", name=str, number=int, at=datetime)
        cells = ItemCells(one, "f", KeyLayout(within), value=value)
        table = TableLayout("t", "some", KeyLayout(ByName), cells)
        given_record = one("a", 7, AT) if value == "at" else one("a", 7, AT, Status.PAID)
        packed = cells.pack(given_record)
        with without_reference(cells.item):
            assert table.records(table.row(given_record), packed) == [given_record]
        assert cells._item_reference(ByName("a"), b"\x07", *packed.values()) == given_record
    by_name = record_class("ByNames", name=str, days=Mapping[str, date])
    table = TableLayout("t", "days", KeyLayout(ByName), RecordCells(by_name, {"days": OtherColumns("f")}))
    days = by_name("a", {"x": date(1970, 1, 2)})
    assert table.cells.pack(days) == {b"f:x": b"\x01"}
    assert table.record(table.row(days), table.cells.pack(days)) == days


# ---- values that do not fit ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "value", "reason"),
    [
        (datetime, datetime(2020, 1, 1), "must be a datetime with a zone (got datetime.datetime(2020, 1, 1, 0, 0))"),
        (datetime, datetime.min.replace(tzinfo=HERE), "must be in the years 1 to 9999 in UTC (got "),
        (date, AT, "must be date (got datetime.datetime("),
        (Status, "paid", "must be Status (got 'paid')"),
        (Decimal, Decimal("NaN"), "must be a finite Decimal (got Decimal('NaN'))"),
        (UUID, str(ID), "must be UUID (got '00112233"),
        (tuple[str, date], ("a",), "must have 2 values (got 1) (got ('a',))"),
        (tuple[int, ...], (1, True), "must be an int (got True) (got (1, True))"),
        (list[Status], ["paid"], "must be Status (got 'paid') (got ['paid'])"),
        (Address, Address(5), "Address.city: must be text (got 5) (got Address("),
        (Person, Person("p", Address(5)), "Person.address: Address.city: must be text (got 5) (got Person("),
    ],
)
def test_a_value_that_does_not_fit_is_refused(declared, value, reason):
    cells = table_of(declared).cells
    with pytest.raises(InvalidRecord) as refused:
        cells.pack(cells.record("a", value))
    assert str(refused.value).startswith(f"Record.value: {reason}")


@pytest.mark.parametrize(
    ("declared", "plain", "reason"),
    [
        (Status, 5, "must be Status (got 5) (got 05)"),
        (datetime, "x", "must be a datetime with a zone (got 'x') (got a1 78)"),
        (datetime, 2**62, "must be microseconds of the years 1 to 9999 (got 4611686018427387904) (got "),
        (date, 10**7, "must be days of the years 1 to 9999 (got 10000000) (got "),
        (UUID, b"x", "must be the 16 bytes of a UUID (got 1) (got c4 01 78)"),
        (Decimal, "1_0", "must be a finite Decimal as Python writes it (got '1_0') (got "),
        (Decimal, "Infinity", "must be a finite Decimal as Python writes it (got 'Infinity') (got "),
        (Decimal, "x", "must be a finite Decimal as Python writes it (got 'x') (got "),
        (tuple[str, date], ["a"], "must have 2 values (got 1) (got 91 a1 61)"),
        (tuple[int, ...], [True], "must be an int (got True) (got 91 c3)"),
        (Address, {}, "Address.city: has no value, and no default (got 80)"),
        (Address, {"city": 5}, "Address.city: must be text (got 5) (got "),
        (Person, {"name": "p" * 21, "address": None}, "Length of 'name' must be <= 20: 21 (got "),
        (Status | int, 1.5, "must be tests.shared.tables.test_declared_packing.Status | int (got 1.5) (got "),
    ],
)
def test_a_cell_that_no_value_has_is_damage(declared, plain, reason):
    table = table_of(declared)
    with pytest.raises(InvalidRecord) as damaged:
        [*table.cells.records(ByName("a"), {b"f:v": msgpack.packb(plain)})]
    assert not isinstance(damaged.value, UnknownValue)
    assert str(damaged.value).startswith(f"Record.value: {reason}")


@pytest.mark.parametrize(
    ("declared", "plain", "reason"),
    [
        (Status, "lost", "must be one of open, paid (got 'lost')"),
        (Priority | None, 9, "must be one of 1, 2 (got 9)"),
        (list[Status], ["open", "lost"], "must be one of open, paid (got 'lost')"),
        (tuple[Literal["a", "b"], date], ["c", 1], "must be one of a, b (got 'c')"),
        (Address, {"city": "b", "zip": 1}, "Address: must have city, since and tags only (got 'zip')"),
        (Person, {"name": "p", "address": {"city": "b", "zip": 1}}, "Person.address: Address: must have city, "),
    ],
)
def test_a_value_of_a_later_release_is_told_from_damage(declared, plain, reason):
    table = table_of(declared)
    with pytest.raises(UnknownValue) as unknown:
        [*table.cells.records(ByName("a"), {b"f:v": msgpack.packb(plain)})]
    assert str(unknown.value).startswith(f"Record.value: {reason}")


def test_a_class_may_gain_an_attribute_with_a_default():
    table = table_of(Address)
    (record,) = table.records(b"a\0\1", {b"f:v": msgpack.packb({"city": "b"})})
    assert record.value == Address("b")


# ---- declarations ----------------------------------------------------------------------------------


class Kind(enum.Flag):
    A = 1


class Half(enum.Enum):
    A = 0.5


class Huge(enum.Enum):
    A = 2**64


@attrs.frozen
class Node:
    below: "list[Node]"


@attrs.frozen
class Holder:
    numbers: set[int]


@attrs.frozen
class Own:
    number: int

    def __init__(self) -> None:
        pass


HOLDS_NOT = "must be of a type that can be packed (got {}): declare a list, a tuple[X, ...], an attrs class, or another"
AMBIGUOUS = (
    "must be a union of types that differ once they are packed (got {}): two of them are packed as {}: declare one"
)
OF_ENUM = "must be an Enum whose values are texts or ints of up to 64 bits, and not a Flag (got {}): change its values"


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        (set, HOLDS_NOT.format("set")),
        (set[int], HOLDS_NOT.format("set[int]")),
        (list[set[int]], HOLDS_NOT.format("set[int]")),
        (tuple, HOLDS_NOT.format("tuple")),
        (object, HOLDS_NOT.format("object")),
        (bytearray, HOLDS_NOT.format("bytearray")),
        (Annotated[int, []], HOLDS_NOT.format("Annotated[int, []]")),
        (Literal[Status.OPEN], HOLDS_NOT.format("Literal[<Status.OPEN: 'open'>]")),
        (datetime | int, AMBIGUOUS.format("datetime.datetime | int", "int")),
        (datetime | date, AMBIGUOUS.format("datetime.datetime | datetime.date", "int")),
        (Status | str, AMBIGUOUS.format(f"{__name__}.Status | str", "str")),
        (UUID | bytes | None, AMBIGUOUS.format("uuid.UUID | bytes | None", "bytes")),
        (Address | dict[str, int], AMBIGUOUS.format(f"{__name__}.Address | dict[str, int]", "dict")),
        (
            dict[tuple[int, ...], int],
            "must have keys of a single value (got dict[tuple[int, ...], int]): declare a list",
        ),
        (Kind, OF_ENUM.format("Kind")),
        (Half, OF_ENUM.format("Half")),
        (Huge, OF_ENUM.format("Huge")),
        (Node, "Node.below: must not contain itself (got Node): declare its ids, and a table of them"),
        (Holder, f"Holder.numbers: {HOLDS_NOT.format('set[int]')}"),
        (Own, "Own: must keep the __init__ that attrs makes"),
    ],
)
def test_a_type_that_no_packing_holds_is_refused_when_it_is_declared(declared, reason):
    with pytest.raises(InvalidRecord) as refused:
        table_of(declared)
    assert str(refused.value).startswith(f"Record.value: {reason}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("declared", "packing", "wanted", "got"),
    [
        (int, TEXT, "str to be packed as text", "int"),
        (int, RAW, "bytes to be packed as raw", "int"),
        (int | None, BIG_INT, "int to be packed as big int", "int | None"),
        (int | None, COUNTER, "int to be packed as counter", "int | None"),
        (str | None, TEXT, "str to be packed as text", "str | None"),
        (datetime, TEXT, "str to be packed as text", "datetime"),
        (Literal["a", 1], TEXT, "str to be packed as text", "Literal['a', 1]"),
        (tuple[int, ...], TEXTS, "tuple[str, ...] to be packed as texts", "tuple[int, ...]"),
    ],
)
def test_a_packing_that_cannot_hold_the_type_is_refused_when_it_is_declared(declared, packing, wanted, got):
    with pytest.raises(InvalidRecord) as refused:
        table_of(declared, packing)
    advice = "declare that, or leave out the packing"
    assert str(refused.value) == f"Record.value: must be declared as {wanted} (got {got}): {advice}"


def test_a_packing_of_ones_own_is_not_checked():
    upper = Packing("upper", lambda value: value.upper().encode(), lambda data: data.decode().lower())
    cells = table_of(str | set[int], upper).cells
    assert cells.pack(cells.record("a", "x")) == {b"f:v": b"X"}


@pytest.mark.parametrize(
    ("declared", "packing"),
    [(Literal["a", "b"], TEXT), (Literal[1, 2], BIG_INT), (Any, TEXT), (tuple[str, ...], TEXTS), (bytes, RAW)],
)
def test_a_packing_that_holds_the_type_is_accepted(declared, packing):
    assert table_of(declared, packing)


# ---- questions -------------------------------------------------------------------------------------

Order = record_class("Order", name=str, at=datetime, status=Status, id=UUID, price=Decimal | None)
ORDER_CELLS = RecordCells(Order, {"at": "o:t", "status": "o:s", "id": "o:i", "price": "o:p"})
ORDERS: TableLayout[Any, Any] = TableLayout("orders", "one order", KeyLayout(ByName), ORDER_CELLS)


@pytest.fixture
def orders(engine):
    with engine.store() as connection:
        create_tables(connection, [ORDERS])
        table = BoundTable(connection, ORDERS)
        for number, price in enumerate(("1.50", "9", None)):
            status = Status.PAID if number else Status.OPEN
            order = Order(f"o{number}", AT + timedelta(days=number), status, UUID(int=number), price and Decimal(price))
            table.rows.put(table.row(order), ORDER_CELLS.pack(order))
        yield Query(table, table.whole_table())


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ({"status": Status.PAID}, "o1 o2"),
        ({"id": UUID(int=1)}, "o1"),
        ({"at": AT.astimezone(HERE)}, "o0"),
        ({"at": between(AT + timedelta(hours=1), AT.astimezone(HERE) + timedelta(days=2))}, "o1"),
        ({"price": between(Decimal("1.5"), 9)}, "o0"),
        ({"price": Decimal("1.5")}, "o0"),
        ({"price": None}, "o2"),
    ],
)
def test_a_condition_compares_values_as_python_does(orders, where, names):
    assert [order.name for order in orders.where(**where)] == names.split()


def test_the_server_compares_packed_values(orders):
    assert [order.name for order in orders.on_server("status", Status.OPEN)] == ["o0"]
    assert [order.name for order in orders.on_server("at", AT.astimezone(HERE))] == ["o0"]
    assert equal(ORDER_CELLS, "id", UUID(int=1)).text.endswith(b"\1',true,true)")
    with pytest.raises(InvalidRecord, match=r"^Order\.status: must be Status \(got 'open'\)$"):
        orders.on_server("status", "open")


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ({"status": "open"}, "where: status: must be Status (got 'open')"),
        ({"at": datetime(2020, 1, 1)}, "where: at: must be a datetime with a zone (got datetime.datetime(2020, 1, 1, "),
        ({"at": between(datetime(2020, 1, 1))}, "where: at is datetime.datetime(2020, 2, 6, "),
        ({"status": between(Status.OPEN)}, "where: status is <Status.OPEN: 'open'>, which cannot be compared with "),
        ({"price": between(Decimal("NaN"))}, "where: price is Decimal('1.50'), which cannot be compared with "),
    ],
)
def test_a_condition_that_no_record_can_meet_is_refused(orders, where, reason):
    with pytest.raises(InvalidQuestion) as refused:
        [*orders.where(**where)]
    assert str(refused.value).startswith(reason)
