r"""Selections: the series that a question means, and the rows and hours in which their points are.

The time is before the tags in a row key, so a range of hours has the rows of all series of a metric. Region servers
leave out most unwanted rows: a `RowFilter` searches each row key for the UIDs of the requested tags.

    pair of tag and value       pattern
    00 00 01 00 00 02           \x00\x00\x01\x00\x00\x02
    00 00 01 00 00 80           \x00\x00\x01\x00\x00[^\x00-\x7f]+

Through Thrift1, HBase decodes the row key as UTF-8 before it searches: bytes 00 to 7f match themselves, bytes from 80
on may become any other letters. So the filter passes every wanted row and sometimes an unwanted one, and the client
compares the UIDs again.
"""

import re
from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Any

import attrs

from shared.keys import InvalidQuestion, Plan, any_of, between, shown
from shared.tables import BoundTable

from ..records import LAST_POINT_MS, SeriesPoint
from ..storage.annotations import tsuid_bytes
from ..storage.qualifiers import HOUR_MS
from ..storage.uids import Uids, UnknownUid
from .downsampling import Downsampling
from .query_text import SubQuery, TagFilter

MAX_FILTER_BYTES = 65_536
"""A longer filter is not sent: 2,620 values of a tag, by UIDs of three bytes. OpenTSDB has such a limit, too."""
FOREVER_MS = LAST_POINT_MS + 1


# ---- periods -------------------------------------------------------------------------------------


def check_period(since_ms: int, until_ms: int) -> None:
    """Raises InvalidQuestion for times that OpenTSDB's rows cannot hold, or in the wrong order."""
    for name, time_ms in (("since_ms", since_ms), ("until_ms", until_ms)):
        if type(time_ms) is not int or not 0 <= time_ms <= FOREVER_MS:
            raise InvalidQuestion(f"{name}: must be 0..{FOREVER_MS} (got {shown(time_ms)})")
    if since_ms > until_ms:
        raise InvalidQuestion(f"until_ms: must be {since_ms} or more, because since_ms is (got {until_ms})")


def whole_hours(since_ms: int, until_ms: int) -> tuple[int, int]:
    """The hours that a period touches, from the start of the first to the end of the last; at most `FOREVER_MS`."""
    return since_ms - since_ms % HOUR_MS, min(until_ms + -until_ms % HOUR_MS, FOREVER_MS)


def hours_read(how: Downsampling | None, since_ms: int, until_ms: int) -> tuple[int, int]:
    """The hours that OpenTSDB reads for a period: rates and interpolation at its ends need points outside of it.

    It reads one more hour if the period ends on a full hour, or in the last second before one. If it downsamples, it
    reads to the end of the interval that has the end of the period, and then to the end of that hour.
    """
    since_s, until_s = since_ms // 1000, -(-until_ms // 1000)
    if how is None:
        until_s += 1
    else:
        since_s -= since_s * 1000 % how.every_ms // 1000
        until_s += (how.every_ms - until_s * 1000 % how.every_ms) // 1000
    return whole_hours(max(since_s, 0) * 1000, until_s * 1000)


def hours_between(since_ms: int, until_ms: int) -> Any:
    """The condition of a row key for the hours that a period touches. Raises InvalidQuestion."""
    check_period(since_ms, until_ms)
    first_ms, end_ms = whole_hours(since_ms, until_ms)
    return between(first_ms, None if end_ms > LAST_POINT_MS else end_ms)


# ---- series --------------------------------------------------------------------------------------


@attrs.frozen
class Selection:
    """Some series of one metric in a period: their rows, and the filters that drop other series in these rows."""

    metric: str
    metric_uid: bytes
    plan: Plan
    has_uids: Callable[[bytes], bool]
    """Whether the tags of a row, by their UIDs, may be those of a selected series."""
    row_filter: bytes | None = None
    """The filter on the servers: every wanted row passes, and perhaps others."""
    filters: tuple[TagFilter, ...] = ()
    """Filters that need the names of the tags, which the client compares."""

    def matching(self, uids: Uids, series: Iterable[bytes]) -> dict[bytes, dict[str, str]]:
        """The names of the tags of the series that are selected, by the UIDs of their tags. Raises UnknownUid.

        Costs: two calls for each 1,000 names that are not remembered.
        """
        names = uids.names_of_tags(series)
        return {pairs: tags for pairs, tags in names.items() if all(one.matches(tags) for one in self.filters)}

    def filter_with(self, other: bytes) -> bytes:
        """The filter of the rows, and another one."""
        return other if self.row_filter is None else self.row_filter + b" AND " + other

    def tsuid(self, tag_uids: bytes) -> str:
        """The TSUID of one of its series."""
        return (self.metric_uid + tag_uids).hex().upper()


