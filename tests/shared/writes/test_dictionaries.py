"""Dictionaries: each name has one id and each id one name, whoever writes, dies or loses a reply."""

import time
from contextlib import suppress
from itertools import pairwise

import attrs
import pytest

from shared.keys import InvalidKey, KeyLayout, TrailingBytes, part, row_key
from shared.tables import Family, InvalidRow, RecordCells, TableLayout
from shared.testing import ReplyLost, Stop, WatchedConnection, WriterDied, paused_at_call, stopped_at
from shared.writes import Dictionary, NameTaken, UnknownName
from shared.writes.dictionaries import NoFreeId


@row_key
class AnyRow:
    row: bytes = part(TrailingBytes, "a name, an id, or the counter")


NAMES = TableLayout(
    "names", "a mapping", KeyLayout(AnyRow), RecordCells(AnyRow, {}, marker="id:x"), {"id": Family(), "name": Family()}
)


def color_names(connection, **options):
    return Dictionary(connection, NAMES.name, "color", **{"id_bytes": 3, **options})


@attrs.frozen
class Mappings:
    """What a table holds of one dictionary."""

    counter: int
    forward: dict[bytes, bytes]
    """Ids by name."""
    reverse: dict[bytes, bytes]
    """Names by id."""

    @property
    def leaked(self):
        """Ids of which their name knows nothing."""
        return [id for id, name in self.reverse.items() if self.forward.get(name) != id]


def mappings(connection):
    """The mappings; asserts that every name has an id of its own, and every id the name that has it."""
    forward = {}
    reverse = {}
    counter = 0
    for row, cells in connection.table(NAMES.name).scan():
        if row == b"\x00":
            counter = int.from_bytes(cells.pop(b"id:color"), "big")
        if b"id:color" in cells:
            forward[row] = cells[b"id:color"]
        if b"name:color" in cells:
            reverse[row] = cells[b"name:color"]
    assert len({*forward.values()}) == len(forward), f"two names have one id: {forward}"
    assert {name: reverse.get(id) for name, id in forward.items()} == {name: name for name in forward}
    return Mappings(counter, forward, reverse)


FIRST, SECOND, THIRD = b"\0\0\1", b"\0\0\2", b"\0\0\3"


@pytest.fixture
def connection(new_store):
    return new_store(NAMES)


fresh = color_names
"""Opens the dictionary of another process, which remembers nothing."""


# ---- one writer


def test_ids_count_from_one_and_a_name_keeps_its_id(connection):
    colors = color_names(connection)
    assert [colors.assign(name) for name in ("red", "green", "red")] == [FIRST, SECOND, FIRST]
    assert fresh(connection).assign("red") == FIRST
    assert fresh(connection).id_of("green") == SECOND
    assert fresh(connection).name_of(SECOND) == "green"
    assert fresh(connection).id_of("blue") is None
    assert fresh(connection).name_of(THIRD) is None


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
    ("call", "message", "options"),
    [
        (lambda colors: colors.assign(""), "names: color: a name must be 1..32767 bytes other than 00 .got ''", {}),
        (lambda colors: colors.assign("\0"), "other than 00", {}),
        (lambda colors: colors.assign("x" * 32_768), "1..32767 bytes", {}),
        (lambda colors: colors.assign(7), "names: color: must be text .got 7, int", {}),
        (lambda colors: colors.name_of(b"\1"), "names: color: an id must be 3 bytes", {}),
        (lambda colors: colors.starting_with("r", limit=0), "limit must be 1 or more .got 0", {}),
        (lambda colors: colors, "id_bytes: must be 1..8 .got 0", {"id_bytes": 0}),
        (lambda colors: colors, "id_bytes: must be 1..8 .got 9", {"id_bytes": 9}),
        (lambda colors: colors, "cached: must be 0 or more .got -1", {"cached": -1}),
    ],
)
def test_what_cannot_be_a_name_an_id_or_a_dictionary_is_refused(connection, call, message, options):
    with pytest.raises(InvalidKey, match=message):
        call(color_names(connection, **options))
    assert list(connection.table("names").scan()) == []


