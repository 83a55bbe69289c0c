"""The loads and questions of `tsdb`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import Accepted, AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from . import keys
from .actions import ACTIONS, correct
from .contents import contents_of_cell, names_in_key, unknown_names
from .formats import FORMATS
from .options import OPTIONS
from .records import Point
from .repository import POINTS_AT_ONCE, TsdbRepository
from .storage.stored_names import StoredNames

SAMPLES = Path(__file__).parents[2] / "fixtures" / "tsdb"

HOUR = {"since_ms": parse_time("2013-01-01T00:00"), "until_ms": parse_time("2013-01-01T01:00")}
TWO_HOURS = HOUR | {"until_ms": parse_time("2013-01-01T02:00")}

ONE_SERIES = AccessPattern(
    "a metric of one host, one hour",
    TsdbRepository.points,
    {"metric": "requests", "tag": "host", "value": "web-1", **HOUR},
)
SUM = AccessPattern(
    "a sum over all hosts, averages of ten minutes", TsdbRepository.query, {"m": "sum:10m-avg:requests", **TWO_HOURS}
)
BY_CENTRE = AccessPattern(
    "the largest load of each data centre, by hour", TsdbRepository.query, {"m": "max:1h-max:load{dc=*}", **TWO_HOURS}
)
RATE = AccessPattern(
    "bytes for each second of the web servers",
    TsdbRepository.query,
    {"m": "sum:rate:bytes.total{host=wildcard(web-*)}", **HOUR},
)
QUESTIONS = (ONE_SERIES, SUM, BY_CENTRE, RATE)

DATED_BY_CLOCK = Exemption("loading", "cells are dated by the writer's clock, as OpenTSDB's are: it writes them anew")

ALL_SERIES = Exemption(
    "rows",
    "the servers read the rows of all series of the metric in these hours, whatever tags are asked for",
    QUESTIONS,
)

DESIGN = Design(
    name="tsdb",
    question="How are points of many series stored so that a running OpenTSDB reads and writes the same tables?",
    loads=(
        Load(
            "points",
            Point,
            TsdbRepository.store,
            SAMPLES / "points.txt",
            FORMATS,
            store_all=TsdbRepository.store_all,
            at_once=POINTS_AT_ONCE,
            new_record_transform=StoredNames,
            correct=correct,
            export=TsdbRepository.export,
            identified_by=("metric", "tags", "time_ms"),
        ),
    ),
    patterns=QUESTIONS,
    repository=TsdbRepository,
    variants=(Variant(keys, "the rows of a metric in one range"),),
    exemptions=(DATED_BY_CLOCK, ALL_SERIES),
    accepted=(Accepted("no-ttl", "OpenTSDB's table keeps points for ever, until its owner alters the family"),),
    names_in_key=names_in_key,
    unknown_names=unknown_names,
    actions=ACTIONS,
    settings=OPTIONS,
    contents_of=contents_of_cell,
)
