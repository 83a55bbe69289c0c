"""Many records in a row, one in each cell: the qualifier is a key, the value is the rest of the record."""

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import attrs
import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.keys import (
    Descending,
    EscapedText,
    Int32,
    Int64,
    InvalidQuestion,
    KeyLayout,
    Prefixed,
    Rest,
    Slice,
    TrailingText,
    UInt8,
    UInt16,
    any_of,
    between,
    part,
    row_key,
)
from shared.tables import (
    COUNTER,
    RAW,
    TEXT,
    Column,
    Family,
    InvalidRecord,
    InvalidRow,
    ItemCells,
    RecordCells,
    TableLayout,
)
from tests.reference import without_reference
from tests.shared.keys.strategies import damaged, many


@row_key
class User:
    user: str = part(TrailingText, "who")


@row_key
class Slot:
    slot: int = part(UInt8, "place in the list")


@attrs.frozen
class Recent:
    """One of a user's recent orders."""

    user: str
    slot: int
    order_id: str
    amount: int = 0
    note: str | None = None


RECENT_CELLS = ItemCells(Recent, "r", KeyLayout(Slot), value=("order_id", "amount", "note"))
RECENT = TableLayout("profiles", "a recent order", KeyLayout(User), RECENT_CELLS)
LAMP = Recent("ann", 7, "n-1", 499)


@row_key
class HourOf:
    metric: str = part(EscapedText, "what")
    at_s: int = part(Slice(Int32, 3600), "the hour")


@row_key
class Within:
    at_s: int = part(Rest(UInt16, 3600), "the rest of the hour")


@attrs.frozen
class Point:
    metric: str
    at_s: int
    value: float


POINT_CELLS = ItemCells(Point, "p", KeyLayout(Within), value="value")
POINTS = TableLayout("points", "an hour of a metric", KeyLayout(HourOf), POINT_CELLS)


# ---- values --------------------------------------------------------------------------------------


def test_the_value_of_one_attribute_is_packed_by_itself() -> None:
    point = Point("cpu", 3600 + 258, 1.0)
    assert POINT_CELLS.pack(point) == {b"p:\x01\x02": bytes.fromhex("cb 3ff0000000000000")}
    assert POINTS.row(point) == b"cpu\0\1" + bytes.fromhex("80000e10")
    with without_reference(POINT_CELLS.item):
        assert POINTS.records(POINTS.row(point), POINT_CELLS.pack(point)) == [point]


def test_values_that_no_cell_can_hold_are_refused_by_the_names_of_their_attributes() -> None:
    largest = 10_485_756 - 20 - len("r") - len("\x07")
    message = rf"^Recent.order_id, amount, note: must fit {largest} bytes, .* \(got {largest + 1} bytes\)$"
    note = "x" * (largest - len(RECENT_CELLS.pack(attrs.evolve(LAMP, note="x" * 70_000))[b"r:\x07"]) + 70_000)
    assert len(RECENT_CELLS.pack(attrs.evolve(LAMP, note=note))[b"r:\x07"]) == largest
    with pytest.raises(InvalidRecord, match=message):
        RECENT_CELLS.pack(attrs.evolve(LAMP, note=note + "x"))


def test_the_values_of_several_attributes_are_an_array() -> None:
    assert RECENT_CELLS.pack(LAMP) == {b"r:\x07": bytes.fromhex("93 a3 6e2d31 cd01f3 c0")}
    with without_reference(RECENT_CELLS.item):
        assert RECENT.records(b"ann", RECENT_CELLS.pack(LAMP)) == [LAMP]


def test_an_item_without_a_value_says_only_that_it_is_there() -> None:
    cells = ItemCells(Slotted, "f", KeyLayout(Slot))
    table = TableLayout("t", "a slot", KeyLayout(User), cells)
    assert cells.pack(Slotted("ann", 3)) == {b"f:\x03": b"\xc3"}
    with without_reference(cells.item):
        assert table.records(b"ann", {b"f:\x03": b"", b"f:\x01": b"\xc1"}) == [Slotted("ann", 1), Slotted("ann", 3)]


@attrs.frozen
class Slotted:
    user: str
    slot: int


