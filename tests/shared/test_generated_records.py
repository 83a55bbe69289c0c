"""The generated function that reads a record does what the plain one does, on tables that nobody designed."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs
import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.cells import BIG_INT, CellLayout, Column, InvalidRow
from shared.fields import text
from shared.keys import EscapedText, Int64, InvalidKey, KeyLayout, part, row_key
from shared.tables import TableDesign
from tests.shared.keys.strategies import damaged, layouts, many

CELLS: dict[str, tuple[Any, Column, st.SearchStrategy[Any]]] = {
    "word": (str, Column("w"), st.text(max_size=5)),
    "amount": (int, Column("a", BIG_INT), st.integers()),
    "state": (Literal["open", "shut", 7], Column("s"), st.sampled_from(["open", "shut", 7])),
    "perhaps": (int | None, Column("p"), st.none() | st.integers(-9, 9)),
    "words": (list[str], Column("l"), st.lists(st.text(max_size=2), max_size=2)),
    "what": (Any, Column("x"), st.booleans() | st.text(max_size=2)),
}
WRONG_CELLS = [b"", b"\xc1", b"\x07", b"\xa1x", b"\xa4open\x00", b"\xc4\x02\x00\x01", b"\xa1\xff", msgpack.packb([1])]


def outcome(read: Any, row: Any, cells: Mapping[bytes, bytes]) -> Any:
    """What a function reads, or the words in which it refuses."""
    try:
        return read(row, cells)
    except InvalidRow as error:
        return f"InvalidRow: {error}"


@st.composite
def tables(draw: st.DrawFn) -> tuple[TableDesign[Any], st.SearchStrategy[Any]]:
    """A table whose records have some parts of its key and some cells, and such records."""
    layout, keys = draw(layouts())
    names = draw(st.lists(st.sampled_from(sorted(CELLS)), unique=True))
    held = [part.name for part in layout.parts if part.name not in names]
    fields = {name: attrs.field(type=Any) for name in held}
    fields |= {name: attrs.field(type=CELLS[name][0]) for name in names}
    record = attrs.make_class("Record", dict(draw(st.permutations(sorted(fields.items())))), frozen=True)
    cells = CellLayout(record, "f", {name: CELLS[name][1] for name in names})
    records = st.builds(
        lambda key, values: record(**{name: getattr(key, name) for name in held}, **values),
        keys,
        st.fixed_dictionaries({name: CELLS[name][2] for name in names}),
    )
    return TableDesign("t", "drawn", layout, cells), records


@many
@given(data=st.data())
def test_the_generated_reader_does_what_the_plain_one_does(data: st.DataObject) -> None:
    table, records = data.draw(tables())
    record = data.draw(records)
    try:
        row = table.row(record)
    except InvalidKey:
        return
    cells = table.cells.pack(record)
    assert record == table.record(row, cells) == table._record_plainly(row, cells)
    row = data.draw(damaged(row) | st.just(row))
    for name in data.draw(st.lists(st.sampled_from(sorted(table.cells.columns)))) if table.cells.columns else ():
        cells[table.cells.column(name)] = data.draw(st.sampled_from(WRONG_CELLS))
    if cells and data.draw(st.booleans()):
        cells.pop(data.draw(st.sampled_from(sorted(cells))))
    assert outcome(table._record_plainly, row, cells) == outcome(table.record, row, cells)


@row_key
class ByHost:
    host: str = part(EscapedText, "where")
    at_ms: int = part(Int64, "when, milliseconds since 1970")


@row_key
class Host:
    host: str = part(EscapedText, "all of the key")


@attrs.frozen
class Event:
    """An event, whose host may not be `nowhere`."""

    host: str
    at_ms: int
    message: str = attrs.field(validator=text())


EVENTS = TableDesign("events", "one event", KeyLayout(ByHost), CellLayout(Event, "e", {"message": Column("m")}))


def test_a_record_that_its_own_validators_refuse_is_no_row_of_the_table() -> None:
    row = EVENTS.row(Event("a", 1, "up"))
    with pytest.raises(InvalidRow, match=r"^events: row .*: Event\.message: must be text, not empty"):
        EVENTS.record(row, {b"e:m": msgpack.packb("")})


def test_the_generated_reader_does_without_the_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    row = EVENTS.row(Event("a", 1, "up"))
    monkeypatch.setattr(KeyLayout, "decode_plainly", None)
    monkeypatch.setattr(CellLayout, "unpack", None)
    assert Event("a", 1, "up") == EVENTS.record(row, {b"e:m": msgpack.packb("up"), b"e:other": b""})


def test_the_generated_reader_reads_what_is_declared_to_be_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    loose = attrs.make_class("Loose", {"host": attrs.field(type=str), "what": attrs.field(type=Any)}, frozen=True)
    table = TableDesign("t", "any", KeyLayout(Host), CellLayout(loose, "e", {"what": Column("w")}))
    monkeypatch.setattr(CellLayout, "unpack", None)
    assert loose("a", 7) == table.record(table.row(Host("a")), {b"e:w": msgpack.packb(7)})


def test_a_row_of_an_object_without_all_parts_is_refused_by_name() -> None:
    with pytest.raises(InvalidKey, match=r"^ByHost: cannot be made of a int: "):
        EVENTS.row(7)
