"""Breaks the code on purpose, one wrong behaviour at a time; the tests must notice every one.

    python -m tests.programs mutants writes

Plants each mutant in a copy of the suite and prints which test caught it. Exits with 1 if a mutant survives, if it
cannot be planted, or if a test fails without any mutant.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from compileall import compile_dir
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from py_compile import PycInvalidationMode
from tempfile import TemporaryDirectory

from tests.programs.mutants.planting import FOLDER, ROOT, Mutant, read_mutants

COPIED = ("shared", "domains", "fixtures", "tests", "pyproject.toml", "README.md", "llms.txt")
AT_ONCE = 2

# One failing example is enough here, so Hypothesis does not shrink it; and a busy machine is not a caught mutant.
CONFTEST = """
from hypothesis import HealthCheck, Phase, settings
phases, slow = [Phase.explicit, Phase.generate], [HealthCheck.too_slow]
settings.register_profile("mutants", deadline=None, database=None, phases=phases, suppress_health_check=slow)
"""


def copy_suite(to: Path) -> None:
    """Copies the files that the tests need, without the caches of tools, and compiles them once for all mutants."""
    ignore = shutil.ignore_patterns(".*", "__pycache__", "benchmarks")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=ignore)
        else:
            shutil.copy2(ROOT / name, to / name)
    (to / "conftest.py").write_text(CONFTEST)
    compile_dir(to, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)  # a time may be that of the mutant


def failures(folder: Path, tests: Iterable[str], *options: str) -> list[str]:
    """The names of the tests that fail in `folder`; a run that ends in another way is one failure, its last line.

    LookupError if what a mutant puts in the place of a function does not take its arguments.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=mutants"]
    command += ["-m", "not (cluster or opentsdb)"]  # the named tests, also those that take long
    environment = os.environ | {"COLUMNS": "1000"}  # so that pytest does not cut names
    process = subprocess.run([*command, *options, *tests], cwd=folder, env=environment, capture_output=True, text=True)
    if process.returncode == 0:
        return []
    if unfit := re.search(r"<lambda>\(\) (takes|missing|got) .*", process.stdout):
        raise LookupError(unfit[0])
    names = re.findall(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", process.stdout, re.MULTILINE)
    return names or (process.stdout + process.stderr).strip().splitlines()[-1:]


def caught_by(mutant: Mutant, whole: Path) -> str | None:
    """The first test that fails with this mutant; None if no test does."""
    with TemporaryDirectory() as name:
        folder = shutil.copytree(whole, Path(name) / "broken")
        path = folder / mutant.file
        path.write_text(mutant.planted(path.read_text(encoding="utf-8")), encoding="utf-8")
        return next(iter(failures(folder, mutant.tests, "-x")), None)


def chosen(files: Sequence[str], named: str) -> Sequence[Mutant]:
    """The mutants of these files of `tests/mutants`, all without any, with these words in their names."""
    known = [path.stem for path in FOLDER.glob("*.toml")]
    for name in files:
        if name not in known:
            raise ValueError(f"file: must be one of {', '.join(sorted(known))} (got {name!r})")
    mutants = [mutant for mutant in read_mutants(FOLDER, files or known) if named in mutant.name]
    if not mutants:
        raise ValueError(f"named: must be words in the name of a mutant (got {named!r})")
    return mutants


def main() -> int:
    """Plants the chosen mutants and prints which test caught each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="*", help="files of tests/mutants, without their ending; all if none is given")
    parser.add_argument("--named", metavar="WORDS", default="", help="those with these words in their names")
    given = parser.parse_args()
    try:
        mutants = chosen(given.file, given.named)
    except ValueError as error:
        parser.error(str(error))
    return plant(mutants)


def plant(mutants: Sequence[Mutant]) -> int:
    """Plants every one of these mutants and prints which test caught it; 1 if one was not caught.

    A test that caught one must pass without any, and is run again to see that.
    """
    start_s = time.monotonic()
    missed = 0
    catching: set[str] = set()
    with TemporaryDirectory() as name, ThreadPoolExecutor(AT_ONCE) as pool:
        whole = Path(name)
        copy_suite(whole)
        runs = [(mutant, pool.submit(caught_by, mutant, whole)) for mutant in mutants]
        for mutant, run in runs:
            try:
                caught = run.result()
                verdict = "SURVIVED" if caught is None else caught.partition("[")[0]
            except LookupError as error:
                caught, verdict = None, f"CANNOT BE PLANTED: {error}"
            if caught is None:
                missed += 1
            else:
                is_test = (whole / caught.partition("::")[0]).is_file()  # otherwise pytest itself failed
                catching.update([caught.partition("[")[0]] if is_test else mutant.tests)
            print(f"{mutant.name:70} {verdict}", flush=True)
        shares = [sorted(catching)[first::AT_ONCE] for first in range(AT_ONCE)]
        failing = [*chain.from_iterable(pool.map(partial(failures, whole), filter(None, shares)))]
        for test in failing:
            print(f"{'no mutant at all':70} {test.partition('[')[0]}", flush=True)
    print(f"{len(mutants)} mutants, {missed} not caught, {len(failing)} tests fail without any, ", end="")
    print(f"{time.monotonic() - start_s:.0f} s")
    return 1 if missed or failing else 0


if __name__ == "__main__":
    sys.exit(main())