def series_of_filters(
    points: BoundTable[Any, SeriesPoint],
    uids: Uids,
    metric: str,
    filters: Iterable[TagFilter],
    since_ms: int,
    until_ms: int,
    *,
    explicit_tags: bool = False,
) -> Selection | None:
    """The series of a metric that match all filters; None if a name that all of them need has no UID.

    Literal filters on one tag together select the values of any of them. With `explicit_tags` and at least one filter,
    the series must have the tags of the filters and no others.
    """
    hours = hours_between(since_ms, until_ms)
    metric_uid = uids.metrics.id_of(metric)
    if metric_uid is None:
        return None
    filters = tuple(filters)
    literals: dict[str, list[str]] = {}
    for filter in filters:
        if filter.literals is not None:
            literals.setdefault(filter.tag, []).extend(filter.literals)
    tags = uids.tag_names.ids_of({filter.tag for filter in filters})
    wanted: list[set[bytes]] = []
    for name, texts in literals.items():
        values = uids.tag_values.ids_of(texts).values()
        if name not in tags or not values:
            return None
        wanted.append({tags[name] + value for value in values})
    just = {*tags.values()} if explicit_tags else set[bytes]()

    @cache  # a series has a row in each hour
    def has_uids(pairs: bytes) -> bool:
        tags_of_series = uids.split(pairs)
        pairs_of_series = {tag + value for tag, value in tags_of_series.items()}
        has_tags = not just or just == {*tags_of_series}
        return has_tags and not any(pairs_of_tag.isdisjoint(pairs_of_series) for pairs_of_tag in wanted)

    plan = points.plan(metric_uid=metric_uid, time_ms=hours)
    by_name = tuple(filter for filter in filters if filter.literals is None)
    return Selection(metric, metric_uid, plan, has_uids, row_filter(wanted), by_name)


def unknown_names(uids: Uids, sub_query: SubQuery) -> list[str]:
    """The names of a sub-query that have no UID, such as `metric 'requests' has no UID`: no series has them.

    Of tag values, only those that a `literal_or` names are looked up.
    """
    named = [("metric", uids.metrics, [sub_query.metric] if sub_query.metric else [])]
    named += [("tag", uids.tag_names, [filter.tag for filter in sub_query.filters])]
    named += [("tag value", uids.tag_values, [text for filter in sub_query.filters for text in filter.literals or ()])]
    unknown: list[str] = []
    for what, dictionary, names in named:
        known = dictionary.ids_of(names)
        unknown += [f"{what} {shown(name)} has no UID" for name in dict.fromkeys(names) if name not in known]
    return unknown


def series_of_tsuids(
    points: BoundTable[Any, SeriesPoint], uids: Uids, tsuids: Collection[str], since_ms: int, until_ms: int
) -> Selection:
    """The series of these TSUIDs, which are of one metric. Raises InvalidQuestion, and UnknownUid for its metric."""
    hours = hours_between(since_ms, until_ms)
    metric_bytes = uids.metrics.id_bytes
    series = [tsuid_bytes(tsuid) for tsuid in tsuids]
    metric_uids = {uids_of_series[:metric_bytes] for uids_of_series in series}
    if len(metric_uids) != 1:
        raise InvalidQuestion(f"tsuids: must be of one metric (got {len(metric_uids)} metrics)")
    (metric_uid,) = metric_uids
    metric = uids.metrics.name_of(metric_uid)
    if metric is None:
        raise UnknownUid(f"{uids.metrics.kind}: must be a UID with a name (got {metric_uid.hex(' ')})")
    wanted = {uids_of_series[metric_bytes:] for uids_of_series in series}
    which = any_of(sorted(wanted)) if len(wanted) > 1 else min(wanted)
    plan = points.narrow(metric_uid=metric_uid, time_ms=hours, tag_uids=which)
    return Selection(metric, metric_uid, plan, wanted.__contains__, row_filter([wanted]))


def row_filter(wanted: Collection[Collection[bytes]]) -> bytes | None:
    """The filter of the rows whose key holds one of each of these collections; None if empty or too long."""
    patterns = ["|".join(sorted(set(map(_pattern, alternatives)))) for alternatives in wanted]
    text = " AND ".join(f"RowFilter(=, 'regexstring:{pattern}')" for pattern in patterns).encode()
    return text if 0 < len(text) <= MAX_FILTER_BYTES else None


def _pattern(uids: bytes) -> str:
    """A Java pattern that finds these bytes in any text of UTF-8 that holds them."""
    runs = re.findall(rb"[\x00-\x7f]+|[\x80-\xff]+", uids)
    return "".join("[^\\x00-\\x7f]+" if run[0] > 0x7F else "".join(f"\\x{byte:02x}" for byte in run) for run in runs)
