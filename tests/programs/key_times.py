"""Records how long a get takes on a real HBase, for keys of several lengths, and the longest key.

Each length has a table of rows with one cell of eight bytes, written to a file and read from the block cache. The gets
of all lengths take turns, each of a random row, through the Thrift1 gateway.
"""

import random
import sys
from functools import partial
from os import getloadavg
from statistics import median, quantiles
from typing import Any

import happybase
import Hbase_thrift

from shared.keys.limits import MAX_ROW_BYTES
from tests.programs.hbase.named import NamedHBase
from tests.programs.hbase.recording import record, times_in_turns
from tests.programs.hbase.table_files import write_files
from tests.programs.hbase.write_counts import server_counters
from tests.programs.pages.key_lengths import KEY_TIMES

LENGTHS = (8, 15, 16, 17, 24, 32, 100)
ROWS = 20_000
AT_ONCE = 1_000
GETS = 4_000
WARM_UP = 1_000
COLUMN, VALUE = b"f:v", b"12345678"


def stored(connection: happybase.Connection, length: int, chance: random.Random) -> tuple[happybase.Table, list[bytes]]:
    """A table of random keys of this length, written to a file."""
    name = f"keys_{length}"
    connection.create_table(name, {"f": {"max_versions": 1, "bloom_filter_type": "ROW", "block_cache_enabled": True}})
    table, rows = connection.table(name), [chance.randbytes(length) for _ in range(ROWS)]
    with table.batch(batch_size=AT_ONCE) as batch:
        for row in rows:
            batch.put(row, {COLUMN: VALUE})
    write_files(connection, name)
    assert sum(1 for _ in table.scan(batch_size=AT_ONCE)) == ROWS  # now the block cache has all of them
    return table, rows


def get_times(connection: happybase.Connection) -> list[dict[str, Any]]:
    """The milliseconds of gets, for each length."""
    chance = random.Random(0)
    tables = {length: stored(connection, length, chance) for length in LENGTHS}

    def get(length: int) -> None:
        table, rows = tables[length]
        assert table.row(chance.choice(rows)) == {COLUMN: VALUE}

    all_taken = times_in_turns({length: partial(get, length) for length in LENGTHS}, WARM_UP + GETS)
    taken = {length: times[WARM_UP:] for length, times in all_taken.items()}
    return [
        {
            "key_bytes": length,
            "median_ms": round(median(taken[length]), 2),
            "p99_ms": round(quantiles(taken[length], n=100)[-1], 2),
            "below_1_ms": round(sum(ms < 1 for ms in taken[length]) / GETS, 3),
        }
        for length in LENGTHS
    ]


def refusal(connection: happybase.Connection) -> str:
    """Why a key of one byte more than the longest is refused; the longest itself is stored."""
    connection.create_table("longest", {"f": {}})
    table = connection.table("longest")
    table.put(b"k", {COLUMN: VALUE})  # the gateway refuses a row close to the limit until it knows its region
    table.put(b"k" * MAX_ROW_BYTES, {COLUMN: VALUE})
    assert table.row(b"k" * MAX_ROW_BYTES) == {COLUMN: VALUE}
    put = Hbase_thrift.Mutation(isDelete=False, column=COLUMN, value=VALUE)
    try:  # of all puts only this call says why
        connection.client.checkAndPut(table.name, b"k" * (MAX_ROW_BYTES + 1), COLUMN, None, put, {})
    except Hbase_thrift.IllegalArgument as error:
        return str(error.message.decode()).splitlines()[0].rpartition(": ")[2]
    raise AssertionError(f"a key of {MAX_ROW_BYTES + 1} bytes must be refused")


def server_times(info_url: str) -> dict[str, Any]:
    """The milliseconds that the region server itself counted for all gets: their mean, and what 99 % do not exceed."""
    counters = server_counters(info_url)
    return {"mean_ms": round(counters["Get_mean"], 2), "p99_ms": counters["Get_99th_percentile"]}


def measured(connection: happybase.Connection, named: NamedHBase) -> dict[str, Any]:
    """The figures of the recording."""
    times, refused = get_times(connection), refusal(connection)
    load, of_server = round(getloadavg()[0]), server_times(named.info_url or "")
    return {"rows": ROWS, "gets": GETS, "refused": refused, "load": load, "region_server": of_server, "times": times}


if __name__ == "__main__":
    sys.exit(record(KEY_TIMES, measured))
