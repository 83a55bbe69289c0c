"""The home page: for each question the row key that answers it, and what it costs.

The root README has the questions, and links a page for each; `ANSWERS` names what is measured for them.
"""

import html
import re
from collections.abc import Mapping, Sequence
from functools import cache
from posixpath import normpath

from shared.designs import Design, Measurement, Variant, load_samples, measure, scratch_store
from shared.designs.patterns import key_line
from shared.exhibit.markdown import below, filled, markdown_list, markdown_table
from shared.exhibit.part_colours import key_boxes, roles_of
from shared.exhibit.verdicts import verdict
from tests.designs import design_named, find_variants
from tests.readmes import ROOT

HOME = "index.md"
OVERVIEW = "README.md"
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "one thing by id": ("catalog", "a product id alone"),
    "one thing by id, with its newest ten": ("profiles", "the page of a user"),
    "one thing by id, as it was at a time": ("documents", "documents as of a time"),
    "a code that is given once": ("links", "the link of a code"),
    "a list by owner, newest first": ("orders", "a seller's latest orders"),
    "a list by owner, many writes": ("activity", "a user's latest actions"),
    "a list by something that changes": ("orders", "a seller's orders with one status"),
    "top N": ("leaderboard", "the top ten of a season"),
    "the latest of each": ("monitoring:latest", "the latest value of every metric of a host"),
    "where all are now": ("monitoring:latest", "the latest value of a metric on every host of a site"),
    "a period of one": ("monitoring", "one metric of a host, one hour"),
    "a period of all": ("logs:salted", "all hosts, ten minutes"),
    "sums of groups of series": ("tsdb", "a sum over all hosts, averages of ten minutes"),
    "counts a day": ("counters", "a user's days of one week"),
    "counts by two dimensions": ("links", "a link's clicks of one week, by day and country"),
    "both directions of a relation; a feed": (
        "feeds",
        "whom a reader follows",
        "who follows an author",
        "a reader's latest posts",
    ),
    "an inbox, a conversation": ("messages:by-pair", "a user's inbox", "the messages of two users"),
    "one owner of each, always": ("reservations", "a room with its stays"),
    "exactly one open at a time": ("sessions", "a car's last session"),
    "a copy that follows": ("changes", "a source's changes since a position"),
}
"""By question of the README: the design or the variant that answers it, then the design's own words for the question.

A question that is not among them is answered by the linked page, not by the tables of a design.
"""
LINK = re.compile(r"(\]\(|^\[[^\]]+\]: )(?!\w+:|#)([^)#\s]+)", re.MULTILINE)
"""A link or a picture of a page: what comes before its path, and the path, relative to the page and without anchor."""
KEY_EXPLORER = (
    "Each design's page has a key explorer: change the key, and see its bytes, what each question reads, and where new "
    "rows land. Is your own key hot? `rowbook review --keys FILE` [shows it](shared/command_line/README.md#review)."
)
_SECTION = "## Find your question\n"
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| \[([^\]]+)\]\(([^)]+)\) \|$", re.MULTILINE)
_PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]+\)$", re.MULTILINE)


def target(folder: str, link: re.Match[str]) -> str:
    """The path that a link of a page in this folder leads to."""
    return normpath(f"{folder}/{link[2]}".lstrip("/"))


def home_page() -> str:
    """The beginning of the root README, its questions, each with what answers it, and the list of what is not here."""
    readme = _page(OVERVIEW)
    section = readme.partition(_SECTION)[2].partition("\n## ")[0]
    entries = "\n".join(_entry(*row.groups()) for row in _ROW.finditer(section))
    beginning, not_here = readme.partition("<!--")[0], section.rpartition("|\n")[2]
    return f'{beginning}{filled(KEY_EXPLORER)}\n\n{_SECTION}\n<div class="finder">\n\n{entries}\n</div>\n{not_here}\n'


