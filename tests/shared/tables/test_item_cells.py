"""Many records in a row, one in each cell: the qualifier is a key, the value is the rest of the record."""

import pickle

import attrs
import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.keys import (
    Descending,
    EscapedText,
    Int32,
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
from tests.reference import outcome, without_reference
from tests.shared.keys.strategies import damaged, many
from tests.shared.specimens import key_class
from tests.shared.tables.records import record_class

User = key_class("User", user=TrailingText)
Slot = key_class("Slot", slot=UInt8)
HourOf = key_class("HourOf", metric=EscapedText, at_s=Slice(Int32, 3600))
Within = key_class("Within", at_s=Rest(UInt16, 3600))
OrderSlot = key_class("OrderSlot", slot=Prefixed("order:", UInt8))


@attrs.frozen
class Recent:
    user: str
    slot: int
    order_id: str
    amount: int = 0
    note: str | None = None


RECENT_CELLS = ItemCells(Recent, "r", KeyLayout(Slot), value=("order_id", "amount", "note"))
RECENT = TableLayout("profiles", "a recent order", KeyLayout(User), RECENT_CELLS)
LAMP = Recent("ann", 7, "n-1", 499)


Point = record_class("Point", metric=str, at_s=int, value=float)
POINT_CELLS = ItemCells(Point, "p", KeyLayout(Within), value="value")
POINTS = TableLayout("points", "an hour of a metric", KeyLayout(HourOf), POINT_CELLS)


# ---- values --------------------------------------------------------------------------------------


Slotted = record_class("Slotted", user=str, slot=int)


def packed_as(packing, declared):
    """A table of one value of this type in each slot, and its record."""
    record = record_class("Packed", user=str, slot=int, value=declared)
    cells = ItemCells(record, "f", KeyLayout(Slot), value="value", packing=packing)
    return TableLayout("t", "any", KeyLayout(User), cells), record


TEXTS, TextIn = packed_as(TEXT, str)
RAWS, RawIn = packed_as(RAW, bytes)
SLOTS = TableLayout("t", "a slot", KeyLayout(User), ItemCells(Slotted, "f", KeyLayout(Slot)))


@pytest.mark.parametrize(
    ("table", "record", "row", "column", "cell"),
    [
        (POINTS, Point("cpu", 3600 + 258, 1.0), "6370750001 80000e10", b"p:\x01\x02", "cb 3ff0000000000000"),
        (RECENT, LAMP, "616e6e", b"r:\x07", "93 a3 6e2d31 cd01f3 c0"),
        (SLOTS, Slotted("ann", 3), "616e6e", b"f:\x03", "c3"),
        (TEXTS, TextIn("ann", 1, "né"), "616e6e", b"f:\1", "6ec3a9"),
        (RAWS, RawIn("ann", 1, b"\xff\0"), "616e6e", b"f:\1", "ff00"),
    ],
    ids=["one value", "several values", "no value", "text", "raw"],
)
def test_a_record_is_one_cell_and_comes_back(table, record, row, column, cell):
    assert table.row(record) == bytes.fromhex(row)
    assert table.cells.pack(record) == {column: bytes.fromhex(cell)}
    with without_reference(table.cells.item):
        assert table.records(bytes.fromhex(row), {column: bytes.fromhex(cell)}) == [record]


def test_a_counter_is_only_read():
    table, record = packed_as(COUNTER, int)
    cells = table.cells
    with without_reference(cells.item):
        assert table.records(b"ann", {b"f:\1": bytes(7) + b"\5"}) == [record("ann", 1, 5)]
    with pytest.raises(InvalidRecord, match=r"^Packed\.value: is a counter, which only counter_inc writes$"):
        cells.pack(record("ann", 1, 5))


@attrs.frozen
class Noted:
    user: str
    slot: int
    text: str = ""
    mark: int = 0


Marked = record_class("Marked", user=str, slot=int, text=str, mark=int)


def test_an_array_without_the_values_that_every_release_has_stored_is_damage():
    """No release has ever stored an empty one."""
    records = [
        (Noted, 1, [[]]),
        (Noted, 2, [[], ["x"]]),
        (Marked, 1, [[], ["x"]]),
    ]
    for record, at_least, too_short in records:
        cells = ItemCells(record, "r", KeyLayout(Slot), ("text", "mark"), at_least=at_least)
        table = TableLayout("notes", "a note", KeyLayout(User), pickle.loads(pickle.dumps(cells)))
        assert table.records(b"ann", {b"r:\7": msgpack.packb(["x", 5])}) == [record("ann", 7, "x", 5)]
        for values in too_short:
            with pytest.raises(InvalidRow, match=r"(text|mark): has no value \(got \["):
                table.records(b"ann", {b"r:\7": msgpack.packb(values)})
    wrong = [0, 3, True, "2"]
    for at_least in wrong:
        with pytest.raises(InvalidRecord, match=r"^Noted: at_least must be 1\.\.2, the attributes in the value"):
            ItemCells(Noted, "r", KeyLayout(Slot), ("text", "mark"), at_least=at_least)


ARRAY = "Recent: must be a msgpack array of order_id, amount, note"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "Recent.order_id: has no value (got [])"),
        (["n-1", 5, None, 1], f"{ARRAY} (got ['n-1', 5, None, 1])"),
        ({"n-1": 1, "x": 2, "y": 3}, f"{ARRAY} (got {{'n-1': 1, 'x': 2, 'y': 3}})"),
        ([5, 5, None], "Recent.order_id: must be text (got 5)"),
        (["n-1", "5"], "Recent.amount: must be an int (got '5')"),
        (["n-1", True], "Recent.amount: must be an int (got True)"),
        (["n-1", 5, 5], "Recent.note: must be str | None (got 5)"),
    ],
)
def test_a_value_that_is_not_such_an_array_is_refused_by_name(value, reason):
    with pytest.raises(InvalidRow) as refused:
        RECENT.records(b"ann", {b"r:\7": msgpack.packb(value)})
    assert str(refused.value) == f"profiles: row 61 6e 6e: {reason}"


