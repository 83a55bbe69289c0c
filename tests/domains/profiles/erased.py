"""A user who is erased, for the tests of erasures: no write needs recovery, so there is no upkeep."""

from collections.abc import Callable
from operator import methodcaller

from domains.profiles import OrderSummary, Profile, ProfileRepository
from domains.profiles.shown.design import DESIGN
from shared.testing import ErasedPerson

AT_MS = 1_768_205_250_123


def of_user(user_id: str) -> tuple[Profile, list[OrderSummary]]:
    profile = Profile(user_id, f"name of {user_id}", AT_MS, attributes={"phone:home": "555-0100"})
    return profile, [OrderSummary(user_id, AT_MS + number, f"o-{number}", "mug") for number in range(25)]


ADA, ORDERS = of_user("ada")
OTHERS = [of_user("ada_2"), of_user("bob")]


def three_users(open_repository: Callable[..., ProfileRepository]) -> None:
    for profile, orders in ((ADA, ORDERS), *OTHERS):
        open_repository().store(profile)
        for order in orders:
            open_repository().add_order(order)


def page(profiles: ProfileRepository, user_id: str) -> list[Profile | OrderSummary]:
    found = profiles.page(user_id)
    return [] if found is None else [found.profile, *found.orders] if found.profile else [*found.orders]


def come_back(profiles: ProfileRepository, time_ms: int) -> list[OrderSummary]:
    back = OrderSummary("ada", time_ms, "o-99", "lamp")
    profiles.add_order(back)
    return [back]


ERASED = ErasedPerson(
    "ada",
    variants=DESIGN.variants,
    before=three_users,
    seen=lambda profiles: page(profiles, "ada"),
    others=lambda profiles: [str(page(profiles, "ada_2")), str(page(profiles, "bob"))],
    kept=[str([profile, *orders[:-11:-1]]) for profile, orders in OTHERS],
    comes_back=come_back,
    rivals=(
        methodcaller("add_order", OrderSummary("ada", AT_MS + 77, "o-77")),
        methodcaller("add_order", ORDERS[20]),
        methodcaller("store", Profile("ada", "Ada", AT_MS + 78)),
    ),
    texts=("ada_2",),
    ends_dead=False,
    has_upkeep=False,
)
