"""A writer of several rows in each table, stopped at each of its calls, with every part of each batch stored."""

import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from operator import attrgetter
from typing import Any

import attrs
import pytest

from shared.keys import EscapedText, KeyLayout, TrailingText, part, row_key
from shared.stores import connect
from shared.tables import Column, RecordCells, TableLayout, create_tables
from shared.testing import (
    CrashTests,
    ReplyLost,
    Stop,
    Store,
    View,
    WatchedConnection,
    Write,
    WriterDied,
    check_a_crash_of_the_recoverer_too,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
    check_a_store_that_fails_often,
    check_late_calls,
    check_rivals,
    dying_at,
    kept,
    paused_at,
    stopped_at,
    subsets,
)
from shared.testing.rival_checks import EVERY_OTHER
from shared.writes import (
    CLOCK,
    ClockSkew,
    IntentWriter,
    Recovery,
    SourceCells,
    WriterClock,
    WriterUpkeep,
    intents,
    intents_table,
)
from shared.writes.server_clock import MAX_SKEW_MS
from shared.writes.slots import Slots
from tests.engines import Engine, NewStore


@row_key
class TeamByName:
    """One team."""

    name: str = part(TrailingText, "the team")


@row_key
class TeamByMember:
    """A team of a member."""

    member: str = part(EscapedText, "the member")
    name: str = part(EscapedText, "the team")


@row_key
class MemberByCity:
    """A member of a team in a city."""

    city: str = part(EscapedText, "the city")
    member: str = part(EscapedText, "the member")
    name: str = part(EscapedText, "the team")


@attrs.frozen
class Team:
    name: str
    city: str
    members: str
    """Words."""


@attrs.frozen
class Membership:
    member: str
    name: str
    city: str


@attrs.frozen
class Place:
    city: str
    member: str
    name: str


TEAM_CELLS = RecordCells(Team, {"city": Column("t:c"), "members": Column("t:m")})
TEAMS = TableLayout("teams", "the team", KeyLayout(TeamByName), SourceCells(TEAM_CELLS, "t:team"))
BY_MEMBER = TableLayout(
    "teams_by_member", "a team", KeyLayout(TeamByMember), RecordCells(Membership, {"city": Column("t:c")})
)
BY_CITY = TableLayout("members_by_city", "a member", KeyLayout(MemberByCity), RecordCells(Place, {}, marker="t:x"))
INTENTS = intents_table("teams_intents")
TABLES = (TEAMS, BY_MEMBER, BY_CITY, INTENTS)


class Teams:
    """Stores teams, finds them by member and by city."""

    def __init__(self, connection: Any, clock: WriterClock = CLOCK) -> None:
        self.connection = connection
        lists = (BY_MEMBER, BY_CITY)
        self.writer = IntentWriter(connection, TEAMS, INTENTS, lists, lines_of, moving=[BY_CITY], clock=clock)
        self.upkeep = WriterUpkeep(self.writer)

    def put(self, team: Team) -> None:
        self.writer.write(TeamByName(team.name), lambda _stored: team)

    def remove(self, name: str) -> None:
        self.writer.write(TeamByName(name), lambda _stored: None)

    def teams(self) -> list[Team]:
        return [team for row, cells in self.connection.table(TEAMS.name).scan() for team in TEAMS.records(row, cells)]

    def memberships(self) -> list[Membership]:
        return [BY_MEMBER.record(row, cells) for row, cells in self.connection.table(BY_MEMBER.name).scan()]

    def places(self) -> list[Place]:
        lines = [BY_CITY.record(row, cells) for row, cells in self.connection.table(BY_CITY.name).scan()]
        teams = self.writer.reader.agreeing(BY_CITY, lines)
        return [line for line, team in zip(lines, teams, strict=True) if team is not None]


def lines_of(team: Team) -> Iterator[tuple[TableLayout[Any, Any], Any]]:
    for member in team.members.split():
        yield BY_MEMBER, Membership(member, team.name, team.city)
        yield BY_CITY, Place(team.city, member, team.name)


