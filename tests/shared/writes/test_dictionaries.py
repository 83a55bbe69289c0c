"""Dictionaries: each name has one id and each id one name, whoever writes, dies or loses a reply."""

from contextlib import ExitStack, closing, suppress

import pytest

from shared.keys import InvalidKey
from shared.stores import connect
from shared.tables import InvalidRow, create_tables
from shared.testing import ReplyLost, Stop, WatchedConnection, WriterDied, paused_at_call, stopped_at
from shared.writes import Dictionary, NameTaken, NoFreeId, UnknownName
from tests.engines import EMBEDDED

from .naming import NAMES, assign_all, color_names, mappings
from .processes import entries, running

FIRST, SECOND, THIRD = b"\0\0\1", b"\0\0\2", b"\0\0\3"


@pytest.fixture
def connection(new_store):
    return new_store(NAMES)


def fresh(connection, **options):
    """The dictionary of another process, which remembers nothing."""
    return color_names(connection, **options)


# ---- one writer


def test_ids_count_from_one_and_a_name_keeps_its_id(connection):
    colors = color_names(connection)
    assert [colors.assign(name) for name in ("red", "green", "red")] == [FIRST, SECOND, FIRST]
    assert fresh(connection).assign("red") == FIRST
    assert fresh(connection).id_of("green") == SECOND
    assert fresh(connection).name_of(SECOND) == "green"
    assert fresh(connection).id_of("blue") is None
    assert fresh(connection).name_of(THIRD) is None


def test_the_rows_are_those_of_opentsdb(connection):
    color_names(connection).assign("red")
    assert dict(connection.table("names").scan()) == {
        b"\0": {b"id:color": bytes.fromhex("0000000000000001")},
        b"\0\0\1": {b"name:color": b"red"},
        b"red": {b"id:color": b"\0\0\1"},
    }


def test_kinds_in_one_table_count_apart(connection):
    colors, shapes = color_names(connection), Dictionary(connection, "names", "shape", 2)
    assert (colors.assign("round"), shapes.assign("round")) == (FIRST, b"\0\1")
    assert fresh(connection).names_of([FIRST]) == {FIRST: "round"}
    assert shapes.starting_with("") == [("round", b"\0\1")]


def test_many_names_and_ids_are_read_in_one_call(connection):
    colors = color_names(connection)
    for name in ("red", "green", "blue"):
        colors.assign(name)
    watched = WatchedConnection(connection)
    other = fresh(watched)
    assert other.ids_of(["blue", "none", "red", "blue"]) == {"blue": THIRD, "red": FIRST}
    assert other.names_of([SECOND, b"\0\0\x09"]) == {SECOND: "green"}
    assert watched.number_of_calls == 2


def test_names_are_found_by_their_start(connection):
    colors = color_names(connection)
    for name in ("red", "rose", "r", "green", "\x00", "\x01"):
        with suppress(InvalidKey):
            colors.assign(name)
    assert [name for name, _ in colors.starting_with("r")] == ["r", "red", "rose"]
    assert colors.starting_with("r", limit=2) == [("r", THIRD), ("red", FIRST)]
    assert [name for name, _ in colors.starting_with("")] == ["\x01", "green", "r", "red", "rose"]
    assert colors.starting_with("x") == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda colors: colors.assign(""), "names: color: a name must be 1..32767 bytes other than 00 .got ''"),
        (lambda colors: colors.assign("\0"), "other than 00"),
        (lambda colors: colors.assign("x" * 32_768), "1..32767 bytes"),
        (lambda colors: colors.assign(7), "names: color: must be text .got 7, int"),
        (lambda colors: colors.name_of(b"\1"), "names: color: an id must be 3 bytes"),
        (lambda colors: colors.starting_with("r", limit=0), "limit must be 1 or more .got 0"),
    ],
)
def test_what_cannot_be_a_name_or_an_id_is_refused(connection, call, message):
    with pytest.raises(InvalidKey, match=message):
        call(color_names(connection))
    assert list(connection.table("names").scan()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"id_bytes": 0}, "id_bytes: must be 1..8 .got 0"),
        ({"id_bytes": 9}, "id_bytes: must be 1..8 .got 9"),
        ({"cached": -1}, "cached: must be 0 or more .got -1"),
    ],
)
def test_a_wrong_declaration_is_refused(connection, options, message):
    with pytest.raises(InvalidKey, match=message):
        color_names(connection, **options)


def test_a_stored_id_of_another_width_is_damage(connection):
    color_names(connection).assign("red")
    for read in (
        lambda colors: colors.assign("red"),
        lambda colors: colors.ids_of(["red"]),
        lambda colors: colors.starting_with("r"),
    ):
        with pytest.raises(InvalidRow, match=r"names: row 72 65 64, column .*: must be an id of 2 bytes .got 00 00 01"):
            read(color_names(connection, id_bytes=2))


