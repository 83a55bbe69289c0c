"""Classes of calls by whether they may be sent twice, and how an error speaks of one."""

import pytest
from Hbase_thrift import BatchMutation, TAppend, TIncrement

from shared.stores.hbase.calls import CALLS, DATED_WRITES, READS, SCANNER_CALLS, UNREPEATABLE, description
from shared.stores.thrift1.idl import Thrift1
from shared.stores.thrift2.idl import idl


def test_every_call_of_both_services_is_in_one_class():
    classes = [*READS, *DATED_WRITES, *SCANNER_CALLS, *UNREPEATABLE]
    assert set(classes) == {*Thrift1.thrift_services, *idl().THBaseService.thrift_services}
    assert len(set(classes)) == len(classes) == 52


def test_only_what_has_a_timestamp_of_its_own_counts_as_a_dated_write():
    for name in DATED_WRITES & CALLS.keys():
        assert "timestamp" in vars(CALLS[name].arguments())
    for name in UNREPEATABLE.keys() & CALLS.keys():
        assert "timestamp" not in vars(CALLS[name].arguments())


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("getTableNames", [], "getTableNames"),
        ("getRow", ["t", "r"], "getRow on t, row 'r'"),
        ("getRow", [b"t\xff", b"\0"], r"getRow on t\xff, row b'\x00'"),
        ("mutateRows", [b"t", [BatchMutation(b"a", [])]], "mutateRows on t, 1 row from b'a' on"),
        ("mutateRowsTs", [b"t", [BatchMutation(b"a")] * 2, 5], "mutateRowsTs on t, 2 rows from b'a' on"),
        ("append", [TAppend(b"t", b"r")], "append on t, row b'r'"),
        ("incrementRows", [[TIncrement(b"t", b"r")]], "incrementRows on t, row b'r'"),
        ("incrementRows", [[]], "incrementRows"),
    ],
)
def test_how_an_error_speaks_of_a_call(name, arguments, text):
    call = CALLS[name]
    assert description(call, call.message(tuple(arguments), {})) == text