@pytest.mark.parametrize("cell", [b"", b"\xc1", b"\x93\xa3n-1", b"\x90\x90", b"\x91" * 2000 + b"\x90"])
def test_bytes_that_are_not_msgpack_are_refused(cell):
    with pytest.raises(InvalidRow, match=rf"^profiles: row 61 6e 6e: ({ARRAY}: .+|Recent\.order_id: must be text .+)$"):
        RECENT.records(b"ann", {b"r:\7": cell})


FLOAT = b"\xcb" + bytes(8)
HOUR = "points: row 63 70 75 00 01 80 00 00 00: Within.at_s: "


@pytest.mark.parametrize(
    ("table", "row", "column", "reason"),
    [
        (RECENT, "616e6e", b"r:\7\0", "profiles: row 61 6e 6e: Slot: 1 bytes too many, at offset 1 of qualifier 07 00"),
        (RECENT, "616e6e", b"r:", "profiles: row 61 6e 6e: Slot: a qualifier is 1..32767 bytes (got b'')"),
        (POINTS, "6370750001 80000000", b"p:\1", f"{HOUR}needs 2 bytes, 1 left, at offset 0 of qualifier 01"),
        (POINTS, "6370750001 80000000", b"p:\x0e\x10", f"{HOUR}must be 0..3599 (got 3600)"),
        (POINTS, "6370750001 80000001", b"p:\0\0", "HourOf.at_s: must be a multiple of 3600 (got 1)"),
    ],
)
def test_a_row_or_qualifier_that_is_no_key_is_refused(table, row, column, reason):
    with pytest.raises(InvalidRow) as refused:
        table.records(bytes.fromhex(row), {column: FLOAT if table is POINTS else b"\x91\xa1a"})
    assert reason in str(refused.value)