@pytest.mark.parametrize(
    ("packing", "declared", "value", "cell"),
    [
        (TEXT, str, "né", "né".encode()),
        (RAW, bytes, b"\xff\0", b"\xff\0"),
    ],
)
def test_the_value_of_one_attribute_may_have_another_packing(
    packing: Any, declared: type, value: Any, cell: bytes
) -> None:
    fields = {"user": attrs.field(type=str), "slot": attrs.field(type=int), "value": attrs.field(type=declared)}
    record = attrs.make_class("Packed", fields, frozen=True)
    cells: ItemCells[Any] = ItemCells(record, "f", KeyLayout(Slot), value="value", packing=packing)
    table = TableLayout("t", "any", KeyLayout(User), cells)
    assert cells.pack(record("ann", 1, value)) == {b"f:\1": cell}
    with without_reference(cells.item):
        assert table.records(b"ann", {b"f:\1": cell}) == [record("ann", 1, value)]


def test_a_counter_is_only_read() -> None:
    fields = {"user": attrs.field(type=str), "slot": attrs.field(type=int), "hits": attrs.field(type=int)}
    record = attrs.make_class("Hits", fields, frozen=True)
    cells: ItemCells[Any] = ItemCells(record, "f", KeyLayout(Slot), value="hits", packing=COUNTER)
    table = TableLayout("t", "any", KeyLayout(User), cells)
    with without_reference(cells.item):
        assert table.records(b"ann", {b"f:\1": bytes(7) + b"\5"}) == [record("ann", 1, 5)]
    with pytest.raises(InvalidRecord, match=r"^Hits\.hits: is a counter, which only counter_inc writes$"):
        cells.pack(record("ann", 1, 5))


def test_an_array_that_is_too_short_leaves_the_last_attributes_at_their_defaults() -> None:
    for values in (["n-1"], ["n-1", 5], ["n-1", 5, "x"]):
        assert RECENT.records(b"ann", {b"r:\7": msgpack.packb(values)}) == [Recent("ann", 7, *values)]


ARRAY = "Recent: must be a msgpack array of order_id, amount, note"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "Recent.order_id: has no value (got [])"),
        (["n-1", 5, None, 1], f"{ARRAY} (got ['n-1', 5, None, 1])"),
        ("n-1", f"{ARRAY} (got 'n-1')"),
        ({"n-1": 1, "x": 2, "y": 3}, f"{ARRAY} (got {{'n-1': 1, 'x': 2, 'y': 3}})"),
        (5, f"{ARRAY} (got 5)"),
        ([5, 5, None], "Recent.order_id: must be text (got 5)"),
        (["n-1", "5"], "Recent.amount: must be an int (got '5')"),
        (["n-1", True], "Recent.amount: must be an int (got True)"),
        (["n-1", 5, 5], "Recent.note: must be str | None (got 5)"),
    ],
)
def test_a_value_that_is_not_such_an_array_is_refused_by_name(value: Any, reason: str) -> None:
    with pytest.raises(InvalidRow) as refused:
        RECENT.records(b"ann", {b"r:\7": msgpack.packb(value)})
    assert str(refused.value) == f"profiles: row 61 6e 6e: {reason}"


@pytest.mark.parametrize("cell", [b"", b"\xc1", b"\x93\xa3n-1", b"\x90\x90", b"\x91" * 2000 + b"\x90"])
def test_bytes_that_are_not_msgpack_are_refused(cell: bytes) -> None:
    with pytest.raises(InvalidRow, match=rf"^profiles: row 61 6e 6e: ({ARRAY}: .+|Recent\.order_id: must be text .+)$"):
        RECENT.records(b"ann", {b"r:\7": cell})


def test_a_qualifier_that_is_not_a_key_is_refused_by_name() -> None:
    with pytest.raises(InvalidRow) as refused:
        RECENT.records(b"ann", {b"r:\7\0": b"\x91\xa1a"})
    assert str(refused.value) == ("profiles: row 61 6e 6e: Slot: 1 bytes too many, at offset 1 of qualifier 07 00")
    with pytest.raises(InvalidRow) as refused:
        RECENT.records(b"ann", {b"r:": b"\x91\xa1a"})
    assert str(refused.value) == "profiles: row 61 6e 6e: Slot: a qualifier is 1..32767 bytes (got b'')"
    with pytest.raises(InvalidRow) as refused:
        POINTS.records(POINTS.row(Point("cpu", 0, 1.0)), {b"p:\1": b"\xcb" + bytes(8)})
    assert str(refused.value) == (
        "points: row 63 70 75 00 01 80 00 00 00: Within.at_s: needs 2 bytes, 1 left, at offset 0 of qualifier 01"
    )
    with pytest.raises(InvalidRow, match=r"Within\.at_s: must be 0\.\.3599 \(got 3600\)"):
        POINTS.records(POINTS.row(Point("cpu", 0, 1.0)), {b"p:\x0e\x10": b"\xcb" + bytes(8)})
    with pytest.raises(InvalidRow, match=r"HourOf\.at_s: must be a multiple of 3600 \(got 1\)"):
        POINTS.records(b"cpu\0\1" + bytes.fromhex("80000001"), {b"p:\0\0": b"\xcb" + bytes(8)})