RED = Team("red", "Bonn", "ada bob")
GREEN = Team("green", "Bonn", "ada eve")
LARGE = Team("red", "Bonn", " ".join(["ada", "bob", *(f"member-{number}" for number in range(7))]))


def put(team: Team, teams: Teams) -> None:
    teams.put(team)


def remove(teams: Teams) -> None:
    teams.remove("red")


def stored(*teams: Team) -> Any:
    """Stores these teams, and one that nobody changes."""

    def before(store: Store) -> None:
        for team in (GREEN, *teams):
            store.repository().put(team)

    return before


MOVED = attrs.evolve(RED, city="Rome")
MORE = attrs.evolve(RED, city="Rome", members="ada bob eve")
FEWER = attrs.evolve(RED, city="Rome", members="bob")
RIVALS = {"moved": partial(put, MOVED), "more": partial(put, MORE), "fewer": partial(put, FEWER), "removed": remove}
WRITES = (
    Write("a new team", partial(put, RED), stored(), RIVALS),
    Write("a team that was removed", partial(put, RED), lambda store: (stored(RED)(store), remove(store.repository()))),
    Write("another city", partial(put, MOVED), stored(RED), RIVALS),
    Write("another city and more members", partial(put, MORE), stored(RED), RIVALS),
    Write("another city and fewer members", partial(put, FEWER), stored(RED), RIVALS, removes_lines=True),
    Write("removed", remove, stored(RED), RIVALS, removes_lines=True),
)
LARGE_WRITES = (
    Write("a large team", partial(put, LARGE), stored(RED), removes_lines=True),
    Write("a large team removed", remove, stored(LARGE), removes_lines=True),
)
VIEWS = (
    View("teams", Teams.teams, attrgetter("name")),
    View("by city", Teams.places, attrgetter("member", "name")),
    View("by member", Teams.memberships, attrgetter("member", "name"), lags=True),
)


@pytest.fixture
def crashes(engine: Engine) -> CrashTests:
    return CrashTests(engine, TABLES, Teams, VIEWS, ())


each_write = pytest.mark.parametrize("write", WRITES, ids=attrgetter("name"))
a_change = pytest.mark.parametrize("write", WRITES[3:5], ids=attrgetter("name"))


@a_change
def test_a_writer_that_stops_at_any_call_leaves_what_the_same_call_or_a_recoverer_completes(
    crashes: CrashTests, write: Write
) -> None:
    check_a_stop_at_each_call(crashes, write, all_replies_lost=False)


@pytest.mark.long
@pytest.mark.parametrize("write", [*WRITES, *LARGE_WRITES], ids=attrgetter("name"))
def test_whatever_a_stopped_writer_leaves_of_its_batches_is_completed(crashes: CrashTests, write: Write) -> None:
    check_a_stop_at_each_call(crashes, write)


@pytest.mark.long
@each_write
def test_a_recoverer_may_die_or_pause_at_any_call_too(crashes: CrashTests, write: Write) -> None:
    check_a_crash_of_the_recoverer_too(crashes, write)


@pytest.mark.parametrize(
    ("write", "keeps_tombstones"), [*zip(WRITES[3:5], [True, False], strict=True)], ids=["more, kept", "fewer, dropped"]
)
def test_a_writer_that_paused_while_all_was_recovered_and_compacted_does_no_harm(
    crashes: CrashTests, write: Write, keeps_tombstones: bool
) -> None:
    check_a_pause_at_each_call(crashes, write, compacts=True, keeps_tombstones=keeps_tombstones)


@pytest.mark.long
@pytest.mark.parametrize("keeps_tombstones", [True, False], ids=["kept", "dropped"])
@each_write
def test_a_paused_writer_of_any_write_does_no_harm(crashes: CrashTests, write: Write, keeps_tombstones: bool) -> None:
    check_a_pause_at_each_call(crashes, write)
    check_a_pause_at_each_call(crashes, write, compacts=True, keeps_tombstones=keeps_tombstones)


@a_change
def test_two_writers_at_once_are_as_one_after_the_other(crashes: CrashTests, write: Write) -> None:
    check_rivals(crashes, write)