def test_a_value_that_does_not_fit_is_refused_when_packed():
    not_a_slot = [256, -1, "7"]
    for slot in not_a_slot:
        with pytest.raises(InvalidRecord, match=r"^Slot\.slot: "):
            RECENT_CELLS.pack(attrs.evolve(LAMP, slot=slot))
    with pytest.raises(InvalidRecord, match=r"^Recent\.amount: must be an int \(got '1'\)$"):
        RECENT_CELLS.pack(attrs.evolve(LAMP, amount="1"))
    with pytest.raises(InvalidRecord, match=r"^Within\.at_s: "):
        POINT_CELLS.pack(Point("cpu", "1", 1.0))


def test_records_come_in_the_order_of_their_qualifiers():
    cells = {}
    for slot in (9, 0, 255, 1):
        cells |= RECENT_CELLS.pack(attrs.evolve(LAMP, slot=slot))
    assert [recent.slot for recent in RECENT.records(b"ann", cells)] == [0, 1, 9, 255]
    with pytest.raises(InvalidRow, match=r"^profiles: row 61 6e 6e: Recent: 4 records$"):
        RECENT.record(b"ann", cells)
    assert RECENT.records(b"ann", {}) == []
    with pytest.raises(InvalidRow, match=r"^profiles: row 61 6e 6e: Recent: none of its cells \(r\)$"):
        RECENT.record(b"ann", {})


# ---- labels --------------------------------------------------------------------------------------


Labelled = record_class("Labelled", user=str, slot=int, order_id=str)


def test_cells_with_another_label_are_passed_over():
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
    labels = KeyLayout(key_class("Key", slot=Prefixed("\U0010ffff", UInt8)))
    assert ItemCells(Recent, "r", labels, value="order_id").claimed == (b"\xf4\x8f\xbf\xbf", b"\xf4\x8f\xbf\xc0")
    assert RECENT_CELLS.claimed == (b"", None)


# ---- plans ---------------------------------------------------------------------------------------


def test_a_question_that_binds_every_part_is_one_row_and_one_column():
    plan = POINTS.plan(metric="cpu", at_s=3600 + 258)
    assert (plan.point, plan.column, plan.residual) == (b"cpu\0\1" + bytes.fromhex("80000e10"), b"p:\x01\x02", {})
    plan = RECENT.plan(user="ann", slot=3)
    assert (plan.point, plan.column, plan.residual) == (b"ann", b"r:\3", {})


def test_conditions_on_the_qualifier_and_on_rests_are_left_to_the_client():
    plan = RECENT.plan(user="ann", slot=between(3, 5))
    assert (plan.point, plan.column, plan.residual) == (None, None, {"slot": between(3, 5)})
    assert [str(range_) for range_ in plan.ranges] == ["[616e6e, 616e6e00)"]
    assert RECENT.plan(user="ann", slot=between()).residual == {}
    assert RECENT.plan(user="ann").residual == {}
    assert RECENT.plan(user="ann", slot=any_of([1, 2])).residual == {"slot": any_of([1, 2])}
    assert POINTS.plan(metric="cpu", at_s=between(3600, 7200)).residual == {}
    assert POINTS.plan(metric="cpu", at_s=between(3600, 7201)).residual == {"at_s": between(3600, 7201)}
    assert POINTS.narrow(metric="cpu", at_s=between(1, None)).residual == {"at_s": between(1, None)}


def test_a_value_in_the_cell_is_compared_although_row_and_column_are_bound():
    peak = record_class("Peak", metric=str, at_s=int, slot=int)
    table = TableLayout("t", "any", KeyLayout(HourOf), ItemCells(peak, "p", KeyLayout(Slot), value="at_s"))
    plan = table.plan(metric="cpu", at_s=5, slot=1)
    assert (plan.column, plan.residual) == (b"p:\1", {"at_s": 5})


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"metric": "a", "value": 1.0}, r"HourOf\.value: no such part; the parts are metric and at_s"),
        ({"metric": "a", "at_s": between(5, 3)}, r"HourOf\.at_s: since must not be above until \(got 5 and 3\)"),
        ({"metric": "a", "at_s": "x"}, r"HourOf\.at_s: must be an? int.*"),
        ({}, r"HourOf: needs a condition for metric; ask whole_table\(\) for all rows"),
        *(
            ({"user": "ann", "slot": slot}, r"Slot\.slot: .*")
            for slot in (256, "a", between("a", None), between(3, 1), any_of([300]))
        ),
    ],
)
def test_a_question_that_no_part_can_meet_is_refused(question, reason):
    with pytest.raises(InvalidQuestion, match=f"^{reason}$"):
        (RECENT if "user" in question else POINTS).plan(**question)


