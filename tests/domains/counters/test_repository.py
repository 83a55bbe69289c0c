"""Every question and the write, in every variant that can answer it."""

import pytest

from domains.counters import DAY_MS, DayCount, Login
from domains.counters.design import LATEST
from domains.counters.keys import LOGINS, LOGINS_BY_DAY
from shared.designs import metered
from shared.keys import InvalidKey, InvalidQuestion
from shared.records import LAST_MS
from shared.testing import WatchedConnection, WriterDied, dying_at

from .asking import DAY, HOUR_MS, counting, dump, keeping, login, main_variant, stored

LAST_DAY = LAST_MS - LAST_MS % DAY_MS

# ---- each question ----------------------------------------------------------------------------------


def test_a_users_days_come_oldest_first_with_their_counts(repository):
    stored(repository, login(DAY + DAY_MS), login(DAY), login(DAY + HOUR_MS), login(user="bob"))
    assert repository.days("ada") == [DayCount("ada", DAY, 2), DayCount("ada", DAY + DAY_MS, 1)]


def test_a_period_has_its_first_day_and_not_its_last(repository):
    stored(repository, *(login(DAY + number * DAY_MS) for number in range(4)))
    days = repository.days("ada", since_ms=DAY + DAY_MS, until_ms=DAY + 3 * DAY_MS)
    assert [day.day_ms for day in days] == [DAY + DAY_MS, DAY + 2 * DAY_MS]
    assert repository.days("ada", DAY, DAY) == []


def test_a_day_without_logins_is_not_among_the_days_and_counts_none(repository):
    stored(repository, login(DAY), login(DAY + 2 * DAY_MS))
    assert [day.day_ms for day in repository.days("ada")] == [DAY, DAY + 2 * DAY_MS]
    assert repository.day_count("ada", DAY + DAY_MS) == repository.day_total(DAY + DAY_MS) == 0
    assert repository.top_users(DAY + DAY_MS) == []


def test_a_day_is_counted_for_one_user_and_for_all(repository):
    stored(repository, login(), login(DAY + 1), login(user="bob"), login(DAY + DAY_MS))
    assert (repository.day_count("ada", DAY), repository.day_count("bob", DAY), repository.day_total(DAY)) == (2, 1, 3)


def test_top_users_come_by_count_and_then_by_name(repository):
    stored(repository, *(login(DAY + at, user) for at, user in enumerate(["c", "b", "b", "d", "a", "c"])))
    assert [(top.user, top.count) for top in repository.top_users(DAY)] == [("b", 2), ("c", 2), ("a", 1), ("d", 1)]
    assert [top.user for top in repository.top_users(DAY, at_most=1)] == ["b"]


@keeping
def test_the_latest_logins_come_newest_first_across_days_in_pages(repository):
    logins = stored(repository, *map(login, (DAY, DAY + 1, DAY + DAY_MS, DAY + 3 * DAY_MS)), login(user="ada2"))
    page = repository.logins("ada").page(limit=3)
    rest = repository.logins("ada").page(limit=3, cursor=page.cursor)
    assert [*page.records, *rest.records] == logins[3::-1]
    assert (len(page.records), rest.cursor) == (3, None)


@keeping
def test_the_logins_of_any_period_are_not_only_those_of_whole_days(repository):
    _before, first, second, _after = stored(repository, *map(login, (DAY + 4, DAY + 5, DAY + DAY_MS, DAY + DAY_MS + 1)))
    assert list(repository.logins("ada", DAY + 5, DAY + DAY_MS + 1)) == [second, first]


@counting
def test_counters_refuse_to_name_the_logins(repository):
    stored(repository, login())
    with pytest.raises(InvalidQuestion, match=r"^logins: needs the logins, and a counter keeps only how many"):
        LATEST.ask(repository, user="ada")


# ---- days of UTC ------------------------------------------------------------------------------------


@pytest.mark.parametrize("day_ms", [0, DAY, LAST_DAY])
def test_the_first_and_the_last_millisecond_of_a_day_are_in_it(repository, day_ms):
    stored(repository, login(day_ms), login(day_ms + DAY_MS - 1))
    assert repository.days("ada") == [DayCount("ada", day_ms, 2)]
    assert repository.days("ada", since_ms=day_ms) == [DayCount("ada", day_ms, 2)]
    assert (repository.day_count("ada", day_ms), repository.day_total(day_ms)) == (2, 2)
    assert repository.top_users(day_ms) == [DayCount("ada", day_ms, 2)]


def test_a_time_that_is_not_the_start_of_a_utc_day_is_refused_before_anything_is_read(connection, repository):
    for ask in (
        lambda: repository.days("ada", since_ms=DAY + 1),
        lambda: repository.days("ada", until_ms=DAY - 1),
        lambda: repository.day_count("ada", DAY + HOUR_MS),
        lambda: repository.day_total(DAY - HOUR_MS),
        lambda: repository.top_users(DAY + 1),
        lambda: repository.day_total("2026-01-12"),
        lambda: repository.day_total(True),
        lambda: repository.day_count("ada", None),
        lambda: repository.day_total(None),
        lambda: repository.top_users(None),
    ):
        with metered(connection) as cost, pytest.raises(InvalidQuestion, match=r"must be the start of a UTC day .got"):
            ask()
        assert cost.rpcs == 0


