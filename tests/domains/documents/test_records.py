"""What a document may hold, and people of a file as documents."""

import pytest

from domains.documents import Document
from domains.documents.formats import FORMATS
from shared.loading import read_lines
from shared.records import show_time

NOON_MS = 1_768_219_200_000
DEEP = {"a": 1}
for _ in range(1100):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    "body",
    [{}, {"": ""}, {"a": [1, -(2**63), 2**64 - 1, 1.5, None, True, "é", b"x", {"b": []}]}, {"a": {"b": {"c": "d"}}}],
)
def test_a_body_is_what_msgpack_returns_as_it_was(body, repository, variant):
    repository.store(document := Document("acme", "1", body, NOON_MS))
    found = repository.document("acme", "1")
    assert repr(found) == repr(document)  # True is not 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (("a", 1), "is not a dict"),
        ({"a": (1,)}, "can not serialize 'tuple' object"),
        ({"a": {1, 2}}, "can not serialize 'set' object"),
        ({"a": 2**64}, "Integer value out of range"),
        ({"a": float("nan")}, "has a NaN"),
        ({"a": ["\ud800"]}, "'utf-8' codec can't encode character"),
        (DEEP, "recursion limit exceeded"),
    ],
)
def test_any_other_body_is_refused_in_one_line(body, reason):
    with pytest.raises(
        ValueError, match=r"^Document\.body: must be a dict that msgpack returns as it was: "
    ) as refused:
        Document("acme", "1", body, NOON_MS)
    assert reason in str(refused.value)
    assert len(str(refused.value)) < 350


def test_a_deletion_has_no_body_and_a_document_of_a_file_the_same_edit_each_time():
    with pytest.raises(ValueError, match=r"^Document\.body: must be empty if is_deleted \(got \{'a': 1\}\)$"):
        Document("acme", "1", {"a": 1}, NOON_MS, 2, is_deleted=True)
    edits = [Document("acme", "1", {"n": number}, NOON_MS).edit for number in (1, 1, 2)]
    assert edits[0] == edits[1] != edits[2]


# ---- people of a file


def people(tmp_path, *lines):
    path = tmp_path / "congress.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [line.record or line.reason for line in read_lines(path, Document, formats=FORMATS)]


def test_a_person_is_a_document_whose_names_with_colons_are_nested(tmp_path):
    line = '{"user_id":"B1","first":"Ada","last":"Byron","term_start":"2025-01-03","id:fec":["S8"],"id:a":1,"n":2}'
    (person,) = people(tmp_path, line)
    assert (person.owner, person.document_id, show_time(person.changed_ms)) == (
        "congress",
        "B1",
        "2025-01-03T00:00:00.000Z",
    )
    assert person.body == {
        "name": {"first": "Ada", "last": "Byron"},
        "term_start": "2025-01-03",
        "id": {"fec": ["S8"], "a": 1},
        "n": 2,
    }


def test_a_line_that_is_no_person_is_refused(tmp_path):
    start = '{"user_id":"B1","term_start":"2025-01-03"'
    reasons = people(
        tmp_path, f"{start}}}", f'{start},"id":1,"id:a":2}}', '{"user_id":"B2"}', "?", f'{start[:-12]}"soon"}}'
    )
    assert reasons[1:4] == [
        "id:a: must not be both a value and a name of others",
        'must be a JSON object with user_id and term_start (got \'{"user_id":"B2"}\')',
        "must be a JSON object with user_id and term_start (got '?')",
    ]
    assert reasons[4].startswith("term_start: must be a time such as ")
