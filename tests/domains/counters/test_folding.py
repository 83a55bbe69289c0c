"""A folded day: counts are the same before, during and after, at whatever step a folder dies or a writer comes late."""

import random
import threading
import tracemalloc
from contextlib import closing, suppress
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.counters import DAY_MS, DayClosed, DayCount, LoginRepository, NotAllStored
from domains.counters.keys import LOGIN_DAYS, TABLES, StateOfDay, sums_of
from shared.designs import metered
from shared.keys import InvalidQuestion
from shared.keys.errors import shown_bytes
from shared.stores import connect
from shared.tables import InvalidRow, create_tables, physical_tables
from shared.testing import WatchedConnection, WriterDied, check_round_trip, dying_at, dying_before, paused_at_call
from tests.engines import EMBEDDED, examples

from .asking import (
    BY_NAME,
    DAY,
    KEEPING,
    LATE,
    dump,
    expected,
    keeping,
    keeping_main_or_long,
    login,
    logins_of_three,
    main_variant,
    stored,
)


def answers(repository, users=("ada", "ada_2", "bob", "zoe")):
    """Every count of the day and of its users."""
    return [
        repository.day_total(DAY),
        repository.top_users(DAY, 9),
        [repository.days(user) for user in users],
        [repository.day_count(user, DAY) for user in users],
    ]


def answers_of(logins, users=("ada", "ada_2", "bob", "zoe")):
    """The same of a plain list."""
    return [
        expected(logins, ("day_total", DAY)),
        expected(logins, ("top_users", DAY, 9)),
        [expected(logins, ("days", user, None, None)) for user in users],
        [expected(logins, ("day_count", user, DAY)) for user in users],
    ]


def remaining_columns(connection, variant):
    """The columns of the day's rows in both tables, without those of its other days."""
    start = DAY.to_bytes(8, "big")[1:]
    return {
        column.partition(b":")[0] if column.startswith(b"l:") else column
        for table in variant.tables[:2]
        for row, cells in connection.table(table.name).scan()
        if start in row
        for column in cells
    }


def interrupted(variant, connection, number, meanwhile):
    """A repository that is paused before this one of its calls, which may only read."""
    return variant.open(WatchedConnection(connection, before_call=paused_at_call(number, meanwhile)))


def watched(variant, connection, act):
    """A connection with which a repository made the calls of `act`."""
    used = WatchedConnection(connection)
    act(variant.open(used))
    return used


def number_of_calls(variant, connection, logins):
    """How many calls a repository needs that stores these logins one by one, as the first thing it does."""

    def store(repository):
        for stored_login in logins:
            repository.store(stored_login)

    return watched(variant, connection, store).number_of_calls


def fold_day(repository):
    return repository.fold(DAY)


def compact(connection, variant):
    """A major compaction of the tables of logins, which drops tombstones and what they hide; the embedded store's."""
    for table in variant.tables[:2]:
        connection.compact(table.name)


@pytest.fixture
def new(engine, variant):
    """Makes a store of its own with the logins of three users: a connection and a repository."""
    opened = []

    def make(*logins):
        store = engine.shared_store(*variant.tables)
        opened.append(store)
        connection = store.__enter__()
        repository = variant.open(connection)
        stored(repository, *(logins or logins_of_three()))
        return connection, repository

    yield make
    for store in opened:
        store.__exit__(None, None, None)


# ---- one fold ---------------------------------------------------------------------------------------


@keeping
def test_a_folded_day_has_one_cell_for_each_user_and_the_same_counts(connection, variant, repository):
    logins = stored(repository, *logins_of_three())
    assert repository.fold(DAY) == 3
    assert answers(repository) == answers_of(logins)
    assert remaining_columns(connection, variant) == {b"s:n"}
    assert list(repository.logins("ada")) == [login(DAY + DAY_MS), login(DAY - 1)], "those of other days"


