"""Layouts: golden rows, ids of which one starts with another, refusals, and error messages."""

from itertools import product

import attrs
import pytest

from shared.keys import (
    Code,
    EscapedText,
    FixedText,
    HashPrefix,
    InvalidKey,
    InvalidQuestion,
    KeyLayout,
    Salt,
    TrailingBytes,
    TrailingText,
    UInt8,
    UInt16,
    between,
    part,
    row_key,
    starting_with,
)
from shared.keys.errors import UnknownCode
from tests.reference import without_reference
from tests.shared.hard_to_show import hard_to_show
from tests.shared.keys.strategies import Text
from tests.shared.specimens import Line, Mixed, OrderBySeller, key_class

ORDERS = KeyLayout(OrderBySeller)
SALTED = KeyLayout(OrderBySeller, Salt(of="seller_id", buckets=16))
HASHED = KeyLayout(OrderBySeller, HashPrefix(of=("seller_id", "placed_ms"), bytes=2))
MIXED = KeyLayout(Mixed)
ORDER = OrderBySeller("s-17", placed_ms=1_580_976_517_000, order_number="n-42")
ROW = bytes.fromhex("732d3137 0001 7ffffe8fe674d077 6e2d3432 0001")
JOINED = KeyLayout(key_class("Key", a_b=UInt8, c=UInt16, text=EscapedText, a=UInt16, b_c=UInt8, end=EscapedText))


@pytest.mark.parametrize(
    ("layout", "values", "row"),
    [
        (ORDERS, ("s-17", 1_580_976_517_000, "n-42"), ROW.hex()),
        (ORDERS, ("", 0, ""), "0001 7fffffffffffffff 0001"),
        (ORDERS, ("\0", -1, "é"), "00ff 0001 8000000000000000 c3a9 0001"),
        (SALTED, ("s-17", 1_580_976_517_000, "n-42"), "0e" + ROW.hex()),
        (HASHED, ("s-17", 1_580_976_517_000, "n-42"), "17c0" + ROW.hex()),
        (MIXED, (0, 0, "", 0.0, 0, "off", b""), "00 ffff 00000000 7fffffffffffffff 000000 00"),
        (MIXED, (255, 65_535, "ab", 1.0, 66_051, "on", b"\0\xff"), "ff 0000 61620000 400fffffffffffff 010203 01 00ff"),
        # a_b + c and a + b_c are both a_b_c, but each is packed in its place.
        (JOINED, (1, 2, "x", 3, 4, "y"), "01 0002 78 0001 0003 04 79 0001"),
    ],
    ids=str,
)
def test_a_key_has_this_row_and_no_other(layout, values, row):
    key = layout.key_class(*values)
    assert layout.encode(key) == bytes.fromhex(row)
    assert layout.decode(bytes.fromhex(row)) == key


# ---- keys and rows that are refused ----------------------------------------------------------------


class Time(int):
    """An int to `isinstance` and `struct`, not to a key."""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("s-17", True, "n-42"), "placed_ms: must be an int (got True, bool)"),
        (("s-17", 2**63, "n-42"), "placed_ms: must be -9223372036854775808.."),
        (("s-17", 0, b"n-42"), "order_number: must be text (got b'n-42', bytes)"),
        ((Text("s"), 0, ""), "seller_id: must be text (got "),
        (("s", Time(0), ""), "placed_ms: must be an int (got "),
    ],
    ids=["bool", "too large", "bytes", "a str", "an int"],
)
def test_an_error_names_record_and_part_and_what_was_given(values, message):
    with pytest.raises(InvalidKey) as refused:
        ORDERS.encode(OrderBySeller(*values))
    assert str(refused.value).startswith(f"OrderBySeller.{message}")


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
def test_an_error_of_a_row_names_the_part_and_its_offset(row, message):
    with pytest.raises(InvalidKey, match="^OrderBySeller" + message):
        ORDERS.decode(row)


