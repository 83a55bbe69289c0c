"""What is wrong among names, UIDs and points: each fault is planted and found, and a store without any is clean."""

import pytest

from domains.tsdb.keys import TABLES, Widths, data_table
from domains.tsdb.records import Point
from domains.tsdb.repository import TsdbRepository
from domains.tsdb.storage.annotations import Annotation, annotation_qualifier, global_row, pack_annotation
from domains.tsdb.storage.codecs import SeriesSalt
from domains.tsdb.storage.qualifiers import pack_appended
from shared.testing import Stop, WatchedConnection, WriterDied, paused_at, paused_at_call
from shared.writes import Dictionary
from tests.domains.tsdb.compacting import HOUR, HOUR_MS

pytestmark = pytest.mark.sampled

ROW = bytes.fromhex("000001 50e22700 000001000001")
"""The first row of web-1."""
TOO_LOW = "row 00: the counter of tagv must be 3 or more, as the last UID"
NO_NAME = "row 00 00 03: tagv 00 00 03: must have a name of 1..32767 bytes, not 00"


@pytest.fixture
def tsdb(connection):
    """Two metrics of three hosts in two hours: 12 rows, 2 + 1 + 3 names."""
    repository = TsdbRepository(connection)
    repository.store_all(
        Point(metric, HOUR + hour * HOUR_MS, hour, {"host": f"web-{host}"})
        for metric in ("cpu", "load")
        for host in (1, 2, 3)
        for hour in (0, 1)
    )
    return repository


@pytest.fixture
def names(connection):
    return connection.table("tsdb-uid")


@pytest.fixture
def points(connection):
    return connection.table("tsdb")


def found(repository):
    return list(map(str, repository.upkeep.verify()))


# ---- clean stores


@pytest.mark.parametrize(("widths", "salt"), [(Widths(), None), (Widths(1, 2, 4), SeriesSalt(2, 20))])
def test_a_clean_store_is_clean_and_all_of_it_is_compared(new_store, widths, salt):
    tables = TABLES._replace(points=data_table("tsdb", widths, salt))
    repository = TsdbRepository(new_store(*tables), tables, widths=widths)
    repository.store_all(Point("same", HOUR + hour * HOUR_MS, 1, {"same": "same", "a": "b"}) for hour in range(600))
    verifier = repository.upkeep
    batches = []
    assert list(verifier.verify(lambda: batches.append(verifier.counts))) == []
    assert verifier.counts == {"mapping": 2 * 5, "row": 600}
    assert [counts["row"] for counts in batches] == [0, 250, 500, 600]
    assert list(verifier.verify()) == [], "it may be asked again"
    assert verifier.counts == {"mapping": 2 * 5, "row": 600}


