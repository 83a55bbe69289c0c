"""The same tables as a running OpenTSDB 2.4.1: it writes and we read, we write and it answers, both do at once."""

import random
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import attrs
import pytest

from domains.tsdb import (
    TABLES,
    Annotation,
    Point,
    TagFilter,
    TsdbRepository,
    Widths,
    WrongSettings,
    data_table,
    uid_tables,
)
from domains.tsdb.formats import import_line
from domains.tsdb.storage.codecs import SeriesSalt
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.opentsdb.questions import HOUR_MS, KINDS, LaterClock, Side, T, generated
from tests.programs.opentsdb.server import COMPACTING, running

pytestmark = pytest.mark.opentsdb

METRICS = ("ints", "floats", "mixed", "totals")
EQUAL = ("", "")
"""What `Side.difference` returns for equal answers."""


def both(repository, opentsdb):
    """Our answers and those of an OpenTSDB, from its default tables."""
    return Side(KINDS[0], repository, opentsdb)


def by_tags(answered):
    """Points by tags; series without points are left out."""
    return {tags: points for tags, _aggregated, points in answered if points}


def ours(repository, *period):
    return by_tags(both(repository, None).ours(*period))


def wait_until(is_so):
    """Whether it becomes so within a minute."""
    latest_s = time.monotonic() + 60
    while not (reached := is_so()) and time.monotonic() < latest_s:
        time.sleep(0.1)
    return reached


@pytest.fixture(scope="session")
def stored(connection):
    """Generated series, of which the first hour is compacted."""
    repository = TsdbRepository(connection)
    for metric in METRICS:
        repository.store_all(generated(metric))
        assert TsdbRepository(connection, clock=LaterClock()).compact(metric, T, T + HOUR_MS).compacted > 0
    return repository


NUMBERS = (0, 127, 128, -129, 40_000, 2**31, -(2**63), 2**63 - 1, 0.5, 0.1, -1e300, 3.0)


def test_no_point_is_lost_while_both_write_and_compact_the_same_rows(hbase, connection):
    rows, seconds = 6, 100
    series = [{"host": f"both-{number}"} for number in range(rows)]
    with running(hbase.ports.zookeeper, COMPACTING) as opentsdb:

        def we_write():
            with closing(connect(hbase.url)) as own:
                repository, compacting = TsdbRepository(own), TsdbRepository(own, clock=LaterClock())
                for second in range(0, seconds, 2):
                    repository.store_all(Point("both", T + second * 1000, second, tags) for tags in series)
                    compacting.compact("both")

        def it_writes():
            for second in range(1, seconds, 2):
                opentsdb.put(Point("both", T + second * 1000, second, tags) for tags in series)
                opentsdb.query("sum:both", T, T + HOUR_MS)  # which makes it compact the rows

        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(we_write), pool.submit(it_writes)]:
                done.result()
        time.sleep(3)
        wanted = [(T + second * 1000, second) for second in range(seconds)]
        sides, period = both(TsdbRepository(connection), opentsdb), ("none:both", T, T + HOUR_MS)
        for answered in (sides.ours(*period), sides.theirs(*period)):
            assert by_tags(answered) == {(("host", tags["host"]),): wanted for tags in series}


def test_the_cells_of_a_point_are_those_of_telnet_and_differ_from_its_other_interfaces_as_the_page_says(
    connection, opentsdb
):
    repository, host = TsdbRepository(connection), {"host": "a"}

    def cells(metric):
        uid, rows = repository.uids.metrics.id_of(metric), repository._points.rows
        found = [] if uid is None else [cells for _, cells in rows.scan(row_prefix=uid)]
        return {column[2:].hex(): value.hex() for row in found for column, value in row.items()}

    numbers = {0: 300, 1000: 0.1, 2000: 0.5, 3500: 1}
    points = [Point("ours", T + at_ms, number, host) for at_ms, number in numbers.items()]
    repository.store_all(points)
    for metric in ("telnet", "put"):
        opentsdb.put_lines(import_line(attrs.evolve(point, metric=metric)) for point in points)
    opentsdb.put_lines([f"late {T} 8 host=a"])
    opentsdb.put([Point("http", T, 8, host), Point("http", T + 1000, 0.5, host)])
    lines = opentsdb.folder / "lines.txt"
    lines.write_text(f"imported {T // 1000} 0.1 host=a\nput {T // 1000 + 5} 9 host=a\n")
    opentsdb.run_tool("TextImporter", str(lines))
    lines.write_text(f"imported {T // 1000} 1e300 host=a\n")
    assert "value is NaN or Infinite" in opentsdb.run_tool("TextImporter", str(lines))
    wait_until(lambda: cells("put").keys() > cells("ours").keys())
    assert cells("telnet") == cells("ours")
    assert cells("ours") == {"0001": "012c", "001f": "3fb999999999999a", "002b": "3f000000", "f0036b00": "01"}
    assert cells("put") == cells("ours") | {"0050": "09"}, "a metric of this name, in both kinds of lines"
    assert cells("late") == {"f0000000": "08"}
    assert cells("http") == {"f0000000": "08", "f000fa0f": "3fe0000000000000"}
    assert cells("imported") == {"000b": "3dcccccd"}