# ---- the id space


@pytest.mark.parametrize(("id_bytes", "last"), [(1, 255), (3, 2**24 - 1), (8, 2**63 - 1)])
def test_a_used_up_id_space_is_an_error_and_no_id_is_given_twice(connection, id_bytes, last):
    connection.table("names").counter_set(b"\0", b"id:color", last - 1)
    colors = color_names(connection, id_bytes=id_bytes)
    assert colors.assign("last") == last.to_bytes(id_bytes, "big")
    for name in ("more", "more", "and more"):
        with pytest.raises(
            NoFreeId, match=rf"names: color: all ids are used up: the counter must be 1..{last}, the ids"
        ):
            colors.assign(name)
        assert colors.id_of(name) is None
    assert mappings(connection).forward == {b"last": last.to_bytes(id_bytes, "big")}


def test_an_id_that_was_taken_without_the_counter_is_passed_over(connection):
    for number in (1, 2):
        connection.table("names").put(bytes([0, 0, number]), {"name:color": f"random-{number}"})
    assert color_names(connection).assign("red") == THIRD


def test_a_counter_far_behind_is_an_error_after_ten_ids(connection):
    for number in range(1, 12):
        connection.table("names").put(bytes([0, 0, number]), {"name:color": f"random-{number}"})
    colors = color_names(connection)
    with pytest.raises(NoFreeId, match=r"must be ids that no name has .got 10, 000001..00000a"):
        colors.assign("red")
    assert colors.assign("red") == b"\0\0\x0c"


# ---- the memory


def test_what_is_remembered_costs_no_call_and_the_oldest_goes_first(connection):
    watched = WatchedConnection(connection)
    colors = color_names(watched, cached=2)
    for name in ("red", "green", "blue"):
        colors.assign(name)
    before = watched.number_of_calls
    assert (colors.assign("green"), colors.name_of(THIRD), colors.ids_of(["blue"])) == (SECOND, "blue", {"blue": THIRD})
    assert watched.number_of_calls == before
    assert colors.id_of("red") == FIRST
    assert watched.number_of_calls == before + 1
    colors.forget()
    assert colors.id_of("red") == FIRST
    assert watched.number_of_calls == before + 2


def test_a_dictionary_without_memory_reads_always(connection):
    watched = WatchedConnection(connection)
    colors = color_names(watched, cached=0)
    colors.assign("red")
    before = watched.number_of_calls
    assert colors.id_of("red") == colors.id_of("red") == FIRST
    assert watched.number_of_calls == before + 2


def test_a_missing_name_is_not_remembered(connection):
    colors = color_names(connection)
    assert colors.id_of("red") is None
    fresh(connection).assign("red")
    assert colors.id_of("red") == FIRST


# ---- deaths, lost replies, other writers


def stops(calls):
    return [
        Stop(call, frozenset(stored), dies) for call in range(calls) for stored in ((), (0,)) for dies in (True, False)
    ]


@pytest.mark.parametrize("stop", stops(3), ids=str)
def test_a_writer_that_stops_at_any_call_leaks_at_most_one_id(connection, stop):
    watched = WatchedConnection(connection, stopped_at(stop))
    with suppress(WriterDied, ReplyLost):
        color_names(watched).assign("red")
    assert watched.is_stopped
    left = mappings(connection)
    assert left.counter <= 1
    id = fresh(connection).assign("red")
    assert fresh(connection).name_of(id) == "red"
    watched.deliver()  # the gateway was late
    after = mappings(connection)
    assert after.forward == {b"red": id}
    assert fresh(connection).assign("red") == id
    assert after.counter <= 3
    assert len(after.leaked) <= 1


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("meanwhile", ["the same name", "another name"])
def test_two_writers_that_meet_at_any_call_agree(connection, number, meanwhile):
    others: list[bytes] = []
    name = "red" if meanwhile == "the same name" else "green"
    watched = WatchedConnection(
        connection, before_call=paused_at_call(number, lambda: others.append(fresh(connection).assign(name)))
    )
    id = color_names(watched).assign("red")
    after = mappings(connection)
    assert (others == [id]) == (meanwhile == "the same name")
    assert after.forward == {b"red": id, name.encode(): others[0]}
    assert len(after.leaked) == (1 if meanwhile == "the same name" and number > 0 and len(after.reverse) == 2 else 0)


