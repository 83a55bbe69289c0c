"""A record's values become cells and come back; what does not fit is named."""

import json
from typing import Any, Literal

import attrs
import msgpack
import pytest

from shared.keys import KeyLayout, TrailingText
from shared.tables import BIG_INT, TEXT, TEXTS, Column, InvalidRecord, InvalidRow, Packing, RecordCells, TableLayout
from tests.shared.hard_to_show import hard_to_show, nested
from tests.shared.specimens import key_class
from tests.shared.tables.records import record_class

Number = key_class("Number", number=TrailingText)


@attrs.frozen
class Sale:
    number: str
    item: str
    amount: int
    count: int = 0
    weight: float = 1.0
    gift: bool = False
    photo: bytes = b""
    tags: list[str] = attrs.field(factory=list)


COLUMNS = {
    "item": Column("f:i"),
    "amount": Column("f:a", BIG_INT),
    "count": Column("f:c"),
    "weight": Column("f:w"),
    "gift": Column("f:g"),
    "photo": Column("f:p"),
    "tags": Column("f:t"),
}
SALES = RecordCells(Sale, COLUMNS)


Anything = record_class("Anything", number=str, what=Any)
ANYTHING = RecordCells(Anything, {"what": Column("f:w")})
LAMP = Sale("n-1", "lamp", 499)


def cells(**changed):
    """The cells of a lamp, with the bytes of some replaced."""
    return SALES.pack(LAMP) | {SALES.column(name): value for name, value in changed.items()}


def test_a_record_has_one_cell_for_each_attribute_that_the_key_does_not_hold():
    assert SALES.pack(LAMP) == {
        b"f:i": bytes.fromhex("a4 6c616d70"),
        b"f:a": bytes.fromhex("c4 02 01f3"),
        b"f:c": bytes.fromhex("00"),
        b"f:w": bytes.fromhex("cb 3ff0000000000000"),
        b"f:g": bytes.fromhex("c2"),
        b"f:p": bytes.fromhex("c4 00"),
        b"f:t": bytes.fromhex("90"),
    }


# ---- ints of any size ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "wanted"),
    [
        (0, "c4 01 00"),
        (-1, "c4 01 ff"),
        (127, "c4 01 7f"),
        (128, "c4 02 0080"),
        (-129, "c4 02 ff7f"),
        (2**63, "c4 09 008000000000000000"),
        (10**20, "c4 09 056bc75e2d63100000"),
        (1 << 2031, f"c4 ff 00 80{'00' * 253}"),
        (1 << 2039, f"c5 0100 00 80{'00' * 254}"),
    ],
)
def test_a_big_int_has_the_bytes_of_javas_big_integer(amount, wanted):
    assert bytes.fromhex(wanted) == BIG_INT.pack(amount)
    assert amount == BIG_INT.unpack(bytes.fromhex(wanted))


@pytest.mark.parametrize(
    "cell", ["", "c4", "c4 00", "c4 02 01", "c4 02 0001", "c4 01 01 00", "c5 0001 01", "a2 01f3", "d9 02 01f3"]
)
def test_a_big_int_in_other_bytes_is_refused(cell):
    with pytest.raises(InvalidRecord, match=r"^Sale\.amount: "):
        SALES.unpack(Number("n-1"), cells(amount=bytes.fromhex(cell)))


def test_texts_are_a_msgpack_array_and_nothing_else_is():
    for names, cell in (((), "90"), (("ada", ""), "92 a3 616461 a0"), (("é",), "91 a2 c3a9")):
        assert bytes.fromhex(cell) == TEXTS.pack(names)
        assert names == TEXTS.unpack(bytes.fromhex(cell))
    for value in (["ada"], "ada", ("ada", 1), (b"ada",), None):
        with pytest.raises(TypeError, match=r"^must be a tuple of texts$"):
            TEXTS.pack(value)
    for cell in ("a3 616461", "81 a0 a0", "91 01", "92 a0 c0"):
        with pytest.raises(ValueError, match=r"^must be a msgpack array of texts$"):
            TEXTS.unpack(bytes.fromhex(cell))


# ---- what is refused -----------------------------------------------------------------------------


class Word(str):
    """A subclass, which would come back as plain text."""


TOO_LARGE = "Sale.count: must fit 64 bits, or be declared BIG_INT"


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"item": 5}, "Sale.item: must be text (got 5)"),
        ({"item": Word("lamp")}, "Sale.item: must be text (got 'lamp')"),
        ({"amount": True}, "Sale.amount: must be an int (got True)"),
        ({"count": 2**64}, f"{TOO_LARGE} (got {2**64})"),
        ({"count": -(2**63) - 1}, f"{TOO_LARGE} (got {-(2**63) - 1})"),
        ({"count": 10**5000}, f"{TOO_LARGE} (got an int of 16610 bits)"),
        ({"weight": 1}, "Sale.weight: must be a float (got 1)"),
        ({"gift": 1}, "Sale.gift: must be a bool (got 1)"),
        ({"photo": "x"}, "Sale.photo: must be bytes (got 'x')"),
        ({"photo": bytearray(b"x")}, "Sale.photo: must be bytes (got bytearray(b'x'))"),
    ],
)
def test_a_value_of_another_type_or_too_large_is_refused_by_name(changed, wanted):
    with pytest.raises(InvalidRecord) as refused:
        SALES.pack(attrs.evolve(LAMP, **changed))
    assert wanted == str(refused.value)


