"""Whole files of real data, where they exist: every line is a record, and each of another key is stored."""

import pytest

from domains.monitoring import Point
from domains.monitoring.formats import FORMATS
from domains.monitoring.shown.variants import metric_host_time
from shared.keys import InvalidKey
from shared.loading import Description, read_lines, read_records
from tests.copies import ROOT
from tests.designs import all_designs
from tests.programs.growth import store_records

REAL = ROOT.parent / "shared" / "data"
FILES = [
    ("activity", "audit/*.log", 2_463, 2_463),  # of 5,000 lines 2,327 name a user; some say that they were repeated
    ("changes", "cdc/*.jsonl", 863, 863),
    ("catalog", "orders/*.csv", 3_260, 3_260),  # items of 5,000 sales
    ("counters", "logs/apache_access.log", 3_500, 3_500),
    ("counters", "audit/auth_first5000.log", 218, 218),  # the log-ins that were accepted
    ("messages", "messages/*.messages.jsonl", 3_316, 3_316),
    ("orders", "orders/*.csv", 5_000, 5_000),
    ("logs", "logs/apache_access.log", 3_500, 3_500),
    ("logs", "logs/kafka/*/*", 3_207, 3_207),
    ("monitoring", "metrics/nab/*.csv", 26_133, 26_133 - 11),  # twelve points of a disk share an hour of clock change
    ("monitoring", "metrics/*.jsonl", 17_100, 17_100),
    ("tsdb", "metrics/nab/*.csv", 26_133, 26_133 - 11),
    ("tsdb", "metrics/*.jsonl", 17_100, 17_100),
    ("documents", "profiles/congress_current.jsonl", 537, 537),
]
YEARS = {"auth_first5000.log": 2017}
"""Assumed: the file does not say it."""
SALES = {"order_number": "tx", "seller_id": "from", "buyer_id": "to", "placed_ms": "timestamp", "item": "id"}
MAPPINGS = {"orders": SALES | {"amount": "price (in wei)"}}

pytestmark = [pytest.mark.long, pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")]


@pytest.mark.parametrize(("name", "files", "records", "kept"), FILES, ids=[f"{case[0]}: {case[1]}" for case in FILES])
def test_all_records_of_real_files_are_read_and_those_of_other_keys_kept(engine, name, files, records, kept):
    (design,) = (design for design in all_designs() if design.name == name)
    (load,), (table, *_) = design.loads, design.main.tables
    with engine.shared_store(*design.main.tables) as connection:
        repository, read = design.main.open(connection), 0
        for path in sorted(REAL.glob(files)):
            for again in (False, True):
                transform = load.new_record_transform()
                given = Description(year=YEARS.get(path.name)).with_fields(column=MAPPINGS.get(name, {}))
                lines = read_lines(path, load.record, formats=load.formats, description=given)
                of_file = [transform(line.record) for line in lines]
                store_records(design.main, load, repository, of_file)
                read += 0 if again else len(of_file)
        rows = connection.table(table.name).scan()
        assert (read, sum(len(table.records(row, cells)) for row, cells in rows)) == (records, kept)


def test_the_published_plan_b_refuses_156_of_292_real_series_because_of_their_names():
    paths = [*REAL.glob("metrics/nab/*.csv"), *REAL.glob("metrics/*.jsonl")]
    points = [point for path in paths for point in read_records(path, Point, FORMATS)]
    series = {(point.host, point.metric) for point in points}
    refused = []
    for host, metric in series:
        try:
            metric_host_time.TABLE.layout.row(Point(host, metric, 0, 0.0))
        except InvalidKey:
            refused.append(metric)
    assert (len(series), len(refused)) == (292, 156)
    assert all("_" in metric for metric in refused)
