"""The installed command; the wheel holds this file as `rowbook/__main__.py`."""

import gc
import sys
from importlib.util import find_spec

NEEDS = ("cattrs", "regex", "rich", "tomli_w", "typer")
"""The packages of the extra `cli`."""


def main() -> None:
    """Runs the command line.

    In a wheel `domains` is `rowbook.domains`, and `shared` is `rowbook`: `hatch_build.py` renames them in the imports
    below. An editable install imports them from the checkout.
    """
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        sys.exit(f"rowbook: the command needs {', '.join(missing)}: pip install 'rowbook[cli]'")
    gc.set_threshold(100_000, 50, 100)  # a command makes few circles of garbage, and looking for them takes time
    try:
        from domains import suite as suite  # hands the designs to the command line
        from shared.command_line.commands.main import main as command_line
    except KeyboardInterrupt:  # the libraries take a moment to load
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
