"""A user who is erased, for the tests of erasures: each action is one row, so there is no upkeep.

The name reads the same backwards, so that it is found in the rows of `reversed` too.
"""

from collections.abc import Callable
from operator import methodcaller

from domains.activity import Action, ActivityRepository
from domains.activity.shown.design import DESIGN
from shared.testing import ErasedPerson

AT_MS = 1_768_205_250_123
OF_ADA = [Action("ada", "read", AT_MS + number, f"doc-{number}") for number in (0, 1, 2, 2_000)]
TWIN = Action("ada", "write", AT_MS)
KEPT = [Action("ada_2", "read", AT_MS), Action("bob", "share", AT_MS + 1, "doc of ada")]


def three_users(open_repository: Callable[..., ActivityRepository]) -> None:
    open_repository().store_all([*OF_ADA, TWIN, *KEPT])


def come_back(activity: ActivityRepository, time_ms: int) -> list[Action]:
    back = Action("ada", "login", time_ms)
    activity.store(back)
    return [back]


ERASED = ErasedPerson(
    "ada",
    variants=DESIGN.variants,
    before=three_users,
    seen=lambda activity: [*activity.of_user("ada")],
    others=lambda activity: [*activity.of_user("ada_2"), *activity.of_user("bob")],
    kept=KEPT,
    comes_back=come_back,
    rivals=(methodcaller("store", Action("ada", "read", AT_MS + 77)), methodcaller("store", OF_ADA[0])),
    texts=("ada_2", "2_ada", "doc of ada"),
    ends_dead=False,
    has_upkeep=False,
)
