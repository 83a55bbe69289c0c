"""The commands of `tsdb` that change stored points: `rowbook do tsdb ACTION`, and `rowbook load --correct`.

Series are named as in OpenTSDB's query text.
"""

from shared.designs import Action
from shared.keys import InvalidQuestion, shown
from shared.tables import InvalidRecord

from .asking.query_text import parse_series
from .asking.selecting import FOREVER_MS
from .changing.compaction import CompactionResult
from .changing.deleting import DeletionResult
from .records import Point
from .repository import TsdbRepository


def compact(repository: TsdbRepository, metric: str, since_ms: int = 0, until_ms: int = FOREVER_MS) -> CompactionResult:
    """Puts the points of each past hour of a metric's series into one cell."""
    return repository.compact(metric, since_ms, until_ms)


def delete_points(repository: TsdbRepository, m: str, since_ms: int, until_ms: int) -> DeletionResult:
    """Deletes the points of a period, of the series that `m` names, such as `requests{host=web-1}`."""
    series = parse_series(m)
    return repository.delete_points(series.metric, series.filters, since_ms, until_ms)


def delete_series(repository: TsdbRepository, m: str) -> DeletionResult:
    """Deletes the series whose tags `m` names, all of them, with its points and annotations."""
    series = parse_series(m)
    tags = {one.tag: one.text for one in series.filters if one.literals == [one.text]}
    if len(tags) < max(len(series.filters), 1):
        wanted = "must name one series by all its tags, such as requests{dc=lga,host=web-1}"
        raise InvalidQuestion(f"m: {wanted} (got {shown(m)})")
    return repository.delete_series(series.metric, tags)


def correct(repository: TsdbRepository, points: list[Point]) -> None:
    """Stores points in place of what the table holds for their times. Raises InvalidRecord if a time has a second cell.

    The points are stored all the same.
    """
    if repository.correct(points).left:
        raise InvalidRecord(
            "stored, but a compacted cell keeps another number of this time; compact it in ten minutes, with"
            " tsd.storage.fix_duplicates=true"
        )


ACTIONS = (
    Action("put the points of each past hour of a metric's series into one cell", compact),
    Action("delete the points of a period, of a metric or of some of its series", delete_points),
    Action("delete one series, with all its points and annotations", delete_series),
)
