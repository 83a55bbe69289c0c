"""Layouts: golden rows, questions about ids of which one starts with another, refusals, and error messages."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from shared.keys import (
    Code,
    Descending,
    EscapedText,
    FixedText,
    Float64,
    HashPrefix,
    Int64,
    InvalidKey,
    InvalidQuestion,
    KeyLayout,
    Prefixed,
    Salt,
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    UInt24,
    UnknownCode,
    between,
    part,
    row_key,
    starting_with,
)
from tests.reference import without_reference
from tests.shared.keys.strategies import key_class


@row_key
class OrderBySeller:
    """One order in its seller's list, newest first."""

    seller_id: str = part(EscapedText, "who sold")
    placed_ms: int = part(Descending(Int64), "milliseconds since 1970-01-01 UTC, newest first")
    order_number: str = part(EscapedText, "breaks ties within a millisecond")


ORDERS = KeyLayout(OrderBySeller)
SALTED = KeyLayout(OrderBySeller, Salt(of="seller_id", buckets=16))
HASHED = KeyLayout(OrderBySeller, HashPrefix(of=("seller_id", "placed_ms"), bytes=2))

ORDER = OrderBySeller("s-17", placed_ms=1_580_976_517_000, order_number="n-42")
ROW = bytes.fromhex("732d3137 0001 7ffffe8fe674d077 6e2d3432 0001")


@row_key
class Mixed:
    """Integers on both sides of text, which the generated functions pack in runs."""

    kind: int = part(UInt8, "first")
    delta: int = part(Descending(UInt16), "second")
    name: str = part(FixedText(4, "\0"), "third")
    share: float = part(Descending(Float64), "fourth")
    number: int = part(UInt24, "fifth")
    status: str = part(Code({"on": 1, "off": 0}), "sixth")
    rest: bytes = part(TrailingBytes, "seventh")


@pytest.mark.parametrize(
    ("layout", "key", "row"),
    [
        (ORDERS, ORDER, ROW.hex()),
        (ORDERS, OrderBySeller("", 0, ""), "0001 7fffffffffffffff 0001"),
        (ORDERS, OrderBySeller("\0", -1, "é"), "00ff 0001 8000000000000000 c3a9 0001"),
        (SALTED, ORDER, "0e" + ROW.hex()),
        (HASHED, ORDER, "17c0" + ROW.hex()),
        (KeyLayout(Mixed), Mixed(0, 0, "", 0.0, 0, "off", b""), "00 ffff 00000000 7fffffffffffffff 000000 00"),
        (
            KeyLayout(Mixed),
            Mixed(255, 65_535, "ab", 1.0, 66_051, "on", b"\0\xff"),
            "ff 0000 61620000 400fffffffffffff 010203 01 00ff",
        ),
    ],
    ids=str,
)
def test_a_key_has_this_row_and_no_other(layout: KeyLayout[Any], key: Any, row: str) -> None:
    assert bytes.fromhex(row) == layout.encode(key)
    assert key == layout.decode(bytes.fromhex(row))


def test_newer_orders_of_a_seller_sort_first() -> None:
    older = OrderBySeller("s-17", 1_580_976_516_999, "n-1")
    assert ORDERS.encode(ORDER) < ORDERS.encode(older)


def test_orders_of_one_seller_are_stored_together() -> None:
    rows = [
        ORDERS.encode(OrderBySeller(seller, at_ms, ""))
        for seller in ("1", "1\0", "12", "123", "2", "host1", "host12")
        for at_ms in (2**63 - 1, 0, -(2**63))
    ]
    assert sorted(rows) == rows


def test_the_rows_of_an_id_are_not_those_of_an_id_that_starts_with_it() -> None:
    ids = ["", "\0", "1", "12", "123", "1\0", "1\x01", "host1", "host12", "\U00010000", "\uffff"]
    for wanted in ids:
        prefix = EscapedText.encode(wanted)
        sellers = [seller for seller in ids if ORDERS.encode(OrderBySeller(seller, 0, "")).startswith(prefix)]
        assert [wanted] == sellers


