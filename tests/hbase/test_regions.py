"""Tables split on a real HBase as the simulated table does, and its files are as large as predicted."""

import pytest

from shared.exhibit.hfiles import ENCODINGS
from tests.designs import design_named
from tests.programs.hbase.java import FOR_MINUTES
from tests.programs.hbase.server import running
from tests.programs.regions.measuring import measured
from tests.programs.regions.region_recording import FILES_WITHIN, SPLITS_WITHIN, RegionRecording

pytestmark = [pytest.mark.hbase, pytest.mark.long]


def test_files_and_split_points_of_a_real_hbase_are_those_that_are_predicted():
    with running(region_servers=1, java_options=FOR_MINUTES) as hbase:
        files, splits = measured(hbase, design_named("logs"), ["logs", "logs:random"])
    recording = RegionRecording("", "", files, splits)
    assert {one.encoding for one in recording.files} == {*ENCODINGS}
    assert [one for one in recording.files if abs(one.deviation) > FILES_WITHIN] == []
    assert [split for split in recording.splits if split.deviation > SPLITS_WITHIN] == []
    assert [split.variant for split in recording.splits if not split.has_as_many_regions] == []
