r"""Formats of logs by the text that told a program how to write them.

%h %l %u %t "%r" %>s %b "%{Referer}i"                                    Apache's LogFormat
$remote_addr - $remote_user [$time_local] "$request" $status             nginx's log_format
%d{ISO8601} %-5p [%t] %c: %m%n                                           a layout of log4j or logback
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from .access_layouts import apache_format, nginx_format
from .formats import Format
from .log4j_layouts import log4j_format

Kind: TypeAlias = Literal["apache", "nginx", "log4j"]
"""Whose layout it is."""
_FORMATS: Mapping[Kind, Callable[[str], Format]] = {
    "apache": apache_format,
    "nginx": nginx_format,
    "log4j": log4j_format,
}


def layout_format(kind: Kind, layout: str) -> Format:
    """The format of lines that a program writes by a layout.

    Raises ValueError, one line, for a directive that is not known, and for two without a text between them.
    """
    return _FORMATS[kind](layout)


USUAL_LAYOUTS: tuple[tuple[Kind, str], ...] = (
    ("apache", "combined"),
    ("apache", "common"),
    ("apache", "vhost_combined"),
    (
        "nginx",
        '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer"'
        ' "$http_user_agent" "$http_x_forwarded_for"',
    ),
    ("log4j", "%d{ISO8601} [myid:%X{myid}] - %-5p [%t:%C{1}@%L] - %m%n"),
    ("log4j", "%d{ISO8601} - %-5p [%t:%C{1}@%L] - %m%n"),
    ("log4j", "%d{ISO8601} %-5p [%t] %c: %m%n"),
    ("log4j", "%d{ISO8601} %p %c: %m%n"),
    ("log4j", "%d{yy/MM/dd HH:mm:ss} %p %c: %m%n"),
    ("log4j", "[%d] %p %m (%c)%n"),
    ("log4j", "[%d] %p %m%n"),
    ("log4j", "%d [%t] %-5p [%c] - %m%n"),
    ("log4j", "%d [%t] %-5p %c - %m%n"),
    ("log4j", "%d{yyyy-MM-dd HH:mm:ss.SSS} [%t] %-5p %c - %m%n"),
    ("log4j", "%d{yyyy-MM-dd HH:mm:ss} [%t] %-5p %c - %m%n"),
    ("log4j", "%d{yyyy-MM-dd HH:mm:ss} %-5p %c:%L - %m%n"),
    ("log4j", "%-5p [%t] %d{ISO8601} %F:%L - %m%n"),
    ("log4j", "%d{yyyy-MM-dd HH:mm:ss.SSS} %5p %pid --- [%15.15t] %-40.40c : %m%n"),
    ("log4j", "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %5p %pid --- [%15.15t] %-40.40c : %m%n"),
)
"""Those of servers, of Hadoop, ZooKeeper, Spark, Kafka, Cassandra and Spring Boot as they are installed, and others
that are often copied; a layout comes before those that would read its lines with fewer columns."""


def usual_layout(line: str) -> tuple[Kind, str] | None:
    """The first of the usual layouts that a line has."""
    return next((known for known in USUAL_LAYOUTS if _has_layout(known, line)), None)


def _has_layout(known: tuple[Kind, str], line: str) -> bool:
    format = _usual_format(known)
    return format.recognizes(line) and all(isinstance(row, dict) for _, _, row in format.read(iter([line]), Path()))


@cache
def _usual_format(known: tuple[Kind, str]) -> Format:
    return layout_format(*known)