def test_series_by_their_tsuids_get_equal_numbers_from_both(stored, opentsdb):
    dice = random.Random(7)
    for metric in METRICS:
        tsuids = [tsuid for series in stored.read(metric) for tsuid in series.tsuids]
        for answer in opentsdb.query(f"none:{metric}", T, T + 3 * HOUR_MS):
            assert answer["tsuids"] == [stored.tsuid(metric, answer["tags"])]
        for steps in ("sum", "none", "avg:7m-avg", "max:rate"):
            asked = dice.sample(tsuids, dice.randrange(1, 5))
            for text in (",".join(asked), ",".join(asked).lower()):
                period = (f"tsuid={steps}:{text}", T, T + 3 * HOUR_MS)
                assert both(stored, opentsdb).difference(*period) == EQUAL
                assert ours(stored, *period)


def test_annotations_of_either_are_read_and_changed_by_the_other(connection, opentsdb):
    repository = TsdbRepository(connection)
    repository.store(Point("noted", T, 1, {"host": "a"}))
    seconds, tsuid = T // 1000, repository.tsuid("noted", {"host": "a"})
    starts = {"": (seconds + 1, seconds + 1000, T + 2500), tsuid: (seconds + 2, seconds + 1000, T + 3500)}

    def its_annotations():
        (answer,) = opentsdb.query("none:noted", T, T + HOUR_MS)
        found = [*answer["globalAnnotations"], *answer["annotations"]]
        return {(note["tsuid"], note["startTime"], note["description"], note["notes"]) for note in found}

    def our_annotations():
        found = [*repository.global_annotations(T, T + HOUR_MS), *repository.annotations("noted", (), T, T + HOUR_MS)]
        return {(note.tsuid, note.start_time, note.description, note.notes) for note in found}

    ours_first = [Annotation(start, f"ours \u00fc {start}", tsuid=of) for of, all_ in starts.items() for start in all_]
    for annotation in ours_first:
        assert repository.store_annotation(annotation)
    its_first = [(of, start + 100, "its", "") for of, all_ in starts.items() for start in all_]
    for of, start, description, _ in its_first:
        opentsdb.annotate({"startTime": start, "description": description} | ({"tsuid": of} if of else {}))
    assert our_annotations() == its_annotations()
    assert len(our_annotations()) == 12
    for annotation in ours_first:  # it keeps the description, and we expect what it has stored
        opentsdb.annotate(
            {"startTime": annotation.start_time, "notes": "by it"} | ({"tsuid": tsuid} if annotation.tsuid else {})
        )
        changed = attrs.evolve(annotation, notes="by it")
        assert not repository.store_annotation(attrs.evolve(annotation, notes="by us"), replaced=annotation)
        assert repository.store_annotation(attrs.evolve(annotation, notes="by us"), replaced=changed)
    assert our_annotations() == its_annotations()
    assert {notes for *_, notes in our_annotations()} == {"by us", ""}
    for annotation in ours_first:
        assert repository.delete_annotation(attrs.evolve(annotation, notes="by us"))
    assert our_annotations() == its_annotations() == set(its_first)


def test_appended_points_of_either_are_read_by_the_other(hbase, connection, opentsdb):
    repository = TsdbRepository(connection)
    series = {"host": "a"}
    points = [Point("appended", T + 250 * at, number, series) for at, number in enumerate(NUMBERS)]
    period = ("none:appended", T, T + HOUR_MS)
    strict = {"tsd.storage.enable_appends": "true", "tsd.storage.fix_duplicates": "false"}
    with running(hbase.ports.zookeeper, strict) as appending:
        repository.append(points[::2])
        appending.put(points[1::2])
        appending.put([Point("appended", T, 9, series)])
        repository.append([Point("appended", T + 250, 10, series)])
        wanted = [(point.time_ms, point.value) for point in points]
        wanted[:2] = [(T, 9), (T + 250, 10)]
        wait_until(lambda: ours(repository, *period) == {(("host", "a"),): wanted})
        assert ours(repository, *period) == {(("host", "a"),): wanted}
        for its in (appending, opentsdb):
            assert both(repository, its).difference(*period) == EQUAL
        assert repository.correct([Point("appended", T + at, 0.1, series) for at in (250, 100)]).left == 0
        assert ours(repository, *period) == {(("host", "a"),): [(T, 9), (T + 100, 0.1), (T + 250, 0.1), *wanted[2:]]}
        assert both(repository, appending).difference(*period) == EQUAL


