"""What `rowbook scan` writes of each design and variant, as lines of JSON, CSV and Parquet: the same records again."""

import json
import shlex
from contextlib import closing
from pathlib import Path

import attrs
import pytest

from domains.documents import Document, DocumentRepository
from domains.documents.keys import TABLES
from domains.reservations import Hotel
from domains.reservations.hotel import TABLES as HOTEL_TABLES
from shared.command_line.stored_records import sorted_records
from shared.command_line.stored_records.exporting import COPY, _assembled, _of_table, _whole
from shared.command_line.stored_records.live_tables import Unreadable
from shared.command_line.stored_records.sorted_records import sorted_by
from shared.designs import load_samples
from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables
from tests.designs import all_designs
from tests.few_designs import FEW
from tests.shared.command_line.running import run

from .hostile_samples import hostile_designs

HOSTILE = hostile_designs()
DESIGNS = [HOSTILE.get(design.name, design) for design in all_designs()]
VARIANTS = {
    design.name if variant.name == design.name else f"{design.name}:{variant.name}": (design, variant)
    for design in DESIGNS
    for variant in design.variants
}
NAMES = [pytest.param(name, marks=() if name in FEW else pytest.mark.long) for name in VARIANTS]
MORE_WRITES = {
    "orders": ("erase", "b-3"),
    "links": ("erase", "o-8"),
    "sessions": ("remove_ended", "north", parse_time("2026-01-20")),
}
"""What is called after the samples are stored, by design: it leaves None, and numbers that are missing."""
WITHOUT_LINES = {
    "logs:random": "events",
    "counters:increment": "logins",
    "counters:sharded": "logins",
    "messages": "messages",
    "messages:by-pair": "messages",
    "profiles:one-cell": "orders",
    "profiles:versions": "orders",
    "profiles:slots": "orders",
    "changes:published": "changes",
    "catalog:chosen-codes": "products",
    "catalog:numbered-codes": "products",
    "links": "clicks",
}
"""The loads that no line of a file holds, by variant."""
FORMS = {"jsonl": "--format jsonl", "csv": "--format csv", "parquet": "--format parquet", "own": ""}
"""The file's ending for each form of lines, and the option that chooses the form."""


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def rowbook(words, code=0):
    ended = run(shlex.split(words))
    assert ended.code == code, f"{words}: {ended.err}"
    return ended


def records_of(name, load, table, url):
    """The records of a load in a store, as `scan --lines` reads them."""
    unreadable = Unreadable()
    if table is None:
        design, variant = VARIANTS[name]
        source = _assembled(design, variant, load.export, [], url, None, unreadable)
    else:
        source = _of_table(name, load, table, [], url, None, unreadable)
    with source as (records, _notes):
        found = sorted(records, key=repr)
    assert not unreadable.number
    return found


@pytest.mark.parametrize("name", NAMES)
def test_what_scan_writes_is_stored_again_in_an_empty_store(name):
    design, variant = VARIANTS[name]
    with closing(connect("embedded:a.db")) as connection:
        create_tables(connection, variant.tables)
        repository = load_samples(connection, design, variant)
        method, *arguments = MORE_WRITES.get(design.name, ("none",))
        if not hasattr(repository, method):
            method = ""
        else:
            assert getattr(repository, method)(*arguments) is not None
    tables = {load.name: [None] if load.export else _whole(name, load) for load in design.loads}
    written = {load: tables[load.name][:1] for load in design.loads}
    for form in FORMS:
        write_again(name, written, form)
        for load, (table,) in ((load, some) for load, some in written.items() if some):
            before = records_of(name, load, table, "embedded:a.db")
            assert len(before) > 10
            assert method != "erase" or any(None in attrs.astuple(record) for record in before)
            assert records_of(name, load, table, f"embedded:{form}.db") == before, form
    for load in design.loads:
        for number, table in enumerate(tables[load.name][1:]):
            write_again(name, {load: [table]}, "jsonl", url := f"embedded:{load.name}-{number}.db")
            assert records_of(name, load, table, url) == records_of(name, load, table, "embedded:a.db"), table


def write_again(name, tables, form, url=None):
    """Writes the records of loads, each in some tables, and stores them in an empty store, one load after the other."""
    for load, some in tables.items():
        for table in some:
            option, restore = FORMS[form], "" if load.restore is None else "--restore"
            scan = f"scan {name} {table or ''} --lines --as {load.name} {option}"
            rowbook(f"{scan} --to {load.name}.{form} --store embedded:a.db")
            stored = f"--as {load.name} --allow-expired --store {url or f'embedded:{form}.db'}"
            rowbook(f"load {name} {load.name}.{form} {restore} {stored}")