Setting = record_class("Setting", user=str, name=str)
NAMED = KeyLayout(key_class("Key", name=TrailingText))
SETTINGS = TableLayout("settings", "a setting", KeyLayout(User), ItemCells(Setting, "s", NAMED))


@pytest.mark.parametrize("name", ["", "n" * 32_768], ids=["empty", "too long"])
def test_a_qualifier_of_no_or_too_many_bytes_is_refused(name):
    reason = f"Key.name: a qualifier has 1..32767 bytes (got {len(name)})"
    with pytest.raises(InvalidQuestion) as question:
        SETTINGS.plan(user="ann", name=name)
    assert str(question.value) == reason
    with pytest.raises(InvalidRecord) as record:
        SETTINGS.cells.pack(Setting("ann", name))
    assert str(record.value) == reason


def test_values_in_a_qualifier_cannot_be_merged():
    for plan in (RECENT.plan, RECENT.narrow):
        with pytest.raises(InvalidQuestion) as refused:
            plan(user="ann", slot=any_of([1, 2], merged=True))
        assert str(refused.value) == "Slot.slot: cannot be merged, because no range binds it"
    merged = any_of([1, 3700], merged=True)  # a range binds the slices
    assert [len(stream.ranges) for stream in POINTS.plan(metric="cpu", at_s=merged).streams] == [1, 1]


# ---- declarations --------------------------------------------------------------------------------


FALLING = Descending(Rest(UInt16, 3600))
REST, WHOLE, SLICE = Rest(UInt16, 3600), UInt16, Slice(Int32, 3600)
BY_METRIC, REST_IN_ROW, WHOLE_IN_ROW = (
    key_class("Key", metric=EscapedText, **rest) for rest in ({}, {"at_s": REST}, {"at_s": Int32})
)


def points_with(codec, value="value", name="at_s"):
    """Cells of points with a qualifier of one part."""
    return ItemCells(Point, "p", KeyLayout(key_class("Key", **{name: codec})), value=value)


UNDIVIDED = "Point.at_s: is in the row key and in the qualifier, so it must be a Slice and a Rest"
UNLIKE = "Point.at_s: must be a Slice and a Rest of equal length and direction (got Slice(Int32, 3600) and "
OUTSIDE = "Point.at_s: a Rest must be in the qualifier (got Rest(UInt16, 3600))"


@pytest.mark.parametrize(
    ("key", "cells", "reason"),
    [
        (HourOf, points_with(REST, ()), "Point.value: must be a column of table t, or a part of HourOf"),
        (
            HourOf,
            points_with(UInt8, (), "value"),
            "Point.at_s: must be in the cells too, as a Rest or as a column, because the row key holds its slice only",
        ),
        (BY_METRIC, POINT_CELLS, "Point.at_s: is a Rest, so it must be a Slice in Key"),
        (REST_IN_ROW, RecordCells(Point, {"value": Column("p:v")}), OUTSIDE),
        (REST_IN_ROW, POINT_CELLS, OUTSIDE),
        (HourOf, points_with(Rest(UInt16, 60)), f"{UNLIKE}Rest(UInt16, 60))"),
        (HourOf, points_with(FALLING), f"{UNLIKE}Descending(Rest(UInt16, 3600)))"),
        (HourOf, points_with(WHOLE), f"{UNLIKE}UInt16)"),
        (HourOf, points_with(SLICE), f"{UNLIKE}Slice(Int32, 3600))"),
        (BY_METRIC, points_with(SLICE), "Point.at_s: a Slice must be in the row key (got Slice(Int32, 3600))"),
        (WHOLE_IN_ROW, points_with(WHOLE), f"{UNDIVIDED} (got Int32 and UInt16)"),
        (
            HourOf,
            points_with(REST, ("metric", "value")),
            "Point.metric: must be in the row key or in the cells, not in both",
        ),
        (User, RECENT_CELLS, "table t: must have the family r (has o)"),
    ],
)
def test_a_key_and_cells_that_do_not_hold_each_attribute_once_are_refused(key, cells, reason):
    families = {"families": {"o": Family()}} if key is User else {}
    with pytest.raises(InvalidRecord) as refused:
        TableLayout("t", "any", KeyLayout(key), cells, **families)
    assert str(refused.value) == reason


