"""Validators of records: exact types, and errors that name record and field."""

import re
from collections.abc import Mapping
from types import MappingProxyType

import attrs
import pytest

from shared.records import fixed_bytes, integer, one_of, text, texts_by_name
from tests.shared.hard_to_show import hard_to_show


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
        ("note", None, "Visit.note: must be text (got None)"),
        ("count", 0, "Visit.count: must be 1..9 (got 0)"),
        ("count", 10, "Visit.count: must be 1..9 (got 10)"),
        ("count", True, "Visit.count: must be 1..9 (got True)"),
        ("change", "5", "Visit.change: must be an int (got '5')"),
        ("kind", "put", "Visit.kind: must be one of get, post (got 'put')"),
        ("kind", ["get"], "Visit.kind: must be one of get, post (got ['get'])"),
        ("level", True, "Visit.level: must be one of 1, 2 (got True)"),
        ("level", 2.0, "Visit.level: must be one of 1, 2 (got 2.0)"),
        ("tie", b"ab", "Visit.tie: must be 3 bytes (got b'ab')"),
        ("tie", "abc", "Visit.tie: must be 3 bytes (got 'abc')"),
        ("tie", bytearray(3), "Visit.tie: must be 3 bytes (got bytearray(b'\\x00\\x00\\x00'))"),
        ("tags", None, "Visit.tags: must be texts by name, such as a dict (got None)"),
        ("tags", {"": "b"}, "Visit.tags: must be texts by name, each name text, not empty (got '')"),
        ("tags", {"a": None}, "Visit.tags: must be texts by name, so 'a' must be text (got None)"),
        ("tie", b"a" * 200, f"Visit.tie: must be 3 bytes (got b'{'a' * 98}...)"),
    ],
)
def test_what_does_not_fit_is_named(field, value, error):
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        Visit(**{field: value})


@hard_to_show
@pytest.mark.parametrize("field", ["page", "count", "kind", "tie"])
def test_a_value_that_python_can_hardly_show_is_refused_like_any_other(field, value):
    shown = "an int of 16610 bits" if type(value) is int else f"a {type(value).__name__} that repr() cannot show"
    with pytest.raises(ValueError, match=rf"^Visit.{field}: must be .+ \(got {re.escape(shown)}\)$"):
        Visit(**{field: value})
