"""Starting an HBase: an error of one line names what is missing, and a stopped HBase leaves nothing behind."""

import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import happybase
import pytest

from tests.programs.hbase import java, server
from tests.programs.hbase.java import NotStarted, jars, java_command
from tests.programs.hbase.listening import LOOPBACK, listening
from tests.programs.hbase.server import HOST, free_ports, running

ROOT = Path(__file__).parents[2]


def program(folder, name, script):
    """A program of a few lines of shell on a PATH of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bin_(tmp_path, monkeypatch):
    """The only folder on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return folder


@pytest.fixture
def no_jars(monkeypatch, tmp_path):
    """What starts needs no download, and leaves its folder below that of the test."""
    monkeypatch.setattr(server, "jars", lambda _pom: tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


# ---- java and maven ---------------------------------------------------------------------------------

OLD = "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2"
RIGHT = "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (None, r"must be on the PATH: install Java 17 \(on Debian openjdk-17-"),
        (OLD, r"must be 17 or newer \(got 11 from .*/bin/java\)"),
        ("echo segfault >&2", r"must be 17 or newer \(got segfault from .*/bin/java\)"),
    ],
)
def test_a_missing_or_old_java_is_named_with_what_to_do_and_java_home_goes_before_it(
    bin_, tmp_path, monkeypatch, script, message
):
    if script:
        program(bin_, "java", script)
    with pytest.raises(NotStarted, match=f"^java: {message}"):
        java_command(64, [])
    right = program(tmp_path / "home" / "bin", "java", RIGHT)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert str(right) in java_command(64, [])


@pytest.fixture
def pom(tmp_path, monkeypatch):
    """A project that wants jars, and a place of their own for them."""
    monkeypatch.setattr(java, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(java, "ROOT", tmp_path)
    path = tmp_path / "some" / "pom.xml"
    path.parent.mkdir()
    path.write_text("<project/>")
    return path


def test_a_download_that_fails_is_named_with_its_log_and_starts_again_as_it_does_when_the_pom_changes(bin_, pom):
    program(bin_, "mvn", "echo no route to host; exit 1")
    with pytest.raises(NotStarted, match=r"^mvn: could not download the jars of some/pom.xml: .* log: ") as caught:
        jars(pom)
    assert Path(str(caught.value).rpartition("log: ")[2]).read_text() == "no route to host\n"
    calls = pom.parents[1] / "calls"
    program(bin_, "mvn", f"echo once >> {calls}")
    for text in ("<project/>", "<project/>", "<project></project>"):
        pom.write_text(text)
        assert jars(pom) == pom.parents[1] / "kept" / "some-jars"
    assert calls.read_text() == "once\nonce\n"


# ---- ports and starts that fail ---------------------------------------------------------------------


def test_a_port_in_use_is_named():
    with closing(socket.create_server((HOST, 0))) as occupied:
        port = occupied.getsockname()[1]
        with pytest.raises(NotStarted, match=f"^port {port}: must be free .*; name another$"):
            free_ports(port)


SLEEPS = f"{RIGHT}; test $1 = -version && exit; exec /bin/sleep 60"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (f"{RIGHT}; test $1 = -version || echo it broke; exit 3", "server ended with 3; log: "),
        (
            f"{RIGHT}; echo it broke: Address already in use; exit 1",
            "server ended with 1, a port that was free is in use now: start it again; log: ",
        ),
        (f"echo it broke; {SLEEPS}", r"server must be ready in 0.3 s: is the machine busy\? log: "),
    ],
)
def test_a_server_that_does_not_start_is_named_with_its_log_which_stays(bin_, no_jars, monkeypatch, script, message):
    monkeypatch.setattr(server, "START_S", 0.3)
    program(bin_, "java", script)
    with pytest.raises(NotStarted, match=f"^HBase: {message}/.*/server.log$") as caught, running():
        pass
    assert "it broke" in Path(str(caught.value).rpartition("log: ")[2]).read_text()


def test_a_folder_in_use_is_named(bin_, no_jars, monkeypatch):
    monkeypatch.setattr(server, "START_S", 0.3)
    program(bin_, "java", SLEEPS)
    message = "must be used by one HBase at a time"
    with server.locked(no_jars), pytest.raises(NotStarted, match=message), running(data=no_jars):
        pass


# ---- a real one -------------------------------------------------------------------------------------


@pytest.mark.hbase
def test_two_run_side_by_side_on_loopback_and_leave_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with running(region_servers=1) as first, running(region_servers=1) as second:
        pids = [process.pid for server in (first, second) for process in server.servers.running.values()]
        addresses = {address for pid in pids for address in listening(pid)}
        for server in (first, second):
            with closing(happybase.Connection(HOST, server.ports.thrift1)) as connection:
                assert connection.tables() == []
    assert len(pids) == 6
    assert addresses <= LOOPBACK
    assert addresses
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.hbase
def test_make_hbase_says_its_url_and_ctrl_c_ends_it_with_the_data_kept(tmp_path):
    command = [sys.executable, "-u", "-m", "tests.programs.hbase", "--data", str(tmp_path)]
    for rows_before in ({}, {b"f:v": b"1"}):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            url = next(line for line in process.stdout if line.startswith("--store")).split("'")[1]
            with closing(happybase.Connection(HOST, int(url.partition("?")[0].rpartition(":")[2]))) as connection:
                if not rows_before:
                    connection.create_table("t", {"f": {}})
                table = connection.table("t")
                assert table.row(b"r") == rows_before
                table.put(b"r", {b"f:v": b"1"})
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
