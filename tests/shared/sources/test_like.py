"""Variants of a source: the same records and lists in other tables."""

import attrs

from shared.keys import EscapedText, KeyLayout, Salt, Splits, TrailingText, part, row_key
from shared.sources import Source


@attrs.frozen
class Note:
    number: str
    owner: str


@row_key
class NoteByNumber:
    """A note."""

    number: str = part(TrailingText, "its number")


@row_key
class NoteOfOwner:
    """A line of an owner's list."""

    owner: str = part(EscapedText, "who wrote it")
    number: str = part(TrailingText, "its number")


NOTES = Source("notes", NoteByNumber, Note, {"owner": "n:o"}, splits=Splits((b"m",), "half of the notes"))
OF_OWNER = NOTES.moving_list("notes_of_owner", NoteOfOwner)


def points(source):
    return {table.name: len(table.splits.points) for table in source.tables}


def test_a_table_with_another_key_is_split_as_that_key_says_and_one_with_the_same_key_as_before():
    salted = KeyLayout(NoteByNumber, Salt(of="number", buckets=8))
    by_owner = OF_OWNER.like("notes_of_owner_salted", KeyLayout(NoteOfOwner, Salt(of="owner", buckets=4)))
    assert points(NOTES) == {"notes": 1, "notes_of_owner": 0, "notes_intents": 0}
    assert points(NOTES.like("notes_salted", salted, lists={OF_OWNER: by_owner})) == {
        "notes_salted": 7,
        "notes_of_owner_salted": 3,
        "notes_salted_intents": 0,
    }
    assert points(NOTES.like("other"))["other"] == 1
