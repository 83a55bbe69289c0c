"""The generated function that reads a record does what its reference does, on generated tables."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import attrs
import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.keys import EscapedText, Int64, InvalidKey, KeyLayout
from shared.keys.slice_codecs import share_codec
from shared.tables import BIG_INT, TEXT, Column, InvalidRecord, OtherColumns, RecordCells, TableLayout
from tests.reference import outcome, without_reference
from tests.shared.keys.strategies import CASES, damaged, layouts, many
from tests.shared.specimens import NOON, Level, Reminder, key_class

LONG = st.text(min_size=2, max_size=4)
"""Keys that no column of its own has."""
REMINDER = Reminder(Level.LOW, NOON, UUID(int=7))
CELLS = {
    "word": (str, Column("f:w"), st.text(max_size=5)),
    "amount": (int, Column("f:a", BIG_INT), st.integers()),
    "state": (Literal["open", "shut", 7], Column("f:s"), st.sampled_from(["open", "shut", 7])),
    "perhaps": (int | None, Column("f:p"), st.none() | st.integers(-9, 9)),
    "words": (list[str], Column("f:l"), st.lists(st.text(max_size=2), max_size=2)),
    "what": (Any, Column("f:x"), st.booleans() | st.text(max_size=2) | st.dictionaries(st.integers(0, 3), st.none())),
    "by_number": (dict[int, str], Column("f:n"), st.dictionaries(st.integers(0, 3), st.text(max_size=2), max_size=2)),
    "flag": (Literal[1, True], Column("f:f"), st.sampled_from([1, True])),
    "at": (datetime, Column("f:d"), st.datetimes(timezones=st.just(UTC))),
    "level": (Level | int | None, Column("f:e"), st.none() | st.integers(0, 9) | st.sampled_from(Level)),
    "pair": (tuple[str, Decimal], Column("f:r"), st.tuples(st.text(max_size=2), st.decimals(-9, 9))),
    "ids": (dict[UUID, Reminder], Column("f:i"), st.dictionaries(st.uuids(), st.just(REMINDER), max_size=2)),
    "_secret": (bytes, Column("f:b"), st.binary(max_size=3)),
    "mapped": (Mapping[str, str], OtherColumns("f", TEXT), st.dictionaries(LONG, st.text(max_size=2), max_size=3)),
    "counted": (Mapping[str, int | None], OtherColumns("g"), st.dictionaries(LONG, st.none() | st.integers(0, 9))),
}
DEFAULTS = {
    "word": ["", None],
    "amount": [10**30, attrs.Factory(lambda record: len(attrs.fields(type(record))), takes_self=True)],
    "state": ["open", 7],
    "perhaps": [None],
    "words": [attrs.Factory(list)],
    "what": [attrs.Factory(dict)],
    "by_number": [attrs.Factory(dict)],
    "flag": [True],
    "at": [NOON],
    "level": [None, Level.LOW],
    "pair": [("", Decimal(0))],
    "ids": [attrs.Factory(dict)],
    "_secret": [b""],
    "mapped": [attrs.Factory(dict)],
    "counted": [attrs.Factory(lambda: {"a default": 1})],
}
UNDIVIDED = [case for case in CASES if share_codec(case.codec) is None]
"""A record without the rest of a slice is refused."""
WRONG_CELLS = [b"", b"\xc1", b"\x07", b"\xa1x", b"\xa4open\x00", b"\xc4\x02\x00\x01", b"\xa1\xff", msgpack.packb([1])]


def generated(table):
    """The generated functions of a table; a row without columns has nothing to decode but its key."""
    return [table.key.row_of, *([] if getattr(table.cells, "marker", None) else [table.record])]


@st.composite
def tables(draw):
    """A table whose records have some parts of its key and some cells, and such records."""
    layout, keys = draw(layouts(UNDIVIDED))
    names = draw(st.lists(st.sampled_from(sorted(CELLS)), unique=True))
    key_names = [part.name for part in layout.parts if part.name not in names]
    fields = {name: attrs.field(type=Any) for name in key_names}
    for name in names:
        default = draw(st.just(attrs.NOTHING) | st.sampled_from(DEFAULTS[name]))
        # Attributes without a default cannot follow one with a default, unless they only have a name.
        by_name = default is not attrs.NOTHING or draw(st.booleans())
        alias = draw(st.sampled_from([None, f"the_{name}"]))
        fields[name] = attrs.field(type=CELLS[name][0], default=default, kw_only=by_name, alias=alias)
    if draw(st.booleans()):
        fields["computed"] = attrs.field(init=False, default=7)
    record = attrs.make_class("Record", dict(draw(st.permutations(list(fields.items())))), frozen=True)
    columns = {name: CELLS[name][1] for name in names}
    cells = RecordCells(record, columns, marker=None if columns else "f:v")
    alias_of = {field.name: field.alias for field in attrs.fields(record)}
    records = st.builds(
        lambda key, values: record(
            **{alias_of[name]: getattr(key, name) for name in key_names},
            **{alias_of[name]: value for name, value in values.items()},
        ),
        keys,
        st.fixed_dictionaries({name: CELLS[name][2] for name in names}),
    )
    return TableLayout("t", "generated", layout, cells), records


@settings(many, max_examples=40)
@given(data=st.data())
def test_the_generated_reader_does_what_the_reference_does(data):
    table, records = data.draw(tables())
    record = data.draw(records)
    try:
        row = table.row(record)
    except InvalidKey:
        return
    columns = table.cells
    if columns.mappings and all(name in columns.mappings and not getattr(record, name) for name in columns.attributes):
        with pytest.raises(InvalidRecord, match=r"has no cell to write"):
            columns.pack(record)
        return
    cells = table.cells.pack(record)
    with without_reference(*generated(table)):
        assert (table.row(record), table.record(row, cells)) == (row, record)
    assert record == table._record_reference(row, cells)
    defaults = {field.name: field.default for field in attrs.fields(type(record))}
    own = {columns.column(name): name for name in columns.attributes if name not in columns.mappings}
    needed = [column for column, name in own.items() if defaults[name] is attrs.NOTHING]
    fewer = {column: cell for column, cell in cells.items() if column in needed or data.draw(st.booleans())}
    if fewer:
        with without_reference(*generated(table)):
            assert table.record(row, fewer) == table._record_reference(row, fewer)
    row = data.draw(damaged(row) | st.just(row))
    for column in (
        data.draw(st.lists(st.sampled_from([*own, b"f:any", b"g:any", b"f:\xff"]))) if columns.attributes else ()
    ):
        cells[column] = data.draw(st.sampled_from(WRONG_CELLS))
    if cells and data.draw(st.booleans()):
        cells.pop(data.draw(st.sampled_from(sorted(cells))))
    assert outcome(table._record_reference, row, cells) == outcome(table.record, row, cells)


ByHost = key_class("ByHost", host=EscapedText, at_ms=Int64)


# ---- how a record is made -------------------------------------------------------------------------


def events(record, **columns):
    attributes = {name: Column(f"e:{qualifier}") for name, qualifier in columns.items()}
    cells = RecordCells(record, attributes, marker=None if columns else "e:v")
    return TableLayout("events", "one event", KeyLayout(ByHost), cells)


def assert_comes_back(table, record):
    """The record comes back from its row and cells, by the generated function and by its reference."""
    row, cells = table.row(record), table.cells.pack(record)
    with without_reference(*generated(table)):
        assert (table.row(record), table.record(row, cells)) == (row, record)
    assert table._record_reference(row, cells) == record


def test_a_record_whose_base_made_its_init_is_refused_when_declared():
    @attrs.frozen
    class Base:
        host: str
        at_ms: int

    @attrs.frozen(init=False)
    class Longer(Base):
        message: str

    class Plain(Base):
        def __init__(self, at_ms, host):
            super().__init__(host, at_ms)

    class Same(Base):
        """Adds nothing, so its `__init__` is the one that attrs made."""

    for record in (Longer, Plain):
        with pytest.raises(InvalidRecord, match=rf"^{record.__name__}: must keep the __init__ that attrs makes"):
            events(record)
    assert_comes_back(events(Same), Same("a", 1))


def test_an_attribute_that_init_does_not_take_cannot_have_a_column():
    @attrs.frozen
    class Computed:
        host: str
        at_ms: int
        length: int = attrs.field(init=False, default=7)

    with pytest.raises(InvalidRecord, match=r"^Computed\.length: cannot have a column, .*init=False"):
        events(Computed, length="l")
    assert_comes_back(events(Computed), Computed("a", 1))
