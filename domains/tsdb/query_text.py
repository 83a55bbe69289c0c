"""OpenTSDB's query text, such as `sum:1h-avg:rate:requests{host=*}{dc=lga|sjc}`, as values.

    aggregator : downsampling : rate : metric {group by} {filter}

Downsampling and rate may be missing. Tags in the first braces are filters whose values make groups; those in the second
braces only filter.

    {host=web-1}    web-1 only                  {host=web-1|web-2}           one of both
    {host=*}        any series with this tag    {host=web-*}                 the value starts so, in any case
    {host=KIND(X)}  KIND is literal_or, iliteral_or, not_literal_or, not_iliteral_or, wildcard, iwildcard or regexp

Series may be named instead, as OpenTSDB's `tsuid=` does: `tsuid=sum:1h-avg:000001000001000001,000001000001000002`.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property

import attrs

from shared.keys import InvalidQuestion, shown
from shared.records import check_text

from .aggregation import AGGREGATORS, Downsampling, Fill, Rate, one_of

NONE = "none"
"""The aggregator that leaves every series as it is."""
UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
FILLS: dict[str, Fill] = {"none": "none", "nan": "nan", "null": "nan", "zero": "zero"}


def _literals(text: str) -> Callable[[str], bool]:
    wanted = frozenset(text.split("|"))
    return wanted.__contains__


def _wildcard(text: str, flags: re.RegexFlag = re.NOFLAG) -> Callable[[str], bool]:
    pattern = re.compile(".*".join(map(re.escape, text.split("*"))), flags | re.DOTALL)
    return lambda value: pattern.fullmatch(value) is not None


def _regexp(text: str) -> Callable[[str], bool]:
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise InvalidQuestion(f"regexp: {error} (got {shown(text)})") from None
    return lambda value: pattern.search(value) is not None


def _folded(matcher: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda value: matcher(value.casefold())


_MATCHERS: dict[str, Callable[[str], Callable[[str], bool]]] = {
    "literal_or": _literals,
    "not_literal_or": _literals,
    "iliteral_or": lambda text: _folded(_literals(text.casefold())),
    "not_iliteral_or": lambda text: _folded(_literals(text.casefold())),
    "wildcard": _wildcard,
    "iwildcard": lambda text: _wildcard(text, re.IGNORECASE),
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
        one_of(self.tag, self.kind, _MATCHERS)
        check_text("tag", self.tag)
        check_text(self.tag, self.text)
        if not self.text:
            raise InvalidQuestion(f"{self.tag}: needs a value (got none)")
        self._matches  # noqa: B018  # a pattern that is wrong is refused at once

    @cached_property
    def _matches(self) -> Callable[[str], bool]:
        return _MATCHERS[self.kind](self.text)

    @property
    def literals(self) -> list[str] | None:
        """All values that match; None if only the names of the values can tell."""
        return self.text.split("|") if self.kind == "literal_or" else None

    def matches(self, tags: Mapping[str, str]) -> bool:
        """Whether a series with these tags is selected. A `not_` filter also matches series without the tag."""
        value = tags.get(self.tag)
        if self.kind.startswith("not_"):
            return value is None or not self._matches(value)
        return value is not None and self._matches(value)


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

    def __attrs_post_init__(self) -> None:
        one_of("aggregator", self.aggregator, [*AGGREGATORS, NONE])
        if bool(self.metric) == bool(self.tsuids) or (self.tsuids and self.filters):
            raise InvalidQuestion("SubQuery: needs a metric, whose series may be filtered, or TSUIDs")

    @property
    def grouped_tags(self) -> tuple[str, ...]:
        """The tags whose values make groups."""
        return tuple(dict.fromkeys(filter_.tag for filter_ in self.filters if filter_.is_grouped))


_OF_TSUIDS = "tsuid="
_SUB_QUERY = re.compile(r"(?P<steps>.*:)?(?P<metric>[^:{}]+)(?:\{(?P<grouped>[^{}]*)\})?(?:\{(?P<filtered>[^{}]*)\})?")


def parse_query(text: str) -> SubQuery:
    """The sub-query of OpenTSDB's query text, as in `m=` of its `/api/query`, or a `tsuid=`. Raises InvalidQuestion."""
    check_text("m", text)
    match = _SUB_QUERY.fullmatch(text.removeprefix(_OF_TSUIDS))
    if not match:
        raise InvalidQuestion(f"m: must be such as sum:1h-avg:rate:requests{{host=*}} (got {shown(text)})")
    aggregator, *steps = (match["steps"] or f"{NONE}:").removesuffix(":").split(":")
    downsampling: Downsampling | None = None
    rate: Rate | None = None
    for step in steps:
        if step.startswith("rate"):
            rate = _parse_rate(step)
        elif downsampling is None and rate is None:
            downsampling = parse_downsampling(step)
        else:
            raise InvalidQuestion(f"m: must be aggregator:downsampling:rate:metric (got {shown(text)})")
    filters = _parse_filters(match["grouped"] or "", is_grouped=True)
    filters += _parse_filters(match["filtered"] or "", is_grouped=False)
    if text.startswith(_OF_TSUIDS):
        return SubQuery("", aggregator, filters, downsampling, rate, tuple(match["metric"].split(",")))
    return SubQuery(match["metric"], aggregator, filters, downsampling, rate)


def parse_downsampling(text: str) -> Downsampling:
    """The downsampling of a text such as `1h-avg` or `30s-sum-zero`. Raises InvalidQuestion."""
    match = re.fullmatch(r"([0-9]{1,9})(ms|[smhdw])-([a-z]+)(?:-([a-z]+))?", text)
    if not match or (match[4] or "none") not in FILLS:
        raise InvalidQuestion(f"downsampling: must be such as 1h-avg, 30s-sum-zero or 1d-max-nan (got {shown(text)})")
    by = {"zimsum": "sum", "mimmin": "min", "mimmax": "max"}.get(match[3], match[3])
    return Downsampling(int(match[1]) * UNITS_MS[match[2]], by, FILLS[match[4] or "none"])


def _parse_rate(text: str) -> Rate:
    match = re.fullmatch(r"rate(?:\{(counter|dropcounter)(?:,([0-9]*))?(?:,([0-9]+))?\})?", text)
    if not match:
        raise InvalidQuestion(f"rate: must be rate or rate{{counter,MAX,RESET}} (got {shown(text)})")
    if match[1] is None:
        return Rate()
    largest = {"max": int(match[2])} if match[2] else {}
    return Rate(is_counter=True, reset=float(match[3] or 0), drops_resets=match[1] == "dropcounter", **largest)


def _parse_filters(text: str, *, is_grouped: bool) -> tuple[TagFilter, ...]:
    filters: list[TagFilter] = []
    for word in filter(None, re.split(r",(?![^(]*\))", text)):
        tag, equals, value = word.partition("=")
        if not equals or not tag or not value:
            raise InvalidQuestion(f"m: a filter must be tag=value (got {shown(word)})")
        if call := re.fullmatch(r"([a-z_]+)\((.*)\)", value):
            kind, value = call[1], call[2]
        else:  # OpenTSDB ignores case here
            kind = "literal_or" if "*" not in value else "wildcard" if value == "*" else "iwildcard"
        filters.append(TagFilter(tag, kind, value, is_grouped))
    return tuple(filters)
