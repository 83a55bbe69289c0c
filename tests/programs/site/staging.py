"""The source of the site: the Markdown pages of the repository, the code that they link, and a home page.

The text of a page stays as it is, but for its links: `README.md` of a folder becomes its `index`, a file of code a
page. Each page of a design gets a place for the explorer, and each Python example a frame that makes it editable.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from posixpath import relpath

from shared.exhibit.part_colours import DARK, INK, LIGHT, Colours
from tests.designs import NAMES
from tests.programs.site.finder import HOME, LINK, OVERVIEW, home_page, target
from tests.readmes import READMES, ROOT, named

ROOM = Path(__file__).parent
EXPLORER = ROOT / "build" / "explorer"
"""The files of the explorer, `explorer.js` among them, once they are put together."""
EXPLORER_WORDS = "The key explorer of this page runs in a browser that has scripts and WebAssembly."
"""What its place has until a script puts the explorer there."""
LANGUAGES = {".py": "python", ".java": "java", ".txt": "text"}
"""Kinds of files that are shown as pages, and the languages of their code."""
GROUPS = {"Guides": (OVERVIEW, "domains/"), "Library": ("shared/",), "Project": ("",)}
"""Headings of the navigation, and how the paths of their pages start; a page belongs to the first that fits."""
SHORT_TITLES = {OVERVIEW: "Overview", "CARD.md": "Card", "REFERENCE.md": "Reference"}
"""What the navigation calls pages, if not by their own titles."""
_CODE = re.compile(r"(^(`{3,}).*?^\2$)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^```python\n.*?^```\n", re.MULTILINE | re.DOTALL)
NEED_NUMPY = ("tsdb",)
"""Designs whose code needs numpy, for which there is no build for browsers."""
WITH_EXAMPLES = (
    OVERVIEW,
    "shared/keys/README.md",
    *(f"domains/{name}/README.md" for name in NAMES if name not in NEED_NUMPY),
)
"""Pages whose examples run in the browser."""


def site_files() -> tuple[dict[str, str], set[str]]:
    """The pages of the site with their texts, and the pictures that they show; both by their path in the source."""
    texts, pictures = {HOME: home_page()}, set[str]()
    waiting = [*map(named, READMES), *_linked(HOME, texts[HOME])]
    while waiting:
        path = waiting.pop()
        if path.endswith(".svg"):
            pictures.add(path)
        elif (page := page_of(path)) not in texts:
            text = texts[page] = _text_of(path)
            waiting += _linked(path, text)
    texts |= {page: _with_page_links(page, text) for page, text in texts.items()}
    texts[HOME] += _navigation([page for page, text in texts.items() if "orphan: true" not in text])
    return texts, pictures


@cache
def page_of(path: str) -> str:
    """The page that shows a file or a folder of the repository."""
    if (ROOT / path).is_dir():
        return f"{path}/index.md"
    if not path.endswith(".md"):
        return f"{path}.md"
    return path if path == OVERVIEW else re.sub(r"README\.md$", "index.md", path)


def _text_of(path: str) -> str:
    """The text of a page before its links are those of the site."""
    file = ROOT / path
    if file.is_dir():
        return f"---\norphan: true\n---\n# `{path}`\n\n{_files_in(file)}\n"
    text = file.read_text(encoding="utf-8")
    if path in WITH_EXAMPLES:
        text = _EXAMPLE.sub(lambda code: f'<div class="editable">\n\n{code[0]}\n</div>\n', text)
    if file.suffix == ".md":
        return _design_page(file.parent.name, text) if file.parent.name in NAMES and file.name == OVERVIEW else text
    beside = f"In its folder: {_files_in(file.parent)}\n\n" if file.parent.name in NAMES else ""
    shown = f'<div class="file">\n\n`````{LANGUAGES[file.suffix]}\n{text}`````\n\n</div>'
    return f"---\norphan: true\nnosearch: true\nhide-toc: true\n---\n# `{path}`\n\n{beside}{shown}\n"


def _files_in(folder: Path) -> str:
    """Links to the files of code in a folder, and to its page."""
    files = sorted(file.name for file in folder.iterdir() if file.suffix in LANGUAGES or file.name == OVERVIEW)
    return " · ".join(f"[`{name}`]({name})" for name in files)


def _design_page(name: str, text: str) -> str:
    """The page of a design with a place for the explorer, and links to its further pages in the navigation."""
    end = "<!-- end -->\n"  # of the first block, which is a picture, or the keys of a design without pictures
    text = text.replace(end, f'{end}\n<div class="explorer" data-design="{name}">{EXPLORER_WORDS}</div>\n', 1)
    others = sorted(file.name for file in (ROOT / "domains" / name).glob("*.md") if file.name != OVERVIEW)
    return text + _toctree("", ((SHORT_TITLES.get(file, ""), file) for file in others))


def _linked(path: str, text: str) -> Iterator[str]:
    """The files and folders that a page links."""
    folder = path if (ROOT / path).is_dir() else path.rpartition("/")[0]
    for part in _CODE.split(text)[::3]:
        for link in LINK.finditer(part):
            yield target(folder, link)


def _with_page_links(page: str, text: str) -> str:
    """A page whose links lead to pages."""
    folder = page.rpartition("/")[0]

    def link_to_page(link: re.Match[str]) -> str:
        path = target(folder, link)
        return link[0] if path.endswith(".svg") else link[1] + relpath(page_of(path), folder or ".")

    parts = _CODE.split(text)
    parts[::3] = [LINK.sub(link_to_page, part) for part in parts[::3]]
    del parts[2::3]  # the marks of fences, which the code has, too
    return "".join(parts)


def _navigation(pages: Iterable[str]) -> str:
    """The lists of all pages, which the sidebar shows: designs in the order of the suite, others by path."""
    designs = [(name, f"domains/{name}/index.md") for name in NAMES]
    left = {page for page in pages if not page.startswith(tuple(f"domains/{name}/" for name in NAMES))} - {HOME}
    lists = _toctree("Designs", designs)
    for caption, starts in GROUPS.items():
        of_group = {page for page in left if page.startswith(starts)}
        left -= of_group
        entries = sorted(of_group, key=lambda page: (page != OVERVIEW, page))
        lists += _toctree(caption, ((SHORT_TITLES.get(page, ""), page) for page in entries))
    return lists


def _toctree(caption: str, entries: Iterable[tuple[str, str]]) -> str:
    lines = [f"{title} <{page}>" if title else page for title, page in entries]
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "```{toctree}", *options, "", *lines, "```", ""])


def _part_colours() -> str:
    """The colours of the pictures, of parts of keys and of the ground: as variables of CSS, and rules for key parts."""

    def rule(selector: str, colours: Colours, ground: str) -> str:
        pairs = (f"--{role}: {fill}; --{role}-line: {line};" for role, (fill, line) in colours.items())
        return f"{selector} {{ --color-background-primary: {ground}; {' '.join(pairs)} }}\n"

    light, dark = INK["light"][2], INK["dark"][2]
    unless_light = rule("body:not([data-theme=light])", DARK, dark)
    always = rule("body", LIGHT, light) + rule("body[data-theme=dark]", DARK, dark)
    boxes = "".join(
        f":is(.finder, .explorer) code.{role} {{ background: var(--{role}); outline: 1px solid var(--{role}-line); }}\n"
        for role in LIGHT
    )
    return f"{always}@media (prefers-color-scheme: dark) {{ {unless_light}}}\n{boxes}"


def _icon() -> str:
    """A key of three parts."""
    boxes = (
        f'<rect x="{5 * number}" y="3" width="6" height="10" fill="{fill}" stroke="{line}"/>'
        for number, (fill, line) in enumerate(map(LIGHT.__getitem__, ("owner", "time", "id")))
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 0 18 16">{"".join(boxes)}</svg>\n'


def stage(folder: Path) -> None:
    """Writes the source of the site into a new folder."""
    texts, pictures = site_files()
    written: dict[str, bytes] = {page: text.encode() for page, text in texts.items()}
    written |= {picture: (ROOT / picture).read_bytes() for picture in pictures}
    written |= {name: (ROOM / name).read_bytes() for name in ("conf.py", "search_order.js")}
    written["_static/icon.svg"] = _icon().encode()
    written["_static/site.css"] = _part_colours().encode() + (ROOM / "site.css").read_bytes()
    built = (file for file in EXPLORER.rglob("*") if file.is_file())
    written |= {f"_static/explorer/{file.relative_to(EXPLORER).as_posix()}": file.read_bytes() for file in built}
    for name, content in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
