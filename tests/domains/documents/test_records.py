"""What a document may hold."""

import pytest

from domains.documents import Document

NOON_MS = 1_768_219_200_000
DEEP = {"a": 1}
for _ in range(1100):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    "body",
    [{}, {"": ""}, {"a": [1, -(2**63), 2**64 - 1, 1.5, None, True, "é", b"x", {"b": []}]}],
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
