"""Logins and sums that one table has and the other lacks are found and mended, while writers and folders work."""

import time
import tracemalloc
from contextlib import closing, suppress

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.counters import DAY_MS, DayClosed, LoginRepository
from domains.counters.keys import LOGIN_DAYS, LOGINS, LOGINS_BY_DAY, TABLES, StateOfDay
from domains.counters.keys import sums_of as sums_in
from shared.keys import InvalidQuestion
from shared.stores import connect
from shared.tables import InvalidRow, create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at
from shared.writes import ClockSkew, Instructions, WriterClock
from shared.writes.findings import NOTHING_TOLD
from tests.engines import examples

from .asking import BY_NAME, DAY, KEEPING, keeping, login, logins_of_three, main_variant, stored

NOTHING = []
DISCARDS = Instructions(discards_undecodable=True)


def found(repository):
    return list(map(str, repository.upkeep.verify()))


def kinds(repository):
    """Each finding's kind and table, and whether `repair` mended it."""
    return [(finding.kind, finding.table, is_mended) for finding, is_mended in repository.upkeep.repair()]


def mends_all(repository, instructions=NOTHING_TOLD):
    """Whether `repair`, run to its end, has mended everything."""
    outcomes = [is_mended for _, is_mended in repository.upkeep.repair(instructions=instructions)]
    return all(outcomes)


def put(connection, table, *logins):
    """Puts logins into one table only."""
    for new in logins:
        connection.table(table.name).put(table.row(new), table.cells.pack(new), timestamp=new.time_ms)


def remove(connection, table, *logins):
    """Removes logins from one table, as a client does that dates no more than the login's own cell."""
    for old in logins:
        connection.table(table.name).delete(table.row(old), [*table.cells.pack(old)], timestamp=old.time_ms)


def sums_of(variant):
    return sums_in(variant.tables[0]), sums_in(variant.tables[1])


def agree(repository, users=("ada", "ada_2", "bob", "zoe")):
    """Whether each user's days are those of the days' lists."""
    return all(
        {count.user: count.count for count in repository.top_users(day, 99)}
        == {user: count for user in users if (count := repository.day_count(user, day))}
        for day in (DAY - DAY_MS, DAY, DAY + DAY_MS)
    )


# ---- logins -----------------------------------------------------------------------------------------


@keeping
def test_a_login_whose_writer_died_between_its_rows_is_found_and_mended(connection, variant, repository):
    stored(repository, *logins_of_three())
    half = login(DAY + 9, "zoe")
    with pytest.raises(WriterDied):
        variant.open(WatchedConnection(connection, dying_at(1))).store(half)
    assert (repository.day_total(DAY), repository.day_count("zoe", DAY)) == (6, 0)
    by_user, by_day, *_others = variant.tables
    assert found(repository) == [
        f"logins: missing row {by_user.row(half).hex(' ')}: 1 login of {by_day.name}, the first at "
        "2026-01-12T00:00:00.009Z"
    ]
    assert kinds(repository) == [("missing", "logins", True)]
    assert (repository.day_total(DAY), repository.day_count("zoe", DAY)) == (6, 1)
    assert found(repository) == kinds(repository) == NOTHING
    assert list(repository.logins("zoe")) == [half]
    cells = connection.table("logins").row(by_user.row(half), include_timestamp=True)
    assert [written_ms for _value, written_ms in cells.values()] == [half.time_ms]


@keeping
def test_a_login_that_only_its_user_has_is_found_and_mended(connection, variant, repository):
    stored(repository, *logins_of_three())
    put(connection, variant.tables[0], login(DAY + 9, "zoe"), login(DAY + 10, "zoe"))
    (line,) = found(repository)
    assert line.startswith(f"{variant.tables[1].name}: missing row ")
    assert line.endswith(": 2 logins of logins, the first at 2026-01-12T00:00:00.009Z")
    assert kinds(repository) == [("missing", variant.tables[1].name, True)]
    assert agree(repository)
    assert repository.day_total(DAY) == 7


@keeping
def test_logins_that_agree_are_counted_with_days_and_sums(repository):
    verifier = repository.upkeep
    assert list(verifier.verify()) == NOTHING
    stored(repository, *logins_of_three())
    repository.fold(DAY - DAY_MS)
    assert list(verifier.verify()) == list(verifier.repair()) == NOTHING
    assert verifier.counts == {"day": 1, "login": 2 * 6, "sum": 2}


