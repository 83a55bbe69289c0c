"""What the in-process client does to arguments is what happybase's wire does."""

from typing import Any

import pytest
from Hbase_thrift import BatchMutation, ColumnDescriptor, Hbase, Mutation, TAppend, TIncrement, TScan
from thriftpy2.protocol import TBinaryProtocol
from thriftpy2.thrift import TApplicationException, TClient, TDecodeException, TProcessor
from thriftpy2.transport import TMemoryBuffer, TTransportException

from shared.stores.embedded.connection import InProcessClient


class Recorder:
    """A service that keeps the arguments of its calls."""

    def __init__(self) -> None:
        self.received: Any = None

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> None:
            self.received = arguments

        return call


def over_the_wire(name: str, arguments: tuple[Any, ...]) -> Any:
    """What a handler receives from happybase's client through thriftpy2, or the client's error."""
    recorder = Recorder()
    protocol = TBinaryProtocol(TMemoryBuffer(), decode_response=False)
    names = [spec[1] for spec in getattr(Hbase, f"{name}_args").thrift_spec.values()]
    try:
        TClient(Hbase, protocol)._send(name, **dict(zip(names, arguments, strict=False)))
        *_, call = TProcessor(Hbase, recorder).process_in(protocol)
        call()
    except (TDecodeException, UnicodeEncodeError) as error:
        return str(error)
    return recorder.received


def in_process(name: str, arguments: tuple[Any, ...]) -> Any:
    recorder = Recorder()
    try:
        getattr(InProcessClient(recorder), name)(*arguments)
    except (TDecodeException, UnicodeEncodeError) as error:
        return str(error)
    return recorder.received


CALLS = [
    ("getRow", ("t", "é", {})),
    ("getRow", ("t", bytearray(b"r"), {})),
    ("getRow", ("t", 5, {})),
    ("getRow", ("t", "\ud800", {})),
    ("getRowWithColumns", (b"t", b"r", ("a", b"b"), {})),
    ("getRowsWithColumns", ("t", ["a", None], None, {})),
    ("getVer", (b"t", b"r", "d:a", 2**31, {})),
    ("atomicIncrement", ("t", "r", "d:a", "1")),
    ("atomicIncrement", ("t", "r", "d:a", 2**63)),
    ("atomicIncrement", ("t", "r", "d:a", True)),
    ("mutateRows", (b"t", [BatchMutation("r", [Mutation(0, "d:a", "é")])], {})),
    ("mutateRows", (b"t", [BatchMutation(b"r", [Mutation(False, b"d:a", None), Mutation(True, "d:b")])], {})),
    ("mutateRows", (b"t", [BatchMutation(b"r", None)], {})),
    ("mutateRows", (b"t", ["x"], {})),
    ("scannerOpenWithScan", (b"t", TScan(startRow="a", sortColumns=False, reversed=True, caching=10), {})),
    ("scannerOpenWithScan", (b"t", TScan(columns=["d", b"m"], filterString="x"), {})),
    ("createTable", (b"t", [ColumnDescriptor(name="f:", timeToLive=None, maxVersions=7, compression="GZ")])),
    ("createTable", (b"t", [ColumnDescriptor(name="f:", maxVersions=2**31)])),
    ("increment", (TIncrement("t", "r", "d:a", 4),)),
    ("append", (TAppend("t", "r", ["d:a"], [b"1"]),)),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_arguments_arrive_as_over_the_wire(name, arguments):
    assert over_the_wire(name, arguments) == in_process(name, arguments)


def test_a_call_with_bytes_throughout_is_not_copied():
    batches = [BatchMutation(b"r", [Mutation(False, b"d:a", b"1"), Mutation(True, b"d:b")])]
    assert in_process("mutateRows", (b"t", batches, {}))[1] is batches


def test_a_missing_int_is_0_and_a_missing_struct_field_its_default():
    assert in_process("atomicIncrement", ("t", "r", "d:a")) == (b"t", b"r", b"d:a", 0)
    (increment,) = in_process("increment", (TIncrement("t"),))
    _, scan, _ = in_process("scannerOpenWithScan", ("t", TScan(), {}))
    assert increment.ammount == 0
    assert TScan() == scan


def test_arguments_may_be_named(table, connection):
    table.put("r", {"d:a": "1"})
    (result,) = connection.client.getRow(row="r", tableName="t")
    assert result.columns[b"d:a"].value == b"1"
    for arguments, named in (((b"t", b"r", {}, 1), {}), ((b"t",), {"tableName": b"t"}), ((b"t",), {"rwo": b"r"})):
        with pytest.raises(TypeError, match="getRow: takes tableName, row, attributes"):
            connection.client.getRow(*arguments, **named)


def test_calls_that_are_not_there(connection):
    with pytest.raises(TApplicationException, match="Invalid method name: 'getRowOrBefore'"):
        connection.client.getRowOrBefore(b"t", b"r", b"d")
    with pytest.raises(AttributeError, match="no call 'nosuch'"):
        connection.client.nosuch()


def test_a_closed_connection_says_so_and_can_be_opened_again(connection, table):
    scan = table.scan(batch_size=1)
    table.put(b"a", {b"d:a": b"1"})
    next(scan)
    connection.close()
    connection.close()
    with pytest.raises(TTransportException, match="the store is closed"):
        table.row(b"r")
    scan.close()
    connection.open()
    assert connection.tables() == []


def test_refreshing_the_client_keeps_the_store(connection, table):
    connection._refresh_thrift_client()
    assert connection.tables() == [b"t"]
