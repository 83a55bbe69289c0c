"""Two layouts of one table, for different records of its rows: one table in the store, with the families of both."""

import attrs
import pytest

from shared.keys import KeyLayout, Prefixed, Salt, Splits, TrailingText, UInt8
from shared.tables import (
    TEXT,
    Column,
    Family,
    InvalidRecord,
    ItemCells,
    OtherColumns,
    RecordCells,
    TableLayout,
    TableMismatch,
    create_tables,
    drop_tables,
)
from shared.tables.layouts import physical_tables
from tests.shared.specimens import key_class
from tests.shared.tables.records import record_class

User = key_class("User", user=TrailingText)
OrderSlot = key_class("OrderSlot", slot=Prefixed("o:", UInt8))
VisitSlot = key_class("VisitSlot", slot=Prefixed("v:", UInt8))
LongerSlot = key_class("LongerSlot", slot=Prefixed("o:x:", UInt8))
PlainSlot = key_class("PlainSlot", slot=UInt8)
Profile = record_class("Profile", user=str, name=str)
Recent = record_class("Recent", user=str, slot=int, what=str)


USERS = KeyLayout(User)
PROFILES = TableLayout("users", "a profile", USERS, RecordCells(Profile, {"name": Column("p:name", TEXT)}))
ORDERS = TableLayout("users", "a recent order", USERS, ItemCells(Recent, "r", KeyLayout(OrderSlot), value="what"))
VISITS = TableLayout("users", "a recent visit", USERS, ItemCells(Recent, "r", KeyLayout(VisitSlot), value="what"))
ALL = [PROFILES, ORDERS, VISITS]


def with_families(table, **families):
    return attrs.evolve(table, families={**table.families, **families})


# ---- one table -----------------------------------------------------------------------------------


def test_layouts_of_one_name_are_one_table_with_the_families_of_all():
    others = attrs.evolve(PROFILES, name="others")
    first, second = physical_tables([PROFILES, others, ORDERS, VISITS])
    assert (first.name, first.layouts, list(first.families)) == ("users", tuple(ALL), ["p", "r"])
    assert (second.name, second.layouts, list(second.families)) == ("others", (others,), ["p"])


def test_layouts_that_differ_in_a_family_are_refused():
    three, plain = Family(max_versions=3), Family()
    with pytest.raises(InvalidRecord) as refused:
        physical_tables([with_families(PROFILES, r=three), ORDERS])
    assert str(refused.value) == (f"table users: all its layouts must declare family r alike (got {three} and {plain})")
    assert dict(physical_tables([with_families(PROFILES, r=three), with_families(ORDERS, r=three)])[0].families) == {
        "p": plain,
        "r": three,
    }


def test_layouts_that_differ_in_their_split_points_are_refused():
    salted = attrs.evolve(ORDERS, key=KeyLayout(User, Salt(of="user", buckets=4)))
    for other in (attrs.evolve(ORDERS, splits=Splits((b"m",), "half of the users")), salted):
        with pytest.raises(InvalidRecord) as refused:
            physical_tables([PROFILES, attrs.evolve(other, splits=Splits((b"m",), "half of the users"))])
        assert str(refused.value) == (
            "table users: all its layouts must have the same split points (got 0 of a profile and 1 of a recent order)"
        )
    cut = Splits((b"m",), "half of the users")
    (table,) = physical_tables([attrs.evolve(layout, splits=cut) for layout in ALL])
    assert table.splits == cut


def items(qualifier):
    return ItemCells(Recent, "r", KeyLayout(qualifier), value="what")


def columns(*names):
    """Cells of a record with an attribute for each column."""
    numbered = {f"value_{number}": Column(name) for number, name in enumerate(names)}
    return RecordCells(record_class("Several", user=str, **dict.fromkeys(numbered, str)), numbered)


Mapped = record_class("Mapped", user=str, more=dict[str, str])
WHOLE_ROWS = RecordCells(Mapped, {"more": OtherColumns("r")})
"""Cells that claim a family."""


@pytest.mark.parametrize(
    ("first", "second", "claimed"),
    [
        (columns("p:a", "p:n"), columns("q:a", "p:n"), "p:n"),
        (columns("r:\\xff"), WHOLE_ROWS, "r:\\xff"),
        (columns("r:"), WHOLE_ROWS, "r:"),
        (WHOLE_ROWS, WHOLE_ROWS, "r:"),
        (WHOLE_ROWS, items(OrderSlot), "r:o:"),
        (items(PlainSlot), items(PlainSlot), "r:"),
        (items(PlainSlot), items(OrderSlot), "r:o:"),
        (items(OrderSlot), items(OrderSlot), "r:o:"),
        (items(OrderSlot), items(LongerSlot), "r:o:x:"),
        (columns("r:o:name"), items(OrderSlot), "r:o:name"),
        (RecordCells(User, {}, marker="p:n"), columns("p:n"), "p:n"),
        (RecordCells(User, {}, marker="r:n"), WHOLE_ROWS, "r:n"),
    ],
)
def test_layouts_that_claim_the_same_cells_are_refused(first, second, claimed):
    one, other = TableLayout("users", "one", USERS, first), TableLayout("users", "other", USERS, second)
    for layouts, holds in (([one, other], "one and other"), ([other, one], "other and one")):
        with pytest.raises(InvalidRecord) as refused:
            physical_tables(layouts)
        assert str(refused.value) == f"table users: {holds} both claim {claimed}"
    assert len(physical_tables([one, attrs.evolve(other, name="others")])) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (columns("p:a"), columns("p:b", "p:aa")),
        (columns("r:name", "r:o"), items(OrderSlot)),
        (items(OrderSlot), items(VisitSlot)),
        (columns("rr:a"), WHOLE_ROWS),
    ],
)
def test_layouts_may_share_a_family(first, second):
    one, other = TableLayout("users", "one", USERS, first), TableLayout("users", "other", USERS, second)
    assert physical_tables([one, other, one])[0].layouts == (one, other, one)  # the same layout twice claims no more


# ---- in a store ----------------------------------------------------------------------------------


def test_a_shared_table_is_created_and_dropped_once(engine):
    with engine.store() as connection:
        create_tables(connection, ALL)
        assert connection.tables() == [b"rowbook_layouts", b"users"]
        assert sorted(connection.table("users").families()) == [b"p", b"r"]
        create_tables(connection, ALL)
        with pytest.raises(TableMismatch, match=r"^table users: must have the families p \(has p, r\)$"):
            create_tables(connection, [PROFILES])
        drop_tables(connection, ALL)
        assert connection.tables() == [b"rowbook_layouts"]
