"""The installed command; the wheel holds this file as `rowbook/__init__.py`."""

import sys


def main() -> None:
    """Runs the command line.

    In a wheel `domains` is `rowbook.domains`: `hatch_build.py` renames it in the import below. An editable install
    imports it from the checkout.
    """
    try:
        from domains.command_line.main import main as command_line
    except KeyboardInterrupt:  # the libraries take a moment to load
        sys.exit(130)
    command_line()
