"""Batches, deletes, counters, append, checked puts and limits."""

import struct
import time

import pytest
from Hbase_thrift import BatchMutation, IllegalArgument, IOError, Mutation, TAppend, TCell, TIncrement
from thriftpy2.thrift import TApplicationException

from shared.stores.embedded import mutations

LARGEST_VALUE = 10_485_756 - 20 - len(b"r") - len(b"d") - len(b"a")


def stored(connection) -> int:
    """Versions in the database, shown or not."""
    return connection.transport._database.execute("select count(*) from cells").fetchone()[0]


def test_a_put_without_a_timestamp_has_the_clock_s(table):
    before = time.time_ns() // 1_000_000
    table.put(b"r", {b"d:a": b"1"})
    ((_, timestamp),) = table.row(b"r", include_timestamp=True).values()
    assert before <= timestamp <= time.time_ns() // 1_000_000
    table.put(b"q", {b"d:a": b"1"}, timestamp=2**63 - 1)
    ((_, timestamp),) = table.row(b"q", include_timestamp=True).values()
    assert before <= timestamp <= time.time_ns() // 1_000_000


def test_the_same_row_column_and_timestamp_is_the_same_cell(table):
    table.put(b"r", {b"d:a": b"1"}, timestamp=7)
    table.put(b"r", {b"d:a": b"2"}, timestamp=7)
    with table.batch(timestamp=7) as batch:
        batch.put(b"r", {b"d:a": b"3"})
        batch.put(b"r", {b"d:a": b"4"})
    assert table.cells(b"r", b"d:a", include_timestamp=True) == [(b"4", 7)]


def test_in_one_batch_all_puts_come_before_all_deletes(table):
    for first, second in (("put", "delete"), ("delete", "put")):
        with table.batch() as batch:
            for action in (first, second):
                if action == "put":
                    batch.put(b"r", {b"d:a": b"1", b"d:b": b"2"})
                else:
                    batch.delete(b"r", [b"d:a"])
        assert table.row(b"r") == {b"d:b": b"2"}


def test_a_delete_takes_a_family_a_column_or_the_row_up_to_its_timestamp(table):
    cells = {b"d:": b"0", b"d:a": b"1", b"d:b": b"2", b"m:x": b"3"}
    table.put(b"r", cells, timestamp=5)
    table.delete(b"r", [b"d:a", b"m"], timestamp=4)
    assert cells == table.row(b"r")
    table.delete(b"r", [b"d:"], timestamp=5)
    assert {b"d:a", b"d:b", b"m:x"} == set(table.row(b"r"))
    table.delete(b"r", [b"d"], timestamp=5)
    assert table.row(b"r") == {b"m:x": b"3"}
    table.put(b"r", {b"d:future": b"4"}, timestamp=2**62)
    table.delete(b"r")
    assert table.row(b"r") == {b"d:future": b"4"}


def test_a_delete_removes_every_version_up_to_its_timestamp(table):
    for timestamp in (1, 2, 3):
        table.put(b"r", {b"d:a": b"%d" % timestamp}, timestamp=timestamp)
    table.delete(b"r", [b"d:a"], timestamp=2)
    assert table.cells(b"r", b"d:a") == [b"3"]


def test_a_row_with_a_bad_family_is_left_out_and_the_others_are_stored(table):
    batch = table.batch()
    batch.put(b"bad", {b"d:a": b"1", b"x:a": b"1"})
    batch.put(b"good", {b"d:a": b"1"})
    batch.put(b"worse", {b"x:b": b"1"})
    with pytest.raises(IOError) as caught:
        batch.send()
    assert b"client.RetriesExhaustedWithDetailsException: Failed 2 actions: " in caught.value.message
    assert b"Column family x does not exist" in caught.value.message
    assert b": 2 times, servers with issues: " in caught.value.message
    assert [row for row, _ in table.scan()] == [b"good"]


