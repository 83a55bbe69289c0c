"""The pictures of all designs. Run it to write them: make pictures."""

from collections.abc import Mapping
from pathlib import Path

from shared.designs import Design
from shared.designs.pictures import pictures

from .designs import all_designs

DOMAINS = Path(__file__).parents[1]


def files(design: Design) -> Mapping[Path, str]:
    """Every picture of a design: its file, and the text that it should have."""
    folder = DOMAINS / design.name / "pictures"
    return {folder / f"{name}.svg": picture.text() for name, picture in pictures(design).items()}


if __name__ == "__main__":
    for design in all_designs():
        for path, text in files(design).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
