"""Makes every check there is, or the named parts of it, and says when each part last passed.

    python -m tests.programs verify [PART]...
    python -m tests.programs verify --last         only says when each part last passed

All parts take hours, and need Java 17, Maven, node, npm and Chromium.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
PASSED = ROOT / ".verified.json"
"""When each part last passed, on which commit, and how long it took. It is this checkout's own."""
PYTEST = ("-m", "pytest")
PARALLEL = (*PYTEST, "-n", "auto", "--dist", "worksteal")
"""Each process gets neighbouring tests, so that a module's fixtures are set up once; one that is done takes others."""


def program(name: str, *arguments: str) -> tuple[str, ...]:
    """A program of this folder."""
    return ("-m", f"tests.programs.{name}", *arguments)


PARTS: dict[str, tuple[str, ...]] = {
    "check": (),
    "long": (*PARALLEL, "-m", "long"),
    "hbase": (*PARALLEL, "--hbase", "-m", "hbase and not long"),
    "copies": program("copies"),
    "cluster": (*PYTEST, "-m", "cluster", "tests/hbase/cluster"),
    "opentsdb": (*PYTEST, "-m", "opentsdb", "tests/opentsdb"),
    "opentsdb.questions": program("opentsdb.questions", "--seed", "1", "--count", "3000"),
    "opentsdb.move": program("opentsdb.move"),
    "faults": program("faults"),
    "mutants": program("mutants"),
    "mutants.survivors": program("mutants.survivors"),
    "benchmarks": program("benchmarks", "--quick"),
    "benchmarks.bench_hbase": program("benchmarks.bench_hbase", "--quick"),
    "hot_spots": program("hot_spots", "--check"),
    "site": program("site", "--check"),
    "test": PARALLEL,
}
"""What Python is started with for each part; without anything, `make` makes it."""


def passes(part: str) -> bool:
    """Makes a part of the check, and notes it if it passes."""
    print(f"== {part}", flush=True)
    start_s = time.monotonic()
    command = [sys.executable, *PARTS[part]] if PARTS[part] else ["make", part]
    if subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode:
        return False
    seconds = round(time.monotonic() - start_s)
    noted = {"at": f"{datetime.now():%Y-%m-%d %H:%M}", "commit": commit(), "seconds": seconds}
    PASSED.write_text(json.dumps(last_passed() | {part: noted}, indent=1), encoding="utf-8")
    return True


def commit() -> str:
    """The commit that is checked out, with a plus sign if files differ from it."""
    git = ("git", "describe", "--always", "--dirty=+", "--exclude=*")
    return subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def last_passed() -> dict[str, dict[str, str | int]]:
    """What is noted of each part that has passed."""
    return json.loads(PASSED.read_text(encoding="utf-8")) if PASSED.exists() else {}


def main(arguments: Sequence[str]) -> int:
    """Makes the named parts, all without a name; 1 if one of them fails."""
    parts = [name for name in arguments if name != "--last"] or [*PARTS]
    for name in parts:
        if name not in PARTS:
            sys.exit(f"part: must be one of {', '.join(PARTS)} (got {name!r})")
    failed = [] if "--last" in arguments else [part for part in parts if not passes(part)]
    noted = last_passed()
    print(f"\n{'part':24} last passed       on          seconds")
    for part in PARTS:
        at = noted.get(part, {"at": "never", "commit": "", "seconds": ""})
        print(f"{part:24} {at['at']:17} {at['commit']:11} {at['seconds']:>7}{'   FAILED now' * (part in failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
