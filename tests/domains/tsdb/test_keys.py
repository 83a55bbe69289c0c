"""Row keys: OpenTSDB's, byte for byte, with any widths and salts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.tsdb.keys import POINTS, Widths, data_table
from domains.tsdb.records import SeriesPoint
from domains.tsdb.storage.codecs import LatinText, Seconds, SeriesSalt, TagPairs
from shared.keys import InvalidKey, between
from tests.domains.tsdb.compacting import HOUR, HOUR_MS


def point(metric, tags, time_ms=HOUR):
    return SeriesPoint(bytes.fromhex(metric), time_ms, bytes.fromhex(tags), 1)


def test_widths_and_a_salt():
    table = data_table(widths=Widths(2, 1, 4), salt=SeriesSalt(2, 20))
    row = table.row(point("0001", "01 00000002"))
    assert row == bytes.fromhex("0009 0001 50E22700 01 00000002")
    assert table.key.decode(row).tag_uids == bytes.fromhex("01 00000002")
    assert len(table.splits.points) == 19
    assert len(table.plan(metric_uid=b"\0\1", time_ms=between(HOUR, HOUR + HOUR_MS)).ranges) == 20


@given(st.dictionaries(st.binary(min_size=3, max_size=3), st.binary(min_size=3, max_size=3), min_size=1, max_size=8))
def test_tags_come_back_whatever_their_order(tags):
    pairs = TagPairs(3, 3)
    joined = pairs.join(tags)
    assert pairs.split(pairs.decode(pairs.encode(joined))) == tags
    assert pairs.join(dict(reversed(tags.items()))) == joined
    assert [joined[at : at + 6] for at in range(0, len(joined), 6)] == sorted(a + b for a, b in tags.items())


@pytest.mark.parametrize(
    ("encode", "message"),
    [
        (lambda: TagPairs(3, 3).encode(b""), r"must be 1..8 pairs of 6 bytes \(got 0 bytes"),
        (lambda: TagPairs(3, 3).encode(bytes(54)), r"must be 1..8 pairs of 6 bytes \(got 54 bytes"),
        (lambda: TagPairs(3, 3).encode(b"1234567"), "must be 1..8 pairs of 6 bytes .got 7 bytes"),
        (lambda: TagPairs(1, 1).encode(b"bbaa"), "must be pairs in the order of their bytes, no tag twice .got 62 62"),
        (lambda: TagPairs(1, 1).encode(b"aaab"), "no tag twice"),
        (lambda: Seconds.encode(1), "must be whole seconds in milliseconds .got 1"),
        (lambda: Seconds.encode(2**32 * 1000), "must be 0..4294967295000 .got 4294967296000"),
        (lambda: LatinText.encode("中"), "must be text of ISO 8859-1 .got '中'"),
        (lambda: Widths(metrics=9), "Widths.metrics: must be 1..8 .got 9"),
        (lambda: SeriesSalt(0), "SeriesSalt.width: must be 1..8 bytes .got 0"),
        (lambda: SeriesSalt(1, 257), "SeriesSalt.buckets: must be 1..256 .got 257"),
        (lambda: SeriesSalt(2, 0), "SeriesSalt.buckets: must be 1..256 .got 0"),
        (lambda: POINTS.row(point("0001", "000001000001")), "HourOfSeries.metric_uid: must be 3 bytes .got 2: 00 01"),
        (lambda: POINTS.key.decode(bytes.fromhex("00000150e22701000001000001")), "must be a multiple of 3600000"),
        (lambda: POINTS.key.decode(bytes.fromhex("00000150e22700")), "must be 1..8 pairs"),
    ],
)
def test_what_is_not_a_key_is_refused(encode, message):
    with pytest.raises(InvalidKey, match=message):
        encode()


def test_a_salt_in_the_wrong_bucket_is_refused():
    table = data_table(salt=SeriesSalt())
    row = table.row(point("000001", "000001000001"))
    assert row[0] == 8
    with pytest.raises(InvalidKey, match=r"SeriesSalt.* of these parts is 08 .got 09"):
        table.key.decode(b"\x09" + row[1:])
