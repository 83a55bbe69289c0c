"""Writes the generated blocks of every README anew. Run it: make readmes."""

from pathlib import Path

from domains.cli import DESIGNS
from shared.loading import read_records

from shared.patterns import key_line
from shared.readme import design_blocks, markdown_table, with_blocks
from shared.stores import connect

ROOT = Path(__file__).parent.parent


def regenerated() -> dict[Path, str]:
    """Every README that has generated blocks, with the text that it should have."""
    rows = []
    texts = {}
    for design in DESIGNS:
        page = ROOT / "domains" / design.name / "README.md"
        blocks = design_blocks(connect("embedded:"), design, read_records(design.samples, design.record))
        texts[page] = with_blocks(page.read_text(encoding="utf-8"), blocks)
        keys = "<br>".join(f"`{table.name}` {key_line(table.layout)}" for table in design.tables)
        rows.append((f"[{design.name}](domains/{design.name}/README.md)", design.question, keys))
    index = ROOT / "README.md"
    blocks = {"designs": markdown_table(("design", "question", "row keys"), rows)}
    texts[index] = with_blocks(index.read_text(encoding="utf-8"), blocks)
    return texts


if __name__ == "__main__":
    for path, text in regenerated().items():
        path.write_text(text, encoding="utf-8")
