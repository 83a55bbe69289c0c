"""Order of rows and cells, and the golden cells for programs in other languages."""

import json

import pytest

from domains.counters import DAY_MS, DayCount, Login
from domains.counters.keys import LOGIN_CELLS, LOGINS, LOGINS_BY_DAY, sums_of
from domains.counters.variants import salted, sharded
from tests.copies import ROOT

from .asking import DAY, login

KEYS = json.loads((ROOT / "fixtures" / "counters" / "keys.json").read_text(encoding="utf-8"))
GOLDEN = KEYS["cells"]
TABLES = {table.name: table for table in (LOGINS, LOGINS_BY_DAY, salted.LOGINS_BY_DAY)}


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: str(golden["login"]))
def test_a_golden_login_has_its_rows_its_column_and_its_shard(golden):
    new = Login(**golden["login"])
    assert {name: table.row(new).hex() for name, table in TABLES.items()} == golden["rows"]
    assert LOGIN_CELLS.pack(new) == {bytes.fromhex(column): b"\xc3" for column in golden["columns"]}
    assert sharded.shard_of(new) == golden["shard"]
    for table in TABLES.values():
        assert table.records(table.row(new), LOGIN_CELLS.pack(new)) == [new]


@pytest.mark.parametrize("golden", KEYS["sums"], ids=lambda golden: str(golden["sum"]))
def test_a_golden_sum_is_in_the_rows_of_its_logins(golden):
    day_sum = DayCount(**golden["sum"])
    logins = Login(day_sum.user, day_sum.day_ms)
    assert {name: table.row(logins).hex() for name, table in TABLES.items()} == golden["rows"]
    for table in TABLES.values():
        sums = sums_of(table)
        cells = {column.encode(): bytes.fromhex(value) for column, value in golden["cells"].items()}
        assert sums.row(day_sum) == table.row(logins)
        assert sums.cells.pack(day_sum) == cells
        assert sums.record(sums.row(day_sum), cells) == day_sum


def test_a_user_is_in_one_bucket_on_all_days_and_in_all_shards():
    for user in ("ada", "bob", "u-17"):
        assert len({salted.LOGINS_BY_DAY.row(login(day, user))[0] for day in range(0, 90 * DAY_MS, DAY_MS)}) == 1
    assert {sharded.shard_of(login(DAY + at)) for at in range(200)} == {*range(sharded.SHARDS)}
    assert sharded.SHARD_TOTALS.splits.points == tuple(bytes([shard]) for shard in range(1, 8))
