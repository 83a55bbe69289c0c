"""Stored rows beside their records: rows of several layouts, of counters and of many records."""

import attrs
import pytest

from shared.keys import KeyLayout, TrailingText, UInt16
from shared.tables import COUNTER, Column, InvalidRecord, ItemCells, RecordCells, TableLayout
from shared.testing.stored_samples import check_every_table_has_rows, check_round_trip
from tests.engines import Embedded
from tests.shared.specimens import key_class

OfUser = key_class("OfUser", user=TrailingText)
Second = key_class("Second", at_s=UInt16)


@attrs.frozen
class User:
    user: str
    name: str
    language: str = "en"


@attrs.frozen
class Visits:
    user: str
    name: str
    count: int = 0


@attrs.frozen
class Visit:
    user: str
    at_s: int
    pages: int


USERS = TableLayout(
    "users", "a user", KeyLayout(OfUser), RecordCells(User, {"name": Column("u:n"), "language": Column("u:l")})
)
COUNTED = TableLayout(
    "users",
    "how often a user came",
    KeyLayout(OfUser),
    RecordCells(Visits, {"name": Column("u:x"), "count": Column("u:c", COUNTER)}),
)
VISITS = TableLayout(
    "users", "the visits of a user", KeyLayout(OfUser), ItemCells(Visit, "v", KeyLayout(Second), "pages")
)
PAGES = TableLayout(
    "users", "counted pages", KeyLayout(OfUser), ItemCells(Visit, "w", KeyLayout(Second), "pages", packing=COUNTER)
)
ALL_OF_USERS = (USERS, COUNTED, VISITS, PAGES)


@pytest.fixture
def users():
    """A store whose one table has a row of all four layouts, and a row of two that was not counted yet."""
    with Embedded().store(*ALL_OF_USERS) as connection:
        rows = connection.table("users")
        rows.put(b"ada", USERS.cells.pack(User("ada", "Ada")))
        rows.put(b"bob", {**USERS.cells.pack(User("bob", "Bob", "de")), **COUNTED.cells.pack(Visits("bob", "B"))})
        rows.put(b"ada", COUNTED.cells.pack(Visits("ada", "A")))
        rows.counter_inc(b"ada", b"u:c", 2)
        for at_s in (7, 300):
            rows.put(b"ada", VISITS.cells.pack(Visit("ada", at_s, 5)))
            rows.counter_inc(b"ada", b"w:" + at_s.to_bytes(2), 3)
        yield connection


def test_the_records_of_all_layouts_of_a_table_make_its_cells_again(users):
    check_every_table_has_rows(users, ALL_OF_USERS)
    check_round_trip(users, ALL_OF_USERS)


@pytest.mark.parametrize("missing", ALL_OF_USERS, ids=lambda table: table.holds)
def test_a_cell_that_no_layout_reads_is_noticed(users, missing):
    with pytest.raises(AssertionError, match="users: row 61 64 61"):
        check_round_trip(users, [table for table in ALL_OF_USERS if table is not missing])


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (b"u:n", b"\xd9\x03Ada"),  # msgpack that is longer than it has to be
        (b"v:\x00\x08", b"\xcc\x05"),
    ],
)
def test_a_cell_that_would_be_stored_otherwise_is_noticed(users, column, value):
    users.table("users").put(b"ada", {column: value})
    with pytest.raises(AssertionError, match="users: row 61 64 61"):
        check_round_trip(users, ALL_OF_USERS)


def test_two_layouts_of_one_cell_are_refused(users):
    with pytest.raises(InvalidRecord) as refused:
        check_round_trip(users, (*ALL_OF_USERS, attrs.evolve(USERS, holds="a name")))
    assert str(refused.value) == "table users: a user and a name both claim u:n"


def test_a_row_without_cells_of_its_own_layout_is_noticed(users):
    users.table("users").put(b"eve", {b"u:other": b"x"})
    with pytest.raises(AssertionError, match="users: row 65 76 65"):
        check_round_trip(users, ALL_OF_USERS)


def test_a_record_that_makes_another_row_is_noticed(users, monkeypatch):
    monkeypatch.setattr(TableLayout, "row", lambda self, record: b"other")
    with pytest.raises(AssertionError, match="users: User"):
        check_round_trip(users, ALL_OF_USERS)
