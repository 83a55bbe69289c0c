"""Profiles change, lose attributes, arrive late; what a crash leaves; what an earlier or a later release reads."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import attrs
import msgpack
import pytest

from domains.profiles import OrderSummary, Profile, ProfileRepository
from domains.profiles.keys import FAMILIES, PROFILES, TABLES, RowOfUser
from domains.profiles.shown.design import DESIGN
from shared.records import parse_time
from shared.sources import Table
from shared.tables import TEXT, Column, InvalidRow, OtherColumns
from shared.testing import Stop, WatchedConnection, WriterDied, paused_at, stopped_at
from tests.domains.variants import only

VARIANTS = [variant for variant in DESIGN.variants if variant is DESIGN.main or variant.name == "slots"]
ADA = Profile("ada", "Ada", 5, "ada@example.org", 36, {"city": "Lyon", "phone:home": "555-0100"})
MOVED = attrs.evolve(ADA, time_ms=7, age=None, attributes={"city": "Oslo"})
ORDER = OrderSummary("ada", 9, "o-1", "mug", 499)


def test_a_profile_replaces_an_older_one_with_all_its_attributes_and_no_newer_one(repository):
    for stored in (ADA, MOVED, ADA, attrs.evolve(MOVED, name="Eve")):
        repository.store(stored)
    assert repository.profile("ada") == repository.page("ada").profile == MOVED
    repository.store(attrs.evolve(ADA, time_ms=8))
    assert repository.profile("ada") == attrs.evolve(ADA, time_ms=8)


# ---- crashes, and two writers


def test_a_writer_that_dies_leaves_a_profile_that_the_same_call_completes(engine, variant):
    without_phone = attrs.evolve(ADA, attributes={"city": "Lyon"})
    for number, arrived, left in ((0, (), ADA), (0, (0,), without_phone), (1, (), without_phone), (1, (0,), MOVED)):
        with engine.shared_store(*variant.tables) as connection:
            repository = variant.open(connection)
            repository.store(ADA)
            dying = WatchedConnection(connection, stopped_at(Stop(number, frozenset(arrived))))
            with suppress(WriterDied):
                variant.open(dying).store(MOVED)
            assert repository.profile("ada") == left
            repository.store(MOVED)
            assert repository.profile("ada") == MOVED


def test_the_newer_of_two_profiles_stays_but_may_keep_an_attribute_of_the_older_one(engine, variant):
    """The only trace: the next profile removes it, because its writer reads it."""
    older = attrs.evolve(ADA, time_ms=6, attributes={"plan": "gold"})
    with engine.shared_store(*variant.tables) as connection:
        repository = variant.open(connection)
        paused = WatchedConnection(connection, paused_at(0, partial(repository.store, MOVED)))
        variant.open(paused).store(older)
        assert repository.profile("ada") == attrs.evolve(MOVED, attributes={"city": "Oslo", "plan": "gold"})
        repository.store(attrs.evolve(MOVED, time_ms=8))
        assert repository.profile("ada") == attrs.evolve(MOVED, time_ms=8)


# ---- erasing

FAR_MS = parse_time("2100-01-01")
to_copy = only(DESIGN, *(variant.name for variant in DESIGN.variants if variant.is_to_copy))


@to_copy
def test_an_erased_profile_of_the_far_future_hides_no_order_that_is_added_later(repository):
    repository.store(attrs.evolve(ADA, time_ms=FAR_MS))
    repository.add_order(ORDER)
    assert repository.erase("ada") == 0
    new = attrs.evolve(ORDER, time_ms=10, order_id="o-2")
    repository.add_order(new)
    assert repository.newest_orders("ada") == [new]


@to_copy
def test_erased_orders_hide_no_profile_that_is_stored_later_with_an_earlier_date(repository):
    """In one-cell the server dates the orders, so their date is now."""
    repository.store(ADA)
    repository.add_order(attrs.evolve(ORDER, time_ms=FAR_MS))
    assert repository.erase("ada") == 0
    repository.store(MOVED)
    assert repository.profile("ada") == MOVED


@to_copy
def test_a_profile_older_than_an_erased_one_stays_hidden_with_all_its_attributes(connection, variant):
    repository = variant.open(connection)

    def meanwhile():
        repository.store(attrs.evolve(MOVED, attributes={}))
        assert repository.erase("ada") == 0

    paused = WatchedConnection(connection, paused_at(0, meanwhile))
    variant.open(paused).store(ADA)
    assert repository.page("ada") is repository.profile("ada") is None


@only(DESIGN, "profiles")
def test_what_is_not_dated_after_what_was_erased_stays_hidden(repository):
    repository.store(ADA)
    repository.add_order(ORDER)
    assert repository.erase("ada") == 0
    repository.store(ADA)
    repository.add_order(attrs.evolve(ORDER, order_id="o-2"))
    assert (repository.profile("ada"), repository.newest_orders("ada")) == (None, [])


# ---- releases


@attrs.frozen
class LaterProfile:
    """A city that was an attribute is a field."""

    user_id: str
    name: str
    time_ms: int
    city: Any = ""
    attributes: Mapping[str, str] = attrs.field(factory=dict)


def later_release(connection, **city):
    """The profiles as another release stores and finds them."""
    columns = {"name": Column("p:n", TEXT), "time_ms": Column("p:t"), "attributes": OtherColumns("a", TEXT)}
    later = Table("profiles", RowOfUser, LaterProfile, columns | city, holds=PROFILES.layout.holds, families=FAMILIES)
    return ProfileRepository(connection, later)


def test_an_attribute_may_become_a_field_without_a_change_of_what_is_stored(engine):
    with engine.shared_store(*TABLES) as connection:
        present, later = ProfileRepository(connection), later_release(connection, city=Column("a:city", TEXT))
        present.store(attrs.evolve(ADA, email="", age=None))
        found = later.profile("ada")
        assert found == LaterProfile("ada", "Ada", 5, "Lyon", {"phone:home": "555-0100"})
        later.store(attrs.evolve(found, time_ms=6, city="Oslo"))
        assert present.profile("ada") == Profile("ada", "Ada", 6, attributes={"city": "Oslo", "phone:home": "555-0100"})
        later_release(connection, city=Column("a:city")).store(attrs.evolve(found, user_id="eve", city=200))
        with pytest.raises(InvalidRow, match=r"Profile.attributes\['city'\]: .* can't decode byte"):
            present.profile("eve")


# ---- what is stored


@only(DESIGN, "profiles", "one-cell", "versions")
def test_an_order_that_lacks_a_value_is_damage_and_no_order_without_an_item(connection, variant):
    repository, rows = variant.open(connection), connection.table(variant.tables[1].name)
    repository.add_order(ORDER)
    ((row, cells),) = rows.scan(include_timestamp=True)
    ((column, (cell, written_ms)),) = cells.items()
    whole = msgpack.unpackb(cell)
    values, packed = (whole[0], lambda damaged: [damaged]) if variant.name == "one-cell" else (whole, lambda same: same)
    for damaged in (*(values[:length] for length in range(len(values))), [*values, None], [*values[:-1], "499"]):
        rows.put(row, {column: msgpack.packb(packed(damaged))}, timestamp=written_ms)
        for ask in (repository.page, repository.newest_orders):
            with pytest.raises(InvalidRow, match=r"order_id|item|amount"):
                ask("ada")
    rows.put(row, {column: cell}, timestamp=written_ms)
    assert repository.newest_orders("ada") == [*repository.page("ada").orders] == [ORDER]
