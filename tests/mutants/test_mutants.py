"""Where a mutant is planted, and which mutants a run plants."""

import re

import attrs
import pytest

from tests.programs.mutants.__main__ import chosen
from tests.programs.mutants.planting import FOLDER, ROOT, Mutant, read_mutants
from tests.programs.mutants.survivors import FILES, TESTS

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
        ("Clock.now", "", "lambda self: 0", CODE + "\n\nright = Clock.now\nClock.now = lambda self: 0\n"),
    ],
)
def test_a_mutant_is_planted_in_or_instead_of_the_definition_that_it_names_or_where_the_file_has_the_text_once(
    definition, old, new, planted
):
    assert in_clock(definition, old, new).planted(CODE) == planted


@pytest.mark.parametrize(
    ("definition", "old", "message"),
    [
        ("Clock.now", "3", "clock.py::Clock.now: '3' must occur once (occurs 2 times)"),
        ("Clock.renamed", "3", "clock.py: '3' must occur once (occurs 6 times)"),
        ("Clock.now", "time.time", "clock.py: 'time.time' must occur once (occurs 0 times)"),
        ("Clock.renamed", "", "clock.py: must define Clock.renamed"),
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
        ('tests = ["tests/test_clock.py"]', "", "'one' must be below tests, or a defect of an idea"),
        ('[["clock.py"]]', '["clock.py"]', "'clock.py' must be tables "),
        (", 'a', 'b'", "", "'one' must be [definition, old text, new text] (got ['Clock.now'])"),
        ("", TABLE.format(name="one"), "'one' must name one mutant (names two)"),
    ],
)
def test_a_mutant_that_is_not_complete_or_has_the_name_of_another_is_refused(tmp_path, right, wrong, message):
    (tmp_path / "a.toml").write_text(TABLE.format(name="one").replace(right, wrong, 1))
    with pytest.raises(ValueError, match=f"^a.toml: {re.escape(message)}"):
        read_mutants(tmp_path)


def test_the_named_files_choose_the_mutants_and_words_among_these():
    assert chosen(["writes"], "") == [*read_mutants(FOLDER, ["writes"])]
    assert [mutant.name for mutant in chosen(["ideas"], "is little-endian")] == ["S2.1: an int is little-endian"]
    assert chosen([], "") == [*read_mutants()]


@pytest.mark.parametrize(
    ("files", "named", "message"),
    [(["nope"], "", "file: must be one of files, ideas, writes "), ([], "nope", "named: ")],
)
def test_unknown_files_and_words_are_refused(files, named, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        chosen(files, named)


def test_the_files_that_mutmut_changes_and_their_tests_are_there():
    assert [name for name in (*FILES, *TESTS) if not (ROOT / name).is_file()] == []