def test_deletes_are_left_out_when_a_put_was_refused(table):
    table.put(b"old", {b"d:a": b"1"})
    batch = table.batch()
    batch.delete(b"old")
    batch.put(b"bad", {b"x:a": b"1"})
    with pytest.raises(IOError, match="Failed 1 action"):
        batch.send()
    assert table.row(b"old") == {b"d:a": b"1"}
    batch = table.batch()
    batch.delete(b"old", [b"d:a"])
    batch.delete(b"bad", [b"x:a"])
    with pytest.raises(IOError, match="Failed 1 action"):
        batch.send()
    assert table.row(b"old") == {}


@pytest.mark.parametrize(
    ("row", "column", "timestamp"),
    [(b"", b"d:a", None), (b"x" * 32_768, b"d:a", None), (b"r", b"d", None), (b"r", b"d:a", -1)],
)
def test_an_undeclared_error_leaves_nothing_of_the_call(table, row, column, timestamp):
    batch = table.batch(timestamp=timestamp)
    batch.put(b"good", {b"d:a": b"1"})
    batch.put(row, {column: b"1"})
    with pytest.raises(TApplicationException, match="Internal error processing mutateRows"):
        batch.send()
    assert list(table.scan()) == []


def test_an_illegal_table_name_is_an_illegal_argument_of_a_batch(connection):
    with pytest.raises(IllegalArgument, match="Illegal table name"):
        connection.table("a b").put(b"r", {b"d:a": b"1"})


def test_nothing_to_do_is_done(table, connection):
    table.put(b"r", {})
    table.batch().send()
    connection.client.mutateRows(b"t", [BatchMutation(row=b"r", mutations=None)], {})
    connection.client.mutateRows(b"t", [BatchMutation(row=b"r", mutations=[Mutation(column=b"d:a")])], {})
    assert table.row(b"r") == {b"d:a": b""}


def test_the_largest_cell_and_the_two_errors_above_it(table):
    table.put(b"r", {b"d:a": bytes(LARGEST_VALUE)})
    for more in (1, 4):
        batch = table.batch()
        batch.put(b"r", {b"d:a": bytes(LARGEST_VALUE + more)})
        batch.put(b"other%d" % more, {b"d:a": b"1"})
        with pytest.raises(IOError, match=f"with size {10_485_760 + more} exceeds limit of 10485760 bytes"):
            batch.send()
    with pytest.raises(IllegalArgument, match="KeyValue size too large"):
        table.put(b"r", {b"d:a": bytes(LARGEST_VALUE + 5)})
    assert len(table.row(b"r")[b"d:a"]) == LARGEST_VALUE
    assert list(table.scan(row_prefix=b"other")) == []  # what is too large fails its whole region


def test_one_row_s_mutations_are_deletes_first_and_drop_a_put_without_qualifier(table, connection):
    table.put(b"r", {b"d:a": b"1", b"d:b": b"1"}, timestamp=1)
    changes = [Mutation(column=b"d:a", value=b"2"), Mutation(column=b"d", value=b"?"), Mutation(True, b"d")]
    connection.client.mutateRow(b"t", b"r", changes[:2], {})
    assert table.row(b"r") == {b"d:a": b"2", b"d:b": b"1"}
    connection.client.mutateRowTs(b"t", b"r", [changes[2], Mutation(column=b"d:a", value=b"3")], 2**62, {})
    assert table.row(b"r") == {}
    with pytest.raises(IOError, match="NoSuchColumnFamily"):
        connection.client.mutateRowTs(b"t", b"r", [Mutation(column=b"x:a", value=b"2")], 5, {})
    with pytest.raises(IOError, match="TableNotFoundException"):
        connection.client.mutateRow(b"nope", b"r", changes, {})
    connection.client.mutateRow(b"nope", b"r", [], {})  # nothing to do, so nothing is sent


