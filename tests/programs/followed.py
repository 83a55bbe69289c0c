"""How far one write goes through the code: the files that a reader would open to follow it, and how often it changes.

    python -m tests.programs followed

Follows a `place` of an order on an embedded store, after one that has filled all caches. The store's own files are left
out: another one would be there on HBase.
"""

import sys
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

from domains.orders import Order, OrderRepository
from domains.orders.keys import TABLES
from shared.stores import connect
from shared.tables import create_tables

ROOT = Path(__file__).parents[2]
OTHER = ROOT / "shared" / "stores"


def followed(call: Any) -> tuple[set[str], int]:
    """The files of the suite in which a call runs, and how often it goes from one of them into another."""
    files: list[str] = []

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event in ("call", "return") and path.is_relative_to(ROOT) and not path.is_relative_to(OTHER):
            where = frame if event == "call" else frame.f_back
            back = Path(where.f_code.co_filename) if where is not None else path
            if back.is_relative_to(ROOT) and not back.is_relative_to(OTHER) and back != Path(__file__):
                name = back.relative_to(ROOT).as_posix()
                if not name.startswith(".venv") and (not files or files[-1] != name):
                    files.append(name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {*files}, len(files) - 1


def main() -> None:
    """Prints the files in the order of their names, and both numbers."""
    first, second = (Order(f"n-{number}", "s-17", "b-3", 1_580_976_517_000, "lamp", 499) for number in (1, 2))
    with closing(connect("embedded:")) as connection:
        create_tables(connection, TABLES)
        orders = OrderRepository(connection)
        orders.place(first)
        files, changes = followed(lambda: orders.place(second))
    print("\n".join(sorted(files)))
    print(f"{len(files)} files, {changes} changes of file")


if __name__ == "__main__":
    main()