def test_all_forms_of_cells_that_can_be_read_are_right(tsdb, points):
    note = Annotation(HOUR // 1000 + 5, "a note")
    points.put(
        ROW,
        {
            b"t:\5\0\0": pack_appended([(1000, 2), (500, 3.5)]),
            b"t:" + annotation_qualifier(note.start_time): pack_annotation(note),
            b"t:\x06\0\0": b"a histogram",
        },
    )
    points.put(global_row(3, HOUR), {b"t:" + annotation_qualifier(note.start_time): pack_annotation(note)})
    assert found(tsdb) == []


# ---- names


def test_a_name_of_a_uid_is_put_back_if_just_one_name_has_the_uid(tsdb, names, connection):
    names.delete(b"\0\0\2", [b"name:tagv"])
    repaired = [(str(finding), mended) for finding, mended in TsdbRepository(connection).upkeep.repair()]
    assert repaired == [("tsdb-uid: missing row 00 00 02: tagv 'web-2' has this UID", True)], "no row is orphaned now"
    assert found(tsdb) == []
    names.put(b"web-9", {b"id:tagv": b"\0\0\2"})
    names.delete(b"\0\0\2", [b"name:tagv"])
    of_names = [mended for finding, mended in tsdb.upkeep.repair() if finding.kind == "missing"]
    assert of_names == [False, False], "either name may be the right one"
    assert names.row(b"\0\0\2", [b"name:tagv"]) == {}


@pytest.mark.parametrize("call", [1, 2])
def test_writers_that_die_or_lose_while_they_assign_a_name_leave_leaked_uids_only(tsdb, connection, call):
    def stop(number, sent):
        return Stop(number) if number == call else None

    with pytest.raises(WriterDied):
        Dictionary(WatchedConnection(connection, stop), "tsdb-uid", "tagv", 3).assign("web-4")
    faster = paused_at(2, lambda: Dictionary(connection, "tsdb-uid", "tagv", 3).assign("web-5"))
    Dictionary(WatchedConnection(connection, faster), "tsdb-uid", "tagv", 3).assign("web-5")
    findings = list(tsdb.upkeep.verify())
    assert {finding.kind for finding in findings} == {"leaked"}
    reasons = {"leaked row 00 00 05: tagv 'web-5' has the UID 00 00 06"}
    reasons |= {"leaked row 00 00 04: tagv 'web-4' has no UID"} if call == 2 else set()
    assert {str(finding).removeprefix("tsdb-uid: ") for finding in findings} == reasons


@pytest.mark.parametrize(
    ("row", "cells", "message"),
    [
        (b"x", {b"id:tagv": b"\7\7"}, "undecodable row 78: tagv 'x': must have a UID of 3 bytes (got 2: 07 07)"),
        (b"x", {b"id:tagv": b""}, "undecodable row 78: tagv 'x': must have a UID of 3 bytes (got 0: none)"),
        (b"\0\7", {b"name:tagk": b"host"}, "undecodable row 00 07: tagk 'host': must have a UID of 3 bytes (got 2: 00"),
        (b"\0\0\3", {b"name:tagv": b""}, f"undecodable {NO_NAME} (got none)"),
        (b"\0\0\3", {b"name:tagv": b"\0"}, f"undecodable {NO_NAME} (got 00)"),
        (b"\0", {b"id:tagk": b"\0\1"}, "undecodable row 00: the counter of tagk must be 8 bytes (got 00 01)"),
        (b"\0", {b"id:tagv": bytes(7) + b"\2"}, f"differing {TOO_LOW} (got 2)"),
        (b"web-9", {b"id:tagv": b"\0\0\2"}, "differing row 00 00 02: tagv 'web-9' has this UID, whose name is 'web-2'"),
    ],
)
def test_damaged_or_contradicting_mappings_and_counters(tsdb, names, row, cells, message):
    names.put(row, cells)
    assert any(finding.startswith(f"tsdb-uid: {message}") for finding in found(tsdb))


def test_a_name_that_is_the_uid_of_another_one_is_compared_as_both(tsdb, names):
    """The name `cpu` and a UID 63 70 75 share a row."""
    names.put(b"\0", {b"id:tagv": (0x637075).to_bytes(8, "big")})
    names.put(b"web-9", {b"id:tagv": b"cpu"})
    names.put(b"cpu", {b"name:tagv": b"web-9"})
    assert found(tsdb) == []


# ---- points


POINT, BRACE = {b"t:\0\0": b"\1"}, {b"t:\1\0\0": b"{"}


@pytest.mark.parametrize(
    ("row", "cells", "message"),
    [
        (ROW[:-1], POINT, "must be 1..8 pairs of 6 bytes (got 5 bytes"),
        (ROW[:3] + b"\x50\xe2\x27\x01" + ROW[7:], POINT, "must be a multiple of 3600000"),
        (ROW[:7], POINT, "must be 1..8 pairs of 6 bytes (got 0 bytes"),
        (ROW + ROW[7:], POINT, "no tag twice"),
        (ROW, {b"t:\0\0\0\x10": b"\1"}, "cell 00 00 00 10: must be 2 bytes for its 2 points"),
        (ROW, {b"t:\0\3": b"123"}, "cell 00 03: must be an int of 1, 2, 4 or 8 bytes"),
        (ROW, {b"t:": b"\1"}, "qualifier: must be of a point (got no bytes)"),
        (ROW, {b"t:\5\0\0": b"\0"}, "cell 05 00 00: needs "),
        (ROW, BRACE, "Annotation: must be its JSON"),
        (global_row(3, HOUR), BRACE, "Annotation: must be its JSON"),
    ],
)
def test_rows_and_cells_that_cannot_be_read(tsdb, points, row, cells, message):
    points.put(row, cells)
    (finding,) = tsdb.upkeep.verify()
    assert (finding.kind, finding.table, finding.row) == ("undecodable", "tsdb", row)
    assert message in finding.reason


def test_different_numbers_of_one_time_are_wrong_for_a_strict_repository_only(tsdb, connection, points):
    points.put(ROW, {b"t:\0\1": b"\1\1"})
    assert found(tsdb) == []
    (finding,) = TsdbRepository(connection, duplicates="strict").upkeep.verify()
    assert "cells of one time must hold the same number" in finding.reason


@pytest.mark.parametrize(
    ("uid", "column", "name", "start"),
    [(b"\0\0\2", b"metrics", b"load", 0), (b"\0\0\1", b"tagk", b"host", 7), (b"\0\0\3", b"tagv", b"web-3", 10)],
)
def test_rows_whose_names_were_deleted_are_orphaned(tsdb, names, points, uid, column, name, start):
    """As OpenTSDB's `uid delete` leaves them."""
    names.delete(uid, [b"name:" + column])
    names.delete(name, [b"id:" + column])
    orphaned = [row for row, _ in points.scan() if row[start : start + 3] == uid]
    assert orphaned
    assert found(tsdb) == [
        f"tsdb: orphaned row {row.hex(' ')}: {column.decode()} {uid.hex(' ')} has no name" for row in orphaned
    ]


def test_rows_with_a_leaked_uid_are_orphaned(tsdb, names):
    """Somebody lost the forward mapping, and the name was assigned again."""
    names.delete(b"web-1", [b"id:tagv"])
    found_before = found(tsdb)
    assert found_before[0] == "tsdb-uid: leaked row 00 00 01: tagv 'web-1' has no UID"
    assert found_before[1] == f"tsdb: orphaned row {ROW.hex(' ')}: tagv 00 00 01 is leaked: tagv 'web-1' has no UID"
    assert len(found_before) == 1 + 4
    tsdb.uids.tag_values.forget()
    tsdb.store(Point("cpu", HOUR, 7, {"host": "web-1"}))
    assert found(tsdb)[1].endswith(": tagv 00 00 01 is leaked: tagv 'web-1' has the UID 00 00 04")
    assert [series.values.points() for series in tsdb.read("cpu")].count([(HOUR, 7)]) == 1


# ---- writers at work


def test_a_rename_under_way_is_not_reported(tsdb, connection):
    """The verifier reads a batch of names, and the name of each UID after the rename."""
    for call in range(20):
        old, new = ("web-2", f"db-{call}") if call == 0 else (f"db-{call - 1}", f"db-{call}")
        rename = paused_at_call(call, lambda old=old, new=new: tsdb.uids.tag_values.rename(old, new))
        watched = WatchedConnection(connection, before_call=rename)
        assert found(TsdbRepository(watched)) == [], call
        if watched.number_of_calls <= call:
            tsdb.uids.tag_values.rename(old, new)


def test_points_and_names_that_are_stored_meanwhile_are_not_reported(tsdb, connection):
    for call in range(20):
        point = Point(f"new-{call}", HOUR, 1, {f"tag-{call}": f"value-{call}"})
        watched = WatchedConnection(connection, before_call=paused_at_call(call, lambda point=point: tsdb.store(point)))
        assert found(TsdbRepository(watched)) == [], call
