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


def test_a_login_of_one_in_the_morning_by_hand():
    new = Login("ada", DAY + 3_600_000, tie=258)
    day = "80 00 01 9b af 80 9c 00"
    assert LOGINS.row(new) == bytes.fromhex(f"61 64 61 00 01 {day}")
    assert LOGINS_BY_DAY.row(new) == bytes.fromhex(f"{day} 61 64 61 00 01")
    assert LOGIN_CELLS.pack(new) == {b"l:" + bytes.fromhex("00 36 ee 80 00 00 00 00 00 00 01 02"): b"\xc3"}


TIMES = [0, DAY - DAY_MS, DAY - 1, DAY, DAY + DAY_MS - 1, DAY + DAY_MS]


def test_rows_are_in_the_order_of_their_parts_and_all_logins_of_a_users_day_are_in_one():
    users = ["a", "ada", "ada_2", "adb"]
    by_user = [LOGINS.row(login(time_ms, user)) for user in users for time_ms in TIMES]
    by_day = [LOGINS_BY_DAY.row(login(time_ms, user)) for time_ms in (*TIMES[:2], *TIMES[3::2]) for user in users]
    assert by_user == sorted(by_user)
    assert by_day == sorted(by_day)
    assert [len({LOGINS.row(login(time_ms)) for time_ms in TIMES[:end]}) for end in range(1, 7)] == [1, 2, 2, 3, 3, 4]


def test_cells_of_a_row_are_in_the_order_of_time_then_tie():
    logins = [login(), login(tie=1), login(tie=256), login(DAY + 1), login(DAY + 255), login(DAY + 256)]
    columns = [column for each in logins for column in LOGIN_CELLS.pack(each)]
    assert columns == sorted(columns)


def test_a_user_is_in_one_bucket_on_all_days_and_in_all_shards():
    for user in ("ada", "bob", "u-17"):
        assert len({salted.LOGINS_BY_DAY.row(login(day, user))[0] for day in range(0, 90 * DAY_MS, DAY_MS)}) == 1
    assert {sharded.shard_of(login(DAY + at)) for at in range(200)} == {*range(sharded.SHARDS)}
    assert sharded.SHARD_TOTALS.splits.points == tuple(bytes([shard]) for shard in range(1, 8))
