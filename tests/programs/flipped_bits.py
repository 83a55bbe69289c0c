"""Records what flipped bits in the file of an embedded store do to its answers, and what its checksums cost.

python -m tests.programs flipped_bits [FLIPS]
"""

import json
import random
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias
from unittest.mock import patch

import happybase

from shared.stores import StoreError, connect
from shared.stores.embedded import damage, engine
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.thrift1.idl import IOError
from tests.programs.pages.flipped_bits import FLIPPED_BITS

PAGE_BYTES = 4096
HEAD_BYTES = 12
CELLS = 12_000
COLUMNS = 6
GETS = 1_000
ROUNDS = 41

Fate: TypeAlias = Literal["harmless", "error", "silent"]


def stock(path: Path) -> None:
    """Writes a store of about 30 pages: long values, tombstones, two tables, three regions."""
    rng = random.Random(7)
    with closing(connect(f"embedded:{path}")) as connection:
        connection.create_split_table("t", {"d": {"max_versions": 1}, "m": {}}, [b"row-050", b"row-100"])
        connection.create_table("u", {"x": {}})
        with connection.table("t").batch(batch_size=100, timestamp=1) as batch:
            for number in range(150):
                size = rng.choice([0, 8, 30, 100, 900, 9000 if number % 20 == 0 else 20])
                values = {b"d:a": rng.randbytes(size), b"d:b": b"%d" % number, b"m:": b"m" * 50}
                batch.put(b"row-%03d" % number, values)
        with connection.table("t").batch(timestamp=2) as batch:
            for number in range(0, 150, 11):
                batch.delete(b"row-%03d" % number)
        for number in range(20):
            connection.table("u").put(b"%d" % number, {b"x:": b"%d" % number}, timestamp=3)


# For each table: a column, and rows that are stored, that were deleted, or that lie between them.
ASKED = {
    b"t": (b"d:b", [b"row-%03d%s" % (number, end) for number in range(152) for end in (b"", b"x")[: 1 + number % 2]]),
    b"u": (b"x:", [b"%d" % number for number in range(22)]),
}


def answers(path: Path) -> list[Any]:
    """All that a store answers: its tables, scans in both directions and with a filter, rows, columns and versions."""
    found: list[Any] = []
    with closing(connect(f"embedded:{path}")) as connection:
        for name in connection.tables():
            table = connection.table(name)
            found += [name, table.families(), [region["start_key"] for region in table.regions()]]
            for options in ({}, {"reverse": True}, {"filter": "PageFilter(1000)"}):
                found.append([*table.scan(include_timestamp=True, batch_size=70, **options)])
            column, rows = ASKED.get(name, (b"x:", []))
            for row in rows:
                found.append(table.row(row, include_timestamp=True))
                found.append(table.row(row, [column]))
            found.append([table.cells(row, column, include_timestamp=True) for row in rows[:20]])
    return found


