"""Where a mutant is planted, and which mutants a run plants."""

import re
import subprocess

import attrs
import pytest

from tests.programs.mutants.choosing import bounded, changed_files, of_files, of_what_changed, part_of
from tests.programs.mutants.planting import Mutant, read_mutants

CODE = """\
STEP_MS, KEEP_MS = 3, 4
WAIT_MS: int = 3

class Clock:
    step = 3

    @cached(3)
    def now(self):
        return self.last + 3

    def later(self):
        return self.now() + 3
"""


def in_clock(definition, old="3", new="5"):
    return Mutant("the clock is wrong", "clock.py", definition, old, new, ("tests/test_clock.py",))


@pytest.mark.parametrize(
    ("definition", "old", "new", "planted"),
    [
        ("WAIT_MS", "3", "5", CODE.replace("int = 3", "int = 5")),
        ("Clock.step", "3", "5", CODE.replace("step = 3", "step = 5")),
        ("Clock.later", "3", "5", CODE.replace("now() + 3", "now() + 5")),
        ("Clock.now", "@cached(3)", "", CODE.replace("@cached(3)", "")),
        ("Clock.renamed", "self.last", "0", CODE.replace("self.last", "0")),
    ],
)
def test_a_mutant_is_planted_in_the_definition_that_it_names_or_where_the_file_has_the_text_once(
    definition, old, new, planted
):
    assert in_clock(definition, old, new).planted(CODE) == planted


@pytest.mark.parametrize(
    ("definition", "old", "message"),
    [
        ("Clock.now", "3", "clock.py::Clock.now: '3' must occur once (occurs 2 times)"),
        ("Clock.renamed", "3", "clock.py: '3' must occur once (occurs 6 times)"),
        ("Clock.now", "time.time", "clock.py: 'time.time' must occur once (occurs 0 times)"),
    ],
)
def test_a_text_that_occurs_twice_in_its_definition_or_not_at_all_is_refused(definition, old, message):
    with pytest.raises(LookupError, match=f"^{re.escape(message)}$"):
        in_clock(definition, old).planted(CODE)


TABLE = """[["clock.py"]]
tests = ["tests/test_clock.py"]
"{name}" = ["Clock.now", 'a', 'b']
"""


def test_mutants_are_read_from_all_files_of_a_folder(tmp_path):
    (tmp_path / "a.toml").write_text(TABLE.format(name="one"))
    (tmp_path / "b.toml").write_text(TABLE.format(name="two") + TABLE.format(name="three"))
    one = Mutant("one", "clock.py", "Clock.now", "a", "b", ("tests/test_clock.py",))
    assert read_mutants(tmp_path) == (one, attrs.evolve(one, name="two"), attrs.evolve(one, name="three"))


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("tests =", "test =", "'clock.py' must be tables [[\"clock.py\"]], each with tests (got {'test'"),
        ('[["clock.py"]]', '["clock.py"]', "'clock.py' must be tables "),
        (", 'b'", "", "'one' must be [definition, old text, new text] (got ['Clock.now', 'a'])"),
        ("", TABLE.format(name="one"), "'one' must name one mutant (names two)"),
    ],
)
def test_a_mutant_that_is_not_complete_or_has_the_name_of_another_is_refused(tmp_path, right, wrong, message):
    (tmp_path / "a.toml").write_text(TABLE.format(name="one").replace(right, wrong, 1))
    with pytest.raises(ValueError, match=f"^a.toml: {re.escape(message)}"):
        read_mutants(tmp_path)


MUTANTS = [
    Mutant(f"mutant {number}", f"{number}.py", "", "a", "b", (f"tests/{number}.py::test_it",)) for number in range(100)
]


def test_the_parts_are_all_mutants_and_each_is_in_one():
    parts = [part_of(MUTANTS, f"{number}/6") for number in range(1, 7)]
    assert sorted(mutant.name for part in parts for mutant in part) == sorted(mutant.name for mutant in MUTANTS)


@pytest.mark.parametrize("part", ["0/6", "7/6", "1", "a/b", ""])
def test_another_part_is_refused(part):
    with pytest.raises(ValueError, match=r"^part: must be K/N with K from 1 to N \(got "):
        part_of(MUTANTS, part)


def test_a_change_of_a_file_or_of_a_test_chooses_its_mutants():
    assert of_files(MUTANTS, {"3.py", "tests/5.py", "README.md"}) == [MUTANTS[3], MUTANTS[5]]


def test_another_commit_chooses_other_mutants_and_the_same_one_the_same():
    chosen = bounded(MUTANTS, 60, "a1")
    assert len(chosen) == 60
    assert bounded(MUTANTS, 60, "a1") == chosen != bounded(MUTANTS, 60, "a2")
    assert {mutant.name for number in range(12) for mutant in bounded(MUTANTS, 60, f"{number}")} == {
        mutant.name for mutant in MUTANTS
    }


@pytest.fixture
def history(tmp_path):
    """A repository in which commit N has changed the file N.py."""

    def git(*arguments):
        settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *settings, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for number in range(3):
        (tmp_path / f"{number}.py").write_text("a")
        git("add", ".")
        git("commit", "-m", f"commit {number}")
    return tmp_path


def test_what_changed_is_of_the_last_commits_and_of_the_work_since(history):
    (history / "0.py").write_text("b")
    assert changed_files(1, history) == {"2.py", "0.py"}
    assert of_what_changed(MUTANTS, 1, history) == ([MUTANTS[0], MUTANTS[2]], "2 of 100 mutants: changed since HEAD~1")


def test_everything_has_changed_where_the_history_is_shorter_and_the_rest_is_said(history):
    chosen, sentence = of_what_changed(MUTANTS, 20, history)
    assert len(chosen) == 60
    assert sentence == (
        "100 of 100 mutants: the history is shorter than 20 commits; "
        "the hash of the commit chooses 60 of them, and 40 are not planted"
    )


def test_everything_has_changed_without_a_history(tmp_path):
    assert changed_files(1, tmp_path) is None


def test_no_commits_are_refused():
    with pytest.raises(ValueError, match=r"^changed: must be 1 or more commits \(got 0\)$"):
        of_what_changed(MUTANTS, 0)
