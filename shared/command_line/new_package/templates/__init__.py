"""The texts of a package that are not copied: its README, `pyproject.toml`, and tests."""

import re
from collections.abc import Mapping, Set
from pathlib import Path
from string import Template

_SECTION = re.compile(r"<!-- of(.*?) -->\n(.*?)(?=<!-- of|\Z)", re.DOTALL)


def filled(name: str, values: Mapping[str, str], facts: Set[str] = frozenset()) -> str:
    """A template with values in place of `$name`.

    A section begins with `<!-- of FACT... -->`, and is there if all facts hold.
    """
    text = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")
    text = text if text.startswith("<!--") else f"<!-- of -->\n{text}"
    chosen = [section for wanted, section in _SECTION.findall(text) if {*wanted.split()} <= facts]
    return Template("".join(chosen)).substitute(values).rstrip() + "\n"
