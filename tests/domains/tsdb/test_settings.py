"""Widths and salts: kept with the first repository, compared with every other one, and before that with the rows."""

import pytest

from domains.tsdb.keys import SETTINGS, TABLES, Widths, data_table
from domains.tsdb.records import Point
from domains.tsdb.repository import TsdbRepository
from domains.tsdb.storage.annotations import global_row
from domains.tsdb.storage.codecs import SeriesSalt
from domains.tsdb.storage.settings import METRICS_TRIED, NAMES_CHECKED, ROWS_AT_ONCE, WrongSettings
from shared.designs import metered
from shared.testing import WatchedConnection, paused_at
from shared.writes.dictionaries import Dictionary
from tests.domains.tsdb.compacting import HOUR, HOUR_MS

pytestmark = pytest.mark.sampled

LAYOUTS = {
    "plain": (Widths(), None),
    "salted": (Widths(), SeriesSalt(1, 20)),
    "fewer buckets": (Widths(), SeriesSalt(1, 16)),
    "more buckets": (Widths(), SeriesSalt(1, 40)),
    "all buckets": (Widths(), SeriesSalt(1, 256)),
    "long salt": (Widths(), SeriesSalt(2, 20)),
    "longer tag values": (Widths(tagv=4), None),
    "as long as salted": (Widths(metrics=4), None),
    "as long as plain": (Widths(2, 3, 3), SeriesSalt(1, 20)),
    "pairs as long": (Widths(3, 2, 4), None),
}
FURTHER = "fewer buckets", "all buckets", "long salt", "pairs as long"
"""Layouts whose rows are read in longer runs only."""


def opened(connection, name):
    widths, salt = LAYOUTS[name]
    return TsdbRepository(connection, TABLES._replace(points=data_table("tsdb", widths, salt)), widths=widths)


def points(count=20):
    return [Point("cpu", HOUR + number * 1000, number, {"host": f"web-{number}"}) for number in range(count)]


def forget(connection):
    """Removes the settings, which tables that OpenTSDB made do not have."""
    rows = connection.table(SETTINGS.name)
    for row, _ in rows.scan():
        rows.delete(row)


def kept(connection):
    stored = connection.table(SETTINGS.name).scan()
    return {settings.table: settings.options for row, cells in stored for settings in SETTINGS.records(row, cells)}


BOTH_VALUES = r"^table tsdb(-uid)?: tsd.storage.\S+ must be \d+ \(got \d+\)$"
WIDTHS = {"tsd.storage.uid.width.metric": 3, "tsd.storage.uid.width.tagk": 3, "tsd.storage.uid.width.tagv": 3}
OTHER_WIDTHS = TABLES._replace(points=data_table("tsdb-2", Widths(tagv=4)))
SALTED = {**WIDTHS, "tsd.storage.salt.width": 1, "tsd.storage.salt.buckets": 20}


@pytest.fixture
def connection(new_store):
    return new_store(data_table("tsdb-2"), *TABLES)


def test_tables_of_points_that_share_their_names_have_a_salt_each(connection):
    opened(connection, "salted")
    with pytest.raises(WrongSettings, match=r"^table tsdb-uid: tsd.storage.uid.width.tagv must be 3 \(got 4\)$"):
        TsdbRepository(connection, OTHER_WIDTHS, widths=Widths(tagv=4))
    assert "tsdb-2" not in kept(connection)
    TsdbRepository(connection, TABLES._replace(points=data_table("tsdb-2")))
    assert kept(connection)["tsdb-2"] == {**WIDTHS, "tsd.storage.salt.width": 0}


@pytest.mark.parametrize("kept_name", ["plain", "salted", "as long as salted"])
def test_a_repository_with_equal_settings_costs_one_call_and_others_are_refused_with_both_values(connection, kept_name):
    opened(connection, kept_name)
    before = kept(connection)
    with metered(connection) as cost:
        opened(connection, kept_name)
    assert cost.rpcs == 1
    for name in LAYOUTS.keys() - {kept_name}:
        with pytest.raises(WrongSettings, match=BOTH_VALUES):
            opened(connection, name)
    assert kept(connection) == before


def test_widths_that_are_not_those_of_the_keys_are_refused_before_anything_is_read(connection):
    message = r"table tsdb: tsd.storage.uid.width.tagv must be 3, as in its keys .got 4."
    watched = WatchedConnection(connection)
    with pytest.raises(WrongSettings, match=message):
        TsdbRepository(watched, widths=Widths(tagv=4))
    assert watched.number_of_calls == 0


# ---- tables that have rows and no settings


REFUTED = {
    ("plain", "longer tag values"): "table tsdb-uid: .*width.tagv must be 3, as in its UIDs .got 4.",
    ("plain", "salted"): "table tsdb: must be rows of .*width 1, .*buckets 20 .got row 00 00 01 50 .*: ",
    ("salted", "plain"): r"table tsdb: must be rows of .*salt.width 0 .got row ",
    ("more buckets", "salted"): r"table tsdb: tsd.storage.salt.buckets must be .* \(got 20, by which it is ",
}
"""The errors for rows that were stored by the first settings and are opened by the second; other pairs name a table."""


