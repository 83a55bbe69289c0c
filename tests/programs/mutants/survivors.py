"""Changes every line of a few files with mutmut, and compares what no test beside them notices with the record.

    python -m tests.programs mutants.survivors
    python -m tests.programs mutants.survivors --record

`tests/mutants/survivors.json` has how many changes of each function survive: words of errors, and changes without an
effect. A function of which more survive has a gap. The files are a sample, and their tests are those by hand.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.programs.mutants.__main__ import copy_suite
from tests.programs.mutants.planting import FOLDER

RECORD = FOLDER / "survivors.json"
FILES = (
    "shared/keys/ranges.py",
    "shared/keys/slice_codecs.py",
    "shared/keys/text_codecs.py",
    "shared/queries/cursors.py",
    "domains/tsdb/storage/qualifiers.py",
)
TESTS = (
    "tests/shared/keys/test_codecs_by_hand.py",
    "tests/shared/keys/test_plans.py",
    "tests/shared/keys/test_slice_codecs.py",
    "tests/shared/queries/test_cursors.py",
    "tests/domains/tsdb/test_qualifiers.py",
    "tests/domains/tsdb/test_vectors.py",
)
OPTIONS = {
    "source_paths": ("shared", "domains"),
    "only_mutate": FILES,
    "also_copy": ("fixtures", "conftest.py", "README.md"),
    "pytest_add_cli_args": ("-n", "0", "-p", "no:cacheprovider", "--hypothesis-profile=mutants"),
    "pytest_add_cli_args_test_selection": TESTS,
}
MUTMUT = (sys.executable, "-m", "mutmut")


def survivors(folder: Path) -> Counter[str]:
    """How many changes of each function survive in a copy of the suite; those that no test runs survive, too."""
    texts = {name: "\n    ".join(["", *values]) for name, values in OPTIONS.items()}
    settings = "".join(f"{name} ={text}\n" for name, text in texts.items())
    (folder / "setup.cfg").write_text(f"[mutmut]\n{settings}", encoding="utf-8")
    environment = os.environ | {"CI": "1"}  # Hypothesis draws the same examples each time
    subprocess.run([*MUTMUT, "run"], cwd=folder, env=environment, check=True)
    results = subprocess.run([*MUTMUT, "results"], cwd=folder, capture_output=True, text=True, check=True)
    found: Counter[str] = Counter()
    for line in results.stdout.splitlines():  # `shared.keys.ranges.x_successor__mutmut_3: survived`
        name, _, verdict = line.strip().partition(": ")
        if verdict in ("survived", "no tests"):
            found[name.rpartition("__mutmut_")[0]] += 1
    return found


def main() -> int:
    """Compares or records; 1 if more changes of a function survive than the record says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write the record anew")
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        copy_suite(Path(name))
        found = survivors(Path(name))
    if given.record:
        text = json.dumps(dict(sorted(found.items())), indent=1, ensure_ascii=False)
        RECORD.write_text(f"{text}\n", encoding="utf-8")
    recorded = Counter(json.loads(RECORD.read_text(encoding="utf-8")))
    for function, count in (found - recorded).items():
        print(f"{function}: {count} more changes survive than the {recorded[function]} of {RECORD.name}")
    print(f"{found.total()} changes survive, {recorded.total()} recorded")
    return 1 if found - recorded else 0


if __name__ == "__main__":
    sys.exit(main())