def test_the_delete_all_calls(table, connection):
    client = connection.client
    cells = {b"d:a": b"1", b"d:b": b"1", b"m:x": b"1"}
    table.put(b"r", cells, timestamp=5)
    client.deleteAllTs(b"t", b"r", b"d:a", 4, {})
    client.deleteAllRowTs(b"t", b"r", 4, {})
    assert cells == table.row(b"r")
    client.deleteAll(b"t", b"r", b"d:a", {})
    assert {b"d:b", b"m:x"} == set(table.row(b"r"))
    client.deleteAllRow(b"t", b"r", {})
    assert table.row(b"r") == {}


def test_a_delete_masks_earlier_puts_that_come_later_until_a_compaction(table, connection):
    table.delete(b"r", [b"d:a", b"m"], timestamp=5)
    table.put(b"r", {b"d:a": b"1", b"d:b": b"1", b"m:a": b"1"}, timestamp=5)
    assert table.row(b"r") == {b"d:b": b"1"}
    table.put(b"r", {b"d:a": b"2", b"m:a": b"2"}, timestamp=6)
    table.delete(b"r", [b"d:a"], timestamp=3)  # an earlier delete takes nothing back from the later one
    table.put(b"r", {b"d:a": b"3"}, timestamp=4)
    assert table.cells(b"r", b"d:a") == [b"2"]
    connection.compact("t")
    table.put(b"r", {b"d:a": b"3", b"m:b": b"3"}, timestamp=4)
    assert table.cells(b"r", b"d:a") == [b"2", b"3"]
    assert table.row(b"r", [b"m:b"]) == {b"m:b": b"3"}


def test_thrift_s_own_compactions_leave_the_tombstones(table, connection):
    table.delete(b"r", [b"d:a"], timestamp=5)
    connection.compact_table("t")
    connection.compact_table("t", major=True)
    table.put(b"r", {b"d:a": b"1"}, timestamp=5)
    assert table.row(b"r") == {}


def test_a_counter_is_never_dated_ahead_of_the_clock_by_its_own_increments(table):
    for number in range(20):
        table.counter_inc(b"r", b"d:n")
        table.counter_set(b"r", b"d:n", number)
        assert table.counter_get(b"r", b"d:n") == number
    ((_, timestamp),) = table.cells(b"r", b"d:n", versions=1, include_timestamp=True)
    assert timestamp <= time.time_ns() // 1_000_000


def test_cells_expire_by_their_timestamp_and_compaction_removes_them(connection):
    connection.create_table("ttl", {"d": {"time_to_live": 60}, "m": {}})
    table = connection.table("ttl")
    now_ms = time.time_ns() // 1_000_000
    old = {b"d:a": b"old", b"m:a": b"old"}
    table.put(b"r", old, timestamp=now_ms - 61_000)
    table.put(b"q", {b"d:a": b"fresh"}, timestamp=now_ms - 59_000)
    table.counter_set(b"n", b"d:n", 7)
    assert list(table.scan()) == [
        (b"n", {b"d:n": struct.pack(">q", 7)}),
        (b"q", {b"d:a": b"fresh"}),
        (b"r", {b"m:a": b"old"}),
    ]
    assert table.cells(b"r", b"d:a") == []
    assert list(table.scan(filter="ValueFilter(=, 'binary:old')")) == [(b"r", {b"m:a": b"old"})]
    assert table.counter_inc(b"r", b"d:a") == 1  # an expired counter starts anew
    connection.compact("ttl")
    assert stored(connection) == 4


@pytest.fixture
def small_parts(monkeypatch):
    """Batches of more than four mutations are stored in parts of two."""
    monkeypatch.setattr(mutations, "MAX_ATOMIC_MUTATIONS", 4)
    monkeypatch.setattr(mutations, "_PART", 2)


@pytest.mark.usefixtures("small_parts")
def test_a_large_batch_stores_all_its_puts_before_its_deletes(table):
    with table.batch() as batch:
        for row in range(10):
            batch.delete(b"%d" % row, [b"d:a"])
            batch.put(b"%d" % row, {b"d:a": b"1", b"d:b": b"2"})
    assert list(table.scan()) == [(b"%d" % row, {b"d:b": b"2"}) for row in range(10)]


