"""Records the bytes that every variant stores, for tests/domains/test_stored_bytes.py; shows what was recorded.

    python -m tests.programs.stored_bytes                  records all variants
    python -m tests.programs.stored_bytes orders.orders    records one
    python -m tests.programs.stored_bytes --show NAME      prints the recording of one

A recording changes only if stored bytes shall change, or for a write that is new.
"""

import sys

from tests.stored_bytes import FOLDER, all_recorded

if __name__ == "__main__":
    shows, names = "--show" in sys.argv, {*sys.argv[1:]} - {"--show"}
    FOLDER.mkdir(exist_ok=True)
    for recorded in all_recorded():
        if recorded.name in names or not names:
            if shows:
                print("\n".join(recorded.read()))
            else:
                recorded.write()
                print(recorded.file)
