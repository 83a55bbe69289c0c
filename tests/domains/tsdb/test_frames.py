"""Answers as a pandas frame and as an Arrow table."""

import pyarrow
import pytest

from domains.tsdb import frames, to_arrow, to_pandas
from domains.tsdb.series import Series, Values
from shared.records import parse_time

T = parse_time("2013-01-01T00:00")
INTS = Series("cpu", {"host": "web-1", "time": "utc"}, (), Values.of([(T, 1), (T + 1, 2**62)]))
FLOATS = Series("load", {"dc": "lga"}, (), Values.of([(T, 0.5)]))


def test_a_row_is_a_number_with_its_tags_and_ints_stay_ints_if_all_are():
    table = to_arrow([INTS])
    assert table.schema.field("time").type == pyarrow.timestamp("ms", tz="UTC")
    assert table.schema.field("value").type == pyarrow.int64()
    assert table.column("value").to_pylist() == [1, 2**62]
    frame = to_pandas([INTS, FLOATS])
    assert [*frame.columns] == ["metric", "dc", "host", "tag_time", "time", "value"]
    assert frame["value"].tolist() == [1.0, float(2**62), 0.5]
    assert [time.isoformat() for time in frame["time"]][1] == "2013-01-01T00:00:00.001000+00:00"
    rows = to_arrow([INTS, FLOATS]).to_pylist()
    assert (rows[0]["dc"], rows[0]["tag_time"], rows[2]["dc"], rows[2]["host"]) == (None, "utc", "lga", None)


@pytest.mark.parametrize("make", [to_arrow, to_pandas])
def test_an_answer_without_numbers_is_a_table_without_rows(make):
    assert len(make([])) == 0
    assert len(make([Series("cpu", {"a": "b"}, (), Values.of(()))])) == 0


def test_both_libraries_are_imported_when_they_are_needed():
    assert vars(frames).keys().isdisjoint({"pandas", "pyarrow"})
