"""Looks for each quote in its document, and records that it is there: `quotes FOLDER`, the folder of the documents.

The documents are not part of this repository. `fixtures/quotes.json` has the digest of each document, how many
designs it has, and the digest of each quote that was found in it word for word. So a quote that was changed since is
noticed without the documents.
"""

import json
import re
import sys
from argparse import ArgumentParser
from hashlib import sha256
from pathlib import Path
from typing import Any

from shared.exhibit.shown_design import ShownDesign
from tests.designs import all_designs
from tests.programs.pages.ideas import DOCUMENTS, read_ideas

RECORDED = Path(__file__).parents[2] / "fixtures" / "quotes.json"
LEFT_OUT = " [...] "
"""What stands in a quote for words that it leaves out."""


def spaced(text: str) -> str:
    """The text with one space for each run of white space."""
    return " ".join(text.split())


def quotes() -> list[tuple[str, str]]:
    """Everything that is quoted, with the id of its document: ideas, keys and columns."""
    designs = [design for design in all_designs() if isinstance(design, ShownDesign)]
    shown = [published for design in designs for published in (*design.published, *design.published_columns)]
    quoted = [(idea.document, idea.quoted) for idea in read_ideas()]
    return quoted + [(published.source.partition(".")[0], published.quoted) for published in shown]


def is_in(text: str, quote: str) -> bool:
    """Whether a text has all pieces of a quote, in this order; only white space may differ."""
    text, end = spaced(text), 0
    for piece in map(spaced, quote.split(LEFT_OUT)):
        place = text.find(piece, end)
        if place < 0:
            return False
        end = place + len(piece)
    return True


def digest(quote: str) -> str:
    """The start of the SHA-256 of a quote, long enough to tell quotes apart."""
    return sha256(spaced(quote).encode()).hexdigest()[:16]


def recorded_of(folder: Path) -> dict[str, Any]:
    """The recording for the documents in a folder; ValueError names a quote that is not in its document.

    The `README.md` of the folder lists the designs of each document by their ids, such as S0.1.
    """
    texts = {name: (folder / file).read_text(encoding="utf-8") for name, (file, _what) in DOCUMENTS.items()}
    for document, quote in quotes():
        if not is_in(texts[document], quote):
            raise ValueError(f"{document}: must have the pieces of this quote, in this order: {quote}")
    listed = re.findall(r"^\| (S\d)\.\d+ \|", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {
        name: {
            "sha256": sha256(text.encode()).hexdigest(),
            "designs": listed.count(name),
            "quotes": sorted({digest(quote) for document, quote in quotes() if document == name}),
        }
        for name, text in texts.items()
    }


def main() -> int:
    """Writes the recording."""
    parser = ArgumentParser(prog="quotes", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    try:
        found = recorded_of(parser.parse_args().folder)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    RECORDED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
