"""`rowbook load` of designs that store many records in few calls: which do, bad records, and which may not."""

import json

import attrs
import pytest

from domains.counters import LoginRepository
from domains.logs import LogRepository
from tests.designs import all_designs
from tests.few_designs import few_of

MANY = ("store_all", "report_all", "place_all", "send_all", "follow_all", "post_all")
"""Methods that store many records in few calls."""
AT_ONCE = [design for design in all_designs() for load in design.loads if load.store_all is not None]
FIELDS = {
    design.name: {
        field.name: getattr(next(design.loads[0].sample_records()), field.name)
        for field in attrs.fields(design.loads[0].record)
        if field.default is attrs.NOTHING
    }
    for design in AT_ONCE
    if design.names_in_key is None  # otherwise a long name fits the key, as its number
}
"""A record of each design that stores many at once, as a JSON line."""


def json_lines(folder, name, *texts):
    """A file of records whose first fields are these texts, the times 1 ms apart; returns its name."""
    field = next(iter(FIELDS[name]))
    records = [FIELDS[name] | {field: text, "time_ms": number} for number, text in enumerate(texts)]
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return "a.jsonl"


def test_a_design_declares_that_it_stores_many_at_once_wherever_its_repository_does(new_store):
    for design in all_designs():
        for variant in design.variants:
            repository = variant.open(new_store(*variant.tables))
            declared = {load.store_all.__name__ for load in design.loads if load.store_all is not None}
            stores_many = {name for name in MANY if hasattr(repository, name)}
            assert stores_many <= declared, variant.name
            assert declared == stores_many or variant is not design.main, variant.name


@pytest.mark.parametrize("name", few_of(dict.fromkeys(design.name for design in AT_ONCE)))
def test_samples_are_stored_at_once(ok, new_url, cut_designs, monkeypatch, name):
    design = cut_designs[name]
    url = new_url(*design.main.tables)
    for load in design.loads:
        monkeypatch.setattr(getattr(design.repository, "func", design.repository), load.store.__name__, None)
        (file,) = json.loads(ok(f"load {name} {load.samples} --as {load.name} --store {url} --json"))["files"]
        assert file["stored"] == len(list(load.sample_records()))


@pytest.mark.parametrize("name", few_of(FIELDS))
def test_a_record_that_cannot_be_stored_is_named_by_its_line_and_reason(rowbook, folder, name):
    file = json_lines(folder, name, "a", "b", "c" * 40_000, "d")
    code, _out, err = rowbook(f"load {name} {file} --store embedded:a.db")
    assert (code, err.partition(" ")[0]) == (1, "a.jsonl:3:")
    assert "32767" in err.replace(",", "")
    assert err.endswith("; --on-error skip continues; 2 records stored before\n")
    code, out, err = rowbook(f"load {name} {file} --store embedded:a.db --on-error skip")
    assert (code, out) == (0, "a.jsonl: jsonl, 3 records stored, 1 bad line skipped\n")
    assert err.startswith("a.jsonl:3: ")


@pytest.mark.parametrize("variant", ["logs:random", "counters:increment", "counters:sharded"])
def test_what_is_another_record_if_it_is_stored_again_is_stored_one_by_one(ok, folder, monkeypatch, variant):
    for repository in (LogRepository, LoginRepository):
        monkeypatch.setattr(repository, "store_all", None)
    file = json_lines(folder, variant.partition(":")[0], "a", "b")
    assert ok(f"load {variant} {file} --store embedded:a.db").endswith(" 2 records stored\n")
