"""Every order of the calls of claims: an id never gets two names, nor a name two ids."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import happybase
import pytest

from shared.tables import TableLayout
from shared.testing import Contents, CrashTests, Write
from shared.writes import IdTaken, NameTaken, Recovery
from tests.engines import Embedded

from .interleaving import Scene
from .pairs import Pair, PairExplorer
from .test_claimed_ids import codes
from .test_dictionaries import NAMES, mappings


class Codes:
    """A dictionary as a repository of the explorer; its recoverer repeats the claims that did not end."""

    def __init__(self, connection: happybase.Connection) -> None:
        self.connection = connection
        self.upkeep = self

    def claim(self, name: str, id: bytes) -> None:
        codes(self.connection).claim(name, id)

    def pending(self) -> list[tuple[str, bytes]]:
        rows = dict(self.connection.table(NAMES.name).scan())
        names = {id: cells[b"name:color"] for id, cells in rows.items() if b"name:color" in cells}
        return [(name.decode(), id) for id, name in names.items() if b"id:color" not in rows.get(name, {})]

    def recover(self, older_than_ms: int) -> Recovery:
        claims = self.pending()
        for name, id in claims:
            with suppress(NameTaken):
                self.claim(name, id)
        return Recovery(len(claims), older_than_ms, ())

    def verify(self) -> list[str]:
        return []


def forward_of(repository: Codes, _tables: Iterable[TableLayout[Any, Any]]) -> Contents:
    return {"ids": dict(mappings(repository.connection).forward)}


def claiming(name: str, id: bytes) -> Any:
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
