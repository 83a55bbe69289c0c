"""Keys by hand: the rows, orders and refusals in `keys.toml` of a design, whose expressions use `names` and `NAMES`.

A line is about `sample` with the values that the line names. In an order, lists stand for all their combinations.
Each section has the lines of some tables, by the table's name:

[rows]       host="a", time_ms=5 -> 61 0001 7ffffffffffffffa      all in hex; cells may follow: ; family:qualifier=value
[order]      host=["a", "ab"], time_ms=[7, 5] < host="b"
[refused]    time_ms=2**63 -> the whole message of InvalidKey
[questions]  time_ms=5 -> the whole message of InvalidQuestion, from `narrow`
"""

import re
import tomllib
from itertools import product
from types import SimpleNamespace

import pytest

from shared.keys import InvalidKey, InvalidQuestion, between, starting_with
from shared.records import LAST_MS
from shared.tables import ItemCells
from tests.copies import ROOT
from tests.designs import all_designs

BY_HAND = {path.parent.name: tomllib.loads(path.read_text("utf-8")) for path in ROOT.glob("tests/domains/*/keys.toml")}
AT_MS = 1_768_205_250_123  # 2026-01-12T08:07:30.123Z
NAMES = {
    "AT_MS": AT_MS,
    "LAST_MS": LAST_MS,
    "MOMENTS": [0, 1, 2, 999, 1000, 899_999, 900_000, 3_599_999, 3_600_000, AT_MS, LAST_MS],
    "BY_CODE_POINT": ["1", "12", "a", "a\0", "a\0b", "a!", "aa", "u-1", "u-17", "web-1", "web-12", "é", "店", "🐘"],
    "between": between,
    "starting_with": starting_with,
}
"""What the expressions of every design may use."""


def values(text, names):
    """The values of `name=expression, ...`, by name."""
    return eval(f"dict({text})", {**NAMES, **names})


def cases(section):
    """Of each line: its table, the names, and the texts before and after the arrow."""
    for design in all_designs():
        by_hand = BY_HAND.get(design.name, {})
        tables = {table.name: table for variant in design.variants for table in variant.tables}
        for name, text in by_hand.get(section, {}).items():
            for line in re.sub(r"\n +", " ", text).splitlines():
                if not line.startswith("#"):
                    own_names = by_hand.get("names", {})
                    names = own_names | {"sample": values(by_hand["sample"], own_names)}
                    yield pytest.param(tables[name], names, *line.split("->"), id=f"{name}: {line}")


def record(text, names):
    return SimpleNamespace(**{**names["sample"], **values(text, names)})


def in_order(text, names):
    """The records that ascend: all combinations of listed values, those of the first list the slowest to change."""
    for part in text.split(" < "):
        lists = {name: listed if isinstance(listed, list) else [listed] for name, listed in values(part, names).items()}
        for combination in product(*lists.values()):
            yield SimpleNamespace(**{**names["sample"], **dict(zip(lists, combination, strict=True))})


def place(table, record):
    """Where a record is stored: its row, and of a row that holds many records the column."""
    return table.row(record), *(table.cells.pack(record) if isinstance(table.cells, ItemCells) else ())


@pytest.mark.parametrize(("table", "names", "given", "written"), [*cases("rows")])
def test_a_record_has_this_row_and_these_cells(table, names, given, written):
    row, *cells = written.split(";")
    row = eval(row) if row.strip().startswith("b") else bytes.fromhex(row)
    assert table.row(record(given, names)) == row
    assert table.key.encode(table.key.decode(row)) == row
    if cells:
        packed = table.cells.pack(record(given, names))
        assert packed == {b"%b:%b" % column_of(cell): bytes.fromhex(cell.partition("=")[2]) for cell in cells}


def column_of(cell):
    family, qualifier = cell.partition("=")[0].split(":")
    return family.strip().encode(), bytes.fromhex(qualifier)


@pytest.mark.parametrize(("table", "names", "text"), [*cases("order")])
def test_records_are_stored_in_this_order(table, names, text):
    places = [place(table, stored) for stored in in_order(text, names)]
    assert places == sorted({*places})


@pytest.mark.parametrize(("table", "names", "given", "wanted"), [*cases("refused")])
def test_a_value_that_a_key_cannot_hold_is_refused(table, names, given, wanted):
    with pytest.raises(InvalidKey) as refused:
        table.row(record(given, names))
    assert str(refused.value) == wanted.strip()


@pytest.mark.parametrize(("table", "names", "given", "wanted"), [*cases("questions")])
def test_a_question_that_a_key_cannot_answer_is_refused(table, names, given, wanted):
    with pytest.raises(InvalidQuestion) as refused:
        table.narrow(**values(given, names))
    assert str(refused.value) == wanted.strip()
