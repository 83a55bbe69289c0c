"""A table alone: what its declaration refuses, what its variants keep, which writes stay, what questions find."""

from contextlib import closing
from datetime import UTC, datetime

import attrs
import pytest

from shared.designs import metered
from shared.keys import (
    Descending,
    EscapedText,
    Int64,
    InvalidKey,
    InvalidQuestion,
    KeyLayout,
    Salt,
    Splits,
    UInt32,
    between,
    part,
    row_key,
)
from shared.sources import Table
from shared.stores import connect
from shared.tables import Column, Family, InvalidRecord, ItemCells, RecordCells, create_tables
from shared.testing import WatchedConnection
from shared.writes import Expired, NotAllStored, WriterClock


@row_key
class VisitOfUser:
    """One visit of a user. The newest comes first."""

    user: str = part(EscapedText, "who")
    time_ms: int = part(Descending(Int64), "when")


@row_key
class VisitByTime:
    """One visit in the list of all users."""

    time_ms: int = part(Int64, "when")
    user: str = part(EscapedText, "who")


@attrs.frozen
class Visit:
    user: str
    time_ms: int
    page: str = ""

    @property
    def stored_ms(self) -> int:
        return self.time_ms + 1


@row_key
class PageOfUser:
    """The page that a user has open."""

    user: str = part(EscapedText, "who")


@attrs.frozen
class OpenPage:
    user: str
    page: str
    since_ms: int


VISITS = Table("visits", VisitOfUser, Visit, {"page": "v:p"}, dated_by="time_ms")
OPEN = Table("open_pages", PageOfUser, OpenPage, {"page": "v:p", "since_ms": "v:s"}, dated_by="since_ms")
LAST_CALL = Table("last_calls", PageOfUser, OpenPage, {"page": "v:p", "since_ms": "v:s"})


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [*VISITS.tables, *OPEN.tables, *LAST_CALL.tables])
        yield connection


# ---- declarations


def test_a_row_is_named_by_the_first_sentence_of_its_key_unless_the_table_says_what_it_holds():
    assert VISITS.layout.holds == "one visit of a user"
    assert Table("visits", VisitOfUser, Visit, {"page": "v:p"}, holds="a visit").layout.holds == "a visit"


def test_a_table_shows_its_name_and_its_record():
    assert repr(VISITS) == "Table(visits: Visit)"


@pytest.mark.parametrize(
    ("columns", "dated_by", "reason"),
    [
        ({}, "time_ms", "^Visit: needs a marker, because it has no columns"),
        ({"page": "v:p"}, "time", r"^table visits: dated_by must be an attribute of Visit \(got 'time', has user, "),
        (RecordCells(OpenPage, {"page": "v:p", "since_ms": "v:s"}), None, r"^table visits: its cells must hold V"),
    ],
    ids=["no column", "no such time", "cells of another record"],
)
def test_what_does_not_go_together_is_refused(columns, dated_by, reason):
    with pytest.raises(InvalidRecord, match=reason):
        Table("visits", VisitOfUser, Visit, columns, dated_by=dated_by)


# ---- variants


def test_a_variant_keeps_all_that_it_does_not_name():
    day = {"v": Family(ttl_seconds=86_400)}
    visits = Table("visits", VisitOfUser, Visit, {"page": "v:p"}, dated_by="time_ms", holds="a visit", families=day)
    salted = visits.like("visits_salted", KeyLayout(VisitOfUser, Salt(of="user", buckets=4)))
    assert salted.layout == attrs.evolve(
        visits.layout, name="visits_salted", key=salted.layout.key, splits=salted.layout.splits
    )
    assert len(salted.layout.splits.points) == 3
    assert salted.dated_by == "time_ms"
    assert visits.like("visits_2").layout == attrs.evolve(visits.layout, name="visits_2")
    hour = {"v": Family(ttl_seconds=3_600)}
    assert visits.like(families=hour).layout == attrs.evolve(visits.layout, families=hour)


def test_a_variant_says_what_its_own_key_says():
    assert VISITS.like("visits_by_time", VisitByTime).layout.holds == "one visit in the list of all users"
    assert VISITS.like("visits_by_time", VisitByTime, holds="a visit").layout.holds == "a visit"


def test_split_points_of_a_key_are_not_those_of_another():
    own = Splits((b"m",), "half of the users each")
    visits = Table("visits", VisitOfUser, Visit, {"page": "v:p"}, splits=own)
    assert visits.like("visits_2").layout.splits == visits.layout.splits == own
    assert visits.like("visits_by_time", VisitByTime).layout.splits.points == ()
    assert visits.like("visits_by_time", VisitByTime, splits=own).layout.splits == own


def test_a_variant_may_have_other_columns_or_cells():
    letters = VISITS.like("visits_short", columns={"page": Column("v:page")})
    assert letters.layout.cells.columns == (b"v:page",)

    @row_key
    class AtTime:
        time_ms: int = part(UInt32, "when")

    wide = VISITS.like("visits_wide", PageOfUser, ItemCells(Visit, "v", KeyLayout(AtTime), value="page"))
    assert wide.layout.row(Visit("ann", 7)) == OPEN.layout.row(OpenPage("ann", "", 0))


# ---- writes


@attrs.frozen
class DatedVisit(Visit):
    """A visit with other times than that of its key."""

    first_ms = 7

    @property
    def seen(self) -> datetime:
        """When it was seen."""
        return datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)

    @property
    def seen_as_text(self) -> "datetime":
        """The same, with its type as text."""
        return self.seen

    @property
    def words(self) -> str:
        """No time."""
        return ""


