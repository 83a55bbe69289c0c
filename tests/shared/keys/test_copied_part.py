"""A row made with a copied part is the row that decoding and encoding would make, and as much is refused."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shared.keys import EscapedText, InvalidKey, KeyLayout, Salt, TrailingText, UInt64
from shared.keys.compiled import compile_copy
from shared.keys.copied_part import CopiedPart
from tests.reference import outcome
from tests.shared.keys.strategies import damaged, layouts, many
from tests.shared.specimens import LineOfTimeline, ReaderOfAuthor, key_class

FOLLOWERS = KeyLayout(ReaderOfAuthor)
TIMELINES = KeyLayout(LineOfTimeline)
LINES = CopiedPart(FOLLOWERS, "reader", TIMELINES, "owner")


def test_the_bytes_of_a_followers_name_become_those_of_an_owner():
    line_of = LINES.rows_with(posted_ms=1_580_976_517_000, author="ann", post_id=7)
    row = bytes.fromhex("61 6e 6e 00 01  75 2d 31 37 00 01")
    line = bytes.fromhex("75 2d 31 37 00 01  7f ff fe 8f e6 74 d0 77  61 6e 6e 00 01  00 00 00 00 00 00 00 07")
    assert row == FOLLOWERS.encode(ReaderOfAuthor("ann", "u-17"))
    assert line == line_of(row)


@settings(many, max_examples=50)
@given(data=st.data())
def test_a_row_is_what_decoding_and_encoding_make_and_as_much_is_refused(data):
    source, keys = data.draw(layouts())
    copied = data.draw(st.sampled_from(source.parts))
    after = {} if copied.codec.trailing else {"number": UInt64, "text": TrailingText}
    target = KeyLayout(key_class("Key", name=EscapedText, copied=copied.codec, **after))
    values = {"name": "a\0"} | ({} if copied.codec.trailing else {"number": 7, "text": ""})
    row_of = CopiedPart(source, copied.name, target, "copied").rows_with(**values)

    def decoded_and_encoded(row: bytes) -> bytes:
        return target.encode(target.key_class(**values, copied=getattr(source.decode(row), copied.name)))

    row = outcome(source.encode, data.draw(keys))
    assume(isinstance(row, bytes))
    assert decoded_and_encoded(row) == row_of(row)
    without_reference = compile_copy(source, copied)(b"before", b"after", lambda row: pytest.fail("needs none"))
    (segment,) = (segment for segment in source.segments(row) if segment.name == copied.name)
    assert b"before" + segment.data + b"after" == without_reference(row)
    row = data.draw(damaged(row))
    assert outcome(decoded_and_encoded, row) == outcome(row_of, row)


def test_a_row_that_becomes_too_long_is_refused():
    author = "a" * 20_000
    line_of = LINES.rows_with(posted_ms=0, author=author, post_id=7)
    with pytest.raises(InvalidKey, match=r"LineOfTimeline.author: a row key has 1\.\.32767 bytes \(got 32784\)"):
        line_of(FOLLOWERS.encode(ReaderOfAuthor("ann", "r" * 12_764)))


def test_a_value_that_does_not_fit_is_refused_by_name():
    with pytest.raises(InvalidKey, match=r"LineOfTimeline\.post_id: must be 0\.\."):
        LINES.rows_with(posted_ms=0, author="ann", post_id=-1)


@pytest.mark.parametrize("values", [{"author": "ann", "post_id": 7}, {"owner": "u", "author": "ann", "post_id": 7}])
def test_all_other_parts_need_a_value_and_no_further_one(values):
    with pytest.raises(InvalidKey, match="LineOfTimeline: must have values of posted_ms, author and post_id"):
        LINES.rows_with(**values)


@pytest.mark.parametrize(
    ("copied", "target", "own", "words"),
    [
        ("owner", TIMELINES, "owner", "ReaderOfAuthor: must have a part owner (has author and reader)"),
        ("reader", TIMELINES, "reader", "LineOfTimeline: must have a part reader (has owner, posted_ms, author and "),
        ("reader", TIMELINES, "post_id", "LineOfTimeline.post_id: must have the format of ReaderOfAuthor.reader, "),
        ("reader", KeyLayout(LineOfTimeline, Salt(of="owner", buckets=4)), "owner", "LineOfTimeline: must have no pre"),
    ],
)
def test_layouts_that_do_not_fit_are_refused(copied, target, own, words):
    with pytest.raises(InvalidKey) as refusal:
        CopiedPart(FOLLOWERS, copied, target, own)
    assert str(refusal.value).startswith(words)