def test_parts_whose_joined_names_are_alike_are_packed_each_in_its_place() -> None:
    """a_b + c and a + b_c are both a_b_c."""
    layout = KeyLayout(
        key_class({"a_b": UInt8, "c": UInt16, "text": EscapedText, "a": UInt16, "b_c": UInt8, "end": EscapedText})
    )
    key = layout.key_class(1, 2, "x", 3, 4, "y")
    row = bytes.fromhex("01 0002 78 0001 0003 04 79 0001")
    assert row == layout.encode(key)
    assert key == layout.decode(row)


def test_a_row_is_cut_at_its_borders_with_the_prefix_first() -> None:
    fields = [(field.name, field.data.hex(), field.value) for field in SALTED.segments(b"\x0e" + ROW)]
    assert fields == [
        ("Salt", "0e", None),
        ("seller_id", "732d31370001", "s-17"),
        ("placed_ms", "7ffffe8fe674d077", 1_580_976_517_000),
        ("order_number", "6e2d34320001", "n-42"),
    ]


def test_an_error_names_record_and_part_and_what_was_given() -> None:
    for layout in (ORDERS, SALTED, HASHED):
        with pytest.raises(InvalidKey, match=r"^OrderBySeller\.placed_ms: must be an int \(got True, bool\)$"):
            layout.encode(OrderBySeller("s-17", True, "n-42"))
        with pytest.raises(InvalidKey, match=r"^OrderBySeller\.placed_ms: must be -9223372036854775808\.\."):
            layout.encode(OrderBySeller("s-17", 2**63, "n-42"))
        with pytest.raises(InvalidKey, match=r"^OrderBySeller\.order_number: must be text \(got b'n-42', bytes\)$"):
            layout.encode(OrderBySeller("s-17", 0, b"n-42"))  # type: ignore[arg-type]


def test_a_number_of_thousands_of_digits_is_named_like_any_other() -> None:
    with pytest.raises(InvalidKey, match=r"^OrderBySeller\.placed_ms: "):
        ORDERS.encode(OrderBySeller("s-17", 10**5000, "n-42"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROW[:3], r"\.seller_id: no terminator 00 01 in 73 2d 31, at offset 0 of row 73 2d 31$"),
        (ROW[:13], r"\.placed_ms: needs 8 bytes, 7 left, at offset 6 of row 73 2d 31 37 00 01 7f"),
        (ROW[:-1], r"\.order_number: no terminator 00 01 in 6e 2d 34 32 00, at offset 14 of row "),
        (b"\x80" + ROW, r"\.seller_id: must be UTF-8: invalid start byte in 80 73 2d 31 37, at offset 0 of row "),
        (ROW + b"\0\1", r": 2 bytes too many, at offset 20 of row "),
        (b"", r": a row key is 1\.\.32767 bytes \(got b''\)$"),
    ],
)
def test_an_error_of_a_row_names_the_part_and_its_offset(row: bytes, message: str) -> None:
    with pytest.raises(InvalidKey, match="^OrderBySeller" + message):
        ORDERS.decode(row)


@pytest.mark.parametrize(
    "text", ["61 00 62 0001", "61 0002 0001", "61 00 0001", "0000 0001", "61 00fe ff 0001", "61", ""]
)
def test_text_that_is_not_escaped_or_ended_as_encode_does_it_is_refused(text: str) -> None:
    data, time = bytes.fromhex(text), bytes(8)
    with pytest.raises(InvalidKey, match=r"^OrderBySeller\.(seller_id|placed_ms): "):
        ORDERS.decode(data + time + b"\0\1")
    with pytest.raises(InvalidKey, match=r"^OrderBySeller\.order_number: (unknown escape|no terminator)"):
        ORDERS.decode(b"\0\1" + time + data)


