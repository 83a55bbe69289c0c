"""The comparison of random calls: it notices what is wrong, says it shortly, and finds nothing on a real HBase."""

import os
import secrets
from random import Random

import pytest

from shared.stores.thrift1.idl import Thrift1
from tests.programs.compare.comparing import Comparison, sequence
from tests.programs.compare.filters import names
from tests.programs.compare.generating import LEFT_OUT, Generator
from tests.programs.compare.operations import FLUSH, Moment, Operation, is_random, written
from tests.programs.compare.places import KINDS, Embedded, RealHBase
from tests.programs.compare.planted import DEFECTS, Planted
from tests.programs.compare.running import run
from tests.programs.hbase.stores import named_with

OPERATIONS_ON_HBASE = 10_000


QUICK = {"the timestamp of a read is inclusive", "the stop of a scan is inclusive"}


@pytest.mark.parametrize(
    "defect",
    [pytest.param(one, marks=() if one.name in QUICK else pytest.mark.long, id=one.name) for one in DEFECTS],
)
def test_a_planted_defect_is_noticed_and_shown_in_a_few_operations(defect):
    comparison = Comparison(Embedded(), Planted(defect), "planted", shortening_s=20)
    (difference,) = comparison.run(5_000).differences
    assert len(difference.answered) <= 6
    assert str(difference.answered[-1].operation) in str(difference)


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
    assert not tally.differences, "\n".join(map(str, tally.differences))


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


def test_no_sequence_has_all_that_a_fault_of_hbase_needs():
    for number in range(60):
        operations = sequence(f"fault/{number}")[1]
        assert not all(any(map(is_part, operations)) for is_part in LEFT_OUT)


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
