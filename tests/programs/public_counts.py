"""Counts of public files that share no code with ours: by the modules csv and json, and by regular expressions.

Each function gives, for each line of a file that is not blank, the values that are compared, as `files.toml` names
them, or words of the reason why the line is refused.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

Counted = Iterator[tuple[Any, ...] | str]


def _ms(moment: datetime) -> int:
    """Whole milliseconds since 1970, rounded down; without a zone, a moment is in UTC."""
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def _at(text: str, notation: str) -> int:
    return _ms(datetime.strptime(text, notation))


def _lines(content: bytes, encoding: str = "utf-8") -> list[str]:
    return [line.rstrip("\r") for line in content.decode(encoding).split("\n") if line.strip()]


def _matches(content: bytes, pattern: str, values: Callable[[re.Match[str]], tuple[Any, ...]], refused: str) -> Counted:
    for line in _lines(content):
        match = re.fullmatch(pattern, line)
        yield values(match) if match else refused


def _log_events(content: bytes, day: str, pattern: str, notation: str) -> Counted:
    """An event begins with a day; lines without one belong to the event before."""
    for event in re.split(rf"\n(?={day})", content.decode().replace("\r\n", "\n").rstrip("\n")):
        match = re.fullmatch(pattern, event, re.DOTALL)
        yield (_at(match[1], notation), match[2], match[3]) if match else "must start with"


def hdfs(content: bytes) -> Counted:
    return _log_events(content, r"\d{6} ", r"(\d{6} \d{6}) \d+ ([A-Z]+) \S+: (.*)", "%y%m%d %H%M%S")


def hadoop(content: bytes) -> Counted:
    pattern = r"([\d -]+:\d\d:\d\d,\d{3}) (\w+) +\[.*?\] [\w.$]+: (.*)"
    return _log_events(content, r"\d{4}-\d\d-\d\d", pattern, "%Y-%m-%d %H:%M:%S,%f")


def windows(content: bytes) -> Counted:
    return _matches(
        content,
        r"([\d: -]+), \w+\s+([A-Z]+)\s+(.*)",
        lambda line: (_at(line[1], "%Y-%m-%d %H:%M:%S"), line[2], line[3]),
        "must match the pattern",
    )


def bgl(content: bytes) -> Counted:
    def values(line: re.Match[str]) -> tuple[Any, ...]:
        # The second word has the same time in seconds since 1970, so the zone of the fifth is known
        return int(line[1]) * 1000 + int(line[3]) // 1000, line[2], line[4]

    pattern = r"\S+ (\d+) \S+ (\S+) [\d-]+\d\d\.\d\d\.\d\d\.(\d{6}) (?:\S+ ){4}(.*)"
    return _matches(content, pattern, values, "must match the pattern")


def android(content: bytes) -> Counted:
    return _matches(
        content,
        r"(\d\d-\d\d [\d:.]+)\s+\d+\s+\d+ [A-Z] (.*?): (.*)",
        lambda line: (_at(f"2017-{line[1]}", "%Y-%m-%d %H:%M:%S.%f"), line[2], line[3]),
        "must match the pattern",
    )


def proxifier(content: bytes) -> Counted:
    return _matches(
        content,
        r"\[([^]]+)\] (.+?) - (.*)",
        lambda line: (_at(f"2016.{line[1]}", "%Y.%m.%d %H:%M:%S"), line[2], line[3]),
        "must match the pattern",
    )


def apache(content: bytes) -> Counted:
    return _matches(
        content,
        r'(\S+) \S+ \S+ \[(.*?)\] "(?:[^"\\]|\\.)*" (\d{3}) (?:\d+|-) "(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*"',
        lambda line: (_at(line[2], "%d/%b/%Y:%H:%M:%S %z"), line[1], line[3]),
        "must be combined",
    )


def syslog(content: bytes) -> Counted:
    for line in _lines(content):
        match = re.match(r"<\d+>\d+ (\S+) (\S+) (\S+) ", line)
        if match is None:
            yield "no column process"
        elif match[1] == "-":
            yield "must have a time, not -"
        else:
            yield _ms(datetime.fromisoformat(match[1])), match[2], match[3]


def zeek(content: bytes) -> Counted:
    lines = _lines(content)
    names = next(line for line in lines if line.startswith("#fields")).split("\t")[1:]
    for cells in csv.reader((line for line in lines if not line.startswith("#")), delimiter="\t", quotechar=None):
        if len(cells) != len(names):
            yield "fields, like #fields"
            continue
        row = dict(zip(names, cells, strict=True))
        yield int(Fraction(row["ts"]) * 1000), row["id.orig_h"], row["conn_state"], row["uid"]


def eve(content: bytes) -> Counted:
    for line in _lines(content):
        event = json.loads(line)
        if "src_ip" not in event:
            yield "no column src_ip"
            continue
        signature = event.get("alert", {}).get("signature", "")
        yield _ms(datetime.fromisoformat(event["timestamp"])), event["src_ip"], event["event_type"], signature


def air(content: bytes) -> Counted:
    rome = ZoneInfo("Europe/Rome")
    for line in _lines(content)[1:]:
        day, time, value, *_others = line.split(";")
        moment = datetime.strptime(f"{day} {time}", "%d/%m/%Y %H.%M.%S")
        clocks = [moment.replace(tzinfo=rome, fold=fold).astimezone(UTC) for fold in (0, 1)]
        if any(clock.astimezone(rome).replace(tzinfo=None) != moment for clock in clocks):
            yield "does not exist in Europe/Rome"
        elif clocks[0] != clocks[1]:
            yield "occurs twice in Europe/Rome"
        elif value == "-200":
            yield "Point.value: must be a number"
        else:
            yield _ms(clocks[0]), float(value.replace(",", "."))


def sales(content: bytes) -> Counted:
    header, *rows = csv.reader(_lines(content, "cp1252"), delimiter=";")
    for cells in rows:
        if len(cells) != len(header):
            yield "fields, like the header"
            continue
        row = dict(zip(header, cells, strict=True))
        amount = Decimal(row["Sales"].replace(",", ".")) * 10_000
        yield _at(row["Ship Date"], "%Y-%m-%d"), row["Row ID"], row["Product Name"], int(amount)


def catalog(content: bytes) -> Counted:
    for row in csv.DictReader(content.decode("utf-8-sig").splitlines()):
        if "" in (row["Region"], row["Sub-Category"]):
            yield "must be text, not empty"
            continue
        price = int(Decimal(row["Sales"]) * 10_000)
        yield _at(row["Order Date"], "%d/%m/%y"), row["Product ID"], row["Product Name"], price


def admissions(content: bytes) -> Counted:
    for row in csv.DictReader(content.decode("utf-16").splitlines()):
        text = row["All_admissions_including_place_of_safety_detentions"]
        if re.fullmatch(r"\d{1,3}(,\d{3})*", text):
            yield (
                _at("2010-04-01", "%Y-%m-%d"),
                int(text.replace(",", "")),
                json.dumps({"organisation": row["Organisation_code"]}),
            )
        else:
            yield "must be a number such as 1,234.5"


def _events(content: bytes) -> Iterator[dict[str, Any] | str]:
    for line in _lines(content):
        try:
            yield json.loads(line)
        except ValueError:
            yield "is not valid JSON"


def maxwell(content: bytes) -> Counted:
    for event in _events(content):
        if isinstance(event, str):
            yield event
        else:
            yield event["ts"] * 1000, str(event["data"]["id"]), event["type"], event["table"]


def debezium(content: bytes) -> Counted:
    for event in _events(content):
        if isinstance(event, str):
            yield event
        elif event["after"] is None:
            yield "no column after.id"
        else:
            source = event["source"]
            yield source["ts_ms"], str(event["after"]["id"]), event["op"], source["table"]


def iis(content: bytes) -> Counted:
    for line in _lines(content)[4:]:
        cells = line.split(" ")
        if len(cells) != 17:
            yield "must have 17 fields"
        else:
            yield _at(f"{cells[0]} {cells[1]}", "%Y-%m-%d %H:%M:%S"), cells[8], cells[11], cells[4]


def dwd(content: bytes) -> Counted:
    for line in _lines(content)[2:]:
        cells = line.split(";")
        if len(cells) != 20 or not re.fullmatch(r"\d{4}", cells[0]):
            yield "must match the pattern"
        elif int(cells[0]) < 1970:
            yield "Point.time_ms: must be 0.."
        else:
            yield _at(f"{cells[0]}-{cells[1]}", "%Y-%m"), float(cells[18])


COUNTS: dict[str, Callable[[bytes], Counted]] = {
    count.__name__: count
    for count in (
        *(hdfs, hadoop, windows, bgl, android, proxifier, apache, syslog, zeek, eve, air, sales, catalog, admissions),
        *(maxwell, debezium, iis, dwd),
    )
}
"""By the names of the files."""
