"""OpenTSDB's two tables, a row for each hour of a series and the dictionary of its names; and our table of settings.

A series is a metric with its tags. Its rows hold a UID of three bytes instead of each name, so keys are short, and a
metric's hours are one range. OpenTSDB's own options are arguments of `data_table`: the widths of UIDs, and a salt.
"""

from typing import Any, NamedTuple

import attrs

from shared.keys import (
    FixedBytes,
    InvalidKey,
    KeyLayout,
    Slice,
    Splits,
    TrailingBytes,
    TrailingText,
    part,
    row_key,
    shown,
)
from shared.tables import RAW, Column, Family, ItemCells, Packing, RecordCells, TableLayout
from shared.writes.dictionaries import ID_FAMILY, NAME_FAMILY

from .records import RegisteredDeletion, SeriesPoint, Settings, UidMapping
from .storage.codecs import LatinText, Seconds, SeriesSalt, TagPairs
from .storage.point_arrays import PointCells
from .storage.qualifiers import FAMILY, HOUR_MS

LATIN_TEXT = Packing("text of ISO 8859-1", LatinText.encode, LatinText.decode)

NO_SPLITS = Splits((), "OpenTSDB makes its tables without split points; neither names nor counted UIDs suggest any")
KINDS = METRICS, TAG_NAMES, TAG_VALUES = "metrics", "tagk", "tagv"
"""The dictionaries of `tsdb-uid`, which name its qualifiers."""