def test_a_value_that_does_not_fit_is_refused_when_packed() -> None:
    not_a_slot: list[Any] = [256, -1, "7"]
    for slot in not_a_slot:
        with pytest.raises(InvalidRecord, match=r"^Slot\.slot: "):
            RECENT_CELLS.pack(attrs.evolve(LAMP, slot=slot))
    with pytest.raises(InvalidRecord, match=r"^Recent\.amount: must be an int \(got '1'\)$"):
        RECENT_CELLS.pack(attrs.evolve(LAMP, amount="1"))  # type: ignore[arg-type]
    with pytest.raises(InvalidRecord, match=r"^Within\.at_s: "):
        POINT_CELLS.pack(Point("cpu", "1", 1.0))  # type: ignore[arg-type]


def test_records_come_in_the_order_of_their_qualifiers() -> None:
    cells: dict[bytes, bytes] = {}
    for slot in (9, 0, 255, 1):
        cells |= RECENT_CELLS.pack(attrs.evolve(LAMP, slot=slot))
    assert [recent.slot for recent in RECENT.records(b"ann", cells)] == [0, 1, 9, 255]
    with pytest.raises(InvalidRow, match=r"^profiles: row 61 6e 6e: Recent: 4 records$"):
        RECENT.record(b"ann", cells)
    assert RECENT.records(b"ann", {}) == []
    with pytest.raises(InvalidRow, match=r"^profiles: row 61 6e 6e: Recent: none of its cells \(r\)$"):
        RECENT.record(b"ann", {})


# ---- slices --------------------------------------------------------------------------------------

TIMES = [-(2**31), -3601, -3600, -1, 0, 1, 3599, 3600, 7199, 2**31 - 1]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("at_s", TIMES)
def test_a_value_is_put_together_from_its_slice_and_its_rest(at_s: int, descending: bool) -> None:
    turned = Descending if descending else (lambda codec: codec)

    @row_key
    class Hour:
        metric: str = part(EscapedText, "what")
        at_s: int = part(turned(Slice(Int64, 3600)), "the hour")

    @row_key
    class Second:
        at_s: int = part(turned(Rest(UInt16, 3600)), "the rest of the hour")

    item_cells = ItemCells(Point, "p", KeyLayout(Second), value="value")
    table = TableLayout("t", "any", KeyLayout(Hour), item_cells)
    point = Point("cpu", at_s, 0.5)
    row, cells = table.row(point), table.cells.pack(point)
    assert table.key.decode(row).at_s == at_s - at_s % 3600
    with without_reference(item_cells.item, table.key.row_of):
        assert table.records(row, cells) == [point]
    assert item_cells._item_reference(table.key.decode(row), next(iter(cells))[2:], cells.popitem()[1]) == point


# ---- labels --------------------------------------------------------------------------------------


@attrs.frozen
class Labelled:
    user: str
    slot: int
    order_id: str


@row_key
class OrderSlot:
    slot: int = part(Prefixed("order:", UInt8), "place in the list")


@row_key
class LabelOnly:
    slot: int = part(Prefixed("\U0010ffff", UInt8), "place in the list")


