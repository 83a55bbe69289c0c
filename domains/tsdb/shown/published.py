"""The key of S2.11 byte for byte as published."""

from shared.exhibit import PublishedKey
from shared.records import parse_time

from ..keys import POINTS

PUBLISHED = (
    PublishedKey(
        "S2.11",
        "[metric_uid][timestamp][tagk1][tagv1][...tagkN][tagvN]",
        POINTS,
        POINTS.key.key_class(b"\0\0\1", parse_time("2013-01-01T00:00"), bytes.fromhex("000001000001000002000004")),
        {
            "metric_uid": bytes.fromhex("000001"),
            "time_ms": bytes.fromhex("50e22700"),
            "tag_uids": bytes.fromhex("000001000001000002000004"),
        },
        {},
    ),
)