@pytest.mark.parametrize("compacted", ["never", "by us", "by it"])
def test_what_a_deletion_inside_of_hours_leaves_is_answered_equally(
    hbase, connection, opentsdb, monkeypatch, compacted
):
    quiet_ms = 2000
    monkeypatch.setattr("domains.tsdb.changing.deleting.QUIET_MS", quiet_ms)
    metric = f"deleted.{compacted}".replace(" ", ".")
    period = (f"none:{metric}", T, T + 3 * HOUR_MS)
    repository = TsdbRepository(connection)
    points = [attrs.evolve(point, metric=metric) for point in generated("mixed")]
    repository.store_all(points)
    points_of_rows = Counter((point.tags, point.time_ms // HOUR_MS) for point in points)
    rows = sum(count > 1 for count in points_of_rows.values())

    def it_compacts():
        """Until every row is one cell, and its tombstones are old enough for the next deletion."""
        prefix = repository.uids.metrics.id_of(metric)
        with running(hbase.ports.zookeeper, COMPACTING) as compacting:

            def is_compacted():
                compacting.query(*period)
                return all(len(cells) == 1 for _, cells in connection.table("tsdb").scan(row_prefix=prefix))

            assert wait_until(is_compacted)

    if compacted == "by us":
        assert TsdbRepository(connection, clock=LaterClock()).compact(metric).compacted == rows
    elif compacted == "by it":
        it_compacts()
    time.sleep(quiet_ms / 1000 + 1)
    remaining = {(point.tags, point.time_ms) for point in points}
    dice = random.Random(compacted)
    for _ in range(4):
        since_ms, until_ms = sorted(T + dice.randrange(3 * 3600) * 1000 for _ in range(2))
        host = dice.choice("abe")
        result = repository.delete_points(metric, [TagFilter("host", "literal_or", host)], since_ms, until_ms)
        assert (result.postponed, result.failed) == (0, ())
        remaining = {
            (tags, time_ms)
            for tags, time_ms in remaining
            if dict(tags).get("host") != host or not since_ms <= time_ms < until_ms
        }
        assert sorted(answer.time_ms for answer in repository.query(*period)) == sorted(ms for _, ms in remaining)
        assert both(repository, opentsdb).difference(*period) == EQUAL
    assert len(remaining) < len(points)
    it_compacts()
    assert len(repository.query(*period)) == len(remaining)
    assert both(repository, opentsdb).difference(*period) == EQUAL
    opentsdb.put(point for point in points if (point.tags, point.time_ms) not in remaining)
    assert len(repository.query(*period)) == len(points)
    assert both(repository, opentsdb).difference(*period) == EQUAL


def test_names_that_both_assign_at_once_have_one_uid(hbase, connection, opentsdb):
    names = [f"race-{number}" for number in range(200)]

    def we_assign(seed):
        shuffled = random.Random(seed).sample(names, len(names))
        with closing(connect(hbase.url)) as own:
            uids = TsdbRepository(own).uids
            return {name: uids.metrics.assign(name) for name in shuffled}

    def it_assigns(seed):
        for name in random.Random(seed).sample(names, len(names)):
            opentsdb.assign("metric", [name])

    with ThreadPoolExecutor() as pool:
        its = [pool.submit(it_assigns, seed) for seed in (1, 2)]
        answers = [done.result() for done in [pool.submit(we_assign, seed) for seed in (3, 4)]]
        for done in its:
            done.result()
    stored_uids = TsdbRepository(connection).uids.metrics.ids_of(names)
    assert answers == [stored_uids, stored_uids]
    assert len({*stored_uids.values()}) == len(names)
    assert TsdbRepository(connection).uids.metrics.names_of(stored_uids.values()) == {
        uid: name for name, uid in stored_uids.items()
    }


def test_tables_that_it_made_prove_their_widths_and_salt_or_refute_them(hbase, connection):
    widths = Widths(metrics=2, tagk=3, tagv=4)
    uids, names = uid_tables("made-uid")
    tables = TABLES._replace(points=data_table("made", widths, SeriesSalt(1, 7)), uids=uids, names=names)
    create_tables(connection, tables)
    options = {
        "tsd.storage.uid.width.metric": 2,
        "tsd.storage.uid.width.tagv": 4,
        "tsd.storage.salt.width": 1,
        "tsd.storage.salt.buckets": 7,
    }
    with running(hbase.ports.zookeeper, options, {"data": "made", "uid": "made-uid"}) as opentsdb:
        opentsdb.put(Point("made", T + 1000, host, {"host": f"h-{host}"}) for host in range(20))
        for wrong_widths, wrong_salt, message in (
            (Widths(), SeriesSalt(1, 7), r"made-uid: tsd.storage.uid.width.metric must be 2, as in its UIDs .got 3."),
            (Widths(2, 3, 3), SeriesSalt(1, 7), r"made-uid: tsd.storage.uid.width.tagv must be 4, as in its UIDs"),
            (widths, SeriesSalt(2, 7), r"made: must be rows of .*tsd.storage.salt.width 2, .*buckets 7 .got row "),
            (widths, SeriesSalt(1, 14), r"made: tsd.storage.salt.buckets must be .*got 14, by which it is"),
        ):
            wrong = tables._replace(points=data_table("made", wrong_widths, wrong_salt))
            with pytest.raises(WrongSettings, match=message):
                TsdbRepository(connection, wrong, widths=wrong_widths)
        repository = TsdbRepository(connection, tables, widths=widths)
        assert len(ours(repository, "none:made", T, T + HOUR_MS)) == 20
        repository.store(Point("ours", T, 7, {"host": "h-1"}))
        its = both(repository, opentsdb).theirs("none:ours", T, T + HOUR_MS)
        assert by_tags(its) == {(("host", "h-1"),): [(T, 7)]}
    verifier = repository.upkeep
    assert list(verifier.verify()) == []
    assert verifier.counts == {"mapping": 2 * (2 + 1 + 20), "row": 21}
    with pytest.raises(WrongSettings, match=r"made-uid: tsd.storage.uid.width.metric must be 2 .got 3."):
        TsdbRepository(connection, tables._replace(points=data_table("made")))


def leaked_by_fsck(report):
    """The kind and the UID of each leaked one that its `uid fsck` names."""
    lost = re.findall(r"(?:Inconsistent|Duplicate) reverse (\w+) mapping ([0-9A-F]+) ->", report)
    dead = re.findall(r"Reverse (\w+) mapping is missing forward mapping: \S+ -> ([0-9A-F]+)", report)
    return {*lost, *dead}


def test_its_own_check_of_uids_finds_the_same_leaked_ones_and_nothing_else(hbase, connection, opentsdb):
    tsdb = TsdbRepository(connection)
    for name in ("one", "two"):
        tsdb.uids.metrics.assign(name)
    connection.table("tsdb-uid").put(tsdb.uids.metrics.id_of("one")[:2] + b"\xff", {b"name:tagk": b"dead"})
    connection.table("tsdb-uid").counter_inc(b"\0", b"id:tagk", 255)
    report = opentsdb.run_tool("UidManager", "fsck")
    faults = [line for line in report.splitlines() if "ERROR" in line and "errors." not in line]
    assert [line for line in faults if not re.search("(Inconsistent|Duplicate) reverse", line)] == [], report
    findings = list(tsdb.upkeep.verify())
    assert {finding.kind for finding in findings} == {"leaked"}
    leaked = {(finding.reason.partition(" ")[0], finding.row.hex().upper()) for finding in findings}
    assert leaked == leaked_by_fsck(report)


def test_its_own_check_of_uids_finds_the_same_wrong_mappings(connection, opentsdb):
    tsdb, names = TsdbRepository(connection), connection.table("tsdb-uid")
    one = tsdb.uids.metrics.assign("one")
    names.put(b"alias", {b"id:metrics": one})
    names.put(b"lost", {b"id:metrics": b"\xff\xff\xf0"})
    try:
        report = opentsdb.run_tool("UidManager", "fsck")
        findings = {str(finding) for finding in tsdb.upkeep.verify() if not finding.is_harmless}
    finally:
        for name in (b"alias", b"lost"):
            names.delete(name, [b"id:metrics"])
    assert f"Forward metrics mapping alias -> {one.hex().upper()} is different than reverse mapping" in report
    assert "Forward metrics mapping is missing reverse mapping: lost -> FFFFF0" in report
    (counter,) = re.findall(r"found an ID of 16777200 for metrics but the max ID is only (\d+)", report)
    assert findings == {
        f"tsdb-uid: differing row {one.hex(' ')}: metrics 'alias' has this UID, whose name is 'one'",
        "tsdb-uid: missing row ff ff f0: metrics 'lost' has this UID",
        f"tsdb-uid: differing row 00: the counter of metrics must be 16777200 or more, as the last UID (got {counter})",
    }
