"""A record's values become cells and come back; what does not fit is named."""

from typing import Any

import attrs
import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.cells import BIG_INT, MSGPACK, CellLayout, Column, InvalidRecord


@attrs.frozen
class Key:
    number: str


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
    "item": Column("i"),
    "amount": Column("a", BIG_INT),
    "count": Column("c"),
    "weight": Column("w"),
    "gift": Column("g"),
    "photo": Column("p"),
    "tags": Column("t"),
}
SALES = CellLayout(Sale, "f", COLUMNS)
LAMP = Sale("n-1", "lamp", 499)


def cells(**changed: Any) -> dict[bytes, bytes]:
    """The cells of a lamp, with the bytes of some replaced."""
    return SALES.pack(LAMP) | {SALES.column(name): value for name, value in changed.items()}


def test_a_record_has_one_cell_for_each_attribute_that_the_key_does_not_hold() -> None:
    assert SALES.pack(LAMP) == {
        b"f:i": bytes.fromhex("a4 6c616d70"),
        b"f:a": bytes.fromhex("c4 02 01f3"),
        b"f:c": bytes.fromhex("00"),
        b"f:w": bytes.fromhex("cb 3ff0000000000000"),
        b"f:g": bytes.fromhex("c2"),
        b"f:p": bytes.fromhex("c4 00"),
        b"f:t": bytes.fromhex("90"),
    }


def test_key_and_cells_make_the_record_again() -> None:
    assert SALES.unpack(Key("n-1"), SALES.pack(LAMP)) == LAMP


def test_other_columns_are_left_alone() -> None:
    assert SALES.unpack(Key("n-1"), SALES.pack(LAMP) | {b"f:new": b"?", b"g:i": b"?"}) == LAMP


# ---- ints of any size ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "wanted"),
    [
        (0, "c4 01 00"),
        (1, "c4 01 01"),
        (-1, "c4 01 ff"),
        (127, "c4 01 7f"),
        (128, "c4 02 0080"),
        (-128, "c4 01 80"),
        (-129, "c4 02 ff7f"),
        (255, "c4 02 00ff"),
        (-32768, "c4 02 8000"),
        (2**63 - 1, "c4 08 7fffffffffffffff"),
        (2**63, "c4 09 008000000000000000"),
        (-(2**63), "c4 08 8000000000000000"),
        (2**64, "c4 09 010000000000000000"),
        (10**20, "c4 09 056bc75e2d63100000"),
    ],
)
def test_a_big_int_has_the_bytes_of_javas_big_integer(amount: int, wanted: str) -> None:
    assert bytes.fromhex(wanted) == BIG_INT.pack(amount)
    assert amount == BIG_INT.unpack(bytes.fromhex(wanted))


@settings(max_examples=100, derandomize=True, database=None)
@given(st.integers(-(10**21), 10**21) | st.integers(0, 100).map(lambda bits: -(1 << bits)))
def test_an_amount_of_any_size_comes_back(amount: int) -> None:
    sale = attrs.evolve(LAMP, amount=amount)
    assert sale == SALES.unpack(Key("n-1"), SALES.pack(sale))


@pytest.mark.parametrize("count", [2**64 - 1, -(2**63), 0, -1])
def test_an_int_of_64_bits_comes_back_as_msgpack_has_it(count: int) -> None:
    sale = attrs.evolve(LAMP, count=count)
    assert sale == SALES.unpack(Key("n-1"), SALES.pack(sale))
    assert msgpack.packb(count) == SALES.pack(sale)[b"f:c"]


@pytest.mark.parametrize("count", [2**64, -(2**63) - 1])
def test_an_int_that_msgpack_cannot_hold_says_how_to_declare_it(count: int) -> None:
    with pytest.raises(InvalidRecord) as refused:
        SALES.pack(attrs.evolve(LAMP, count=count))
    assert f"Sale.count: must fit 64 bits, or be declared BIG_INT (got {count})" == str(refused.value)


def test_an_int_of_thousands_of_digits_is_refused_like_any_other() -> None:
    with pytest.raises(InvalidRecord, match=r"^Sale\.count: must fit 64 bits"):
        SALES.pack(attrs.evolve(LAMP, count=10**5000))


# ---- what is refused -----------------------------------------------------------------------------


