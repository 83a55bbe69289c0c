"""OpenTSDB's tables, byte for byte: series of points under UIDs, an hour in a row."""

from shared.writes import NotAllStored

from .asking.frames import to_arrow, to_pandas
from .asking.query_text import SubQuery, TagFilter, parse_query
from .asking.series import Series
from .keys import SETTINGS, TABLES, Widths, data_table, uid_tables
from .records import Answer, Point
from .repository import TsdbRepository
from .storage.annotations import Annotation
from .storage.settings import WrongSettings

__all__ = [
    "SETTINGS",
    "TABLES",
    "Annotation",
    "Answer",
    "NotAllStored",
    "Point",
    "Series",
    "SubQuery",
    "TagFilter",
    "TsdbRepository",
    "Widths",
    "WrongSettings",
    "data_table",
    "parse_query",
    "to_arrow",
    "to_pandas",
    "uid_tables",
]
