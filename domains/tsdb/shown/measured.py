"""Blocks that only the pages of `tsdb` have: speed and differences beside OpenTSDB, words of a query, settings."""

import json
from pathlib import Path
from typing import Any

from shared.designs import Design
from shared.exhibit import filled, markdown_table
from shared.records.lengths import UNIT_LENGTHS_MS

from ..asking.aggregation import AGGREGATORS
from ..asking.downsampling import DOWNSAMPLERS
from ..asking.query_text import FILLS, FILTER_KINDS, NONE, parse_query
from ..keys import DEFAULT_WIDTHS, TABLES
from ..options import DATA_TABLE, FIX_DUPLICATES, OPTIONS, SALT_BUCKETS, SALT_WIDTH, UID_TABLE
from ..storage.codecs import SeriesSalt
from ..storage.settings import settings_of
from .differences import DIFFERENCES, MISSING

SPEED = Path(__file__).parents[3] / "fixtures" / "tsdb" / "speed.json"


def own_blocks(_design: Design) -> dict[str, str]:
    """The blocks by name."""
    return {
        "speed": _speed(),
        "differences": _differences(),
        "operators": _operators(),
        "settings": _settings(),
    }


def _differences() -> str:
    rows = [[one.what, one.theirs, one.ours] for one in DIFFERENCES]
    missing = filled(f"Only OpenTSDB has: {'; '.join(MISSING)}.")
    return "\n\n".join([markdown_table(("what", "OpenTSDB", "here"), rows), missing])


def _speed() -> str:
    """What `python -m tests.programs opentsdb.bench --record` recorded."""
    recorded: dict[str, Any] = json.loads(SPEED.read_text(encoding="utf-8"))
    question_table = markdown_table(
        ("question", "rows", "ours, ms", "OpenTSDB, ms", "ours / OpenTSDB"),
        [
            [
                one["work"],
                one["form"],
                *(f"{one[side]:,.1f}" for side in ("ours_ms", "theirs_ms")),
                f"{one['ours_by_theirs']:.2f}",
            ]
            for one in recorded["questions"]
        ],
    )
    caption = (
        f"Beside OpenTSDB {recorded['opentsdb']} on the same HBase {recorded['hbase']}, in turns, medians of at least "
        f"{recorded['rounds']} rounds on {recorded['cores']} cores with other work ({recorded['dates']['questions']}). "
        "A load ends when its points can be read. `python -m tests.programs opentsdb.bench --record` repeats it."
    )
    dense, sparse = (recorded[part][0] for part in ("loads", "sparse"))
    rows = (
        f"`store_all` stores {1 / dense['ours_by_theirs']:.1f} times as many points as `/api/put` if about "
        f"{dense['points_of_row']} of a call share a row, {1 / sparse['ours_by_theirs']:.1f} times as many if about "
        f"{sparse['points_of_row']} do."
    )
    (imported,) = recorded["imports"]
    imports = (
        f"{imported['work'].capitalize()}: {imported['form']} stores {_rate(imported, 'ours_ms')} points/s, "
        f"{1 / imported['ours_by_theirs']:.2f} times as many as {imported['theirs']}, with the start of both commands."
    )
    return "\n\n".join([filled(caption), _load_table(recorded["loads"]), filled(f"{rows} {imports}"), question_table])


def _rate(load: dict[str, Any], took: str) -> str:
    """Points per second."""
    return f"{load['points'] / load[took] * 1000:,.0f}"


def _load_table(loads: list[dict[str, Any]]) -> str:
    """Points per second of one load, ours and OpenTSDB's."""
    ratios = {(one["form"], one["theirs"]): f"{1 / one['ours_by_theirs']:.1f}" for one in loads}
    others = {one["theirs"]: _rate(one, "theirs_ms") for one in loads}
    ours = {one["form"]: _rate(one, "ours_ms") for one in loads}
    rows = [[form, figure, *(ratios[form, other] for other in others)] for form, figure in ours.items()]
    rows += [[f"OpenTSDB, {other}", figure, *[""] * len(others)] for other, figure in others.items()]
    rows += [["the first on the embedded store", _rate(one, "embedded_ms"), *[""] * len(others)] for one in loads[:1]]
    return markdown_table(
        (loads[0]["work"], "points/s", *(f"times that of {other.partition(',')[0]}" for other in others)), rows
    )


def _settings() -> str:
    """A table of the settings with their defaults."""
    _, of_points = settings_of(TABLES.points, TABLES.uids.name, DEFAULT_WIDTHS)
    defaults: dict[str, object] = {DATA_TABLE: TABLES.points.name, UID_TABLE: TABLES.uids.name, **of_points.options}
    defaults[SALT_WIDTH] = f"{defaults[SALT_WIDTH]}: no salt"
    defaults[SALT_BUCKETS] = f"{SeriesSalt().buckets}, if there is a salt"
    defaults[FIX_DUPLICATES] = f"true; {OPTIONS.omitted_in_file[FIX_DUPLICATES]} if a file is given, as in OpenTSDB"
    return markdown_table(("option", "default"), [[f"`{name}`", str(defaults[name])] for name in OPTIONS.names])


_BETWEEN = {
    "linear": "aggregators that interpolate where a series has no point",
    "zero": "aggregators that take 0 there instead",
    "max": "the aggregator that takes the largest possible number there",
    "min": "the aggregator that takes the smallest possible number there",
}


def _kind(text: str) -> str:
    """The kind of a filter that names none."""
    (tag_filter,) = parse_query(f"sum:requests{{host={text}}}").filters
    return tag_filter.kind


def _operators() -> str:
    """A table of all words of a query text, from the code that reads them."""
    names: dict[str, list[str]] = {}
    for aggregator in AGGREGATORS.values():
        names.setdefault(_BETWEEN[str(aggregator.between)], []).append(aggregator.name)
    rows = [
        *names.items(),
        ("the aggregator that leaves each series as it is", [NONE]),
        ("functions of downsampling, such as `1h-avg`", [*DOWNSAMPLERS]),
        ("units of intervals; with a `c`, as in `1nc-sum`, those of the calendar in UTC", [*UNIT_LENGTHS_MS]),
        ("fill policies for intervals without points, such as `1h-avg-zero`", [*FILLS]),
        ("rates", ["rate", "rate{counter,MAX,RESET}", "rate{dropcounter,MAX,RESET}"]),
        ("only series that have no other tags than those of the filters", ["explicit_tags"]),
        (
            "filters by whole values: `{host=literal_or(web-1)}`",
            [kind for kind in FILTER_KINDS if "literal" in kind],
        ),
        ("filters by patterns; all kinds may be in any case", [kind for kind in FILTER_KINDS if "literal" not in kind]),
        ("the kinds of `{host=web-1}`, `{host=*}` and `{host=web-*}`", list(map(_kind, ("web-1", "*", "web-*")))),
        ("another question in the same text, about a metric or about series by their UIDs", ["&m=", "&tsuid="]),
    ]
    return markdown_table(
        ("in a query", "words"), [[what, " ".join(f"`{word}`" for word in words)] for what, words in rows]
    )