@pytest.mark.usefixtures("small_parts")
def test_a_large_batch_leaves_out_what_is_refused_and_counts_all_of_it(table):
    batch = table.batch()
    for row in range(10):
        batch.put(b"%d" % row, {b"nope:a" if row % 3 == 0 else b"d:a": b"1"})
        batch.delete(b"%d" % row, [b"d:a"])
    with pytest.raises(IOError, match=r"Failed 4 actions: .*nope does not exist.*: 4 times"):
        batch.send()
    assert [row for row, _ in table.scan()] == [b"1", b"2", b"4", b"5", b"7", b"8"]


@pytest.mark.usefixtures("small_parts")
def test_a_cell_too_large_in_the_last_part_fails_the_rows_of_its_region_in_the_first(table):
    batch = table.batch()
    for row in range(9):
        batch.put(b"%d" % row, {b"d:a": b"1"})
    batch.put(b"9", {b"d:a": b"x" * (LARGEST_VALUE + 1)})
    with pytest.raises(IOError, match="Failed 10 actions"):
        batch.send()
    assert list(table.scan()) == []


@pytest.mark.usefixtures("small_parts")
def test_a_table_that_is_disabled_within_a_large_batch_ends_it(table, connection, monkeypatch):
    parts = []

    def pause():
        parts.append(len(list(table.scan())))
        connection.disable_table("t")

    monkeypatch.setattr(mutations, "let_others_in", pause)
    batch = table.batch()
    for row in range(10):
        batch.put(b"%d" % row, {b"d:a": b"1"})
    with pytest.raises(IOError, match="is disabled"):
        batch.send()
    assert parts == [2]
    connection.enable_table("t")
    assert len(list(table.scan())) == 2


def test_a_deleted_row_costs_a_read_until_a_compaction(table, connection):
    def rows_read(action) -> int:
        before = connection.client.rows_read
        action()
        return connection.client.rows_read - before

    for number in range(10):
        table.put(b"%d" % number, {b"d:a": b"1"}, timestamp=1)
        if number % 2:
            table.delete(b"%d" % number)
    assert rows_read(lambda: list(table.scan())) == 10
    assert rows_read(lambda: list(table.scan(reverse=True))) == 10
    assert rows_read(lambda: list(table.scan(limit=2, batch_size=2))) == 3
    assert rows_read(lambda: table.row(b"1")) == 1
    assert rows_read(lambda: table.row(b"none")) == 0
    connection.compact("t")
    assert rows_read(lambda: list(table.scan())) == 5
    assert rows_read(lambda: table.row(b"1")) == 0


def test_split_points_are_rows_and_each_another(connection):
    for points, given in (([b""], "0 bytes, as number 0"), ([b"a", "a"], "1 bytes, as number 1")):
        with pytest.raises(ValueError, match=f"split_points: each must be 1..32767 bytes and occur once .* {given}"):
            connection.create_split_table("s", {"d": {}}, points)
        assert b"s" not in connection.tables()
    connection.create_split_table("s", {"d": {}}, ["m", b"c", "a"])
    assert [region["start_key"] for region in connection.table("s").regions()] == [b"", b"a", b"c", b"m"]


def test_a_hot_column_keeps_few_surplus_versions_and_compaction_none(table, connection):
    for timestamp in range(2_000):
        table.put(b"hot", {b"d:a": b"%d" % timestamp}, timestamp=timestamp)
    assert stored(connection) < 400  # some 16; 400 would take luck of one in 10**11
    assert table.cells(b"hot", b"d:a") == [b"1999", b"1998", b"1997"]
    connection.compact("t")
    assert stored(connection) == 3
    assert table.cells(b"hot", b"d:a") == [b"1999", b"1998", b"1997"]


