"""The small store answers as the embedded store does, and keeps after a compaction what that keeps."""

import time
from contextlib import closing
from random import Random

import pytest
from Hbase_thrift import Mutation

from shared.stores import connect
from tests.shared.intents.small_store import SmallStore, compacted

START_MS = 1_790_000_000_000
KEEP_MS = 40
ROWS = (b"a", b"b", b"c")
COLUMNS = (b"f:x", b"f:y")
CALLS = 200


@pytest.mark.parametrize("seed", range(4))
def test_random_calls_are_answered_as_by_the_embedded_store(seed, monkeypatch):
    dice = Random(seed)
    now_ms = [START_MS]
    monkeypatch.setattr(time, "time_ns", lambda: now_ms[0] * 1_000_000)
    small = SmallStore({}, START_MS)
    with closing(connect("embedded:")) as embedded:
        embedded.create_split_table("t", {"f": {"max_versions": 1, "keep_tombstones_ms": KEEP_MS}})
        for _ in range(CALLS):
            now_ms[0] += 2 * dice.randint(1, 5)
            small.now_ms = now_ms[0]
            name, call = drawn_call(dice, now_ms[0])
            assert call(small.connection.table("t")) == call(embedded.table("t")), name
            if dice.random() < 0.05:
                small.cells = compacted(small.cells, KEEP_MS, now_ms[0])
                embedded.compact("t")
            assert cells_of(small.connection) == cells_of(embedded)


def cells_of(connection):
    return list(connection.table("t").scan(include_timestamp=True))


def drawn_call(dice, now_ms):
    """The name of a call, and the call on a table; timestamps meet and lie on both sides of others.

    Those of the client are odd, and those of the server even: if they met, the embedded store would wait for its clock.
    """
    row, column, rows = dice.choice(ROWS), dice.choice(COLUMNS), dice.sample(ROWS, dice.randint(1, 2))
    time_ms = dice.choice([None, now_ms + 1 - 2 * dice.randint(0, 30), now_ms + 1 + 2 * dice.randint(0, 10)])
    value, expected = b"%d" % dice.randrange(3), dice.choice([None, b"0", b"1", b"2"])
    some, columns = dice.choice([None, [column], ["f"]]), dice.choice([[column], COLUMNS])
    start, stop, is_reverse = dice.choice([None, row]), dice.choice([None, *ROWS]), dice.choice([True, False])

    def put(table):
        with table.batch(timestamp=time_ms) as batch:
            for row_of_batch in rows:
                batch.put(row_of_batch, {column: value})

    mutation = Mutation(column=column, value=value)
    calls = {
        "get": lambda table: table.row(row, columns=some, include_timestamp=True),
        "get rows": lambda table: table.rows(rows, columns=[column], include_timestamp=True),
        "scan": lambda table: list(table.scan(start, stop, reverse=is_reverse, include_timestamp=True)),
        "put": put,
        "delete": lambda table: table.delete(row, columns=columns, timestamp=time_ms),
        "check": lambda table: table.connection.client.checkAndPut(b"t", row, column, expected, mutation, {}),
    }
    return dice.choice([*calls.items(), ("put", put)])
