"""Variants side by side: where new rows go, what a record takes in bytes, and what each question costs."""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import attrs
import happybase
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.designs import AccessPattern, Design, Load, Variant, load_samples
from shared.designs.comparison import (
    RANGES,
    Busiest,
    VariantCosts,
    busiest_range,
    busiest_share,
    measure_variant,
    quantiles,
)
from shared.designs.verdicts import verdict
from shared.keys import EscapedText, Int64, KeyLayout, Salt, between
from shared.queries import Query
from shared.tables import COUNTER, BoundTable, Column, ItemCells, RecordCells, TableLayout
from tests.engines import Engine
from tests.shared.specimens import key_class

# ---- where new rows go ---------------------------------------------------------------------------


def in_time(count: int, key: Callable[[int], bytes]) -> list[tuple[bytes, int]]:
    """Rows written at 0, 1, 2 .. milliseconds."""
    return [(key(at_ms), at_ms) for at_ms in range(count)]


OLDER = [(bytes([number]), 0) for number in range(8)]


def in_buckets(count):
    """Rows in so many buckets in turn, a hundred for each."""
    return in_time(100 * count, lambda at_ms: bytes([at_ms % count]) + at_ms.to_bytes(8, "big"))


@pytest.mark.parametrize(
    ("rows", "newest_ms", "share"),
    [
        pytest.param(in_time(800, lambda at_ms: at_ms.to_bytes(8, "big")), 80, 1.0, id="time first"),
        pytest.param(in_time(800, lambda at_ms: (2**63 - at_ms).to_bytes(8, "big")), 80, 1.0, id="newest first"),
        pytest.param(in_buckets(8), 80, 1 / 8, id="eight buckets in turn"),
        pytest.param(in_buckets(4), 40, 1 / 4, id="fewer buckets than ranges"),
        pytest.param(in_buckets(16), 160, 1 / 8, id="more buckets than ranges"),
        pytest.param(
            in_buckets(8) + [(bytes([3 if n < 7 else n]) + b"\xff%c" % n, 1000 + n) for n in range(10)],
            10,
            0.7,
            id="seven of ten new rows in bucket 3",
        ),
        # Cut from all rows, the new ones below a hundred older ones would fill four ranges.
        pytest.param(
            in_time(100, lambda at_ms: b"z%03d" % at_ms) + [(b"a%03d" % n, 200) for n in range(100)],
            50,
            1.0,
            id="below",
        ),
        # The newest rows are those after the border and not on it; one millisecond more, and all are new.
        pytest.param([*OLDER, (b"\x00a", 10), (b"\x07a", 10)], 10, 0.5, id="two ranges"),
        pytest.param([*OLDER, (b"\x00a", 10), (b"\x07a", 10)], 11, 1.0, id="all are new"),
        pytest.param([*OLDER, (b"\x00a", 10), (b"\x00b", 10), (b"\x07a", 11)], 1, 1.0, id="only the last is new"),
        pytest.param([*OLDER, (b"\x01", 5), (b"\x01a", 5), (b"\x01b", 5)], 1, 1.0, id="on a border is above it"),
        pytest.param(in_time(10, lambda at_ms: bytes([at_ms])), 1000, 1.0, id="no older rows"),
        pytest.param([(b"a", 5), (b"b", 5)], 1, 1.0, id="no older rows than two"),
        pytest.param([(b"a", 0)], 1, 1.0, id="one row"),
        pytest.param([(b"a", -5)], 60_000, 1.0, id="one row before 1970"),
        pytest.param([], 1, 0.0, id="no rows"),
        pytest.param([(b"m", 0), (b"a", 9), (b"b", 9), (b"c", 9), (b"z", 9)], 5, 0.75, id="one older row cuts in two"),
    ],
)
def test_the_busiest_of_eight_ranges_has_this_share_of_the_newest_rows(rows, newest_ms, share):
    assert busiest_share(rows, newest_ms) == share


