"""Makes the files of a new package, and writes them."""

import keyword
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console

from ...designs import Design, Measurement, Variant, load_samples, measure, scratch_store
from ...designs.golden_answers import golden_answers
from ...keys.errors import shown
from ..named.designs import find_variants, full_name
from ..named.suite import suite
from ..screen.terminal import count, line, wrapped
from ..screen.wrong_usage import CommandFailed, WrongUsage, check_name
from .copying import Size, copied_modules, copied_tests, smaller, type_of
from .folders import check_free, write_folder
from .name_words import read_renames, words_of
from .project import Made, project_files
from .renaming import old_words

SIZES: tuple[Size, ...] = ("keys", "questions", "all")
TAKEN = (
    *("rowbook", "shared", "domains", "samples", "tests", "pytest", "hypothesis"),
    *("attrs", "attr", "happybase", "msgpack", "thriftpy2", "cattrs"),
    *("fastapi", "starlette", "pydantic", "anyio", "uvicorn", "flask", "werkzeug", "gunicorn"),
    *("prometheus_client", "pythonjsonlogger"),
)
"""Packages that a project imports, so that its own package cannot have one of these names."""


def new(
    out: Console,
    path: Path,
    origin: str | None,
    *,
    size: Size,
    service: str | None,
    vendor: str | None,
    record: str | None,
    words: Sequence[str],
) -> None:
    """Writes a package made of a design or of one of its variants, and says what is left to do."""
    path = path.absolute()
    if path.is_relative_to(checkout := suite().folder.parent):
        outside = shlex.quote(str(checkout.parent / path.name))
        raise WrongUsage(f"PATH: must be outside of rowbook, such as {outside} (got {shown(str(path))})")
    check_free(path)
    name = package_name(path.name)
    files, left = made_files(name, origin, size=size, service=service, vendor=vendor, record=record, words=words)
    write_folder(path, files)
    design, variant = design_of(origin)
    of = full_name(design, variant) + ("" if origin else "; --from NAME copies another design")
    line(out, f"{path}: the package {name}, in {count(len(files), 'file')}, a copy of {of}")
    wrapped(out, "its README.md says how to go on")
    if note := suite().notes.get(design.name):
        wrapped(out, note)
    if left:
        number = count(sum(map(len, left.values())), "line")
        wrapped(out, f"old words are left in {number} of prose and of stored values, which are yours to write:")
        forms = read_renames(record, design.loads[0].record.__name__, words).forms
        line(out, f"grep -rniwE '{forms}' --include='*.py' --include='*.md' {shlex.quote(str(path))}")


def package_name(given: str, option: str = "PATH") -> str:
    """The name of the package in a folder: that of the folder, with `_` for what is not in names."""
    name = re.sub(r"\W", "_", given)
    if _is_package_name(name):
        return name
    what = "end with" if option == "PATH" else "be"
    lower = "_".join(words_of(name))
    example = f", such as {lower}" if name.isascii() and _is_package_name(lower) else ""
    wanted = f"the name of a package, in lower case, and of no module of Python{example}"
    raise WrongUsage(f"{option}: must {what} {wanted} (got {given!r})")


def _is_package_name(name: str) -> bool:
    """Whether a name is in lower case, and is not a keyword or the name of a package that a project may import."""
    is_taken = keyword.iskeyword(name) or name in sys.stdlib_module_names or name in TAKEN
    return not is_taken and re.fullmatch(r"[a-z][a-z0-9]*(_+[a-z0-9]+)*", name) is not None


def made_files(
    name: str,
    origin: str | None,
    *,
    size: Size = "all",
    service: str | None = None,
    vendor: str | None = None,
    record: str | None = None,
    words: Sequence[str] = (),
) -> tuple[dict[str, bytes], dict[str, list[int]]]:
    """The files of a package called `name`, by their names in its folder, and the lines that still have old words."""
    design, variant = design_of(origin)
    if not variant.is_to_copy:
        raise CommandFailed(f"{origin} {variant.warning}")
    library = "rowbook" if vendor is None else package_name(vendor, "--vendor")
    if library == name:
        raise WrongUsage(f"--vendor: must be another name than that of the package (got {vendor!r})")
    measured = [] if size == "keys" else measured_questions(design, variant)
    of = type_of(design, variant)
    refused = [
        answer.pattern for answer in measured if answer.refused or not hasattr(of, answer.pattern.method.__name__)
    ]
    modules = copied_modules(design, variant, refused)
    tests = copied_tests(design, variant) if size == "all" else {}
    if size != "all":
        modules = smaller(modules, design, variant, size)
    renames = read_renames(record, design.loads[0].record.__name__, words)
    given = [
        ("--from", origin),
        ("--only", None if size == "all" else size),
        ("--service", service),
        ("--vendor", vendor),
        ("--record", record),
    ]
    given += [("--rename", word) for word in words]
    arguments = [word for option, value in given if value for word in (option, value)]
    answers = golden_answers([answer for answer in measured if answer.pattern not in refused])
    made = Made(name, design, variant, library, size, service, tuple(arguments), answers, renames)
    files = project_files(made, modules, tests)
    texts = {file: data.decode() for file, data in files.items() if not file.startswith((f"{library}/", "typings/"))}
    return files, old_words(texts, renames)


def design_of(origin: str | None) -> tuple[Design, Variant]:
    """The design and the variant that the command line names."""
    origin = origin or suite().smallest
    check_name("design", origin.partition(":")[0], dict.fromkeys(suite().names))
    design, (variant, *_others) = find_variants(origin)
    return design, variant


def measured_questions(design: Design, variant: Variant) -> list[Measurement]:
    """The questions of a design with the answers of a variant on the samples."""
    with closing(scratch_store(variant.tables)) as connection:
        return measure(connection, load_samples(connection, design, variant), design.patterns)
