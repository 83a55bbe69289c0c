"""The installed command; the wheel holds this file as `rowbook/__init__.py`."""

import sys
from pathlib import Path


def main() -> None:
    """Run the command line with the suite's own `domains` and `shared`.

    In a wheel both lie beside this file and must win over folders of the same name where the user
    stands. An editable install has only this file here and finds both in the checkout.
    """
    here = Path(__file__).parent
    if (here / "domains").is_dir():
        sys.path.insert(0, str(here))

    try:
        from domains.cli import main as command_line
    except KeyboardInterrupt:  # the libraries take a moment to load
        sys.exit(130)
    command_line()
