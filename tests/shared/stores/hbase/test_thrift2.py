"""What only Thrift2 can say of a table: in an embedded store, through a gateway to one, and on HBase."""

import re
import socket
from contextlib import closing
from typing import Any

import attrs
import pytest
from Hbase_thrift import AlreadyExists, IOError

from shared.stores import DeadlineExceeded, StoreError, Unreachable, connect, deadline
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.hbase.connection import HBaseConnection
from shared.stores.server.thrift_server import ThriftServer
from shared.tables import create_tables, drop_tables
from shared.tables.creation import NeedsThrift2
from tests.engines import plain_table
from tests.programs.hbase.named import named_hbase
from tests.programs.hbase.stores import with_thrift2
from tests.shared.stores.hbase.thrift2_gateway import both_gateways, serving_both


@pytest.fixture(params=["embedded", "gateways", pytest.param("HBase", marks=pytest.mark.hbase)])
def opened(request):
    """A connection to a store of each kind, and what it can do beyond Thrift1."""
    stores = {"embedded": lambda: closing(EmbeddedConnection(None)), "gateways": both_gateways, "HBase": with_thrift2}
    with stores[request.param]() as opened:
        connection = opened[0] if request.param == "gateways" else opened
        with connection.beyond_thrift1() as beyond:
            yield connection, beyond


@pytest.fixture
def gateways():
    """A connection through both gateways, what it can do beyond Thrift1, and the store."""
    with both_gateways() as (connection, store), connection.beyond_thrift1() as beyond:
        yield connection, beyond, store


def test_a_table_is_as_happybase_makes_it_but_for_what_thrift1_cannot_express(opened):
    connection, beyond = opened
    families = {
        "d": {},
        "log": {"max_versions": 7, "time_to_live": 60, "bloom_filter_type": "ROWCOL", "in_memory": True},
    }
    connection.create_table("plain", families)
    log = {**families["log"], "block_size": 4096, "keep_tombstones_ms": 2**63 - 1}
    beyond.create_split_table("split", {**families, "log": log}, ["m", b"c", b"\xff"])
    assert connection.table("split").families() == connection.table("plain").families()
    assert beyond.block_sizes("plain") == {b"d": 65536, b"log": 65536}
    assert beyond.block_sizes("split") == {b"d": 65536, b"log": 4096}
    assert beyond.keep_tombstones_ms("plain") == {b"d": 0, b"log": 0}
    assert beyond.keep_tombstones_ms("split") == {b"d": 0, b"log": 2**63 - 1}
    borders = [(region["start_key"], region["end_key"]) for region in connection.table("split").regions()]
    assert borders == [(b"", b"c"), (b"c", b"m"), (b"m", b"\xff"), (b"\xff", b"")]


def test_what_the_store_refuses_is_raised_as_thrift1_raises_it(opened):
    connection, beyond = opened
    connection.create_table("there", {"d": {}})
    with pytest.raises(AlreadyExists, match="table name already in use"):
        beyond.create_split_table("there", {"d": {}}, [b"m"])
    for call in (beyond.block_sizes, beyond.keep_tombstones_ms):
        with pytest.raises(IOError, match="missing"):
            call("missing")
    size_error = "^Block size for column family d  must be between 1K and 16MB"
    for size in (0, 1023, 2**24 + 1):
        with pytest.raises(IOError, match=size_error):
            beyond.create_split_table("other", {"d": {"block_size": size}}, [b"m"])
    assert connection.tables() == [b"there"]
    assert beyond.block_sizes("there") == {b"d": 65536}  # the gateway goes on


REFUSED = [
    *(
        (r"split_points: each must be 1..32767 bytes and occur once \(got b'", {}, points)
        for points in ([b""], [b"a" * 32768], ["a", b"a"])
    ),
    *(
        (r"keep_tombstones_ms: must be 0..9223372036854775807 \(got ", {"keep_tombstones_ms": keep_ms}, [])
        for keep_ms in (-1, 2**63, 600.0)
    ),
]


@pytest.mark.parametrize(("reason", "family", "points"), REFUSED)
def test_a_wrong_option_or_split_point_is_refused_before_anything_is_created(opened, reason, family, points):
    connection, beyond = opened
    with pytest.raises(ValueError, match=f"^{reason}"):
        beyond.create_split_table("t", {"d": family}, points)
    assert connection.tables() == []


# ---- the gateway


