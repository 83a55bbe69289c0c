"""A backup whose sources were copied last needs no more than `repair`."""

import pytest

from tests.programs.hbase.stores import named_with

from .backups import CHANGED, ORDERS, Copies, Restored, Snapshots, measured

LAST, FIRST = ORDERS.values()


def test_a_backup_with_the_sources_last_is_mended_by_a_repair(engine):
    assert measured(engine, LAST, Copies()) == Restored(CHANGED, 0, 0)


def test_a_backup_with_the_sources_first_has_lines_that_only_restore_makes_records_of(engine):
    assert measured(engine, FIRST, Copies()) == Restored(CHANGED, CHANGED, 0)


def test_a_backup_without_dates_has_earlier_lines_that_look_newer_than_their_sources(engine):
    assert measured(engine, LAST, Copies(keeps_dates=False)).left == CHANGED // 2


@pytest.mark.hbase
@pytest.mark.long
def test_snapshots_of_hbase_need_the_same_order(engine):
    snapshots = Snapshots(named_with("info_url").info_url)
    assert measured(engine, LAST, snapshots) == Restored(CHANGED, 0, 0)
    assert measured(engine, FIRST, snapshots) == Restored(CHANGED, CHANGED, 0)
