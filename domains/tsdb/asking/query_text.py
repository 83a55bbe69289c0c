"""OpenTSDB's query text, such as `sum:1h-avg:rate:requests{host=*}{dc=lga|sjc}`, as values.

    aggregator : downsampling : rate : explicit_tags : metric {group by} {filter}

The steps between aggregator and metric are optional and may be in any order: a series is always downsampled before its
rate is computed. Filters in the first braces also group the series by the values of their tags; those in the second
braces only filter. With `explicit_tags` a series must have the tags of the filters and no others.

    {host=web-1}    web-1 only                  {host=web-1|web-2}           either of them
    {host=*}        any series with this tag    {host=web-*}                 values that start so, in any case
    {host=KIND(X)}  KIND is literal_or, iliteral_or, not_literal_or, not_iliteral_or, wildcard, iwildcard or regexp,
                    in any case

A series without the tag never matches, `not_` filters included. Several `literal_or` of one tag select the values of
any of them; other filters of one tag must all match.

`tsuid=` names series by their UIDs instead: `tsuid=sum:1h-avg:000001000001000001,000001000001000002`. Several questions
are joined as in a URL: `sum:requests&m=max:load{host=*}`.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import cached_property

import attrs

from shared.keys import InvalidQuestion, shown
from shared.records import check_one_of, check_text
from shared.records.lengths import UNIT_LENGTHS_MS

from ..records import LAST_INT
from .aggregation import AGGREGATORS
from .calendars import CALENDAR_UNITS
from .downsampling import Downsampling, Fill
from .rates import Rate

NONE = "none"
"""The aggregator that leaves every series as it is."""
SEARCH_S = 0.1
"""How long `regexp` may search one value. A pattern such as `(a|a)*$` may need hours, and `re` would need them without
a deadline, while all other threads wait."""
MAX_REPEATS = 10_000
"""The largest product of the counts of a pattern, as in `a{100}`: the module `regex` writes such repeats out."""
FILLS: dict[str, Fill] = {"none": "none", "nan": "nan", "null": "nan", "zero": "zero"}


def _values(text: str) -> list[str]:
    """The values of a text such as `a|b`. As in Java, empty ones at its end do not count."""
    without_end = text.rstrip("|")
    return without_end.split("|") if without_end else []


def _literals(text: str) -> Callable[[str], bool]:
    if text == "|":
        raise InvalidQuestion("literal_or: needs a value (got '|')")
    return frozenset(_values(text)).__contains__


def _wildcard(text: str) -> Callable[[str], bool]:
    """A function that tells whether a value has the parts between the asterisks, as OpenTSDB compares them.

    a*     starts with a        *a     ends with a        *a*    has an a
    a*b    has an a, and a b that is not in the first place: "xab" matches, too
    *a*b   ends with b, and has an a
    """
    if "*" not in text:
        raise InvalidQuestion(f"wildcard: must have an asterisk (got {shown(text)})")
    parts = text.strip("*").split("*")
    is_end = text.startswith("*") and not text.endswith("*")
    is_start = text.endswith("*") and not text.startswith("*")

    def matches(value: str) -> bool:
        if (is_end and not value.endswith(parts[-1])) or (is_start and not value.startswith(parts[0])):
            return False
        at = 0
        for part in parts:
            if value.find(part, at) < 0:
                return False
            at += len(part)
        return True

    return matches


def _regexp(text: str) -> Callable[[str], bool]:
    import regex  # only this kind of filter needs it

    try:
        re.compile(text)  # refuses what only the module regex knows
        if math.prod(max(int(count), 1) for count in re.findall(r"\{([0-9]+)", text)) > MAX_REPEATS:
            raise InvalidQuestion(f"regexp: its counts must multiply to {MAX_REPEATS} at most (got {shown(text)})")
        pattern = regex.compile(text, regex.VERSION0 | regex.ASCII, cache_pattern=False)
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        raise InvalidQuestion(f"regexp: {error} (got {shown(text)})") from None

    def matches(value: str) -> bool:
        try:
            return pattern.search(value, timeout=SEARCH_S, concurrent=True) is not None
        except TimeoutError:
            wanted = f"must search each value within {SEARCH_S} s"
            raise InvalidQuestion(f"regexp: {wanted} (got {shown(text)} and the value {shown(value)})") from None

    return matches


def _folded(matcher: Callable[[str], bool]) -> Callable[[str], bool]:
    """The same matcher in any case: both sides in lower case, as in Java. So `STRASSE` is not `stra\u00dfe`."""
    return lambda value: matcher(value.lower())


_MATCHERS: dict[str, Callable[[str], Callable[[str], bool]]] = {
    "literal_or": _literals,
    "not_literal_or": _literals,
    "iliteral_or": lambda text: _folded(_literals(text.lower())),
    "not_iliteral_or": lambda text: _folded(_literals(text.lower())),
    "wildcard": _wildcard,
    "iwildcard": lambda text: _folded(_wildcard(text.lower())),
    "regexp": _regexp,
}


FILTER_KINDS = tuple(_MATCHERS)
"""The kinds of filters, as in `{host=KIND(X)}`."""


@attrs.frozen(slots=False)
class TagFilter:
    """The series that a sub-query selects, by the value of one tag."""

    tag: str
    kind: str
    text: str
    is_grouped: bool = False
    """Whether series with different values are aggregated separately."""

    def __attrs_post_init__(self) -> None:
        check_one_of(self.tag, self.kind, *_MATCHERS)
        check_text("tag", self.tag)
        check_text(self.tag, self.text)
        if not self.text:
            raise InvalidQuestion(f"{self.tag}: needs a value (got none)")
        if "" in (self.literals or ()):
            raise InvalidQuestion(f"{self.tag}: no value may be empty (got {shown(self.text)})")
        self._matches  # noqa: B018  # a pattern that is wrong is refused at once

    @cached_property
    def _matches(self) -> Callable[[str], bool]:
        return _MATCHERS[self.kind](self.text)

    @property
    def literals(self) -> list[str] | None:
        """All values that match; None if only a look at each value can tell."""
        return _values(self.text) if self.kind == "literal_or" else None

    def matches(self, tags: Mapping[str, str]) -> bool:
        """Whether a series with these tags is selected: it has the tag, and its value is as the filter says."""
        value = tags.get(self.tag)
        return value is not None and self._matches(value) != self.kind.startswith("not_")


@attrs.frozen
class SubQuery:
    """A question about series of one metric: those that match the filters, or those with these TSUIDs."""

    metric: str = ""
    aggregator: str = NONE
    filters: tuple[TagFilter, ...] = ()
    downsampling: Downsampling | None = None
    rate: Rate | None = None
    tsuids: tuple[str, ...] = ()
    """UIDs of metric and tags in hex, of either case."""
    explicit_tags: bool = False
    """Whether a series must have just the tags that are filtered. Without filters it changes nothing."""

    def __attrs_post_init__(self) -> None:
        check_one_of("aggregator", self.aggregator, *AGGREGATORS, NONE)
        if bool(self.metric) == bool(self.tsuids) or (self.tsuids and self.filters):
            raise InvalidQuestion("SubQuery: needs a metric, whose series may be filtered, or TSUIDs")

    @property
    def grouped_tags(self) -> tuple[str, ...]:
        """The tags whose values make groups."""
        return tuple(dict.fromkeys(filter_.tag for filter_ in self.filters if filter_.is_grouped))


_OF_TSUIDS = "tsuid="
_NEXT = re.compile("&(?:m=|(?=tsuid=))")
_SUB_QUERY = re.compile(r"(?P<steps>.*:)?(?P<metric>[^:{}]+)(?:\{(?P<grouped>[^{}]*)\})?(?:\{(?P<filtered>[^{}]*)\})?")
_DOWNSAMPLING = re.compile(f"([0-9]{{1,9}})({'|'.join(UNIT_LENGTHS_MS)})(c?)-([a-z]+)(?:-([a-z]+))?")


def parse_queries(text: str) -> list[SubQuery]:
    """The sub-queries of query texts that are joined by `&m=` or `&tsuid=`, equal ones once. Raises InvalidQuestion."""
    check_text("m", text)
    return list(dict.fromkeys(map(parse_query, _NEXT.split(text))))


def parse_query(text: str) -> SubQuery:
    """The sub-query of OpenTSDB's query text, as in `m=` of its `/api/query`, or a `tsuid=`. Raises InvalidQuestion."""
    check_text("m", text)
    match = _SUB_QUERY.fullmatch(text.removeprefix(_OF_TSUIDS))
    if not match:
        raise InvalidQuestion(f"m: must be such as sum:1h-avg:rate:requests{{host=*}} (got {shown(text)})")
    aggregator, *steps = (match["steps"] or f"{NONE}:").removesuffix(":").split(":")
    downsampling: Downsampling | None = None
    rate: Rate | None = None
    explicit_tags = False
    for step in steps:
        if step.startswith("rate") and rate is None:
            rate = _parse_rate(step)
        elif step == "explicit_tags":
            explicit_tags = True
        elif not step.startswith("rate") and downsampling is None:
            downsampling = parse_downsampling(step)
        else:
            raise InvalidQuestion(f"m: must have one downsampling and one rate at most (got {shown(text)})")
    filters = _parse_filters(match["grouped"] or "", is_grouped=True)
    filters += _parse_filters(match["filtered"] or "", is_grouped=False)
    names_series = text.startswith(_OF_TSUIDS)
    return SubQuery(
        "" if names_series else match["metric"],
        aggregator,
        filters,
        downsampling,
        rate,
        tuple(match["metric"].split(",")) if names_series else (),
        explicit_tags,
    )


