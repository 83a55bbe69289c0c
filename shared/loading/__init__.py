"""Files become records: formats of files, values, and errors by line.

`reading.py` reads a file in the format that `detection.py` finds, `columns.py` and `values.py` make fields of its text.

May import `keys`, `records` and cattrs.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .detection import FORMATS as FORMATS
    from .errors import InvalidTimeFormat as InvalidTimeFormat
    from .errors import UnknownField as UnknownField
    from .errors import UnknownUnit as UnknownUnit
    from .errors import UnneededTime as UnneededTime
    from .errors import UnneededYear as UnneededYear
    from .errors import UnreadableFile as UnreadableFile
    from .formats import MAX_LINE_CHARACTERS as MAX_LINE_CHARACTERS
    from .formats import Format as Format
    from .formats import FormatRows as FormatRows
    from .formats import ParsedRows as ParsedRows
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
    from .values import read_value as read_value
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        detection="FORMATS",
        errors="InvalidTimeFormat UnknownField UnknownUnit UnneededTime UnneededYear UnreadableFile",
        formats="MAX_LINE_CHARACTERS Format FormatRows ParsedRows",
        log_times="ACCESS_LOG_TIME SYSLOG_TIME SyslogTimes read_access_log_time",
        measurements="NGINX_STATUS SERIES",
        reading="Line Lines read_lines read_records",
        syslog="SyslogMessage starts_as_syslog syslog_messages",
        values="read_value",
    )