@main_variant
def test_the_error_names_the_argument_and_shows_the_time(repository):
    with pytest.raises(InvalidQuestion) as refused:
        repository.days("ada", since_ms=DAY, until_ms=DAY + 1)
    assert str(refused.value) == "until: must be the start of a UTC day (got 2026-01-12T00:00:00.001Z)"


@pytest.mark.parametrize("at_most", [0, -1, True, None])
def test_top_users_are_one_or_more(repository, at_most):
    with pytest.raises(InvalidQuestion, match=r"^at_most: must be 1 or more .got"):
        repository.top_users(DAY, at_most)


def test_a_period_that_ends_before_it_begins_is_refused(repository):
    with pytest.raises(InvalidQuestion):
        repository.days("ada", DAY + DAY_MS, DAY)


# ---- users that begin alike -------------------------------------------------------------------------

ALIKE = ["ada", "ada2", "ada_2", "ada_20260112", "ad", "ada\0", "ada ", "a\0da"]


@pytest.mark.parametrize("user", ALIKE)
def test_no_question_of_a_user_counts_another(repository, user):
    stored(repository, *(login(DAY + at, each) for each in ALIKE for at in range(2)))
    assert repository.days(user) == repository.days(user, DAY, DAY + DAY_MS) == [DayCount(user, DAY, 2)]
    assert repository.day_count(user, DAY) == 2
    assert [top.user for top in repository.top_users(DAY, 100)] == sorted(ALIKE)


# ---- logins of one millisecond ----------------------------------------------------------------------


def test_logins_of_one_user_and_millisecond_all_count(repository):
    stored(repository, *[login()] * 22, login(user="bob"))
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (22, 23)


@keeping
def test_a_login_with_a_number_from_its_source_keeps_it(repository):
    numbered = stored(repository, login(tie=7), login(tie=2**64 - 1), login(), login(tie=7))
    assert [each.tie for each in numbered] == [7, 2**64 - 1, 0, 7]
    assert repository.day_count("ada", DAY) == 3


# ---- the write --------------------------------------------------------------------------------------


@keeping
def test_the_same_login_again_changes_no_cell_and_no_timestamp(connection, variant, repository):
    stored(repository, login(), login(DAY + 5), login())
    before = dump(connection, variant)
    stored(repository, login(), login(DAY + 5), login())
    assert dump(connection, variant) == before


@keeping
def test_the_timestamp_of_every_cell_is_the_logins_own_time(connection, variant, repository):
    stored(repository, login(0), login(5), login(LAST_MS))
    for table in variant.tables[:2]:
        rows = dump(connection, variant)[table.name]
        assert sorted(stamp for _row, cells in rows for _value, stamp in cells.values()) == [0, 5, LAST_MS]


@keeping
def test_a_login_takes_two_puts_and_a_get_and_the_first_one_of_a_day_another_get(connection, repository):
    for time_ms, rpcs, gets in ((DAY, 4, 2), (DAY, 3, 1), (DAY + 5, 3, 1), (DAY + DAY_MS, 4, 2)):
        with metered(connection) as cost:
            repository.store(login(time_ms))
        assert (cost.rpcs, len(cost.reads)) == (rpcs, gets)


@counting
def test_a_login_takes_three_increments_and_the_same_again_is_counted_again(connection, repository):
    with metered(connection) as cost:
        repository.store(login())
    assert (cost.rpcs, cost.reads) == (3, [])
    repository.store(login())
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (2, 2)


@keeping
def test_a_user_lacks_a_login_whose_writer_died_between_its_puts_until_it_is_stored_again(
    connection, variant, repository
):
    repository.store(login())
    half = login(DAY + 1)
    dying = WatchedConnection(connection, dying_at(1))
    with pytest.raises(WriterDied):
        variant.open(dying).store(half)
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (1, 2)
    repository.store(half)
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (2, 2)


@keeping
def test_a_user_whose_row_is_too_long_is_refused_with_nothing_half_stored(connection, variant, repository):
    with pytest.raises(InvalidKey, match=r"a row key has 1\.\.32767 bytes"):
        repository.store(Login("u" * 32_760, DAY))
    assert dump(connection, variant) == {table.name: [] for table in variant.tables}


# ---- costs ------------------------------------------------------------------------------------------


@main_variant
def test_ten_thousand_logins_of_one_day_are_counted_in_pages(connection, repository):
    """A row of more cells than a page reads; the batch here only fills it."""
    count = 12_345
    for layout in (LOGINS, LOGINS_BY_DAY):
        with connection.table(layout.name).batch(timestamp=DAY, batch_size=2000) as batch:
            for at in range(count):
                batch.put(layout.row(login(DAY + at)), layout.cells.pack(login(DAY + at)))
    repository.store(login(DAY, "zoe"))
    assert (repository.day_count("ada", DAY), repository.day_total(DAY)) == (count, count + 1)
    assert repository.days("ada") == [DayCount("ada", DAY, count)]
    assert repository.top_users(DAY, 1) == [DayCount("ada", DAY, count)]
    assert repository.logins("ada").page(1).records == [login(DAY + count - 1)]
