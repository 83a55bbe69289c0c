"""Damaged files: reported, or read as they were; never by half in silence."""

import os
import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest
from Hbase_thrift import IOError

from shared.stores import StoreError, connect
from shared.stores.embedded import damage as damage_module
from shared.stores.embedded.connection import EmbeddedConnection
from tests.programs.flipped_bits import as_larger_file, fates, stock
from tests.shared.stores.embedded.batches import batches_in, store_batch
from tests.shared.stores.processes import Process

PAGE_BYTES = 4096
DAMAGED = "the file is damaged, restore it from a copy"
ROOTS = 9  # the pages that a new store has, one for each table and index

# A table, row, column, timestamp and value; or a table, its families and the first rows of its regions.
Fact = tuple[Any, ...]


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    """A store of about 30 pages, with long values, tombstones, several tables and regions."""
    path = tmp_path_factory.mktemp("whole") / "store.db"
    stock(path)
    return path


def facts(path: Path, *, check: bool = False) -> list[Fact]:
    """All that a store holds, read in several ways."""
    with closing(connect(f"embedded:{path}")) as connection:
        if check:
            connection.client.service.engine.check()
        stored: list[Fact] = []
        for name in connection.tables():
            table = connection.table(name)
            regions = connection.client.getTableRegions(name)
            stored.append((name, tuple(sorted(table.families())), *(region.startKey for region in regions)))
            up = list(table.scan(include_timestamp=True, batch_size=70))
            down = list(table.scan(include_timestamp=True, reverse=True, batch_size=70))
            assert up == down[::-1]
            assert [(row, dict(table.row(row, include_timestamp=True))) for row, _ in up[::10]] == up[::10]
            stored += [(name, row, column, *cell) for row, cells in up for column, cell in cells.items()]
        return stored


def outcome(path: Path, whole: list[Fact], *, check: bool = False) -> str:
    """What becomes of reading a file: it is `reported`, `read` as it was, or `half-read`."""
    try:
        stored = facts(path, check=check)
    except (StoreError, IOError) as error:
        text = error.message.decode() if isinstance(error, IOError) else str(error)
        assert "\n" not in text
        assert str(path) in text
        return "reported"
    except sqlite3.DatabaseError:
        return "reported"  # by the check
    except AssertionError:
        return "half-read"
    return "read" if stored == whole else "half-read"


