"""Makes the files of a new package, and writes them."""

import keyword
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.console import Console

from shared.designs import Design, Variant, load_samples, measure, scratch_store

from ..designs import find_variants
from ..terminal import line
from ..usage import CommandFailed, WrongUsage
from .folders import check_free, write_folder
from .formatting import shortened
from .merging import drop_lacks, merge_variant, settle_names
from .modules import Package, imported_modules, read_module, read_package
from .project import Made, project_files
from .pruning import keep_what_is_there, prune
from .reducing import reduce_design
from .story import story

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
    files = made_files(name, origin)
    write_folder(path, files)
    line(out, f"{path}: the package {name}, in {len(files)} files; its README.md says how to go on")


def package_name(path: Path) -> str:
    """The name of the package in a folder: that of the folder, with `_` for what is not in names."""
    name = re.sub(r"\W", "_", path.name)
    taken = keyword.iskeyword(name) or name in sys.stdlib_module_names or name in ("rowbook", "samples", "tests")
    if taken or not name.isidentifier() or not name.isascii():
        raise WrongUsage(f"PATH: its last part must do as the name of a package (got {path.name!r})")
    return name


def made_files(name: str, origin: str | None) -> dict[str, bytes]:
    """The files of a package called `name`, by their names in its folder."""
    design, variant, folder = _origin(origin)
    if not variant.is_to_copy:
        raise CommandFailed(f"{origin} {variant.warning}")
    refused, repository = refused_questions(design, variant)
    package = read_package(folder, COPIED)
    own_class = repository_name(design) if hasattr(variant.module, "Repository") else ""
    package["design"] = read_module(folder / "design.py", "design")
    reduce_design(package["design"], design, variant, name, own_class, refused, repository)
    prune({"design": package["design"]}, [("design", "DESIGN")])
    if variant is not design.main:
        module = f"variants.{variant.module.__name__.rpartition('.')[2]}"
        package |= read_package(folder, [module])
        merge_variant(package, module, repository_name(design))
        if own_class or refused:
            package["example"] = story(name)
    drop_lacks(package["repository"], repository_name(design))
    package = read_package(folder, imported_modules(package["design"], folder) - package.keys()) | package
    front = package["__init__"]
    if variant is not design.main:
        del package["__init__"]
    prune(package, [("design", "DESIGN")], package.keys() & {"__init__", "example", "design"})
    settle_names(package)
    package["__init__"] = front
    keep_what_is_there(front, package)
    for module in package.values():
        for unit in module.units:
            unit.statements = [shortened(statement) for statement in unit.statements]
    made = Made(name, design, variant, origin or "", ("--from", origin) if origin else (), tuple(sorted(refused)))
    return project_files(made, package, "rowbook")


def _origin(origin: str | None) -> tuple[Design, Variant, Path]:
    """The design, the variant and the folder with the code of what the command line names."""
    if origin is None:
        from .smallest.design import DESIGN

        return DESIGN, DESIGN.main, Path(__file__).parent / "smallest"
    design, (variant, *_others) = find_variants(origin)
    return design, variant, DOMAINS / design.name


def refused_questions(design: Design, variant: Variant) -> tuple[set[str], type]:
    """The questions that a variant refuses, in words, and the class of its repository."""
    with closing(scratch_store(variant.tables)) as connection:
        repository = load_samples(connection, design, variant)
        measured = measure(connection, repository, design.patterns)
    answers = zip(design.patterns, measured, strict=True)
    return {pattern.question for pattern, answer in answers if answer.refused}, type(repository)


def repository_name(design: Design) -> str:
    """The name of the class of a design's repository."""
    of: Any = design.repository
    return str(getattr(of, "func", of).__name__)
