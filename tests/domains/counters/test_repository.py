"""What a write stores and costs in each variant, and the questions that are refused before anything is read."""

import pytest

from domains.counters import DAY_MS, Login, Repeats
from domains.counters.shown.design import DESIGN
from domains.counters.shown.variants import salted, sharded
from shared.designs import metered
from shared.keys import InvalidKey, InvalidQuestion
from shared.testing.stored_samples import stored_cells
from tests.domains.variants import only

from .stopped_writes import DAY, login

START = "must be the start of a UTC day (got "
REFUSED = [
    ("days", {"user": "ada", "since_ms": DAY + 1}, f"since: {START}2026-01-12T00:00:00.001Z)"),
    ("days", {"user": "ada", "until_ms": DAY - 1}, f"until: {START}2026-01-11T23:59:59.999Z)"),
    ("days", {"user": "ada", "since_ms": DAY + DAY_MS, "until_ms": DAY}, "since must not be above until (got "),
    ("day_count", {"user": "ada", "day_ms": DAY + 3_600_000}, f"day: {START}2026-01-12T01:00:00.000Z)"),
    ("day_total", {"day_ms": DAY - 3_600_000}, f"day: {START}2026-01-11T23:00:00.000Z)"),
    ("top_users", {"day_ms": DAY + 1}, f"day: {START}2026-01-12T00:00:00.001Z)"),
    ("top_users", {"day_ms": DAY, "at_most": 0}, "at_most: must be 1 or more (got 0)"),
]


@pytest.mark.parametrize(("method", "arguments", "reason"), REFUSED)
@only(DESIGN, "counters", "increment")
def test_a_question_that_has_no_answer_is_refused_before_anything_is_read(
    connection, repository, method, arguments, reason
):
    with metered(connection) as cost, pytest.raises(InvalidQuestion) as refused:
        getattr(repository, method)(**arguments)
    assert reason in str(refused.value)
    assert cost.rpcs == 0


@only(DESIGN, "counters")
def test_a_time_that_is_not_the_start_of_a_day_is_not_folded(repository):
    with pytest.raises(InvalidQuestion, match=r"^day: must be the start of a UTC day"):
        repository.fold(DAY + 1)


def test_a_user_is_in_one_bucket_on_all_days_and_in_all_shards():
    for user in ("ada", "bob", "u-17"):
        assert len({salted.SALTED.layout.row(login(day, user))[0] for day in range(0, 90 * DAY_MS, DAY_MS)}) == 1
    assert {sharded.shard_of(login(DAY + at)) for at in range(200)} == {*range(sharded.SHARDS)}


def test_a_login_takes_two_puts_and_two_gets_or_three_increments(variant, connection):
    repository = variant.open(connection)
    calls_and_reads = (3, 0) if variant.name in ("increment", "sharded") else (4, 2)
    for time_ms in (DAY, DAY, DAY + DAY_MS):
        with metered(connection) as cost:
            repository.store(login(time_ms))
        assert (cost.rpcs, len(cost.reads)) == calls_and_reads


@only(DESIGN, "counters")
def test_a_user_whose_row_is_too_long_is_refused_with_nothing_half_stored(connection, variant, repository):
    with pytest.raises(InvalidKey, match=r"a row key has 1\.\.32767 bytes"):
        repository.store(Login("u" * 32_760, DAY))
    assert stored_cells(connection, variant.tables) == {table.name: [] for table in variant.tables}


def test_equal_logins_are_numbered_from_0_beside_those_with_a_number_from_their_source():
    logins = [login(), login(), login(user="bob"), login(DAY + 1), login(tie=5), login(), login(tie=5)]
    assert [numbered.tie for numbered in map(Repeats(), logins)] == [0, 1, 0, 0, 5, 2, 5]
