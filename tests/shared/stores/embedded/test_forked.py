"""A forked process has no part in the stores that its parent has open, and connects by itself."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from thriftpy2.transport import TTransportException

from shared.stores import connect
from tests.shared.stores.processes import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.mark.parametrize("name", ["", "store.db"])
def test_a_store_of_the_parent_is_refused_in_a_forked_process_which_may_connect_by_itself_and_stays_usable(
    name: str, tmp_path: Path
) -> None:
    url = f"embedded:{tmp_path / name if name else ''}"
    connection = connect(url)
    connection.create_table("t", {"d": {}})
    table = connection.table("t")
    table.put(b"a", {b"d:a": b"1"})
    scan = table.scan(batch_size=1)
    next(scan)

    def refused(report):
        for call in (lambda: table.row(b"a"), lambda: table.put(b"b", {b"d:a": b"1"}), lambda: next(scan)):
            with pytest.raises(TTransportException, match="forked from: connect again here"):
                call()
        connection.close()
        if name:
            connect(url).table("t").put(b"b", {b"d:a": b"1"})
        report("refused")

    assert run(refused) == ["refused"]
    table.put(b"c", {b"d:a": b"1"})
    assert [row for row, _ in table.scan()] == [b"a", *[b"b"] * bool(name), b"c"]


def test_a_fork_waits_for_the_calls_of_other_threads_and_loses_none_of_them(tmp_path: Path) -> None:
    connection = connect(f"embedded:{tmp_path / 'store.db'}")
    connection.create_table("t", {"d": {}})
    table = connection.table("t")
    is_done = False

    def put_until_done(thread: int) -> int:
        number = 0
        while not is_done:
            table.put(b"%d-%04d" % (thread, number), {b"d:a": b"1"})
            number += 1
        return number

    def try_to_read(report):
        with pytest.raises(TTransportException):
            table.row(b"0")
        report("refused")

    with ThreadPoolExecutor(2) as threads:
        writers = [threads.submit(put_until_done, thread) for thread in range(2)]
        try:
            assert [run(try_to_read) for _ in range(4)] == [["refused"]] * 4
        finally:
            is_done = True
        stored = sum(writer.result() for writer in writers)
    connection.check()
    assert len(list(table.scan())) == stored
