"""Counts the modules of `shared`, and their lines, that each design imports: what its copy brings along.

    python -m tests.programs.imported [DESIGN,DESIGN...]

It counts in a new process, when the keys and the repository are imported, and again once the story of the design has
run, if it has one; without `shared.stores`, of which a service imports what the URL of its store needs.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.designs import NAMES

ROOT = Path(__file__).parents[2]
COUNT = """
import contextlib, importlib, io, json, sys

def imported():
    return {name: module.__file__ for name, module in sys.modules.items() if f"{name}.".startswith("shared.")}

modules, story = json.loads(sys.argv[1])
for name in modules:
    importlib.import_module(name)
counts = [imported()]
if story:
    with contextlib.redirect_stdout(io.StringIO()):
        importlib.import_module(story).main()
    counts.append(imported())
print(json.dumps(counts))
"""


def counts_of(name: str) -> list[tuple[int, int]]:
    """The modules of `shared` and their lines: those that a design imports, and those that its story has used."""
    has_story = (ROOT / "domains" / name / "example.py").exists()  # a design in one file has none
    modules = [f"domains.{name}.keys", f"domains.{name}.repository"] if has_story else [f"domains.{name}"]
    arguments = json.dumps([modules, f"domains.{name}.example" if has_story else None])
    out = subprocess.check_output([sys.executable, "-c", COUNT, arguments], cwd=ROOT, text=True)
    counts: list[tuple[int, int]] = []
    for files in json.loads(out):
        counted = [file for module, file in files.items() if not f"{module}.".startswith("shared.stores.")]
        counts.append((len(counted), sum(len(Path(file).read_text(encoding="utf-8").splitlines()) for file in counted)))
    return counts


def main(names: Sequence[str]) -> None:
    """Prints the counts of some designs."""
    print(f"{'':14}{'imported':>18}{'once its story has run':>28}")
    for name in names:
        counts = (f"{modules:5} modules {lines:6,} lines" for modules, lines in counts_of(name))
        print(f"{name:14}{'  '.join(counts)}")


if __name__ == "__main__":
    main(",".join(sys.argv[1:] or NAMES).split(","))
