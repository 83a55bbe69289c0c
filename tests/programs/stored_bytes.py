"""Records the bytes that every variant stores, all or those named, for tests/domains/test_stored_bytes.py.

    python -m tests.programs.stored_bytes orders.orders

A recording changes only if stored bytes shall change, or for a write that is new.
"""

import sys

from tests.stored_bytes import FOLDER, all_recorded

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for recorded in all_recorded():
        if recorded.name in sys.argv[1:] or not sys.argv[1:]:
            recorded.write()
            print(recorded.file)
