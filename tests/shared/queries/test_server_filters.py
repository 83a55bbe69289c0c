"""Filters of the server, made from values: what they let through, and that pages with one are whole."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs
import happybase
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.keys import KeyLayout
from shared.keys.limits import MAX_ROW_BYTES
from shared.queries import ServerFilter, equal, scan
from shared.tables import BIG_INT, TEXT, Column, InvalidRecord, OtherColumns, RecordCells, TableLayout
from tests.engines import Engine, examples, located, plain_table
from tests.shared.queries.paging import all_pages, page, records_of
from tests.shared.specimens import Item, Named


@attrs.frozen
class Note:
    number: int
    text: str = ""
    raw: bytes = b""
    amount: int = 0


@attrs.frozen
class Text:
    number: int
    text: str


@attrs.frozen
class Tagged:
    number: int
    tags: Mapping[str, str]


@attrs.frozen
class Plain:
    number: int
    raw: bytes = b""


NOTE_CELLS = RecordCells(Note, {"text": Column("n:t'x"), "raw": Column("n:r"), "amount": Column("n:a", BIG_INT)})
NOTES = TableLayout("notes", "one note", KeyLayout(Item), NOTE_CELLS)


@contextmanager
def noted(engine: Engine, notes: list[Note]) -> Iterator[happybase.Table]:
    """A table that holds these notes."""
    with engine.store(NOTES) as connection:
        rows = connection.table("notes")
        for note in notes:
            rows.put(NOTES.row(note), NOTES.cells.pack(note))
        yield rows


def test_the_filter_of_a_value_is_text_that_hbase_reads():
    assert equal(NOTE_CELLS, "text", "it's") == ServerFilter(
        ("text",), b"SingleColumnValueFilter('n','t''x',=,'binary:\xa4it''s',true,true)", (b"n:t'x",)
    )


def test_a_value_that_the_attribute_cannot_have_is_refused():
    with pytest.raises(InvalidRecord, match=r"Note.text: must be text \(got 5\)"):
        equal(NOTE_CELLS, "text", 5)
    with pytest.raises(InvalidRecord, match=r"Note.number: has no column \(text, raw, amount have\)"):
        equal(NOTE_CELLS, "number", 5)


texts = st.text("aé'()'\0", max_size=4) | st.sampled_from(["it's", "'", "''", ") OR (", "x" * 40])
notes = st.lists(st.builds(Note, st.integers(0, 60), texts, texts.map(str.encode), st.integers()), max_size=30)


@settings(max_examples=examples(30))
@given(notes, st.data(), st.integers(1, 5), st.booleans())
def test_pages_with_a_filter_hold_just_the_records_of_that_value(engine, notes, data, limit, reverse):
    notes = list({note.number: note for note in notes}.values())
    sample = data.draw(st.sampled_from([*notes, Note(0)]))
    name = data.draw(st.sampled_from(["text", "raw", "amount"]))
    value: Any = getattr(sample, name)
    options: Any = {"limit": limit, "reverse": reverse, "filter": equal(NOTE_CELLS, name, value)}
    with noted(engine, notes) as rows:
        pages = all_pages(lambda cursor: page(rows, NOTES, NOTES.whole_table(), cursor=cursor, **options))
    assert {answer.server_filtered for answer in pages} == {(name,)}
    assert max(len(answer.records) for answer in pages) <= limit
    wanted = sorted((note for note in notes if getattr(note, name) == value), key=lambda note: note.number)
    assert records_of(pages) == (wanted[::-1] if reverse else wanted)


def test_a_filter_of_one_row_is_asked_by_a_scan_since_a_get_knows_none(engine):
    plan = NOTES.plan(number=2)
    assert plan.point is not None
    with noted(engine, [Note(1, "a"), Note(2, "b")]) as rows:
        for value, wanted in (("a", []), ("b", [Note(2, "b")])):
            assert page(rows, NOTES, plan, limit=9, filter=equal(NOTE_CELLS, "text", value)).records == wanted


def test_a_filter_of_the_longest_row_there_is(new_store):
    longest = KeyLayout(Named).encode(Named("x" * MAX_ROW_BYTES))
    table = plain_table("t", "n")
    connection = located(new_store(table), [table])
    connection.table("t").put(longest, {b"n:r": b"\xc4\x00"})
    plan = KeyLayout(Named).plan(name="x" * MAX_ROW_BYTES)
    for value, wanted in ((b"\0", []), (b"", [longest])):
        matching = scan(connection.table("t"), plan, filter=equal(NOTE_CELLS, "raw", value))
        assert [row for row, _ in matching] == wanted


def test_a_filter_may_compare_a_column_of_another_layout_of_the_table(engine):
    texts = attrs.evolve(NOTES, holds="its text", cells=RecordCells(Text, {"text": Column("n:text")}))
    others = attrs.evolve(NOTES, cells=RecordCells(Plain, {"raw": Column("n:r")}))
    with noted(engine, []) as rows:
        for layout, record in ((others, Plain(1)), (texts, Text(1, "a")), (others, Plain(2)), (texts, Text(3, "a"))):
            rows.put(layout.row(record), layout.cells.pack(record))
        chosen = equal(texts.cells, "text", "a")
        assert page(rows, others, NOTES.whole_table(), limit=9, filter=chosen).records == [Plain(1)]


def test_a_filter_may_compare_one_key_of_a_mapping(engine):
    cells = RecordCells(Tagged, {"tags": OtherColumns("n", TEXT)})
    table = TableLayout("tagged", "its tags", KeyLayout(Item), cells)
    chosen = equal(cells, "tags", "it's", key="a:b")
    text = b"SingleColumnValueFilter('n','a:b',=,'binary:it''s',true,true)"
    assert chosen == ServerFilter(("a:b",), text, (b"n:a:b",))
    tagged = [Tagged(1, {"a:b": "it's", "c": "1"}), Tagged(2, {"a:b": "c"}), Tagged(3, {"c": "it's"})]
    with engine.store(table) as connection:
        rows = connection.table("tagged")
        for record in tagged:
            rows.put(table.row(record), cells.pack(record))
        assert page(rows, table, table.whole_table(), limit=9, filter=chosen).records == tagged[:1]
    with pytest.raises(InvalidRecord, match=r"^Tagged.tags\['a'\]: must be text \(got 5\)$"):
        equal(cells, "tags", 5, key="a")
    with pytest.raises(InvalidRecord, match=r"^Note.text: has no keys, because it is not a mapping of columns$"):
        equal(NOTE_CELLS, "text", "a", key="b")
