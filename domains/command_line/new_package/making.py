"""Makes the files of a new package, and writes them."""

import keyword
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console

from shared.designs import Design, Variant, load_samples, measure, scratch_store

from ..designs import find_variants
from ..terminal import line
from ..usage import CommandFailed, WrongUsage
from .folders import check_free, write_folder
from .modules import Package, imported_modules, read_module, read_package
from .project import Made, project_files
from .pruning import prune
from .reducing import reduce_design

DOMAINS = Path(__file__).parents[2]
COPIED = ("__init__", "records", "keys", "repository", "example")


def new(
    out: Console,
    errors: Console,
    path: Path,
    origin: str | None,
    *,
    vendor: str | None,
    record: str | None,
    renames: Sequence[str],
) -> None:
    """Writes a package made of a design or of one of its variants."""
    path = path.absolute()
    check_free(path)
    name = package_name(path)
    files = made_files(name, origin or 'orders')
    write_folder(path, files)
    line(out, f"{path}: {name}, made of {origin}: {len(files)} files")


def package_name(path: Path) -> str:
    """The name of the package in a folder: that of the folder, with `_` for what is not in names."""
    name = re.sub(r"\W", "_", path.name)
    taken = keyword.iskeyword(name) or name in sys.stdlib_module_names or name in ("rowbook", "samples", "tests")
    if taken or not name.isidentifier() or not name.isascii():
        raise WrongUsage(f"PATH: its last part must do as the name of a package (got {path.name!r})")
    return name


def made_files(name: str, origin: str) -> dict[str, bytes]:
    """The files of a package called `name`, by their names in its folder."""
    design, variants = find_variants(origin)
    variant = variants[0]
    if not variant.is_to_copy:
        raise CommandFailed(f"{origin} {variant.warning}")
    folder = DOMAINS / design.name
    refused = refused_questions(design, variant)
    package = read_package(folder, COPIED)
    package["design"] = read_module(folder / "design.py", "design")
    reduce_design(package["design"], design, variant, name, "", refused)
    prune({"design": package["design"]}, [("design", "DESIGN")])
    package |= read_package(folder, imported_modules(package["design"], folder) - package.keys())
    prune(package, [("design", "DESIGN")], ("__init__", "example", "design"))
    made = Made(name, design, variant, origin, refused=tuple(sorted(refused)))
    return project_files(made, package, "rowbook")


def refused_questions(design: Design, variant: Variant) -> set[str]:
    """The questions that a variant refuses, in words."""
    with closing(scratch_store(variant.tables)) as connection:
        measured = measure(connection, load_samples(connection, design, variant), design.patterns)
    return {
        pattern.question for pattern, answer in zip(design.patterns, measured, strict=True) if answer.refused
    }
