"""Descriptions of public files, each tried on a few lines of the same shape that were written for it."""

import pytest

from shared.command_line.files.describing import written_description
from shared.loading.description import read_description
from tests.programs.public_counts import COUNTS
from tests.programs.public_files import DESCRIPTIONS, TABLE, loaded, main, table
from tests.shared.command_line.running import run

FILES = table()


def test_every_description_has_a_row_and_a_count():
    names = {path.stem for path in DESCRIPTIONS.glob("*.toml")} - {TABLE.stem}
    assert (names, FILES.keys()) == (COUNTS.keys(), COUNTS.keys())


@pytest.mark.parametrize("name", FILES)
def test_a_description_is_as_save_writes_it(name):
    text = (DESCRIPTIONS / f"{name}.toml").read_text(encoding="utf-8")
    assert written_description(read_description(text, name)) == text


@pytest.mark.parametrize("name", FILES)
def test_good_lines_are_stored_and_bad_ones_refused_as_an_independent_count_says(name, tmp_path):
    path = tmp_path / "few"
    path.write_bytes("\n".join(FILES[name]["sample"]).encode(FILES[name].get("encoding", "utf-8")))
    outcome = loaded(name, path, run)  # raises ValueError for a difference
    assert outcome.stored > 1
    assert outcome.refused


def test_a_file_that_is_missing_or_another_one_is_named_and_fails(tmp_path, monkeypatch, capsys):
    name, row = next(iter(FILES.items()))
    path = tmp_path / row["repository"] / row["path"]
    path.parent.mkdir(parents=True)
    path.write_bytes("\n".join(row["sample"]).encode())
    monkeypatch.setattr("sys.argv", ["public_files", str(tmp_path)])
    assert main() == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{name}: FAILED: sha256 must be {row['sha256']} (got ")
    assert [line.split(":")[0] for line in others] == [*FILES][1:]
    assert all(line.endswith("is missing") for line in others)
