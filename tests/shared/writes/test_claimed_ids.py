"""Ids that were chosen, such as codes: whoever claims, dies or loses a reply, an id has one name and a name one id."""

from contextlib import ExitStack, closing, suppress
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import happybase
import pytest

from shared.keys import InvalidKey
from shared.stores import connect
from shared.tables import create_tables
from shared.testing import (
    ReplyLost,
    Stop,
    WatchedConnection,
    WriterDied,
    paused_at_call,
    stopped_at,
)
from shared.writes import Dictionary, IdTaken, NameTaken
from tests.engines import EMBEDDED

from .processes import Log, entries, running
from .test_dictionaries import NAMES, mappings


def codes(connection: happybase.Connection) -> Dictionary:
    """The codes of a process of its own, which remembers nothing."""
    return Dictionary(connection, NAMES.name, "color", 2)


@pytest.fixture
def connection(new_store):
    return new_store(NAMES)


# ---- one writer


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


# ---- deaths, lost replies, other writers


@pytest.mark.parametrize(("call", "stored", "dies"), [*product(range(2), ((), (0,)), (True, False))])
def test_a_claim_that_stops_at_any_call_is_completed_by_the_same_call(connection, call, stored, dies):
    watched = WatchedConnection(connection, stopped_at(Stop(call, frozenset(stored), dies)))
    with suppress(WriterDied, ReplyLost):
        codes(watched).claim("Taobao", b"tb")
    assert watched.is_stopped
    with suppress(IdTaken):
        codes(connection).claim("Tmall", b"tb")
    is_free = call == 0 and not stored
    assert mappings(connection).forward.keys() <= ({b"Tmall"} if is_free else {b"Taobao"})
    if not is_free:
        codes(connection).claim("Taobao", b"tb")
    watched.deliver()
    assert mappings(connection).forward == {b"Tmall" if is_free else b"Taobao": b"tb"}


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize(("name", "id"), [("Taobao", b"tb"), ("Taobao", b"tx"), ("Tmall", b"tb"), ("Tmall", b"tm")])
def test_two_claims_that_meet_at_any_call_agree(connection, number, name, id):
    answers: list[str] = []

    def claim(to: Any, name: str, id: bytes) -> None:
        try:
            codes(to).claim(name, id)
            answers.append("claimed")
        except (IdTaken, NameTaken) as refused:
            answers.append(type(refused).__name__)

    claim(
        WatchedConnection(connection, before_call=paused_at_call(number, lambda: claim(connection, name, id))),
        "Taobao",
        b"tb",
    )
    after = mappings(connection)
    refused = {"Taobao": "NameTaken", "Tmall": "IdTaken"}[name] if (name == "Taobao") != (id == b"tb") else "claimed"
    assert sorted(answers) == sorted(["claimed", refused])
    assert len(after.forward) == (2 if name == "Tmall" and id == b"tm" else 1)
    assert len(after.leaked) <= 1


def claim_all(url: str, log: Path, seed: int) -> None:
    """Claims a code for each name, in an order of its own: at random, until one is free or the name has one."""
    dice = Random(seed)
    names = [f"name-{number}" for number in range(10)]
    dice.shuffle(names)
    with closing(connect(url)) as connection:
        dictionary, answers = codes(connection), Log(log)
        for name in names:
            for code in dice.sample([b"%02d" % number for number in range(30)], 30):
                with suppress(IdTaken):
                    with suppress(NameTaken):
                        dictionary.claim(name, code)
                    break
            answers.write(name=name, id=(dictionary.id_of(name) or b"").hex())


def test_sixteen_processes_that_claim_the_same_codes_agree(engine, tmp_path):
    with engine.url(str(tmp_path / "names.db"), NAMES) as url:
        if engine.name == EMBEDDED:
            with closing(connect(url)) as connection:
                create_tables(connection, [NAMES])
        with ExitStack() as stack:
            runs = [running(claim_all, url, tmp_path / f"{number}.log", number) for number in range(16)]
            started = [stack.enter_context(run) for run in runs]
            for process in started:
                process.join(300)
            assert [process.exitcode for process in started] == [0] * 16
        with closing(connect(url)) as connection:
            forward = {name.decode(): id.hex() for name, id in mappings(connection).forward.items()}
        answered = {(answer["name"], answer["id"]) for answer in entries(tmp_path) if answer["id"]}
        assert answered <= {*forward.items()}
        assert len(answered) == len({name for name, _ in answered}) == len({id for _, id in answered})
        assert answered
