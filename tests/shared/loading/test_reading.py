"""Records from files: a record or a reason for every line, also of several lines."""

from typing import Any, Literal

import attrs
import pytest

from shared.loading import UnreadableFile, read_lines, read_records
from tests.shared.loading.sales import HEADER, LINE, OWN, SALE, Sale, lines, noted


@attrs.frozen
class Checked:
    """A record with validators of attrs' own, and with types that cattrs reads."""

    code: Literal[1, 2] = 1
    kind: str = attrs.field(default="a", validator=attrs.validators.in_(["a"]))
    size: Any = attrs.field(default=1, validator=attrs.validators.instance_of(int))
    tags: list[int] = attrs.field(factory=list)
    note: dict[str, int] = attrs.field(factory=dict)
    part: Sale | None = None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"code": true}', "Checked.code: must be one of 1, 2 (got True)"),
        ('{"code": 1.0}', "Checked.code: must be one of 1, 2 (got 1.0)"),
        ('{"kind": "b"}', "'kind' must be in ['a'] (got 'b')"),
        ('{"size": "1"}', "'size' must be <class 'int'> (got '1' that is a <class 'str'>)."),
        ('{"tags": 1}', "Checked.tags: must be a list (got 1)"),
        ('{"note": 1}', "Checked.note: must be dict[str, int] (got 1)"),
        ('{"part": 1}', "Checked.part: must be an object with number, sold_ms, amount (got 1)"),
    ],
)
def test_whatever_a_record_refuses_is_the_reason_of_a_bad_line(written, content, reason):
    path = written(content + '\n{"code": 2}\n')
    first, second = read_lines(path, Checked)
    assert (first.record, second.record) == (None, Checked(2))
    assert first.reason == reason


@pytest.mark.parametrize(
    "content",
    ["@n-1\nx\n\ny\n@n-2\n", "@n-1\nx\n\ny\n@n-2", "@n-1\r\nx\r\n\r\ny\r\n@n-2\r\n", "\ufeff@n-1\nx\n\ny\n@n-2\n"],
)
def test_a_record_of_several_lines_has_the_number_of_its_first(written, content):
    expected = [(1, noted("n-1", "x||y")), (5, noted("n-2"))]
    assert lines(written(content), **OWN) == expected
    blank = content[0] + "\n \n" + content[1:] if content[0] == "\ufeff" else "\n \n" + content
    assert lines(written(blank), **OWN) == [(number + 2, record) for number, record in expected]


def test_the_first_bad_line_ends_read_records(written):
    records = read_records(path := written(HEADER + LINE + "n-2,0,x\n"), Sale)
    assert next(records) == SALE
    with pytest.raises(UnreadableFile) as caught:
        next(records)
    assert str(caught.value) == f"{path}:3: Sale.amount: must be an int (got 'x')"
