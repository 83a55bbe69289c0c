"""The comparison of random calls: it notices what is wrong, says it shortly, and finds nothing on a real HBase."""

import os
import secrets
from pathlib import Path
from random import Random

import attrs
import pytest

from shared.stores.thrift1.idl import Thrift1
from tests.conformance.cases import read_cases
from tests.conformance.running import run as run_case
from tests.conformance.targets import InProcess
from tests.programs.compare.answers import Cell, Row
from tests.programs.compare.comparing import Comparison, sequence
from tests.programs.compare.filters import Combined, Single, names
from tests.programs.compare.generating import Generator
from tests.programs.compare.known import explanation
from tests.programs.compare.operations import FLUSH, Moment, Operation, is_random, written
from tests.programs.compare.places import KINDS, Embedded, RealHBase
from tests.programs.compare.planted import DEFECTS, Planted
from tests.programs.compare.running import Answered, run
from tests.programs.compare.writing import as_case
from tests.programs.hbase.stores import named_with

OPERATIONS_ON_HBASE = 10_000


QUICK = {"the timestamp of a read is inclusive", "the stop of a scan is inclusive"}


@pytest.mark.parametrize(
    "defect",
    [pytest.param(one, marks=() if one.name in QUICK else pytest.mark.long, id=one.name) for one in DEFECTS],
)
def test_a_planted_defect_is_noticed_and_shown_as_a_short_case_that_an_intact_store_passes(defect, tmp_path: Path):
    comparison = Comparison(Embedded(), Planted(defect), "planted", shrinking_s=20)
    (difference,) = comparison.run(5_000).differences
    assert len(difference.answered) <= 6

    text = as_case(difference, defect.name).replace('"section"', '"1.1"')
    (tmp_path / "found.toml").write_text(text, encoding="utf-8")
    (case,) = read_cases(tmp_path)
    with InProcess().store(case) as store:
        run_case(case, store)


def test_a_store_does_not_differ_from_itself():
    tally = Comparison(Embedded(), Embedded(), "itself").run(300)
    assert (tally.differences, tally.known.total()) == ([], 0)


@pytest.mark.hbase
def test_random_calls_have_the_same_answers_on_hbase():
    reference = RealHBase(named_with("thrift2_port"))
    seed = "ci" if "CI" in os.environ else secrets.token_hex(3)
    try:
        tally = Comparison(reference, Embedded(), seed).run(OPERATIONS_ON_HBASE, threads=4)
    finally:
        reference.close()
    assert not tally.differences, "\n".join(as_case(difference, "embedded") for difference in tally.differences)


# What is generated


def test_a_seed_makes_the_same_sequence_again():
    assert sequence("seed/1") == sequence("seed/1") != sequence("seed/2")


def test_every_call_about_rows_and_every_filter_is_generated():
    operations = [operation for number in range(200) for operation in sequence(f"all/{number}")[1]]
    about_tables = {name for name in Thrift1.thrift_services if "Table" in name or "Region" in name or "ompact" in name}
    others = {"getColumnDescriptors", "getThriftServerType", "getClusterId", "getRowOrBefore"}  # HBase lacks the last
    generated_calls = {operation.call for operation in operations}
    assert generated_calls == set(Thrift1.thrift_services) - about_tables - others | set(FLUSH)

    filter_names = {
        name
        for operation in operations
        if operation.filter and type(operation.filter) is not bytes
        for name in names(operation.filter)
    }
    assert len(filter_names) == 19 + len(("AND", "OR", "SKIP", "WHILE"))


def deletion(column: bytes) -> dict[str, object]:
    return {"isDelete": True, "column": column}


def batch(row: bytes, *mutations: dict[str, object]) -> dict[str, object]:
    return {"row": row, "mutations": [*mutations]}


def test_what_hbase_does_by_chance_is_not_generated():
    assert is_random(Operation("mutateRow", batch(b"r", deletion(b"d"), {"column": b"d:a", "value": b"1"})))
    generated = [
        operation for number in range(20) for operation in Generator(Random(number), KINDS["one family"]).operations(40)
    ]
    assert not any(map(is_random, generated))


def test_it_is_known_of_every_operation_what_it_writes_to():
    generated = [operation for number in range(60) for operation in sequence(f"written/{number}")[1]]
    calls = {operation.call for operation in generated if written(operation)}
    assert calls == {operation.call for operation in generated if operation.is_write}


# How it runs


def test_a_moment_lies_between_two_writes():
    put = Operation("mutateRow", batch(b"r", {"column": b"d:a", "value": b"1"}))
    last, before = (Operation("getRowTs", {"row": b"r", "timestamp": Moment(back)}) for back in (0, 1))
    operations = [put, last, put, last, before]
    answers = [answered.reference for answered in run(operations, KINDS["one family"], Embedded(), Embedded())]
    assert [[cell.time for row in answers[index] for _, cell in row.cells] for index in (1, 3, 4)] == [[], ["t1"], []]


