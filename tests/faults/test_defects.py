"""Defects that a client might have, put into the suite's own: the workload notices each."""

import pytest
from thriftpy2.thrift import TApplicationException

from shared.stores.hbase import calls, resumed_scans, retries, scan_sockets, sockets
from shared.stores.hbase import connection as hbase
from shared.stores.hbase.pool import Pool
from tests.programs.faults import reads, writes
from tests.programs.faults.plans import Plan
from tests.programs.faults.tally import Broken
from tests.programs.faults.workload import run


def broken_by(plan, *kinds, operations=300):
    """The promises that were broken in operations of these kinds."""
    return run(Plan(plan, 1), operations, kinds=dict.fromkeys(kinds, 1)).tally.broken


@pytest.mark.long
def test_a_socket_kept_after_a_timeout(monkeypatch):
    drop = Pool.drop

    def keep(pool, line):
        (Pool.give if line.is_usable() else drop)(pool, line)

    monkeypatch.setattr(Pool, "drop", keep)
    same_number = property(lambda line: 0, lambda line, number: None)
    monkeypatch.setattr(sockets.GatewaySocket, "_sequence_id", same_number, raising=False)
    # On a busy machine the late reply may be there too soon, and the put in the store before the test looks.
    assert any(broken_by("late", reads.get)[Broken.WRONG_ANSWER] for _ in range(20))
    assert any(broken_by("late", writes.put_dated)[Broken.EARLY_SUCCESS] for _ in range(20))


def take_another_socket(scans, scan, *_):
    """In place of a new scanner: the fetch is sent again."""
    shared = scan_sockets._SharedSocket(scans._sockets._pool.take())
    scan.scanner = scan_sockets.GatewayScanner(shared, scan.scanner.id)


SENT_AGAIN = [
    ("atomicIncrement", writes.count, Broken.WRONG_STATE),
    ("atomicIncrement", writes.count_with_others, Broken.WRONG_STATE),
    ("append", writes.append, Broken.WRONG_STATE),
    ("checkAndPut", writes.check_and_put, Broken.WRONG_ANSWER),
]
DEFECTS = {
    "a fetch sent again": (
        [(resumed_scans.ResumedScans, "_drop_scanner", take_another_socket)],
        ("cut-after", reads.scan, Broken.WRONG_ANSWER),
    ),
    "a scan that goes on with the row it had": (
        [(resumed_scans, "_next_start", lambda request, last: last)],
        ("cut-after", reads.scan, Broken.WRONG_ANSWER),
    ),
    "a scan that forgets the state of its filter": (
        [(resumed_scans, "_why_not_resumable", lambda scan: None)],
        ("cut-after", reads.scan_with_state, Broken.WRONG_ANSWER),
    ),
    "a socket closed after a declared exception": (
        [(hbase, "DECLARED", ())],
        ("expired", reads.get_from_no_family, Broken.DROPPED),
    ),
    "a socket kept after an undeclared exception": (
        [(scan_sockets, "DECLARED", (*calls.DECLARED, TApplicationException))],
        ("expired", reads.scan_with_nonsense, Broken.KEPT),
    ),
    "an idle socket that is not looked at": (
        [(sockets.GatewaySocket, "is_usable", lambda line: line.is_open)],
        ("idle", writes.count, Broken.UNKNOWN),
    ),
    "a dated write that is not sent again": (
        [
            (calls, "DATED_WRITES", frozenset()),
            (calls, "UNREPEATABLE", calls.UNREPEATABLE | {"mutateRowsTs": "for no reason"}),
        ],
        ("cut-after", writes.put_dated, Broken.UNKNOWN),
    ),
    "a read that is not sent again": (
        [(retries.Attempts, "_is_hopeless", lambda attempts, failure: True)],
        ("cut-after", reads.get, Broken.ERROR),
    ),
    "a failed connect that is not tried again": (
        [(retries.Attempts, "_is_hopeless", lambda attempts, failure: not failure.sent)],
        ("restart", writes.count, Broken.ERROR),
    ),
    **{
        f"{call} sent again in {kind.__name__}": (
            [(calls, "UNREPEATABLE", {name: why for name, why in calls.UNREPEATABLE.items() if name != call})],
            ("cut-after", kind, broken),
        )
        for call, kind, broken in SENT_AGAIN
    },
}
QUICK = {
    "a read that is not sent again",
    "a scan that goes on with the row it had",
    "a socket closed after a declared exception",
}


@pytest.mark.parametrize(
    "defect", [pytest.param(defect, marks=() if defect in QUICK else pytest.mark.long) for defect in DEFECTS]
)
def test_a_defect_breaks_its_promise(monkeypatch, defect):
    replaced, (plan, kind, broken) = DEFECTS[defect]
    for replacement in replaced:
        monkeypatch.setattr(*replacement)
    assert broken_by(plan, kind, operations=150)[broken]
