"""A folded day: counts are the same before, during and after it, and a login that comes late is refused or counted."""

import tracemalloc
from contextlib import closing, suppress
from functools import partial
from itertools import count

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domains.counters import DAY_MS, DayClosed, DayCount, LoginRepository, NotAllStored
from domains.counters.keys import LOGIN_DAYS, TABLES, LoginDay
from domains.counters.shown.design import DESIGN
from shared.designs import metered
from shared.stores import connect
from shared.tables import InvalidRow, create_tables
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at_call
from shared.testing.crash_tests import crash_tests
from shared.testing.stored_samples import stored_cells
from tests.engines import EMBEDDED, examples

from .plain_list import PLAIN_LIST, PlainLogins
from .stopped_writes import (
    DAY,
    LATE,
    STOPPED,
    USERS,
    closed_day,
    fold,
    login,
    logins_of_three,
    put,
    stored,
    three_users,
)

VARIANTS = [DESIGN.main]


def answers(logins, users=USERS):
    """Every count of the day and of its users, in a repository or a plain list."""
    return [
        logins.day_total(DAY),
        logins.top_users(DAY, 9),
        [logins.days(user) for user in users],
        [logins.day_count(user, DAY) for user in users],
    ]


WANTED = answers(PlainLogins("counters", logins_of_three()))
"""The counts of the logins of three users."""


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


@pytest.fixture
def tests(engine, variant):
    """Opens stores of its own, with the logins of three users: `tests.store(three_users)`."""
    return crash_tests(engine, STOPPED, variant)


def met_at_each_call(tests, act, rival):
    """Runs `act` once for each of its calls, with `rival` before this call; yields its repository and the answer."""
    for number in count():
        with tests.store(three_users) as store:
            repository = store.repository()
            paused = paused_at_call(number, partial(rival, repository))
            watched = WatchedConnection(store.connection, before_call=paused)
            answer = act(tests.open(watched))
            if number >= watched.number_of_calls:
                return
            yield repository, answer


# ---- one fold


MANY_USERS = [login(DAY + at, f"u{at % 7}") for at in range(20)]
FOLDED = st.tuples(st.integers(-1, 1), st.sampled_from([None, *PLAIN_LIST.values["user"]]))
"""A day, and the user who alone is folded, as a fold leaves it that dies; or None if the fold ends."""


@settings(max_examples=examples(12))
@example(MANY_USERS, [(0, "u0"), (0, "u3"), (0, "u6"), (0, None)])
@given(PLAIN_LIST.records, st.lists(FOLDED, max_size=3))
def test_random_logins_count_the_same_before_and_after_folds_that_read_two_users_at_once(engine, new_logins, folds):
    with engine.shared_store(*TABLES) as connection, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("domains.counters.repository.USERS_AT_ONCE", 2)
        monkeypatch.setattr("domains.counters.folding.ROWS_AT_ONCE", 2)
        repository = LoginRepository(connection)
        plain = PlainLogins("counters", stored(repository, *new_logins))
        for day, user in folds:
            day_ms = DAY + day * DAY_MS
            repository._folder.fold_user(user, day_ms) if user else repository.fold(day_ms)
            assert answers(repository, ("ada", "a\0", "🐘")) == answers(plain, ("ada", "a\0", "🐘"))


def test_recover_folds_the_closed_days_and_no_other(tests):
    with tests.store(closed_day) as store:
        repository = store.repository()
        for day in (DAY - DAY_MS, DAY + DAY_MS):
            repository.fold(day)
        assert repository.upkeep.recover().failed == ()
        assert answers(repository) == WANTED
        states = list(store.connection.table(LOGIN_DAYS.layout.name).scan())
        assert [LOGIN_DAYS.layout.records(row, cells)[0].state for row, cells in states] == 3 * ["folded"]
        with metered(store.connection) as cost:
            repository.upkeep.recover()
        assert cost.rpcs < 13, "a folded day is not folded again"


def test_a_day_with_a_damaged_row_is_not_folded_and_stops_no_other(connection, variant, repository):
    by_day = variant.tables[1]
    stored(repository, *logins_of_three())
    bad = by_day.row(login(DAY, "bob"))
    connection.table(by_day.name).put(bad, {b"l:x": b"\xc3"}, timestamp=DAY)
    with pytest.raises(InvalidRow):
        repository.fold(DAY)
    with pytest.raises(WriterDied):
        variant.open(WatchedConnection(connection, dying_at(3))).fold(DAY + DAY_MS)
    (failed,) = repository.upkeep.recover().failed
    row = LOGIN_DAYS.layout.row(LoginDay(DAY)).hex(" ")
    assert failed.startswith(f"login_days: row {row}: day 2026-01-12T00:00:00.000Z: ")
    unmended = [(finding.kind, finding.table) for finding, is_mended in repository.upkeep.repair() if not is_mended]
    assert unmended == [("undecodable", by_day.name), ("unsettled", "login_days")]
    connection.table(by_day.name).delete(bad, [b"l:x"])
    assert repository.upkeep.recover().failed == ()
    assert answers(repository) == WANTED


# ---- while others work


def verify(repository):
    return list(repository.upkeep.verify())


@pytest.mark.parametrize(
    "ask", [partial(answers, users=("ada",)), pytest.param(verify, marks=pytest.mark.long)], ids=["answers", "verify"]
)
def test_a_fold_at_any_call_of_a_reader_or_a_verifier_changes_no_answer(tests, ask):
    with tests.store(three_users) as store:
        wanted = ask(store.repository())
    for repository, answer in met_at_each_call(tests, ask, fold):
        assert answer == wanted == ask(repository)