@pytest.mark.parametrize(
    "stored_name", [pytest.param(name, marks=[pytest.mark.further] * (name in FURTHER)) for name in LAYOUTS]
)
def test_rows_that_are_there_already_prove_the_settings_or_refute_them(connection, stored_name):
    opened(connection, stored_name).store_all(points())
    forget(connection)
    for name in LAYOUTS.keys() - {stored_name}:
        with pytest.raises(WrongSettings, match=f"^{REFUTED.get((stored_name, name), 'table ')}"):
            opened(connection, name)
        assert kept(connection) == {}
    opened(connection, stored_name)
    assert kept(connection).keys() == {"tsdb-uid", "tsdb"}


@pytest.mark.parametrize("has_annotations", [False, True])
@pytest.mark.parametrize("stored_name", ["plain", "salted"])
def test_rows_without_names_and_annotations_of_all_series_do_not_refute_them(connection, stored_name, has_annotations):
    """The first metrics were deleted with OpenTSDB's own tool, which leaves their rows."""
    repository = opened(connection, stored_name)
    deleted = [f"old-{number}" for number in range(METRICS_TRIED - 2)]
    for number, metric in enumerate(deleted):
        repository.store_all(
            Point(metric, HOUR + hour * HOUR_MS, number, {"host": "a"}) for hour in range(ROWS_AT_ONCE)
        )
    repository.store_all(points())
    for metric, uid in repository.uids.metrics.ids_of(deleted).items():
        connection.table("tsdb-uid").delete(metric.encode(), [b"id:metrics"])
        connection.table("tsdb-uid").delete(uid, [b"name:metrics"])
    salt = LAYOUTS[stored_name][1]
    for hour in range(ROWS_AT_ONCE if has_annotations else 0):
        row = global_row(3, HOUR + hour * HOUR_MS, 0 if salt is None else salt.width)
        connection.table("tsdb").put(row, {b"t:\x01\0\0": b"{}"})
    forget(connection)
    opened(connection, stored_name)
    assert kept(connection).keys() == {"tsdb-uid", "tsdb"}


def test_rows_whose_names_are_in_another_table_are_refused(connection):
    opened(connection, "plain").store_all(points())
    forget(connection)
    names = connection.table("tsdb-uid")
    for row, _ in names.scan():
        names.delete(row)
    with pytest.raises(WrongSettings, match=r"table tsdb: must be rows of .*: a UID without a name.$"):
        opened(connection, "plain")


def test_names_without_points_prove_their_widths(connection):
    Dictionary(connection, "tsdb-uid", "tagv", 4).assign("web-1")
    with pytest.raises(WrongSettings, match=r"width.tagv must be 4, as in its UIDs .got 3."):
        opened(connection, "plain")
    opened(connection, "longer tag values")


def test_one_damaged_mapping_does_not_refute_the_others(connection):
    repository = opened(connection, "plain")
    repository.store_all(points(5))
    connection.table("tsdb-uid").put(b"\0\0", {b"name:tagv": b"broken"})
    forget(connection)
    opened(connection, "plain")


def test_a_bounded_number_of_rows_is_read(connection):
    repository = opened(connection, "plain")
    repository.store_all(points(NAMES_CHECKED + 20))
    repository.store_all(Point(f"m-{number}", HOUR, 1, {"host": "a"}) for number in range(NAMES_CHECKED))
    forget(connection)
    with metered(connection) as cost:
        opened(connection, "plain")
    if cost.rows_read is not None:  # HBase does not tell
        assert cost.rows_read <= NAMES_CHECKED + ROWS_AT_ONCE + 3 * ROWS_AT_ONCE
    # The settings, twice three calls of a scan, the names of three kinds, and two checkAndPuts.
    assert cost.rpcs <= 1 + 2 * 3 + 3 + 2


# ---- several processes at once


def test_of_two_first_repositories_the_slower_one_is_refused_and_leaves_nothing(connection):
    for call in range(2):
        forget(connection)
        watched = WatchedConnection(connection, paused_at(call, lambda: opened(connection, "salted")))
        with pytest.raises(WrongSettings, match=r"tsd.storage.salt.width must be 1 \(got 0\)"):
            opened(watched, "plain")
        assert kept(connection) == {"tsdb-uid": WIDTHS, "tsdb": SALTED}


def test_a_process_that_loses_the_names_keeps_no_settings_of_its_points(connection):
    watched = WatchedConnection(connection, paused_at(0, lambda: opened(connection, "plain")))
    with pytest.raises(WrongSettings, match=r"table tsdb-uid: .*tagv must be 3 .got 4."):
        TsdbRepository(watched, OTHER_WIDTHS, widths=Widths(tagv=4))
    assert kept(connection).keys() == {"tsdb-uid", "tsdb"}
