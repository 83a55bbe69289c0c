"""The `rowbook` commands that the READMEs show end well."""

import re
import shlex
import subprocess

import pytest

from tests.few_designs import FEW
from tests.readmes import READMES, named
from tests.shared.command_line.running import PROGRESS

FILE = re.compile(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
"""A file that a README shows: its name at the end of a sentence, and its text in the block below."""
STORE = re.compile(r"--store embedded:\S+")


def commands(path):
    """The `rowbook` commands that a README shows, without the prompt."""
    blocks = re.findall(r"```console\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    lines = "".join(blocks).replace(" \\\n", "").splitlines()
    assert all(line.startswith("$ rowbook ") for line in lines)
    return [line.removeprefix("$ rowbook ") for line in lines]


def make_files(path, folder):
    """Makes the files that a README shows, which its commands name."""
    for name, text in FILE.findall(path.read_text(encoding="utf-8")):
        (folder / name).write_text(text, encoding="utf-8")


WITH_COMMANDS = [path for path in READMES if commands(path)]
WITH_A_STORE = [path for path in WITH_COMMANDS if any(map(STORE.search, commands(path)))]


OF_FEW = [f"domains/{name}/README.md" for name in FEW]
"""The READMEs whose commands `make test` runs; others also simulate, compare and make packages."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The root of a checkout: some commands make folders beside it."""
    root = tmp_path / "rowbook"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


@pytest.fixture(params=["few_samples", pytest.param("fixtures", marks=pytest.mark.long)])
def samples(request):
    """Few samples, or all of them in the long run."""
    request.getfixturevalue(request.param)


def check_ends_well(rowbook, line):
    """Checks that a command ends well, and says nothing on stderr but which lines it skipped."""
    code, _out, err = rowbook(line)
    assert code == 0, err
    assert "--on-error skip" in line or not PROGRESS.sub("", err), err


@pytest.mark.usefixtures("fixtures", "samples")
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=() if named(path) in OF_FEW else pytest.mark.long) for path in WITH_COMMANDS],
    ids=named,
)
def test_the_commands_in_a_readme_end_well(rowbook, folder, path):
    make_files(path, folder)
    for line in commands(path):
        check_ends_well(rowbook, line)


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=named)
def test_a_shell_passes_on_the_words_of_a_command_as_they_are_shown(path):
    """An unquoted `{a,b}` would be two words, and a `*` an error or the names of files."""
    for line in commands(path):
        script = f"printf '%s\\0' {line}"
        words = subprocess.run(["bash", "-O", "failglob", "-c", script], capture_output=True, text=True, check=True)
        assert words.stdout.split("\0")[:-1] == shlex.split(line)


@pytest.mark.hbase
@pytest.mark.usefixtures("fixtures")
@pytest.mark.parametrize("path", WITH_A_STORE, ids=named)
def test_the_commands_that_name_a_store_end_well_with_hbase_in_its_place(engine, path, rowbook, folder):
    make_files(path, folder)
    with engine.url() as url:
        for line in filter(STORE.search, commands(path)):
            check_ends_well(rowbook, STORE.sub(f"--store {shlex.quote(url)}", line))