def test_an_error_after_a_prefix_counts_its_bytes():
    with pytest.raises(InvalidKey, match=r"^OrderBySeller\.placed_ms: needs 8 bytes, 7 left, at offset 7 of row 0e 73"):
        SALTED.decode(b"\x0e" + ROW[:13])


def test_a_prefix_that_is_not_that_of_its_parts_is_refused():
    for wrong in {*range(256)} - {0x0E}:
        with pytest.raises(InvalidKey, match=rf"Salt\(.*\) of these parts is 0e \(got {wrong:02x}\), at offset 0 of"):
            SALTED.decode(bytes([wrong]) + ROW)
    with pytest.raises(InvalidKey, match=r"HashPrefix\(.*\) of these parts is 17 c0 \(got 17 c1\)"):
        HASHED.decode(b"\x17\xc1" + ROW)


def test_a_key_of_another_class_is_refused_even_if_its_parts_fit():
    twin = key_class("Key", **{part.name: part.codec for part in ORDERS.parts})
    for wrong in (twin("s-17", 0, ""), ROW, None, ("s-17", 0, "")):
        with pytest.raises(InvalidKey, match=r"^OrderBySeller: must be a OrderBySeller"):
            ORDERS.encode(wrong)


@pytest.mark.parametrize("prefixes", [(), (Salt(of="owner", buckets=8),)])
def test_a_key_that_lacks_only_the_name_of_a_code_is_told_apart_from_bytes_that_are_no_key(prefixes):
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


def test_a_prefix_of_an_unknown_name_is_not_compared():
    layout = KeyLayout(Line, HashPrefix(of="status", bytes=1))
    with pytest.raises(UnknownCode):
        layout.decode(b"?" + layout.encode(Line("ann", "on", "a", 7))[1:].replace(b"\1\1t", b"\1\3t"))


def test_a_row_is_bytes_and_not_another_type_like_them():
    for wrong in (ROW.decode("latin-1"), bytearray(ROW), memoryview(ROW), type("Row", (bytes,), {})(ROW), None):
        with pytest.raises(InvalidKey, match="a row key is"):
            ORDERS.decode(wrong)


@pytest.mark.parametrize("prefixes", [[], [Salt(of="text", buckets=4)]], ids=["bare", "salted"])
@pytest.mark.parametrize("codec", [TrailingText, EscapedText], ids=str)
def test_a_row_of_32767_bytes_is_the_longest(codec, prefixes):
    layout = KeyLayout(key_class("Key", text=codec), *prefixes)
    most = 32_767 - len(codec.encode("")) - len(prefixes)
    row = layout.encode(layout.key_class("a" * most))
    assert len(row) == 32_767
    assert layout.decode(row) == layout.key_class("a" * most)
    with pytest.raises(InvalidKey, match=r"1\.\.32767 bytes"):
        layout.encode(layout.key_class("a" * (most + 1)))
    with pytest.raises(InvalidKey, match=r"1\.\.32767 bytes"):
        layout.decode(row[: len(prefixes)] + codec.encode("a" * (most + 1)))


@pytest.mark.parametrize("codec", [TrailingText, TrailingBytes], ids=str)
def test_an_empty_row_is_not_a_key_and_a_part_without_a_terminator_is_the_last(codec):
    layout = KeyLayout(key_class("Key", rest=codec))
    for function, wrong in ((layout.encode, layout.key_class(codec.decode(b""))), (layout.decode, b"")):
        with pytest.raises(InvalidKey, match=r"1\.\.32767 bytes"):
            function(wrong)
    assert KeyLayout(key_class("Key", first=UInt8, rest=codec)).parts[-1].name == "rest"
    with pytest.raises(InvalidKey, match=r"Key\.rest: .* must be the last part"):
        KeyLayout(key_class("Key", rest=codec, last=UInt8))


# ---- classes of keys ------------------------------------------------------------------------------


def test_a_key_has_at_least_one_part_and_parts_only():
    with pytest.raises(InvalidKey, match="at least one part"):
        KeyLayout(key_class("Key"))
    with pytest.raises(InvalidKey, match=r"Loose\.note: must be a part"):

        @row_key
        class Loose:
            seller_id: str = part(EscapedText, "who sold")
            note: str = "no codec"


