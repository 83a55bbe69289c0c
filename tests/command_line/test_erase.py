"""`rowbook erase`, and which designs and variants have an upkeep."""

import json
from contextlib import closing

import pytest

from domains.command_line.designs import all_designs
from shared.stores import connect
from shared.tables import create_tables

VARIANTS = [(design, variant) for design in all_designs() for variant in design.variants]
UPKEEP = ("pending", "recover", "verify", "repair")


@pytest.fixture
def store(folder):
    """The samples of orders and feeds in a file."""
    with closing(connect("embedded:a.db")) as connection:
        for design, variant in VARIANTS:
            if design.erases and variant is design.main:
                create_tables(connection, variant.tables)
                repository = variant.open(connection)
                for load in design.loads:
                    for record in load.sample_records():
                        load.store_in(repository, record)
    return "embedded:a.db"


def test_erase_removes_a_buyer_and_says_that_no_row_remains(ok, store):
    assert "b-1" in ok(f"ask orders of-buyer buyer_id=b-1 --limit 1 --store {store}")
    assert ok(f"erase orders b-1 --store {store}") == "orders: 'b-1' is erased; no row remains\n"
    assert '"b-1"' not in ok(f"ask orders with-status status=cancelled --limit 1000 --json --store {store}")
    assert ok(f"verify orders --store {store}").endswith("nothing is wrong\n")


def test_erase_says_how_many_rows_remain_for_now(ok, store):
    erased = json.loads(ok(f"erase feeds r-1 --store {store} --json"))
    assert (erased["name"], erased["erased"], erased["remaining"] > 0) == ("feeds", "r-1", True)
    remaining = erased["remaining"]
    words = f"{remaining} rows remain: run rowbook recover 42 minutes later, or erase again"
    assert ok(f"erase feeds r-1 --store {store}") == f"feeds: 'r-1' is erased; {words}\n"
    assert ok(f"ask feeds following reader=r-1 --store {store} --json").count('"author"') == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("erase logs web-1 --store embedded:", "logs: cannot erase a person (designs that can: orders and feeds)\n"),
        ("erase orders:without-intents b-1 --store embedded:", "orders:without-intents: puts an order, then its lines"),
        ("erase orders b-1", "Missing option '--store'"),
        ("erase feeds @x --store embedded:", "embedded:: has no table feeds_"),
    ],
)
def test_what_cannot_be_erased_is_one_line(rowbook, command, message):
    code, out, err = rowbook(command)
    assert (code > 0, out, err[: len(message)], err.count("\n")) == (True, "", message, 1)


@pytest.mark.parametrize(("design", "variant"), VARIANTS, ids=[f"{d.name}:{v.name}" for d, v in VARIANTS])
def test_a_variant_has_an_upkeep_or_says_why_not(design, variant):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        repository = variant.open(connection)
    has_upkeep = all(hasattr(getattr(repository, "upkeep", None), name) for name in UPKEEP)
    assert has_upkeep != bool(design.why_no_upkeep(variant))
    assert hasattr(repository, "erase") == (has_upkeep and bool(design.erases))


@pytest.mark.parametrize(("design", "variant"), VARIANTS, ids=[f"{d.name}:{v.name}" for d, v in VARIANTS])
def test_a_question_that_a_variant_lacks_has_a_reason(design, variant):
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        repository = variant.open(connection)
    missing = {
        pattern.method.__name__ for pattern in design.patterns if not hasattr(repository, pattern.method.__name__)
    }
    assert missing == {*getattr(repository, "lacks", ())}