class Text(str):
    """Text to `isinstance`, not to a key."""


class Time(int):
    """An int to `isinstance` and `struct`, not to a key."""


@pytest.mark.parametrize("layout", [ORDERS, SALTED, HASHED], ids=str)
def test_a_part_of_a_subclass_is_refused(layout: KeyLayout[OrderBySeller]) -> None:
    for key in (OrderBySeller(Text("s"), 0, ""), OrderBySeller("s", Time(0), ""), OrderBySeller("s", 0, Text())):
        with pytest.raises(InvalidKey, match=r"must be (text|an int) \(got "):
            layout.encode(key)


def test_an_error_after_a_prefix_counts_its_bytes() -> None:
    with pytest.raises(InvalidKey, match=r"^OrderBySeller\.placed_ms: needs 8 bytes, 7 left, at offset 7 of row 0e 73"):
        SALTED.decode(b"\x0e" + ROW[:13])


def test_a_prefix_that_is_not_that_of_its_parts_is_refused() -> None:
    for wrong in range(256):
        if wrong != 0x0E:
            with pytest.raises(
                InvalidKey, match=rf"Salt\(.*\) of these parts is 0e \(got {wrong:02x}\), at offset 0 of"
            ):
                SALTED.decode(bytes([wrong]) + ROW)
    with pytest.raises(InvalidKey, match=r"HashPrefix\(.*\) of these parts is 17 c0 \(got 17 c1\)"):
        HASHED.decode(b"\x17\xc1" + ROW)


def test_a_key_of_another_class_is_refused_even_if_its_parts_fit() -> None:
    twin = KeyLayout(key_class({part.name: part.codec for part in ORDERS.parts}))
    for wrong in (twin.key_class("s-17", 0, ""), ROW, None, ("s-17", 0, "")):
        with pytest.raises(InvalidKey, match=r"^OrderBySeller: must be a OrderBySeller"):
            ORDERS.encode(wrong)


@row_key
class Line:
    """A key as two releases know it; this one does not know what the later one has added."""

    owner: str = part(EscapedText, "whose")
    status: str = part(Code({"on": 1, "off": 2}), "which")
    tag: str = part(Prefixed("t", Code({"a": 1})), "which one")
    number: int = part(UInt16, "how many")


@pytest.mark.parametrize("prefixes", [(), (Salt(of="owner", buckets=8),)])
def test_a_key_that_lacks_only_the_name_of_a_code_is_told_apart_from_bytes_that_are_no_key(prefixes: Any) -> None:
    layout = KeyLayout(Line, *prefixes)
    row = layout.encode(Line("ann", "on", "a", 7))
    assert row.endswith(b"ann\0\1" + bytes.fromhex("01 7401 0007"))
    salt, line = row[: len(prefixes)], row[len(prefixes) :]
    later = [line.replace(b"\1\1t\1", b"\1\3t\1"), line.replace(b"t\1", b"t\5"), line.replace(b"\1\1t\1", b"\1\3t\5")]
    for code in later:
        with pytest.raises(UnknownCode, match=r"^Line\.(status: must be one of 01 on|tag: must be one of 01 a)"):
            layout.decode(salt + code)
        damaged = [code[:-1], code + b"\0", code.replace(b"t", b"u"), code.replace(b"nn", b"\xff")]
        for wrong in [*(salt + row for row in damaged), *([b"\xff" + code] if salt else [])]:
            with pytest.raises(InvalidKey) as refused:
                layout.decode(wrong)
            assert type(refused.value) is InvalidKey, wrong


def test_a_prefix_of_an_unknown_name_is_not_compared() -> None:
    layout = KeyLayout(Line, HashPrefix(of="status", bytes=1))
    with pytest.raises(UnknownCode):
        layout.decode(b"?" + layout.encode(Line("ann", "on", "a", 7))[1:].replace(b"\1\1t", b"\1\3t"))


