"""The Thrift1 service is the one of HBase 2.6: its calls, structs and enums, and the bytes of its answers."""

import re
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import happybase
import Hbase_thrift
import pytest

from shared.stores import connect
from shared.stores.embedded.connection import EmbeddedConnection
from shared.stores.embedded.service import ThriftService
from shared.stores.server.thrift_server import ThriftServer
from shared.stores.thrift1.idl import IOError, Thrift1, TThriftServerType
from tests.shared.stores.wire import answers, arguments_of, message
from tests.thrift1 import idl_of_hbase, parse_idl

HAPPYBASES_IDL = Path(happybase.__file__).with_name("Hbase.thrift")


@pytest.fixture
def store(connection):
    connection.create_table("t", {"d": {}})
    return connection


@pytest.fixture
def server(store):
    with ThriftServer(store.service) as running:
        yield running


# The service as HBase defines it


@pytest.fixture
def hbase(tmp_path):
    """HBase's IDL, parsed."""
    return parse_idl(idl_of_hbase(tmp_path), "hbase_of_the_jar")


def shape(spec: dict[int, Any]) -> dict[int, Any]:
    """The fields of a struct by their ids, with structs by their names."""
    return {number: (kind, name, *map(of, rest)) for number, (kind, name, *rest) in sorted(spec.items())}


def of(item: Any) -> Any:
    if isinstance(item, tuple):
        return tuple(map(of, item))
    return item.__name__ if isinstance(item, type) else item


def test_its_calls_are_those_of_hbase_with_their_arguments_results_and_exceptions(hbase):
    services = {name for name in Thrift1.thrift_services if hasattr(ThriftService, name)}
    assert services == set(hbase.Hbase.thrift_services)
    for name in hbase.Hbase.thrift_services:
        for part in (f"{name}_args", f"{name}_result"):
            ours, theirs = (shape(getattr(service, part).thrift_spec) for service in (Thrift1, hbase.Hbase))
            assert ours == theirs, part


def test_its_structs_and_enums_are_those_of_hbase_but_for_a_field_that_changes_no_answer(hbase):
    ours: dict[str, Any] = {**vars(Hbase_thrift), "IOError": IOError}
    structs = [*hbase.__thrift_meta__["structs"], *hbase.__thrift_meta__["exceptions"]]
    assert {struct.__name__ for struct in structs} >= {"TScan", "TAppend", "IOError", "AlreadyExists"}
    missing, defaults = {}, {}
    for their_struct in structs:
        name_of, here = their_struct.__name__, ours[their_struct.__name__]
        fields, theirs = shape(here.thrift_spec), shape(their_struct.thrift_spec)
        missing |= {f"{name_of}.{theirs[number][1]}": number for number in theirs.keys() - fields.keys()}
        assert fields == {number: theirs[number] for number in fields}
        for _, name, *_ in fields.values():
            values = getattr(here(), name), getattr(their_struct(), name)
            if values[0] != values[1]:
                defaults[f"{name_of}.{name}"] = values
    assert missing == {"TScan.cacheBlocks": 10}
    assert defaults == {"ColumnDescriptor.timeToLive": (-1, 2**31 - 1)}  # both for ever
    (enum,) = hbase.__thrift_meta__["enums"]
    assert enum._NAMES_TO_VALUES == TThriftServerType._NAMES_TO_VALUES


def test_the_same_fields_are_optional(tmp_path):
    """A parsed struct does not say which."""
    pattern = re.compile(r"^\s*(\d+)\s*:\s*optional\s+(.+?),?\s*$", re.MULTILINE)
    theirs = pattern.findall(idl_of_hbase(tmp_path).read_text(encoding="utf-8"))
    ours = pattern.findall(HAPPYBASES_IDL.read_text(encoding="utf-8"))
    assert len(ours) == 11
    assert theirs == [*ours, ("10", "bool cacheBlocks")]


# The added calls


def test_each_store_has_an_id_of_its_own_which_a_file_keeps(server, store, tmp_path):
    cluster_id = store.client.getClusterId()
    with closing(connect(f"hbase://{server.address}")) as connection, closing(EmbeddedConnection(None)) as other:
        assert connection.client.getClusterId() == store.client.getClusterId() == cluster_id
        assert other.client.getClusterId() != cluster_id
    path = str(tmp_path / "store.db")
    ids = set()
    for _ in range(2):
        with closing(EmbeddedConnection(path)) as first, closing(EmbeddedConnection(path)) as second:
            ids |= {first.client.getClusterId(), second.client.getClusterId()}
            first.check()
    assert len(ids) == 1


def test_a_store_that_cannot_be_written_shows_its_id_or_says_why_it_has_none(tmp_path, monkeypatch):
    path = tmp_path / "store.db"
    for has_id in (False, True):
        with closing(EmbeddedConnection(str(path))) as connection:
            made = connection.client.getClusterId() if has_id else None
        monkeypatch.setattr("shared.stores.embedded.database._is_writable", lambda path: False)
        with closing(EmbeddedConnection(str(path))) as connection:
            if has_id:
                assert connection.client.getClusterId() == made
            else:
                with pytest.raises(IOError, match="readonly database"):
                    connection.client.getClusterId()
        monkeypatch.undo()


def test_happybases_own_client_works_as_before(server):
    with closing(happybase.Connection(server.host, server.port)) as connection:
        assert not hasattr(connection.client, "getClusterId")
        with pytest.raises(Hbase_thrift.IOError, match="TableNotFoundException") as caught:
            connection.client.getRow(b"nosuch", b"r", {})
        assert type(caught.value) is Hbase_thrift.IOError


# The bytes of answers


def call(name: str, *values: Any) -> bytes:
    return message(name, arguments_of(name, *values))


def reply(name: str, body: bytes) -> bytes:
    return b"\x80\x01\x00\x02" + struct.pack(">i", len(name)) + name.encode() + struct.pack(">i", 7) + body


def test_the_added_calls_answer_the_bytes_that_hbase_answers(server, store):
    """Copied from HBase 2.6.1, but for the id."""
    for name, body in (
        ("getThriftServerType", b"\x08\x00\x00\x00\x00\x00\x01\x00"),
        ("getClusterId", b"\x0b\x00\x00\x00\x00\x00$" + store.client.getClusterId() + b"\x00"),
        ("getTableNamesWithIsTableEnabled", b"\r\x00\x00\x0b\x02\x00\x00\x00\x01\x00\x00\x00\x01t\x01\x00"),
    ):
        assert answers(server, call(name)) == reply(name, body)