def flipped(block_bytes: int, of_first: int) -> Callable[[bytearray, random.Random], None]:
    """Flips a bit of the first bytes of some block."""

    def damage(data: bytearray, rng: random.Random) -> None:
        start = rng.randrange(len(data) // block_bytes) * block_bytes
        data[start + rng.randrange(of_first)] ^= 1 << rng.randrange(8)

    return damage


def noise(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) // 512) * 512
    data[start : start + 512] = rng.randbytes(512)


def another_page(data: bytearray, rng: random.Random) -> None:
    """Of the same table: a page of families in place of the split points looks intact too."""
    start, other = (rng.randrange(ROOTS, len(data) // PAGE_BYTES) * PAGE_BYTES for _ in range(2))
    data[start : start + PAGE_BYTES] = data[other : other + PAGE_BYTES]


def cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


DAMAGES = {
    "bit": flipped(1, 1),
    "page head": flipped(PAGE_BYTES, 40),  # which tells where in the page its records are
    "sector of noise": noise,
    "page of another place": another_page,
    "cut": cut,
}


# A check finds in a large file what opening it does not, which reads only the first pages.
@pytest.mark.parametrize(
    ("count", "checked_pages"), [(6, 1024), (2, 0), pytest.param(250, 1024, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_file_is_reported_or_reads_as_it_was(store, tmp_path, monkeypatch, kind, count, checked_pages):
    monkeypatch.setattr(damage_module, "_CHECKED_PAGES", checked_pages)
    seed, whole, path = random.randrange(10**6), facts(store), tmp_path / "damaged.db"
    for number in range(count):
        damaged = bytearray(store.read_bytes())
        DAMAGES[kind](damaged, random.Random(f"{kind} {seed} {number}"))
        for file in tmp_path.iterdir():
            file.unlink()
        path.write_bytes(damaged)
        assert outcome(path, whole, check=checked_pages == 0) != "half-read", (seed, number)


@pytest.mark.parametrize("flips", [40, pytest.param(1_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("opened", [nullcontext, as_larger_file], ids=["small", "larger"])
def test_a_flipped_bit_is_an_error_or_changes_no_answer(store, opened, flips):
    """In a larger file the counts of records in the pages are not verified: about one bit in 10,000."""
    seed = random.randrange(10**6)
    with opened():
        found = fates(store, random.Random(seed).sample(range(8 * store.stat().st_size), flips))
    assert found["error"] > flips // 4
    assert found["silent"] <= (1 + flips // 500 if opened is as_larger_file else 0), seed


@pytest.mark.parametrize(
    "where", ["cells.row", "cells.column", "cells.ts", "cells.value", "tombstones.row", "tombstones.ts"]
)
def test_a_value_of_another_type_is_reported(store, tmp_path, where):
    """A flipped bit can make a text of a number, which SQLite compares as if it were greater than all of them."""
    path = tmp_path / "damaged.db"
    path.write_bytes(store.read_bytes())
    table, column = where.split(".")
    database = sqlite3.connect(path)
    last_cell = f"select row, column, ts from {table} where table_id = 1 order by row desc limit 1"
    database.execute(f"update {table} set {column} = 'text' where (row, column, ts) = ({last_cell})")
    database.commit()
    database.close()
    assert outcome(path, facts(store)) == "reported"


def test_a_file_of_any_shorter_length_is_refused(store, tmp_path):
    data = store.read_bytes()
    path = tmp_path / "short.db"
    for kept in (1, 15, 16, 100, 4096, 4097, len(data) - 4096, len(data) - 1):
        path.write_bytes(data[:kept])
        with pytest.raises(StoreError, match=r"the file is damaged, restore it from a copy|it is not a store"):
            connect(f"embedded:{path}")
        assert len(path.read_bytes()) == kept


def test_a_scan_over_pages_that_point_at_each_other_ends_with_an_error(store, tmp_path, monkeypatch):
    monkeypatch.setattr(damage_module, "_CHECKED_PAGES", 0)
    path = tmp_path / "loop.db"
    shutil.copy(store, path)
    database = sqlite3.connect(path)
    (root,) = database.execute("select rootpage from sqlite_master where name = 'cells'").fetchone()
    database.close()
    data = bytearray(path.read_bytes())
    start = (root - 1) * PAGE_BYTES
    first_cell = start + int.from_bytes(data[start + 12 : start + 14], "big")
    data[start + 8 : start + 12] = data[first_cell : first_cell + 4]  # the last page below the root is the first
    path.write_bytes(data)
    with pytest.raises(IOError, match="the file is damaged, restore it from a copy: rows are out of order"):
        list(connect(f"embedded:{path}").table("t").scan(batch_size=50))


def test_damage_while_a_store_is_open_is_reported_by_the_call_that_meets_it(store, tmp_path):
    path = tmp_path / "store.db"
    shutil.copy(store, path)
    connection = connect(f"embedded:{path}")
    connection.transport._database.execute("pragma shrink_memory")  # the check at opening has read it all
    table = connection.table("t")
    size = path.stat().st_size
    with open(path, "r+b") as file:
        file.seek(5 * PAGE_BYTES)
        file.write(bytes(size - 5 * PAGE_BYTES))
    with pytest.raises(IOError, match=DAMAGED):
        list(table.scan())
    with pytest.raises(sqlite3.DatabaseError):
        connection.client.service.engine.check()
    with pytest.raises(IOError, match=DAMAGED):
        table.put(b"row-075", {b"d:a": b"1"})
    os.truncate(path, 5 * PAGE_BYTES)
    with pytest.raises(IOError, match=DAMAGED):
        list(table.scan())


def test_a_damaged_value_is_an_error_that_names_file_and_row_and_no_compaction_removes_it(store, tmp_path):
    path = tmp_path / "store.db"
    shutil.copy(store, path)
    with closing(EmbeddedConnection(str(path))) as connection, closing(sqlite3.connect(path)) as database:
        database.execute("update cells set value = x'00' where row = ?", (b"row-075",))
        database.commit()
        table = connection.table("t")
        assert table.row(b"row-074")
        said = f"{re.escape(str(path))}: {DAMAGED}: a cell of row b'row-075' does not match its checksum"
        for read in (lambda: table.row(b"row-075"), lambda: [*table.scan()], lambda: connection.compact("t")):
            with pytest.raises(IOError, match=said):
                read()
        (cells,) = database.execute("select count(*) from cells where row = ?", (b"row-075",)).fetchone()
        assert cells == 3


# The log


BATCHES = 15


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """A store whose writer was killed: every batch is in its log."""
    path = tmp_path_factory.mktemp("killed") / "store.db"
    connection = connect(f"embedded:{path}")
    connection.create_table("t", {"d": {"max_versions": 1}})
    connection.close()

    def write(report: Callable[[int], None]) -> None:
        table = connect(f"embedded:{path}").table("t")
        for number in range(BATCHES):
            store_batch(table, number)
            report(number)
        os.kill(os.getpid(), 9)

    writer = Process(write)
    assert list(writer.reports()) == list(range(BATCHES))
    assert writer.wait() == -9
    return path


@pytest.fixture
def copied(killed, tmp_path) -> Iterator[Callable[[], Path]]:
    """Makes a copy of the killed store and its log."""

    def copy() -> Path:
        for file in tmp_path.iterdir():
            file.unlink()
        for end in ("", "-wal", "-shm"):
            shutil.copy(f"{killed}{end}", tmp_path / f"store.db{end}")
        return tmp_path / "store.db"

    return copy


def test_a_damaged_log_is_refused_and_stays_as_it_is(copied):
    for offset in (0, 8, 24, 32, 50, 5000, 100_000):
        path = copied()
        log = Path(f"{path}-wal")
        damaged = bytearray(log.read_bytes())
        damaged[offset] ^= 4
        log.write_bytes(damaged)
        for _ in range(2):
            with pytest.raises(StoreError, match="is damaged and the last writes are lost: restore both files"):
                connect(f"embedded:{path}")
        assert log.read_bytes() == damaged
        sqlite3.connect(path).execute("pragma wal_checkpoint(truncate)").connection.close()
        batches_in(path)  # what the message says to do helps


def test_a_whole_log_is_read_one_that_was_cut_off_leaves_whole_batches_and_one_beside_an_empty_file_stays(copied):
    assert batches_in(copied()) == BATCHES
    size = Path(f"{copied()}-wal").stat().st_size
    for kept in (0, 10, 32, 33, 4152, size // 2, size - 1):
        path = copied()
        os.truncate(f"{path}-wal", kept)
        assert batches_in(path) < BATCHES
    path = copied()
    os.truncate(path, 0)
    with pytest.raises(StoreError, match="the file is damaged, restore it from a copy: it is empty, but has a log"):
        connect(f"embedded:{path}")
    assert Path(f"{path}-wal").stat().st_size == size