def test_the_loser_reads_the_winner_again_and_its_own_id_is_leaked(connection):
    """uid_assign_race_loser of OpenTSDB's vectors: the same calls in the same order."""
    connection.table("names").counter_set(b"\0", b"id:color", 4)
    watched = WatchedConnection(connection, before_call=paused_at_call(2, lambda: fresh(connection).assign("foo")))
    assert color_names(watched).assign("foo") == b"\0\0\6"
    after = mappings(connection)
    assert [call.name for call in watched.calls] == ["atomicIncrement", "checkAndPut", "checkAndPut"]
    assert [call.rows[0][0] for call in watched.calls] == [b"\0", b"\0\0\5", b"foo"]
    assert (after.forward, after.leaked) == ({b"foo": b"\0\0\6"}, [b"\0\0\5"])


def test_eight_processes_that_assign_the_same_names_agree(engine, tmp_path):
    processes, names = 8, 200
    with engine.url(str(tmp_path / "names.db"), NAMES) as url:
        if engine.name == EMBEDDED:
            with closing(connect(url)) as connection:
                create_tables(connection, [NAMES])
        wanted = [f"name-{number}" for number in range(names)]
        with ExitStack() as stack:
            started = [
                stack.enter_context(running(assign_all, url, tmp_path / f"{number}.log", number, wanted))
                for number in range(processes)
            ]
            for process in started:
                process.join(300)
            assert [process.exitcode for process in started] == [0] * processes
        with closing(connect(url)) as connection:
            after = mappings(connection)
        assert {name.decode(): id.hex() for name, id in after.forward.items()} == {
            answer["name"]: answer["id"] for answer in entries(tmp_path)
        }
        assert len(entries(tmp_path)) == processes * names
        assert len({(answer["name"], answer["id"]) for answer in entries(tmp_path)}) == names
        assert after.counter == names + len(after.leaked)


# ---- renaming


def test_a_rename_keeps_the_id_and_frees_the_old_name(connection):
    colors = color_names(connection)
    colors.assign("red")
    assert colors.rename("red", "rouge") == FIRST
    for reader in (colors, fresh(connection)):
        assert (reader.id_of("rouge"), reader.id_of("red"), reader.name_of(FIRST)) == (FIRST, None, "rouge")
    assert colors.assign("red") == SECOND
    assert mappings(connection).forward == {b"rouge": FIRST, b"red": SECOND}


def test_a_rename_that_is_refused_changes_nothing(connection):
    colors = color_names(connection)
    colors.assign("red")
    colors.assign("green")
    before = dict(connection.table("names").scan())
    for old, new, error, message in (
        ("blue", "bleu", UnknownName, "names: color: must be a name with an id .got 'blue'"),
        ("red", "green", NameTaken, "must be a name without an id of its own .got 'green'"),
        ("red", "red", NameTaken, "must differ from the old one .got 'red'"),
        ("red", "", InvalidKey, "a name must be 1..32767 bytes"),
    ):
        with pytest.raises(error, match=message):
            colors.rename(old, new)
    assert dict(connection.table("names").scan()) == before


@pytest.mark.parametrize("stop", stops(3), ids=str)
def test_a_rename_that_stops_at_any_call_is_completed_by_the_same_call(connection, stop):
    color_names(connection).assign("red")
    watched = WatchedConnection(connection, stopped_at(stop))
    with suppress(WriterDied, ReplyLost):
        color_names(watched).rename("red", "rouge")
    assert watched.is_stopped
    assert FIRST in (fresh(connection).id_of("red"), fresh(connection).id_of("rouge"))
    assert fresh(connection).name_of(FIRST) in ("red", "rouge")
    with suppress(UnknownName):  # it was complete
        fresh(connection).rename("red", "rouge")
    assert mappings(connection).forward == {b"rouge": FIRST}
    assert fresh(connection).assign("red") == SECOND
    watched.deliver()
    assert mappings(connection).forward == {b"rouge": FIRST, b"red": SECOND}


@pytest.mark.parametrize("name", ["red", "rouge"])
@pytest.mark.parametrize("number", range(4))
def test_a_name_that_is_assigned_during_a_rename_has_one_id(connection, number, name):
    color_names(connection).assign("red")
    watched = WatchedConnection(connection, before_call=paused_at_call(number, lambda: fresh(connection).assign(name)))
    with suppress(NameTaken):
        color_names(watched).rename("red", "rouge")
    after = mappings(connection)
    assert FIRST in after.forward.values()
    assert {after.reverse[id] for id in after.forward.values()} == {*after.forward}


def test_of_two_renames_of_one_id_at_once_one_is_undone(connection):
    color_names(connection).assign("red")
    watched = WatchedConnection(
        connection, before_call=paused_at_call(2, lambda: fresh(connection).rename("red", "rot"))
    )
    with pytest.raises(UnknownName, match=r"must be the name of 000001 .got 'red', renamed meanwhile"):
        color_names(watched).rename("red", "rouge")
    assert mappings(connection).forward == {b"rot": FIRST}