def test_cells_with_another_label_are_passed_over() -> None:
    cells = ItemCells(Labelled, "r", KeyLayout(OrderSlot), value="order_id")
    table = TableLayout("profiles", "any", KeyLayout(User), cells)
    lamp = Labelled("ann", 7, "n-1")
    assert cells.pack(lamp) == {b"r:order:\x07": b"\xa3n-1"}
    others = {b"r:": b"\xff", b"r:order": b"\xff", b"r:other:\1": b"\xff", b"r:order;": b"\xff", b"s:order:\1": b"\xff"}
    assert table.records(b"ann", cells.pack(lamp) | others) == [lamp]
    assert table.records(b"ann", others) == []
    with pytest.raises(InvalidRow, match=r"OrderSlot\.slot: "):
        table.records(b"ann", {b"r:order:": b"\xa3n-1"})
    assert cells.claimed == (b"order:", b"order;")
    assert ItemCells(Recent, "r", KeyLayout(LabelOnly), value="order_id").claimed == (
        b"\xf4\x8f\xbf\xbf",
        b"\xf4\x8f\xbf\xc0",
    )
    assert RECENT_CELLS.claimed == (b"", None)


# ---- plans ---------------------------------------------------------------------------------------


def test_a_question_that_binds_every_part_is_one_row_and_one_column() -> None:
    plan = POINTS.plan(metric="cpu", at_s=3600 + 258)
    assert (plan.point, plan.column, plan.residual) == (b"cpu\0\1" + bytes.fromhex("80000e10"), b"p:\x01\x02", {})
    plan = RECENT.plan(user="ann", slot=3)
    assert (plan.point, plan.column, plan.residual) == (b"ann", b"r:\3", {})


def test_conditions_on_the_qualifier_and_on_rests_are_left_to_the_client() -> None:
    plan = RECENT.plan(user="ann", slot=between(3, 5))
    assert (plan.point, plan.column, plan.residual) == (None, None, {"slot": between(3, 5)})
    assert [str(range_) for range_ in plan.ranges] == ["[616e6e, 616e6e00)"]
    assert RECENT.plan(user="ann", slot=between()).residual == {}
    assert RECENT.plan(user="ann").residual == {}
    assert RECENT.plan(user="ann", slot=any_of([1, 2])).residual == {"slot": any_of([1, 2])}
    assert POINTS.plan(metric="cpu", at_s=between(3600, 7200)).residual == {}
    assert POINTS.plan(metric="cpu", at_s=between(3600, 7201)).residual == {"at_s": between(3600, 7201)}
    assert POINTS.narrow(metric="cpu", at_s=between(1, None)).residual == {"at_s": between(1, None)}


def test_a_value_in_the_cell_is_compared_although_row_and_column_are_bound() -> None:
    @attrs.frozen
    class Peak:
        metric: str
        at_s: int
        slot: int

    table = TableLayout("t", "any", KeyLayout(HourOf), ItemCells(Peak, "p", KeyLayout(Slot), value="at_s"))
    plan = table.plan(metric="cpu", at_s=5, slot=1)
    assert (plan.column, plan.residual) == (b"p:\1", {"at_s": 5})


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"metric": "a", "value": 1.0}, r"HourOf\.value: no such part; the parts are metric and at_s"),
        ({"metric": "a", "at_s": between(5, 3)}, r"HourOf\.at_s: since must not be above until \(got 5 and 3\)"),
        ({"metric": "a", "at_s": "x"}, r"HourOf\.at_s: must be an? int.*"),
        ({}, r"HourOf: needs a condition for metric; ask whole_table\(\) for all rows"),
    ],
)
def test_a_question_that_no_part_can_meet_is_refused(question: Mapping[str, Any], reason: str) -> None:
    with pytest.raises(InvalidQuestion, match=f"^{reason}$"):
        POINTS.plan(**question)


@pytest.mark.parametrize("slot", [256, "a", between("a", None), between(3, 1), any_of([300])])
def test_a_condition_that_no_qualifier_can_meet_is_refused(slot: Any) -> None:
    with pytest.raises(InvalidQuestion, match=r"^Slot\.slot: "):
        RECENT.plan(user="ann", slot=slot)


@row_key
class NamedSlot:
    name: str = part(TrailingText, "all of the qualifier")


@attrs.frozen
class Setting:
    user: str
    name: str


SETTINGS = TableLayout("settings", "a setting", KeyLayout(User), ItemCells(Setting, "s", KeyLayout(NamedSlot)))


@pytest.mark.parametrize("name", ["", "n" * 32_768], ids=["empty", "too long"])
def test_a_qualifier_of_no_or_too_many_bytes_is_refused(name: str) -> None:
    reason = f"NamedSlot.name: a qualifier has 1..32767 bytes (got {len(name)})"
    with pytest.raises(InvalidQuestion) as question:
        SETTINGS.plan(user="ann", name=name)
    assert str(question.value) == reason
    with pytest.raises(InvalidRecord) as record:
        SETTINGS.cells.pack(Setting("ann", name))
    assert str(record.value) == reason


