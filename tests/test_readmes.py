"""What the READMEs say is what the code does: blocks generated, code run, commands tried."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sybil.document import Document
from sybil.parsers.markdown import PythonCodeBlockParser

from shared.stores.filters import language as filter_language
from tests.readmes import FILTERS, regenerated, with_blocks

ROOT = Path(__file__).parents[1]
READMES = sorted(path for pattern in ("*.md", "domains/**/*.md", "shared/**/*.md") for path in ROOT.glob(pattern))
REGENERATED = regenerated()


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", REGENERATED, ids=named)
def test_the_generated_blocks_are_what_the_code_prints(path):
    assert path.read_text(encoding="utf-8") == REGENERATED[path]


def test_the_stores_readme_has_every_filter_of_the_language():
    names = {words.partition("(")[0].encode() for words in FILTERS if not re.search("AND|OR|SKIP|WHILE", words)}
    assert names == set(filter_language._SIGNATURES)


def run_python(path, capsys):
    """Runs the blocks of a README, each of which prints what stands below it."""
    document = Document.parse(str(path), PythonCodeBlockParser())
    for example in document.examples():
        example.evaluate()
        shown = re.match(r"\s*```text\n(.*?)```", document.text[example.region.end :], re.DOTALL)
        assert capsys.readouterr().out == (shown[1] if shown else "")


@pytest.mark.parametrize("path", READMES, ids=named)
def test_the_python_in_a_readme_runs_and_prints_what_stands_below_it(path, capsys):
    run_python(path, capsys)


CONNECTS = 'connect("embedded:", table_prefix="demo")'
ABOUT_STORES = [path for path in READMES if CONNECTS in path.read_text(encoding="utf-8")]


@pytest.mark.hbase
@pytest.mark.parametrize("path", ABOUT_STORES, ids=named)
def test_the_python_about_stores_runs_on_hbase_up_to_what_a_block_marks_as_embedded_only(
    engine, path, tmp_path, capsys
):
    def up_to_the_mark(block):
        return re.sub(r"\n[^\n]*embedded only.*", "\n```", block[0], flags=re.DOTALL)

    with engine.url() as url:
        text = path.read_text(encoding="utf-8").replace(CONNECTS, f'connect("{url}")')
        copy = tmp_path / path.name
        copy.write_text(re.sub(r"```python\n.*?```", up_to_the_mark, text, flags=re.DOTALL), encoding="utf-8")
        run_python(copy, capsys)


def commands(path):
    """The `rowbook` commands that a README shows."""
    blocks = re.findall(r"```console\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    return "".join(blocks).splitlines()


def run_commands(lines, folder):
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    for line in lines:
        prompt, rowbook, *arguments = shlex.split(line)
        assert (prompt, rowbook) == ("$", "rowbook")
        done = subprocess.run(
            [sys.executable, "-m", "domains.cli", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (line, done.returncode, done.stderr) == (line, 0, done.stderr)


@pytest.mark.parametrize("path", READMES, ids=named)
def test_the_rowbook_commands_in_a_readme_end_well(path, tmp_path):
    run_commands(commands(path), tmp_path)


STORE = re.compile(r"--store embedded:\S+")


@pytest.mark.hbase
@pytest.mark.parametrize("path", [path for path in READMES if any(map(STORE.search, commands(path)))], ids=named)
def test_the_rowbook_commands_that_name_a_store_end_well_with_hbase_in_its_place(engine, path, tmp_path):
    with engine.url() as url:
        lines = [STORE.sub(f"--store '{url}'", line) for line in commands(path) if STORE.search(line)]
        run_commands(lines, tmp_path)


@pytest.mark.parametrize("path", READMES, ids=named)
def test_the_links_of_a_readme_lead_somewhere(path):
    targets = re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_a_mark_without_its_end_is_refused_and_swallows_nothing():
    text = "<!-- generated: a -->\nold\n\n## Next\n\n<!-- generated: b-5m -->\nold\n<!-- end -->\n"
    with pytest.raises(ValueError, match="2 marks of generated blocks and 1 whole blocks"):
        with_blocks(text, {"a": "new", "b-5m": "new"})
