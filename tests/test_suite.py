"""Facts about the suite itself."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from shared.command_line.rows.given_rows import tables_of
from tests.copies import COPIED, copied_modules, imported_modules
from tests.designs import all_designs
from tests.programs.mutants.planting import read_mutants
from tests.programs.shown_writes import STEPS
from tests.readmes import READMES, named

ROOT = Path(__file__).parents[1]
DOMAINS = sorted(path for path in (ROOT / "domains").iterdir() if (path / "keys.py").exists())
IN_ONE_FILE = [design for design in all_designs() if design.in_one_file]
FILES = (
    *("README.md", "REFERENCE.md", "design.py", "layout.txt"),
    *(f"shown/{name}" for name in ("__init__.py", "design.py", "published.py", "variants/__init__.py")),
    *(f"{name}.py" for name in COPIED),
)
MAY_COPY_IMPORT = tuple(
    f"shared.{room}" for room in ("keys", "tables", "queries", "writes", "upkeep", "intents", "sources", "records")
)
MAX_CODE, MAX_PAGE = 150, 200
"""The most lines of code of a design in one file, without its docstrings, and of a page that one decides by."""
SECTIONS = {
    "README.md": (
        "The key",
        "What each question costs",
        "Which one to choose",
        "Twelve lines",
        "Layout",
        "What readers see while a write is under way",
        "Limits",
        "Adapt it",
    ),
    "REFERENCE.md": (
        "Layout",
        "Questions",
        "Costs",
        "Ordering",
        "Writes",
        "Trade-offs",
        "Pitfalls",
        "Lint",
        "Source",
    ),
}
"""The headings of the pages of every design, in this order; others may stand between them."""


def folder_name(path):
    return path.name


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_every_domain_has_the_same_files(domain):
    assert [name for name in FILES if not (domain / name).exists()] == []


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_a_domain_imports_shared_and_no_other_domain(domain):
    for path in domain.rglob("*.py"):
        outside = "." * (len(path.relative_to(domain).parts) + 1)
        assert [name for name in imported_modules(path) if name.startswith(("domains", outside))] == []


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_what_one_copies_imports_nothing_of_what_the_suite_shows(domain):
    modules = copied_modules(domain.name)
    assert [name for name in modules if name.startswith("shown")] == []
    for name in modules:
        may_import = MAY_COPY_IMPORT + (("shared.stores",) if name == "example" else ())
        of_shared = [module for module in imported_modules(domain / f"{name}.py") if module.startswith("shared")]
        assert [
            module for module in of_shared if not f"{module}.".startswith(tuple(f"{room}." for room in may_import))
        ] == []
    assert [name for name in imported_modules(domain / "design.py") if name.startswith((".shown", ".."))] == []


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_every_variant_is_a_module_with_its_tables(domain):
    modules = {path.stem.replace("_", "-") for path in (domain / "shown" / "variants").glob("[a-z]*.py")}
    (design,) = (design for design in all_designs() if design.name == domain.name)
    assert design.main.name == design.name
    assert modules == {variant.name for variant in design.variants[1:]}
    for variant in design.variants[1:]:
        module = import_module(f"domains.{design.name}.shown.variants.{variant.name.replace('-', '_')}")
        assert variant.tables == module.TABLES


def test_every_mutant_can_be_planted():
    """It takes minutes to run the tests that must notice them."""
    for mutant in read_mutants():
        code = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert mutant.planted(code) != code
        assert [test for test in mutant.tests if not (ROOT / test.partition("::")[0]).is_file()] == []


def test_shared_imports_no_domain():
    for path in (ROOT / "shared").rglob("*.py"):
        assert [name for name in imported_modules(path) if name.split(".")[0] in ("domains", "fixtures", "tests")] == []


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_the_pages_of_a_design_have_their_sections_and_what_one_decides_by_fits_200_lines(domain):
    for page, sections in SECTIONS.items():
        headings = re.findall(r"^## (.*)", (domain / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert tuple(heading for heading in headings if heading in sections) == sections, page
    assert len((domain / "README.md").read_text(encoding="utf-8").splitlines()) <= MAX_PAGE


def module_of(design):
    """The file of a design in one file, its package."""
    path = Path(import_module(design.repository.__module__).__file__)
    return path, path.parent


def lines_of_code(path):
    """The lines of a file without empty ones, comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    documented = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    code = [line.strip() for number, line in enumerate(text.splitlines(), 1) if number not in documented]
    return sum(bool(line) and not line.startswith("#") for line in code)


@pytest.mark.parametrize("design", IN_ONE_FILE, ids=lambda design: design.name)
def test_a_design_in_one_file_has_its_files_and_imports_only_what_one_copies(design):
    path, folder = module_of(design)
    assert folder.name == design.name
    files = {"__init__.py", path.name, "design.py", "README.md", "CARD.md", "layout.txt"}
    files |= {"steps.txt"} if design.name in STEPS else set()
    assert {file.name for file in folder.iterdir() if file.is_file()} == files
    for module in imported_modules(path):
        assert not module.startswith(("shared", ".")) or f"{module}.".startswith(
            tuple(f"{allowed}." for allowed in MAY_COPY_IMPORT)
        ), module
    assert [name for name in imported_modules(folder / "design.py") if name.startswith(("domains", ".."))] == []


@pytest.mark.parametrize("design", IN_ONE_FILE, ids=lambda design: design.name)
def test_a_design_in_one_file_is_short(design):
    path, folder = module_of(design)
    assert lines_of_code(path) <= MAX_CODE
    assert len((folder / "README.md").read_text(encoding="utf-8").splitlines()) <= MAX_PAGE


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_a_variant_says_when_to_choose_it_and_when_not_unless_it_is_not_to_be_copied(design):
    for variant in design.variants:
        assert (bool(variant.take_if), bool(variant.avoid_if)) == (variant.is_to_copy,) * 2, variant.name


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_a_key_class_has_its_five_headings(design):
    for table in tables_of(design.variants):
        headings = re.findall(r"^ *(\w+):", table.key.key_class.__doc__, re.MULTILINE)
        assert headings == ["Order", "Serves", "Costs", "Fixed", "Source"]


def test_the_designs_are_all_the_domains():
    in_folders = [domain.name for domain in DOMAINS]
    assert sorted(design.name for design in all_designs() if not design.in_one_file) == in_folders


def test_the_first_table_of_the_root_readme_leads_to_every_design():
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n| question |")[2].partition("\n\n")[0]
    linked = re.findall(r"\(domains/(\w+)/README.md(?:#[\w-]+)?\) \|$", table, re.MULTILINE)
    assert {*linked} == {design.name for design in all_designs()}


def most_words(page):
    """The words that a page may have, generated blocks included."""
    if page == ROOT / "README.md":
        return 900
    if page.parent.parent == ROOT / "domains":
        return {"README.md": 1_350, "CARD.md": 350}.get(page.name, 3_000)
    return 3_000


@pytest.mark.parametrize("page", READMES, ids=named)
def test_a_page_has_few_words(page):
    assert len(page.read_text(encoding="utf-8").split()) <= most_words(page)


def test_no_module_is_named_after_helpers():
    assert [path for path in ROOT.glob("[ds]*/**/*.py") if path.stem in ("util", "utils", "helpers", "common")] == []
