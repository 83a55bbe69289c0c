"""What runs the command line, within this process or in one of its own."""

import io
import os
import shlex
import signal
import subprocess
import sys
from contextlib import ExitStack, redirect_stdout
from functools import cache
from itertools import count, islice
from pathlib import Path

import attrs
import pytest

from domains.command_line import designs
from domains.command_line.designs import design_named
from domains.command_line.main import main
from shared.stores import connect
from tests.domains.conftest import sampled, sampled_file

__all__ = ["sampled", "sampled_file"]

ROOT = Path(__file__).parents[2]
OF_THE_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Commands run in an empty folder, away from the terminal of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in OF_THE_TERMINAL:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def new_url(engine, folder):
    """Makes URLs of empty stores; those on HBase have the given tables already, since making them takes seconds."""
    with ExitStack() as stores:
        numbers = count()
        yield lambda *tables: stores.enter_context(engine.url(f"store-{next(numbers)}.db", *tables))


@pytest.fixture
def rowbook(folder, capsys, monkeypatch):
    """Runs a command line; returns exit code, stdout and stderr."""

    def run(line):
        monkeypatch.setattr(sys, "argv", ["rowbook", *shlex.split(line)])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return end.value.code or 0, out, err

    return run


@pytest.fixture
def ok(rowbook):
    """Runs a command that must end well and say nothing on stderr; returns what it prints."""

    def run(line):
        code, out, err = rowbook(line)
        assert (code, err) == (0, "")
        return out

    return run


@pytest.fixture(scope="session")
def in_memory():
    """As `ok`, for a command that neither reads nor writes files: it runs once, however many tests look at it."""

    @cache
    def run(line):
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out:
            patch.setattr(sys, "argv", ["rowbook", *shlex.split(line)])
            for name in OF_THE_TERMINAL:
                patch.delenv(name, raising=False)
            with pytest.raises(SystemExit) as end:
                main()
        assert not end.value.code
        return out.getvalue()

    return run


@pytest.fixture
def few_samples(folder, monkeypatch):
    """The designs with forty lines of their samples, where a test asks for no more."""

    def cut(design):
        return attrs.evolve(design, loads=tuple(map(cut_load, design.loads)))

    def cut_load(load):
        path = folder / f"few-{load.samples.name}"
        with load.samples.open(encoding="utf-8") as file:
            path.write_text("".join(islice(file, 40)), encoding="utf-8")
        return attrs.evolve(load, samples=path)

    monkeypatch.setattr(designs, "design_named", lambda name: cut(design_named(name)))


@pytest.fixture
def stored(folder):
    """All cells of all tables of a store, with timestamps."""

    def read(url):
        connection = connect(url)
        try:
            names = connection.tables()
            return {name.decode(): list(connection.table(name).scan(include_timestamp=True)) for name in names}
        finally:
            connection.close()

    return read


@pytest.fixture
def real_process(folder):
    """Starts a command in a process of its own; what still runs in the end is killed."""
    started = []

    def start(*arguments, **environment):
        process = subprocess.Popen(
            [sys.executable, "-c", "from domains.command_line.main import main; main()", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment},
            # Ctrl-C interrupts it even if the tests run in the background of a shell, which then ignores it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def terminal(folder, monkeypatch):
    """Output as on a terminal of so many columns."""

    def set_up(columns):
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("COLUMNS", str(columns))

    return set_up
