"""Where the embedded store and HBase are known to differ: a test shows what each does, and the README lists them."""

from collections.abc import Callable

import pytest
from attrs import frozen
from Hbase_thrift import TAppend
from thriftpy2.thrift import TApplicationException, TDecodeException

from shared.keys.limits import MAX_FILTER_BYTES
from shared.stores import OutcomeUnknown, deadline
from shared.stores.thrift1.idl import IOError as HBaseIOError
from shared.tables import Family, TableLayout
from tests.engines import EMBEDDED, plain_table


@frozen
class Difference:
    """What HBase 2.6.1 does, what the embedded store does instead, why, and the test that shows both."""

    on_hbase: str
    here: str
    why: str
    test: str


DIFFERENCES: list[Difference] = []


def differs(*, on_hbase: str, here: str, why: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Lists what a test shows."""

    def listed(test: Callable[..., None]) -> Callable[..., None]:
        DIFFERENCES.append(Difference(on_hbase, here, why, test.__name__))
        return test

    return listed


TABLE = plain_table("t", "d")


@pytest.fixture
def table(new_store):
    """An empty table of one family."""
    return new_store(TABLE).table("t")


def outcome(call: Callable[[], object]) -> object:
    """What a call returns, or the class of what it raises."""
    try:
        return call()
    except Exception as error:
        return type(error)


@differs(
    on_hbase="ColumnPrefixFilter, MultipleColumnPrefixFilter and ColumnRangeFilter return deleted cells of a row that "
    "has a newer cell with an empty qualifier, as `atomicIncrement` on a bare family makes one",
    here="deleted cells stay deleted",
    why="a fault: they seek past the tombstone of the family",
)
@pytest.mark.parametrize(
    "filter", ["ColumnPrefixFilter('a')", "MultipleColumnPrefixFilter('a')", "ColumnRangeFilter('a',true,'a',true)"]
)
@pytest.mark.parametrize("newer", ["put", "atomicIncrement"])
def test_filters_that_seek_past_a_tombstone(engine, table, filter, newer):
    if newer == "put":
        table.put(b"r", {b"d:": b"1"}, timestamp=3)
    else:
        table.connection.client.atomicIncrement(table.name, b"r", b"d", 1)
    ((_, unnamed),) = table.scan()
    assert list(unnamed) == [b"d:"]
    table.put(b"r", {b"d:a": b"deleted"}, timestamp=2)
    table.delete(b"r", [b"d"], timestamp=2)
    assert list(table.scan()) == [(b"r", unnamed)]
    rows = list(table.scan(filter=filter))
    assert rows == ([] if engine.name == EMBEDDED else [(b"r", {b"d:a": b"deleted"})])


@differs(
    on_hbase="a row whose cells are all after a scan's timestamp does not end a WHILE if its family has no earlier "
    "cell in the region",
    here="such a row always ends it",
    why="HBase does not open a family without cells in the time range, so that the result depends on other rows",
)
def test_a_family_that_is_not_looked_at(engine):
    two_families = TableLayout("t", "any row", TABLE.key, TABLE.cells, {"d": Family(), "e": Family()})
    with engine.store(two_families) as connection:
        table = connection.table("t")
        for row, column, timestamp in ((b"a", b"e:", 3), (b"b", b"d:", 9), (b"c", b"e:", 3)):
            table.put(row, {column: b"1"}, timestamp=timestamp)
        rows = [row for row, _ in table.scan(filter="WHILE RowFilter(!=,'binary:b')", timestamp=5)]
        assert rows == ([b"a"] if engine.name == EMBEDDED else [b"a", b"c"])
        table.put(b"a", {b"d:": b"1"}, timestamp=3)
        assert [row for row, _ in table.scan(filter="WHILE RowFilter(!=,'binary:b')", timestamp=5)] == [b"a"]


@differs(
    on_hbase="a row close to 32,767 bytes is refused until the gateway knows its region",
    here="every row of up to 32,767 bytes is accepted",
    why="HBase looks for the region by the table's name, the row and 16 bytes more, which must be a row key again",
)
def test_the_longest_rows(engine, table):
    row = b"x" * 32_767
    assert outcome(lambda: table.row(row)) == ({} if engine.name == EMBEDDED else HBaseIOError)
    assert list(table.scan()) == []
    table.put(row, {b"d:": b"1"})
    assert table.row(row) == {b"d:": b"1"}


@differs(
    on_hbase="a value that an increment or append computes from a cell dated 2^63-2 is dated 2^63-1, and reads that "
    "name its column do not return it",
    here="it is dated now",
    why="2^63-1 stands for the clock everywhere else",
)
def test_what_is_computed_from_the_last_timestamp(engine, table):
    seven, eight = (number.to_bytes(8, "big") for number in (7, 8))
    before, after = {b"d:a": seven, b"d:b": b"x"}, {b"d:a": eight, b"d:b": b"xy"}
    table.put(b"r", before, timestamp=2**63 - 2)
    assert table.counter_inc(b"r", b"d:a") == 8
    table.connection.client.append(TAppend(table.name, b"r", [b"d:b"], [b"y"]))
    assert table.row(b"r", columns=[b"d:a", b"d:b"]) == before
    assert table.row(b"r") == (before if engine.name == EMBEDDED else after)


@differs(
    on_hbase="a scanner does not see writes to a region after it has reached that region",
    here="each fetch sees what is committed by then",
    why="a store of one file would have to keep old rows for as long as any scanner is open",
)
def test_what_is_written_ahead_of_a_scan(engine, table):
    table.put(b"a", {b"d:": b"1"})
    table.put(b"b", {b"d:": b"1"})
    scan = table.scan(batch_size=1)
    rows = [next(scan)[0]]
    table.put(b"c", {b"d:": b"1"})
    rows += [row for row, _ in scan]
    assert rows == ([b"a", b"b", b"c"] if engine.name == EMBEDDED else [b"a", b"b"])


@differs(
    on_hbase="a filter accepts all of Java's patterns",
    here="it refuses those that Python's cannot express, with a line that names the pattern",
    why="a pattern with another meaning here would be worse",
)
def test_patterns_of_java(engine, table):
    table.put(b"r", {b"d:": b"1"})
    result = outcome(lambda: list(table.scan(filter=r"RowFilter(=,'regexstring:[a-z&&[^b]]')")))
    assert result == (TApplicationException if engine.name == EMBEDDED else [(b"r", {b"d:": b"1"})])


@differs(
    on_hbase="a filter's text may have any length",
    here="it may have up to 65,536 bytes",
    why="parsing a longer one, and calling its filters, would keep other clients waiting",
)
def test_long_filters(engine, table):
    table.put(b"r", {b"d:": b"1"})
    text = f"PrefixFilter('r') OR PrefixFilter('{'a' * MAX_FILTER_BYTES}')"
    rows = outcome(lambda: list(table.scan(filter=text)))
    assert rows == (TApplicationException if engine.name == EMBEDDED else [(b"r", {b"d:": b"1"})])


@differs(
    on_hbase="there is a namespace `hbase`, with HBase's own tables",
    here="it does not exist",
    why="there are no such tables",
)
def test_the_namespace_of_hbase_itself(engine):
    with engine.store() as connection:
        result = outcome(lambda: sorted(connection.client.getColumnDescriptors(b"hbase:meta")))
    assert result == (HBaseIOError if engine.name == EMBEDDED else [b"info:", b"rep_barrier:", b"table:"])


@differs(
    on_hbase="the text of an IOError is a Java stack trace",
    here="it is one line",
    why="the stack trace says nothing about the caller's own code",
)
def test_texts_of_io_errors(engine, table):
    with pytest.raises(HBaseIOError) as caught:
        table.put(b"r", {b"nosuch:": b"1"})
    message = caught.value.message
    assert b"NoSuchColumnFamilyException" in message
    assert (b"\n" in message) == (engine.name != EMBEDDED)


@differs(
    on_hbase="the text of a TApplicationException names only the call",
    here="it also says why",
    why="that costs nothing",
)
def test_texts_of_application_errors(engine, table):
    with pytest.raises(TApplicationException) as caught:
        table.row(b"")
    why = ": Row length is 0: wants 1..32767 bytes" if engine.name == EMBEDDED else ""
    assert caught.value.message == f"Internal error processing getRowWithColumns{why}"


@differs(
    on_hbase="the client truncates a float that is given for an int",
    here="the float is refused",
    why="it is a mistake of the caller",
)
def test_floats_for_ints(engine, table):
    result = outcome(lambda: table.counter_inc(b"r", b"d:a", value=1.7))
    assert result == (TDecodeException if engine.name == EMBEDDED else 1)


@differs(
    on_hbase="putMultiple of Thrift2 tries a negative timestamp again for minutes, and then fails for its whole region",
    here="it is refused at once, and nothing is stored",
    why="the wait helps no caller",
)
def test_negative_timestamps_of_thrift2(engine, table):
    def put():
        with deadline(1_000):
            table.connection.client.put_dated(table.name, [(b"r", {(b"d:a", -1): b"1"})])

    assert outcome(put) is (TApplicationException if engine.name == EMBEDDED else OutcomeUnknown)
    assert table.row(b"r") == {}
