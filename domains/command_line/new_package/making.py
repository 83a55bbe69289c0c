"""Makes the files of a new package, and writes them."""

import keyword
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console

from shared.designs import Design, Measurement, Variant, load_samples, measure, scratch_store
from shared.designs.golden_answers import golden_answers

from ..designs import NAMES, find_variants
from ..terminal import count, line
from ..usage import CommandFailed, WrongUsage, check_name
from .folders import check_free, write_folder
from .formatting import shortened
from .merging import drop_lacks, drop_methods, merge_variant, settle_names
from .modules import Package, imported_modules, read_module, read_package
from .own_tests import OWN_TESTS, lead_past, test_module
from .project import Made, project_files, repository_name
from .prose import keep_own_prose
from .pruning import keep_what_is_there, prune
from .reducing import reduce_design
from .renaming import OldWords, find_old_words, rename_package
from .story import story
from .words import read_renames

DOMAINS = Path(__file__).parents[2]
COPIED = ("__init__", "records", "keys", "repository", "example")


def new(
    out: Console,
    path: Path,
    origin: str | None,
    *,
    vendor: str | None,
    record: str | None,
    words: Sequence[str],
) -> None:
    """Writes a package made of a design or of one of its variants, and says what is left to do."""
    path = path.absolute()
    check_free(path)
    name = package_name(path.name)
    files, old_words = made_files(name, origin, vendor=vendor, record=record, words=words)
    write_folder(path, files)
    line(out, f"{path}: the package {name}, in {count(len(files), 'file')}; its README.md says how to go on")
    for what, lines_of in (
        ("messages and other texts", old_words.at_run_time),
        ("docstrings, comments and README.md", old_words.in_prose),
    ):
        if lines_of:
            line(out, f"old words are left in {what}, which are yours to write:")
        for file, lines in lines_of.items():
            line(out, f"  {file}: {', '.join(map(str, lines))}")


def package_name(given: str, option: str = "PATH") -> str:
    """The name of the package in a folder: that of the folder, with `_` for what is not in names."""
    name = re.sub(r"\W", "_", given)
    taken = keyword.iskeyword(name) or name in sys.stdlib_module_names or name in TAKEN
    if taken or not name.isidentifier() or not name.isascii():
        what = "end with" if option == "PATH" else "be"
        raise WrongUsage(f"{option}: must {what} the name of a package, and of no module of Python (got {given!r})")
    return name


TAKEN = ("rowbook", "samples", "tests", "attrs", "attr", "happybase", "msgpack")
"""Names of other packages."""


def made_files(
    name: str, origin: str | None, *, vendor: str | None, record: str | None, words: Sequence[str]
) -> tuple[dict[str, bytes], OldWords]:
    """The files of a package called `name`, by their names in its folder, and where they still say old words."""
    design, variant, folder = _origin(origin)
    if not variant.is_to_copy:
        raise CommandFailed(f"{origin} {variant.warning}")
    if design.in_one_file:
        module = design.repository.__module__.rpartition(".")[2]
        raise CommandFailed(f"{design.name}: is one file: copy {folder / module}.py, and change its imports")
    measured, repository = measured_questions(design, variant)
    refused = {answer.pattern.question for answer in measured if answer.refused}
    package = read_package(folder, COPIED)
    own_class = repository_name(design) if hasattr(variant.module, "Repository") else ""
    package["design"] = read_module(folder / "design.py", "design")
    reduce_design(package["design"], design, variant, name, own_class, refused, repository)
    prune({"design": package["design"]}, [("design", "DESIGN")])
    if variant is not design.main and variant.module is not None:
        module = f"variants.{variant.module.__name__.rpartition('.')[2]}"
        package |= read_package(folder, [module])
        merge_variant(package, module, repository_name(design))
        package["example"] = story(name)
    drop_lacks(package["repository"], repository_name(design))
    answered = {pattern.method.__name__ for pattern in design.patterns if pattern.question not in refused}
    unanswered = {pattern.method.__name__ for pattern in design.patterns} - answered
    if variant is not design.main:
        drop_methods(package["repository"], repository_name(design), unanswered)
    for tests in OWN_TESTS:
        if (of_tests := test_module(tests, design, variant)) is not None:
            package[tests.module] = of_tests
    package = read_package(folder, sorted(imported_modules(package["design"], folder) - package.keys())) | package
    front = package["__init__"]
    if variant is not design.main:
        lead_past(package, front)
        del package["__init__"]
    tested = [(tests.module, tests.test_class) for tests in OWN_TESTS if tests.module in package]
    prune(package, [("design", "DESIGN"), *tested], package.keys() & {"__init__", "example", "design"})
    settle_names(package)
    package["__init__"] = front
    keep_what_is_there(front, package)
    keep_own_prose(package, _whole_design(folder), is_main=variant is design.main)
    renames = read_renames(record, design.loads[0].record.__name__, words)
    if renames.pairs:
        package = rename_package(package, renames, [load.samples for load in design.loads])
    for made_module in package.values():
        for unit in made_module.units:
            unit.statements = [shortened(statement) for statement in unit.statements]
    options = {"--from": [origin], "--vendor": [vendor], "--record": [record], "--rename": words}
    arguments = [word for option, values in options.items() for value in values if value for word in (option, value)]
    library = "rowbook" if vendor is None else package_name(vendor, "--vendor")
    if library == name:
        raise WrongUsage(f"--vendor: must be another name than that of the package (got {vendor!r})")
    answers = golden_answers(measured)
    made = Made(name, design, variant, library, tuple(arguments), answers, tuple(sorted(refused)), renames)
    files = project_files(made, package)
    return files, find_old_words(files, renames)


def _origin(origin: str | None) -> tuple[Design, Variant, Path]:
    """The design, the variant and the folder with the code of what the command line names."""
    if origin is None:
        from .smallest.design import DESIGN

        return DESIGN, DESIGN.main, Path(__file__).parent / "smallest"
    check_name("design", origin.partition(":")[0], dict.fromkeys(NAMES))
    design, (variant, *_others) = find_variants(origin)
    return design, variant, DOMAINS / design.name


def _whole_design(folder: Path) -> Package:
    """All modules of a design."""
    names = (".".join(path.relative_to(folder).with_suffix("").parts) for path in folder.rglob("*.py"))
    return {name: read_module(folder.joinpath(*name.split(".")).with_suffix(".py"), name) for name in names}


def measured_questions(design: Design, variant: Variant) -> tuple[list[Measurement], type]:
    """The questions of a design with the answers of a variant on the samples, and the class of its repository."""
    with closing(scratch_store(variant.tables)) as connection:
        repository = load_samples(connection, design, variant)
        of: type = type(repository)  # pyright: ignore[reportUnknownVariableType]
        return measure(connection, repository, design.patterns), of
