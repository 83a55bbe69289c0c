"""Declared tables are created once, as declared; one that is there with other families is refused."""

import attrs
import happybase
import pytest

from shared.cells import CellLayout, Column, InvalidRecord
from shared.keys import KeyLayout, TrailingText, part, row_key
from shared.stores import connect
from shared.tables import Family, TableDesign, TableMismatch, create_tables, drop_tables


@row_key
class Named:
    name: str = part(TrailingText, "all of the key")


NAMES = TableDesign(
    "names",
    "a name",
    KeyLayout(Named),
    CellLayout(Named, "n", {}),
    {"n": Family(), "old": Family(3, ttl_seconds=60, bloom="NONE")},
)
OTHERS = TableDesign("others", "another name", KeyLayout(Named), CellLayout(Named, "o", {}))


@pytest.fixture
def connection() -> happybase.Connection:
    return connect("embedded:")


def test_tables_are_created_as_declared(connection: happybase.Connection) -> None:
    create_tables(connection, [NAMES, OTHERS])
    assert sorted(connection.tables()) == [b"names", b"others"]
    families = connection.table("names").families()
    assert sorted(families) == [b"n", b"old"]
    new, old = families[b"n"], families[b"old"]
    assert (new["max_versions"], old["max_versions"]) == (1, 3)
    assert (new["bloom_filter_type"], old["bloom_filter_type"]) == (b"ROW", b"NONE")
    assert old["time_to_live"] == 60
    assert new["time_to_live"] in (-1, 2**31 - 1)  # HBase says for ever in either way
    assert new["block_cache_enabled"]


def test_creating_again_keeps_tables_and_rows(connection: happybase.Connection) -> None:
    create_tables(connection, [NAMES])
    connection.table("names").put(b"ann", {b"n:v": b"1"})
    create_tables(connection, [NAMES, OTHERS])
    assert connection.table("names").row(b"ann") == {b"n:v": b"1"}
    assert len(connection.tables()) == 2


@pytest.mark.parametrize(("families", "shown"), [({"n"}, "n"), ({"n", "old", "x"}, "n, old, x"), ({"x"}, "x")])
def test_a_table_with_other_families_is_refused(
    connection: happybase.Connection, families: set[str], shown: str
) -> None:
    connection.create_table("names", {name: {} for name in families})
    with pytest.raises(TableMismatch) as refused:
        create_tables(connection, [NAMES])
    assert f"table names: must have the families n, old (has {shown})" == str(refused.value)


@pytest.mark.parametrize(
    ("family", "shown"),
    [
        ({"max_versions": 3}, "max_versions 3 and ttl_seconds None"),
        ({"max_versions": 1, "time_to_live": 60}, "max_versions 1 and ttl_seconds 60"),
        ({"max_versions": 2, "time_to_live": 1}, "max_versions 2 and ttl_seconds 1"),
    ],
)
def test_a_family_that_keeps_its_cells_otherwise_is_refused(
    connection: happybase.Connection, family: dict[str, int], shown: str
) -> None:
    connection.create_table("others", {"o": family})
    with pytest.raises(TableMismatch) as refused:
        create_tables(connection, [OTHERS])
    message = f"table others, family o: must have max_versions 1 and ttl_seconds None (has {shown})"
    assert message == str(refused.value)


@pytest.mark.parametrize("said_s", [-1, 2**31 - 1])
@pytest.mark.parametrize("declared_s", [None, -1, 2**31 - 1])
def test_both_ways_to_say_for_ever_are_the_same(
    connection: happybase.Connection, monkeypatch: pytest.MonkeyPatch, said_s: int, declared_s: int | None
) -> None:
    families = {b"o": {"max_versions": 1, "time_to_live": said_s}}
    create_tables(connection, [OTHERS])
    monkeypatch.setattr(happybase.Table, "families", lambda _table: families)
    create_tables(connection, [attrs.evolve(OTHERS, families={"o": Family(ttl_seconds=declared_s)})])
    with pytest.raises(TableMismatch, match=r"ttl_seconds 60 \(has "):
        create_tables(connection, [attrs.evolve(OTHERS, families={"o": Family(ttl_seconds=60)})])


def test_a_table_that_another_process_creates_meanwhile_is_one_that_exists(
    connection: happybase.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_tables(connection, [NAMES])
    monkeypatch.setattr(connection, "tables", lambda: [])
    create_tables(connection, [NAMES, OTHERS])
    assert sorted(connection.table("others").families()) == [b"o"]
    with pytest.raises(TableMismatch, match=r"^table names: must have the families o \(has n, old\)$"):
        create_tables(connection, [attrs.evolve(OTHERS, name="names")])


def test_dropping_removes_tables_and_passes_over_missing_ones(connection: happybase.Connection) -> None:
    create_tables(connection, [NAMES])
    connection.table("names").put(b"ann", {b"n:v": b"1"})
    drop_tables(connection, [NAMES, OTHERS])
    drop_tables(connection, [NAMES, OTHERS])
    assert connection.tables() == []
    create_tables(connection, [NAMES])
    assert list(connection.table("names").scan()) == []


def test_tables_of_another_prefix_are_left_alone() -> None:
    connection = connect("embedded:", table_prefix="demo")
    create_tables(connection, [NAMES])
    connection.table_prefix = None
    assert connection.tables() == [b"demo_names"]
    drop_tables(connection, [NAMES])
    create_tables(connection, [attrs.evolve(NAMES, families={"n": Family(), "other": Family()})])
    assert sorted(connection.tables()) == [b"demo_names", b"names"]


def test_a_table_has_the_family_of_its_cells_unless_told_otherwise() -> None:
    assert dict(OTHERS.families) == {"o": Family()}


def test_cells_of_a_family_that_the_table_lacks_are_refused_when_declared() -> None:
    with pytest.raises(InvalidRecord, match=r"^table names: must have the family n \(has o\)$"):
        TableDesign("names", "a name", KeyLayout(Named), CellLayout(Named, "n", {}), {"o": Family()})


def test_an_attribute_that_no_key_and_no_cell_holds_is_refused_when_declared() -> None:
    @attrs.frozen
    class Person:
        name: str
        city: str

    with pytest.raises(InvalidRecord, match=r"^Person.city: must be a column of table people, or a part of Named$"):
        TableDesign("people", "a person", KeyLayout(Named), CellLayout(Person, "p", {}))
    people = TableDesign("people", "a person", KeyLayout(Named), CellLayout(Person, "p", {"city": Column("c")}))
    ann = Person("ann", "Köln")
    assert people.record(people.row(ann), people.cells.pack(ann)) == ann
