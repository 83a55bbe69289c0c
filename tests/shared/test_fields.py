"""Validators of records: exact types, and errors that name record and field."""

import re

import attrs
import pytest

from shared.fields import fixed_bytes, integer, one_of, text


@attrs.frozen
class Visit:
    page: str = attrs.field(default="/", validator=text())
    note: str = attrs.field(default="", validator=text(empty=True))
    count: int = attrs.field(default=1, validator=integer(1, 9))
    change: int = attrs.field(default=0, validator=integer())
    kind: str = attrs.field(default="get", validator=one_of("get", "post"))
    tie: bytes = attrs.field(default=b"\0\0\0", validator=fixed_bytes(3))


def test_what_fits_is_kept():
    assert Visit("/a", "", 9, -(10**30), "post", b"\xff\0a") == Visit(
        page="/a", count=9, change=-(10**30), kind="post", tie=b"\xff\0a"
    )


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
        ("tie", b"", "Visit.tie: must be 3 bytes (got b'')"),
        ("tie", b"ab", "Visit.tie: must be 3 bytes (got b'ab')"),
        ("tie", b"abcd", "Visit.tie: must be 3 bytes (got b'abcd')"),
        ("tie", "abc", "Visit.tie: must be 3 bytes (got 'abc')"),
        ("tie", bytearray(3), "Visit.tie: must be 3 bytes (got bytearray(b'\\x00\\x00\\x00'))"),
        ("tie", 3, "Visit.tie: must be 3 bytes (got 3)"),
        ("tie", None, "Visit.tie: must be 3 bytes (got None)"),
        ("tie", b"a" * 200, f"Visit.tie: must be 3 bytes (got b'{'a' * 98}...)"),
    ],
)
def test_what_does_not_fit_is_named(field, value, error):
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        Visit(**{field: value})
