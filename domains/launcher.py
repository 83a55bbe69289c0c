"""The installed command; the wheel holds this file as `rowbook/__init__.py`."""

import sys


def main() -> None:
    """Run the command line.

    In a wheel `domains` is `rowbook.domains`: `hatch_build.py` renames it below. An editable install finds it in the
    checkout.
    """
    try:
        from domains.cli import main as command_line
    except KeyboardInterrupt:  # the libraries take a moment to load
        sys.exit(130)
    command_line()
