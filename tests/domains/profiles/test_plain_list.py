"""Random profiles and orders: every variant answers as a plain list does; a wrong one as a list that lost some."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.profiles import SHOWN, OrderSummary, Profile, UserPage
from domains.profiles.shown.design import DESIGN
from shared.keys import InvalidQuestion
from shared.testing.contracts import answer, in_period
from tests.engines import examples

USERS = ["1", "12", "12345", "a", "ab", "é", "店"]
NAMES = ["Ada", "Émile", "李四"]
TIMES_MS = [0, 1, 2, 3, 500, 999, 86_400_000]
PROFILES = st.builds(
    Profile,
    user_id=st.sampled_from(USERS),
    name=st.sampled_from(NAMES),
    time_ms=st.sampled_from(TIMES_MS),
    age=st.sampled_from([None, 0, 150]),
    attributes=st.dictionaries(st.sampled_from(["city", "phone:home", "é"]), st.sampled_from(["", "Lyon", "茶"])),
)
ORDERS = st.builds(
    OrderSummary,
    user_id=st.sampled_from(USERS[:3]),
    time_ms=st.sampled_from(TIMES_MS) | st.integers(0, 60),
    order_id=st.integers(1, 40).map(lambda number: f"order_{number}"),
)
QUESTIONS = [
    *(("page", {"user_id": user}) for user in [*USERS, "b"]),
    *(("newest-orders", {"user_id": user}) for user in [*USERS, "b"]),
    *(("profile", {"user_id": user}) for user in [*USERS, "b"]),
    *(("profiles", {"id_prefix": prefix}) for prefix in ("1", "12", "a", "b", "é", "")),
    *(("named", {"name": name}) for name in [*NAMES, "Ad", ""]),
    *(("orders-of", {"user_id": "12", "since_ms": since, "until_ms": 500}) for since in (None, 0, 2, 500)),
]
PATTERNS = {pattern.name: pattern for pattern in DESIGN.patterns}


def newest_first(order: OrderSummary) -> tuple[int, str]:
    return -order.time_ms, order.order_id


class PlainProfiles:
    """The questions of `ProfileRepository`."""

    def __init__(self, variant: str, profiles: list[Profile], orders: list[OrderSummary]) -> None:
        self.variant = variant
        self.stored: dict[str, Profile] = {}
        for profile in profiles:
            stored = self.stored.get(profile.user_id)
            if stored is None or stored.time_ms < profile.time_ms:
                self.stored[profile.user_id] = profile
        if variant == "versions":
            orders = [*{(order.user_id, order.time_ms): order for order in orders}.values()]
        elif variant == "slots":
            last: dict[Any, OrderSummary] = {}
            for order in orders:  # one that is stored again arrives again
                last.pop((order.user_id, order.order_id), None)
                last[order.user_id, order.order_id] = order
            orders = [*last.values()]
        else:
            orders = [*dict.fromkeys(orders)]
        self.orders = orders

    def page(self, user_id: str) -> UserPage | None:
        orders = self.newest_orders(user_id)
        return UserPage(self.stored.get(user_id), tuple(orders)) if user_id in self.stored or orders else None

    def newest_orders(self, user_id: str) -> list[OrderSummary]:
        orders = [order for order in self.orders if order.user_id == user_id]
        return sorted(orders[-SHOWN:] if self.variant == "slots" else orders, key=newest_first)[:SHOWN]

    def profile(self, user_id: str) -> Profile | None:
        return self.stored.get(user_id)

    def profiles(self, id_prefix: str) -> list[Profile]:
        if not id_prefix:
            raise InvalidQuestion("needs a prefix")
        return [self.stored[user] for user in sorted(self.stored) if user.startswith(id_prefix)]

    def named(self, name: str) -> list[Profile]:
        if not name:
            raise InvalidQuestion("needs a name")
        return [self.stored[user] for user in sorted(self.stored) if self.stored[user].name == name]

    def orders_of(self, user_id: str, since_ms: int | None, until_ms: int | None) -> list[OrderSummary]:
        if self.variant != "orders-table":
            raise InvalidQuestion("needs a table of orders")
        return sorted(in_period(self.orders, since_ms, until_ms, user_id=user_id), key=newest_first)


def unique_ids(orders: list[OrderSummary]) -> list[OrderSummary]:
    """The orders without those that have the id of an earlier order of their user, but another time."""
    first: dict[Any, OrderSummary] = {}
    return [order for order in orders if first.setdefault((order.user_id, order.order_id), order) == order]


@settings(max_examples=examples(10))
@given(
    profiles=st.lists(PROFILES, max_size=12),
    orders=st.lists(ORDERS, max_size=60).map(unique_ids),
    questions=st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=12),
    limit=st.integers(1, 12),
)
def test_random_questions_are_refused_or_answered_as_a_plain_list_does(engine, profiles, orders, questions, limit):
    for variant in DESIGN.variants:
        plain = PlainProfiles(variant.name, profiles, orders)
        with engine.shared_store(*variant.tables) as connection:
            repository = variant.open(connection)
            for profile in profiles:
                repository.store(profile)
            for order in orders:
                repository.add_order(order)
            for name, arguments in questions:
                expected = answer(PATTERNS[name], plain, arguments, limit)
                assert answer(PATTERNS[name], repository, arguments, limit) == expected, f"{variant.name}: {name}"


@pytest.mark.parametrize(
    "variant", [DESIGN.main, *(pytest.param(of, marks=pytest.mark.long, id=of.name) for of in DESIGN.variants[1:])]
)
def test_the_samples_are_answered_as_a_plain_list_does(rowbook_samples, variant):
    plain = PlainProfiles(variant.name, *([*load.sample_records()] for load in DESIGN.loads))
    with rowbook_samples(DESIGN, variant) as connection:
        repository = variant.open(connection)
        for pattern in DESIGN.patterns:
            expected = answer(pattern, plain, pattern.sample, 100)
            assert expected == answer(pattern, repository, pattern.sample, 100)
            assert expected
