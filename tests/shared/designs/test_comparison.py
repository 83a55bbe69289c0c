"""Variants side by side: where new rows go, what a record takes in bytes, and what each question costs."""

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

from shared.designs import AccessPattern, Design, Load, Variant, load_samples, scratch_store
from shared.designs.comparison import (
    NothingToMeasure,
    VariantCosts,
    measure_variant,
    stored_cells,
)
from shared.designs.verdicts import verdict
from shared.keys import EscapedText, Int64, KeyLayout, Salt, between
from shared.queries import Query
from shared.stores import connect
from shared.tables import (
    BoundTable,
    Column,
    Family,
    ItemCells,
    RecordCells,
    TableLayout,
    create_tables,
    physical_tables,
)
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
SALTED = TableLayout("salted", "one note", KeyLayout(NoteByTime, Salt(of="host", buckets=8)), CELLS)
AGAIN = TableLayout("again", "some of the notes once more", KeyLayout(NoteByHost), CELLS)


class Notes:
    """Notes in one table, and those of some hosts in a second one."""

    def __init__(
        self,
        connection: happybase.Connection,
        table: TableLayout[Any, Note],
        second: TableLayout[Any, Note] | None = None,
        hosts: str = "",
    ) -> None:
        self.table = table
        self.rows = connection.table(table.name)
        self.connection = connection
        self.second = second
        self.hosts = hosts

    def store(self, note: Note) -> None:
        self.rows.put(self.table.row(note), CELLS.pack(note), timestamp=note.at_ms)
        if self.second and note.host in self.hosts:
            rows = self.connection.table(self.second.name)
            rows.put(self.second.row(note), CELLS.pack(note), timestamp=note.at_ms)

    def of_host(self, host: str) -> Query[Note]:
        return Query(BoundTable(self.rows.connection, self.table), self.table.narrow(host=host, at_ms=between()))

    def in_host_order(self, at_ms: int) -> Query[Note]:
        return Query(
            BoundTable(self.rows.connection, self.table),
            self.table.narrow(at_ms=between(at_ms, None)),
            order=KeyLayout(NoteByHost),
        )


OF_HOST = AccessPattern("notes of a host", Notes.of_host, {"host": "a"})
OF_NOBODY = AccessPattern("notes of no host", Notes.of_host, {"host": "q"})
SINCE = AccessPattern("notes since a time", Notes.in_host_order, {"at_ms": 2})


def variant_of(table: TableLayout[Any, Note], second: TableLayout[Any, Note] | None = None, hosts: str = "") -> Variant:
    opened = partial(Notes, table=table, second=second, hosts=hosts)
    return Variant(ModuleType(table.name), "", tables=(table, second) if second else (table,), open=opened)


def design_of(folder: Path, notes: list[dict[str, Any]], **options: Any) -> Design:
    samples = folder / "notes.jsonl"
    samples.write_text("".join(json.dumps(note) + "\n" for note in notes))
    variants = (variant_of(BY_HOST), variant_of(BY_TIME), variant_of(SALTED))
    load = Load("notes", Note, Notes.store, samples, **options.pop("load", {}))
    declared: dict[str, Any] = {"patterns": (OF_HOST, OF_NOBODY, SINCE), **options}
    return Design("notes", "Where do notes go?", (load,), repository=Notes, variants=variants, **declared)


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


# ---- loading -------------------------------------------------------------------------------------


def test_samples_are_stored_in_the_tables_of_a_variant(new_store, tmp_path):
    design = design_of(tmp_path, NOTES)
    connection = new_store(BY_HOST, BY_TIME)
    repository = load_samples(connection, design, design.main)
    assert repository.table is BY_HOST
    assert [note.at_ms for note in repository.of_host("a")] == [0, 3]
    assert len(list(connection.table("by_host").scan())) == 5
    assert list(connection.table("by_time").scan()) == []


