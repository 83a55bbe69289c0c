"""The designs and claims of five published documents, each with its verdict, the place that shows it, and its test.

`domains/ideas.toml` has an entry for each of them, and says what its fields are. `IDEAS.md` has of each its verdict and
its place, and of a wrong one also the sentence.
"""

import tomllib
from itertools import groupby
from pathlib import Path

import attrs

from shared.exhibit.markdown import markdown_list, quoted

FILE = Path(__file__).parents[3] / "domains" / "ideas.toml"

DOCUMENTS = {
    "S0": ("000_e0f0dfcf343edf27.txt", "a vendor's row-key guide"),
    "S1": ("001_94652572228b0680.txt", "a summary of row-key rules"),
    "S2": ("002_e2e0d583acc613c2.txt", "row-key notes in Chinese"),
    "S3": ("003_950a3b3ff70accdb.txt", "a course chapter in Chinese"),
    "S4": ("004_0f820192b8611c0a.txt", "MapR-DB's documentation"),
}
"""The file of each document, and what it is."""
DESIGNS = {"S0": 13, "S1": 8, "S2": 11, "S3": 11, "S4": 5}
"""How many designs each document has: S0.1 to S0.13, and so on."""
CLAIMS = 19
"""Sentences that no design carries: C1 to C19."""
IDS = (
    *(f"{document}.{number}" for document, count in DESIGNS.items() for number in range(1, count + 1)),
    *(f"C{number}" for number in range(1, CLAIMS + 1)),
)
"""Every id, in the order of the page."""

TRAP_TEST = "tests/domains/test_traps.py::test_a_trap_gives_what_the_reference_says"


class MissingIdea(ValueError):
    """An id without an entry, or an entry without an id or a verdict."""


@attrs.frozen(kw_only=True)
class Idea:
    """One sentence of a document, and what this suite says to it."""

    id: str
    quoted: str
    english: str = ""
    """What the sentence means, if it is not in English."""
    document: str
    right: str = ""
    """What it costs, if the sentence is right."""
    wrong: str = ""
    """What is right instead, if it is wrong."""
    shown: str
    """The section that shows it: a page below `domains/` and an anchor."""
    look_for: str
    """Words in that section."""
    test: str
    defect: str
    """What the test must notice."""

    @property
    def mutant(self) -> str:
        """The name of the mutant that has the defect."""
        return f"{self.id}: {self.defect}"


def read_ideas(path: Path = FILE) -> tuple[Idea, ...]:
    """The entries of the file, in the order of `IDS`; raises MissingIdea."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    for name in [*IDS, *entries]:
        if name not in entries or name not in IDS:
            wanted = "must have an entry" if name in IDS else f"must be one of {IDS[0]} to {IDS[-1]}"
            raise MissingIdea(f"{path.name}: {name} {wanted}")
    return tuple(_idea(name, entry) for name in IDS for entry in entries[name])


def _idea(name: str, entry: dict[str, str]) -> Idea:
    fields = {"document": name.partition(".")[0]} | entry
    if trap := fields.pop("trap", ""):
        design, _, title = trap.partition(": ")
        fields |= {
            "shown": f"{design}/REFERENCE.md#pitfalls",
            "look_for": f"**{title}**",
            "test": f"{TRAP_TEST}[{trap}]",
        }
    try:
        idea = Idea(id=name, **fields)
    except TypeError as error:
        raise MissingIdea(f"{name}: {error}") from None
    if bool(idea.right) == bool(idea.wrong) or idea.document not in DOCUMENTS:
        raise MissingIdea(f"{name}: must be right or wrong, and of one document (got {entry})")
    return idea


def ideas_blocks() -> dict[str, str]:
    """The entries of the page, below a heading for each document."""
    by_document = groupby(read_ideas(), lambda idea: "C" if idea.id.startswith("C") else idea.document)
    return {
        "ideas": "\n\n".join(f"{_heading(name)}\n\n{markdown_list(map(_item, ideas))}" for name, ideas in by_document)
    }


def _heading(name: str) -> str:
    if name not in DOCUMENTS:
        return "## Claims that no design carries"
    file, what = DOCUMENTS[name]
    return f"## {name}: {what}, `{file}`"


def _item(idea: Idea) -> str:
    """What the page says of one entry: of a wrong one, also the sentence."""
    page = idea.shown.partition("#")[0].removeprefix("../")
    place = page.removesuffix("/REFERENCE.md").removesuffix("/README.md")
    said = idea.right or f"{quoted(idea.english or idea.quoted)} **Wrong.** {idea.wrong}"
    return f"**{idea.id}**: {said} [{place}]({idea.shown})"