def parse_series(text: str) -> SubQuery:
    """Series of a metric, such as `requests` or `requests{host=web-1}`: only filters. Raises InvalidQuestion."""
    series = parse_query(text)
    if not series.metric or series != SubQuery(series.metric, filters=series.filters):
        raise InvalidQuestion(f"m: must be a metric, maybe with filters: requests{{host=web-1}} (got {shown(text)})")
    return series


def parse_downsampling(text: str) -> Downsampling:
    """The downsampling of a text such as `1h-avg`, `30s-sum-zero` or `1nc-max`. Raises InvalidQuestion."""
    match = _DOWNSAMPLING.fullmatch(text)
    if not match or (match[5] or "none") not in FILLS:
        example = "1h-avg, 30s-sum-zero, 1d-max-nan or, of the calendar, 1nc-sum"
        raise InvalidQuestion(f"downsampling: must be such as {example} (got {shown(text)})")
    count, unit = int(match[1]), match[2]
    by = {"zimsum": "sum", "mimmin": "min", "mimmax": "max"}.get(match[4], match[4])
    calendar = CALENDAR_UNITS[unit] if match[3] else None
    return Downsampling(count * UNIT_LENGTHS_MS[unit], by, FILLS[match[5] or "none"], calendar, count)


def _parse_rate(text: str) -> Rate:
    match = re.fullmatch(r"rate(?:\{(counter|dropcounter)(?:,([0-9]*))?(?:,([0-9]+))?\})?", text)
    numbers = [int(number or 0) for number in match.groups()[1:]] if match else []
    if not match or any(number > LAST_INT for number in numbers):
        wanted = f"rate or rate{{counter,MAX,RESET}} with numbers up to {LAST_INT}"
        raise InvalidQuestion(f"rate: must be {wanted} (got {shown(text)})")
    if match[1] is None:
        return Rate()
    largest = {"max": numbers[0]} if match[2] else {}
    return Rate(is_counter=True, reset=float(numbers[1]), drops_resets=match[1] == "dropcounter", **largest)


def _parse_filters(text: str, *, is_grouped: bool) -> tuple[TagFilter, ...]:
    filters: list[TagFilter] = []
    for word in filter(None, re.split(r",(?![^(]*\))", text)):
        tag, equals, value = word.partition("=")
        if not equals or not tag or not value:
            raise InvalidQuestion(f"m: a filter must be tag=value (got {shown(word)})")
        kind, is_call, inside = value.partition("(")
        if is_call:
            if not inside.endswith(")"):
                raise InvalidQuestion(f"{tag}: must be KIND(X) (got {shown(value)})")
            kind, value = kind.lower(), inside[:-1]
        else:  # OpenTSDB ignores case if there is a part before or after the asterisk
            kind = "literal_or" if "*" not in value else "wildcard" if value == "*" else "iwildcard"
        filters.append(TagFilter(tag, kind, value, is_grouped))
    return tuple(filters)
