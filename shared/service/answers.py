"""The answers of a service, as JSON: of a method of a repository, and of an error."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import happybase  # noqa: F401 # pyright: ignore[reportUnusedImport] - makes the module Hbase_thrift
from Hbase_thrift import IOError as HBaseIOError
from thriftpy2.thrift import TException
from thriftpy2.transport import TTransportException

from ..keys import InvalidKey, InvalidQuestion
from ..keys.errors import message_of
from ..queries import DependentQuery, Page, Query
from ..records.plain_values import json_of
from ..stores.outcomes.connection_errors import COUNTS, REFUSED, DeadlineExceeded, StoreError, first_line
from ..tables import InvalidRecord, InvalidRow, TableMismatch
from ..writes import ClockSkew, Expired, NotAllStored
from ..writes.dictionaries import IdTaken, NameTaken, UnknownName


class NotFound(ValueError):
    """No record has the key that was asked for."""


STATUSES: Mapping[type[Exception], int] = {
    NotFound: 404,
    UnknownName: 404,
    NameTaken: 409,
    IdTaken: 409,
    InvalidRow: 500,  # a stored row is damaged; `verify` finds it, too
    TableMismatch: 500,  # another layout has made the table, or a list of it is not filled yet
    StoreError: 500,  # the URL of the store, or its file
    InvalidKey: 422,
    InvalidQuestion: 422,
    InvalidRecord: 422,
    Expired: 422,
    DeadlineExceeded: 504,
    OSError: 503,  # no answer came in time: a write may be stored or not
    ClockSkew: 503,  # this machine's clock is wrong; another machine's may be right
    NotAllStored: 503,  # unless its cause has another one, which decides
    TTransportException: 503,  # the same, on a connection of happybase itself
    HBaseIOError: 503,  # a region is moving; but see `_NEVER`
    TException: 500,  # what HBase's gateway refuses
}
"""The HTTP status of each error; the first one that fits counts."""
_NEVER = (REFUSED, "TableNotFoundException", "NoSuchColumnFamilyException")
"""Words of an IOError of HBase after which the same call fails again; the field that says so may be missing."""
RETRY = "send the same request again: it is made once, unless others have changed the record since"
_WORDS = {
    500: "internal error: the log says more",
    503: "the store has not answered: a write may be stored or not",
    504: "the store has not answered before the deadline",
}
_COUNTED = "the store has not answered: it has counted or not, and the same request again might count twice"
_LOG = logging.getLogger(__name__)


def json_answer(
    value: Any, limit: int = 100, cursor: str | None = None, url_of: Callable[[str], str] = lambda cursor: cursor
) -> str:
    """What a method of a repository returns, as JSON. Raises NotFound for None.

    A query is asked for a page: `{"records": [...], "next": ...}`, where `next` is what `url_of` makes of the cursor of
    the next page, and null on the last one; `left_out` counts the rows that only a later release can read. Times are
    milliseconds, as in the record; bytes are hex.
    """
    if isinstance(value, Query | DependentQuery):
        page: Page[Any] = value.page(limit, cursor)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        left_out = {"left_out": len(page.unknown)} if page.unknown else {}
        url = None if page.cursor is None else url_of(page.cursor)
        return json_of({"records": page.records, "next": url, **left_out})
    if value is None:
        raise NotFound("no record has this key")
    return json_of(value)


def json_refusal(error: Exception, own: Mapping[type[Exception], int]) -> tuple[int, str]:
    """The HTTP status of an error, and one line as JSON, with what the client may do after a 503 or 504.

    `own` has the status of each error of the design, such as `{UnknownOrder: 404, OrderConflict: 409}`; any other error
    has that of `STATUSES`, or 500. The cause of `NotAllStored` decides. From 500 on, the answer does
    not say which host, table or row failed; the log does, with a traceback if the status is 500.
    """
    cause = error.__cause__ if isinstance(error, NotAllStored) else error
    status = next((status for of, status in [*own.items(), *STATUSES.items()] if isinstance(cause, of)), 500)
    line = first_line(error)
    if isinstance(cause, HBaseIOError) and (
        getattr(cause, "canRetry", None) is False or any(words in line for words in _NEVER)
    ):
        status = 500  # the same request would be refused again
    if isinstance(cause, ValueError) and any(isinstance(argument, attrs.Attribute) for argument in cause.args):
        status, line = 422, message_of(cause)  # a validator of attrs refuses a record
    if status < 500:
        return status, json_of({"error": line}, ascii_only=True)  # a request may have half a character
    _LOG.error("%d: %s", status, line, exc_info=error if status == 500 else None)
    again = {} if status == 500 or COUNTS in line else {"retry": RETRY}
    return status, json_of({"error": _COUNTED if COUNTS in line else _WORDS[status], **again})