@main_variant
def test_pages_divide_rows_and_logins(engine, connection, repository, monkeypatch):
    if not engine.compacts:
        pytest.skip("no client of HBase can compact")
    monkeypatch.setattr("domains.counters.verifying.AT_ONCE", 3)
    logins = stored(repository, *(login(DAY + at // 4, f"u{at % 5}", at) for at in range(40)))
    assert found(repository) == NOTHING
    remove(connection, LOGINS, *logins[::3])
    remove(connection, LOGINS_BY_DAY, *logins[1::3])
    assert len(found(repository)) > 10
    assert not mends_all(repository), "tombstones hide what is put"
    for table in (LOGINS, LOGINS_BY_DAY):
        connection.compact(table.name)
    assert mends_all(repository)
    assert found(repository) == NOTHING
    assert repository.day_total(DAY) == 40


@main_variant
def test_rows_that_cannot_be_read_are_told_and_kept(connection, repository):
    stored(repository, *logins_of_three())
    connection.table("logins").put(b"no key", {b"l:" + bytes(12): b"\xc3"})
    connection.table("logins_by_day").put(LOGINS_BY_DAY.row(login()), {b"l:x": b"\xc3", b"s:n": b"\xc1"})
    connection.table("login_days").put(LOGIN_DAYS.row(StateOfDay(DAY)), {b"d:day": b"x"})
    put(connection, LOGINS, login(DAY + DAY_MS + 9, "zoe"))
    assert kinds(repository) == [
        ("undecodable", "login_days", False),
        ("undecodable", "logins_by_day", False),
        ("undecodable", "logins_by_day", False),
        ("undecodable", "logins", False),
        ("missing", "logins_by_day", True),
    ]
    assert len(found(repository)) == 4
    assert not mends_all(repository, DISCARDS)
    (line,) = found(repository)
    assert line.startswith("login_days: undecodable row "), "a state is removed only if its row is named"
    assert repository.day_count("ada", DAY + DAY_MS) == 1
    assert repository.day_total(DAY) == 5, "a damaged cell goes, and the logins beside it stay"


@main_variant
def test_a_damaged_cell_that_a_delete_of_now_leaves_is_not_mended(connection, repository):
    future_ms = time.time_ns() // 1_000_000 + DAY_MS
    connection.table("logins_by_day").put(LOGINS_BY_DAY.row(login()), {b"l:x": b"\xc3"}, timestamp=future_ms)
    (outcome,) = repository.upkeep.repair(instructions=DISCARDS)
    assert (outcome[0].kind, outcome[1]) == ("undecodable", False)
    assert len(found(repository)) == 1


@main_variant
def test_a_closed_day_that_cannot_be_folded_is_reported_until_it_is_mended(connection, repository):
    stored(repository, *logins_of_three())
    bad = LOGINS_BY_DAY.row(login(DAY, "bob"))
    connection.table("logins_by_day").put(bad, {b"l:x": b"\xc3"}, timestamp=DAY)
    with pytest.raises(InvalidRow):
        repository.fold(DAY)
    assert [(kind, table) for kind, table, is_mended in kinds(repository) if not is_mended] == [
        ("undecodable", "logins_by_day"),
        ("unsettled", "login_days"),
    ]
    assert mends_all(repository, DISCARDS)
    assert found(repository) == NOTHING
    assert agree(repository)


new_logins = st.lists(
    st.builds(login, st.sampled_from([DAY, DAY + 1, DAY + DAY_MS - 1, DAY + DAY_MS]), st.sampled_from(["ada", "bob"])),
    unique=True,
)


@settings(max_examples=examples(60))
@given(new_logins, new_logins, st.booleans())
def test_whatever_a_table_lacks_both_have_all_logins_after_a_repair(engine, by_user, by_day, is_folded):
    for name in KEEPING:
        with engine.shared_store(*BY_NAME[name].tables) as connection:
            put(connection, BY_NAME[name].tables[0], *by_user)
            put(connection, BY_NAME[name].tables[1], *by_day)
            repository = BY_NAME[name].open(connection)
            if is_folded:
                repository.fold(DAY)
            if is_folded:
                assert (found(repository) == NOTHING) == agree(repository)
            else:
                assert (found(repository) == NOTHING) == ({*by_user} == {*by_day})
            assert mends_all(repository)
            assert found(repository) == NOTHING
            assert agree(repository)
            every = {*by_user, *by_day}
            assert sum(repository.day_total(day) for day in (DAY, DAY + DAY_MS)) == len(every)


# ---- sums -------------------------------------------------------------------------------------------


@keeping
def test_a_sum_that_one_table_lacks_is_put_again(connection, variant, repository):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    for sums in sums_of(variant):
        row = sums.row(sums_of(variant)[0].cells.record("ada", DAY, 0))
        connection.table(sums.name).delete(row, sums.cells.columns)
        ((column, _),) = sums.cells.pack(sums.cells.record("ada", DAY, 3)).items()
        assert connection.table(sums.name).row(row, columns=[column]) == {}
        (line,) = found(repository)
        assert f"{sums.name}: missing row {row.hex(' ')}: no sum, and 3 in " in line
        assert kinds(repository) == [("missing", sums.name, True)]
        assert found(repository) == NOTHING
        assert agree(repository)


@keeping
def test_of_two_sums_the_one_by_day_stays(connection, variant, repository):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    by_user, _by_day = sums_of(variant)
    wrong = by_user.cells.record("ada", DAY, 99)
    connection.table(by_user.name).put(by_user.row(wrong), by_user.cells.pack(wrong))  # dated by the server
    (line,) = found(repository)
    assert line.endswith(f": the sum 99, and 3 in {variant.tables[1].name}")
    assert kinds(repository) == [("differing", "logins", True)]
    assert repository.day_count("ada", DAY) == 3
    assert found(repository) == NOTHING


@keeping
def test_logins_beside_sums_count_nothing_and_are_no_finding(connection, variant, repository):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    put(connection, variant.tables[0], login(DAY + 77))
    assert found(repository) == kinds(repository) == NOTHING


@keeping
@pytest.mark.parametrize("side", [0, 1])
def test_a_login_beside_a_sum_that_only_the_other_table_has_is_no_finding(connection, variant, repository, side):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    sums = sums_of(variant)[side]
    connection.table(sums.name).delete(sums.row(sums.cells.record("ada", DAY, 0)), sums.cells.columns)
    put(connection, variant.tables[side], login(DAY + 77))
    (line,) = found(repository)
    assert ": no sum, and 3 in " in line
    assert kinds(repository) == [("missing", sums.name, True)]
    assert found(repository) == NOTHING


@keeping
@pytest.mark.parametrize("side", [0, 1])
def test_a_login_that_one_table_of_a_folded_day_got_late_is_folded_too(connection, variant, repository, side):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    put(connection, variant.tables[side], login(DAY + 77, "zoe"))
    assert kinds(repository) == [("missing", variant.tables[1 - side].name, True)]
    assert agree(repository)
    assert (repository.day_total(DAY), repository.day_count("zoe", DAY)) == (6, 1)
    assert list(repository.logins("zoe")) == []


@keeping
def test_a_day_whose_state_was_lost_is_closed_again_because_its_logins_would_not_count(connection, variant, repository):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    connection.table("login_days").delete(LOGIN_DAYS.row(StateOfDay(DAY)))
    other = variant.open(connection)
    other.store(login(DAY + 77))
    assert other.day_count("ada", DAY) == 3, "acknowledged and not counted: so the lost state is damage"
    (line,) = found(other)
    assert line.startswith("login_days: missing row ")
    assert line.endswith(": day 2026-01-12T00:00:00.000Z takes logins, and has sums, beside which no login counts")
    assert kinds(other) == [("missing", "login_days", True)]
    with pytest.raises(DayClosed):
        variant.open(connection).store(login(DAY + 78))


# ---- while others work ------------------------------------------------------------------------------


def verified_during(variant, connection, act, findings):
    """Calls `act` with a repository that verifies before each of its calls; adds what that finds."""

    def verify(_number):
        findings.extend(variant.open(connection).upkeep.verify())

    act(variant.open(WatchedConnection(connection, before_call=verify)))


@keeping
def test_a_fold_at_any_call_of_a_verifier_is_no_finding(engine, variant):
    number = 0
    while True:
        with engine.shared_store(*variant.tables) as connection:
            folder = variant.open(connection)
            stored(folder, *logins_of_three())
            calls = []

            def fold(at, folder=folder, calls=calls, number=number):
                calls.append(at)
                if at == number:
                    folder.fold(DAY)

            verifier = variant.open(WatchedConnection(connection, before_call=fold)).upkeep
            assert list(verifier.verify()) == NOTHING, number
            assert found(folder) == NOTHING
            number += 1
            if number >= len(calls):
                return


@keeping
def test_between_its_calls_a_writer_leaves_one_row_and_a_folder_one_sum_at_most(engine, variant):
    with engine.shared_store(*variant.tables) as connection:
        stored(variant.open(connection), *logins_of_three())
        findings = []
        late = [login(DAY + at, "zoe") for at in range(100, 110)]
        verified_during(variant, connection, lambda writer: writer.store_all(late), findings)
        assert {(finding.kind, finding.table) for finding in findings} == {("missing", "logins")}
        assert len(findings) == len(late), "before the second put of each time, and never of two"
        findings.clear()
        verified_during(variant, connection, lambda folder: folder.fold(DAY), findings)
        assert {(finding.kind, finding.table) for finding in findings} == {("missing", "logins")}
        assert all(finding.reason.startswith("no sum") for finding in findings)
        assert found(variant.open(connection)) == NOTHING


@keeping
def test_a_folder_that_dies_anywhere_leaves_what_a_repair_completes(engine, variant):
    number = 0
    while True:
        with engine.shared_store(*variant.tables) as connection:
            repository = variant.open(connection)
            stored(repository, *logins_of_three())
            is_over = False
            with suppress(WriterDied):
                variant.open(WatchedConnection(connection, dying_at(number))).fold(DAY)
                is_over = True
            assert mends_all(repository)
            assert found(repository) == NOTHING
            assert agree(repository)
            assert repository.upkeep.pending() == []
        if is_over:
            return
        number += 1


# ---- days that are not over --------------------------------------------------------------------------


@attrs.define
class SetClock:
    """A clock that shows what it is told."""

    now: int

    def read_ms(self):
        return self.now


@main_variant
@pytest.mark.parametrize("now_ms", [DAY - 1, DAY, DAY + DAY_MS - 1, DAY + DAY_MS + 59_999])
def test_a_day_that_is_not_over_is_not_folded_and_stays_open(connection, repository, now_ms):
    stored(repository, *logins_of_three())
    repository._folder._clock = SetClock(now_ms)
    with pytest.raises(InvalidQuestion) as refused:
        repository.fold(DAY)
    assert str(refused.value).startswith(
        "day: must be over for 60 s, because a folded day never opens again (got 2026-01-12T00:00:00.000Z, and it is "
    )
    repository.store(login(DAY + 50))
    assert repository.day_total(DAY) == 6
    assert repository.upkeep.pending() == []
    repository._folder._clock = SetClock(DAY + DAY_MS + 60_000)
    assert repository.fold(DAY) == 3


class ClockAhead(WriterClock):
    """The clock of a host that somebody has set to tomorrow."""

    def read_ms(self):
        return super().read_ms() + DAY_MS


@keeping
def test_a_clock_that_is_a_day_ahead_closes_no_day(connection, variant, repository):
    today_ms = repository._folder._clock.read_ms() // DAY_MS * DAY_MS
    with pytest.raises(ClockSkew):
        LoginRepository(connection, variant.tables, ClockAhead()).fold(today_ms - DAY_MS)
    repository.store(login(today_ms))


@keeping
def test_today_is_not_folded(connection, repository):
    today_ms = repository._folder._clock.read_ms() // DAY_MS * DAY_MS
    for day_ms in (today_ms, today_ms + DAY_MS, today_ms + 10**6 * DAY_MS):
        with pytest.raises(InvalidQuestion, match=r"^day: must be over for 60 s, .* .got .*, and it is 2"):
            repository.fold(day_ms)
    assert list(connection.table("login_days").scan()) == NOTHING
    repository.store(login(today_ms))


@main_variant
def test_a_day_that_was_closed_before_it_was_over_is_completed(connection, repository):
    """Nothing opens it again, and its counts are right meanwhile."""
    stored(repository, *logins_of_three())
    with suppress(WriterDied):
        LoginRepository(WatchedConnection(connection, dying_at(5))).fold(DAY)
    repository._folder._clock = SetClock(DAY)
    assert repository.upkeep.recover().failed == ()
    assert repository.fold(DAY) == 0


# ---- memory -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_memory_of_a_verifier_does_not_grow_with_the_width_of_a_row():
    """The store is in a process of its own, so that the memory is the client's alone."""
    from tests.programs.benchmarks.measuring import server  # not in the copies in which mutants are planted

    peaks = []
    for count in (5_000, 25_000):
        with server() as (_process_id, port), closing(connect(f"hbase://127.0.0.1:{port}")) as connection:
            create_tables(connection, TABLES)
            for layout in (LOGINS, LOGINS_BY_DAY):
                with connection.table(layout.name).batch(timestamp=DAY, batch_size=2000) as batch:
                    for at in range(count):
                        batch.put(layout.row(login(DAY + at)), layout.cells.pack(login(DAY + at)))
            tracemalloc.start()
            assert found(LoginRepository(connection)) == NOTHING
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0] < 8 * 2**20