def _entry(question: str, asked_of: str, title: str, link: str) -> str:
    """A question as a line to open, with the keys that answer it; below it the linked page, and what was measured."""
    name, *asked = ANSWERS.get(question, ("",))
    keys, measured = (_keys(name, asked, title), _costs(name, asked)) if name else ("", "")
    asks = f"<span><b>{html.escape(question)}</b> <i>{html.escape(asked_of)}</i></span>"
    answers = f"<span><b>{html.escape(title)}</b> {keys}</span>"
    below_it = f"**[{title}]({link})**: {_opening(link)}\n\n{measured}"
    return f"<details>\n<summary>{asks}{answers}</summary>\n\n{below_it}\n\n</details>\n"


def _keys(name: str, asked: Sequence[str], title: str) -> str:
    """Each row key that answers some of the questions, as coloured boxes, and these with their costs."""
    design, variant, measured = _measured(name)
    of_variant = "" if name == title else f" in {name}"
    by_key: dict[str, list[str]] = {}
    for question in asked:
        if question not in measured or measured[question].refused:
            raise ValueError(f"ANSWERS: must name a question that {name} answers (got {question!r})")
        words = html.escape(f'"{question}"{of_variant}: {verdict(measured[question])}', quote=False)
        by_key.setdefault(_key(design, variant, measured[question]), []).append(f"<small>{words}</small>")
    return " ".join(f"{key} {' '.join(words)}" for key, words in by_key.items())


def _key(design: Design, variant: Variant, measurement: Measurement) -> str:
    """The row key of the table that is scanned last, or that is read by gets only.

    Earlier scans find what to scan, and later gets fetch the records of lines.
    """
    reads = [read for read in measurement.reads if not read.is_get] or measurement.reads
    table = next(table for table in variant.tables if table.name.encode() == reads[-1].table)
    return "".join(
        f'<code class="{role}">{html.escape(label)}</code>' for label, role in key_boxes(table, roles_of(design))
    )


def _costs(name: str, asked: Sequence[str]) -> str:
    """The picture of a design, or the keys of a variant, and what each question costs."""
    design, variant, measured = _measured(name)
    picture = _PICTURE.search(_page(f"domains/{design.name}/{OVERVIEW}")) if variant is design.main else None
    keys = dict.fromkeys(f"`{table.name}`: `{key_line(table.key)}`" for table in variant.record_tables)
    rows = [(f"**{words}**" if words in asked else words, verdict(cost)) for words, cost in measured.items()]
    costs = below(f"What each question costs in `{name}`:", markdown_table(("question", "cost"), rows))
    return f"{picture[0] if picture else markdown_list(keys)}\n\n{costs}"


@cache
def _measured(name: str) -> tuple[Design, Variant, Mapping[str, Measurement]]:
    """A design, the variant of that name, and its questions by their words, each asked of the samples."""
    design, (variant, *_others) = find_variants(name)
    connection = scratch_store(variant.tables)
    measurements = measure(connection, load_samples(connection, design, variant), design.patterns)
    return design, variant, {measurement.pattern.question: measurement for measurement in measurements}


def _opening(link: str) -> str:
    """The question of a design, or the first paragraph of a page, or of the section that the link names."""
    path, _, anchor = link.partition("#")
    name = path.split("/")[1]
    if path == f"domains/{name}/{OVERVIEW}":
        return design_named(name).question
    for section in re.split(r"^#+ ", _page(path), flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        if anchor in ("", heading.lower().replace(" ", "-")):
            return re.sub(":$", ".", text.strip().partition("\n\n")[0])
    raise ValueError(f"{OVERVIEW}: must link a section of {path} (got #{anchor})")


def _page(path: str) -> str:
    """The text of a page of the repository, with its links as the home page has them."""
    folder = path.rpartition("/")[0]
    text = (ROOT / path).read_text(encoding="utf-8")
    return LINK.sub(lambda link: link[1] + target(folder, link), text)