def store_or_reason(repository, late):
    """Stores a login; returns why it was refused, or that it was answered."""
    try:
        repository.store(late)
    except DayClosed as refused:
        return str(refused)
    return "answered"


CLOSED = "Login.time_ms: day 2026-01-12T00:00:00.000Z takes no more logins"
CLOSED_MEANWHILE = CLOSED.replace("takes no more logins", "was closed meanwhile, so the login may not be counted")


BEFORE = {"ada": 3, "zoe": 0}


@pytest.mark.parametrize(
    ("late", "knows_the_day"),
    [
        pytest.param(
            late, knows, id=f"{late.user}-{knows}", marks=[pytest.mark.further] * (knows == (late in LATE[:1]))
        )
        for late in LATE
        for knows in (False, True)
    ],
)
def test_a_fold_at_any_call_of_a_writer_counts_the_login_if_it_was_answered(tests, late, knows_the_day):
    before, outcomes = BEFORE[late.user], []

    def store(writer):
        if knows_the_day:
            with suppress(DayClosed):
                writer.store(login())  # again
        return store_or_reason(writer, late)

    for repository, outcome in met_at_each_call(tests, store, fold):
        outcomes.append(outcome)
        at_most = before + (outcome != CLOSED)
        assert before + (outcome == "answered") <= repository.day_count(late.user, DAY) <= at_most
        repository.fold(DAY)  # also what a refused writer left
        counted = repository.day_count(late.user, DAY)
        assert counted == sum(day.count for day in repository.days(late.user) if day.day_ms == DAY)
        assert repository.day_total(DAY) - 5 == counted - before
    assert {*outcomes} == {CLOSED, CLOSED_MEANWHILE}
    assert outcomes[-1] == CLOSED_MEANWHILE


def test_a_login_of_a_folded_day_is_refused_and_leaves_nothing(connection, variant, repository):
    stored(at_work := variant.open(connection), *logins_of_three())  # it has read that the day is open
    repository.fold(DAY)
    before = stored_cells(connection, variant.tables)
    for writer in (at_work, repository):
        assert [store_or_reason(writer, late) for late in LATE] == [CLOSED, CLOSED]
        with pytest.raises(NotAllStored, match=r"^0 records stored; .* takes no more logins$"):
            writer.store_all([login(DAY + DAY_MS), login()])
    assert stored_cells(connection, variant.tables) == before


def test_a_put_that_arrives_after_the_fold_and_a_compaction_is_not_counted(engine, connection, variant, repository):
    stored(repository, *logins_of_three())
    repository.fold(DAY)
    for table in variant.tables[:2]:
        if engine.name == EMBEDDED:
            connection.compact(table.name)  # drops the tombstones and what they hide
        put(connection, table, login())
    assert answers(repository) == WANTED
    assert repository.fold(DAY) == (engine.name == EMBEDDED), "it deletes them, unless a tombstone hides them"
    assert answers(repository) == WANTED
    assert remaining_columns(connection, variant) == {b"s:n"}


# ---- many logins


def filled(connection, count):
    """A repository with `count` logins of one user on one day."""
    for layout in TABLES[:2]:
        with connection.table(layout.name).batch(timestamp=DAY, batch_size=2000) as batch:
            for at in range(count):
                batch.put(layout.row(login(DAY + at)), layout.cells.pack(login(DAY + at)))
    return LoginRepository(connection)


@pytest.mark.parametrize(("count", "dies_at"), [(1001, 1000), pytest.param(3600, 11, marks=pytest.mark.long)])
def test_a_row_of_more_cells_than_a_page_reads_is_counted_and_folded(connection, variant, count, dies_at):
    """The clocks, an intent, the closed day, both sums, 4 deletes by user and 1 by day come before the death."""
    repository = filled(connection, count)
    assert repository.logins("ada").page(1).records == [login(DAY + count - 1)]
    for step in (fold, lambda logins: logins.upkeep.recover()):
        assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (count, count)
        assert repository.days("ada") == repository.top_users(DAY, 1) == [DayCount("ada", DAY, count)]
        with suppress(WriterDied):
            step(variant.open(WatchedConnection(connection, dying_at(dies_at))))
    assert remaining_columns(connection, variant) == {b"s:n"}
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (count, count)


@pytest.mark.long
@pytest.mark.parametrize(("act", "counts", "rpcs"), [(fold, (20_000, 100_000), 1440), (verify, (5_000, 25_000), None)])
def test_memory_does_not_grow_with_the_width_of_a_row(act, counts, rpcs):
    """The store is in a process of its own, so that the memory is the client's alone."""
    from tests.programs.benchmarks.measuring import server  # not in the copies in which mutants are planted

    peaks = []
    for count_ in counts:
        with server() as (_process_id, port, _), closing(connect(f"hbase://127.0.0.1:{port}")) as connection:
            create_tables(connection, TABLES)
            repository = filled(connection, count_)
            tracemalloc.start()
            with metered(connection) as cost:
                assert not act(repository)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert repository.day_total(DAY) == count_
    assert cost.rpcs == rpcs or rpcs is None, "as the README says"
    assert peaks[1] - peaks[0] < 2**20, "the caches of a process grow a little, and all logins need much more"
    assert peaks[1] < 8 * 2**20


def test_a_user_has_the_sum_that_the_day_has_although_a_late_login_was_stored_after_it(repository):
    """Another folder put the day's sum and died; the login came before its deletes."""
    stored(repository, login())
    repository._folder.by_day.put_first(DayCount(login().user, DAY, 5))
    repository.fold(DAY)
    assert repository.day_count(login().user, DAY) == 5
    assert [day.count for day in repository.days(login().user)] == [5]
