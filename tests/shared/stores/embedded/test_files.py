"""Files: formats, and what is refused."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from shared.stores import StoreError, connect
from shared.stores.embedded import schema
from shared.stores.embedded.connection import EmbeddedConnection


def refusal(path: Path | str) -> str:
    with pytest.raises(StoreError) as caught:
        connect(f"embedded:{path}")
    assert "\n" not in str(caught.value)
    return str(caught.value)


NOT_A_STORE = "it is not a store, choose another path: "


def test_what_is_not_a_store_is_refused_and_left_as_it_was(tmp_path):
    text, byte, foreign = tmp_path / "notes.txt", tmp_path / "x", tmp_path / "other.db"
    text.write_text("not a database, but long enough to be asked for its header\n" * 20)
    byte.write_bytes(b"x")
    other = sqlite3.connect(foreign)
    other.execute("create table x (y)")
    other.close()
    before = {file: file.read_bytes() for file in (text, byte, foreign)}
    assert f"{NOT_A_STORE}file is not a database" in refusal(text)
    assert f"{byte}: {NOT_A_STORE}it is one byte long" == refusal(byte)
    assert "is an SQLite file but not a store of rowbook, choose another path" in refusal(foreign)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    (tmp_path / "empty.db").touch()
    assert connect(f"embedded:{tmp_path / 'empty.db'}").tables() == []


@pytest.mark.parametrize("version", [schema.FORMAT + 1, 0, -1])
def test_another_format_is_refused_by_its_number(path, version):
    database = sqlite3.connect(path)
    database.execute(f"pragma user_version = {version}")
    database.close()
    wanted = f"{path}: has format {version} and this rowbook reads up to format 3, use the one that wrote it"
    assert wanted == refusal(path)


FORMAT_1 = """
create table tables (
    id integer primary key autoincrement, name blob not null unique, created_ms integer not null,
    enabled integer not null
);
create table families (
    table_id integer not null, name blob not null, max_versions integer not null, time_to_live_s integer not null,
    compression text not null, bloom_filter text not null, in_memory integer not null, block_cache integer not null,
    primary key (table_id, name)
) without rowid;
create table cells (
    table_id integer not null, row blob not null, column blob not null, ts integer not null, kind integer not null,
    value blob not null, primary key (table_id, row, column, ts, kind)
) without rowid;
insert into tables values (7, x'74', 1700000000000, 1);
insert into families values (7, x'64', 3, 2147483647, 'NONE', 'NONE', 0, 0);
insert into cells values (7, x'72', x'643a61', 5, 4, x'31'), (7, x'72', x'643a61', 6, 4, x'32');
pragma application_id = 0x726f7762;
pragma user_version = 1;
"""


# With all tables that such a file may have.
FORMAT_2 = """
create table tables (
    id integer primary key autoincrement, name blob not null unique, created_ms integer not null,
    enabled integer not null
);
create table families (
    table_id integer not null, name blob not null, max_versions integer not null, time_to_live_s integer not null,
    compression text not null, bloom_filter text not null, in_memory integer not null, block_cache integer not null,
    primary key (table_id, name)
) without rowid;
create table cells (
    table_id integer not null, row blob not null, column blob not null, ts integer not null, value blob not null,
    primary key (table_id, row, column, ts)
) without rowid;
create table tombstones (
    table_id integer not null, row blob not null, column blob not null, ts integer not null,
    primary key (table_id, row, column)
) without rowid;
create index latest_tombstones on tombstones (table_id, ts);
create table splits (table_id integer not null, row blob not null, primary key (table_id, row)) without rowid;
insert into tables values (7, x'74', 1700000000000, 1), (8, x'6e3a75', 1700000000000, 0);
delete from tables where id = 8;
insert into families values (7, x'64', 3, 2147483647, 'NONE', 'NONE', 0, 0);
insert into cells values (7, x'72', x'643a61', 5, x'31'), (7, x'72', x'643a61', 6, x'32'), (7, x'73', x'643a', 9, x'');
insert into tombstones values (7, x'72', x'643a61', 4), (7, x'78', x'64', 9);
insert into splits values (7, x'73');
pragma application_id = 0x726f7762;
pragma user_version = 2;
"""
LATER_IN_2 = """
create table block_sizes (
    table_id integer not null, family blob not null, bytes integer not null, primary key (table_id, family)
) without rowid;
create table kept_tombstones (
    table_id integer not null, family blob not null, ms integer not null, primary key (table_id, family)
) without rowid;
create table cluster (id blob not null);
create table namespaces (name blob not null primary key) without rowid;
insert into block_sizes values (7, x'64', 8192);
insert into kept_tombstones values (7, x'64', 600000);
insert into cluster values (x'6964');
insert into namespaces values (x'6e');
"""


@pytest.fixture
def written(tmp_path) -> Callable[[str], Path]:
    """Makes a file of these statements, as an earlier format had it."""

    def written(statements: str) -> Path:
        with closing(sqlite3.connect(tmp_path / "earlier.db")) as database:
            database.executescript(statements)
        return tmp_path / "earlier.db"

    return written


@pytest.fixture(params=[FORMAT_1, FORMAT_2, FORMAT_2 + LATER_IN_2], ids=["1", "2", "2 with all tables"])
def earlier(request, written) -> Path:
    """A file of an earlier format."""
    return written(request.param)


def test_a_store_of_an_earlier_format_is_brought_to_this_one_with_all_its_cells(earlier):
    connection = connect(f"embedded:{earlier}")
    table = connection.table("t")
    assert table.cells(b"r", b"d:a", include_timestamp=True) == [(b"2", 6), (b"1", 5)]
    table.delete(b"r", [b"d:a"], timestamp=5)
    connection.client.service.engine.check()
    connection.close()
    assert connect(f"embedded:{earlier}").table("t").cells(b"r", b"d:a") == [b"2"]
    with closing(sqlite3.connect(earlier)) as database:
        assert database.execute("pragma user_version").fetchone() == (schema.FORMAT,)


def test_what_format_2_had_besides_cells_stays(written):
    with closing(EmbeddedConnection(str(written(FORMAT_2 + LATER_IN_2)))) as connection:
        assert connection.tables() == [b"t"]
        assert [region["start_key"] for region in connection.table("t").regions()] == [b"", b"s"]
        assert connection.block_sizes("t") == {b"d": 8192}
        assert connection.keep_tombstones_ms("t") == {b"d": 600_000}
        assert connection.client.getClusterId() == b"id"
        connection.create_table("n:later", {"d": {}})
        connection.table("t").put(b"x", {b"d:a": b"hidden"}, timestamp=9)
        assert [row for row, _ in connection.table("t").scan()] == [b"r", b"s"]
        tables = connection.client.service.engine.tables()
        assert tables[b"n:later"].id == 9, "the number of a table that was dropped is not used again"


def test_a_damaged_store_of_an_earlier_format_is_refused_as_it_is(earlier):
    damaged = earlier.read_bytes()[:-4096] + bytes(4096)
    earlier.write_bytes(damaged)
    assert "the file is damaged, restore it from a copy" in refusal(earlier)
    assert earlier.read_bytes() == damaged


def test_a_store_of_an_earlier_format_that_another_process_has_open_is_left_as_it_is(earlier):
    """To a process of the earlier release the migrated file would seem damaged."""
    with closing(sqlite3.connect(earlier, isolation_level=None)) as other:
        other.execute("pragma journal_mode = wal")
        other.execute("select count(*) from cells").fetchone()
        with pytest.raises(
            StoreError, match="is open in another process, which may not read format 3: end that process"
        ):
            EmbeddedConnection(str(earlier), wait_s=0)
        other.execute("update cells set value = x'39'")
    assert connect(f"embedded:{earlier}").table("t").cells(b"r", b"d:a") == [b"9", b"9"]


@pytest.mark.parametrize("step", schema.MIGRATIONS)
def test_a_killed_migration_leaves_the_earlier_format(written, monkeypatch, step):
    path = written(FORMAT_1)
    whole = path.read_bytes()
    monkeypatch.setitem(schema.MIGRATIONS, step, schema.MIGRATIONS[step] + ";\nselect nonsense")
    assert "nonsense" in refusal(path)
    assert whole == path.read_bytes()


def test_a_folder_and_a_folder_that_is_not_there(tmp_path):
    assert f"{tmp_path}: is a folder, name a file in it" == refusal(tmp_path)
    assert "does not exist, create it first" in refusal(tmp_path / "no" / "store.db")
    assert "is a folder" in refusal(f"{tmp_path}/")