@pytest.mark.parametrize(("dated_by", "time_ms"), [("first_ms", 7), ("seen", 1_000), ("seen_as_text", 1_000)])
def test_a_record_is_dated_by_a_property_or_constant_too(dated_by, time_ms):
    visits = Table("visits", VisitOfUser, DatedVisit, {"page": "v:p"}, dated_by=dated_by)
    assert visits.time_of(DatedVisit("ann", 5, "/a")) == time_ms
    with pytest.raises(InvalidRecord, match="dated_by must be an int of milliseconds, or a datetime"):
        Table("visits", VisitOfUser, DatedVisit, {"page": "v:p"}, dated_by="words")


def test_a_record_is_dated_by_its_own_time_so_storing_it_again_changes_nothing(connection):
    visits = VISITS.on(connection)
    for _ in range(2):
        visits.put(Visit("ann", 7, "/"))
    assert list(visits.rows.scan(include_timestamp=True)) == [(visits.row(Visit("ann", 7)), {b"v:p": (b"\xa1/", 7)})]
    later = Table("visits", VisitOfUser, Visit, {"page": "v:p"}, dated_by="stored_ms").on(connection)
    later.put(Visit("ann", 8, "/"))
    assert later.rows.cells(later.row(Visit("ann", 8)), b"v:p", include_timestamp=True) == [(b"\xa1/", 9)]


def test_of_two_records_with_one_key_the_newer_one_stays(connection):
    pages = OPEN.on(connection)
    for since_ms in (5, 9, 7):
        pages.put(OpenPage("ann", f"/{since_ms}", since_ms))
    assert pages.get(PageOfUser("ann")) == OpenPage("ann", "/9", 9)


def test_without_a_time_the_last_call_stays(connection):
    times_ms = iter((5, 6))
    clock = WriterClock()
    clock.now_ms = lambda above_ms=0: next(times_ms)
    pages = LAST_CALL.on(connection, clock)
    pages.put(OpenPage("ann", "/new", 2_000))
    assert pages.put_all([OpenPage("ann", "/old", 1_000), OpenPage("bob", "/", 1_000)]) == 2
    assert [*pages.ask_all()] == [OpenPage("ann", "/old", 1_000), OpenPage("bob", "/", 1_000)]
    assert {dated_ms for _row, cells in pages.rows.scan(include_timestamp=True) for _, dated_ms in cells.values()} == {
        6
    }


def test_many_records_are_a_thousand_in_a_call(connection):
    watched = WatchedConnection(connection)
    visits = VISITS.on(watched)
    assert visits.put_all(Visit("ann", time_ms) for time_ms in range(2_500)) == 2_500
    assert [len(call.rows) for call in watched.calls if call.name.startswith(("mutate", "put"))] == [1_000, 1_000, 500]
    assert visits.ask_all().count() == 2_500


def test_a_record_that_cannot_be_stored_leaves_those_before_it_stored(connection):
    visits = VISITS.on(connection)
    wrong = Visit("ann", 2**70)
    with pytest.raises(NotAllStored) as error:
        visits.put_all([*(Visit("ann", time_ms) for time_ms in range(1_000)), Visit("bob", 1), wrong])
    assert (error.value.stored, error.value.unconfirmed) == (1_000, [Visit("bob", 1), wrong])
    assert visits.ask_all().count() == 1_000
    with pytest.raises(InvalidKey):
        visits.put(wrong)


def test_a_record_that_is_older_than_the_ttl_is_refused(connection):
    brief = Table(
        "brief", VisitOfUser, Visit, {"page": "v:p"}, dated_by="time_ms", families={"v": Family(ttl_seconds=60)}
    )
    create_tables(connection, brief.tables)
    with pytest.raises(Expired):
        brief.on(connection).put(Visit("ann", 7))


def test_a_delete_spares_what_is_put_later_with_a_later_date(connection):
    pages = OPEN.on(connection)
    assert not pages.delete(PageOfUser("ann"))
    pages.put(OpenPage("ann", "/", 5))
    assert pages.delete(PageOfUser("ann"))
    assert pages.get(PageOfUser("ann")) is None
    pages.put(OpenPage("ann", "/", 5))
    assert pages.get(PageOfUser("ann")) is None
    pages.put(OpenPage("ann", "/next", 6))
    assert pages.get(PageOfUser("ann")) == OpenPage("ann", "/next", 6)


# ---- questions


def test_a_get_returns_a_record_or_none_in_one_call(connection):
    visits = VISITS.on(connection)
    visits.put(Visit("ann", 7, "/"))
    with metered(connection) as cost:
        assert visits.get(VisitOfUser("ann", 7)) == visits.get(Visit("ann", 7)) == Visit("ann", 7, "/")
        assert visits.get(VisitOfUser("ann", 8)) is None
    assert cost.rpcs == 3


def test_a_question_names_parts_of_the_key_and_only_ask_more_leaves_some_to_the_client(connection):
    visits = VISITS.on(connection)
    stored = [Visit("ann", 3), Visit("ann", 7), Visit("bob", 5)]
    visits.put_all(stored)
    assert [*visits.ask(user="ann")] == [Visit("ann", 7), Visit("ann", 3)]
    assert [*visits.ask(user="ann", time_ms=between(None, 7))] == [Visit("ann", 3)]
    with pytest.raises(InvalidQuestion, match="needs a value for user"):
        visits.ask(time_ms=5)
    with pytest.raises(InvalidQuestion, match=r"^ask: must have a value for a part of VisitOfUser; ask_all reads all"):
        visits.ask()
    by_time = VISITS.like("visits_by_time", VisitByTime)
    create_tables(connection, by_time.tables)
    by_time.on(connection).put_all(stored)
    assert [*by_time.on(connection).ask_more(user="ann", time_ms=between(0, 7))] == [Visit("ann", 3)]
    assert {*visits.ask_all()} == {*by_time.on(connection).ask_all()} == {*stored}