def test_transport_protocol_and_prefix_are_those_of_the_connection():
    with both_gateways("framed", "compact") as (connection, store):
        connection.table_prefix = b"p"
        with connection.beyond_thrift1() as beyond:
            beyond.create_split_table("t", {"d": {"block_size": 2048, "keep_tombstones_ms": 5}}, [b"m"])
            assert (connection.tables(), store.tables()) == ([b"t"], [b"p_t"])
            assert store.block_sizes("p_t") == beyond.block_sizes("t") == {b"d": 2048}
            assert store.keep_tombstones_ms("p_t") == beyond.keep_tombstones_ms("t") == {b"d": 5}


def test_tables_are_created_with_their_namespace_if_that_is_missing(opened):
    connection, beyond = opened
    tables = [attrs.evolve(plain_table(f"ns:{name}"), is_recorded=True) for name in ("t", "other")]
    namespace = connection.table("ns:t").name.rpartition(b":")[0]
    for _ in range(2):
        create_tables(connection, tables)
        beyond.create_namespace(namespace)
    connection.table("ns:t").put(b"r", {b"f:v": b"1"})
    assert [row for row, _ in connection.table("ns:t").scan()] == [b"r"]
    assert [*connection.table("ns:other").scan()] == []
    assert sorted(connection.tables()) == [b"ns:other", b"ns:t", b"rowbook_layouts"]
    drop_tables(connection, tables)
    assert connection.tables() == [b"rowbook_layouts"]
    named = named_hbase()
    if named and connection.port == named.port:
        beyond._client.deleteNamespace(namespace.decode())


def test_without_thrift2_a_missing_namespace_is_an_error_that_says_how_to_create_it():
    with (
        both_gateways() as (whole, store),
        closing(connect(f"hbase://{whole.host}:{whole.port}")) as connection,
    ):
        table = plain_table("ns:t")
        with pytest.raises(NeedsThrift2, match=r"^table ns:t: its namespace ns is missing, .* create_namespace 'ns' "):
            create_tables(connection, [table])
        store.create_namespace("ns")
        create_tables(connection, [table])
        assert connection.tables() == [b"ns:t"]


@pytest.mark.parametrize(("option", "value"), [("compression", "LZMA"), ("bloom_filter_type", "row")])
def test_what_thrift2_has_no_number_for_is_refused(gateways, option, value):
    with pytest.raises(ValueError, match=rf"^{option}: must be one of \w+, .* \(got '{value}'\)$"):
        gateways[1].create_split_table("t", {"d": {option: value}})


def refusal(thrift1_port: int, port: int, **options: Any) -> str:
    with (
        closing(HBaseConnection("127.0.0.1", thrift1_port, thrift2_port=port, **options)) as connection,
        pytest.raises(StoreError) as refused,
        connection.beyond_thrift1(),
    ):
        pass
    return str(refused.value)


def test_a_port_of_no_thrift2_gateway_is_refused_with_what_is_there():
    with both_gateways() as (connection, store), socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        wanted = f"thrift2_port: must be the port of a Thrift2 gateway (got hbase://127.0.0.1:{port}: "
        assert refusal(connection.port, port) == f"{wanted}cannot connect (Connection refused))"
        wanted = wanted.replace(str(port), str(connection.port))
        assert refusal(connection.port, connection.port) == f"{wanted}it is a Thrift1 gateway)"
        with ThriftServer(store.service) as older:
            del older._processor._calls["getThriftServerType"]
            reason = refusal(connection.port, older.port)
            assert reason.endswith(": Invalid method name: 'getThriftServerType')")
        with serving_both(store, "framed") as (_, port):
            reason = refusal(connection.port, port, timeout_ms=200)
            assert re.search(r": (no reply within 0.2 s|the reply did not come)", reason)


def test_a_deadline_also_ends_the_first_call_to_thrift2():
    with (
        both_gateways() as (connection, _store),
        socket.create_server(("127.0.0.1", 0)) as silent,
        closing(HBaseConnection("127.0.0.1", connection.port, thrift2_port=silent.getsockname()[1])) as opened,
        pytest.raises(DeadlineExceeded, match="the deadline has passed: no reply before the deadline"),
        deadline(100),
        opened.beyond_thrift1(),
    ):
        pass


def test_a_closed_connection_puts_nothing_through_thrift2_until_it_is_opened_again(gateway):
    connection = gateway.opened().connection
    row = [(b"r", {(b"d:a", 5): b"1"})]
    connection.client.put_dated(b"t", row)
    connection.close()
    with pytest.raises(Unreachable, match="the connection is closed"):
        connection.client.put_dated(b"t", row)
    assert gateway.count("putMultiple") == 1
    connection.open()
    connection.client.put_dated(b"t", row)
    assert gateway.count("getThriftServerType") == 2
