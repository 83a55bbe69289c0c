"""What the command line prints is what the transcripts show; `tests.programs transcripts` writes them anew."""

import pytest

from tests.designs import find_variants
from tests.shared.command_line.running import Ended
from tests.shared.command_line.transcripts import FOLDER, Command, parts, run_section, sections

SECTIONS = [
    (path, number, section)
    for path in sorted(FOLDER.glob("*.txt"))
    for number, section in enumerate(sections(path))
    if section.title
]


def each_of(has_store):
    """The sections with a store on every engine, or those without."""
    chosen = [
        pytest.param(
            *(path, number, section),
            id=f"{path.stem}: {section.title}",
            marks=pytest.mark.long if "long" in section.source else (),
        )
        for path, number, section in SECTIONS
        if bool(section.designs) == has_store
    ]
    return pytest.mark.parametrize(("path", "number", "section"), chosen)


def shown(path, number):
    """The lines of a section in its file."""
    return parts(path.read_text(encoding="utf-8"))[number][1]


@each_of(has_store=False)
def test_the_transcript_is_what_is_printed(path, number, section, folder):
    assert run_section(path, section, folder) == shown(path, number)


@each_of(has_store=True)
def test_the_transcript_is_what_is_printed_on_every_engine(path, number, section, folder, new_url):
    tables = [table for name in section.designs for table in find_variants(name)[1][0].tables]
    assert run_section(path, section, folder, new_url(*tables)) == shown(path, number)


# What no rewriting may change


@pytest.mark.parametrize(
    ("line", "ended"),
    [
        ("$ rowbook list", Ended(1, "", "no\n")),
        ("$ rowbook list", Ended(0, "orders\n", "a warning\n")),
        ("$ rowbook list", Ended(0, "\x1b[1morders\n", "")),
        ("$ rowbook list", Ended(0, "Traceback (most recent call last):\n", "")),
        ("$ rowbook list --json", Ended(0, "{}\n{}\n", "")),
        ("$ rowbook ask trains  # exits 2", Ended(1, "", "no\n")),
        ("$ rowbook ask trains  # exits 2", Ended(2, "", "")),
        ("$ rowbook ask trains  # exits 2", Ended(2, "", "no\nno\n")),
        ("$ rowbook ask trains  # exits 2", Ended(2, "half an answer\n", "no\n")),
        ("$ rowbook verify orders  # exits 1, 0 on stderr", Ended(1, "missing\n", "no\n")),
    ],
)
def test_how_a_command_must_end_is_not_blessed_by_writing_its_output(line, ended):
    with pytest.raises(AssertionError):
        Command.of(line).check(ended)
