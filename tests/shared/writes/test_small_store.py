"""The small store answers as the embedded store does, and keeps after a compaction what that keeps."""

import time
from contextlib import closing
from random import Random

import pytest
from Hbase_thrift import Mutation

from shared.stores import connect
from tests.shared.writes.small_store import SmallStore, compacted

START_MS = 1_790_000_000_000
KEEP_MS = 40
ROWS = (b"a", b"b", b"c")
COLUMNS = (b"f:x", b"f:y")
CALLS = 200


@pytest.mark.parametrize("seed", range(8))
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
            act, arguments = drawn_call(dice, now_ms[0])
            assert act(small.connection, *arguments) == act(embedded, *arguments), (act, arguments)
            if dice.random() < 0.05:
                small.cells = compacted(small.cells, KEEP_MS, now_ms[0])
                embedded.compact("t")
            assert cells_of(small.connection) == cells_of(embedded)


def cells_of(connection):
    return list(connection.table("t").scan(include_timestamp=True))


def drawn_call(dice, now_ms):
    """A call as an action on a connection, and its arguments; timestamps meet and lie on both sides of others.

    Those of the client are odd, and those of the server even: if they met, the embedded store would wait for its clock.
    """
    row, column = dice.choice(ROWS), dice.choice(COLUMNS)
    time_ms = dice.choice([None, now_ms + 1 - 2 * dice.randint(0, 30), now_ms + 1 + 2 * dice.randint(0, 10)])
    value = b"%d" % dice.randrange(3)
    return dice.choice(
        [
            (get, (row, dice.choice([None, [column], ["f"]]))),
            (get_rows, (dice.sample(ROWS, 2), [column])),
            (scan, (dice.choice([None, row]), dice.choice([None, dice.choice(ROWS)]), dice.choice([True, False]))),
            (put, (dice.sample(ROWS, 2), column, value, time_ms)),
            (put, ([row], column, value, time_ms)),
            (delete, (row, dice.choice([[column], COLUMNS]), time_ms)),
            (check_and_put, (row, column, dice.choice([None, b"0", b"1", b"2"]), value)),
        ]
    )


def get(connection, row, columns):
    return connection.table("t").row(row, columns=columns, include_timestamp=True)


def get_rows(connection, rows, columns):
    return connection.table("t").rows(rows, columns=columns, include_timestamp=True)


def scan(connection, start, stop, is_reverse):
    return list(connection.table("t").scan(start, stop, reverse=is_reverse, include_timestamp=True))


def put(connection, rows, column, value, time_ms):
    batch = connection.table("t").batch(timestamp=time_ms)
    for row in rows:
        batch.put(row, {column: value})
    batch.send()


def delete(connection, row, columns, time_ms):
    connection.table("t").delete(row, columns=columns, timestamp=time_ms)


def check_and_put(connection, row, column, expected, value):
    return connection.client.checkAndPut(b"t", row, column, expected, Mutation(column=column, value=value), {})