NEEDS_ONE = "Recent: needs one attribute in its value to pack it as text"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"value": ("order_id", "slot")}, "Recent.slot: must be in the qualifier or in the value, not in both"),
        ({"value": "colour"}, "Recent.colour: no such attribute (user, slot, order_id, amount, note)"),
        ({"value": ("order_id", "amount"), "packing": TEXT}, NEEDS_ONE),
        ({"value": ("order_id",), "packing": TEXT}, NEEDS_ONE),
        ({"packing": TEXT}, NEEDS_ONE),
        ({"family": "r:"}, "ItemCells.family: must be the name of a family (got 'r:')"),
    ],
)
def test_cells_that_cannot_hold_a_record_are_refused(arguments, reason):
    with pytest.raises(InvalidRecord) as error:
        ItemCells(**{"record": Recent, "family": "r", "qualifier": KeyLayout(Slot)} | arguments)
    assert str(error.value) == reason


def test_more_attributes_than_a_small_array_holds_are_refused():
    names = [f"value_{number}" for number in range(16)]
    record = record_class("Long", **dict.fromkeys(("user", "slot", *names), int))
    fifteen = ItemCells(record, "f", KeyLayout(Slot), value=tuple(names[:15]))
    (cell,) = fifteen.pack(record("ann", 1, *range(16))).values()
    assert cell == msgpack.packb(list(range(15)))
    with pytest.raises(InvalidRecord, match=r"^Long: at most 15 attributes fit a value \(got 16\)$"):
        ItemCells(record, "f", KeyLayout(Slot), value=tuple(names))


# ---- the law -------------------------------------------------------------------------------------

ITEMS = {
    "one": (POINT_CELLS, HourOf("cpu", 3600), [b"\xcb" + bytes(8), b"\xca" + bytes(4), b"\x01", b"\xa1x"]),
    "falling": (points_with(FALLING), HourOf("cpu", -3600), [b"\xcb" + bytes(8)]),
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


@pytest.mark.parametrize("name", ITEMS)
@settings(many, max_examples=40)
@given(data=st.data())
def test_the_generated_reader_of_a_cell_does_what_the_reference_does(name, data):
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


# ---- the qualifiers that a question reads of every row --------------------------------------------


FALLING_POINTS = TableLayout(
    "points_falling",
    "an hour of a metric",
    KeyLayout(key_class("Key", metric=EscapedText, at_s=Descending(Slice(Int32, 3600)))),
    points_with(FALLING),
)


def qualifiers_of(table, **question):
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
def test_a_period_within_one_slice_reads_only_its_qualifiers(condition, ascending, descending):
    assert qualifiers_of(POINTS, metric="cpu", at_s=between(None, None)) == ".."
    if condition != 3605:  # a point of every part has a column instead
        assert qualifiers_of(POINTS, metric="cpu", at_s=condition) == ascending
        assert qualifiers_of(FALLING_POINTS, metric="cpu", at_s=condition) == descending
    assert qualifiers_of(POINTS, metric=any_of(["cpu", "disk"]), at_s=condition) == ascending
    assert qualifiers_of(FALLING_POINTS, metric=any_of(["cpu", "disk"]), at_s=condition) == descending


@pytest.mark.parametrize(
    ("condition", "wanted"), [(between(2, 5), "02..05"), (between(2, None), "02.."), (any_of([4, 2]), "02..0400")]
)
def test_a_condition_of_the_qualifier_alone_reads_only_its_qualifiers(condition, wanted):
    assert qualifiers_of(RECENT, user="ann", slot=condition) == wanted
    assert RECENT.plan(user="ann", slot=condition).residual == {"slot": condition}
