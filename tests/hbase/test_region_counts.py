"""The region servers of a real HBase count the writes of a range where its keys say that they land."""

import pytest

from shared.exhibit.heat import Writes
from tests.programs.hbase.stores import named_with
from tests.programs.hot_spots.region_counts import counted_heats


@pytest.mark.hbase
def test_region_servers_count_what_the_keys_give_also_of_rows_that_are_written_again():
    in_time = Writes([number.to_bytes(2, "big") for number in range(800)])
    in_buckets = Writes(
        [bytes([number % 8, number % 50]) for number in range(800)],
        tuple(b"\1\2\3\4\5\6\7"[n : n + 1] for n in range(7)),
    )
    writes = {"in_time": in_time, "in_buckets": in_buckets}
    heats = counted_heats(named_with("thrift2_port", "info_url"), writes)
    assert heats == {name: of_table.heat for name, of_table in writes.items()}
