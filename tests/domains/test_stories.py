"""What the story of each design prints: `stories.txt`, which `python -m tests.programs stories` writes anew."""

from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path

from tests.designs import all_designs

STORIES = Path(__file__).with_name("stories.txt")


def printed(name: str) -> str:
    """What a story prints."""
    out = StringIO()
    with redirect_stdout(out):
        import_module(f"domains.{name}.example").main()
    return out.getvalue()


def stories() -> str:
    """What all stories print, below their names."""
    return "\n".join(f"== {design.name}\n{printed(design.name)}" for design in all_designs() if not design.in_one_file)


def test_every_story_prints_what_it_did():
    assert stories() == STORIES.read_text(encoding="utf-8")
