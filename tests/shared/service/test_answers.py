"""The answers of a service: pages that join by their URLs, and the status of each error."""

import json

import pytest
from Hbase_thrift import IllegalArgument
from Hbase_thrift import IOError as HBaseIOError
from thriftpy2.transport import TTransportException

from shared.intents import UnknownOutcome
from shared.keys import InvalidKey, InvalidQuestion
from shared.queries import Page, Query
from shared.service import NotFound, json_answer, json_refusal
from shared.stores import DeadlineExceeded, InvalidStoreURL, OutcomeUnknown, ScanBroken, Unreachable
from shared.tables import InvalidRecord, InvalidRow, LayoutMismatch, UnfilledList
from shared.writes import ClockSkew, NotAllStored
from shared.writes.dictionaries import NameTaken, UnknownName


class Conflict(ValueError):
    """An error of a design."""


class UnknownThing(ValueError):
    """Another one."""


OWN = {Conflict: 409, UnknownThing: 404}


def not_all_stored(cause: Exception) -> NotAllStored:
    error = NotAllStored(3, [], str(cause))
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("x"), 404),
        (UnknownThing("x"), 404),
        (UnknownName("x"), 404),
        (Conflict("x"), 409),
        (NameTaken("x"), 409),
        (InvalidKey("x"), 422),
        (InvalidQuestion("x"), 422),
        (InvalidRecord("x"), 422),
        (ValueError("x"), 422),
        (InvalidRow("t", b"r", "x"), 500),
        (LayoutMismatch("x"), 500),
        (UnfilledList("x"), 500),
        (HBaseIOError(b"a region is moving"), 503),
        (Unreachable("x"), 503),
        (OutcomeUnknown("x"), 503),
        (UnknownOutcome("x"), 503),
        (ScanBroken("x"), 503),
        (TimeoutError("x"), 503),
        (TTransportException(message="x"), 503),
        (HBaseIOError(b"org.apache.hadoop.hbase.TableNotFoundException: t"), 500),
        (IllegalArgument(b"x"), 500),
        (InvalidStoreURL("x"), 500),
        (ClockSkew("x"), 503),
        (DeadlineExceeded("x"), 504),
        (not_all_stored(Conflict("x")), 409),
        (not_all_stored(DeadlineExceeded("x")), 504),
        (not_all_stored(RuntimeError("x")), 500),
        (RuntimeError("x"), 500),
    ],
)
def test_each_error_has_a_status_and_one_line_and_says_if_the_same_request_may_come_again(error, status) -> None:
    answered, text = json_refusal(error, OWN)
    refusal = json.loads(text)
    assert (answered, "retry" in refusal) == (status, status in (503, 504))
    assert "\n" not in refusal["error"]


def test_what_hbase_would_refuse_again_is_no_reason_to_try_again() -> None:
    denied = HBaseIOError(b"org.apache.hadoop.hbase.security.AccessDeniedException: no right\n\tat java.lang")
    denied.canRetry = False
    status, text = json_refusal(denied, {})
    assert (status, json.loads(text)) == (
        500,
        {"error": "org.apache.hadoop.hbase.security.AccessDeniedException: no right"},
    )


def test_a_count_of_unknown_outcome_is_not_to_be_sent_again() -> None:
    _status, text = json_refusal(
        OutcomeUnknown("increment: outcome unknown: not sent again, because it would count twice"), {}
    )
    assert "retry" not in json.loads(text)


def test_what_nobody_expects_is_not_told_and_what_a_request_has_said_is_no_error_of_hbase() -> None:
    assert json_refusal(RuntimeError("a secret"), {}) == (500, '{"error": "internal error: the log says more"}')
    assert json_refusal(ValueError("HBase refuses: is unknown \ud800"), {})[0] == 422


class OfLaterRelease(Query):
    """A question whose page has a row that a later release has written."""

    def __init__(self) -> None:
        """Asks nothing."""

    def page(self, limit=100, cursor=None):
        return Page([], "next", 1, unknown=(InvalidRow("t", b"r", "unknown status"),))


def test_rows_that_a_page_leaves_out_are_counted() -> None:
    assert json_answer(OfLaterRelease(), url_of="/q?cursor={}".format) == (
        '{"records": [], "next": "/q?cursor=next", "left_out": 1}'
    )


def test_values_that_json_has_not_are_shown_as_records_are_read() -> None:
    assert json_answer({"tie": b"\0\xff", "number": 7}) == '{"tie": "00ff", "number": 7}'
    with pytest.raises(NotFound):
        json_answer(None)
