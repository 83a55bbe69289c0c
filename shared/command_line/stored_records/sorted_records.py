"""Records sorted by some of their fields, of which memory holds at most 100,000; the others are in temporary files."""

import pickle
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from heapq import merge
from itertools import islice
from operator import attrgetter
from tempfile import TemporaryFile
from typing import IO, Any

from ...tables import ItemCells, TableLayout

SORTED_AT_ONCE = 100_000


def has_order(table: TableLayout[Any, Any], names: tuple[str, ...]) -> bool:
    """Whether a scan of the whole table returns records sorted by these fields."""
    if not names:
        return True
    if table.key.prefixes or any(part.codec.descending for part in table.key.parts[: len(names)]):
        return False
    parts = tuple(part.name for part in table.key.parts)
    one_in_a_row = not isinstance(table.cells, ItemCells)
    return parts[: len(names)] == names or (one_in_a_row and names[: len(parts)] == parts)


def sorted_by(names: tuple[str, ...], records: Iterable[Any]) -> Iterator[Any]:
    """The records, sorted by these fields."""
    key, iterator = attrgetter(*names), iter(records)
    batch = sorted(islice(iterator, SORTED_AT_ONCE), key=key)
    with ExitStack() as files:
        runs: list[Iterator[Any]] = []
        while len(batch) == SORTED_AT_ONCE:
            file = files.enter_context(TemporaryFile())
            for record in batch:
                pickle.dump(record, file)
            runs.append(_records_in(file))
            batch = sorted(islice(iterator, SORTED_AT_ONCE), key=key)
        yield from merge(*runs, batch, key=key)


def _records_in(file: IO[bytes]) -> Iterator[Any]:
    file.seek(0)
    try:
        while True:
            yield pickle.load(file)
    except EOFError:
        return
