"""Times as people type and read them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.records import parse_time, show_time
from shared.records.times import parse_moment

AT_MS = 1_498_251_906_000


@pytest.mark.parametrize(
    "text",
    [
        "1498251906000",
        "2017-06-23T21:05:06.000Z",
        "2017-06-23T21:05:06Z",
        "2017-06-23T21:05:06",
        "2017-06-23 21:05:06 UTC",
        "2017-06-23 21:05:06UTC",
        "2017-06-23T23:05:06+02:00",
        "20170623T210506Z",
        "+1498251906000",
        "2017-W25-5T21:05:06",
    ],
)
def test_one_moment_can_be_typed_in_many_ways(text):
    assert parse_time(text) == AT_MS


@pytest.mark.parametrize(
    ("text", "at_ms"),
    [
        ("0", 0),
        ("-1", -1),
        ("+5", 5),
        ("20171332", 20_171_332),  # no date
        ("+20170623", 20_170_623),
        ("2017062", 2_017_062),
        ("1970-01-01", 0),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2026-01-12", 1_768_176_000_000),
        ("2020-02-29T00:00:00.001Z", 1_582_934_400_001),
        ("2020-02-29T00:00:00.001000000Z", 1_582_934_400_001),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("0001-01-01T00:00:00+23:59", -62_135_683_140_000),
    ],
)
def test_times_at_the_edges(text, at_ms):
    assert parse_time(text) == at_ms


@pytest.mark.parametrize(
    "text",
    [
        *("", "now", "UTC", "1e3", "1_000", "12.5", "+-5", "--1", "+", "٣", "9" * 5000),
        *("2017-06-31", "2017/06/23", "2017-06-23 25:00:00", "2017-06-23 21:05:06 CET"),
        *("2017-06-23T21:05:06+02:00 UTC", "2017-06-23 21:05:06 UTC UTC"),
        *(f"2017-06-23{between}21:05:06" for between in ("x", "t", "-", "  ", "\t", "\n", "\u00a0", "")),
        *(" 2017-06-23", "2017-06-23 ", " 5", "5 ", "5\n", "2017-06-23\n", "2017-06-23T21:05:06Z\n"),
        *("2017-06-23 21:05:06 UTC ", "2017-06-23 21:05:06  UTC", "٢٠١٧-06-23"),
    ],
)
def test_text_that_is_not_a_time_is_refused(text):
    with pytest.raises(ValueError, match=r"^must be a time such as 2017-06-23T21:05:06\.000Z, .* \(got ") as refused:
        parse_time(text)
    assert "\n" not in str(refused.value)
    assert "set_int_max_str_digits" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("20170623", "2017-06-23 for that day"),
        ("1740823200", "2025-03-01T10:00:00.000Z for seconds"),
        ("946684800", "2000-01-01T00:00:00.000Z for seconds"),
        ("7258118399", "2199-12-31T23:59:59.000Z for seconds"),
        ("1740823200123456", "2025-03-01T10:00:00.123Z for microseconds"),
        ("1740823200123456789", "2025-03-01T10:00:00.123Z for nanoseconds"),
    ],
)
def test_a_number_that_is_most_likely_a_date_or_in_another_unit_is_refused(text, wanted):
    with pytest.raises(ValueError, match="must be ") as refused:
        parse_time(text)
    assert str(refused.value) == f"must be {wanted}, or +{text} for milliseconds (got '{text}')"
    assert parse_time(f"+{text}") == int(text)


@pytest.mark.parametrize(
    "number", [0, 7, 946_684_799, 7_258_118_400, 500_000_000_000, 946_684_799_999_999, 7_258_118_400_000_000, -(10**9)]
)
def test_a_number_that_is_as_unlikely_in_other_units_is_milliseconds(number):
    assert parse_time(str(number)) == number


@pytest.mark.parametrize("below", [".0001", ".1230001", ".123000001", ",000000001", ".999999999"])
def test_digits_below_the_millisecond_are_refused_not_cut_off(below):
    with pytest.raises(ValueError, match="whole milliseconds"):
        parse_time(f"2017-06-23T21:05:06{below}Z")


def test_times_are_shown_in_utc_with_milliseconds_and_those_beyond_the_calendar_as_numbers():
    assert show_time(AT_MS) == "2017-06-23T21:05:06.000Z"
    assert show_time(-1) == "1969-12-31T23:59:59.999Z"
    for beyond in (253_402_300_800_000, -(2**63), 10**30):
        assert show_time(beyond) == str(beyond)


@example(1_740_823_200_123_456)  # without a sign it would be read as microseconds
@given(st.integers(-(2**63), 2**63 - 1))
def test_what_is_shown_reads_back(at_ms):
    assert parse_time(show_time(at_ms)) == at_ms


@given(st.datetimes(min_value=datetime(1900, 1, 1), timezones=st.timezones()))
def test_a_time_with_a_zone_is_that_moment(moment):
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert parse_time(moment.isoformat()) == (moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("text", "ago_ms"),
    [("now", 0), ("1h-ago", 3_600_000), ("90s-ago", 90_000), ("250ms-ago", 250), ("1n-ago", 30 * 86_400_000)],
)
def test_a_time_may_be_relative_to_now_where_a_person_asks(text, ago_ms):
    assert parse_moment(text, AT_MS) == AT_MS - ago_ms
    with pytest.raises(ValueError, match="must be a time such as"):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1-ago", "a number and a unit, ms, s, m"),
        ("-1h-ago", "a number and a unit"),
        ("1x-ago", "as in 1h-ago"),
        ("1h ago", "a time such as"),
        ("tomorrow", "a time such as"),
    ],
)
def test_what_is_neither_is_refused_and_other_times_are_read_as_ever(text, wanted):
    with pytest.raises(ValueError, match=f"must be .*{wanted}"):
        parse_moment(text, AT_MS)
    assert parse_moment("2017-06-23T21:05:06Z", 0) == AT_MS
