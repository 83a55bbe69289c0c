"""What `rowbook do tsdb` does with stored points: compaction and deletion, with series as OpenTSDB's query text.

And what `rowbook load --correct` does.
"""

from shared.designs import Action
from shared.keys import InvalidQuestion, shown
from shared.tables import InvalidRecord

from .compaction import CompactionResult
from .deleting import DeletionResult
from .query_text import parse_series
from .records import Point
from .repository import TsdbRepository
from .selecting import FOREVER_MS


def compact(repository: TsdbRepository, metric: str, since_ms: int = 0, until_ms: int = FOREVER_MS) -> CompactionResult:
    """One cell for each hour of a metric."""
    return repository.compact(metric, since_ms, until_ms)


def delete_points(repository: TsdbRepository, m: str, since_ms: int, until_ms: int) -> DeletionResult:
    """The points of a period, of the series that `m` names, such as `requests{host=web-1}`."""
    series = parse_series(m)
    return repository.delete_points(series.metric, series.filters, since_ms, until_ms)


def delete_series(repository: TsdbRepository, m: str) -> DeletionResult:
    """One series with all its points and annotations: `m` names all its tags."""
    series = parse_series(m)
    tags = {one.tag: one.text for one in series.filters if one.literals == [one.text]}
    if len(tags) < max(len(series.filters), 1):
        raise InvalidQuestion(
            f"m: must name one series by all its tags: requests{{dc=lga,host=web-1}} (got {shown(m)})"
        )
    return repository.delete_series(series.metric, tags)


def correct(repository: TsdbRepository, points: list[Point]) -> None:
    """Stores points in place of what the table holds for their times. Raises InvalidRecord if a row keeps more."""
    if repository.correct(points).left:
        raise InvalidRecord(
            "stored, but a compacted cell keeps another number of this time; compact it in ten minutes, with"
            " tsd.storage.fix_duplicates=true"
        )


ACTIONS = (
    Action("one cell for each hour of a metric that is over", compact),
    Action("delete the points of a period, of some series of a metric", delete_points),
    Action("delete one series", delete_series),
)