def test_a_row_is_bytes_and_not_another_type_like_them() -> None:
    for wrong in (ROW.decode("latin-1"), bytearray(ROW), memoryview(ROW), type("Row", (bytes,), {})(ROW), None):
        with pytest.raises(InvalidKey, match="a row key is"):
            ORDERS.decode(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("codec", [TrailingText, EscapedText], ids=str)
def test_a_row_of_32767_bytes_is_the_longest(codec: Any) -> None:
    layout = KeyLayout(key_class({"text": codec}))
    most = 32_767 - len(codec.encode(""))
    row = layout.encode(layout.key_class("a" * most))
    assert len(row) == 32_767
    assert layout.key_class("a" * most) == layout.decode(row)
    with pytest.raises(InvalidKey, match=r"1\.\.32767 bytes"):
        layout.encode(layout.key_class("a" * (most + 1)))
    with pytest.raises(InvalidKey, match=r"1\.\.32767 bytes"):
        layout.decode(codec.encode("a" * (most + 1)))


def test_a_prefix_counts_towards_the_longest_row() -> None:
    layout = KeyLayout(key_class({"text": TrailingText}), Salt(of="text", buckets=4))
    assert len(layout.encode(layout.key_class("a" * 32_766))) == 32_767
    with pytest.raises(InvalidKey, match=r"1\.\.32767 bytes"):
        layout.encode(layout.key_class("a" * 32_767))


@pytest.mark.parametrize("codec", [TrailingText, TrailingBytes], ids=str)
def test_an_empty_row_is_not_a_key(codec: Any) -> None:
    layout = KeyLayout(key_class({"rest": codec}))
    with pytest.raises(InvalidKey, match=r"1\.\.32767 bytes"):
        layout.encode(layout.key_class(codec.decode(b"")))
    with pytest.raises(InvalidKey, match=r"1\.\.32767 bytes"):
        layout.decode(b"")


def test_a_part_without_a_terminator_must_be_the_last() -> None:
    for codec in (TrailingText, TrailingBytes):
        assert KeyLayout(key_class({"first": UInt8, "rest": codec})).parts[-1].name == "rest"
        with pytest.raises(InvalidKey, match=r"Key\.rest: .* must be the last part"):
            KeyLayout(key_class({"rest": codec, "last": UInt8}))


def test_a_key_has_at_least_one_part_and_parts_only() -> None:
    with pytest.raises(InvalidKey, match="at least one part"):
        KeyLayout(key_class({}))
    with pytest.raises(InvalidKey, match=r"Loose\.note: must be a part"):

        @row_key
        class Loose:
            seller_id: str = part(EscapedText, "who sold")
            note: str = "no codec"


# ---- classes of keys ------------------------------------------------------------------------------


OF_GENERATED_CODE = (
    "key row rest Key Record cells reference INVERT_BITS unescape prefix_0 value_a utf8_a encoded_a escaped_a "
    "terminator_a pack_a unpack_a encode_a decode_a type len int"
)


@pytest.mark.parametrize("name", OF_GENERATED_CODE.split())
def test_a_part_may_have_any_name_that_the_generated_functions_use(name: str) -> None:
    for codecs in ({name: EscapedText, "a": UInt8}, {"a": EscapedText, name: UInt8}, {"a": UInt8, name: TrailingText}):
        layout = KeyLayout(key_class(codecs), Salt(of=name, buckets=4))
        key = layout.key_class(*(7 if codec is UInt8 else "x\0" for codec in codecs.values()))
        with without_reference(layout.encode, layout.decode, layout.row_of):
            row = layout.encode(key)
            assert (layout.decode(row), layout.row_of(key)) == (key, row)
        assert layout.plan(**{part.name: getattr(key, part.name) for part in layout.parts}).point == row


@pytest.mark.parametrize("name", ["self", "class", "None", "lambda", "two words", "1st", ""])
def test_a_part_with_a_name_that_no_argument_can_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidKey, match=rf"^Key\.{name}: a part needs another name"):
        key_class({"a": UInt8, name: UInt8})


