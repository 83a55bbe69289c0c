"""The judge of row keys: what an answer costs, and which answers cannot be used."""

import json

import pytest

from tests.programs.problems import BEST, SOLVED, best_of, judge
from tests.programs.problems.judging import InvalidAnswer, TableKey, judged
from tests.programs.problems.searching import best_keys
from tests.programs.problems.stated import problems

PROBLEMS = {problem.name: problem for problem in problems()}
RECORDED = json.loads(BEST.read_text(encoding="utf-8"))


def keys_of(name, *tables):
    return [TableKey.of(PROBLEMS[name], table) for table in tables]


def test_thirty_problems_have_their_best_keys():
    assert len(PROBLEMS) == 30
    assert [*RECORDED] == [*PROBLEMS]


QUICK = ("short-links", "mail", "tickets", "ticks")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in RECORDED]
)
def test_the_recorded_keys_cost_what_is_recorded(name):
    problem, recorded = PROBLEMS[name], RECORDED[name]
    keys = keys_of(name, *recorded["tables"])
    assert best_of(problem, keys) == recorded


@pytest.mark.parametrize("name", ["fleet-logs", pytest.param("trips", marks=pytest.mark.long)])
def test_the_search_finds_the_recorded_keys_again(name):
    assert best_of(PROBLEMS[name], best_keys(PROBLEMS[name])) == RECORDED[name]


def test_a_key_that_starts_with_the_time_takes_all_writes_in_one_range():
    (fault,) = judged(PROBLEMS["fleet-logs"], keys_of("fleet-logs", {"key": ["time_ms", "event_id"]})).faults
    assert fault == "[time_ms][event_id] has 40,000 writes a second in one range"


def test_a_key_without_the_unique_field_loses_records():
    (fault,) = judged(PROBLEMS["likes"], keys_of("likes", {"key": ["post"]})).faults
    assert "records: their rows are equal" in fault


def test_a_key_that_changes_cannot_be_the_only_one():
    result = judged(PROBLEMS["leaderboard"], keys_of("leaderboard", {"key": ["season", "-score", "player"]}))
    assert result.faults == ["every key holds a field that changes, so no row decides"]


def test_a_list_in_the_order_of_the_question_reads_its_first_rows_only():
    newest, oldest = ({"key": ["room", field, "message_id"]} for field in ("-time_ms", "time_ms"))
    costs = [judged(PROBLEMS["chat-room"], keys_of("chat-room", table)).cost for table in (newest, oldest)]
    assert costs[0] < costs[1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("host", "host-logs: a table must have a key, a list of fields (got 'host')"),
        ({"key": ["Host"]}, "host-logs: must be one of host, level, time_ms, event_id (got 'Host')"),
        ({"key": ["host", "-host"]}, "host-logs: a key has each field once, a salt is of one of them"),
        ({"key": ["host"], "salt": "level"}, "host-logs: a key has each field once, a salt is of one of them"),
    ],
)
def test_a_wrong_table_is_refused(table, message):
    with pytest.raises(InvalidAnswer) as refused:
        keys_of("host-logs", table)
    assert str(refused.value).startswith(message)


def test_the_recorded_keys_solve_the_problem_and_a_missing_answer_is_named():
    name = "fleet-logs"
    lines = [*judge({name: RECORDED[name]["tables"]})]
    assert f"{name}: 1.00 times the best cost, 1 tables" in lines
    assert "ticks: must be a list of tables (got None)" in lines
    assert lines[-1] == f"1 of 30 solved: at most {SOLVED} times the best cost"
