"""Loads public files with their descriptions, and compares with independent counts: `public_files FOLDER [--record]`.

`fixtures/public_files/files.toml` says which files these are. In the folder, a file of the repository OWNER/NAME is
OWNER/NAME/PATH, as `git clone https://github.com/OWNER/NAME FOLDER/OWNER/NAME` makes it after a `git checkout` of the
commit; a copy of the single file serves as well. No file of others is part of this repository.

Each file is loaded by a description in a process of its own, checked and stored, and its records are read back. Its
function in `public_counts.py`, which calls nothing of ours, says of each line which values are stored or why none is.
`--record` writes what was counted into `files.toml`.
"""

import json
import subprocess
import sys
import tomllib
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
from tomli_w import dumps

from tests.programs.public_counts import COUNTS
from tests.shared.command_line.running import ROWBOOK, Ended

DESCRIPTIONS = Path(__file__).parents[2] / "fixtures" / "public_files"
TABLE = DESCRIPTIONS / "files.toml"
Run = Callable[[list[str]], Ended]
"""Runs the command line with some words."""


@attrs.frozen
class Outcome:
    """What became of the lines of a file."""

    stored: int
    refused: dict[str, int]
    """How many lines, by the words with which their reasons are told apart."""

    def __str__(self) -> str:
        return ", ".join([f"{self.stored} stored", *(f"{lines} refused: {why}" for why, lines in self.refused.items())])


def table() -> dict[str, dict[str, Any]]:
    """The files by their names, which are those of their descriptions."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def counted(name: str, content: bytes) -> tuple[Outcome, Counter[tuple[Any, ...]]]:
    """What should become of the lines of a file, and the values of its records, both without our code."""
    records = Counter[tuple[Any, ...]]()
    refused = Counter[str]()
    for line in COUNTS[name](content):
        if isinstance(line, str):
            refused[line] += 1
        else:
            records[line] += 1
    return Outcome(records.total(), dict(sorted(refused.items()))), records


def loaded(name: str, path: Path, run: Run) -> Outcome:
    """What became of the lines of a file. Raises ValueError for a difference from what was counted."""
    design, fields = table()[name]["design"], table()[name]["compared"]
    wanted, records = counted(name, path.read_bytes())
    described = ["load", design, str(path), "--describe", str(DESCRIPTIONS / f"{name}.toml"), "--json"]
    with TemporaryDirectory() as folder:
        store, lines = f"embedded:{folder}/store", Path(folder, "lines.jsonl")
        (checked,) = _json(run([*described, "--check"]))["files"]
        (file,) = _json(run([*described, "--store", store, "--on-error", "skip"]))["files"]
        run(["scan", design, "--lines", "--format", "jsonl", "--to", str(lines), "--store", store])
        read = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    refused = Counter[str]()
    for reason in checked["refused"]:
        words = [why for why in wanted.refused if why in reason["example"]]
        refused[words[0] if len(words) == 1 else reason["example"]] += reason["lines"]
    outcome = Outcome(file["stored"], dict(sorted(refused.items())))
    if outcome != wanted or checked["stored"] != file["stored"] or file["skipped"] != refused.total():
        raise ValueError(f"must be {wanted} (got {outcome}; a check: {checked['stored']} stored)")
    found = Counter(tuple(_hashable(record.get(field, "")) for field in fields) for record in read)
    if found.total() != file["stored"] - file["replaced"] or not found <= records:
        one = next(iter(found - records), f"{found.total()} of them")
        raise ValueError(f"records must have the counted {', '.join(fields)} (got {one})")
    return outcome


def _hashable(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value


def _json(ended: Ended) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(ended.out)
    except ValueError:
        raise ValueError(f"must be loaded (got {ended.err.strip()})") from None
    return answer


def _in_a_process(words: list[str]) -> Ended:
    ended = subprocess.run([*ROWBOOK, *words], capture_output=True, text=True, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def _verified(name: str, folder: Path, *, records: bool) -> tuple[dict[str, Any], str]:
    """The row of the table for a file, and what became of it. Raises ValueError."""
    row = table()[name]
    path = folder / row["repository"] / row["path"]
    if not path.is_file():
        raise ValueError(f"{path} is missing")
    content = path.read_bytes()
    found = {"sha256": sha256(content).hexdigest(), "lines": content.rstrip(b"\r\n\0").count(b"\n") + 1}
    outcome = counted(name, content)[0]
    found |= attrs.asdict(outcome)
    if not records and (wrong := [key for key, value in found.items() if row.get(key) != value]):
        raise ValueError(f"{wrong[0]} must be {row.get(wrong[0])} (got {found[wrong[0]]})")
    return row | found, f"{found['lines']} lines, {loaded(name, path, _in_a_process)}"


def main() -> int:
    """Prints a line for each file; returns 1 if one is missing or differs."""
    parser = ArgumentParser(prog="public_files", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    rows, code = table(), 0
    for name in rows:
        try:
            rows[name], text = _verified(name, arguments.folder, records=arguments.record)
        except ValueError as error:
            code, text = 1, f"FAILED: {error}"
        print(f"{name}: {text}", flush=True)
    if arguments.record and not code:
        TABLE.write_text(dumps(rows), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
