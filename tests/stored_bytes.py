"""The bytes that every variant of every design stores: a recording that no change of the code's shape may alter.

Clocks stand still and random bytes are drawn in a fixed order, so a recording is the same on every machine. Its lines
are readable: a title for each step, then what the step changed, one cell a line:

    + TABLE ROW COLUMN TIMESTAMP VALUE      a cell is stored (`-`: no longer)
    + TABLE ROW COLUMN TIMESTAMP deleted    a tombstone is stored
    cursor QUESTION CURSOR                  where a question's first page ends
"""

import hashlib
import lzma
import os
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import chain, count, groupby, pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import attrs

import shared.writes.clock
from shared.designs import Design, Load
from shared.designs.design import same_random_numbers, store_samples
from shared.intents.slots import SLOTS
from shared.keys import InvalidQuestion
from shared.stores.embedded.connection import EmbeddedConnection
from shared.tables import create_tables
from shared.testing import ErasedPerson, StoppedWrites, Store, WatchedConnection, Write, WriterDied, dying_at
from shared.testing.stopped_writes import Opened
from tests.designs import all_designs

from .copies import ROOT
from .domains.by_design import by_design

FOLDER = ROOT / "fixtures" / "stored_bytes"
NOW_MS = 1_800_000_000_000
SHOWN_ROWS = 3
"""Rows of each table of which a recording of the samples shows the cells; of the others it has one digest."""

Cells = set[tuple[str, ...]]


@attrs.frozen
class Recorded:
    """A variant of which a recording is made."""

    name: str
    variant: Opened
    writes: tuple[Write, ...]
    design: Design | None = None
    """The design whose samples are recorded; None if the variant has none."""

    @property
    def file(self) -> Path:
        """The recording, compressed."""
        return FOLDER / f"{self.name}.xz"

    def read(self) -> list[str]:
        """The lines of the recording that was made before."""
        return lzma.decompress(self.file.read_bytes()).decode().splitlines()

    def write(self) -> None:
        """Makes the recording anew."""
        self.file.write_bytes(lzma.compress("\n".join(recording(self)).encode(), preset=9 | lzma.PRESET_EXTREME))


def all_recorded() -> Iterator[Recorded]:
    """Every variant of every design."""
    stopped: dict[str, StoppedWrites] = by_design("stopped_writes", "STOPPED")
    erased: dict[str, ErasedPerson] = by_design("erased", "ERASED")
    for design in all_designs():
        for variant in design.variants:
            writes = [*map(_store_first, design.loads)]
            if design.name in erased and variant.name in [of.name for of in erased[design.name].variants]:
                writes += _writes_of(erased[design.name])
            if design.name in stopped and variant.name in [of.name for of in stopped[design.name].variants]:
                writes += stopped[design.name].writes
            yield Recorded(f"{design.name}.{variant.name}", variant, tuple(writes), design)


@contextmanager
def process(number: int) -> Generator[None]:
    """A block in which a process works, one second after the one before.

    Its clocks stand still unless it sleeps, and its random bytes are the same each time.
    """
    drawn, others = count(1), os.urandom
    passed_ms = 1_000 * number

    def urandom(size: int) -> bytes:
        if sys._getframe(1).f_globals["__name__"].partition(".")[0] not in ("shared", "domains"):
            return others(size)  # what a library draws when it is first used
        return hashlib.sha256(b"%d %d" % (number, next(drawn))).digest()[:size]

    def now_ns() -> int:
        return (NOW_MS + passed_ms) * 1_000_000

    def sleep(_seconds: float) -> None:
        nonlocal passed_ms
        passed_ms += 1

    with (
        mock.patch.object(os, "urandom", urandom),
        mock.patch.object(time, "time_ns", now_ns),
        mock.patch.object(time, "sleep", sleep),
        mock.patch.object(shared.writes.clock, "_NEVER_SET", [now_ns]),
        mock.patch.object(shared.writes.clock.CLOCK, "_last_ms", 0),
        mock.patch.multiple(SLOTS, _pid=0, _process=b"", _free=[], _made=0),
        same_random_numbers(),
    ):
        yield


def _cells(connection: EmbeddedConnection) -> Cells:
    """All versions and tombstones of a store, each as the words of a line."""
    query = connection._engine._database.execute  # no call of HBase shows tombstones
    kinds = (("cells", "value"), ("tombstones", "null"))
    return {
        (name.decode(), _shown(row), _shown(column), str(ts), "deleted" if value is None else _shown(value))
        for kind, what in kinds
        for name, row, column, ts, value in query(
            f"select name, row, column, ts, {what} from {kind} join tables on table_id = tables.id"
        )
    }


