"""What runs the command line, within this process or in one of its own."""

import shlex
import signal
import subprocess
from contextlib import ExitStack
from itertools import count, islice
from pathlib import Path

import attrs
import pytest

from shared.command_line.named import designs
from shared.stores import connect
from tests.designs import all_designs
from tests.shared.command_line.running import PROGRESS, ROWBOOK, measured_once, run, without_terminal

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session", autouse=True)
def once():
    """What `run` measures in memory is measured once for all tests."""
    with measured_once():
        yield


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Commands run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def new_url(engine, folder):
    """Makes URLs of empty stores; those on HBase have the given tables already, since making them takes seconds."""
    with ExitStack() as stores:
        numbers = count()
        yield lambda *tables: stores.enter_context(engine.url(f"store-{next(numbers)}.db", *tables))


@pytest.fixture
def rowbook(folder, environment):
    """Runs a command line; returns exit code, stdout and stderr."""

    def run_line(line):
        ended = run(shlex.split(line), environment)
        return ended.code, ended.out, ended.err

    return run_line


@pytest.fixture
def ok(rowbook):
    """Runs a command that must end well and leave nothing on stderr; returns what it prints."""

    def run(line):
        code, out, err = rowbook(line)
        assert (code, PROGRESS.sub("", err)) == (0, "")
        return out

    return run


@pytest.fixture(scope="session")
def cut_designs(tmp_path_factory):
    """The designs with forty lines of their samples, beside what is generated and recorded for all of them."""
    folder = tmp_path_factory.mktemp("few")

    def cut_load(load):
        of_design = folder / load.samples.parent.name
        if not of_design.exists():
            of_design.mkdir()
            for name in ("make_samples.py", "heat.json", "keys.json"):
                (of_design / name).symlink_to(load.samples.with_name(name))
        path = of_design / f"few-{load.samples.name}"
        with load.samples.open(encoding="utf-8") as file:
            path.write_text("".join(islice(file, 40)), encoding="utf-8")
        return attrs.evolve(load, samples=path)

    return {design.name: attrs.evolve(design, loads=tuple(map(cut_load, design.loads))) for design in all_designs()}


@pytest.fixture
def few_samples(folder, cut_designs, monkeypatch):
    """The designs with forty lines of their samples."""
    for path in {load.samples for design in cut_designs.values() for load in design.loads}:
        (folder / path.name).symlink_to(path)
    monkeypatch.setattr(designs, "design_named", cut_designs.__getitem__)


@pytest.fixture
def fixtures(folder):
    """The files of the suite, in the folder in which commands run."""
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    return folder / "fixtures"


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

    def start(*arguments, stdin=None, **environment):
        process = subprocess.Popen(
            [*ROWBOOK, *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**without_terminal(), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment},
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
def environment():
    """The variables that tell of a terminal; none at first."""
    return {}


@pytest.fixture
def terminal(environment):
    """Output as on a terminal of so many columns."""

    def set_up(columns):
        environment.update(FORCE_COLOR="1", TERM="xterm-256color", COLUMNS=str(columns))

    return set_up