def puts(column: bytes, timestamp: int | None = None) -> Operation:
    arguments = batch(b"r", {"column": column, "value": b"1"})
    if timestamp is None:
        return Operation("mutateRow", arguments)
    return Operation("mutateRowTs", arguments | {"timestamp": timestamp})


def deletes(timestamp: int) -> Operation:
    return Operation("deleteAllRowTs", {"row": b"r", "timestamp": timestamp})


def rows(*given: tuple[bytes, bytes, int]) -> list[Row]:
    return [Row(key, ((column, Cell(b"1", time)),), in_order=False) for key, column, time in given]


FAULT = [puts(b"d:", 3), puts(b"d:a", 2), deletes(2)]
COUNTER = Operation("atomicIncrement", {"row": b"r", "column": b"d", "value": 1})


@pytest.mark.parametrize(
    ("before", "is_known"),
    [
        (FAULT, True),
        (FAULT[::-1], True),
        ([puts(b"d:"), *FAULT[1:]], True),
        ([COUNTER, *FAULT[1:]], True),
        ([puts(b"d:", 2), *FAULT[1:]], False),  # hidden itself
        ([puts(b"d:b", 3), *FAULT[1:]], False),
        ([puts(b"d:", 3), puts(b"d:a", 3), deletes(2)], False),  # nothing is hidden
        (FAULT[:2], False),
        ([*FAULT[:2], attrs.evolve(FAULT[2], table=b"nosuch")], False),
        ([*FAULT[:2], attrs.evolve(FAULT[2], arguments={"row": b"s", "timestamp": 2})], False),
        ([*FAULT[:2], Operation("deleteAllTs", {"row": b"r", "column": b"d:a", "timestamp": 2})], False),
    ],
)
def test_a_filter_that_seeks_is_known_to_differ_in_the_state_of_the_fault_alone(before, is_known):
    scan = Operation("scannerOpenWithScan", {"scan": {"filterString": Single("ColumnPrefixFilter", [b"a"])}})
    answered = Answered(scan, [rows((b"r", b"d:a", 2))], [[]])
    assert (explanation(before, answered, KINDS["one family"]) is not None) is is_known


@pytest.mark.parametrize(
    ("filter", "reference", "candidate", "is_known"),
    [
        ("ColumnPrefixFilter", rows((b"r", b"d:a", 2)), [], True),
        ("PrefixFilter", rows((b"r", b"d:a", 2)), [], False),
        (b"ColumnRangeFilter('a', fAlse, '', false)", rows((b"r", b"d:a", 2)), [], True),  # meant to be broken
        (b"ColumnRangeFilter('a', fAlse, '', false)", rows((b"s", b"d:a", 2)), [], False),
        ("ColumnPrefixFilter", [], rows((b"r", b"d:a", 2)), False),
        ("ColumnPrefixFilter", rows((b"r", b"d:a", 3)), [], False),  # not hidden
        ("ColumnPrefixFilter", rows((b"s", b"d:a", 2)), [], False),
    ],
)
def test_a_filter_that_seeks_is_known_to_show_what_was_hidden_and_nothing_else(filter, reference, candidate, is_known):
    asked = filter if isinstance(filter, bytes) else Single(filter, [b"a"])
    scan = Operation("scannerOpenWithScan", {"scan": {"filterString": asked}})
    answered = Answered(scan, [reference], [candidate])
    assert (explanation(FAULT, answered, KINDS["one family"]) is not None) is is_known


@pytest.mark.parametrize(
    ("row", "is_reversed", "is_known"),
    [(b"q", False, False), (b"q", True, True), (b"r", False, True), (b"s", False, True), (b"s", True, False)],
)
def test_below_other_filters_and_in_later_fetches_what_follows_the_row_may_differ(row, is_reversed, is_known):
    page = Combined("AND", [Single("ColumnPrefixFilter", [b"a"]), Single("PageFilter", [1])])
    for filter, opens in ((page, None), (Single("ColumnPrefixFilter", [b"a"]), "s1")):
        scan = Operation(
            "scannerOpenWithScan", {"scan": {"filterString": filter, "reversed": is_reversed}}, opens=opens
        )
        fetch = Operation("scannerGetList", {"id": "s1", "nbRows": 1}) if opens else scan
        before = [*FAULT, scan] if opens else FAULT
        for answers in (([], rows((row, b"d:a", 2))), (rows((row, b"d:a", 2)), [])):
            known = explanation(before, Answered(fetch, *answers), KINDS["one family"])
            assert (known is not None) is is_known
        assert not explanation(before[1:], Answered(fetch, rows((row, b"d:a", 2)), []), KINDS["one family"])
