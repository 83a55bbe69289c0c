"""Profiles change, lose attributes, arrive late; what a crash leaves; what an earlier or a later release reads."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from operator import attrgetter

import attrs
import msgpack
import pytest

from domains.profiles import OrderSummary, Profile, ProfileRepository
from domains.profiles.design import DESIGN
from domains.profiles.keys import NEWEST, PROFILES, TABLES, ProfileTables, RowOfUser
from domains.profiles.variants import slots
from shared.keys import InvalidQuestion
from shared.queries import Query
from shared.records import parse_time
from shared.tables import TEXT, BoundTable, Column, InvalidRow, OtherColumns, RecordCells, TableLayout
from shared.testing import Stop, WatchedConnection, WriterDied, paused_at, stopped_at

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


def test_every_cell_is_dated_by_its_record(engine):
    with engine.shared_store(*TABLES) as connection:
        repository = ProfileRepository(connection)
        repository.store(ADA)
        repository.add_order(ORDER)
        cells = connection.table("profiles").row(b"ada", include_timestamp=True)
    assert {column[:1]: time_ms for column, (_, time_ms) in cells.items()} == {b"p": 5, b"a": 5, b"o": 9}


def test_a_page_needs_a_profile_or_an_order(repository):
    assert repository.page("ada") is None
    repository.add_order(ORDER)
    assert (repository.page("ada").profile, repository.page("ada").orders) == (None, (ORDER,))
    assert repository.profile("ada") is None
    assert [*repository.profiles("a"), *repository.named("Ada")] == []


def test_one_user_never_sees_what_another_one_has(repository):
    for user in ("1", "12", "123"):
        repository.store(attrs.evolve(ADA, user_id=user, attributes={"id": user}))
        repository.add_order(attrs.evolve(ORDER, user_id=user, item=user))
    assert [order.item for order in repository.newest_orders("12")] == ["12"]
    assert repository.page("1").profile.attributes == {"id": "1"}
    assert [profile.user_id for profile in repository.profiles("12")] == ["12", "123"]
    repository.erase("12")
    assert [repository.page(user) is None for user in ("1", "12", "123")] == [False, True, False]


def test_only_a_table_of_orders_answers_for_a_period(repository):
    pattern = next(pattern for pattern in DESIGN.patterns if pattern.name == "orders-of")
    with pytest.raises(InvalidQuestion, match="orders_of: needs a table of orders, because"):
        pattern.ask(repository, user_id="ada")


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
to_copy = pytest.mark.parametrize(
    "variant", [variant for variant in DESIGN.variants if variant.is_to_copy], ids=attrgetter("name")
)


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


@pytest.mark.parametrize("variant", DESIGN.variants[:1], ids=attrgetter("name"))
def test_what_is_not_dated_after_what_was_erased_stays_hidden(engine, connection, variant, repository):
    repository.store(ADA)
    repository.add_order(ORDER)
    assert repository.erase("ada") == 0
    same_dates = attrs.evolve(ORDER, order_id="o-2")
    repository.store(ADA)
    repository.add_order(same_dates)
    assert (repository.profile("ada"), repository.newest_orders("ada")) == (None, [])
    if engine.compacts:
        connection.compact(variant.tables[0].name)
        repository.store(ADA)
        repository.add_order(same_dates)
        assert (repository.profile("ada"), repository.newest_orders("ada")) == (ADA, [same_dates])


# ---- releases


@attrs.frozen
class EarlierProfile:
    """As before there was an age."""

    user_id: str
    name: str
    time_ms: int
    email: str = ""
    attributes: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen
class LaterProfile:
    """A city that was an attribute is a field, and there is a new one."""

    user_id: str
    name: str
    time_ms: int
    email: str = ""
    age: int | None = None
    city: str = ""
    language: str = "en"
    attributes: Mapping[str, str] = attrs.field(factory=dict)


COLUMNS = {"name": Column("p:n", TEXT), "email": Column("p:e", TEXT), "time_ms": Column("p:t")}
OTHERS = {"attributes": OtherColumns("a", TEXT)}
EARLIER = RecordCells(EarlierProfile, COLUMNS | OTHERS)
LATER = RecordCells(
    LaterProfile,
    COLUMNS | {"age": Column("p:a"), "city": Column("a:city", TEXT), "language": Column("p:l", TEXT)} | OTHERS,
)


def release(connection, cells):
    """The profiles as another release stores and finds them."""
    table = TableLayout(PROFILES.name, PROFILES.holds, PROFILES.key, cells, PROFILES.families)
    return ProfileRepository(connection, ProfileTables(table, NEWEST))


@pytest.fixture
def stores(engine):
    with engine.shared_store(*TABLES) as connection:
        yield connection


def test_a_field_with_a_default_may_be_added_at_any_time(stores):
    earlier, present = release(stores, EARLIER), ProfileRepository(stores)
    earlier.store(EarlierProfile("ada", "Ada", 5, attributes={"city": "Lyon"}))
    assert present.profile("ada") == Profile("ada", "Ada", 5, age=None, attributes={"city": "Lyon"})
    present.store(attrs.evolve(ADA, time_ms=6))
    assert earlier.profile("ada") == EarlierProfile("ada", "Ada", 6, ADA.email, ADA.attributes)
    earlier.store(EarlierProfile("ada", "Ada L", 7))
    assert present.profile("ada") == Profile(
        "ada", "Ada L", 7, age=36
    )  # the earlier release keeps what it does not know


def test_an_attribute_may_become_a_field_without_a_change_of_what_is_stored(stores):
    present, later = ProfileRepository(stores), release(stores, LATER)
    present.store(ADA)
    found = later.profile("ada")
    assert found == LaterProfile("ada", "Ada", 5, ADA.email, 36, "Lyon", "en", {"phone:home": "555-0100"})
    later.store(attrs.evolve(found, time_ms=6, city="Oslo", language="fr"))
    assert present.profile("ada") == attrs.evolve(ADA, time_ms=6, attributes={"city": "Oslo", "phone:home": "555-0100"})
    with pytest.raises(ValueError, match="attributes: must not have the key 'city', the column of city"):
        later.store(attrs.evolve(found, time_ms=7, attributes={"city": "Lyon"}))


def test_a_field_in_the_family_of_the_attributes_must_be_text_or_earlier_releases_cannot_read_it(stores):
    cells = RecordCells(LaterProfile, {**LATER.attributes, "age": Column("a:age")})
    release(stores, cells).store(LaterProfile("ada", "Ada", 5, age=200))
    table = BoundTable(stores, PROFILES)
    with pytest.raises(InvalidRow, match=r"Profile.attributes\['age'\]: .* can't decode byte"):
        list(Query(table, table.plan(user_id="ada")))


# ---- what is stored


@pytest.mark.parametrize(
    "variant",
    [variant for variant in DESIGN.variants if variant.name in ("profiles", "one-cell", "versions")],
    ids=attrgetter("name"),
)
def test_an_order_that_lacks_a_value_is_damage_and_no_order_without_an_item(connection, variant):
    repository, rows = variant.open(connection), connection.table(variant.tables.orders.name)
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


def test_the_published_row_and_its_columns_are_those_of_the_course():
    cells = slots.PROFILE_CELLS.pack(Profile("12345", "张三", 5, "zhang@xx.com", 25))
    assert slots.PROFILES.row(slots.PublishedRow("12345")) == b"user_12345"
    assert cells[b"user:info:name"] == "张三".encode()
    assert cells[b"user:info:email"] == b"zhang@xx.com"
    assert PROFILES.row(RowOfUser("12345")) == b"12345"
