"""The comparison of random calls: it notices what is wrong, says it shortly, and finds nothing on a real HBase."""

import os
import secrets
from pathlib import Path
from random import Random

import attrs
import pytest

from shared.stores.thrift1 import Thrift1
from tests.compare.answers import Cell, Row
from tests.compare.comparing import Comparison, sequence
from tests.compare.filters import Single, names
from tests.compare.generating import Generator
from tests.compare.known import explanation
from tests.compare.operations import FLUSH, Moment, Operation, is_random, written
from tests.compare.places import KINDS, Embedded, RealHBase
from tests.compare.planted import DEFECTS, Planted
from tests.compare.running import Answered, run
from tests.compare.writing import as_case
from tests.conformance.cases import read_cases
from tests.conformance.running import run as run_case
from tests.conformance.targets import InProcess
from tests.hbase.named import VARIABLE, named_hbase

OPERATIONS_ON_HBASE = 10_000


def named(defect):
    return defect.name


@pytest.mark.parametrize("defect", DEFECTS, ids=named)
def test_a_planted_defect_is_noticed_and_shown_as_a_short_case_that_an_intact_store_passes(defect, tmp_path: Path):
    comparison = Comparison(Embedded(), Planted(defect), "planted", shrinking_s=20)
    (difference,) = comparison.run(5_000).differences
    assert len(difference.answered) <= 6

    text = as_case(difference, defect.name).replace('section = "..."', 'section = "1.1"')
    (tmp_path / "found.toml").write_text(text, encoding="utf-8")
    (case,) = read_cases(tmp_path)
    with InProcess().store(case) as store:
        run_case(case, store)


def test_a_store_does_not_differ_from_itself():
    tally = Comparison(Embedded(), Embedded(), "itself").run(1_000)
    assert (tally.differences, tally.known.total()) == ([], 0)


def test_random_calls_have_the_same_answers_on_hbase():
    hbase = named_hbase()
    if hbase is None:
        pytest.skip(f"needs a real HBase: name one in {VARIABLE}, or start one with --hbase")
    reference = RealHBase(hbase)
    seed = "ci" if "CI" in os.environ else secrets.token_hex(3)
    try:
        tally = Comparison(reference, Embedded(), seed, reference.kinds).run(OPERATIONS_ON_HBASE, threads=4)
    finally:
        reference.close()
    assert not tally.differences, "\n".join(as_case(each, "embedded") for each in tally.differences)


# What is generated


def test_a_seed_makes_the_same_sequence_again():
    kinds = list(KINDS.values())
    assert sequence("seed/1", kinds) == sequence("seed/1", kinds)
    assert sequence("seed/1", kinds) != sequence("seed/2", kinds)


def test_every_call_about_rows_and_every_filter_is_generated():
    kinds = list(KINDS.values())
    operations = [each for number in range(500) for each in sequence(f"all/{number}", kinds)[1]]
    about_tables = {name for name in Thrift1.thrift_services if "Table" in name or "Region" in name or "ompact" in name}
    others = {"getColumnDescriptors", "getThriftServerType", "getClusterId", "getRowOrBefore"}  # HBase lacks the last
    assert {each.call for each in operations} == set(Thrift1.thrift_services) - about_tables - others | set(FLUSH)

    found = {
        name for each in operations if each.filter and type(each.filter) is not bytes for name in names(each.filter)
    }
    assert len(found) == 19 + len(("AND", "OR", "SKIP", "WHILE"))


@pytest.mark.parametrize(
    "operation",
    [
        Operation(
            "mutateRow",
            {"row": b"r", "mutations": [{"isDelete": True, "column": b"d"}, {"column": b"d:a", "value": b"1"}]},
        ),
        Operation(
            "mutateRows",
            {
                "rowBatches": [
                    {"row": b"r", "mutations": [{"isDelete": True, "column": b":"}]},
                    {"row": b"s", "mutations": [{"isDelete": True, "column": b"d"}]},
                ]
            },
        ),
        Operation("incrementRows", {"increments": [{"row": b"r", "column": b"d:a"}, {"row": b"r", "column": b"d:b"}]}),
    ],
    ids=lambda operation: operation.call,
)
def test_what_hbase_does_by_chance_is_not_generated(operation):
    assert is_random(operation)
    generated = [each for number in range(50) for each in Generator(Random(number), KINDS["one family"]).operations(40)]
    assert not any(map(is_random, generated))


def test_it_is_known_of_every_operation_what_it_writes_to():
    generated = [each for number in range(200) for each in sequence(f"written/{number}", list(KINDS.values()))[1]]
    calls = {each.call for each in generated if written(each)}
    assert calls == {each.call for each in generated if each.is_write}


# How it runs


def test_a_moment_lies_between_two_writes():
    put = {"row": b"r", "mutations": [{"column": b"d:a", "value": b"1"}]}
    operations = [
        Operation("mutateRow", put),
        Operation("getRowTs", {"row": b"r", "timestamp": Moment()}),
        Operation("mutateRow", put),
        Operation("getRowTs", {"row": b"r", "timestamp": Moment()}),
        Operation("getRowTs", {"row": b"r", "timestamp": Moment(1)}),
    ]
    answers = [each.reference for each in run(operations, KINDS["one family"], Embedded(), Embedded())]
    assert [[cell.time for row in answers[at] for _, cell in row.cells] for at in (1, 3, 4)] == [[], ["t1"], []]


def test_a_known_difference_is_recognised_only_with_its_cause():
    delete = Operation("deleteAllRow", {"row": b"r"})
    put = Operation("mutateRow", {"row": b"r", "mutations": [{"column": b"d:", "value": b"1"}]})
    more = [[Row(b"r", ((b"d:a", Cell(b"1", 1)),), in_order=False)]]
    scans = {
        name: Operation("scannerOpenWithScan", {"scan": {"filterString": Single(name, [b"a"])}})
        for name in ("ColumnPrefixFilter", "PrefixFilter")
    }
    kind = KINDS["one family"]
    assert explanation([put, delete], Answered(scans["ColumnPrefixFilter"], more, [[]]), kind)
    assert not explanation([put, delete], Answered(scans["ColumnPrefixFilter"], [[]], more), kind)
    assert not explanation([put, delete], Answered(scans["PrefixFilter"], more, [[]]), kind)
    opened = attrs.evolve(scans["ColumnPrefixFilter"], opens="s1")
    fetched = Answered(Operation("scannerGetList", {"id": "s1", "nbRows": 1}), [[]], more)
    assert explanation([put, delete, opened], fetched, kind)
    assert not explanation([delete, opened], fetched, kind)
    assert not explanation([put], Answered(scans["ColumnPrefixFilter"], more, [[]]), kind)
    assert not explanation([delete], Answered(scans["ColumnPrefixFilter"], more, [[]]), kind)