def test_every_file_has_a_transform_of_its_own(new_store, tmp_path):
    notes_of_files: list[list[Note]] = []

    def numbering() -> Callable[[Note], Note]:
        notes: list[Note] = []
        notes_of_files.append(notes)

        def numbered(note: Note) -> Note:
            notes.append(note)
            return attrs.evolve(note, text=str(len(notes)))

        return numbered

    design = design_of(tmp_path, NOTES, load={"new_record_transform": numbering})
    for _ in range(2):
        connection = new_store(*design.main.tables)
        repository = load_samples(connection, design, design.main)
        assert [note.text for note in repository.of_host("b")] == ["2", "5"]
    assert [len(notes) for notes in notes_of_files] == [5, 5]


# ---- what a record takes -------------------------------------------------------------------------


def key_value_bytes(row: str, family: str, qualifier: str, value: str) -> int:
    """HBase's KeyValue: key and value length, row length and row, family length, family, qualifier, time, type."""
    row_bytes, value_bytes = bytes.fromhex(row), bytes.fromhex(value)
    return 4 + 4 + 2 + len(row_bytes) + 1 + len(family) + len(qualifier) + 8 + 1 + len(value_bytes)


def test_a_record_takes_its_row_key_again_in_every_cell(compare, tmp_path):
    design = design_of(tmp_path, [{"host": "a", "at_ms": 1, "text": "hi"}])
    # host "a" is 61 00 01; msgpack of "hi" is a2 68 69, of no bytes c4 00.
    row = "610001 8000000000000001"
    wanted = key_value_bytes(row, "nn", "t", "a2 68 69") + key_value_bytes(row, "nn", "mk", "c4 00")
    assert wanted == 37 + 37
    assert compare(design, variant_of(BY_HOST)).bytes_per_record == wanted
    # The salt is one byte more in each of the two.
    assert compare(design, variant_of(SALTED)).bytes_per_record == wanted + 2


def test_every_version_of_a_cell_takes_its_bytes(new_store):
    table = TableLayout("versions", "a note", KeyLayout(NoteByHost), CELLS, {"nn": Family(max_versions=2)})
    rows = new_store(table).table(table.name)
    for time_ms, text in enumerate(("gone", "old", "new one")):
        rows.put(b"a", {b"nn:t": text.encode()}, timestamp=time_ms)
    (physical,) = physical_tables([table])
    sizes = [size for _row, size in stored_cells(rows.connection, physical)]
    assert sizes == [key_value_bytes("61", "nn", "t", text.encode().hex()) for text in ("new one", "old")]


def test_bytes_are_the_mean_of_all_records(compare, tmp_path):
    design = design_of(tmp_path, [{"host": "a", "at_ms": 1, "text": "hi"}, {"host": "abc", "at_ms": 2}])
    short = "616263 0001 8000000000000002"
    wanted = key_value_bytes(short, "nn", "t", "a0") + key_value_bytes(short, "nn", "mk", "c4 00")
    assert compare(design, variant_of(BY_HOST)).bytes_per_record == (74 + wanted) / 2 == 75.0


def test_records_that_share_a_row_count_each(compare, tmp_path):
    twice = compare(design_of(tmp_path, NOTES + NOTES), variant_of(BY_TIME))
    once = compare(design_of(tmp_path, NOTES), variant_of(BY_TIME))
    assert (twice.records, twice.rows_per_record) == (2 * len(NOTES), 1 / 2)
    assert twice.bytes_per_record == once.bytes_per_record / 2


def test_a_record_can_be_more_rows_than_one_in_every_table(compare, tmp_path):
    class Twice(Notes):
        def store(self, note: Note) -> None:
            super().store(note)
            super().store(attrs.evolve(note, at_ms=note.at_ms + 100))

    variant = attrs.evolve(variant_of(BY_TIME), open=partial(Twice, table=BY_TIME))
    assert compare(design_of(tmp_path, NOTES), variant).rows_per_record == 2.0