def fate(path: Path, data: bytes, bit: int, whole: list[Any]) -> Fate:
    """What a flipped bit does to a file: nothing, an error that names the file, or another answer in silence."""
    flipped = bytearray(data)
    flipped[bit // 8] ^= 1 << bit % 8
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    path.write_bytes(flipped)
    try:
        return "harmless" if answers(path) == whole else "silent"
    except (StoreError, IOError) as error:
        text = error.message.decode() if isinstance(error, IOError) else str(error)
        if str(path) not in text or "\n" in text:
            raise
        return "error"


@contextmanager
def as_larger_file() -> Iterator[None]:
    """Within the block, a file is opened as if it were too large to be checked whole."""
    with patch.object(damage, "_CHECKED_PAGES", 0):
        yield


def fates(whole: Path, bits: Iterable[int]) -> Counter[Fate]:
    """How many of these flipped bits of a file have which fate."""
    expected, data = answers(whole), whole.read_bytes()
    with TemporaryDirectory() as folder:
        return Counter(fate(Path(folder) / "flipped.db", data, bit, expected) for bit in bits)


def bits_of_heads(data: bytes, count: int) -> list[int]:
    """A sample of the bits in the heads of pages, which say how many records a page has and where they are."""
    starts = [100, *range(PAGE_BYTES, len(data), PAGE_BYTES)]  # the head of the file comes before the first page's
    bits = [8 * start + bit for start in starts for bit in range(8 * HEAD_BYTES)]
    return random.Random(1).sample(bits, count)


# Costs


def bytes_ratio(path: Path) -> float:
    """The size of a store's file over that of the same cells without checksums."""
    sizes: list[int] = []
    with closing(sqlite3.connect(path)) as database:
        database.execute("pragma journal_mode = delete")
        for statement in ("vacuum", "alter table cells drop column checksum", "vacuum"):
            database.execute(statement)
            sizes.append(path.stat().st_size)
    return sizes[0] / sizes[-1]


def processor_times(*sides: Callable[[], object]) -> list[float]:
    """The median time that each side computes, in turns; a wait for the processor or the disk does not count."""
    taken: list[list[float]] = [[] for _ in sides]
    for _ in range(ROUNDS):
        for side, times in zip(sides, taken, strict=True):
            begin_s = time.process_time()
            side()
            times.append(time.process_time() - begin_s)
    return [median(times) for times in taken]


def put(table: happybase.Table, rows: Iterable[bytes]) -> None:
    """Stores rows of six cells."""
    with table.batch(batch_size=1_000) as batch:
        for row in rows:
            batch.put(row, {b"d:%d" % column: b"v" * 60 for column in range(COLUMNS)})


def put_ratio(path: Path) -> float:
    """The time of puts over that of puts whose checksums are not computed."""
    with closing(connect(f"embedded:{path}")) as connection:
        connection.create_table("t", {"d": {"max_versions": 1}})
        with_checksums = partial(put, connection.table("t"), [b"row-%04d" % number for number in range(GETS)])

        def without() -> None:
            with patch.object(engine, "cell_checksum", lambda *_: 2**30):
                with_checksums()

        one, other = processor_times(with_checksums, without)
        return one / other


def read_ratios(path: Path) -> dict[str, dict[str, float]]:
    """The time of reads over that without checksums, in a file of at most 4 MiB and in a larger one."""
    with closing(EmbeddedConnection(str(path))) as connection:
        connection.create_table("t", {"d": {"max_versions": 1}})
        table, store = connection.table("t"), connection.client.service.engine
        rows = [b"row-%06d" % number for number in range(CELLS // COLUMNS)]
        put(table, rows)
        reads: dict[str, Callable[[], object]] = {
            "scan": lambda: [*table.scan()],
            "get": lambda: [table.row(row) for row in rows[:GETS]],
            "get of one column": lambda: [table.row(row, [b"d:0"]) for row in rows[:GETS]],
            "get of a row that is not there": lambda: [table.row(row + b"x") for row in rows[:GETS]],
        }

        def run(read: Callable[[], object], *, verified: bool, checked: bool = True) -> None:
            with patch.multiple(store, path=store.path if verified else None, _is_checked=checked):
                read()

        ratios: dict[str, dict[str, float]] = {}
        for name, read in reads.items():
            small, large, without = processor_times(
                partial(run, read, verified=True),
                partial(run, read, verified=True, checked=False),
                partial(run, read, verified=False),
            )
            ratios[name] = {"small": small / without, "large": large / without}
    return ratios


def measured(flips: int) -> dict[str, Any]:
    """The figures of the page of the stores."""
    with TemporaryDirectory() as folder:
        path, costs = Path(folder) / "whole.db", Path(folder) / "costs.db"
        stock(path)
        data = path.read_bytes()
        bits, heads = random.Random(1).sample(range(8 * len(data)), flips), bits_of_heads(data, flips)
        small = fates(path, bits)
        with as_larger_file():
            large, large_heads = fates(path, bits), fates(path, heads)
        put_time = put_ratio(Path(folder) / "puts.db")
        times = {"put": {"small": put_time, "large": put_time}} | read_ratios(costs)
        return {
            "date": datetime.now(UTC).date().isoformat(),
            "file_bytes": len(data),
            "flips": {"small": small, "large": large, "heads": large_heads},
            "bytes": bytes_ratio(costs),
            "times": times,
        }


if __name__ == "__main__":
    figures = measured(int(sys.argv[1]) if sys.argv[1:] else 1_000)
    FLIPPED_BITS.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(FLIPPED_BITS.read_text(encoding="utf-8"))
