"""The home page: which design answers a question, with its picture and its costs.

The questions are those of the root README; pictures and costs are those of the designs' pages and cards.
"""

import html
import re
from posixpath import normpath

from shared.designs.patterns import key_line
from shared.exhibit.part_colours import key_boxes, roles_of
from shared.exhibit.verdicts import LEGEND, how_many_exact
from tests.designs import NAMES, design_named
from tests.programs.pages.cards import CARD
from tests.programs.pages.design_page import shown_key
from tests.readmes import ROOT

HOME = "index.md"
OVERVIEW = "README.md"
LINK = re.compile(r"(\]\(|^\[[^\]]+\]: )(?!\w+:|#)([^)#\s]+)", re.MULTILINE)
"""A link or a picture of a page: what comes before its path, and the path, relative to the page and without anchor."""
_SECTION = "## Find your question\n"
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| \[([^\]]+)\]\(([^)]+)\) \|$", re.MULTILINE)
_PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]+\)$", re.MULTILINE)
_EXACT = LEGEND[:3]
"""The verdicts on questions that read only their answers."""


def home_page() -> str:
    """The beginning of the root README, its questions, each with what answers it, and the list of what is not here."""
    readme = _page(OVERVIEW)
    section = readme.partition(_SECTION)[2].partition("\n## ")[0]
    entries = "\n".join(_entry(*row.groups()) for row in _ROW.finditer(section))
    beginning, not_here = readme.partition("<!--")[0], section.rpartition("|\n")[2]
    return f'{beginning}{_SECTION}\n<div class="finder">\n\n{entries}\n</div>\n{not_here}\n'


def _entry(question: str, asked_of: str, title: str, link: str) -> str:
    """A question as a line to open; below it the design that answers it, or the beginning of another page."""
    name = link.split("/")[1]
    key, price, below = _design(name) if name in NAMES else ("", "", _opening(link))
    asks = f"<span><b>{html.escape(question)}</b> <i>{html.escape(asked_of)}</i></span>"
    answers = f"<span><b>{html.escape(title)}</b> {key} <small>{price}</small></span>"
    return f"<details>\n<summary>{asks}{answers}</summary>\n\n**[{title}]({link})**: {below}\n\n</details>\n"


def _design(name: str) -> tuple[str, str, str]:
    """The key of a design as coloured boxes, how many of its questions are exact, and its picture with all costs."""
    design = design_named(name)
    tables = design.main.record_tables
    table = next(table for table in tables if key_line(table.key) == shown_key(design))
    boxes = key_boxes(table, roles_of(design))
    key = "".join(f'<code class="{role}">{html.escape(label)}</code>' for label, role in boxes)
    question, _keys, costs = _page(f"domains/{name}/{CARD}").split("\n\n")[1:4]
    picture = _PICTURE.search(_page(f"domains/{name}/README.md"))
    verdicts = re.findall(r"\| ([^|]+) \|$", costs, re.MULTILINE)[2:]
    exact = sum(any(form.says(verdict) for form in _EXACT) for verdict in verdicts)
    return key, how_many_exact(exact, len(verdicts)), "\n\n".join([question, *([picture[0]] if picture else []), costs])


def _opening(link: str) -> str:
    """The first paragraph of a page, or of the section that the link names."""
    path, _, anchor = link.partition("#")
    for section in re.split(r"^#+ ", _page(path), flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        if anchor in ("", heading.lower().replace(" ", "-")):
            return text.strip().partition("\n\n")[0]
    raise ValueError(f"{OVERVIEW}: must link a section of {path} (got #{anchor})")


def _page(path: str) -> str:
    """The text of a page of the repository, with its links as the home page has them."""
    folder = path.rpartition("/")[0]
    text = (ROOT / path).read_text(encoding="utf-8")
    return LINK.sub(lambda link: link[1] + normpath(f"{folder}/{link[2]}".lstrip("/")), text)
