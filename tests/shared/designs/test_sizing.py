"""Sizes of a day: what variants store at the rate of the samples, and at 1,000 records per second."""

from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest

from shared.designs import Design, Load, Variant
from shared.designs.comparison import VariantCosts
from shared.designs.pages.cost_blocks import sizing_block
from shared.keys import Int64, KeyLayout, TrailingText
from shared.records import integer
from shared.tables import Column, ItemCells, RecordCells, TableLayout
from tests.shared.specimens import key_class


@attrs.frozen
class Visit:
    at_ms: int = attrs.field(validator=integer(0, 2**62))


@attrs.frozen
class VisitOfUser:
    at_ms: int = attrs.field(validator=integer(0, 2**62))
    user: int = attrs.field(default=1, validator=integer())


@attrs.frozen
class Named:
    name: str
    at_ms: int


KEY = KeyLayout(key_class("At", at_ms=Int64))
VISITS = TableLayout("visits", "a visit", KEY, RecordCells(Visit, {}, marker="f:v"))
OF_USER = KeyLayout(key_class("OfUser", user=Int64))
IN_CELLS = TableLayout("visits", "the visits of a user", OF_USER, ItemCells(VisitOfUser, "f", KEY))
BY_NAME = KeyLayout(key_class("ByName", name=TrailingText))
NAMED = TableLayout("named", "a visit of a name", BY_NAME, RecordCells(Named, {"at_ms": Column("f:t")}))


@pytest.mark.parametrize(
    ("hours", "period", "row"),
    [
        (48, "3 visits in 2 days: 1.5 records per day", "| visits | 3 | 750 | 43.2 |"),
        (3, "3 visits in 3 hours: 24 records per day", "| visits | 48 | 12,000 | 43.2 |"),
    ],
)
@pytest.mark.parametrize("table", [VISITS, IN_CELLS, NAMED], ids=["in the key", "in a qualifier", "elsewhere"])
def test_the_rows_and_bytes_of_a_day_follow_from_the_period_of_the_samples(
    tmp_path: Path, hours: int, period: str, row: str, table: TableLayout[Any, Any]
) -> None:
    samples = tmp_path / "visits.csv"
    samples.write_text(f"name,at_ms\na,{hours * 3_600_000}\nb,0\nc,7\n")
    variant = Variant(ModuleType("visits"), "", tables=(table,), open=id)
    load = Load("visits", table.cells.record, list.append, samples)
    design = Design("visits", "Who came?", (load,), (), list, (variant,))
    costs = VariantCosts(design.main, 3, [], 2, 500, 1, 0)
    block = sizing_block(design, [costs])
    assert period in block
    assert block.splitlines()[-1] == row
