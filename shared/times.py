"""Times as text: what a person types and reads, for milliseconds since 1970-01-01 UTC."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_INTEGER = re.compile("[+-]?[0-9]{1,4300}")  # Python reads no more digits
# What fromisoformat reads, with T or one blank between date and time, where that takes any character.
_ISO = re.compile(r"((?:\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d(?:-?\d)?)(?:[T ]\S+?)??)( ?UTC)?", re.ASCII)


def parse_time(text: str) -> int:
    """Milliseconds of an ISO 8601 time, of `2017-06-23 21:05:06 UTC`, or of integer milliseconds.

    A time without zone is UTC. Digits below the millisecond are refused, not cut off. So is a date of eight digits:
    as milliseconds, 20170623 would be in the morning of 1970-01-01.
    """
    moment = _moment(text)
    if _INTEGER.fullmatch(text):
        if moment:
            date = moment.date().isoformat()
            raise ValueError(f"must be {date} for that day, or +{text} for milliseconds (got {text!r})")
        return int(text)
    if moment is None:
        example = "2017-06-23T21:05:06.000Z, 2017-06-23 21:05:06 UTC or 1498251906000"
        raise ValueError(f"must be a time such as {example} (got {text!r:.100})")
    since = moment - _EPOCH
    # fromisoformat cuts off what is below the microsecond, so the text is looked at too.
    if since % _MILLISECOND or re.search(r"[.,]\d{6}\d*[1-9]", text):
        raise ValueError(f"must be a time in whole milliseconds (got {text!r:.100})")
    return since // _MILLISECOND


def _moment(text: str) -> datetime | None:
    """The time that an ISO 8601 text says, or none."""
    found = _ISO.fullmatch(text)
    if not found:
        return None
    try:
        moment = datetime.fromisoformat(found[1])
    except ValueError:
        return None
    if moment.tzinfo:
        return None if found[2] else moment  # with two zones, none
    return moment.replace(tzinfo=UTC)


def show_time(at_ms: int) -> str:
    """ISO 8601 in UTC with milliseconds; the plain number where the year has more than four digits."""
    try:
        moment = _EPOCH + at_ms * _MILLISECOND
    except OverflowError:
        return str(at_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
