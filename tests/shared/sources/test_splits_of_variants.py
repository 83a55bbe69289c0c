"""The split points of a variant's table are those of its own key."""

import attrs

from shared.keys import KeyLayout, Salt, TrailingText, part, row_key, split_points
from shared.sources import Source


@row_key
class NoteById:
    """A note under its id."""

    id: str = part(TrailingText, "any text")


@attrs.frozen
class Note:
    id: str
    text: str


SALTED = KeyLayout(NoteById, Salt(of="id", buckets=4))


def test_a_variant_under_a_salted_key_has_a_region_for_each_bucket():
    notes = Source("notes", NoteById, Note, {"text": "n:t"})
    ids = notes.list("notes_by_id", NoteById)
    salted = notes.like("notes_salted", SALTED, lists={ids: ids.like("notes_by_id_salted", SALTED)})
    points = {table.name: table.splits.points for table in salted.tables[:2]}
    assert points == dict.fromkeys(["notes_salted", "notes_by_id_salted"], split_points(SALTED).points)
    assert points["notes_salted"] == (b"\x01", b"\x02", b"\x03")
    assert notes.like("notes_renamed").layout.splits == notes.layout.splits
