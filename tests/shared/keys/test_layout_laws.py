"""The laws of `layout.py`, on generated layouts: any parts in any order, after any prefixes."""

from functools import cache
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.keys import Codec, Descending, EscapedText, KeyLayout, Salt, Slice, UInt16
from shared.keys.parts import Part
from tests.reference import outcome, without_reference
from tests.shared.keys.strategies import CASES, ORDERED, SHARES, Few, Text, before, damaged, few, layouts, many, texts
from tests.shared.specimens import key_class

INTS = [None, True, 1, -1, 2**63, 2**64, 10**30, Few.ONE]
OTHERS = [1.0, -0.0, float("nan"), "", "_", "x", "\ud800", Text("a"), b"", b"\0"]
WRONG = [*INTS, *OTHERS]


def row_of_reference(layout: KeyLayout[Any], record: object) -> bytes:
    """The row of a record, from its key."""
    return layout.encode_reference(layout.key_of(record))


@many
@given(data=st.data())
def test_the_generated_functions_do_what_their_references_do_and_a_row_is_the_only_one_of_its_key(data):
    layout, keys = data.draw(layouts())
    for _ in range(3):
        key = data.draw(keys)
        row = outcome(layout.encode_reference, key)
        assert row == outcome(layout.encode, key) == outcome(layout.row_of, key)
        if isinstance(row, bytes):
            assert key == layout.decode(row) == layout.decode_reference(row)
            with without_reference(layout.encode, layout.row_of, layout.decode):
                assert row == layout.encode(key) == layout.row_of(key)
                assert key == layout.decode(row)
            row = data.draw(damaged(row))
            key = outcome(layout.decode, row)
            assert key == outcome(layout.decode_reference, row)
            assert not isinstance(key, layout.key_class) or row == layout.encode(key)


@many
@given(data=st.data())
def test_a_record_with_whole_values_is_stored_in_the_row_of_its_shares(data):
    layout, _keys = data.draw(layouts(SHARES))
    whole = st.integers(-7200, 65_535) | st.integers(-(2**63), 2**63 - 1)
    record = layout.key_class(*(data.draw(whole) for _ in layout.parts))
    row = outcome(row_of_reference, layout, record)
    assert row == outcome(layout.row_of, record)
    if isinstance(row, bytes):
        assert layout.key_class(*map(share_by_hand, layout.parts, attrs.astuple(record))) == layout.decode(row)
        with without_reference(layout.row_of):
            assert row == layout.row_of(record)


def share_by_hand(part: Part, value: int) -> int:
    """The start of the slice, or the distance from it."""
    codec: Any = part.codec.codec if isinstance(part.codec, Descending) else part.codec
    start: int = value // codec.every * codec.every
    return start if isinstance(codec, Slice) else value - start


@cache
def layouts_with(codec: Codec[Any]) -> tuple[KeyLayout[Any], KeyLayout[Any]]:
    """Keys of one part of the codec, and keys in which it is between others."""
    after: dict[str, Codec[Any]] = {} if codec.trailing else {"number": UInt16, "text": EscapedText}
    inner = key_class("Key", first=EscapedText, tested=codec, **after)
    return KeyLayout(key_class("Key", tested=codec)), KeyLayout(inner, Salt(of="tested", buckets=4))


@pytest.mark.parametrize("case", CASES, ids=str)
@few
@given(data=st.data())
def test_no_valid_key_of_any_codec_needs_the_reference(case, data):
    values = {"first": data.draw(texts), "tested": data.draw(case.values), "number": 7, "text": data.draw(texts)}
    for layout in layouts_with(case.codec):
        key = layout.key_class(*(values[part.name] for part in layout.parts))
        if isinstance(row := outcome(layout.encode_reference, key), bytes):
            with without_reference(layout.encode, layout.row_of, layout.decode):
                assert row == layout.encode(key) == layout.row_of(key)
                assert key == layout.decode(row)


@many
@given(data=st.data())
def test_the_generated_functions_refuse_wrong_values_in_the_same_words(data):
    layout, keys = data.draw(layouts())
    name = data.draw(st.sampled_from([part.name for part in layout.parts]))
    key = attrs.evolve(data.draw(keys), **{name: data.draw(st.sampled_from(WRONG))})
    assert outcome(layout.encode_reference, key) == outcome(layout.encode, key)
    assert outcome(row_of_reference, layout, key) == outcome(layout.row_of, key)
    row = data.draw(st.sampled_from([None, "", bytearray(b"\0\1")]) | st.binary(max_size=30))
    assert outcome(layout.decode_reference, row) == outcome(layout.decode, row)


@many
@given(data=st.data())
def test_rows_after_one_spread_prefix_sort_as_slices_and_parts_do(data):
    layout, keys = data.draw(layouts(ORDERED))
    first_key, second_key = data.draw(keys), data.draw(keys)
    codecs = [part.codec for part in layout.parts]
    pairs = list(zip(codecs, attrs.astuple(first_key), attrs.astuple(second_key), strict=True))
    bucket = layout.time_bucket
    if bucket is not None:
        times = getattr(first_key, bucket.of) // bucket.every_ms, getattr(second_key, bucket.of) // bucket.every_ms
        pairs.insert(0, (layout.part_named[bucket.of].codec, *times))
    first, second = outcome(layout.encode, first_key), outcome(layout.encode, second_key)
    if isinstance(first, bytes) and isinstance(second, bytes):
        wanted = next((before(codec, a, b) for codec, a, b in pairs if a != b), False)
        assert wanted == (first[layout.spread_bytes :] < second[layout.spread_bytes :])


@many
@given(data=st.data())
def test_a_prefix_of_whole_parts_matches_exactly_the_keys_with_those_values(data):
    layout, keys = data.draw(layouts(spread=False, slices=False))
    first_key, second_key = data.draw(keys), data.draw(keys)
    bound = data.draw(st.integers(0, len(layout.parts)))
    if bound == len(layout.parts) and layout.parts[-1].codec.trailing:
        bound -= 1  # all parts bound is a point, never a prefix
    rows = [outcome(layout.encode, key) for key in (first_key, second_key)]
    if all(isinstance(row, bytes) for row in rows):
        prefix = b"".join(field.data for field in layout.segments(rows[0])[:bound])
        alike = attrs.astuple(first_key)[:bound] == attrs.astuple(second_key)[:bound]
        assert alike == rows[1].startswith(prefix)
