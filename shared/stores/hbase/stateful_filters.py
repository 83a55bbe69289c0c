"""Filters whose results depend on earlier rows: a scan with one cannot continue without its scanner."""

from ..filters.combined import Combined, Skip, While
from ..filters.counting_filters import ColumnCountGetFilter, PageFilter
from ..filters.filter import Filter
from ..filters.language import parse_filter
from ..filters.row_filters import InclusiveStopFilter
from ..thrift1.errors import UncheckedError

_STATEFUL_FILTERS = (PageFilter, While, InclusiveStopFilter, ColumnCountGetFilter)


def keeps_state(text: bytes | str) -> bool:
    """Whether a filter's results depend on earlier rows; a filter that cannot be parsed may."""
    try:
        return _is_stateful(parse_filter(text.encode() if isinstance(text, str) else bytes(text)))
    except UncheckedError:
        return True


def _is_stateful(filter: Filter) -> bool:
    if isinstance(filter, Combined):
        return any(map(_is_stateful, filter.filters))
    return isinstance(filter, _STATEFUL_FILTERS) or (isinstance(filter, Skip) and _is_stateful(filter.filter))
