"""The READMEs of the suite, and their names."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
READMES = sorted(path for pattern in ("*.md", "domains/**/*.md", "shared/**/*.md") for path in ROOT.glob(pattern))


def named(path: Path) -> str:
    """The path of a README within the suite."""
    return str(path.relative_to(ROOT))
