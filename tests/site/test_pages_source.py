"""The source of the site: all pages are in it, their links lead to pages, and the home page leads to every design."""

import re
from posixpath import normpath

import pytest

from tests.designs import NAMES
from tests.programs.site import staging
from tests.programs.site.finder import HOME, LINK
from tests.programs.site.staging import page_of, site_files, stage
from tests.readmes import READMES, ROOT, named


@pytest.fixture(scope="module")
def files():
    return site_files()


def test_every_readme_is_a_page_and_in_the_navigation(files):
    texts, _pictures = files
    listed = []
    for page, text in texts.items():
        for toctree in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            entries = re.findall(r"^(?!:)(?:.* <)?([^<>\n]+?\.md)>?$", toctree, re.MULTILINE)
            listed += [normpath(f"{page}/../{entry}") for entry in entries]
    assert {page_of(named(path)) for path in READMES} - {*listed} == set()
    orphans = {page for page, text in texts.items() if "\norphan: true\n" in text}
    assert sorted(listed) == sorted({*texts} - orphans - {HOME})


def test_every_link_leads_to_a_page_or_to_a_picture(files):
    texts, pictures = files
    for page, text in texts.items():
        without_code = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
        targets = {normpath(f"{page}/../{link[2]}") for link in LINK.finditer(without_code)}
        assert targets - {*texts} - pictures == set(), page


def test_a_linked_file_of_code_is_shown_whole(files):
    texts, _pictures = files
    shown = [page.removesuffix(".md") for page in texts if page.endswith(".py.md")]
    assert "domains/orders/keys.py" in shown
    for path in shown:
        assert (ROOT / path).read_text(encoding="utf-8") in texts[f"{path}.md"]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_design_has_a_place_for_the_explorer(files, name):
    text = files[0][f"domains/{name}/index.md"]
    explorer = f'<div class="explorer" data-design="{name}">{staging.EXPLORER_WORDS}</div>'
    assert text.count(explorer) == text.count('<div class="explorer"') == 1
    first_picture = text.partition("![")[2] or text
    assert text.index(explorer) < text.index("\n## ")
    assert explorer in first_picture.partition("![")[0]


@pytest.mark.parametrize("path", staging.WITH_EXAMPLES)
def test_every_example_of_a_page_has_a_place_around_it(files, path):
    text = files[0][page_of(path)]
    examples = re.findall(r'^<div class="editable">\n\n```python\n.*?^```\n\n</div>$', text, re.MULTILINE | re.DOTALL)
    assert len(examples) == text.count("```python\n") == text.count('<div class="editable"') > 0


def test_the_home_page_has_every_question_of_the_readme_and_leads_to_every_design(files):
    home = files[0][HOME]
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n| question |")[2].partition("\n\n")[0]
    questions = re.findall(r"^\| ([^|]+) \|", table.partition("|---")[2], re.MULTILINE)
    asked = re.findall(r"<summary><span><b>(.*?)</b>", home)
    assert asked == questions
    designs = {name for name in NAMES for entry in home.split("<details>") if f"](domains/{name}/index.md" in entry}
    assert designs == {*NAMES}
    for name in NAMES:
        page = (ROOT / "domains" / name / "README.md").read_text(encoding="utf-8")
        if price := re.search(
            r"^(Every question|(None|\d+) of \d+ questions?) reads? only \w+ answers?", page, re.MULTILINE
        ):
            assert f"<small>{price[0]}</small>" in home


def test_a_built_explorer_is_part_of_the_site(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "EXPLORER", tmp_path / "built")
    (tmp_path / "built" / "worker").mkdir(parents=True)
    (tmp_path / "built" / "worker" / "start.js").write_text("run();")
    stage(tmp_path / "source")
    assert (tmp_path / "source" / "_static" / "explorer" / "worker" / "start.js").read_text() == "run();"
