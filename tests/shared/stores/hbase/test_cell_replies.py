"""Replies that become arrays: each is what thriftpy2 reads, or is left to it with all its bytes."""

import random

import pytest
from Hbase_thrift import Hbase, TCell, TRowResult, TScan
from hypothesis import given, settings
from hypothesis import strategies as st
from thriftpy2.protocol import TBinaryProtocol
from thriftpy2.thrift import TApplicationException, TMessageType
from thriftpy2.transport import TMemoryBuffer

from shared.keys.cell_arrays import CellArrays
from shared.keys.ranges import RowRange
from shared.queries.scanning import scan_cells
from shared.stores import connect
from shared.stores.hbase.cell_replies import CellReplyReader, UnusualReply
from shared.stores.server import ThriftServer
from tests.shared.stores.scripted_gateway import Fault, until

SEQUENCE_ID = 5
MARK = b"\x0b\x00\x01\x00"
"""What the reader looks for; here it is also in rows, columns, values and timestamps."""
TEXTS = st.lists(st.sampled_from([MARK, MARK + b"\x00\x00\x02", b"\x00", b"\xff", b"d:a"]), max_size=4).map(b"".join)
CELLS = st.dictionaries(TEXTS, st.tuples(TEXTS, st.sampled_from([0, -1, 2**62, 0x0B000100, 0x0B0001])), max_size=6)
ROWS = st.lists(st.tuples(TEXTS, CELLS), max_size=6)


def reply(rows):
    """The bytes of a reply, as thriftpy2's server writes it; HBase's gateway writes the same."""
    results = [TRowResult(row, {column: TCell(*cell) for column, cell in cells.items()}) for row, cells in rows]
    buffer = TMemoryBuffer()
    protocol = TBinaryProtocol(buffer)
    protocol.write_message_begin("scannerGetList", TMessageType.REPLY, SEQUENCE_ID)
    Hbase.scannerGetList_result(success=results).write(protocol)
    return bytes(buffer.getvalue())


def read_by_thriftpy2(data):
    """The rows of a reply, and its length; None if it cannot be read."""
    buffer = TMemoryBuffer(data)
    protocol = TBinaryProtocol(buffer, decode_response=False)
    result = Hbase.scannerGetList_result()
    try:
        protocol.read_message_begin()
        result.read(protocol)
        rows = [(one.row, {name: (c.value, c.timestamp) for name, c in one.columns.items()}) for one in result.success]
        return rows, len(data) - len(buffer.getvalue())
    except Exception:
        return None


def read_in_parts(data, sizes):
    """The cells of a reply that arrives in parts, and its length; None if it is left to thriftpy2 or incomplete."""
    reader, arrived = CellReplyReader("scannerGetList", SEQUENCE_ID), bytearray()
    while not reader.is_complete(arrived):
        if len(arrived) == len(data):
            return None
        arrived += data[len(arrived) : len(arrived) + next(sizes)]
    return reader.cells(bytes(arrived)), reader.end


def rows_of(cells):
    """Rows with their cells; a column that comes twice, which no map has, is an error."""
    columns_of = [[cells.column(cell) for cell in cells.cells_of(row)] for row in range(len(cells))]
    assert all(len(set(columns)) == len(columns) for columns in columns_of)
    return rows_in([cells])


@settings(max_examples=25)
@given(ROWS, st.lists(st.integers(1, 40), min_size=1))
def test_arrays_hold_the_rows_that_thriftpy2_reads_in_whatever_parts_a_reply_arrives(rows, sizes):
    data = reply(rows)
    try:
        cells, end = read_in_parts(data, iter(sizes * len(data)))
    except UnusualReply:
        assert any(not of_row for _, of_row in rows)
        return
    assert all(of_row for _, of_row in rows)
    assert (rows_of(cells), end) == (rows, len(data))
    assert rows_of(cells.without_first()) == rows[1:]


