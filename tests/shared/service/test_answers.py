"""The answers of a service: pages that join by their URLs, and the status of each error."""

import json
import re

import attrs
import pytest
from Hbase_thrift import IllegalArgument
from Hbase_thrift import IOError as HBaseIOError
from thriftpy2.transport import TTransportException

from shared.intents import UnknownOutcome
from shared.keys import InvalidKey, InvalidQuestion
from shared.queries import Page, Query
from shared.records import text
from shared.service import NotFound, json_answer, json_refusal
from shared.stores import DeadlineExceeded, InvalidStoreURL, OutcomeUnknown, ScanBroken, Unreachable
from shared.tables import InvalidRecord, InvalidRow, LayoutMismatch, UnfilledList
from shared.writes import ClockSkew, Expired, NotAllStored
from shared.writes.dictionaries import NameTaken, UnknownName
from shared.writes.expiring import ExpiredRecord


class Conflict(ValueError):
    """An error of a design."""


class UnknownThing(ValueError):
    """Another one."""


OWN = {Conflict: 409, UnknownThing: 404}


@attrs.frozen
class Seat:
    row: str = attrs.field(validator=attrs.validators.in_(["a"]))


@attrs.frozen
class Named:
    name: str = attrs.field(validator=text())


def refusal_of(record: type, value: str) -> Exception:
    """What the validators of a record raise, maybe within a method of a repository."""
    try:
        record(value)
    except ValueError as error:
        return error
    raise AssertionError


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
        (refusal_of(Seat, "b"), 422),
        (refusal_of(Named, ""), 422),
        (Expired("Login", 1, {0: ExpiredRecord("logins", "l", 1, True)}, 1), 422),
        (ValueError("x"), 500),
        (ValueError(), 500),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), 500),
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


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OutcomeUnknown("hbase-1:9090: put of orders, row 6e 2d 31: no reply within 1 s"), 503),
        (DeadlineExceeded("hbase-1:9090: row of orders, row 6e 2d 31: late"), 504),
        (InvalidRow("orders", b"n-1", "damaged"), 500),
        (ValueError("of the code"), 500),
    ],
)
def test_the_log_says_what_failed_and_the_client_is_told_only_what_to_do(error, status, caplog) -> None:
    answered, text = json_refusal(error, {})
    assert answered == status
    assert not re.search("hbase-1|orders|6e 2d|of the code", text)
    (record,) = caplog.records
    assert record.getMessage() == f"{status}: {error}"
    assert record.exc_info == ((type(error), error, None) if status == 500 else None)


def test_what_the_client_has_to_mend_is_told_and_not_logged(caplog) -> None:
    assert json_refusal(refusal_of(Seat, "b"), {}) == (422, "{\"error\": \"'row' must be in ['a'] (got 'b')\"}")
    assert caplog.records == []


def test_what_hbase_would_refuse_again_is_no_reason_to_try_again() -> None:
    denied = HBaseIOError(b"org.apache.hadoop.hbase.security.AccessDeniedException: no right\n\tat java.lang")
    denied.canRetry = False
    status, text = json_refusal(denied, {})
    assert (status, json.loads(text)) == (500, {"error": "internal error: the log says more"})


def test_a_count_of_unknown_outcome_is_not_to_be_sent_again() -> None:
    _status, text = json_refusal(
        OutcomeUnknown("increment: outcome unknown: not sent again, because it would count twice"), {}
    )
    refusal = json.loads(text)
    assert ("retry" in refusal, "might count twice" in refusal["error"]) == (False, True)


def test_what_a_request_has_said_is_no_error_of_hbase() -> None:
    assert json_refusal(InvalidQuestion("HBase refuses: is unknown \ud800"), {})[0] == 422


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