def test_rows_and_bytes_of_all_tables_count(compare, tmp_path):
    design = design_of(tmp_path, NOTES)
    one = compare(design, variant_of(BY_TIME))
    assert (one.rows_per_record, one.variant.name) == (1.0, "by-time")
    # Two notes of five are of host a, and their rows are as long in both tables.
    variant = variant_of(BY_TIME, AGAIN, hosts="a")
    for tables in (variant.tables, variant.tables[::-1]):
        two = compare(design, attrs.evolve(variant, tables=tables))
        assert two.rows_per_record == 7 / 5
        assert two.bytes_per_record == pytest.approx(one.bytes_per_record * 7 / 5)


def test_the_calls_that_store_a_record_are_counted(compare, tmp_path):
    design = design_of(tmp_path, NOTES)
    assert compare(design, variant_of(BY_HOST)).rpcs_per_record == 1
    two_tables = compare(design, variant_of(BY_HOST, AGAIN, "a"))
    assert (two_tables.rpcs_per_record, two_tables.intent_bytes_per_record) == (7 / 5, 0)


def test_one_sample_can_be_compared(compare, tmp_path):
    costs = compare(design_of(tmp_path, NOTES[:1]), variant_of(BY_HOST))
    assert costs.rows_per_record == 1.0
    assert [len(measurement.records) for measurement in costs.measurements] == [1, 0, 0]


def test_a_table_without_samples_can_be_compared(compare, tmp_path):
    assert compare(design_of(tmp_path, NOTES), variant_of(BY_TIME, AGAIN)).rows_per_record == 1.0


# ---- rows that hold many records, and tables of two layouts -----------------------------------------


Host = key_class("Host", host=EscapedText)
Moment = key_class("Moment", at_ms=Int64)
MANY = TableLayout(
    "many", "the notes of a host", KeyLayout(Host), ItemCells(Note, "nn", KeyLayout(Moment), ("text", "mark"))
)
MARKS = TableLayout(
    "by_host",
    "the mark of a note",
    KeyLayout(NoteByHost),
    RecordCells(Note, {"text": Column("xx:t"), "mark": Column("xx:m")}),
)


class ManyNotes(Notes):
    def store(self, note: Note) -> None:
        self.rows.put(MANY.row(note), MANY.cells.pack(note), timestamp=note.at_ms)


def test_a_row_of_many_records_is_one_row(compare, tmp_path):
    notes = [{"host": f"{at_ms % 8}", "at_ms": at_ms} for at_ms in range(160)]
    variant = attrs.evolve(variant_of(MANY), open=partial(ManyNotes, table=MANY))
    costs = compare(design_of(tmp_path, notes, patterns=(OF_HOST,)), variant)
    assert (costs.records, costs.rows_per_record) == (160, 8 / 160)
    # A row key of 3 bytes, a qualifier of 8, and the msgpack array of an empty text and no bytes: 92 a0 c4 00.
    assert costs.bytes_per_record == key_value_bytes("30 00 01", "nn", "8 bytes!", "92 a0 c4 00")


def test_a_table_of_two_layouts_is_counted_once(compare, tmp_path):
    design = design_of(tmp_path, NOTES)
    one, two = (
        compare(design, attrs.evolve(variant_of(BY_HOST), tables=tables)) for tables in ((BY_HOST,), (BY_HOST, MARKS))
    )
    assert (two.rows_per_record, two.bytes_per_record) == (1, one.bytes_per_record)


# ---- what a question costs -----------------------------------------------------------------------


def test_every_question_is_asked_of_a_variant(compare, tmp_path):
    design = design_of(tmp_path, NOTES)
    by_host, by_time, salted = (compare(design, variant) for variant in design.variants)
    assert [measurement.pattern for measurement in by_host.measurements] == list(design.patterns)
    assert list(map(verdict, by_host.measurements)) == ["1 range", "1 range", "refused"]
    assert list(map(verdict, by_time.measurements)) == ["2.5x, filtered", "5 for none, filtered", "1.0x, sorted"]
    # One host is measurement bucket; all hosts are eight, three of them with rows.
    assert [len(measurement.reads) for measurement in salted.measurements] == [1, 1, 8]