def test_random_changes_of_a_reply_never_give_other_rows_than_those_of_thriftpy2():
    dice = random.Random(1)
    outcomes = {"left": 0, "equal": 0}
    for _ in range(400):
        cells = {b"t:%c%c" % (n, n + 1): (dice.randbytes(dice.choice((1, 2, 4))), 1 << 40) for n in range(4)}
        data = bytearray(reply([(b"row-%d" % n, cells) for n in range(3)]))
        for _ in range(dice.randint(1, 2)):
            place = dice.randrange(len(data)) if dice.random() < 0.95 else len(data) - 1
            match dice.randrange(3):
                case 0:
                    data[place] = dice.choice((0, 1, 2, 0x0B, 0x0C, 0x80, 0xFF, dice.randrange(256)))
                case 1:
                    del data[place : place + dice.randint(1, 5)]
                case _:
                    data[place:place] = dice.choice((MARK, b"\x00", dice.randbytes(3)))
        try:
            read = read_in_parts(bytes(data), iter([dice.randint(1, 200) for _ in data] + [1]))
        except UnusualReply:
            read = None
        if read is None:
            outcomes["left"] += 1
            continue
        found, end = read
        columns = [(row, found.column(cell)) for row in range(len(found)) for cell in found.cells_of(row)]
        if len(set(columns)) < len(columns):  # thriftpy2 keeps one of them
            continue
        assert (rows_of(found), end) == read_by_thriftpy2(bytes(data))
        outcomes["equal"] += 1
    assert min(outcomes.values()) > 10


# On a connection

STORED = [(b"r-%02d" % n, {b"d:a": (b"1", 1), b"d:b": (b"x" * n, 1)}) for n in range(10)]


@pytest.fixture
def gateway(gateway):
    for row, cells in STORED:
        gateway.table.put(row, {column: value for column, (value, _) in cells.items()}, timestamp=1)
    return gateway


ALL = [RowRange(b"", None)]


def rows_in(batches):
    return [
        (one.rows[row], {one.column(cell): (one.value(cell), int(one.written_ms[cell])) for cell in one.cells_of(row)})
        for one in batches
        for row in range(len(one.rows))
    ]


def scanned(table, batch_rows=3, ranges=ALL, **options):
    return rows_in(scan_cells(table, ranges, columns=[b"d"], batch_rows=batch_rows, **options))


FAULTS = [Fault.LOST_REPLY, Fault.CUT_REPLY, Fault.EXPIRED, Fault.WRONG_REPLY, Fault.GARBAGE, Fault.CLOSED_AFTER]


@pytest.mark.parametrize(("fault", "fetch"), [*zip(FAULTS, (0, 2) * 3, strict=True), (Fault.NO_REPLY, 1)])
def test_a_scan_of_arrays_continues_after_a_fault_with_each_row_once(gateway, fault, fetch):
    table = gateway.opened(fault)
    batches = scan_cells(table, ALL, columns=[b"d"], batch_rows=2)
    rows = rows_in(next(batches) for _ in range(fetch))
    gateway.goes_wrong("scannerGetList", fault)
    assert rows + rows_in(batches) == STORED
    assert gateway.is_done


def test_a_reversed_scan_of_arrays_drops_the_row_that_a_new_scanner_repeats(gateway, table):
    client = table.connection.client
    scanner = client.scannerOpenWithScan(b"t", TScan(reversed=True), {})
    cells = client.fetch_cells(scanner, 3)
    assert isinstance(cells, CellArrays)
    gateway.goes_wrong("scannerGetList", Fault.LOST_REPLY)
    assert cells.rows + client.fetch_cells(scanner, 20).rows == [row for row, _ in reversed(STORED)]


def test_an_error_in_place_of_arrays_is_raised_and_the_next_scan_is_answered(table):
    with pytest.raises(TApplicationException):
        scanned(table, filter=b"Nonsense(")
    with pytest.raises(Exception, match="nowhere"):
        rows_in(scan_cells(table, ALL, columns=[b"nowhere"], batch_rows=3))
    assert scanned(table) == STORED


@pytest.mark.parametrize(("transport", "protocol"), [("buffered", "binary"), ("framed", "compact")])
def test_every_transport_and_protocol_gives_the_same_arrays(gateway, transport, protocol):
    with ThriftServer(gateway.store.service, transport=transport, protocol=protocol) as server:
        url = f"hbase://127.0.0.1:{server.port}?transport={transport}&protocol={protocol}"
        table = connect(url).table("t")
        two = (RowRange(b"r-01", b"r-04"), RowRange(b"r-05", None))
        assert scanned(table, ranges=two) == STORED[1:4] + STORED[5:]
        assert scanned(gateway.store.table("t"), ranges=two) == STORED[1:4] + STORED[5:]
        client = table.connection.client
        fetched = client.fetch_cells(client.scannerOpenWithScan(b"t", TScan(), {}), 3)
        assert isinstance(fetched, CellArrays if protocol == "binary" else list)
        table.connection.close()


def test_the_next_batch_is_asked_for_before_the_reader_needs_it(gateway, table):
    batches = scan_cells(table, ALL, columns=[b"d"], batch_rows=3)
    next(batches)
    table.connection.helpers.finish(5)
    assert gateway.count("scannerGetList") == 2
    batches.close()
    assert until(lambda: gateway.scanners == 0)