@pytest.mark.parametrize("name", ["_", "__", "_1", "_self", "_class", "_number"])
def test_a_part_with_a_private_name_is_refused_as_such(name: str) -> None:
    with pytest.raises(InvalidKey, match=rf"^Key\.{name}: a part is public, so its name must start with a letter$"):
        row_key(type("Key", (), {"__annotations__": {name: int}, name: part(UInt8, "a number")}))
    with pytest.raises(InvalidKey, match=rf"^Key\.{name}: a part is public, so its name must start with a letter$"):
        row_key(type("Key", (), {name: part(UInt8, "a number")}))


def test_a_part_that_is_annotated_as_self_is_refused() -> None:
    with pytest.raises(InvalidKey, match=r"^Mine\.self: a part needs another name"):

        @row_key
        class Mine:
            self: str = part(EscapedText, "whose")


def test_a_key_class_with_an_init_of_its_own_is_refused() -> None:
    @row_key
    class Own:
        a: int = part(UInt8, "first")
        b: int = part(UInt8, "second")

        def __init__(self, b: int, a: int) -> None:
            self.__attrs_init__(a, b)  # type: ignore[attr-defined]

    class Late(OrderBySeller):
        def __init__(self, order_number: str, seller_id: str) -> None:
            super().__init__(seller_id, 0, order_number)

    for key in (Own, Late):
        with pytest.raises(InvalidKey, match=rf"^{key.__name__}: must keep the __init__ that attrs makes"):
            KeyLayout(key)


def test_a_part_that_init_does_not_take_in_its_place_is_refused() -> None:
    for how in ({"init": False, "default": 7}, {"kw_only": True}):
        parts = {"a": attrs.field(metadata={"codec": UInt8, "meaning": "first"}, **how)}
        with pytest.raises(InvalidKey, match=r"^Key: must have parts only"):
            KeyLayout(attrs.make_class("Key", parts, frozen=True))


# ---- values that Python can hardly show -----------------------------------------------------------


def nested(levels: int) -> Any:
    """A list so many levels deep."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


HARD_TO_SHOW = [nested(2000), (nested(2000),), {"a": nested(2000)}, 10**5000, [10**5000]]


@pytest.mark.parametrize("value", HARD_TO_SHOW, ids=["list", "tuple", "map", "int", "int in a list"])
@pytest.mark.parametrize("layout", [ORDERS, SALTED, KeyLayout(Mixed)], ids=str)
def test_a_value_that_python_can_hardly_show_is_refused_as_part_key_and_row(layout: KeyLayout[Any], value: Any) -> None:
    for name in layout.part_named:
        fields = {part.name: value if part.name == name else 0 for part in layout.parts}
        for function in (layout.encode, layout.row_of):
            with pytest.raises(InvalidKey):
                function(layout.key_class(**fields))
        for condition in (value, between(value), between(None, value), starting_with(value)):
            with pytest.raises(InvalidQuestion):
                layout.plan(**{name: condition})
    for function in (layout.encode, layout.row_of, layout.decode):
        with pytest.raises(InvalidKey):
            function(value)


@pytest.mark.parametrize("value", HARD_TO_SHOW, ids=["list", "tuple", "map", "int", "int in a list"])
def test_a_value_that_python_can_hardly_show_is_refused_in_declarations(value: Any) -> None:
    declarations: list[Callable[[], object]] = [
        lambda: KeyLayout(value),
        lambda: Salt(of="a", buckets=value),
        lambda: HashPrefix(of="a", bytes=value),
        lambda: HashPrefix(of="a", bytes=1, separator=value),
        lambda: HashPrefix(of="a", bytes=1, take=value),
        lambda: Code({"a": value}),
        lambda: FixedText(value, "x"),
        lambda: FixedText(3, value),
    ]
    for declare in declarations:
        with pytest.raises(InvalidKey):
            declare()