@pytest.mark.long
@each_write
def test_two_writers_at_once_of_whom_one_dies_are_as_one_after_the_other(crashes: CrashTests, write: Write) -> None:
    check_rivals(crashes, write)
    check_rivals(crashes, write, dies=True, compacts=True)
    check_late_calls(crashes, write)


def test_a_store_that_fails_often_holds_what_was_answered_in_the_end(crashes: CrashTests) -> None:
    runs = [partial(put, team) for team in (RED, GREEN, MOVED, MORE, FEWER)]
    assert check_a_store_that_fails_often(crashes, [*runs, remove, *runs]) > 10


# ---- recovery ---------------------------------------------------------------------------------------


class AheadClock(WriterClock):
    """The clock of a host that is ahead by ten seconds."""

    def read_ms(self) -> int:
        return super().read_ms() + 10_000


def test_a_write_whose_clock_is_ahead_is_recovered_if_no_age_is_asked_for(new_store: NewStore) -> None:
    connection = new_store(*TABLES)
    dead = WatchedConnection(connection, stopped_at(Stop(2, EVERY_OTHER, is_death=False)))
    with pytest.raises(ReplyLost):
        Teams(dead, AheadClock()).put(RED)
    teams = Teams(connection)
    assert teams.upkeep.recover(older_than_ms=1) == Recovery(0, 1, ())
    assert teams.upkeep.recover(older_than_ms=0) == Recovery(1, 0, ())


def test_a_recoverer_dates_its_deletes_now_so_that_their_tombstones_outlast_a_compaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_ms = [1_700_000_000_000]
    monkeypatch.setattr(time, "time_ns", lambda: now_ms[0] * 1_000_000)
    monkeypatch.setattr(intents, "SLOTS", Slots())  # those of other tests are dated later
    clock = WriterClock()
    with closing(connect("embedded:")) as connection:
        create_tables(connection, map(kept, TABLES))
        teams = Teams(connection, clock)
        teams.put(RED)

        def meanwhile() -> None:
            teams.put(attrs.evolve(RED, members="ada"))
            now_ms[0] += 2 * intents.KEEP_TOMBSTONES_MS
            assert teams.upkeep.recover() == Recovery(1, 0, ())
            for table in TABLES:
                connection.compact(table.name)

        paused = WatchedConnection(connection, paused_at(2, meanwhile, dying_at(3)))
        with pytest.raises(WriterDied):
            Teams(paused, clock).put(MOVED)
        assert paused.calls[2].table == BY_CITY.name
        assert list(teams.upkeep.verify()) == []


class JumpingClock(WriterClock):
    """The clock of a host whose time is set ahead."""

    ahead_ms = 0

    def read_ms(self) -> int:
        return super().read_ms() + self.ahead_ms


def test_a_clock_that_jumps_is_noticed_by_the_next_write(
    new_store: NewStore,
) -> None:
    clock = JumpingClock()
    teams = Teams(new_store(*TABLES), clock)
    teams.put(RED)
    clock.ahead_ms = MAX_SKEW_MS - 20_000
    teams.put(MOVED)
    clock.ahead_ms = MAX_SKEW_MS + 20_000
    with pytest.raises(ClockSkew, match=r"got \+[78]\d\d\d\d ms"):
        teams.put(RED)
    clock.ahead_ms = -MAX_SKEW_MS - 20_000
    with pytest.raises(ClockSkew, match=r"got -[78]\d\d\d\d ms"):
        teams.put(RED)
    clock.ahead_ms = 0
    teams.put(RED)


# ---- the crash tests themselves ---------------------------------------------------------------------


def test_of_a_small_batch_every_subset_is_stored_and_of_a_larger_one_some_always_the_same() -> None:
    assert [len(subsets(count)) for count in (0, 1, 2, 4)] == [1, 2, 4, 16]
    assert 10 < len(subsets(9)) <= 16
    assert subsets(9) == subsets(9)
    assert {frozenset(), frozenset(range(9))} <= {*subsets(9)}


def test_a_call_that_is_not_known_is_refused(new_store: NewStore) -> None:
    with pytest.raises(NotImplementedError, match="deleteAllRow"):
        WatchedConnection(new_store(*TABLES)).client.deleteAllRow(b"teams", b"red", {})
