"""Logins and sums that one table has and the other lacks are found and mended, while writers and folders work."""

import time

import pytest

from domains.counters import DAY_MS, DayClosed, LoginRepository
from domains.counters.keys import LOGIN_DAYS, LOGINS_BY_DAY, TABLES, LoginDay, sums_of
from domains.counters.shown.design import DESIGN
from shared.keys import InvalidQuestion
from shared.testing import WatchedConnection
from shared.upkeep import Instructions
from shared.writes import CLOCK, ClockSkew
from tests.domains.clocks import SetClock

from .stopped_writes import DAY, login, logins_of_three, put, stored

VARIANTS = [DESIGN.main]
pytestmark = pytest.mark.sampled


def findings_of(repository):
    return list(map(str, repository.upkeep.verify()))


def repairs(repository):
    """Each finding's kind and table, and whether `repair` mended it."""
    return [(finding.kind, finding.table, is_mended) for finding, is_mended in repository.upkeep.repair()]


def mends_all(repository, **told):
    """Whether `repair`, run to its end, has mended everything."""
    return {is_mended for _, is_mended in repository.upkeep.repair(**told)} <= {True}


def remove_sum(connection, table):
    """Removes ada's sum of DAY from one table, as a client does that dates it now."""
    sums = sums_of(table)
    connection.table(table.name).delete(sums.row(login()), sums.cells.columns)


def put_sum(connection, table, sum_):
    """Puts another sum of ada's DAY into one table, dated by the server."""
    sums = sums_of(table)
    record = sums.cells.record("ada", DAY, sum_)
    connection.table(table.name).put(sums.row(record), sums.cells.pack(record))


# ---- damaged tables


ZOE, ADA = login(DAY + 77, "zoe"), login(DAY + 77)
FIRST = ", the first at 2026-01-12T00:00:00.077Z"
OPEN, FOLDED, BOTH = False, True, (0, 1)
DAMAGES = [
    (OPEN, BOTH, [(put, ZOE)], "missing in the other: 1 login of {}" + FIRST, (6, 3, 1)),
    (FOLDED, BOTH, [(put, ZOE)], "missing in the other: 1 login of {}" + FIRST, (6, 3, 1)),
    (FOLDED, BOTH, [(put, ADA)], "", (5, 3, 0)),
    (FOLDED, BOTH, [(remove_sum,)], "missing in it: no sum, and 3 in {}", (5, 3, 0)),
    (FOLDED, BOTH, [(remove_sum,), (put, ADA)], "missing in it: no sum, and 3 in {}", (5, 3, 0)),
    (FOLDED, (0,), [(put_sum, 99)], "differing in it: the sum 99, and 3 in {}", (5, 3, 0)),
    (FOLDED, (1,), [(put_sum, 99)], "differing in the other: the sum 3, and 99 in {}", (101, 99, 0)),
]
"""Whether the day is folded; what happens to the table by user, or to the one by day; the one finding, if any, in it or
in the other one, with the name of the table that is right; then the logins of the day, of ada and of zoe."""


@pytest.mark.parametrize(
    ("is_folded", "side", "steps", "finding", "day"),
    [(is_folded, side, *damage) for is_folded, sides, *damage in DAMAGES for side in sides],
)
def test_what_one_table_lacks_is_found_and_mended(
    connection, variant, repository, is_folded, side, steps, finding, day
):
    stored(repository, *logins_of_three())
    if is_folded:
        repository.fold(DAY)
    table, other = variant.tables[side], variant.tables[1 - side]
    for change, *values in steps:
        change(connection, table, *values)
    kind, _, rest = finding.partition(" in ")
    where, _, reason = rest.partition(": ")
    wrong, right = (other, table) if where == "the other" else (table, other)
    lines = findings_of(repository)
    assert [line.partition(" row ")[0] for line in lines] == [f"{wrong.name}: {kind}"] * bool(finding)
    assert all(line.endswith(f": {reason.format(right.name)}") for line in lines)
    assert repairs(repository) == [(kind, wrong.name, True)] * bool(finding)
    assert findings_of(repository) == repairs(repository) == []
    assert (repository.day_total(DAY), *(repository.day_count(user, DAY) for user in ("ada", "zoe"))) == day
    assert not is_folded or list(repository.logins("zoe")) == []


def test_a_day_whose_state_was_lost_is_closed_again_because_its_logins_would_not_count(connection, variant, repository):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    connection.table("login_days").delete(LOGIN_DAYS.layout.row(LoginDay(DAY)))
    other = variant.open(connection)
    other.store(login(DAY + 77))
    assert other.day_count("ada", DAY) == 3, "acknowledged and not counted: so the lost state is damage"
    (line,) = findings_of(other)
    assert line.startswith("login_days: missing row ")
    assert line.endswith(": day 2026-01-12T00:00:00.000Z takes logins, but has sums, so its logins do not count")
    other._folder._clock = SetClock(DAY)
    assert repairs(other) == [("missing", "login_days", False)], "the day is not over"
    other._folder._clock = CLOCK
    assert repairs(other) == [("missing", "login_days", True)]
    with pytest.raises(DayClosed):
        variant.open(connection).store(login(DAY + 78))