def test_values_in_a_qualifier_cannot_be_merged() -> None:
    for plan in (RECENT.plan, RECENT.narrow):
        with pytest.raises(InvalidQuestion) as refused:
            plan(user="ann", slot=any_of([1, 2], merged=True))
        assert str(refused.value) == "Slot.slot: cannot be merged, because no range binds it"
    merged = any_of([1, 3700], merged=True)  # a range binds the slices
    assert [len(stream.ranges) for stream in POINTS.plan(metric="cpu", at_s=merged).streams] == [1, 1]


# ---- declarations --------------------------------------------------------------------------------


def refused(key: type[Any], cells: Any) -> str:
    with pytest.raises(InvalidRecord) as error:
        TableLayout("t", "any", KeyLayout(key), cells() if callable(cells) else cells)
    assert "\n" not in str(error.value)
    return str(error.value)


@row_key
class Minutes:
    at_s: int = part(Rest(UInt16, 60), "the rest of the minute")


@row_key
class Falling:
    at_s: int = part(Descending(Rest(UInt16, 3600)), "the rest of the hour, the last first")


@row_key
class WholeTime:
    at_s: int = part(UInt16, "not divided")


@row_key
class SliceInQualifier:
    at_s: int = part(Slice(Int32, 3600), "the hour")


@row_key
class MetricOnly:
    metric: str = part(EscapedText, "what")


@row_key
class RestInRow:
    metric: str = part(EscapedText, "what")
    at_s: int = part(Rest(UInt16, 3600), "the rest of the hour")


@row_key
class WholeInRow:
    metric: str = part(EscapedText, "what")
    at_s: int = part(Int32, "not divided")


def test_an_attribute_in_no_place_is_refused() -> None:
    cells = ItemCells(Point, "p", KeyLayout(Within))
    assert refused(HourOf, cells) == "Point.value: must be a column of table t, or a part of HourOf"


def test_a_slice_without_a_rest_is_refused() -> None:
    cells = ItemCells(Point, "p", KeyLayout(ByValue))
    assert refused(HourOf, cells) == (
        "Point.at_s: must be in the cells too, as a Rest or as a column, because the row key holds its slice only"
    )


@row_key
class ByValue:
    value: int = part(UInt8, "what was measured")


def test_a_rest_without_a_slice_is_refused() -> None:
    cells = ItemCells(Point, "p", KeyLayout(Within), value="value")
    assert refused(MetricOnly, cells) == "Point.at_s: is a Rest, so it must be a Slice in MetricOnly"
    columns = RecordCells(Point, {"value": Column("p:v")})
    assert refused(RestInRow, columns) == "Point.at_s: a Rest must be in the qualifier (got Rest(UInt16, 3600))"
    assert refused(RestInRow, cells) == "Point.at_s: a Rest must be in the qualifier (got Rest(UInt16, 3600))"


@pytest.mark.parametrize("qualifier", [Minutes, Falling, WholeTime, SliceInQualifier])
def test_a_slice_and_a_rest_of_other_length_or_direction_are_refused(qualifier: type[Any]) -> None:
    codec = KeyLayout(qualifier).parts[0].codec
    assert refused(HourOf, ItemCells(Point, "p", KeyLayout(qualifier), value="value")) == (
        f"Point.at_s: must be a Slice and a Rest of equal length and direction (got Slice(Int32, 3600) and {codec})"
    )


def test_a_slice_in_a_qualifier_is_refused_because_nothing_holds_the_rest() -> None:
    cells = ItemCells(Point, "p", KeyLayout(SliceInQualifier), value="value")
    assert refused(MetricOnly, cells) == "Point.at_s: a Slice must be in the row key (got Slice(Int32, 3600))"


def test_a_part_of_row_key_and_qualifier_that_is_not_divided_is_refused() -> None:
    assert refused(WholeInRow, ItemCells(Point, "p", KeyLayout(WholeTime), value="value")) == (
        "Point.at_s: is in the row key and in the qualifier, so it must be a Slice and a Rest (got Int32 and UInt16)"
    )


