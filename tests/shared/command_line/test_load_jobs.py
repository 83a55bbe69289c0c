"""`rowbook load --jobs`: files in processes of their own."""

import multiprocessing
import os
import signal
import time
from contextlib import closing

import pytest

from shared.command_line.files import jobs as jobs_of_load
from shared.command_line.files.jobs import in_processes
from shared.command_line.screen.wrong_usage import CommandFailed
from shared.stores import connect
from tests.shared.command_line.running import ended
from tests.shared.stores.hbase.thrift2_gateway import both_gateways

LINE = '10.0.0.{file} - - [12/Jan/2026:08:00:00 +0000] "GET /{number} HTTP/1.1" 200 1\n'


@pytest.fixture
def url():
    with both_gateways() as (connection, _store):
        yield f"hbase://127.0.0.1:{connection.port}?thrift2_port={connection.thrift2_port}"


def logs(folder, files, lines):
    """Access logs of as many different lines each; returns their names."""
    for file in range(files):
        (folder / f"{file}.log").write_text("".join(LINE.format(file=file, number=number) for number in range(lines)))
    return [f"{file}.log" for file in range(files)]


def rows(url):
    with closing(connect(url)) as connection:
        return sum(1 for _ in connection.table("logs").scan())


def test_files_are_stored_by_several_processes_and_listed_in_their_order(ok, folder, url):
    out = ok(f"load logs {' '.join(logs(folder, 5, 30))} --store {url} --jobs 3")
    assert out.splitlines() == [f"{file}.log: combined, 30 records stored" for file in range(5)]
    assert rows(url) == 150


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "No such file"), ("bad\n", "is not CSV: must begin with the columns")]
)
def test_a_file_that_cannot_be_read_fails_the_command_after_the_files_under_way(rowbook, folder, url, content, reason):
    files = logs(folder, 1, 300)
    if content is not None:
        (folder / "bad.log").write_text(content)
    code, out, err = rowbook(f"load logs {files[0]} bad.log --store {url} --jobs 2")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"bad.log: {reason}")
    assert err.endswith("; 300 records stored\n")


@pytest.mark.long
def test_ctrl_c_ends_all_processes_and_says_what_is_stored(real_process, folder, url):
    process = real_process("load", "logs", *logs(folder, 2, 30_000), "--store", url, "--jobs", "2")
    time.sleep(0.5)
    with closing(connect(url)) as connection:
        while b"logs" not in connection.tables() or not next(connection.table("logs").scan(limit=1), None):
            time.sleep(0.02)
    code, out, err = ended(process, signal.SIGINT)
    assert (code, out) == (130, "")
    assert err.startswith("interrupted; ")
    assert err.endswith("; run the same command to resume\n")
    assert 0 < rows(url) < 60_000


def test_a_process_that_is_killed_is_an_error():
    def die_at_one(number):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(CommandFailed, match=r"^a process of --jobs was killed; run the same command to resume$"):
        in_processes(die_at_one, range(4), 2, lambda _answer: False)
    assert in_processes(lambda number: number, range(10), 3, lambda _answer: False) == ([*range(10)], False)


def test_a_process_that_is_killed_before_it_receives_its_item_is_an_error_too(monkeypatch):
    def die(*_):
        time.sleep(0.2)  # until the item is sent: then reading its answer is ECONNRESET, not the end
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(jobs_of_load, "_work", die)
    with pytest.raises(CommandFailed, match=r"^a process of --jobs was killed; run the same command to resume$"):
        in_processes(abs, range(2), 2, lambda _answer: False)


@pytest.mark.parametrize("to", [signal.raise_signal, lambda number: os.killpg(0, number)], ids=["parent", "all"])
def test_ctrl_c_between_two_items_begins_no_further_one_and_is_reported(to):
    def work():
        os.setpgid(0, 0)
        done, was_interrupted = in_processes(abs, range(20), 2, lambda _answer: bool(to(signal.SIGINT)))
        os._exit(0 if was_interrupted and len(done) < 20 else 1)

    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(60)
    assert child.exitcode == 0


@pytest.mark.parametrize(("store", "jobs"), [("embedded:a.db", "2"), ("hbase://127.0.0.1:1", "0")])
def test_a_file_store_has_one_writer_and_a_load_at_least_one_process(rowbook, folder, store, jobs):
    code, out, err = rowbook(f"load logs {' '.join(logs(folder, 2, 1))} --store {store} --jobs {jobs}")
    assert (code, out, err.startswith("--jobs: must be ")) == (2, "", True)
