"""`list`, `explain` and `ddl` over all designs: what they say of each table is what the design declares."""

import json
import re
import shlex
from contextlib import closing
from itertools import islice
from pathlib import Path

import attrs
import pytest

from domains.tsdb.keys import DELETIONS
from shared.command_line.rows.given_rows import tables_of
from shared.designs import load_samples
from shared.loading import FORMATS, PARQUET
from shared.stores import connect
from shared.tables import create_tables
from shared.tables.layouts import physical_tables
from tests.designs import NAMES, all_designs, design_named
from tests.few_designs import FEW

ROOT = Path(__file__).parents[3]
BY_NAME = {
    f"{design.name}:{variant.name}": (design, variant) for design in all_designs() for variant in design.variants
}
each_variant = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if design.name in FEW and variant is design.main else pytest.mark.long)
        for name, (design, variant) in BY_NAME.items()
    ],
)


def test_the_list_has_every_variant_with_its_tables_and_why_it_is_not_to_be_copied(ok):
    listed = [
        (f"{design['name']}:{variant['name']}", variant)
        for design in json.loads(ok("list --json"))["designs"]
        for variant in design["variants"]
    ]
    assert [name for name, _variant in listed] == [*BY_NAME]
    for name, shown in listed:
        variant = BY_NAME[name][1]
        assert shown["loses"] == ("" if variant.wrong is None else variant.wrong.loses)
        assert shown["mistake"] == variant.mistake
        assert [table["name"] for table in shown["tables"]] == [table.name for table in variant.record_tables]


def test_the_format_option_knows_every_format_of_every_design(ok):
    out = " ".join(ok("load --help").split())
    own = dict.fromkeys(format.name for design in all_designs() for load in design.loads for format in load.formats)
    assert ", ".join(["auto", *(format.name for format in FORMATS), PARQUET, *own]) in out


def test_no_list_of_formats_seems_to_name_one_twice():
    for load in (load for design in all_designs() for load in design.loads):
        titles = [format.title for format in (*load.formats, *FORMATS)]
        assert len({*", ".join(titles).split(", ")}) == len(titles)


@pytest.mark.parametrize(
    "name", ["monitoring", *(pytest.param(name, marks=pytest.mark.long) for name in NAMES if name != "monitoring")]
)
def test_explain_of_a_design_shows_the_tables_of_every_variant_each_once(ok, name):
    design = design_named(name)
    golden = json.loads((ROOT / "fixtures" / design.name / "keys.json").read_text(encoding="utf-8"))
    values = {}
    tables = list({(table.name, *table.key.part_named): table for table in tables_of(design.variants)}.values())
    types = {(part.name, part.type) for table in tables for part in attrs.fields(table.key.key_class)}
    for table in tables:
        values |= golden[table.name][0]["key"]
        if not {*table.key.part_named} <= values.keys():  # its golden keys are those of the table's other layout
            values |= dict.fromkeys(table.key.part_named, "web-1")
    words = shlex.join(f"{name}={value}" for name, value in values.items())
    explained = json.loads(ok(f"explain {design.name} {words} --json"))
    others = [other["table"] for other in explained["others"]]
    assert sorted([key["table"] for key in explained["keys"]] + others) == sorted(table.name for table in tables)
    assert others == [] or len(dict(types)) < len(types)  # one value does not fit parts of two types


LATE = "sessions_open"
"""The first forty lines have no session that is still open."""


@each_variant
def test_a_stored_cell_of_every_table_shows_the_attributes_of_its_record(ok, cut_designs, name):
    design, variant = BY_NAME[name]
    explained_tables = {(DELETIONS.name, DELETIONS.holds)}  # in one table with the settings; samples delete nothing
    with closing(connect("embedded:")) as connection:
        create_tables(connection, variant.tables)
        load_samples(connection, cut_designs[design.name], variant)
        for table in variant.record_tables:
            found = connection.table(table.name).scan(columns=table.cells.columns)
            filled = (of_row for of_row in found if table.records(*of_row))  # others hold only the table's other layout
            for row, cells in islice(filled, 1):
                label = getattr(table.cells, "label", b"")  # without it, cells are of the table's other layout
                own = ((column, cells[column]) for column in cells if column.partition(b":")[2].startswith(label))
                for column, value in islice(own, 2):
                    check_cell(ok, name, table, row, cells, column, value)
                    explained_tables.add((table.name, table.holds))
    filled = {
        (table.name, table.holds)
        for table in variant.record_tables
        if table not in variant.unfilled and table.name != LATE
    }
    assert explained_tables >= filled


def check_cell(ok, name, table, row, cells, column, value):
    """Checks that what a cell holds are attributes of a record of its row."""
    family, _colon, qualifier = column.partition(b":")
    shown_column = f"{family.decode()}:{qualifier.hex()}"
    words = f"--key {row.hex()} --column {shown_column} --value '{value.hex()}' --json"
    keys = json.loads(ok(f"explain {name} {words}"))["keys"]
    (cell,) = (key["cell"] for key in keys if key["table"] == table.name and key["row"] == row.hex() and "cell" in key)
    assert cell["column"] == shown_column
    records = json.loads(json.dumps([attrs.asdict(record) for record in table.records(row, cells)], default=bytes.hex))
    for record in records:  # a cell of a mapping shows its keys
        record |= {key: one for value in record.values() if isinstance(value, dict) for key, one in value.items()}
    for of_one in cell["values"]:
        shown = {name: value for name, value in of_one.items() if name in records[0]}
        assert shown in [{name: record[name] for name in shown} for record in records]
        assert shown or set(of_one) == {"revision", "revision_ms"}


@each_variant
def test_ddl_as_json_has_the_families_the_points_and_the_reason_of_every_table(ok, name):
    tables = json.loads(ok(f"ddl {name} --json"))["tables"]
    statements = ok(f"ddl {name}")
    declared = physical_tables(BY_NAME[name][1].tables)
    assert [table["name"] for table in tables] == [design.name for design in declared]
    for table, design in zip(tables, declared, strict=True):
        for family, options in design.families.items():
            settings = {"ttl_seconds": None, "bloom": "ROW", "compression": "NONE", "block_size_bytes": 65536}
            settings |= {"max_versions": options.max_versions, "keep_tombstones_ms": options.keep_tombstones_ms}
            assert table["families"][family] == settings
        assert table["families"].keys() == design.families.keys()
        assert [bytes.fromhex(point) for point in table["splits"]] == [*design.splits.points]
        assert table["reason"] == design.splits.reason
        assert f"# {design.splits.reason}\ncreate '{design.name}', " in statements


def test_the_most_points_that_can_be_asked_for_are_stated_in_lines_of_a_screen(ok):
    statement = ok("ddl orders:hashed-number --splits 1023").partition("\n]\n")[0]
    assert len({*re.findall(r"'\\x\S+'", statement)}) == 1023
    assert max(map(len, statement.splitlines()[1:])) <= 100
