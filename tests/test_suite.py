"""Facts about the suite itself."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from domains.command_line.designs import all_designs
from domains.command_line.key_words import tables_of
from tests.copies import COPIED, copied_modules, imported_modules
from tests.programs.mutants.planting import read_mutants

ROOT = Path(__file__).parents[1]
DOMAINS = sorted(path for path in (ROOT / "domains").iterdir() if (path / "keys.py").exists())
FILES = ("README.md", *(f"{name}.py" for name in COPIED), "design.py", "variants/__init__.py")
MAY_COPY_IMPORT = ("shared.keys", "shared.tables", "shared.queries", "shared.writes", "shared.records")
SECTIONS = (
    "Which layout for what",
    "Layout",
    "Costs",
    "Ordering",
    "Writes",
    "Trade-offs",
    "Pitfalls",
    "Limits",
    "Adapt it",
    "Source",
)


def folder_name(path):
    return path.name


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_every_domain_has_the_same_files(domain):
    assert [name for name in FILES if not (domain / name).exists()] == []


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_a_domain_imports_shared_and_no_other_domain(domain):
    for path in domain.rglob("*.py"):
        outside = ".." if path.parent == domain else "..."
        assert [name for name in imported_modules(path) if name.startswith(("domains", outside))] == []


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_what_one_copies_imports_nothing_of_what_the_suite_shows(domain):
    own = tuple(f".{name}" for name in copied_modules(domain.name))
    for name in copied_modules(domain.name):
        for module in imported_modules(domain / f"{name}.py"):
            may_import = MAY_COPY_IMPORT + (("shared.stores",) if name == "example" else ())
            assert not module.startswith(("shared", ".")) or f"{module}.".startswith(
                tuple(f"{allowed}." for allowed in (*may_import, *own))
            ), f"{name}.py imports {module}"


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_every_variant_is_a_module_with_its_tables(domain):
    modules = {path.stem.replace("_", "-") for path in (domain / "variants").glob("[a-z]*.py")}
    (design,) = (design for design in all_designs() if design.name == domain.name)
    assert design.main.name == design.name
    assert modules == {variant.name for variant in design.variants[1:]}
    for variant in design.variants[1:]:
        module = import_module(f"domains.{design.name}.variants.{variant.name.replace('-', '_')}")
        assert variant.tables == module.TABLES


def test_every_mutant_can_be_planted():
    """It takes an hour to plant them all."""
    for mutant in read_mutants():
        code = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert mutant.planted(code) != code
        assert [test for test in mutant.tests if not (ROOT / test.partition("::")[0]).is_file()] == []


def test_shared_imports_no_domain():
    for path in (ROOT / "shared").rglob("*.py"):
        assert [name for name in imported_modules(path) if name.split(".")[0] in ("domains", "fixtures", "tests")] == []


@pytest.mark.parametrize("domain", DOMAINS, ids=folder_name)
def test_a_design_page_has_its_sections_and_80_to_150_lines_besides_the_generated_ones(domain):
    page = (domain / "README.md").read_text(encoding="utf-8")
    text = re.sub("<!-- (generated|measured): .*? end -->\n*", "", page, flags=re.DOTALL)
    headings = [heading for heading in re.findall(r"^## (.*)", text, re.MULTILINE) if heading in SECTIONS]
    assert tuple(headings) == SECTIONS
    assert 80 <= len(text.splitlines()) <= 150


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_a_design_page_recommends_every_variant_but_those_that_are_not_to_be_copied(design):
    page = (ROOT / "domains" / design.name / "README.md").read_text(encoding="utf-8")
    advice = page.partition("\n## Which layout for what\n")[2].partition("<!--")[0]
    cells = [line.split(" | ")[1] for line in advice.splitlines() if line.startswith("| ")]
    recommended = {name for cell in cells for name in re.findall(rf"`({design.name}(?::[a-z-]+)?)`", cell)}
    names = {variant.name: f"{design.name}:{variant.name}" for variant in design.variants}
    names[design.main.name] = design.name
    assert recommended == {names[variant.name] for variant in design.variants if variant.is_to_copy}


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_a_key_class_has_its_five_headings(design):
    for table in tables_of(design.variants):
        headings = re.findall(r"^ *(\w+):", table.key.key_class.__doc__, re.MULTILINE)
        assert headings == ["Order", "Serves", "Costs", "Fixed", "Source"]


def test_the_designs_are_all_the_domains():
    assert sorted(design.name for design in all_designs()) == [domain.name for domain in DOMAINS]


def test_the_first_table_of_the_root_readme_has_a_line_for_every_design():
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n| your records |")[2].partition("\n\n")[0]
    linked = re.findall(r"\(domains/(\w+)/README.md\) \|$", table, re.MULTILINE)
    assert sorted(linked) == [domain.name for domain in DOMAINS]


def test_no_module_is_named_after_helpers():
    assert [path for path in ROOT.glob("[ds]*/**/*.py") if path.stem in ("util", "utils", "helpers", "common")] == []
