"""The one cell of a source: what it holds, what is refused, and that a revision is never used twice."""

from collections.abc import Mapping

import attrs
import msgpack
import pytest

from shared.intents import IntentWriter
from shared.intents.source_cells import WRITES_KEPT, SourceCells
from shared.tables import Column, InvalidRecord, InvalidRow, OtherColumns, RecordCells

from .notes import INTENTS, NOTES, OWNERS, ById, ByState, Note, lines_of

SOURCE = NOTES.cells
NOTE = Note("a", "ada", "open", "x")


def test_the_cell_is_revision_time_writes_and_the_columns_by_qualifier():
    cell = SOURCE.pack_revision(7, 1000, (b"writes 1", b"writes 2"), NOTE)
    assert msgpack.unpackb(cell, strict_map_key=False) == [
        7,
        1000,
        b"writes 1writes 2",
        {b"o": msgpack.packb("ada"), b"s": msgpack.packb("open"), b"t": msgpack.packb("x")},
    ]
    source = SOURCE.source(ById("a"), cell)
    assert (source.revision, source.time_ms, source.record) == (7, 1000, NOTE)
    assert source.writes == (b"writes 1", b"writes 2")


def test_a_missing_cell_is_revision_0_and_a_deleted_record_keeps_its_revision():
    assert SOURCE.source(ById("a"), None).revision == 0
    deleted = SOURCE.source(ById("a"), SOURCE.pack_revision(8, 1003, (), None))
    assert (deleted.revision, deleted.record) == (8, None)
    assert list(SOURCE.records(ById("a"), {b"n:note": SOURCE.pack_revision(8, 1003, (), None)})) == []
    assert list(SOURCE.records(ById("a"), {})) == []


def test_a_source_knows_its_latest_writes_and_which_may_be_open_or_forgotten():
    writes = tuple(b"%08d" % number for number in range(WRITES_KEPT + 5))
    source = SOURCE.source(ById("a"), SOURCE.pack_revision(100, 1, writes, None))
    assert source.writes == writes[-WRITES_KEPT:]
    read = [(100, b"writes 2"), (99, b"writes 2"), (100, writes[-1])]
    assert [source.leaves_open(*write) for write in read] == [True, False, False]
    assert [source.forgets(100 - WRITES_KEPT - 1), source.forgets(100 - WRITES_KEPT)] == [True, False]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (b"", "must be a msgpack array of revision, time, writes and cells: "),
        (b"\xc1", "must be a msgpack array"),
        (msgpack.packb([1, 2, []]), "not enough values to unpack"),
        (msgpack.packb([1, 2, [], {b"o": 5}]), "its values have other types (got "),
        (msgpack.packb(["1", 2, [], None]), "its values have other types"),
        (msgpack.packb([True, 2, [], None]), "its values have other types"),
        (msgpack.packb([1, 2, ["w"], None]), "its values have other types"),
        (msgpack.packb([1, 2, [], [1]]), "must be a msgpack array"),
        *((msgpack.packb([number, 2, b"", None]), "its revision must be 1..") for number in (-3, 0, 2**63, 2**64 - 1)),
        *((msgpack.packb([1, number, b"", None]), "its time must be 0..") for number in (-1, 2**63 - 1, 2**64 - 1)),
    ],
)
def test_a_damaged_cell_says_what_it_must_be(cell, reason):
    with pytest.raises(InvalidRecord) as refused:
        SOURCE.source(ById("a"), cell)
    assert str(refused.value).startswith("Note: must be a msgpack array of revision, time, writes and cells: ")
    assert reason in str(refused.value)