def test_pages_divide_rows_and_logins(engine, connection, repository, monkeypatch):
    if not engine.compacts:
        pytest.skip("no client of HBase can compact")
    monkeypatch.setattr("domains.counters.verifying.AT_ONCE", 3)
    logins = stored(repository, *(login(DAY + at // 4, f"u{at % 5}", at) for at in range(40)))
    assert findings_of(repository) == []
    for table, removed in zip(TABLES, (logins[::3], logins[1::3]), strict=False):
        for old in removed:
            connection.table(table.name).delete(table.row(old), [*table.cells.pack(old)], timestamp=old.time_ms)
    assert len(findings_of(repository)) > 10
    assert not mends_all(repository), "tombstones hide what is put"
    for table in TABLES[:2]:
        connection.compact(table.name)
    assert mends_all(repository)
    assert findings_of(repository) == []
    assert repository.day_total(DAY) == 40


def test_a_damaged_cell_goes_if_told_and_the_logins_beside_it_stay_but_no_state_and_no_cell_of_the_future(
    connection, repository
):
    stored(repository, *logins_of_three())
    future_ms = time.time_ns() // 1_000_000 + DAY_MS  # a delete of now leaves its cell
    connection.table("logins_by_day").put(LOGINS_BY_DAY.layout.row(login(0)), {b"l:x": b"\xc3"}, timestamp=future_ms)
    connection.table("logins_by_day").put(LOGINS_BY_DAY.layout.row(login()), {b"l:x": b"\xc3", b"s:n": b"\xc1"})
    connection.table("login_days").put(LOGIN_DAYS.layout.row(LoginDay(DAY)), {b"d:day": b"x"})
    assert mends_all(repository) is False
    assert len(findings_of(repository)) == 4
    assert not mends_all(repository, instructions=Instructions(discards_undecodable=True))
    tables = [line.partition(": undecodable row ")[0] for line in findings_of(repository)]
    assert tables == ["login_days", "logins_by_day"]
    assert repository.day_total(DAY) == 5


@pytest.mark.parametrize("table", TABLES[:2], ids=["by user", "by day"])
def test_a_fold_puts_its_sum_above_one_that_was_discarded_on_an_open_day(connection, repository, table):
    stored(repository, *logins_of_three())
    connection.table(table.name).put(sums_of(table).row(login()), {b"s:n": b"\xc1"})
    assert mends_all(repository, instructions=Instructions(discards_undecodable=True))
    counts = repository.day_count("ada", DAY), repository.day_total(DAY)
    repository.fold(DAY)
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == counts == (3, 5)
    assert findings_of(repository) == []


# ---- while others work


def test_between_its_calls_a_writer_leaves_one_row_and_a_folder_one_sum_at_most(connection, variant, repository):
    stored(repository, *logins_of_three())
    findings = []
    watched = WatchedConnection(connection, before_call=lambda _call: findings.extend(repository.upkeep.verify()))
    writer = variant.open(watched)
    writer.store_all([login(DAY + at, "zoe") for at in (100, 101)])
    assert [finding.reason.partition(" of ")[0] for finding in findings] == ["2 logins"]  # before the second put
    writer.fold(DAY)
    assert {(finding.kind, finding.table) for finding in findings} == {("missing", "logins")}
    assert all(finding.reason.startswith("no sum") for finding in findings[1:])
    assert findings_of(repository) == []


# ---- days that are not over


OVER_MS = DAY + DAY_MS + 60_000
NOT_OVER = "^day: must be over for 60 s, because a folded day never opens again .got 2026-01-12T00:00:00.000Z, and it "


def test_a_day_that_is_not_over_is_not_folded_and_stays_open(connection, repository):
    stored(repository, *logins_of_three())
    repository._folder._clock = SetClock(OVER_MS - 1)
    with pytest.raises(InvalidQuestion, match=NOT_OVER):
        repository.fold(DAY)
    assert list(connection.table("login_days").scan()) == []
    repository._folder._clock = SetClock(OVER_MS)
    assert repository.fold(DAY) == 3


def test_a_clock_that_is_a_day_ahead_closes_no_day(connection, variant, repository):
    today_ms = repository._folder._clock.read_ms() // DAY_MS * DAY_MS
    ahead = LoginRepository(connection, clock=SetClock(today_ms + 2 * DAY_MS))
    with pytest.raises(ClockSkew):
        ahead.fold(today_ms)
    assert list(connection.table("login_days").scan()) == []
    repository.store(login(today_ms))
