"""Files: formats, and what is refused."""

import sqlite3
from pathlib import Path

import pytest

from shared.stores import StoreError, connect
from shared.stores.embedded import schema


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


@pytest.mark.parametrize("version", [3, 0, -1])
def test_another_format_is_refused_by_its_number(path, version):
    database = sqlite3.connect(path)
    database.execute(f"pragma user_version = {version}")
    database.close()
    wanted = f"{path}: has format {version} and this rowbook reads up to format 2, use the one that wrote it"
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


@pytest.fixture
def first_format(tmp_path):
    """A file of the first format."""
    database = sqlite3.connect(tmp_path / "first.db")
    database.executescript(FORMAT_1)
    database.close()
    return tmp_path / "first.db"


def test_a_store_of_format_1_is_brought_to_format_2_with_all_its_cells(first_format):
    path = first_format
    connection = connect(f"embedded:{path}")
    table = connection.table("t")
    assert table.cells(b"r", b"d:a", include_timestamp=True) == [(b"2", 6), (b"1", 5)]
    table.delete(b"r", [b"d:a"], timestamp=5)
    connection.close()
    assert connect(f"embedded:{path}").table("t").cells(b"r", b"d:a") == [b"2"]
    (version,) = sqlite3.connect(path).execute("pragma user_version").fetchone()
    assert version == 2


def test_a_damaged_store_of_format_1_is_not_brought_to_format_2(first_format):
    path = first_format
    damaged = path.read_bytes()[:-4096] + bytes(4096)
    path.write_bytes(damaged)
    assert "the file is damaged, restore it from a copy" in refusal(path)
    assert path.read_bytes() == damaged


def test_a_killed_migration_leaves_the_earlier_format(first_format, monkeypatch):
    whole = first_format.read_bytes()
    monkeypatch.setitem(schema.MIGRATIONS, 1, schema.MIGRATIONS[1] + ";\nselect nonsense")
    assert "nonsense" in refusal(first_format)
    assert whole == first_format.read_bytes()


def test_a_folder_and_a_folder_that_is_not_there(tmp_path):
    assert f"{tmp_path}: is a folder, name a file in it" == refusal(tmp_path)
    assert "does not exist, create it first" in refusal(tmp_path / "no" / "store.db")
    assert "is a folder" in refusal(f"{tmp_path}/")