@pytest.mark.parametrize(("read", "name"), [("assign", "red"), ("ids_of", ["red"]), ("starting_with", "r")])
def test_a_stored_id_of_another_width_is_damage(connection, read, name):
    color_names(connection).assign("red")
    with pytest.raises(InvalidRow, match=r"names: row 72 65 64, column .*: must be an id of 2 bytes .got 00 00 01"):
        getattr(color_names(connection, id_bytes=2), read)(name)


# ---- the id space


@pytest.mark.parametrize(("id_bytes", "last"), [(1, 255), (8, 2**63 - 1)])
def test_a_used_up_id_space_is_an_error_and_no_id_is_given_twice(connection, id_bytes, last):
    connection.table("names").counter_set(b"\0", b"id:color", last - 1)
    colors = color_names(connection, id_bytes=id_bytes)
    assert colors.assign("last") == last.to_bytes(id_bytes, "big")
    message = rf"names: color: all ids are used up: the counter must be 1..{last}, the ids"
    for name in ("more", "more", "and more"):
        with pytest.raises(NoFreeId, match=message):
            colors.assign(name)
        assert colors.id_of(name) is None
    assert mappings(connection).forward == {b"last": last.to_bytes(id_bytes, "big")}


def test_a_counter_far_behind_is_an_error_after_ten_ids(connection):
    for number in range(1, 12):  # taken without the counter
        connection.table("names").put(bytes([0, 0, number]), {"name:color": f"random-{number}"})
    colors = color_names(connection)
    with pytest.raises(NoFreeId, match=r"needs an id that no name has .tried 10, 000001..00000a"):
        colors.assign("red")
    assert colors.assign("red") == b"\0\0\x0c"


# ---- the memory


@pytest.mark.parametrize(("cached", "calls"), [(2, [0, 1, 1, 1]), (0, [3, 1, 1, 1])])
def test_what_is_remembered_costs_no_call_and_the_oldest_goes_first(connection, cached, calls):
    watched = WatchedConnection(connection)
    colors = color_names(watched, cached=cached)
    for name in ("red", "green", "blue"):
        colors.assign(name)
    counts = [watched.number_of_calls]
    assert (colors.assign("green"), colors.name_of(THIRD), colors.ids_of(["blue"])) == (SECOND, "blue", {"blue": THIRD})
    counts.append(watched.number_of_calls)
    for name, id in (("red", FIRST), ("green", SECOND), ("green", SECOND)):
        assert colors.id_of(name) == id
        counts.append(watched.number_of_calls)
        colors.forget()
    assert [after - before for before, after in pairwise(counts)] == calls


# ---- deaths, lost replies, other writers


each_stop = pytest.mark.parametrize(
    "stop",
    [Stop(call, frozenset(stored), dies) for call in range(3) for stored in ((), (0,)) for dies in (True, False)],
    ids=str,
)


def stop_at(connection, stop, run):
    """Runs a writer that is stopped; returns its connection, which may deliver the stopped call later."""
    watched = WatchedConnection(connection, stopped_at(stop))
    with suppress(WriterDied, ReplyLost):
        run(color_names(watched))
    assert watched.is_stopped
    return watched


def paused(connection, number, meanwhile):
    """The dictionary of a process that is paused before one of its calls."""
    return color_names(WatchedConnection(connection, before_call=paused_at_call(number, meanwhile)))


@each_stop
def test_a_writer_that_stops_at_any_call_leaks_at_most_one_id(connection, stop):
    late = stop_at(connection, stop, lambda colors: colors.assign("red"))
    assert mappings(connection).counter <= 1
    id = fresh(connection).assign("red")
    assert fresh(connection).name_of(id) == "red"
    late.deliver()
    after = mappings(connection)
    assert after.forward == {b"red": id}
    assert fresh(connection).assign("red") == id
    assert after.counter <= 3
    assert len(after.leaked) <= 1


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("name", ["red", "green"])
def test_two_writers_that_meet_at_any_call_agree(connection, number, name):
    others = []
    id = paused(connection, number, lambda: others.append(fresh(connection).assign(name))).assign("red")
    after = mappings(connection)
    assert (others == [id]) == (name == "red")
    assert after.forward == {b"red": id, name.encode(): others[0]}
    assert len(after.leaked) == (1 if name == "red" and number > 0 and len(after.reverse) == 2 else 0)


