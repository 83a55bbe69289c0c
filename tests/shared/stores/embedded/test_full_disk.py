"""A full disk: an error that says what to do, nothing by half, and all well again when there is room."""

import os
import resource
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from Hbase_thrift import IOError

from shared.stores import StoreError, connect
from tests.shared.stores.embedded.batches import batches_in, store_batch
from tests.shared.stores.processes import run

ADVICE = b"the disk is full or failed, free some space and try again"


def limit_files(size: int) -> None:
    """No file of this process may grow beyond it. Python ignores the signal, so that the write fails."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def fill(path: Path, report: Callable[[tuple[int, str]], None]) -> None:
    """Stores batches until the disk is full, then makes room and goes on."""
    connection, number = connect(f"embedded:{path}"), 0
    table = connection.table("t")
    limit_files(1_000_000)
    try:
        for number in count():
            store_batch(table, number)
    except IOError as error:
        report((number, error.message.decode()))
    for still_full in (lambda: store_batch(table, number), lambda: table.put(b"long", {b"d:a": bytes(3_000_000)})):
        with pytest.raises(IOError):
            still_full()
    assert batches_in(path) == number
    limit_files(resource.RLIM_INFINITY)
    store_batch(table, number)
    connection.close()
    assert batches_in(path) == number + 1


def test_a_full_disk_is_an_error_and_leaves_whole_batches(path):
    [(number, message)] = run(lambda report: fill(path, report))
    assert f"{path}: {ADVICE.decode()}: disk I/O error" in message
    assert "\n" not in message
    assert number > 5


def test_a_store_cannot_be_made_on_a_full_disk(tmp_path):
    path = tmp_path / "new.db"

    def make(report: Callable[[str], None]) -> None:
        for size in (0, 1000, 5000, 20_000):
            limit_files(size)
            try:
                connect(f"embedded:{path}").create_table("t", {"d": {}})
            except (StoreError, IOError) as error:
                report(error.message.decode() if isinstance(error, IOError) else str(error))
            limit_files(resource.RLIM_INFINITY)

    messages = run(make)
    assert len(messages) >= 3
    assert all(ADVICE.decode() in message for message in messages), messages
    assert connect(f"embedded:{path}").tables() in ([], [b"t"])


def test_a_store_with_a_log_is_opened_and_read_on_a_full_disk(path):
    def write_and_die(report: Callable[[object], None]) -> None:
        table = connect(f"embedded:{path}").table("t")
        for number in range(50):
            table.put(b"%02d" % number, {b"d:a": bytes(2000)})
        os._exit(0)

    def read(report: Callable[[object], None]) -> None:
        limit_files(path.stat().st_size)
        table = connect(f"embedded:{path}").table("t")
        report(len(list(table.scan())))
        with pytest.raises(IOError) as caught:
            table.put(b"x", {b"d:a": b"1"})
        assert ADVICE in caught.value.message

    run(write_and_die)
    assert run(read) == [50]
    assert len(list(connect(f"embedded:{path}").table("t").scan())) == 50
