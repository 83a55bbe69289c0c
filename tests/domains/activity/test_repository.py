"""What the repository promises besides answers: few calls to erase, what an erasure leaves, and its own refusal."""

import pytest

from domains.activity import Action
from domains.activity.design import DESIGN
from shared.keys import InvalidQuestion
from shared.records import LAST_MS
from shared.testing import WatchedConnection

MAIN = pytest.mark.parametrize("variant", DESIGN.variants[:1], ids=lambda variant: variant.name)
MANY = 2_500


@pytest.fixture
def activity(repository):
    return repository


@MAIN
def test_users_named_like_nothing_are_refused(activity):
    for nothing in ("", None):
        with pytest.raises(InvalidQuestion, match=r"^user_prefix: must be text, not empty; ask of_all for all users$"):
            activity.users_like(nothing, 0, 9)


@MAIN
def test_many_actions_of_any_time_are_erased_in_a_call_for_each_thousand_and_neighbours_stay(
    connection, variant, activity
):
    neighbours = [Action(user, "read", time_ms) for user in ("ad", "ada_2", "adb") for time_ms in (0, LAST_MS)]
    activity.store_all(neighbours)
    activity.store_all(Action("ada", "read", LAST_MS - number // 1000, f"doc-{number}") for number in range(MANY))
    watched = WatchedConnection(connection)
    assert variant.open(watched).erase("ada") == 0
    assert [len(call.rows) for call in watched.calls] == [1000, 1000, MANY - 2000]
    assert {*activity.users_like("ad")} == {*neighbours}


@MAIN
def test_a_row_that_cannot_be_read_is_counted(connection, variant, activity):
    (table,) = variant.tables
    activity.store_all(actions := [Action("ada", "read", time_ms) for time_ms in (1, 2)])
    connection.table(table.name).put(table.row(actions[0]), {b"a:v": b"\xc1"}, timestamp=1)
    assert activity.erase("ada") == 1
    with pytest.raises(ValueError, match=r"^activity: row 61 64 61 00 01 "):
        activity.of_user("ada").page()


@MAIN
def test_an_action_that_was_erased_is_hidden_if_it_is_stored_again_and_one_of_another_time_is_not(activity):
    activity.store(action := Action("ada", "read", 5))
    activity.erase("ada")
    activity.store_all([action, other := Action("ada", "read", 4)])
    assert [*activity.of_user("ada")] == [other]
