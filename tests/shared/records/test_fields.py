"""Validators of records: exact types, and errors that name record and field."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs
import pytest

from shared.records import fixed_bytes, integer, one_of, text, texts_by_name


@attrs.frozen
class Visit:
    page: str = attrs.field(default="/", validator=text())
    note: str = attrs.field(default="", validator=text(empty=True))
    count: int = attrs.field(default=1, validator=integer(1, 9))
    change: int = attrs.field(default=0, validator=integer())
    kind: str = attrs.field(default="get", validator=one_of("get", "post"))
    tie: bytes = attrs.field(default=b"\0\0\0", validator=fixed_bytes(3))
    level: int = attrs.field(default=1, validator=one_of(1, 2))
    tags: Mapping[str, str] = attrs.field(factory=dict, validator=texts_by_name())


def test_what_fits_is_kept():
    assert Visit("/a", "", 9, -(10**30), "post", b"\xff\0a") == Visit(
        page="/a", count=9, change=-(10**30), kind="post", tie=b"\xff\0a"
    )
    assert Visit(tags=MappingProxyType({"a:b": ""})) == Visit(tags={"a:b": ""})


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("page", "", "Visit.page: must be text, not empty (got '')"),
        ("page", 7, "Visit.page: must be text, not empty (got 7)"),
        ("note", None, "Visit.note: must be text (got None)"),
        ("count", 0, "Visit.count: must be 1..9 (got 0)"),
        ("count", 10, "Visit.count: must be 1..9 (got 10)"),
        ("count", True, "Visit.count: must be 1..9 (got True)"),
        ("change", "5", "Visit.change: must be an int (got '5')"),
        ("change", 1.0, "Visit.change: must be an int (got 1.0)"),
        ("kind", "put", "Visit.kind: must be one of get, post (got 'put')"),
        ("kind", ["get"], "Visit.kind: must be one of get, post (got ['get'])"),
        ("level", True, "Visit.level: must be one of 1, 2 (got True)"),
        ("level", 2.0, "Visit.level: must be one of 1, 2 (got 2.0)"),
        ("tie", b"", "Visit.tie: must be 3 bytes (got b'')"),
        ("tie", b"ab", "Visit.tie: must be 3 bytes (got b'ab')"),
        ("tie", b"abcd", "Visit.tie: must be 3 bytes (got b'abcd')"),
        ("tie", "abc", "Visit.tie: must be 3 bytes (got 'abc')"),
        ("tie", bytearray(3), "Visit.tie: must be 3 bytes (got bytearray(b'\\x00\\x00\\x00'))"),
        ("tie", 3, "Visit.tie: must be 3 bytes (got 3)"),
        ("tie", None, "Visit.tie: must be 3 bytes (got None)"),
        ("tags", None, "Visit.tags: must be texts by name, such as a dict (got None)"),
        ("tags", [("a", "b")], "Visit.tags: must be texts by name, such as a dict (got [('a', 'b')])"),
        ("tags", {"": "b"}, "Visit.tags: must be texts by name, each name text, not empty (got '')"),
        ("tags", {1: "b"}, "Visit.tags: must be texts by name, each name text, not empty (got 1)"),
        ("tags", {"a": None}, "Visit.tags: must be texts by name, so 'a' must be text (got None)"),
        ("tie", b"a" * 200, f"Visit.tie: must be 3 bytes (got b'{'a' * 98}...)"),
    ],
)
def test_what_does_not_fit_is_named(field, value, error):
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        Visit(**{field: value})


def nested(levels: int) -> Any:
    """A list so many levels deep."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("field", ["page", "note", "count", "kind", "tie", "level"])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (10**5000, "an int of 16610 bits"),
        ([10**5000], "a list that repr() cannot show"),
        (nested(2000), "a list that repr() cannot show"),
        ({1: nested(2000)}, "a dict that repr() cannot show"),
        ((nested(2000),), "a tuple that repr() cannot show"),
    ],
    ids=["int", "int in a list", "list", "list in a map", "list in a tuple"],
)
def test_a_value_that_python_can_hardly_show_is_refused_like_any_other(field, value, words):
    with pytest.raises(ValueError, match=rf"^Visit.{field}: must be .+ \(got {re.escape(words)}\)$"):
        Visit(**{field: value})