def test_a_part_of_the_row_key_in_the_value_is_refused() -> None:
    cells = ItemCells(Point, "p", KeyLayout(Within), value=("metric", "value"))
    assert refused(HourOf, cells) == "Point.metric: must be in the row key or in the cells, not in both"


make_cells: Any = ItemCells
NEEDS_ONE = "Recent: needs one attribute in its value to pack it as text"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"value": ("order_id", "slot")}, "Recent.slot: must be in the qualifier or in the value, not in both"),
        ({"value": "slot"}, "Recent.slot: must be in the qualifier or in the value, not in both"),
        ({"value": "colour"}, "Recent.colour: no such attribute (user, slot, order_id, amount, note)"),
        (
            {"value": ("order_id", "amount"), "packing": TEXT},
            "Recent: needs one attribute in its value to pack it as text",
        ),
        ({"value": ("order_id",), "packing": TEXT}, "Recent: needs one attribute in its value to pack it as text"),
        ({"packing": TEXT}, "Recent: needs one attribute in its value to pack it as text"),
        ({"family": ""}, "ItemCells.family: must be the name of a family (got '')"),
        ({"family": "r:"}, "ItemCells.family: must be the name of a family (got 'r:')"),
        ({"family": b"r"}, "ItemCells.family: must be the name of a family (got b'r')"),
    ],
)
def test_cells_that_cannot_hold_a_record_are_refused(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidRecord) as error:
        make_cells(**{"record": Recent, "family": "r", "qualifier": KeyLayout(Slot)} | arguments)
    assert str(error.value) == reason


def test_more_attributes_than_a_small_array_holds_are_refused() -> None:
    names = [f"value_{number}" for number in range(16)]
    fields = {name: attrs.field(type=int) for name in ("user", "slot", *names)}
    record = attrs.make_class("Long", fields, frozen=True)
    fifteen: ItemCells[Any] = ItemCells(record, "f", KeyLayout(Slot), value=tuple(names[:15]))
    (cell,) = fifteen.pack(record("ann", 1, *range(16))).values()
    assert cell == msgpack.packb(list(range(15)))
    with pytest.raises(InvalidRecord, match=r"^Long: at most 15 attributes fit a value \(got 16\)$"):
        ItemCells(record, "f", KeyLayout(Slot), value=tuple(names))


def test_the_family_of_the_cells_must_be_one_of_the_table() -> None:
    with pytest.raises(InvalidRecord, match=r"^table t: must have the family r \(has o\)$"):
        TableLayout("t", "any", KeyLayout(User), RECENT_CELLS, {"o": Family()})


# ---- the law -------------------------------------------------------------------------------------

ITEMS: dict[str, tuple[ItemCells[Any], Any, list[bytes]]] = {
    "one": (POINT_CELLS, HourOf("cpu", 3600), [b"\xcb" + bytes(8), b"\xca" + bytes(4), b"\x01", b"\xa1x"]),
    "several": (
        RECENT_CELLS,
        User("ann"),
        [
            msgpack.packb(value)
            for value in (["a", 5, None], ["a", 5], ["a"], [], "abc", [1, 2, 3], {"a": 1, 2: 3, 4: 5})
        ],
    ),
    "none": (ItemCells(Slotted, "f", KeyLayout(Slot)), User("ann"), [b"", b"\xc3"]),
    "labelled": (ItemCells(Labelled, "r", KeyLayout(OrderSlot), value="order_id"), User("ann"), [b"\xa0", b"\xa1x"]),
}