class Word(str):
    """A subclass, which would come back as plain text."""


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"item": 5}, "Sale.item: must be text (got 5)"),
        ({"item": b"lamp"}, "Sale.item: must be text (got b'lamp')"),
        ({"item": Word("lamp")}, "Sale.item: must be text (got 'lamp')"),
        ({"amount": "499"}, "Sale.amount: must be an int (got '499')"),
        ({"amount": True}, "Sale.amount: must be an int (got True)"),
        ({"amount": 4.0}, "Sale.amount: must be an int (got 4.0)"),
        ({"weight": 1}, "Sale.weight: must be a float (got 1)"),
        ({"gift": 1}, "Sale.gift: must be a bool (got 1)"),
        ({"photo": "x"}, "Sale.photo: must be bytes (got 'x')"),
        ({"photo": bytearray(b"x")}, "Sale.photo: must be bytes (got bytearray(b'x'))"),
        ({"item": None}, "Sale.item: must be text (got None)"),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(changed: dict[str, Any], wanted: str) -> None:
    with pytest.raises(InvalidRecord) as refused:
        SALES.pack(attrs.evolve(LAMP, **changed))
    assert wanted == str(refused.value)


@pytest.mark.parametrize("tags", [{1, 2}, object(), ("a",), ["\ud800"], [2**64]])
def test_what_msgpack_would_not_give_back_is_refused_by_name(tags: Any) -> None:
    with pytest.raises(InvalidRecord, match=r"^Sale\.tags: "):
        SALES.pack(attrs.evolve(LAMP, tags=tags))


@pytest.mark.parametrize("tags", [["a", {"b": [1, None, True, 2.5, b"\0"]}], [{1: 2}], [{b"k": 1}]])
def test_lists_and_maps_come_back(tags: Any) -> None:
    sale = attrs.evolve(LAMP, tags=tags)
    assert sale == SALES.unpack(Key("n-1"), SALES.pack(sale))


def test_a_missing_cell_is_named() -> None:
    with pytest.raises(InvalidRecord) as refused:
        SALES.unpack(Key("n-1"), {column: value for column, value in cells().items() if column != b"f:w"})
    assert str(refused.value) == "Sale.weight: no cell f:w"


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({"item": b"\x05"}, r"Sale\.item: must be text \(got 5\)"),
        ({"item": b"\xc0"}, r"Sale\.item: must be text \(got None\)"),
        ({"amount": b"\x05"}, r"Sale\.amount: must be msgpack bytes of an int's shortest two's complement \(got 05\)"),
        ({"gift": b"\x01"}, r"Sale\.gift: must be a bool \(got 1\)"),
        ({"item": b""}, r"Sale\.item: .+ \(got \)"),
        ({"item": b"\xa4lam"}, r"Sale\.item: .+ \(got a4 6c 61 6d\)"),
        ({"item": b"\xa1lamp"}, r"Sale\.item: .+ \(got a1 6c 61 6d 70\)"),
        ({"item": b"\xa1\xff"}, r"Sale\.item: .+ \(got a1 ff\)"),
        ({"tags": b"\xc1"}, r"Sale\.tags: .+ \(got c1\)"),
    ],
)
def test_a_cell_that_holds_something_else_is_named_with_its_bytes(changed: dict[str, bytes], wanted: str) -> None:
    with pytest.raises(InvalidRecord, match=f"^{wanted}$"):
        SALES.unpack(Key("n-1"), cells(**changed))


def test_a_column_of_no_attribute_is_refused_when_declared() -> None:
    with pytest.raises(InvalidRecord, match=r"^Sale\.colour: no such attribute \(number, item, "):
        CellLayout(Sale, "f", {"colour": Column("c")})


def test_two_attributes_in_one_column_are_refused_when_declared() -> None:
    with pytest.raises(InvalidRecord, match=r"^Sale\."):
        CellLayout(Sale, "f", {"item": Column("x"), "amount": Column("x", BIG_INT)})


# ---- some of the cells ---------------------------------------------------------------------------


def test_only_some_attributes_can_be_packed() -> None:
    assert SALES.pack(LAMP, only=["gift", "count"]) == {b"f:g": b"\xc2", b"f:c": b"\x00"}
    assert SALES.pack(LAMP, only=[]) == {}


def test_the_packing_of_a_column_is_msgpack_unless_said() -> None:
    assert MSGPACK is Column("i").packing
    assert SALES.column("item") == b"f:i"