OF_GENERATED_CODE = (
    "key row rest Key Record cells reference INVERT_BITS unescape prefix_0 value_a utf8_a encoded_a escaped_a "
    "terminator_a pack_a unpack_a encode_a decode_a type len int"
)


@pytest.mark.parametrize("name", OF_GENERATED_CODE.split())
def test_a_part_may_have_any_name_that_the_generated_functions_use(name):
    for codecs in ({name: EscapedText, "a": UInt8}, {"a": EscapedText, name: UInt8}, {"a": UInt8, name: TrailingText}):
        layout = KeyLayout(key_class("Key", **codecs), Salt(of=name, buckets=4))
        key = layout.key_class(*(7 if codec is UInt8 else "x\0" for codec in codecs.values()))
        with without_reference(layout.encode, layout.decode, layout.row_of):
            row = layout.encode(key)
            assert (layout.decode(row), layout.row_of(key)) == (key, row)
        assert layout.plan(**{part.name: getattr(key, part.name) for part in layout.parts}).point == row


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["self", "class", "None", "lambda", "two words", "1st", ""], "a part needs another name"),
        (["_", "__", "_1", "_self", "_class", "_n"], "a part is public, so its name must start with a letter$"),
    ],
    ids=["of no argument", "private"],
)
def test_a_part_with_a_name_that_no_argument_can_have_or_a_private_one_is_refused(names, reason):
    for name, annotated in product(names, (True, False)):
        parts = {"a": part(UInt8, "first"), name: part(UInt8, "second")}
        annotations = {"__annotations__": dict.fromkeys(parts, int)} if annotated else {}
        with pytest.raises(InvalidKey, match=rf"^Key\.{name}: {reason}"):
            row_key(type("Key", (), {**annotations, **parts}))


def test_a_key_class_with_an_init_of_its_own_is_refused():
    @row_key
    class Own:
        a: int = part(UInt8, "first")
        b: int = part(UInt8, "second")

        def __init__(self, b: int, a: int) -> None:
            self.__attrs_init__(a, b)

    class Late(OrderBySeller):
        def __init__(self, order_number: str, seller_id: str) -> None:
            super().__init__(seller_id, 0, order_number)

    for key in (Own, Late):
        with pytest.raises(InvalidKey, match=rf"^{key.__name__}: must keep the __init__ that attrs makes"):
            KeyLayout(key)


def test_a_part_that_init_does_not_take_in_its_place_is_refused():
    for how in ({"init": False, "default": 7}, {"kw_only": True}):
        parts = {"a": attrs.field(metadata={"codec": UInt8, "meaning": "first"}, **how)}
        with pytest.raises(InvalidKey, match=r"^Key: must have parts only"):
            KeyLayout(attrs.make_class("Key", parts, frozen=True))


# ---- values that Python can hardly show -----------------------------------------------------------


@hard_to_show
@pytest.mark.parametrize("layout", [ORDERS, SALTED, MIXED], ids=str)
def test_a_value_that_python_can_hardly_show_is_refused_as_part_key_and_row(layout, value):
    for name in layout.part_named:
        key = layout.key_class(**{part.name: value if part.name == name else 0 for part in layout.parts})
        for function in (layout.encode, layout.row_of):
            with pytest.raises(InvalidKey):
                function(key)
        for condition in (value, between(value), between(None, value), starting_with(value)):
            with pytest.raises(InvalidQuestion):
                layout.plan(**{name: condition})
    for function in (layout.encode, layout.row_of, layout.decode):
        with pytest.raises(InvalidKey):
            function(value)


@pytest.mark.parametrize(
    "declare",
    [KeyLayout, lambda huge: Code({"a": huge}), lambda huge: FixedText(-huge, "x"), lambda huge: FixedText(3, huge)],
)
def test_a_number_that_python_can_hardly_show_is_refused_in_declarations(declare):
    with pytest.raises(InvalidKey):
        declare(10**5000)