def outcome(read: Any, *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except InvalidRecord as error:
        return f"InvalidRecord: {error}"


@pytest.mark.parametrize("name", ITEMS)
@many
@given(data=st.data())
def test_the_generated_reader_of_a_cell_does_what_the_reference_does(name: str, data: st.DataObject) -> None:
    cells, key, values = ITEMS[name]
    qualifiers = st.binary(max_size=3) | st.integers(0, 255).map(lambda slot: cells.label + bytes([slot]))
    qualifier = data.draw(qualifiers | qualifiers.flatmap(damaged))
    known = st.sampled_from(values)
    value = data.draw(known | known.flatmap(damaged) | st.binary(max_size=12))
    wanted = outcome(cells._item_reference, key, qualifier, value)
    assert outcome(cells.item, key, qualifier, value) == wanted
    if not isinstance(wanted, str) and value in values[:1]:
        with without_reference(cells.item):
            assert cells.item(key, qualifier, value) == wanted


@many
@given(st.integers(0, 255), st.text(max_size=5), st.integers(-(2**63), 2**64 - 1), st.none() | st.text(max_size=3))
def test_every_item_comes_back(slot: int, order_id: str, amount: int, note: str | None) -> None:
    recent = Recent("ann", slot, order_id, amount, note)
    with without_reference(RECENT_CELLS.item):
        assert RECENT.records(b"ann", RECENT_CELLS.pack(recent)) == [recent]


# ---- copies --------------------------------------------------------------------------------------

COUNTED = ItemCells(Recent, "r", KeyLayout(OrderSlot), value="amount", packing=COUNTER)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
@pytest.mark.parametrize(("table", "record"), [(RECENT, LAMP), (POINTS, Point("cpu", -1, 0.5))], ids=["several", "one"])
def test_a_copied_layout_packs_and_reads_the_same_cells(copied: Any, table: TableLayout[Any, Any], record: Any) -> None:
    twin = copied(table)
    assert twin is not table
    assert (twin.row(record), twin.cells.pack(record)) == (table.row(record), table.cells.pack(record))
    assert twin.records(table.row(record), table.cells.pack(record)) == [record]
    assert repr(twin.cells) == repr(table.cells)
    question = {name: getattr(record, name) for name in twin.key.part_named}
    assert twin.plan(**question) == table.plan(**question)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copied_cells_keep_packing_and_label(copied: Any) -> None:
    twin = copied(COUNTED)
    assert (twin.packing.name, twin.label, twin.cell_attributes) == ("counter", b"order:", ("slot", "amount"))
    assert repr(twin) == repr(COUNTED) == "ItemCells(Recent, 'r', KeyLayout(OrderSlot), 'amount', packing=counter)"


# ---- the qualifiers that a question reads of every row --------------------------------------------


@row_key
class HourFalling:
    metric: str = part(EscapedText, "what")
    at_s: int = part(Descending(Slice(Int32, 3600)), "the hour, the last first")


FALLING_POINTS = TableLayout(
    "points_falling", "an hour of a metric", KeyLayout(HourFalling), ItemCells(Point, "p", KeyLayout(Falling), "value")
)


def qualifiers_of(table: TableLayout[Any, Any], **question: Any) -> str | None:
    """The range of qualifiers in hex, `low..high`; None if there is none."""
    qualifiers = table.narrow(**question).qualifiers
    return qualifiers and f"{qualifiers.start.hex()}..{'' if qualifiers.stop is None else qualifiers.stop.hex()}"


@pytest.mark.parametrize(
    ("condition", "ascending", "descending"),
    [
        (between(3605, 3610), "0005..000a", "fff6..fffb"),
        (between(3605, 7200), "0005..", "..fffb"),
        (between(3600, 3610), "0000..000a", "fff6.."),
        (between(-1, 0), "0e0f..", "..f1f1"),
        (3605, "0005..000500", "fffa..fffa00"),
        (between(3605, 7201), "..", ".."),
        (between(3605, None), "..", ".."),
        (between(None, 10), "..", ".."),
        (any_of([3605, 3606]), "..", ".."),
    ],
)
def test_a_period_within_one_slice_reads_only_its_qualifiers(condition: Any, ascending: str, descending: str) -> None:
    assert qualifiers_of(POINTS, metric="cpu", at_s=between(None, None)) == ".."
    if condition != 3605:  # a point of every part has a column instead
        assert qualifiers_of(POINTS, metric="cpu", at_s=condition) == ascending
        assert qualifiers_of(FALLING_POINTS, metric="cpu", at_s=condition) == descending
    assert qualifiers_of(POINTS, metric=any_of(["cpu", "disk"]), at_s=condition) == ascending
    assert qualifiers_of(FALLING_POINTS, metric=any_of(["cpu", "disk"]), at_s=condition) == descending


@pytest.mark.parametrize(
    ("condition", "wanted"), [(between(2, 5), "02..05"), (between(2, None), "02.."), (any_of([4, 2]), "02..0400")]
)
def test_a_condition_of_the_qualifier_alone_reads_only_its_qualifiers(condition: Any, wanted: str) -> None:
    assert qualifiers_of(RECENT, user="ann", slot=condition) == wanted
    assert RECENT.plan(user="ann", slot=condition).residual == {"slot": condition}
