"""Times as text: what a person types and reads, for milliseconds since 1970-01-01 UTC."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def parse_time(text: str) -> int:
    """Milliseconds of an ISO 8601 time, of `2017-06-23 21:05:06 UTC`, or of integer milliseconds.

    A time without zone is UTC. Digits below the millisecond are refused, not cut off.
    """
    text = text.strip()
    if text.removeprefix("-").isascii() and text.removeprefix("-").isdigit():
        return int(text)
    given = text.removesuffix("UTC").rstrip()
    try:
        moment = datetime.fromisoformat(given)
        if moment.tzinfo and given != text:
            raise ValueError("two zones")
    except ValueError:
        example = "2017-06-23T21:05:06.000Z, 2017-06-23 21:05:06 UTC or 1498251906000"
        raise ValueError(f"must be a time such as {example} (got {text!r:.100})") from None
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    # fromisoformat cuts off what is below the microsecond, so the text is looked at too.
    if since % _MILLISECOND or re.search(r"[.,]\d{6}\d*[1-9]", given):
        raise ValueError(f"must be a time in whole milliseconds (got {text!r})")
    return since // _MILLISECOND


def show_time(at_ms: int) -> str:
    """ISO 8601 in UTC with milliseconds; the plain number where the year has more than four digits."""
    try:
        moment = _EPOCH + at_ms * _MILLISECOND
    except OverflowError:
        return str(at_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
