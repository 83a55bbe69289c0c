"""Published keys beside the keys of `tsdb`, and published mistakes with what each of them returns."""

from collections.abc import Iterable

from shared.designs import Design, scratch_store
from shared.exhibit import Outcome, PublishedKey, Trap
from shared.keys import InvalidKey
from shared.queries import scan
from shared.records import parse_time
from shared.tables import InvalidRecord

from ..asking.query_text import TagFilter
from ..keys import POINTS, TABLES, data_table
from ..records import Answer, Point
from ..repository import TsdbRepository
from ..storage.codecs import SeriesSalt
from ..storage.settings import WrongSettings

# ---- the key of S2.11 byte for byte as published


PUBLISHED = (
    PublishedKey(
        "S2.11",
        "metric time tagk1 tagv1 tagk2 tagv2",
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


# ---- five ways in which users of OpenTSDB lost points, each as wrong code beside the right code, on the embedded store


HOUR_S = 3_600
START_MS = 1_356_998_400_000  # 2013-01-01T00:00:00.000Z
METRIC, TAGS = "load", {"host": "web-1"}
OF_HOST = (TagFilter("host", "literal_or", "web-1"),)


def _minutes(hours: int) -> list[Point]:
    """A point for each minute of some hours of one series."""
    return [Point(METRIC, START_MS + second * 1000, second, TAGS) for second in range(0, hours * HOUR_S, 60)]


def _stored(points: Iterable[Point]) -> tuple[TsdbRepository, list[Answer]]:
    """A repository with these points, and what it answers of their series."""
    repository = TsdbRepository(scratch_store(TABLES))
    repository.store_all(points)
    return repository, repository.points(METRIC, "host", "web-1")


def two_numbers_for_one_time(_design: Design) -> Outcome:
    """A corrected number of another type is in a cell of its own; OpenTSDB then refuses every question of the hour."""
    connection = scratch_store(TABLES)
    newest, strict = TsdbRepository(connection), TsdbRepository(connection, duplicates="strict")
    minutes = _minutes(1)
    newest.store_all(minutes)
    newest.store(Point(METRIC, START_MS, 0.5, TAGS))
    try:
        answered = f"{len(strict.points(METRIC, 'host', 'web-1'))} points"
    except InvalidRecord as error:
        answered = f"no point, but an error: {str(error).rpartition(': ')[2]}"
    found = newest.points(METRIC, "host", "web-1")
    return Outcome(
        f"{len(minutes)} points, of which the first is stored again, as 0.5",
        answered,
        f"{len(found)} points, the first is {found[0].value}: the newest cell counts",
    )


def deletion_of_whole_hours(_design: Design) -> Outcome:
    """OpenTSDB deletes the rows of all hours that a period touches, and answers only the points of the period."""
    since_ms, until_ms = START_MS + 50 * 60_000, START_MS + 70 * 60_000
    minutes = _minutes(2)
    inside = sum(since_ms <= point.time_ms < until_ms for point in minutes)

    connection = scratch_store(TABLES)
    repository = TsdbRepository(connection)
    repository.store_all(minutes)
    metric_uid = repository.uids.metrics.id_of(METRIC)
    rows = connection.table(POINTS.name)
    for row, _cells in list(scan(rows, POINTS.plan(metric_uid=metric_uid))):
        rows.delete(row)
    wrong = len(repository.points(METRIC, "host", "web-1"))

    repository, _ = _stored(minutes)
    repository.delete_points(METRIC, OF_HOST, since_ms, until_ms)
    right = len(repository.points(METRIC, "host", "web-1"))
    return Outcome(
        f"{len(minutes)} points of two hours, of which the {inside} of twenty minutes are deleted",
        f"{wrong} points are left",
        f"{right} points are left",
    )


def salt_switched_on(_design: Design) -> Outcome:
    """A process with a salt looks for the rows in other places; the rows that it writes are missed by the others."""
    connection = scratch_store(TABLES)
    minutes = _minutes(1)
    repository = TsdbRepository(connection)
    repository.store_all(minutes)
    salted = data_table(POINTS.name, salt=SeriesSalt())
    plan = salted.plan(metric_uid=repository.uids.metrics.id_of(METRIC))
    found = sum(1 for _ in scan(connection.table(POINTS.name), plan))
    try:
        TsdbRepository(connection, TABLES._replace(points=salted))
        opened = "opened"
    except WrongSettings as error:
        opened = f"refused: {error}"
    return Outcome(f"{len(minutes)} points, stored without a salt, read with one", f"{found} rows", opened)


def names_as_question_marks(_design: Design) -> Outcome:
    """OpenTSDB stores names as ISO 8859-1, in which every other character is a question mark."""
    hosts = ("мск-1", "спб-1")
    wrong: dict[tuple[bytes, int], int] = {}
    refused: list[str] = []
    repository = TsdbRepository(scratch_store(TABLES))
    for host in hosts:
        for point in _minutes(1):
            wrong[host.encode("latin-1", "replace"), point.time_ms] = int(point.value)
        try:
            repository.store(Point(METRIC, START_MS, 1, {"host": host}))
        except InvalidKey as error:
            refused.append(str(error))
    return Outcome(
        f"{len(_minutes(1))} points of each of the hosts {' and '.join(hosts)}",
        f"{len(wrong)} points of one host, {next(iter(wrong))[0].decode()}: the others were overwritten",
        f"both refused: {refused[0]}",
    )


def seconds_in_answers(_design: Design) -> Outcome:
    """OpenTSDB's answer is an object of seconds and numbers, so the points of one second replace each other."""
    tenths = [Point(METRIC, START_MS + tenth * 100, tenth, TAGS) for tenth in range(100)]
    _repository, answers = _stored(tenths)
    wrong = {answer.time_ms // 1000: answer.value for answer in answers}
    return Outcome(
        f"{len(tenths)} points, ten in each second", f"{len(wrong)} points in the answer", f"{len(answers)} points"
    )


TRAPS = (
    Trap("two numbers for one time", "tsd.storage.fix_duplicates = false (#422, #510, #653)", two_numbers_for_one_time),
    Trap("a deletion of whole hours", "DELETE /api/query?start=...&end=... (#1939)", deletion_of_whole_hours),
    Trap("a salt switched on later", "tsd.storage.salt.width = 1 (#1536)", salt_switched_on),
    Trap("names as question marks", "a tag value of any letters (#517, #967, #1066)", names_as_question_marks),
    Trap("seconds in answers", "/api/query without msResolution (#819)", seconds_in_answers),
)