def test_the_busiest_range_says_of_how_many_rows_it_is():
    assert busiest_range([(b"m", 0), (b"a", 9), (b"b", 9), (b"c", 9), (b"z", 9)], 5) == Busiest(rows=3, newest=4)
    assert busiest_range([], 5) == Busiest(rows=0, newest=0)


TIMED_ROWS = st.dictionaries(st.binary(max_size=3), st.integers(0, 50), min_size=1, max_size=60)


@given(TIMED_ROWS, st.integers(1, 60))
def test_the_busiest_share_is_at_least_an_equal_share_whatever_the_order_of_the_rows(written, newest_ms):
    share = busiest_share(list(written.items()), newest_ms)
    assert 1 / RANGES <= share <= 1
    assert share == busiest_share(sorted(written.items()), newest_ms)
    assert share == busiest_share(sorted(written.items(), reverse=True), newest_ms)


@given(TIMED_ROWS, st.sets(st.binary(max_size=3), min_size=1))
def test_new_rows_after_all_others_are_all_in_one_range(written, new):
    rows = [(b"a" + row, written_ms) for row, written_ms in written.items()]
    assert busiest_share([*rows, *((b"b" + row, 100) for row in new)], 10) == 1.0
    assert busiest_share([*rows, *((b"A" + row, 100) for row in new)], 10) == 1.0


@pytest.mark.parametrize(
    ("rows", "ranges", "wanted"),
    [
        ([], 8, []),
        (["a"], 8, ["a"] * 7),
        (["a", "b"], 2, ["b"]),
        (["a", "b", "c"], 2, ["b"]),
        (["a", "b", "c"], 1, []),
        (["a", "b", "c", "d"], 4, ["b", "c", "d"]),
        (["a", "b", "c", "d", "e", "f", "g", "h"], 4, ["c", "e", "g"]),
        (["a", "b", "c", "d", "e", "f", "g", "h", "i"], 4, ["c", "e", "g"]),
    ],
)
def test_quantiles_are_the_first_keys_of_all_ranges_but_one(rows, ranges, wanted):
    assert [border.encode() for border in wanted] == quantiles([row.encode() for row in rows], ranges)


@given(st.sets(st.binary(max_size=4), min_size=1, max_size=100), st.integers(1, 12))
def test_quantiles_cut_rows_into_ranges_of_equal_size(rows, ranges):
    borders = quantiles(sorted(rows), ranges)
    assert len(borders) == ranges - 1
    rows_of_range = Counter(bisect_right(borders, row) for row in rows)
    sizes = [rows_of_range[number] for number in range(ranges)]
    if len(rows) >= ranges:
        assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) == len(rows)


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
    declared: dict[str, Any] = {"patterns": (OF_HOST, OF_NOBODY, SINCE), "newest_ms": 1, **options}
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


def test_every_table_has_a_share_of_its_own(compare, tmp_path):
    notes = [{"host": f"{at_ms % 8}", "at_ms": at_ms} for at_ms in range(160)]
    design = design_of(tmp_path, notes, newest_ms=16)
    assert compare(design, variant_of(BY_TIME)).busiest_shares == (1.0,)
    assert compare(design, variant_of(BY_HOST)).busiest_shares == (1 / 8,)
    assert compare(design, variant_of(BY_HOST, BY_TIME, hosts="01234567")).busiest_shares == (1 / 8, 1.0)
    assert compare(design, variant_of(BY_TIME, BY_HOST, hosts="01234567")).busiest_shares == (1.0, 1 / 8)


def test_a_row_is_as_new_as_the_newest_of_its_cells(compare, tmp_path):
    class InTwoSteps(Notes):
        def store(self, note: Note) -> None:
            row, cells = BY_HOST.row(note), CELLS.pack(note)
            self.rows.put(row, {CELLS.column("text"): cells[CELLS.column("text")]}, timestamp=1)
            self.rows.put(row, {CELLS.column("mark"): cells[CELLS.column("mark")]}, timestamp=1 + note.at_ms)

    notes = [{"host": f"{at_ms % 8}", "at_ms": at_ms} for at_ms in range(160)]
    design = design_of(tmp_path, notes, newest_ms=16)
    variant = attrs.evolve(variant_of(BY_HOST), open=partial(InTwoSteps, table=BY_HOST))
    assert compare(design, variant).busiest_shares == (1 / 8,)


