"""Ids that were chosen, such as codes: whoever claims, dies or loses a reply, an id has one name and a name one id."""

from contextlib import suppress

import pytest

from shared.keys import InvalidKey
from shared.testing import Write
from shared.testing.crash_tests import CrashTests
from shared.upkeep.recovery import Recovery
from shared.writes import Dictionary, IdTaken, NameTaken
from tests.engines import Embedded
from tests.shared.writes.test_dictionaries import NAMES, mappings

from .interleaving import Scene
from .pairs import Pair, PairExplorer


def codes(connection):
    """The codes of a process of its own, which remembers nothing."""
    return Dictionary(connection, NAMES.name, "color", 2)


@pytest.fixture
def connection(new_store):
    return new_store(NAMES)


def test_a_claimed_id_is_read_as_any_other(connection):
    codes(connection).claim("Taobao", b"tb")
    for _ in range(2):
        codes(connection).claim("Taobao", b"tb")
    assert (codes(connection).id_of("Taobao"), codes(connection).name_of(b"tb")) == (b"tb", "Taobao")
    assert codes(connection).assign("Taobao") == b"tb"
    assert codes(connection).assign("Tmall") == b"\0\1"
    assert dict(connection.table("names").scan(row_start=b"T")) == {
        b"Taobao": {b"id:color": b"tb"},
        b"Tmall": {b"id:color": b"\0\1"},
        b"tb": {b"name:color": b"Taobao"},
    }


@pytest.mark.parametrize(
    ("name", "id", "error", "reason"),
    [
        ("Tmall", b"tb", IdTaken, "names: color: must be an id without a name (got 7462, the id of 'Taobao')"),
        ("Taobao", b"tx", NameTaken, "must be a name without an id of its own (got 'Taobao', which has 7462)"),
        ("Tmall", b"tmall", InvalidKey, "names: color: an id must be 2 bytes (got b'tmall')"),
        ("Tmall", "tm", InvalidKey, "names: color: an id must be 2 bytes (got 'tm')"),
        ("", b"tm", InvalidKey, "a name must be 1..32767 bytes"),
    ],
)
def test_a_claim_that_is_refused_changes_nothing(connection, name, id, error, reason):
    codes(connection).claim("Taobao", b"tb")
    before = dict(connection.table("names").scan())
    with pytest.raises(error) as refused:
        codes(connection).claim(name, id)
    assert reason in str(refused.value)
    assert dict(connection.table("names").scan()) == before


# ---- every order of the calls of claims


class Codes:
    """A dictionary as a repository of the explorer; its recoverer repeats the claims that did not end."""

    def __init__(self, connection):
        self.connection = connection
        self.upkeep = self

    def claim(self, name, id):
        codes(self.connection).claim(name, id)

    def pending(self):
        rows = dict(self.connection.table(NAMES.name).scan())
        names = {id: cells[b"name:color"] for id, cells in rows.items() if b"name:color" in cells}
        return [(name.decode(), id) for id, name in names.items() if b"id:color" not in rows.get(name, {})]

    def recover(self, older_than_ms):
        claims = self.pending()
        for name, id in claims:
            with suppress(NameTaken):
                self.claim(name, id)
        return Recovery(len(claims), older_than_ms, ())

    def verify(self):
        return []


def forward_of(repository, _tables):
    return {"ids": dict(mappings(repository.connection).forward)}


def claiming(name, id):
    return lambda repository: repository.claim(name, id)


CLAIMS = {
    "Taobao tb": claiming("Taobao", b"tb"),
    "Taobao tx": claiming("Taobao", b"tx"),
    "Tmall tb": claiming("Tmall", b"tb"),
    "Tmall tx": claiming("Tmall", b"tx"),
}
TESTS = CrashTests(Embedded(), (NAMES,), Codes, (), (IdTaken, NameTaken), forward_of)
WRITE = Write("Taobao tb", CLAIMS["Taobao tb"], rivals=CLAIMS)
SCENES = (Scene(2), Scene(1, recoverers=1))


@pytest.mark.parametrize("scene", SCENES, ids=["two faults", "a fault and a recoverer"])
@pytest.mark.parametrize("rival", CLAIMS)
def test_no_order_of_calls_gives_an_id_two_names_or_a_name_two_ids(rival, scene):
    explored = PairExplorer(Pair("codes", TESTS, WRITE, rival)).explore(scene, 20_000)
    assert (explored.fault, explored.is_cut) == (None, False), explored


def test_no_order_of_the_calls_of_three_claims_of_one_id_gives_it_two_names():
    explored = PairExplorer(Pair("codes", TESTS, WRITE, "Tmall tb"), "Taobao tb").explore(Scene(1), 20_000)
    assert (explored.fault, explored.is_cut) == (None, False), explored
