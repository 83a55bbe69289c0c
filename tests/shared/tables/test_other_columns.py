"""An attribute that is a mapping: all columns of a family that no other attribute has, by qualifier."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs
import pytest

from shared.keys import DelimitedText, KeyLayout, LongMaxMinus
from shared.keys.limits import MAX_CELL_BYTES
from shared.tables import (
    COUNTER,
    MSGPACK,
    TEXT,
    Column,
    InvalidRecord,
    InvalidRow,
    OtherColumns,
    RecordCells,
    TableLayout,
    create_tables,
)
from shared.tables.recorded_layouts import RecordedLayout, check_layouts
from tests.reference import without_reference
from tests.shared.specimens import Named, key_class
from tests.shared.tables.records import record_class

ByChange = key_class("ByChange", shop=DelimitedText(","), time_ms=LongMaxMinus)


@attrs.frozen
class Change:
    """A change of a row: three columns of its own, and the values of all the others."""

    shop: str
    time_ms: int
    key: str
    kind: str
    values: Mapping[str, str] = attrs.field(factory=dict[str, str])


CELLS = RecordCells(
    Change,
    {"key": Column("C:_pk_", TEXT), "kind": Column("C:_type_", TEXT), "values": OtherColumns("C", TEXT)},
)
CHANGES = TableLayout("changes", "a change", KeyLayout(ByChange), CELLS)
UPDATE = Change("03", 1580976517000, "30", "u", {"AGE": "42", "social:twitter": "ä", "": ""})
COLUMNS = {b"C:_pk_": b"30", b"C:_type_": b"u", b"C:AGE": b"42", b"C:social:twitter": b"\xc3\xa4", b"C:": b""}


# ---- cells ---------------------------------------------------------------------------------------


def test_every_key_is_a_qualifier_of_the_family():
    assert CELLS.pack(UPDATE) == COLUMNS
    assert CELLS.columns == (b"C",)
    assert CELLS.pack(UPDATE, only=["values"]).keys() == {b"C:AGE", b"C:social:twitter", b"C:"}
    row = CHANGES.row(UPDATE)
    with without_reference(CHANGES.record):
        record = CHANGES.record(row, COLUMNS | {b"D:AGE": b"\xff"})
    assert record == UPDATE == CHANGES.records(row, COLUMNS)[0]
    assert [*record.values] == ["", "AGE", "social:twitter"]


def test_a_row_without_other_columns_has_an_empty_mapping():
    emptied = attrs.evolve(UPDATE, values=MappingProxyType({}))
    cells = CELLS.pack(emptied)
    assert cells == {b"C:_pk_": b"30", b"C:_type_": b"u"}
    with without_reference(CHANGES.record):
        assert CHANGES.record(CHANGES.row(emptied), cells) == emptied
    with pytest.raises(InvalidRecord, match=r"^Change: has no cell to write \(columns: key, kind, values\)$"):
        CELLS.pack(emptied, only=["values"])


@attrs.frozen
class Profile:
    """A profile whose columns are all in its mapping, but for one in another family that not every row has."""

    name: str
    values: Mapping[str, Any]
    visits: int = 0


PROFILES = TableLayout(
    "profiles",
    "a profile",
    KeyLayout(Named),
    RecordCells(Profile, {"values": OtherColumns("p"), "visits": Column("v:n")}),
)


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ({b"p:n_terms": b"\x06"}, Profile("ann", {"n_terms": 6})),
        ({b"p:id:fec": b"\x91\xa1x", b"v:n": b"\x02"}, Profile("ann", {"id:fec": ["x"]}, 2)),
        ({b"v:n": b"\x02"}, Profile("ann", {}, 2)),
        ({b"v:other": b"\x02"}, "profiles: row 61 6e 6e: Profile: none of its cells (v:n, p)"),
    ],
)
def test_a_row_with_any_column_of_a_record_is_one(cells, wanted):
    assert PROFILES.cells.columns == (b"v:n", b"p")
    if isinstance(wanted, Profile):
        with without_reference(PROFILES.record):
            assert PROFILES.record(b"ann", cells) == wanted
        assert PROFILES.records(b"ann", cells) == [wanted]
    else:
        with pytest.raises(InvalidRow) as refused:
            PROFILES.record(b"ann", cells)
        assert str(refused.value) == wanted
        assert PROFILES.records(b"ann", cells) == []


# ---- what does not fit ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([("AGE", "42")], "must be Mapping[str, str] (got [('AGE', '42')])"),
        ({5: "42"}, "a key must be text (got 5, int)"),
        ({"\ud800": "42"}, "a key must be Unicode text without lone surrogates (got '\\ud800')"),
        ({"_pk_": "31"}, "must not have the key '_pk_', the column of key"),
    ],
)
def test_a_mapping_that_the_family_cannot_hold_is_refused(values, reason):
    with pytest.raises(InvalidRecord) as refused:
        CELLS.pack(attrs.evolve(UPDATE, values=values))
    assert str(refused.value) == f"Change.values: {reason}"


def test_a_value_that_does_not_fit_is_named_by_its_key():
    with pytest.raises(InvalidRecord, match=r"^Change\.values\['AGE'\]: must be text \(got 42\)$"):
        CELLS.pack(attrs.evolve(UPDATE, values={"AGE": 42}))
    largest = MAX_CELL_BYTES - 20 - len("CAGE")
    with pytest.raises(InvalidRecord, match=rf"^Change\.values\['AGE'\]: must fit {largest} bytes"):
        CELLS.pack(attrs.evolve(UPDATE, values={"AGE": "4" * (largest + 1)}))


Counts = record_class("Counts", name=str, of=dict[str, int])
COUNTS = TableLayout("t", "counts", KeyLayout(Named), RecordCells(Counts, {"of": OtherColumns("c")}))


@pytest.mark.parametrize(
    ("table", "cells", "reason"),
    [
        (CHANGES, COLUMNS | {b"C:\xff": b"1"}, "Change.values: a qualifier must be UTF-8: invalid start byte in ff"),
        (CHANGES, COLUMNS | {b"C:a:b": b"\xff"}, "Change.values['a:b']: 'utf-8' codec can't decode byte 0xff in "),
        (COUNTS, {b"c:x": b"\xc3"}, "Counts.of['x']: must be an int (got True)"),
    ],
)
def test_a_column_that_does_not_decode_or_has_another_type_is_damage(table, cells, reason):
    with pytest.raises(InvalidRow) as damaged:
        table.record(CHANGES.row(UPDATE), cells)
    assert damaged.value.reason.startswith(reason)


# ---- declarations --------------------------------------------------------------------------------


def test_a_column_that_cannot_hold_a_mapping_is_refused_when_declared():
    for family in ("", "C:", 5):
        with pytest.raises(InvalidRecord, match=r"^OtherColumns: must be the name of a family \(got "):
            OtherColumns(family)
    with pytest.raises(InvalidRecord, match=r"^OtherColumns: cannot hold counters, which have a Column each$"):
        OtherColumns("C", COUNTER)
    record = record_class("Record", key=str, by_number=dict[int, str])
    for name, declared in (("key", "text"), ("by_number", r"dict\[int, str\]")):
        wanted = r"must be declared as Mapping\[str, \.\.\.\], because it holds columns by qualifier"
        with pytest.raises(InvalidRecord, match=rf"^Record\.{name}: {wanted} \(got {declared}\)$"):
            RecordCells(record, {name: OtherColumns("C")})


def test_a_family_has_its_other_columns_in_one_attribute():
    record = record_class("Two", first=dict[str, str], second=dict[str, str])
    with pytest.raises(InvalidRecord, match=r"^Two\.second: first has the other columns of C already$"):
        RecordCells(record, {name: OtherColumns("C") for name in ("first", "second")})
    assert RecordCells(record, {"first": OtherColumns("C"), "second": OtherColumns("D")}).columns == (b"C", b"D")


def test_a_mapping_has_no_column_of_its_own():
    with pytest.raises(InvalidRecord, match=r"^Change\.values: has no column \(key, kind have\)$"):
        CELLS.pack_value("values", {})


def test_the_record_of_a_table_knows_that_a_layout_claims_the_whole_family(engine):
    assert RecordedLayout.of(CHANGES).claims == {(b"C:", True)}
    earlier = attrs.evolve(
        CHANGES,
        cells=RecordCells(
            Change, {name: CELLS.attributes[name] for name in ("key", "kind")} | {"values": Column("C:v", MSGPACK)}
        ),
    )
    with engine.store(earlier) as connection:
        create_tables(connection, [CHANGES])
        check_layouts(connection, [CHANGES, earlier])