def test_one_sample_can_be_compared(compare, tmp_path):
    costs = compare(design_of(tmp_path, NOTES[:1]), variant_of(BY_HOST))
    assert (costs.rows_per_record, costs.busiest_shares) == (1.0, (1.0,))
    assert [len(measurement.records) for measurement in costs.measurements] == [1, 0, 0]


def test_a_table_without_samples_can_be_compared(compare, tmp_path):
    costs = compare(design_of(tmp_path, NOTES), variant_of(BY_TIME, AGAIN))
    assert (costs.rows_per_record, costs.busiest_shares) == (1.0, (1.0, 0.0))


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


def test_a_row_of_many_records_is_one_row_and_each_of_its_cells_is_a_newest_record(compare, tmp_path):
    # One host of eight has a note in each millisecond; the newest 16 are two cells in each of eight rows.
    notes = [{"host": f"{at_ms % 8}", "at_ms": at_ms} for at_ms in range(160)]
    variant = attrs.evolve(variant_of(MANY), open=partial(ManyNotes, table=MANY))
    costs = compare(design_of(tmp_path, notes, newest_ms=16, patterns=(OF_HOST,)), variant)
    assert (costs.records, costs.rows_per_record) == (160, 8 / 160)
    assert costs.busiest == (Busiest(rows=2, newest=16),)
    # A row key of 3 bytes, a qualifier of 8, and the msgpack array of an empty text and no bytes: 92 a0 c4 00.
    assert costs.bytes_per_record == key_value_bytes("30 00 01", "nn", "8 bytes!", "92 a0 c4 00")


@attrs.frozen
class HostCount:
    host: str
    count: int


COUNTS = TableLayout(
    "counts", "the notes of a host, counted", KeyLayout(Host), RecordCells(HostCount, {"count": Column("c:n", COUNTER)})
)


class CountedNotes(Notes):
    def store(self, note: Note) -> None:
        self.rows.counter_inc(COUNTS.row(Host(note.host)), "c:n")


def test_counters_have_no_newest_rows_because_each_increment_dates_them_anew(compare, tmp_path):
    variant = attrs.evolve(variant_of(COUNTS), open=partial(CountedNotes, table=COUNTS))
    costs = compare(design_of(tmp_path, NOTES, patterns=()), variant)
    assert (costs.records, costs.rows_per_record, costs.busiest) == (5, 3 / 5, (Busiest(0, 0),))


def test_a_table_of_two_layouts_is_counted_once(compare, tmp_path):
    design = design_of(tmp_path, NOTES)
    one, two = (
        compare(design, attrs.evolve(variant_of(BY_HOST), tables=tables)) for tables in ((BY_HOST,), (BY_HOST, MARKS))
    )
    assert (two.rows_per_record, two.bytes_per_record, two.busiest) == (1, one.bytes_per_record, one.busiest)


# ---- what a question costs -----------------------------------------------------------------------


def test_every_question_is_asked_of_a_variant(compare, tmp_path):
    design = design_of(tmp_path, NOTES)
    by_host, by_time, salted = (compare(design, variant) for variant in design.variants)
    assert [measurement.pattern for measurement in by_host.measurements] == list(design.patterns)
    assert list(map(verdict, by_host.measurements)) == ["1 range", "1 range", "refused"]
    assert list(map(verdict, by_time.measurements)) == ["2.5x, filtered", "5 for none, filtered", "1.0x, sorted"]
    # One host is measurement bucket; all hosts are eight, three of them with rows.
    assert [len(measurement.reads) for measurement in salted.measurements] == [1, 1, 8]