@pytest.mark.parametrize("tags", [{1, 2}, object(), ("a",), ["\ud800"], [2**64]])
def test_what_msgpack_would_not_give_back_is_refused_by_name(tags):
    with pytest.raises(InvalidRecord, match=r"^Sale\.tags: "):
        SALES.pack(attrs.evolve(LAMP, tags=tags))


def test_missing_cells_take_the_defaults_of_their_attributes():
    few = {column: value for column, value in cells().items() if column in (b"f:i", b"f:a")}
    first, second = (SALES.unpack(Number("n-1"), few) for _ in range(2))
    assert first == second == LAMP
    assert first.tags is not second.tags


def test_cells_that_a_record_refuses_by_a_type_error_are_not_such_a_record():
    @attrs.frozen
    class Checked:
        number: str
        item: Any = attrs.field(validator=attrs.validators.instance_of(str))

    layout = RecordCells(Checked, {"item": Column("f:i")})
    with pytest.raises(InvalidRecord, match="'item' must be <class 'str'>"):
        layout.unpack(Number("n-1"), {b"f:i": b"\x05"})


# ---- values that Python can hardly show ----------------------------------------------------------


@hard_to_show
def test_what_python_can_hardly_show_is_refused_by_name_wherever_it_does_not_fit(value):
    for name in ("item", "weight", "gift", "photo", "tags"):
        with pytest.raises(InvalidRecord, match=rf"^Sale\.{name}: .+ \(got an? .+\)$"):
            SALES.pack_value(name, value)
    with pytest.raises(InvalidRecord, match=r"^Anything\.what: .+ \(got an? .+\)$"):
        ANYTHING.pack_value("what", value)


@pytest.mark.parametrize("cell", [b"\x91" * 2000 + b"\x90", b"\x81\xa0" * 2000 + b"\xc0"], ids=["list", "map"])
@pytest.mark.parametrize("name", ["tags", "item"])
def test_a_cell_of_a_list_or_map_too_deep_for_python_is_refused_by_name(name, cell):
    with pytest.raises(InvalidRecord, match=rf"^Sale\.{name}: .+"):
        SALES.unpack(Number("n-1"), cells(**{name: cell}))


def test_a_packing_that_python_cannot_finish_is_refused_by_name():
    as_json = Packing("json", lambda value: json.dumps(value).encode(), json.loads)
    layout = RecordCells(Anything, {"what": Column("f:w", as_json)})
    with pytest.raises(InvalidRecord, match=r"^Anything\.what: "):
        layout.pack_value("what", nested())
    with pytest.raises(InvalidRecord, match=r"^Anything\.what: "):
        layout.unpack(Number("n-1"), {b"f:w": b"[" * 5000 + b"]" * 5000})


@pytest.mark.parametrize("value", [5, None, b"x", ["x"]])
def test_text_without_a_declared_type_must_be_text_all_the_same(value):
    layout = RecordCells(Anything, {"what": Column("f:w", TEXT)})
    assert layout.pack(Anything("n-1", "né")) == {b"f:w": "né".encode()}
    with pytest.raises(InvalidRecord) as refused:
        layout.pack(Anything("n-1", value))
    assert str(refused.value) == f"Anything.what: must be text (got {value!r})"


# ---- literals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "fitting", "wrong"),
    [
        (Literal[1, 2], [1, 2], [True, 1.0, "1", 3, None, [1]]),
        (Literal[True], [True], [1, 1.0, False]),
        (Literal[0, False], [0, False], [True, 1, 0.0]),
        (Literal["a", b"a"], ["a", b"a"], ["b", b"b"]),
        (Literal[1] | None, [1, None], [True, 2]),
    ],
    ids=str,
)
def test_a_literal_takes_values_of_its_own_types_only(wanted, fitting, wrong):
    cells = RecordCells(record_class("Record", number=str, state=wanted), {"state": Column("f:s")})
    table = TableLayout("t", "any", KeyLayout(Number), cells)
    row = table.row(Number("n-1"))
    for value in fitting:
        cell = cells.pack_value("state", value)
        (state,) = {type(read.state) for read in (table.record(row, {b"f:s": cell}),)}
        assert state is type(value)
    for value in wrong:
        with pytest.raises(InvalidRecord, match=r"^Record\.state: must be "):
            cells.pack_value("state", value)
        with pytest.raises(InvalidRow, match=r"Record\.state: must be "):
            table.record(row, {b"f:s": msgpack.packb(value)})


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"item": b"\x05"}, r"Sale\.item: must be text \(got 5\)"),
        ({"amount": b"\x05"}, r"Sale\.amount: must be msgpack bytes of an int's shortest two's complement \(got 05\)"),
        ({"gift": b"\x01"}, r"Sale\.gift: must be a bool \(got 1\)"),
        ({"item": b"\xa4lam"}, r"Sale\.item: .+ \(got a4 6c 61 6d\)"),
        ({"item": b"\xa1\xff"}, r"Sale\.item: .+ \(got a1 ff\)"),
        ({"tags": b"\xc1"}, r"Sale\.tags: .+ \(got c1\)"),
    ],
)
def test_a_cell_that_holds_something_else_is_named_with_its_bytes(changed, wanted):
    with pytest.raises(InvalidRecord, match=f"^{wanted}$"):
        SALES.unpack(Number("n-1"), cells(**changed))


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"colour": Column("f:c")}, r"Sale\.colour: no such attribute \(number, item, "),
        ({"item": Column("f:x"), "amount": Column("f:x", BIG_INT)}, r"Sale\."),
    ],
)
def test_columns_that_do_not_fit_the_record_are_refused_when_declared(columns, reason):
    with pytest.raises(InvalidRecord, match=f"^{reason}"):
        RecordCells(Sale, columns)