@pytest.mark.parametrize("name", NAMES)
def test_a_table_as_csv_or_parquet_is_stored_again_unless_scan_names_another_way(name):
    design, variant = VARIANTS[name]
    with closing(connect("embedded:a.db")) as connection:
        create_tables(connection, variant.tables)
        load_samples(connection, design, variant)
    for load in design.loads:
        for number, table in enumerate([] if load.export else _whole(name, load)):
            for option, path in (("--csv", f"{number}.csv"), (f"--parquet {number}.parquet", f"{number}.parquet")):
                ended = rowbook(f"scan {name} {table} {option} --limit all --store embedded:a.db")
                if ended.err:
                    assert ended.err.startswith(f"for rowbook load, write {load.name} as lines")
                    assert ended.err.endswith(f": rowbook scan {name} {table} --as {load.name} --lines\n")
                    assert load.lines_by or load.lines_of
                    continue
                if option == "--csv":
                    Path(path).write_text(ended.out, encoding="utf-8", newline="")
                stored = f"embedded:{path}.db"
                rowbook(f"load {name} {path} --as {load.name} --allow-expired --store {stored}")
                assert records_of(name, load, table, stored) == records_of(name, load, table, "embedded:a.db")


def test_a_load_without_lines_says_why_and_names_what_takes_it_to_another_store():
    refused = {}
    for name, (design, _variant) in VARIANTS.items():
        for load in design.loads:
            if load.export is None and not _whole(name, load):
                message = rowbook(f"scan {name} --lines --as {load.name} --store embedded:a.db", 2).err
                assert message.startswith(f"--lines: {name} cannot write its {load.name}, because ")
                assert message.endswith(f"; {COPY}\n")
                refused[name] = load.name
    assert refused == WITHOUT_LINES


def test_a_document_in_parts_and_a_room_without_bookings_are_left_out_and_counted():
    with closing(connect("embedded:a.db")) as connection:
        create_tables(connection, (*TABLES, *HOTEL_TABLES))
        documents = DocumentRepository(connection)
        documents.store(Document("acme", "small", {"a": 1}, 5))
        documents.store_in_parts(Document("acme", "large", {"a": 1}, 5))
        Hotel(connection).open_room("inn", "1")
    ended = rowbook("scan documents --lines --store embedded:a.db", 1)
    assert [json.loads(line)["document_id"] for line in ended.out.splitlines()] == ["small"]
    left_out = "1 record cannot be written, the first is document 'large' of 'acme', because it is in parts\n"
    assert ended.err.startswith(left_out)
    ended = rowbook("scan reservations --lines --store embedded:a.db", 1)
    assert ended.err == "1 record cannot be written, the first is room '1' of 'inn', because it has no bookings\n"


def test_documents_are_restored_only_where_none_is_stored():
    lines = {}
    for revision in (2, 3):
        document = Document("acme", "a", {"revision": revision}, 5, revision, edit=bytes([revision] * 8))
        values = attrs.asdict(document) | {"edit": document.edit.hex()}
        lines[revision] = Path(f"{revision}.jsonl")
        lines[revision].write_text(json.dumps(values), encoding="utf-8")
    store = "--store embedded:a.db"
    refused = "2.jsonl:1: Document.revision: document 'a' of 'acme' is not stored, so the next one must be 1 (got 2)"
    advice = "--restore takes what scan --lines wrote; --on-error skip continues; 0 records stored before"
    assert rowbook(f"load documents 2.jsonl {store}", 1).err == f"{refused}; {advice}\n"
    for path, code in (("2.jsonl", 0), ("2.jsonl", 0), ("3.jsonl", 0), ("2.jsonl", 0)):
        rowbook(f"load documents {path} --restore {store}", code)
    assert rowbook("load documents 2.jsonl --restore --store embedded:b.db").out
    rowbook("load documents 3.jsonl --restore --store embedded:c.db")
    refused = "Document.revision: document 'a' of 'acme' is stored with revision 3, so the next one must be 4 (got 2)"
    assert refused in rowbook("load documents 2.jsonl --restore --store embedded:c.db", 1).err
    needless = "--restore: leave it out, because orders need no restoring\n"
    assert rowbook(f"load orders 2.jsonl --restore {store}", 2).err == needless


def test_many_records_are_sorted_in_files(monkeypatch):
    monkeypatch.setattr(sorted_records, "SORTED_AT_ONCE", 3)
    for count in range(11):
        documents = [Document("acme", str(number * 7 % 10), {}, 5) for number in range(count)]
        in_order = sorted(documents, key=lambda document: document.document_id)
        assert [*sorted_by(("owner", "document_id"), documents)] == in_order
