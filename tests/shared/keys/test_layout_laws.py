"""The laws of `layout.py`, on generated layouts: any parts in any order, after any prefixes."""

from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.keys import EscapedText, KeyLayout, Salt, UInt16
from shared.keys.codecs import Codec
from tests.reference import outcome, without_reference
from tests.shared.keys.strategies import CASES, Few, Text, damaged, layouts, many, subjects
from tests.shared.specimens import key_class

INTS = [None, True, 1, -1, 2**63, 2**64, 10**30, Few.ONE]
OTHERS = [1.0, -0.0, float("nan"), "", "_", "x", "\ud800", Text("a"), b"", b"\0"]
WRONG = [*INTS, *OTHERS]


def row_of_reference(layout: KeyLayout[Any], record: object) -> bytes:
    """The row of a record, from its key."""
    return layout.encode_reference(layout.key_of(record))


@settings(many, max_examples=70)
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


@settings(many, max_examples=40)
@given(data=st.data())
def test_the_generated_functions_refuse_wrong_values_in_the_same_words(data):
    layout, keys = data.draw(layouts())
    key, name = data.draw(keys), data.draw(st.sampled_from([part.name for part in layout.parts]))
    for wrong in WRONG:
        key = attrs.evolve(key, **{name: wrong})
        assert outcome(layout.encode_reference, key) == outcome(layout.encode, key)
        assert outcome(row_of_reference, layout, key) == outcome(layout.row_of, key)
    for row in (None, "", bytearray(b"\0\1"), b"\0\0\1", data.draw(st.binary(max_size=30))):
        assert outcome(layout.decode_reference, row) == outcome(layout.decode, row)


@settings(many, max_examples=60)
@given(subject=subjects(slices=True))
def test_a_record_with_whole_values_is_stored_in_the_row_of_its_shares(subject):
    layout = subject.layout
    for record, row in subject.rows[:20]:
        assert row == row_of_reference(layout, record)
        assert subject.key_of(record) == layout.decode(row)
        with without_reference(layout.row_of):
            assert row == layout.row_of(record)


@pytest.mark.parametrize("kind", CASES, ids=str)
def test_no_valid_key_of_any_codec_needs_the_reference(kind):
    after: dict[str, Codec[Any]] = {} if kind.codec.trailing else {"number": UInt16, "text": EscapedText}
    layout = KeyLayout(key_class("Key", first=EscapedText, tested=kind.codec, **after), Salt(of="tested", buckets=4))
    for value in kind.keys:
        values = {"first": "a\0", "tested": value, "number": 7, "text": ""}
        key = layout.key_class(*(values[part.name] for part in layout.parts))
        row = layout.encode_reference(key)
        with without_reference(layout.encode, layout.row_of, layout.decode):
            assert row == layout.encode(key) == layout.row_of(key)
            assert key == layout.decode(row)