def _width(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    if type(value) is not int or not 1 <= value <= 8:
        raise InvalidKey(f"Widths.{field.name}: must be 1..8 (got {shown(value)})")


@attrs.frozen
class Widths:
    """The bytes of UIDs, OpenTSDB's `tsd.storage.uid.width.*`. All rows of a store have the same ones, for ever."""

    metrics: int = attrs.field(default=3, validator=_width)
    tagk: int = attrs.field(default=3, validator=_width)
    tagv: int = attrs.field(default=3, validator=_width)


DEFAULT_WIDTHS = Widths()


def hour_of_series(widths: Widths) -> type[Any]:
    """The class of the data table's row keys, for UIDs of these widths."""

    @row_key
    class HourOfSeries:
        """The points of one series in one hour: OpenTSDB's row key, byte for byte.

        Order:  by metric, then by hour, then by tags: by UIDs, so in the order in which names were first stored.
        Serves: a metric in a period, all its series or some; one series; rows of a period to compact.
        Costs:  one range of a metric's hours, whichever series are asked for: the server's row filter drops the others.
        Fixed:  the widths of UIDs, the hour, the salt; changing them means a new table.
        Source: S2.11, [metric_uid][timestamp][tagk1][tagv1]...; OpenTSDB 2.4.1, core/IncomingDataPoints.java
        """

        metric_uid: bytes = part(FixedBytes(widths.metrics), "the metric")
        time_ms: int = part(Slice(Seconds, HOUR_MS), "the hour, milliseconds since 1970 UTC, stored in seconds")
        tag_uids: bytes = part(
            TagPairs(widths.tagk, widths.tagv), "tag names and values, pair after pair, in the order of bytes"
        )

    HourOfSeries.__qualname__ = "HourOfSeries"  # by which pickle finds that of the default widths
    return HourOfSeries


HourOfSeries = hour_of_series(DEFAULT_WIDTHS)


def data_table(
    name: str = "tsdb", widths: Widths = DEFAULT_WIDTHS, salt: SeriesSalt | None = None
) -> TableLayout[Any, SeriesPoint]:
    """The table of points. `salt` is OpenTSDB's `tsd.storage.salt.*`: a metric is then read in a range per bucket."""
    key = HourOfSeries if widths == DEFAULT_WIDTHS else hour_of_series(widths)
    layout = KeyLayout(key, *([] if salt is None else [salt]))
    splits = NO_SPLITS if salt is None else Splits(tuple(salt.every_value()[1:]), "buckets of the salt")
    return TableLayout(
        name, "an hour of one series", layout, PointCells(), {FAMILY: Family()}, splits, is_recorded=False
    )


@row_key
class RowOfName:
    """The UIDs of one name: forward mappings, one for each kind. Also the counters, in the row of one zero byte.

    Order:  by name.
    Serves: the UID of a name; names that start with a text.
    Costs:  one get; one range.
    Fixed:  ISO 8859-1, which OpenTSDB reads.
    Source: OpenTSDB 2.4.1, uid/UniqueId.java
    """

    name: str = part(LatinText, "the name, of one metric, tag name or tag value, or of all three")


@row_key
class RowOfUid:
    """The names of one UID: reverse mappings, one for each kind.

    Order:  by UID: in the order in which names were first stored.
    Serves: the name of a UID.
    Costs:  one get.
    Fixed:  the widths of UIDs.
    Source: OpenTSDB 2.4.1, uid/UniqueId.java
    """

    uid: bytes = part(TrailingBytes, "the UID, of one metric, tag name or tag value, or of all three")


@row_key
class KindOfName:
    """The qualifier of a mapping.

    Order: by kind.
    """

    kind: str = part(TrailingText, "metrics, tagk or tagv")


@row_key
class RowOfTable:
    """The settings of one table, or one deletion of its points; OpenTSDB has none of these rows.

    Order:  by name, then by a random number.
    Serves: the settings of a table; the deletions that are registered, see `registry.py`.
    Costs:  one get when a repository is opened; one range, of the deletions since the last `recover`.
    Fixed:  the settings themselves.
    Source: none
    """

    table: str = part(TrailingText, "a table of points or of names; for a deletion, then # and 16 hex digits")


UID_FAMILIES = {ID_FAMILY: Family(), NAME_FAMILY: Family()}


def uid_tables(name: str = "tsdb-uid") -> tuple[TableLayout[Any, UidMapping], TableLayout[Any, UidMapping]]:
    """The two layouts of the table of names: forward and reverse mappings, which `Dictionary` writes."""
    qualifier = KeyLayout(KindOfName)
    forward = ItemCells(UidMapping, ID_FAMILY, qualifier, value="uid", packing=RAW)
    reverse = ItemCells(UidMapping, NAME_FAMILY, qualifier, value="name", packing=LATIN_TEXT)
    return (
        TableLayout(
            name, "the UIDs of a name", KeyLayout(RowOfName), forward, UID_FAMILIES, NO_SPLITS, is_recorded=False
        ),
        TableLayout(
            name, "the names of a UID", KeyLayout(RowOfUid), reverse, UID_FAMILIES, NO_SPLITS, is_recorded=False
        ),
    )


POINTS = data_table()
UIDS, NAMES = uid_tables()
SETTINGS = TableLayout(
    "tsdb-rowbook", "the settings of a table", KeyLayout(RowOfTable), RecordCells(Settings, {"options": Column("s:o")})
)
DELETIONS = TableLayout(
    SETTINGS.name,
    "a deletion of points",
    SETTINGS.key,
    RecordCells(
        RegisteredDeletion,
        {
            "started_ms": Column("s:t"),
            "metric": Column("s:m"),
            "filters": Column("s:f"),
            "tsuid": Column("s:u"),
            "since_ms": Column("s:a"),
            "until_ms": Column("s:b"),
        },
    ),
)


class SeriesTables(NamedTuple):
    """OpenTSDB's points and names, the names in two layouts of one table; and our settings and registered deletions."""

    points: TableLayout[Any, SeriesPoint]
    uids: TableLayout[Any, UidMapping]
    names: TableLayout[Any, UidMapping]
    settings: TableLayout[RowOfTable, Settings]
    deletions: TableLayout[RowOfTable, RegisteredDeletion]


TABLES = SeriesTables(POINTS, UIDS, NAMES, SETTINGS, DELETIONS)