def _shown(data: bytes) -> str:
    return repr(data)[2:-1].replace(" ", "\\x20") or "''"


def _changed(before: Cells, after: Cells) -> list[str]:
    return [" ".join(["-", *words]) for words in sorted(before - after)] + [
        " ".join(["+", *words]) for words in sorted(after - before)
    ]


@contextmanager
def _store(variant: Any) -> Generator[EmbeddedConnection]:
    connection = EmbeddedConnection(None)
    try:
        with process(0):
            create_tables(connection, variant.tables)
        yield connection
    finally:
        connection.close()


def _of_samples(design: Design, variant: Any) -> Iterator[str]:
    """The samples, the cursors of the questions, and what each keeper of the variant then changes."""
    with _store(variant) as connection:
        yield "== tables"
        yield from _changed(set(), _cells(connection))
        yield "== samples"
        with process(1):
            repository = variant.open(connection)
            store_samples(repository, design)
        stored = _cells(connection)
        for name, of_table in groupby(sorted(stored), key=lambda words: words[0]):
            cells = [*of_table]
            rows = [*dict.fromkeys(words[1] for words in cells)][:SHOWN_ROWS]
            yield from _changed(set(), {words for words in cells if words[1] in rows})
            yield f"{name}: {len(cells)} cells, sha256 {hashlib.sha256(repr(cells).encode()).hexdigest()}"
        for pattern in design.patterns:
            if pattern.answer == "page" and hasattr(repository, pattern.method.__name__):
                with suppress(InvalidQuestion):
                    cursor = pattern.ask(repository, **pattern.sample).page(1).cursor
                    yield f"cursor {pattern.question}: {cursor}"
        if hasattr(repository, "upkeep"):
            yield "== recover and repair"
            with process(2):
                repository.upkeep.recover(older_than_ms=0)
                for _ in repository.upkeep.repair():
                    pass
            yield from _changed(stored, _cells(connection))


def _of_write(variant: Opened, write: Write) -> Iterator[str]:
    """A write: what it finds, what each of its calls changes, and what `recover` changes after a death before each."""
    with _store(variant) as stocked:
        with process(1):
            write.before(Store(stocked, variant.open))
        found = _cells(stocked)
        yield f"== {write.name}: what it finds"
        yield from _changed(set(), found)
        with closing(stocked.copy()) as connection:
            states = [found]
            watched = WatchedConnection(connection, lambda _number, _call: states.append(_cells(connection)))
            with process(2):
                write.run(variant.open(watched))
            states.append(_cells(connection))
        for number, (earlier, later) in enumerate(pairwise(states[1:]), 1):
            yield f"== {write.name}: call {number}"
            yield from _changed(earlier, later)
        for number in range(1, len(watched.calls)):
            with closing(stocked.copy()) as connection:
                with process(2), suppress(WriterDied):
                    write.run(variant.open(WatchedConnection(connection, dying_at(number))))
                assert _cells(connection) == states[number + 1]
                with process(3):
                    repository = variant.open(connection)
                    if hasattr(repository, "upkeep"):
                        yield f"== {write.name}: recover after a death before call {number + 1}"
                        repository.upkeep.recover(older_than_ms=0)
                        yield from _changed(states[number + 1], _cells(connection))


def _store_first(load: Load) -> Write:
    """Storing the first sample record."""
    record = next(iter(load.sample_records()))
    return Write(f"store {load.name}", lambda repository: load.store_in(repository, record))


def _writes_of(person: ErasedPerson) -> Iterator[Write]:
    """Erasing a person, and the writes that may come in the middle."""

    def before(store: Store) -> None:
        person.before(partial(store.open, store.connection))

    yield Write("erase a person", lambda repository: repository.erase(person.name), before=before)
    for number, run in enumerate(person.rivals, 1):
        yield Write(f"write {number} of others", run, before=before)


def recording(recorded: Recorded) -> list[str]:
    """The lines of a variant's recording, made now."""
    lines = [*_of_samples(recorded.design, recorded.variant)] if recorded.design else []
    return [*lines, *chain.from_iterable(_of_write(recorded.variant, write) for write in recorded.writes)]
