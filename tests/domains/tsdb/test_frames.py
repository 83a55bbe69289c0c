"""Answers as a pandas frame and as an Arrow table."""

import pyarrow
import pytest

from domains.tsdb import to_arrow, to_pandas
from domains.tsdb.asking import frames
from domains.tsdb.asking.series import Series, Values
from tests.domains.tsdb.compacting import HOUR

INTS = Series("cpu", {"host": "web-1", "time": "utc"}, (), Values.of([(HOUR, 1), (HOUR + 1, 2**62)]))
FLOATS = Series("load", {"dc": "lga"}, (), Values.of([(HOUR, 0.5)]))


def test_a_row_is_a_number_with_its_tags_and_ints_stay_ints_if_all_are():
    table = to_arrow([INTS])
    assert table.schema.field("time").type == pyarrow.timestamp("ms", tz="UTC")
    assert table.schema.field("value").type == pyarrow.int64()
    assert table.column("value").to_pylist() == [1, 2**62]
    both = to_arrow([INTS, FLOATS])
    assert both.column_names == ["metric", "dc", "host", "tag_time", "time", "value"]
    assert both.column("value").to_pylist() == [1.0, float(2**62), 0.5]
    rows = both.to_pylist()
    assert (rows[0]["dc"], rows[0]["tag_time"], rows[2]["dc"], rows[2]["host"]) == (None, "utc", "lga", None)


def test_a_frame_of_pandas_has_the_same_columns_and_times_in_utc():
    frame = to_pandas([INTS, FLOATS])
    assert [*frame.columns] == to_arrow([INTS, FLOATS]).column_names
    assert frame["value"].tolist() == [1.0, float(2**62), 0.5]
    assert [time.isoformat() for time in frame["time"]][1] == "2013-01-01T00:00:00.001000+00:00"


@pytest.mark.parametrize("make", [to_arrow, to_pandas])
def test_an_answer_without_numbers_is_a_table_without_rows(make):
    assert len(make([])) == 0
    assert len(make([Series("cpu", {"a": "b"}, (), Values.of(()))])) == 0


def test_both_libraries_are_imported_when_they_are_needed():
    assert vars(frames).keys().isdisjoint({"pandas", "pyarrow"})
