"""Runs a program of this folder, or lists all: `python -m tests.programs [NAME [ARGUMENT]...]`."""

import ast
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def programs() -> dict[str, str]:
    """The first sentence of each program, by its name: the module's below this one, with dots."""
    sentences: dict[str, str] = {}
    for path in sorted(FOLDER.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = ".".join(path.relative_to(FOLDER).with_suffix("").parts).removesuffix(".__main__")
        if path != Path(__file__) and '\nif __name__ == "__main__":\n' in text:
            sentences[name] = " ".join((ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0].split())
    return sentences


def main() -> None:
    """Runs the named program with the other arguments; lists all without one."""
    known = programs()
    if not sys.argv[1:] or sys.argv[1] == "--help":
        print(__doc__, "", *(f"  {name:24} {sentence}" for name, sentence in known.items()), sep="\n")
    elif (name := sys.argv[1]) in known:
        sys.argv[:2] = [f"python -m tests.programs {name}"]  # what usage shows
        runpy.run_module(f"tests.programs.{name}", run_name="__main__")
    else:
        sys.exit(f"program: must be one of {', '.join(known)} (got {sys.argv[1]!r})")


if __name__ == "__main__":
    main()