@keeping
def test_the_sums_are_rows_of_the_same_tables(connection, variant, repository):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    by_user, by_day, *_others = variant.tables
    sums = [sums_of(by_user), sums_of(by_day)]
    check_round_trip(connection, [by_user, by_day, *sums])
    assert [len(table.layouts) for table in physical_tables([by_user, by_day, *sums])] == [2, 2]


@keeping
def test_a_day_without_logins_is_folded_and_so_is_a_folded_one(connection, variant, repository):
    assert repository.fold(DAY) == repository.fold(DAY) == 0
    stored(repository, login(DAY + DAY_MS))
    assert repository.fold(DAY + DAY_MS) == 1
    before = dump(connection, variant)
    assert repository.fold(DAY + DAY_MS) == 0
    assert dump(connection, variant) == before


@keeping
def test_a_time_that_is_not_the_start_of_a_day_is_not_folded(repository):
    with pytest.raises(InvalidQuestion, match=r"^day: must be the start of a UTC day"):
        repository.fold(DAY + 1)


users = st.sampled_from(["ada", "ada2", "a", "a\0", "é", "🐘"])
times = st.sampled_from([day + at for day in (DAY, DAY + DAY_MS) for at in (0, 1, DAY_MS - 1)])


@settings(max_examples=examples(60))
@given(st.lists(st.builds(login, times, users), max_size=30), st.lists(st.integers(0, 1), max_size=3))
def test_random_logins_count_the_same_before_and_after_folds(engine, new_logins, folded):
    for name in KEEPING:
        with engine.shared_store(*BY_NAME[name].tables) as connection:
            repository = BY_NAME[name].open(connection)
            records = stored(repository, *new_logins)
            for day in folded:
                repository.fold(DAY + day * DAY_MS)
                for user in ("ada", "a", "🐘"):
                    assert repository.days(user) == expected(records, ("days", user, None, None))
                    assert repository.day_count(user, DAY) == expected(records, ("day_count", user, DAY))
                for day_ms in (DAY, DAY + DAY_MS):
                    assert repository.day_total(day_ms) == expected(records, ("day_total", day_ms))
                    assert repository.top_users(day_ms, 9) == expected(records, ("top_users", day_ms, 9))


@main_variant
def test_users_that_are_read_in_several_parts_are_counted_once_each(repository, monkeypatch):
    monkeypatch.setattr("domains.counters.repository.USERS_AT_ONCE", 2)
    monkeypatch.setattr("domains.counters.folding.ROWS_AT_ONCE", 2)
    logins = stored(repository, *(login(DAY + at, f"u{at % 7}") for at in range(20)))
    counts = [repository.day_total(DAY), repository.top_users(DAY, 9)]
    assert counts == [20, expected(logins, ("top_users", DAY, 9))]
    for user in ("u0", "u3", "u6"):  # as after a fold that died
        repository._folder.fold_user(user, DAY)
        assert [repository.day_total(DAY), repository.top_users(DAY, 9)] == counts
    assert repository.fold(DAY) == 4
    assert [repository.day_total(DAY), repository.top_users(DAY, 9)] == counts


# ---- folders that die -------------------------------------------------------------------------------


@keeping_main_or_long
@pytest.mark.parametrize("question", range(4))
def test_a_fold_at_any_call_of_a_reader_changes_no_count(variant, new, question):
    ask = [
        lambda repository: repository.day_total(DAY),
        lambda repository: repository.top_users(DAY, 9),
        lambda repository: repository.days("ada"),
        lambda repository: repository.day_count("ada", DAY),
    ][question]
    connection, repository = new()
    wanted = ask(repository)
    for number in range(watched(variant, connection, ask).number_of_calls):
        connection, folder = new()
        assert ask(interrupted(variant, connection, number, partial(folder.fold, DAY))) == wanted, number