# ---- renaming


def test_a_rename_keeps_the_id_and_frees_the_old_name(connection):
    colors = color_names(connection)
    colors.assign("red")
    assert colors.rename("red", "rouge") == FIRST
    for reader in (colors, fresh(connection)):
        assert (reader.id_of("rouge"), reader.id_of("red"), reader.name_of(FIRST)) == (FIRST, None, "rouge")
    assert colors.assign("red") == SECOND
    assert mappings(connection).forward == {b"rouge": FIRST, b"red": SECOND}


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("blue", "bleu", UnknownName, "names: color: must be a name with an id .got 'blue'"),
        ("red", "green", NameTaken, "must be a name without an id of its own .got 'green'"),
        ("red", "red", NameTaken, "must differ from the old one .got 'red'"),
        ("red", "", InvalidKey, "a name must be 1..32767 bytes"),
    ],
)
def test_a_rename_that_is_refused_changes_nothing(connection, old, new, error, message):
    colors = color_names(connection)
    colors.assign("red")
    colors.assign("green")
    before = dict(connection.table("names").scan())
    with pytest.raises(error, match=message):
        colors.rename(old, new)
    assert dict(connection.table("names").scan()) == before


@pytest.fixture
def red(connection):
    """The name to be renamed has the first id, since an earlier millisecond."""
    color_names(connection).assign("red")
    time.sleep(0.002)


@pytest.mark.usefixtures("red")
@each_stop
def test_a_rename_that_stops_at_any_call_is_completed_by_the_same_call(connection, stop):
    late = stop_at(connection, stop, lambda colors: colors.rename("red", "rouge"))
    assert FIRST in (fresh(connection).id_of("red"), fresh(connection).id_of("rouge"))
    assert fresh(connection).name_of(FIRST) in ("red", "rouge")
    with suppress(UnknownName):  # it was complete
        fresh(connection).rename("red", "rouge")
    assert mappings(connection).forward == {b"rouge": FIRST}
    assert fresh(connection).assign("red") == SECOND
    late.deliver()
    assert mappings(connection).forward == {b"rouge": FIRST, b"red": SECOND}


@pytest.mark.usefixtures("red")
@pytest.mark.parametrize("name", ["red", "rouge"])
@pytest.mark.parametrize("number", range(4))
def test_a_name_that_is_assigned_during_a_rename_has_one_id(connection, number, name):
    with suppress(NameTaken):
        paused(connection, number, lambda: fresh(connection).assign(name)).rename("red", "rouge")
    after = mappings(connection)
    assert FIRST in after.forward.values()
    assert {after.reverse[id] for id in after.forward.values()} == {*after.forward}


@pytest.mark.usefixtures("red")
def test_of_two_renames_of_one_id_at_once_one_is_undone(connection):
    loser = paused(connection, 2, lambda: fresh(connection).rename("red", "rot"))
    with pytest.raises(UnknownName, match=r"must be the name of 000001 .got 'red', renamed meanwhile"):
        loser.rename("red", "rouge")
    assert mappings(connection).forward == {b"rot": FIRST}


@pytest.mark.usefixtures("red")
def test_a_rename_back_is_spared_by_the_late_delete_of_the_rename_that_it_undoes(connection):
    late = stop_at(connection, Stop(2), lambda colors: colors.rename("red", "rouge"))
    fresh(connection).rename("rouge", "red")
    late.deliver()
    assert mappings(connection).forward == {b"red": FIRST}
    assert fresh(connection).name_of(FIRST) == "red"
