"""What `rowbook` shows of OpenTSDB's tables: the names of UIDs, names without a UID, and decoded cells."""

import math
from collections.abc import Mapping
from typing import Any

import attrs

from shared.designs import CellContents, contents_of
from shared.records import show_time
from shared.tables import InvalidRecord, ItemCells, TableLayout

from .asking.query_text import SubQuery, TagFilter, parse_queries
from .keys import KINDS, RowOfName, RowOfTable, RowOfUid
from .repository import TsdbRepository
from .storage.annotations import is_annotation, read_annotation
from .storage.point_arrays import PointCells, read_points
from .storage.qualifiers import APPENDED, HOUR_MS, IS_FLOAT, is_of_points
from .storage.uids import UnknownUid

_HISTOGRAM = 0x06


def names_in_key(repository: TsdbRepository, key: Any) -> dict[str, str]:
    """The names in a row key. Raises UnknownUid.

    Costs: up to three calls.
    """
    uids = repository.uids
    if isinstance(key, RowOfName | RowOfTable):
        return {}
    if isinstance(key, RowOfUid):
        dictionaries = (uids.metrics, uids.tag_names, uids.tag_values)
        names = {
            dictionary.kind: dictionary.name_of(key.uid)
            for dictionary in dictionaries
            if dictionary.id_bytes == len(key.uid)
        }
        return {kind: name for kind, name in names.items() if name is not None}
    metric = uids.metrics.name_of(key.metric_uid)
    if metric is None:
        raise UnknownUid(f"{uids.metrics.kind}: must be a UID with a name (got {key.metric_uid.hex(' ')})")
    (tags,) = uids.names_of_tags([key.tag_uids]).values()
    return {
        "metric_uid": metric,
        "time_ms": f"{show_time(key.time_ms)} to {show_time(key.time_ms + HOUR_MS - 1)}",
        "tag_uids": ",".join(f"{tag}={value}" for tag, value in sorted(tags.items())),
    }


def unknown_names(repository: TsdbRepository, arguments: Mapping[str, Any]) -> list[str]:
    """The names without a UID in the arguments of a question, an export or an action.

    Costs: up to three calls for each question of a query.
    """
    if "metric" not in arguments:
        queries = parse_queries(arguments["m"]) if arguments.get("m") else []
        return list(dict.fromkeys(name for query in queries for name in repository.unknown_names(query)))
    filters = (TagFilter(arguments["tag"], "literal_or", arguments["value"]),) if "tag" in arguments else ()
    return repository.unknown_names(SubQuery(arguments["metric"], filters=filters))


def contents_of_cell(table: TableLayout[Any, Any], key: Any, column: bytes, value: bytes) -> CellContents:
    """The contents of a cell; for a cell in the data table, its points one by one, or its annotation.

    Points are in the order of their cell. If appended points have one time, the last is shown, because only it counts.
    Raises InvalidRecord.
    """
    qualifier = column.partition(b":")[2]
    if isinstance(table.cells, ItemCells) and qualifier not in (kind.encode() for kind in KINDS):
        raise InvalidRecord(f"kind: must be {' or '.join(KINDS)} (got {qualifier.hex(' ')})")
    if not isinstance(table.cells, PointCells):
        return contents_of(table, key, column, value)
    if is_annotation(qualifier):
        return CellContents("an annotation", (attrs.asdict(read_annotation(value)),))
    if qualifier != APPENDED and not is_of_points(qualifier):
        what = "a histogram" if qualifier[0] == _HISTOGRAM else "something else"
        return CellContents(f"{what}, not points: ignored", ())
    points = read_points({qualifier: (value, 0)})
    numbers = [points.number_bytes(place) for place in range(len(points))]
    values = tuple(
        {
            "time_ms": key.time_ms + offset_ms,
            "type": f"{'float' if flags & IS_FLOAT else 'int'} of {_bytes(len(number))}",
            "value": str(value) if isinstance(value, float) and not math.isfinite(value) else value,
            "bytes": number,
        }
        for offset_ms, flags, number, value in zip(
            points.offsets_ms.tolist(), points.flags.tolist(), numbers, points.values(), strict=True
        )
    )
    if qualifier == APPENDED:
        return CellContents(f"{_points(len(points))}, appended", values)
    if len(points) == 1:
        return CellContents(f"1 point, in {'milliseconds' if points.are_in_ms[0] else 'seconds'}", values)
    return CellContents(f"{_points(len(points))}, compacted", values)


def _points(count: int) -> str:
    return f"{count} point{'' if count == 1 else 's'}"


def _bytes(count: int) -> str:
    return f"{count} byte{'' if count == 1 else 's'}"