def close_only(connection, variant, day_ms):
    """Folds a day, and dies when it is closed and no user is folded."""
    dying = WatchedConnection(connection, dying_before(lambda call: call.table == variant.tables[1].name))
    with pytest.raises(WriterDied):
        variant.open(dying).fold(day_ms)


@keeping
def test_recover_folds_the_closed_days_and_no_other(connection, variant, repository):
    logins = stored(repository, *logins_of_three())
    repository.fold(DAY - DAY_MS)
    folded = watched(variant, connection, lambda folder: folder.fold(DAY + DAY_MS))
    assert [call.name for call in folded.calls].count("checkAndPut") == 3, "closed, one sum, folded"
    close_only(connection, variant, DAY)
    with metered(connection) as cost:
        assert repository.upkeep.recover().failed == ()
    assert answers(repository) == answers_of(logins)
    states = list(connection.table(LOGIN_DAYS.name).scan())
    assert [LOGIN_DAYS.records(row, cells)[0].state for row, cells in states] == 3 * ["folded"]
    with metered(connection) as again:
        repository.upkeep.recover()
    assert again.rpcs < 13 < cost.rpcs


@keeping
def test_a_day_with_a_damaged_row_is_not_folded_and_does_not_stop_the_others(connection, variant, repository):
    by_day = variant.tables[1]
    stored(repository, *logins_of_three())
    bad = by_day.row(login(DAY, "bob"))
    connection.table(by_day.name).put(bad, {b"l:x": b"\xc3"}, timestamp=DAY)
    with pytest.raises(InvalidRow):
        repository.fold(DAY)
    close_only(connection, variant, DAY + DAY_MS)
    (failed,) = repository.upkeep.recover().failed
    assert failed.startswith(
        f"login_days: row {shown_bytes(LOGIN_DAYS.row(StateOfDay(DAY)))}: day 2026-01-12T00:00:00.000Z: "
    )
    connection.table(by_day.name).delete(bad, [b"l:x"])
    assert repository.upkeep.recover().failed == ()
    assert answers(repository) == answers_of(logins_of_three())


# ---- several folders --------------------------------------------------------------------------------


@keeping_main_or_long
def test_two_folders_of_one_day_agree_whenever_the_second_begins_and_dies(engine, variant, new):
    few = [login(), login(DAY + 1), login(DAY + 1, "bob")]
    connection, _repository = new(*few)
    folded = watched(variant, connection, fold_day)
    chance = random.Random(1)
    for number in range(folded.number_of_calls):
        for lives in chance.sample(range(len(folded.calls) + 1), 4 if engine.name == EMBEDDED else 1):
            connection, repository = new(*few)
            second = variant.open(WatchedConnection(connection, dying_at(lives)))

            def fold_or_die(second=second):
                with suppress(WriterDied):
                    second.fold(DAY)

            interrupted(variant, connection, number, fold_or_die).fold(DAY)
            assert answers(repository) == answers_of(few), (number, lives)
            assert remaining_columns(connection, variant) == {b"s:n"}