def test_a_counter_counts_and_wraps(table):
    assert table.counter_get(b"r", b"d:n") == 0
    assert {b"d:n": bytes(8)} == table.row(b"r")
    assert table.counter_inc(b"r", b"d:n", 5) == 5
    assert table.counter_dec(b"r", b"d:n", 2) == 3
    assert table.counter_inc(b"r", b"d:n", 2**63 - 3) == -(2**63)
    assert table.counter_inc(b"r", b"d") == 1
    assert struct.pack(">q", 1) == table.row(b"r")[b"d:"]


def test_a_counter_s_versions_go_ahead_of_the_clock(table):
    table.put(b"r", {b"d:n": struct.pack(">q", 7)}, timestamp=2**50)
    table.counter_inc(b"r", b"d:n")
    assert [stamp for _, stamp in table.cells(b"r", b"d:n", include_timestamp=True)] == [2**50 + 1, 2**50]


def test_what_is_no_counter_is_not_counted(table, connection):
    table.put(b"r", {b"d:n": b"abc", b"d:e": b""})
    with pytest.raises(IOError, match="Field is not a long, it's 3 bytes wide"):
        table.counter_inc(b"r", b"d:n")
    with pytest.raises(IOError, match="Field is not a long, it's 0 bytes wide"):
        table.counter_inc(b"r", b"d:e")
    for row, column in ((b"", b"d:n"), (b"x" * 32_768, b"d:n"), (b"r", b""), (b"r", b"x:n")):
        with pytest.raises(IOError):
            table.counter_inc(row, column)


def test_increment_adds_and_returns_nothing(table, connection):
    increment = TIncrement(table="t", row="r", column="d:n", ammount=2)
    assert connection.client.increment(increment) is None
    connection.client.incrementRows([increment, increment])
    assert table.counter_get(b"r", b"d:n") == 6
    with pytest.raises(TApplicationException):
        connection.client.increment(TIncrement(table="t", row="r", column="d", ammount=2))


def test_append_returns_the_new_cells(table, connection):
    table.put(b"r", {b"d:a": b"1"}, timestamp=2**50)
    request = TAppend(table=b"t", row=b"r", columns=[b"d:b", b"d:a", b"d:a"], values=[b"x", b"2", b"3"])
    first_a, last_a, new_b = connection.client.append(request)
    assert (TCell(b"12", 2**50 + 1), TCell(b"13", 2**50 + 1)) == (first_a, last_a)
    assert new_b.value == b"x"
    assert table.row(b"r") == {b"d:a": b"13", b"d:b": b"x"}
    for columns, values in (([], []), ([b"d:a"], []), ([b"d"], [b"1"])):
        with pytest.raises(TApplicationException):
            connection.client.append(TAppend(table=b"t", row=b"r", columns=columns, values=values))


def test_a_checked_put_wants_the_value_or_nothing(table, connection):
    def check(value: bytes | None, new: bytes) -> bool:
        return connection.client.checkAndPut(b"t", b"r", b"d:a", value, Mutation(column=b"d:a", value=new), {})

    assert not check(b"1", b"2")
    assert check(None, b"")
    assert check(None, b"")
    assert check(b"", b"1")
    assert not check(None, b"2")
    assert check(b"1", b"2")
    assert table.row(b"r") == {b"d:a": b"2"}
    with pytest.raises(TApplicationException):
        connection.client.checkAndPut(b"t", b"r", b"d", None, Mutation(column=b"d:a", value=b"1"), {})
    with pytest.raises(IllegalArgument, match="Row length is 0"):
        connection.client.checkAndPut(b"t", b"", b"d:a", None, Mutation(column=b"d:a", value=b"1"), {})
    with pytest.raises(IllegalArgument, match="32768 is > 32767"):
        connection.client.checkAndPut(b"t", b"x" * 32_768, b"d:a", None, Mutation(column=b"d:a"), {})
