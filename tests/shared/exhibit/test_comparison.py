"""What a record of a variant takes in bytes, rows and calls."""

import json
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import attrs
import happybase
import pytest

from shared.designs import AccessPattern, Design, Load, Variant, scratch_store
from shared.exhibit import stored_bytes
from shared.exhibit.comparison import NothingToMeasure, VariantCosts, measure_variant, stored_cells
from shared.keys import EscapedText, Int64, KeyLayout, between
from shared.queries import Query
from shared.stores import connect
from shared.tables import BoundTable, Column, Family, RecordCells, TableLayout, create_tables
from shared.tables.layouts import physical_tables
from tests.engines import Engine
from tests.shared.specimens import key_class

# ---- a design of notes ---------------------------------------------------------------------------


@attrs.frozen
class Note:
    host: str
    at_ms: int
    text: str = ""
    mark: bytes = b""


NoteByHost = key_class("NoteByHost", host=EscapedText, at_ms=Int64)
NoteByTime = key_class("NoteByTime", at_ms=Int64, host=EscapedText)
CELLS = RecordCells(Note, {"text": Column("nn:t"), "mark": Column("nn:mk")})
BY_HOST = TableLayout("by_host", "one note", KeyLayout(NoteByHost), CELLS)
BY_TIME = TableLayout("by_time", "one note", KeyLayout(NoteByTime), CELLS)


class Notes:
    def __init__(self, connection: happybase.Connection, table: TableLayout[Any, Note]) -> None:
        self.table = table
        self.rows = connection.table(table.name)

    def store(self, note: Note) -> None:
        self.rows.put(self.table.row(note), CELLS.pack(note), timestamp=note.at_ms)

    def of_host(self, host: str) -> Query[Note]:
        return Query(BoundTable(self.rows.connection, self.table), self.table.narrow(host=host, at_ms=between()))


OF_HOST = AccessPattern("notes of a host", Notes.of_host, {"host": "a"})


def variant_of(table: TableLayout[Any, Note]) -> Variant:
    return Variant(ModuleType(table.name), "", tables=(table,), open=partial(Notes, table=table))


def design_of(folder: Path, notes: list[dict[str, Any]]) -> Design:
    samples = folder / "notes.jsonl"
    samples.write_text("".join(json.dumps(note) + "\n" for note in notes))
    load = Load("notes", Note, Notes.store, samples)
    return Design("notes", "Where do notes go?", (load,), (OF_HOST,), Notes, (variant_of(BY_HOST),))


Compare: TypeAlias = Callable[[Design, Variant], VariantCosts]


@pytest.fixture
def compare(engine: Engine) -> Compare:
    """Compares a variant in a store of its own."""

    def compare_(design: Design, variant: Variant) -> VariantCosts:
        with engine.store(*variant.tables) as connection:
            return measure_variant(connection, design, variant)

    return compare_


NOTES: list[dict[str, Any]] = [{"host": host, "at_ms": at_ms} for at_ms, host in enumerate("abcab")]

# ---- a TTL


def test_samples_that_cannot_be_read_are_not_measured(tmp_path: Path) -> None:
    """The repository does not look at their age."""
    design = design_of(tmp_path, NOTES)
    day = {"nn": Family(ttl_seconds=86_400)}
    with closing(connect("embedded:")) as connection:
        create_tables(connection, [attrs.evolve(BY_HOST, families=day), attrs.evolve(BY_TIME, families=day)])
        with pytest.raises(NothingToMeasure, match="5 records were stored in notes, and no cell"):
            measure_variant(connection, design, design.main)


def test_a_store_for_measuring_keeps_cells_of_any_age() -> None:
    day = attrs.evolve(BY_HOST, families={"nn": Family(ttl_seconds=86_400)})
    with closing(scratch_store([day])) as connection:
        connection.table("by_host").put(b"a", {b"nn:x": b"1"}, timestamp=1)
        assert len(list(connection.table("by_host").scan())) == 1


# ---- what a record takes -------------------------------------------------------------------------


def test_every_version_of_a_cell_takes_its_bytes(new_store):
    table = TableLayout("versions", "a note", KeyLayout(NoteByHost), CELLS, {"nn": Family(max_versions=2)})
    rows = new_store(table).table(table.name)
    for time_ms, text in enumerate(("gone", "old", "new one")):
        rows.put(b"a", {b"nn:t": text.encode()}, timestamp=time_ms)
    (physical,) = physical_tables([table])
    sizes = [size for _row, size in stored_cells(rows.connection, physical)]
    assert sizes == [stored_bytes(b"a", b"nn:t", text) for text in (b"new one", b"old")]


def test_calls_rows_and_bytes_are_the_means_of_all_records(compare, tmp_path):
    costs = compare(design_of(tmp_path, [*NOTES, NOTES[0]]), variant_of(BY_HOST))
    row = bytes.fromhex("610001 8000000000000001")  # the empty text is a0 in msgpack, no bytes c4 00
    of_row = stored_bytes(row, b"nn:t", b"\xa0") + stored_bytes(row, b"nn:mk", b"\xc4\0")
    assert (costs.rpcs_per_record, costs.rows_per_record, costs.bytes_per_record) == (1, 5 / 6, 5 / 6 * of_row)