@main_variant
@pytest.mark.parametrize("seed", range(20))
def test_three_folders_take_turns_in_any_order(variant, new, seed):
    """Each thread waits for its turn before every call, so one call is under way at a time."""
    connection, repository = new()
    chance, names = random.Random(seed), list(range(3))
    turn = threading.Condition()
    current = [chance.choice(names)]
    failed = []

    def pass_on():
        current[0] = chance.choice(names)
        turn.notify_all()

    def take_turn(name, _number):
        with turn:
            if current[0] == name:
                pass_on()
            assert turn.wait_for(lambda: current[0] == name, 60)

    def fold(name):
        try:
            variant.open(WatchedConnection(connection, before_call=partial(take_turn, name))).fold(DAY)
        except Exception as error:  # shown below: an exception in a thread fails no test
            failed.append(error)
        with turn:
            names.remove(name)
            if names:
                pass_on()

    threads = [threading.Thread(target=fold, args=(name,)) for name in list(names)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failed == []
    assert answers(repository) == answers_of(logins_of_three())
    assert remaining_columns(connection, variant) == {b"s:n"}


# ---- writers that come late -------------------------------------------------------------------------


def counted(repository, late):
    """How often the user of a late login is counted on the day."""
    return repository.day_count(late.user, DAY)


@keeping
def test_a_login_of_a_folded_day_is_refused_and_leaves_nothing(connection, variant, repository):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    before = dump(connection, variant)
    for writer in (repository, variant.open(connection)):
        for late in LATE:
            with pytest.raises(DayClosed) as refused:
                writer.store(late)
            assert str(refused.value) == "Login.time_ms: day 2026-01-12T00:00:00.000Z takes no more logins"
    assert dump(connection, variant) == before


@keeping_main_or_long
@pytest.mark.parametrize("late", LATE, ids=lambda late: late.user)
def test_a_login_that_is_stored_at_any_call_of_a_fold_is_counted_if_it_was_answered(variant, new, late):
    connection, _repository = new()
    outcomes = set()
    for number in range(watched(variant, connection, fold_day).number_of_calls):
        connection, repository = new()
        before, writer = counted(repository, late), variant.open(connection)
        answered = []

        def store(writer=writer, answered=answered):
            with suppress(DayClosed):
                writer.store(late)
                answered.append(late)

        interrupted(variant, connection, number, store).fold(DAY)
        outcomes.add(bool(answered))
        assert counted(repository, late) == before + len(answered)
        assert repository.day_total(DAY) == 5 + len(answered)
        with pytest.raises(DayClosed):
            writer.store(late)
        assert repository.day_total(DAY) == 5 + len(answered)
    assert outcomes == {True, False}


@keeping_main_or_long
@pytest.mark.parametrize("knows_the_day", [False, True])
@pytest.mark.parametrize("late", LATE, ids=lambda late: late.user)
def test_a_fold_at_any_call_of_a_writer_counts_the_login_if_it_was_answered(variant, new, late, knows_the_day):
    first = [login()] if knows_the_day else []
    start, stop = (number_of_calls(variant, new()[0], logins) for logins in (first, [*first, late]))
    outcomes = []
    for number in range(start, stop + 1):
        connection, repository = new()
        before, folder = counted(repository, late), variant.open(connection)
        writer = interrupted(variant, connection, number, partial(folder.fold, DAY))
        for known in first:
            writer.store(known)  # again
        answered = 0
        with suppress(DayClosed):
            writer.store(late)
            answered = 1
        outcomes.append(answered)
        assert counted(repository, late) >= before + answered
        assert counted(repository, late) <= before + 1
        folder.fold(DAY)  # also what a refused writer left
        assert counted(repository, late) == sum(day.count for day in repository.days(late.user) if day.day_ms == DAY)
        assert (repository.day_total(DAY) - 5, repository.top_users(DAY, 9)[0].user) == (
            counted(repository, late) - before,
            "ada",
        )
    assert outcomes == [0] * (stop - start) + [1]


@keeping
def test_a_writer_is_told_that_the_login_may_not_be_counted(variant, new):
    last = number_of_calls(variant, new()[0], [login(DAY + 9)]) - 1
    connection, repository = new()
    writer = interrupted(variant, connection, last, partial(repository.fold, DAY))
    with pytest.raises(DayClosed) as refused:
        writer.store(login(DAY + 9))
    assert str(refused.value) == (
        "Login.time_ms: day 2026-01-12T00:00:00.000Z was closed meanwhile, so the login may not be counted"
    )


@keeping
def test_a_put_that_arrives_after_the_fold_and_a_compaction_is_not_counted(engine, variant, new):
    connection, repository = new()
    repository.fold(DAY)
    if engine.name == EMBEDDED:
        compact(connection, variant)
    for table in variant.tables[:2]:
        connection.table(table.name).put(table.row(login()), table.cells.pack(login()), timestamp=DAY)
    assert answers(repository) == answers_of(logins_of_three())
    assert repository.fold(DAY) == (engine.name == EMBEDDED), "it deletes them, unless a tombstone hides them"
    assert answers(repository) == answers_of(logins_of_three())
    assert remaining_columns(connection, variant) == {b"s:n"}


@keeping
def test_a_login_that_only_its_user_has_is_folded_with_the_others(connection, variant, repository):
    by_user, *_others = variant.tables
    stored(repository, login(), login(DAY + 1))
    half = login(DAY + 2)
    connection.table(by_user.name).put(by_user.row(half), by_user.cells.pack(half), timestamp=half.time_ms)
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (3, 2)
    repository.fold(DAY)
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (3, 3)


# ---- many logins ------------------------------------------------------------------------------------


@keeping
def test_logins_stored_together_are_the_cells_of_logins_stored_one_by_one(variant, new, engine):
    logins = logins_of_three()
    connection, _repository = new()
    with engine.shared_store(*variant.tables) as other:
        together = variant.open(other)
        with metered(other) as cost:
            assert together.store_all(iter(logins)) == len(logins)
        assert cost.rpcs == 2 * len({login.time_ms for login in logins}) + 2
        assert dump(other, variant) == dump(connection, variant)
        together.fold(DAY)
        with pytest.raises(NotAllStored, match=r"^0 records stored; .* takes no more logins$") as refused:
            together.store_all([login(DAY + DAY_MS), login()])
        assert isinstance(refused.value.__cause__, DayClosed)
        assert answers(together) == answers_of(logins)


def filled(connection, count):
    """A repository with `count` logins of one user on one day."""
    repository = LoginRepository(connection)
    for layout in TABLES[:2]:
        with connection.table(layout.name).batch(timestamp=DAY, batch_size=2000) as batch:
            for at in range(count):
                batch.put(layout.row(login(DAY + at)), layout.cells.pack(login(DAY + at)))
    return repository


@main_variant
@pytest.mark.parametrize("count", [1000, 1001, 3600, 12_345])
def test_a_wide_row_is_folded(connection, variant, count):
    repository = filled(connection, count)
    repository.store(login(DAY, "zoe"))
    assert repository.fold(DAY) == 2
    assert (repository.day_total(DAY), repository.days("ada")) == (count + 1, [DayCount("ada", DAY, count)])
    assert remaining_columns(connection, variant) == {b"s:n"}


@main_variant
def test_a_fold_of_a_wide_row_that_dies_between_its_deletes_goes_on(connection, variant):
    repository = filled(connection, 3600)
    # The clocks, an intent and its end, the closed day, both sums, 4 deletes by user and 1 by day come before.
    dying = WatchedConnection(connection, dying_at(11))
    with pytest.raises(WriterDied):
        variant.open(dying).fold(DAY)
    assert (repository.day_total(DAY), repository.day_count("ada", DAY)) == (3600, 3600)
    repository.upkeep.recover()
    assert (repository.day_total(DAY), repository.day_count("ada", DAY)) == (3600, 3600)
    assert remaining_columns(connection, variant) == {b"s:n"}


@pytest.mark.long
def test_the_memory_of_a_fold_does_not_grow_with_the_width_of_a_row():
    """The store is in a process of its own, so that the memory is the client's alone."""
    from tests.programs.benchmarks.measuring import server  # not in the copies in which mutants are planted

    peaks = []
    for count in (20_000, 100_000):
        with server() as (_process_id, port), closing(connect(f"hbase://127.0.0.1:{port}")) as connection:
            create_tables(connection, TABLES)
            repository = filled(connection, count)
            tracemalloc.start()
            with metered(connection) as cost:
                assert repository.fold(DAY) == 1
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert repository.day_total(DAY) == count
    assert cost.rpcs == 1440, "as the README says"
    assert peaks[1] < 1.3 * peaks[0] < 8 * 2**20
