"""The source of the site: all pages are in it, their links lead to pages, and the home page leads to every design."""

import re
from posixpath import normpath

import pytest

from tests.designs import NAMES
from tests.programs.pages.cards import CARD
from tests.programs.site import finder, staging
from tests.programs.site.finder import ANSWERS, HOME, LINK
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


def questions_and_links():
    """The questions of the root README, each with its link."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n| question |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| ([^|]+) \|.*\]\((.*)\) \|$", table.partition("|---")[2], re.MULTILINE))


@pytest.fixture(scope="module")
def entries(files):
    """The entries of the home page, by their questions."""
    _beginning, *entries = files[0][HOME].partition("\n</div>\n")[0].split("<details>")
    return {re.search("<b>(.*?)</b>", entry)[1]: entry for entry in entries}


def keys_of(entry):
    """The row keys of an entry, each as the labels of its parts."""
    return [re.findall("<code.*?>(.*?)</code>", keys) for keys in re.findall("((?:<code.*?</code>)+)", entry)]


def test_the_home_page_has_every_question_of_the_readme_and_leads_to_every_design(entries):
    assert [*entries] == [*questions_and_links()]
    for name in NAMES:
        assert [entry for entry in entries.values() if f"](domains/{name}/index.md" in entry]


def test_every_entry_that_leads_to_a_design_has_a_key_and_the_words_of_what_it_answers(entries):
    links = questions_and_links()
    assert links.keys() - ANSWERS.keys() == {"a list by several labels"}
    assert ANSWERS.keys() - links.keys() == set()
    for question, (name, *asked) in ANSWERS.items():
        words = re.findall('<small>"(.*?)"(?: in ([^<]*?))?: ', entries[question])
        assert {each for each, _of in words} == {*asked}
        title = re.findall("<b>(.*?)</b>", entries[question])[1]
        assert {of for _words, of in words} == {"" if name == title else name}
        assert len(words) >= len(keys_of(entries[question])) > 0


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("a code that is given once", [["code"]]),
        ("counts by two dimensions", [["code", "day_ms", "country"]]),
        ("the latest of each", [["host", "metric"]]),
        ("a period of all", [["1 of 8 buckets of host", "time_ms", "host", "event", "tie"]]),
        (
            "both directions of a relation; a feed",
            [["reader", "author"], ["author", "reader"], ["owner", "posted_ms ↓", "author", "post_id"]],
        ),
    ],
)
def test_the_key_of_an_entry_is_that_of_the_table_which_answers_its_question(entries, question, keys):
    assert keys_of(entries[question]) == keys


def test_the_costs_of_an_entry_are_those_of_the_design_s_card(entries):
    compared = set()
    for question, (name, *_asked) in ANSWERS.items():
        if ":" not in name:
            card = (ROOT / "domains" / name / CARD).read_text(encoding="utf-8")
            costs = card[card.index("| question | cost |") :].partition("\n\n")[0]
            assert costs in entries[question].replace("**", "")
            compared.add(name)
    assert compared


@pytest.mark.parametrize("asked", ["the code of a link", "all hosts, ten minutes"])
def test_an_answer_must_be_a_question_of_its_design_that_is_not_refused(asked, monkeypatch):
    monkeypatch.setattr(finder, "ANSWERS", {"a period of all": ("logs", asked)})
    with pytest.raises(ValueError, match=f"^ANSWERS: must name a question that logs answers .got '{asked}'"):
        finder.home_page()


def test_a_built_explorer_is_part_of_the_site(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "EXPLORER", tmp_path / "built")
    (tmp_path / "built" / "worker").mkdir(parents=True)
    (tmp_path / "built" / "worker" / "start.js").write_text("run();")
    stage(tmp_path / "source")
    assert (tmp_path / "source" / "_static" / "explorer" / "worker" / "start.js").read_text() == "run();"
