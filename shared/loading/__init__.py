"""Files become records: formats of files, values, and errors by line.

May import `keys`, `records` and cattrs.
"""

from .detection import FORMATS
from .errors import InvalidTimeFormat, UnknownField, UnknownUnit, UnneededTime, UnneededYear, UnreadableFile
from .formats import MAX_LINE_CHARACTERS, Format, FormatRows, ParsedRows
from .log_times import ACCESS_LOG_TIME, SYSLOG_TIME, SyslogTimes, read_access_log_time
from .measurements import NGINX_STATUS, SERIES
from .reading import Line, Lines, read_lines, read_records
from .syslog import SyslogMessage, starts_as_syslog, syslog_messages
from .values import read_value

__all__ = [
    "ACCESS_LOG_TIME",
    "FORMATS",
    "MAX_LINE_CHARACTERS",
    "NGINX_STATUS",
    "SERIES",
    "SYSLOG_TIME",
    "Format",
    "FormatRows",
    "InvalidTimeFormat",
    "Line",
    "Lines",
    "ParsedRows",
    "SyslogMessage",
    "SyslogTimes",
    "UnknownField",
    "UnknownUnit",
    "UnneededTime",
    "UnneededYear",
    "UnreadableFile",
    "read_access_log_time",
    "read_lines",
    "read_records",
    "read_value",
    "starts_as_syslog",
    "syslog_messages",
]
