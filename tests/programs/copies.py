"""Makes packages of designs and of their variants in empty folders, and checks each as its owner would.

    python -m tests.programs.copies [DESIGN,DESIGN...]

Each design has an environment with the wheel of this checkout and with what the package asks for. There each package is
installed, beside a package of somebody else that is called `shared`; its tests pass, mypy and pyright, both strict,
find nothing, and its story runs.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import requires
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import attrs

from tests.designs import NAMES, design_named, full_name
from tests.programs.pages.new_packages import SHOWN
from tests.wheels import PIP, build_wheel, clean_environment, succeed, wheels_of

ROOT = Path(__file__).parents[2]
OF_OTHERS = 'raise ImportError("the shared of somebody else")\n'
CHECKS = {
    "tests": ("-m", "pytest", "-q", "-p", "no:cacheprovider"),
    "mypy": ("-m", "mypy"),
    "pyright": ("-m", "pyright"),
    "story": ("-m", "{name}.example"),
}
FRAMEWORKS = ("fastapi", "flask")
VENDORED = ("orders", "tsdb")
"""The designs of which a package is also made with a copy of the library."""


@attrs.frozen
class Copy:
    """A package to make: its name, and the arguments of `rowbook new` after PATH."""

    name: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.arguments)


def copies_of(design_name: str) -> Iterator[Copy]:
    """A package of the design, and of each variant that is right, with services in turns, and one of each size."""
    design = design_named(design_name)
    for number, variant in enumerate(design.variants):
        if variant.is_to_copy:
            origin = full_name(design, variant)
            framework = FRAMEWORKS[(NAMES.index(design_name) + number) % 2]
            yield Copy("copy_of_" + re.sub(r"\W", "_", origin), ("--from", origin, "--service", framework))
    if design_name in VENDORED:
        yield Copy(f"own_{design_name}", ("--from", design_name, "--vendor", "rowkeys", "--service", "flask"))
    if shown := SHOWN.get(design_name):
        yield Copy(shown.name, shown.arguments(design_name))
    yield Copy(f"keys_of_{design_name}", ("--from", design_name, "--only", "keys"))
    yield Copy(f"questions_of_{design_name}", ("--from", design_name, "--only", "questions"))


def make_house(house: Path) -> None:
    """Wheels of this checkout, and of all that a package may ask for, made of what is installed here."""
    build_wheel(ROOT, house)
    names = {re.split(r"[\[<>=; ]", requirement)[0] for requirement in requires("rowbook") or ()} - {"rowbook"}
    of_services = ("fastapi", "flask", "gunicorn", "httpx2", "python-json-logger", "uvicorn")
    wheels_of([*names, *of_services, "hatchling", "mypy", "pyright", "pytest"], house)


def make_environment(folder: Path, house: Path) -> Path:
    """An environment with the command `rowbook` and the build backend; returns its Python."""
    succeed(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    _install(folder / "bin" / "python", house, ["hatchling", "rowbook[cli,tsdb]"], folder.parent)
    return folder / "bin" / "python"


def _install(python: Path, house: Path, what: Sequence[str], cwd: Path) -> None:
    options = ("--no-index", "--find-links", house, "--no-build-isolation")
    succeed(*PIP, "--python", python, "install", *options, *what, cwd=cwd)


def check_copy(copy: Copy, python: Path, house: Path, folder: Path) -> list[str]:
    """Makes a package and checks it; returns what failed, each with what was said."""
    succeed(python.with_name("rowbook"), "new", folder / copy.name, *copy.arguments, cwd=folder)
    project = folder / copy.name
    (project / "shared").mkdir()
    (project / "shared" / "__init__.py").write_text(OF_OTHERS, encoding="utf-8")
    _install(python, house, [".[dev]"], project)
    failed: list[str] = []
    environment = clean_environment()
    environment |= {"PATH": f"{python.parent}:{environment['PATH']}", "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    environment["MYPY_CACHE_DIR"] = str(folder / "types")  # the library's types are the same for all
    for check, arguments in CHECKS.items():
        if check == "story" and not (project / copy.name / "example.py").exists():
            continue  # keys alone, or questions
        command = [python, *(argument.format(name=copy.name) for argument in arguments)]
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            failed.append(f"{check} of {copy}:\n{(done.stdout + done.stderr)[-3000:]}")
    return failed


def main(names: Iterable[str]) -> int:
    """Checks the packages of some designs; returns the exit code."""
    failures: list[str] = []
    count = 0
    with TemporaryDirectory(prefix="copies-") as temporary:
        house = Path(temporary, "wheels")
        house.mkdir()
        make_house(house)
        for name in names:
            folder = Path(temporary, name)
            folder.mkdir()
            python = make_environment(folder / "environment", house)
            for copy in copies_of(name):
                start = monotonic()
                failed = check_copy(copy, python, house, folder)
                failures += failed
                count += 1
                print(f"{copy}: {'failed' if failed else 'passes'}, {monotonic() - start:.0f} s", flush=True)
    for failure in failures:
        print(f"\n{failure}")
    print(f"{count} packages, {len(failures)} checks failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(",".join(sys.argv[1:] or NAMES).split(",")))