@pytest.mark.parametrize("number", [0, 1], ids=["revision", "time"])
def test_a_number_that_leaves_no_room_for_a_write_is_found_before_one_is_decided(connection, notes, number):
    notes.store(NOTE)
    values = msgpack.unpackb(connection.table("notes").row(b"a")[b"n:note"], strict_map_key=False)
    values[number] = 2**63 - 1 if number else 2**64 - 1
    connection.table("notes").put(b"a", {b"n:note": msgpack.packb(values)})
    with pytest.raises(InvalidRow, match="notes: row 61: Note: must be"):
        notes.delete(NOTE)
    assert ([finding.kind for finding in notes.findings()], notes.pending()) == (["undecodable"], [])
    assert notes.repaired(discards_rows=frozenset([("notes", b"a")]))[0][1]
    notes.store(NOTE)
    assert (notes.by_id(), notes.findings()) == ([NOTE], [])


def test_columns_that_differ_by_their_family_only_are_refused():
    same = attrs.make_class("Same", {"a": attrs.field(type=str), "b": attrs.field(type=str)}, frozen=True)
    with pytest.raises(InvalidRecord, match="must have different qualifiers"):
        SourceCells(RecordCells(same, {"a": Column("f:q"), "b": Column("g:q")}), "f:cell")
    with pytest.raises(InvalidRecord, match="must have different qualifiers"):
        SourceCells(RecordCells(ByState, {}, marker="f:x"), "f:cell")


def test_a_writer_refuses_a_source_of_other_cells_and_a_moving_list_with_values(connection, moving):
    with pytest.raises(InvalidRecord, match="table notes_by_owner: the cells of a source must be SourceCells"):
        IntentWriter(connection, OWNERS, INTENTS, (), lines_of)
    with pytest.raises(InvalidRecord, match="table notes_by_owner: the cells of a moving list must be a marker"):
        IntentWriter(connection, NOTES, INTENTS, (OWNERS,), lines_of, moving=[OWNERS])


def test_a_line_of_a_table_that_is_not_declared_is_refused_at_the_first_write_and_puts_nothing(connection):
    writer = IntentWriter(connection, NOTES, INTENTS, [OWNERS], lines_of)
    with pytest.raises(InvalidRecord) as refused:
        writer.write(ById("a"), lambda _stored: NOTE)
    got = "got a line of table notes_by_state, has notes_by_owner"
    assert str(refused.value) == f"table notes: derive must yield lines of its lists ({got}): add it to lists"
    assert list(connection.table("notes").scan()) == list(connection.table("notes_intents").scan()) == []


def test_a_write_that_changes_the_key_of_its_source_is_refused_and_puts_nothing(connection, notes):
    with pytest.raises(InvalidRecord, match="Note: a write must not change the key of its source"):
        notes.writer.write(ById("a"), lambda _stored: Note("b", "ada"))
    assert list(connection.table("notes").scan()) == list(connection.table("notes_intents").scan()) == []


@attrs.frozen
class Loose:
    id: str
    owner: str
    values: Mapping[str, str]


LOOSE = {"owner": Column("n:o"), "values": OtherColumns("n")}


def test_a_source_of_a_mapping_has_no_column_that_it_does_not_know():
    cells = SourceCells(RecordCells(Loose, LOOSE), "n:note")
    loose = Loose("a", "ada", {"x:y": "1", "s": "open"})
    assert cells.source(ById("a"), cells.pack(loose)[b"n:note"]).record == loose
    source = cells.source(ById("a"), SOURCE.pack(NOTE)[b"n:note"])
    assert (source.record, source.unknown) == (Loose("a", "ada", {"s": "open", "t": "x"}), {})
    assert list(cells.records(ById("a"), cells.pack(attrs.evolve(loose, values={})))) == [Loose("a", "ada", {})]


def test_a_source_of_a_mapping_has_one_family_and_drops_no_column():
    other = RecordCells(Loose, LOOSE | {"owner": Column("m:o")})
    for cells, dropped in ((other, []), (RecordCells(Loose, LOOSE), ["n:gone"])):
        with pytest.raises(InvalidRecord, match="Loose: a mapping holds every column that others do not have, so "):
            SourceCells(cells, "n:note", dropped=dropped)
