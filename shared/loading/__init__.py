"""Files become records: formats of files, values, and errors by line.

`reading.py` reads a file in the format that `detection.py` finds, `columns.py` and `values.py` make fields of its text.
Logs have formats that are ready (`log_formats.py`), or are described by a program's layout (`log_layouts.py`) or by a
regular expression (`line_patterns.py`). `compression.py` unpacks files.

May import `keys`, `records`, cattrs and, for Parquet files, pyarrow.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .description import Description as Description
    from .description import FieldDescription as FieldDescription
    from .description import TagDescription as TagDescription
    from .detection import FORMATS as FORMATS
    from .detection import PARQUET as PARQUET
    from .errors import InvalidDescription as InvalidDescription
    from .errors import InvalidTimeFormat as InvalidTimeFormat
    from .errors import UnknownField as UnknownField
    from .errors import UnknownUnit as UnknownUnit
    from .errors import Unneeded as Unneeded
    from .errors import UnreadableFile as UnreadableFile
    from .formats import MAX_LINE_CHARACTERS as MAX_LINE_CHARACTERS
    from .formats import Format as Format
    from .formats import FormatRows as FormatRows
    from .formats import ParsedRows as ParsedRows
    from .line_patterns import pattern_format as pattern_format
    from .log_formats import LOG_FORMATS as LOG_FORMATS
    from .log_layouts import layout_format as layout_format
    from .log_layouts import usual_layout as usual_layout
    from .log_times import ACCESS_LOG_TIME as ACCESS_LOG_TIME
    from .log_times import SYSLOG_TIME as SYSLOG_TIME
    from .log_times import SyslogTimes as SyslogTimes
    from .log_times import read_access_log_time as read_access_log_time
    from .measurements import NGINX_STATUS as NGINX_STATUS
    from .measurements import SERIES as SERIES
    from .reading import Line as Line
    from .reading import Lines as Lines
    from .reading import read_lines as read_lines
    from .reading import read_records as read_records
    from .syslog import SyslogMessage as SyslogMessage
    from .syslog import starts_as_syslog as starts_as_syslog
    from .syslog import syslog_messages as syslog_messages
    from .syslog import times_have_year as times_have_year
    from .values import read_value as read_value
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        description="Description FieldDescription TagDescription",
        detection="FORMATS PARQUET",
        errors="InvalidDescription InvalidTimeFormat UnknownField UnknownUnit Unneeded UnreadableFile",
        formats="MAX_LINE_CHARACTERS Format FormatRows ParsedRows",
        line_patterns="pattern_format",
        log_formats="LOG_FORMATS",
        log_layouts="layout_format usual_layout",
        log_times="ACCESS_LOG_TIME SYSLOG_TIME SyslogTimes read_access_log_time",
        measurements="NGINX_STATUS SERIES",
        reading="Line Lines read_lines read_records",
        syslog="SyslogMessage starts_as_syslog syslog_messages times_have_year",
        values="read_value",
    )
