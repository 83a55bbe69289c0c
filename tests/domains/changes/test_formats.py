"""The lines of a tool for change data capture as changes: their order in a commit, what is refused; a real file."""

import json
from collections import Counter

import pytest

from domains.changes import TABLES, Change, ChangeRepository
from domains.changes.formats import FORMATS
from shared.loading import read_lines, read_records
from shared.records import parse_time
from tests.copies import ROOT
from tests.domains.test_real_files import REAL

PEOPLE = ROOT / "fixtures" / "changes" / "people.jsonl"


def lines_of(tmp_path, *lines):
    path = tmp_path / "cdc.jsonl"
    path.write_text("".join(line if type(line) is str else json.dumps(line) + "\n" for line in lines), "utf-8")
    return [*read_lines(path, Change, formats=FORMATS)]


def test_each_line_is_a_change_and_those_that_delete_come_first_in_a_commit():
    changes = [*read_records(PEOPLE, Change, FORMATS)]
    assert [(change.position, change.key, change.kind) for change in changes] == [
        (3, "p-1", "INSERT"),
        (6, "p-2", "INSERT"),
        (9, "p-12", "INSERT"),
        (12, "p-1", "UPDATE"),
        (15, "p-12", "UPDATE"),
        (18, "p-2", "DELETE"),  # with the position of the line before
        (21, "p-2", "INSERT"),
        (24, "p-12", "DELETE"),
        (27, "p-2", "UPDATE"),
    ]
    at_ms, values = parse_time("2026-01-13T13:00:00Z"), {"dir": "lower", "name": "Ann", "city": "Bern"}
    assert changes[5] == Change("crm", 18, "people", "p-2", "DELETE", at_ms, "c-3", values)
    assert changes[8].values == {"city": None}


GOOD = {"seq": 7, "table": "crm.people", "key": "p-1", "op": "c", "commit": "c-1"}
NAMES = "seq, table, key, op, commit, commit_ts, before, after"
GOOD |= {"commit_ts": "2026-01-12T09:00:00Z", "before": None, "after": {"city": "Bern"}}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"table": "people"}, "table: must be a database and a table, such as crm.people (got 'people')"),
        ({"op": "x"}, "op: must be one of c, u, d (got 'x')"),
        ({"op": ["c"]}, "op: must be one of c, u, d (got ['c'])"),
        ({"seq": "7"}, "seq: must be an int (got '7')"),
        ({"seq": 0, "commit": "c-0"}, "Change.position: must be 1..9223372036854775806 (got 0)"),
        ({"key": 7.5}, "Change.key: must be text (got 7.5)"),
        ({"after": "Bern"}, "Change.values: must be an object of values by name (got 'Bern')"),
        ({"commit": None}, "Change.transaction: must be text (got None)"),
        ({"commit_ts": "soon"}, "Change.time_ms: "),
        *((line, f"must be a JSON object with {NAMES} (got '{line.strip()}')") for line in ("-- cut --\n", "[7]\n")),
    ],
)
def test_a_line_that_is_no_change_is_refused_with_the_reason_and_the_others_are_read(tmp_path, wrong, reason):
    line = wrong if isinstance(wrong, str) else {**GOOD, "seq": 8, **wrong}
    before, refused, after = lines_of(tmp_path, GOOD, line, {**GOOD, "seq": 9, "commit": "c-2"})
    assert (before.record.position, refused.number, after.record.position) == (7, 2, 9)
    assert refused.reason.startswith(reason)


@pytest.mark.long
@pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")
def test_a_real_log_has_863_changes_of_307_records_and_ends_with_288_as_its_source_has_them(new_store):
    """In the order of its lines it would end with 287: a person who moved is listed as created, then as deleted."""
    path = REAL / "cdc" / "openstates_pr_people_cdc.jsonl"
    changes = [*read_records(path, Change, FORMATS)]
    assert (len(changes), len({change.key for change in changes})) == (863, 307)
    assert Counter(change.kind for change in changes) == {"INSERT": 411, "UPDATE": 329, "DELETE": 123}
    records = {}
    for change in changes:
        if change.kind == "DELETE":
            del records[change.key]  # which exists
        else:
            assert (change.key in records) == (change.kind == "UPDATE")
            records[change.key] = {**records.get(change.key, {}), **change.values}
    repository = ChangeRepository(new_store(*TABLES))
    assert repository.store_all(changes) == 863
    assert {state.key: dict(state.values) for state in repository.states("pr", "people")} == records
    assert len(records) == 288
    assert repository.copies.feed("pr", "people") == 863
    assert [*repository.copies.records("pr", "people")] == repository.states("pr", "people")
    assert [*repository.upkeep.verify()] == []
