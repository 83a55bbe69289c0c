"""Descriptions of files: what is said of a file in TOML, and how its lines are read by it."""

import re
from datetime import UTC, datetime
from textwrap import dedent

import attrs
import pytest

from shared.command_line.files.describing import written_description
from shared.loading import (
    Description,
    FieldDescription,
    InvalidDescription,
    InvalidTimeFormat,
    UnknownUnit,
    Unneeded,
    UnreadableFile,
    advice,
    description,
    read_lines,
)
from shared.loading.description import read_description
from shared.loading.written_times import AS_WRITTEN
from shared.records import parse_time

SENSOR = f'{dedent(description.__doc__.partition("spreadsheet:")[2])}\n[fields.metric]\nvalue = "co"'
"""The example of the module."""
DAY_FIRST = "--time-format time_ms='%d/%m/%Y %H:%M'"
HEADER = "Date;Time;CO(GT);note\n"


@attrs.frozen
class Point:
    metric: str
    time_ms: int
    value: float
    count: int | None = None
    note: str = "none"


@pytest.fixture
def read(written):
    """Reads a file by the text of a description; returns its records, and the reasons of its other lines."""

    def read(content, description=SENSOR):
        said = read_description(description, "d.toml")
        return [line.record or line.reason for line in read_lines(written(content), Point, description=said)]

    return read


def test_a_spreadsheet_of_sensors_is_read_by_its_description(read):
    lines = ["10/03/2004;18.00.00;2,6;fine", "10/08/2004;18.00.00;-1;?", "10/08/2004;18.00.00;?;x"]
    one, two, without_value = read(HEADER + "\n".join(lines))
    assert one == Point("co", 1_078_938_000_000, 2.6, note="fine")  # 17:00 UTC
    assert two == Point("co", 1_092_153_600_000, -1.0)  # 16:00 UTC: summer
    advice = "--default value=VALUE gives a value to lines without one"
    assert without_value == f"Point.value: must be a number in the range of a float (got None); {advice}"


def test_a_description_is_written_as_it_is_read():
    description = read_description(SENSOR, "d.toml")
    assert read_description(written_description(description), "again") == description
    assert written_description(Description()) == ""
    assert description.of("time_ms") == FieldDescription(column="Date+Time", format="%d/%m/%Y %H.%M.%S")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("delimiter = 1", "delimiter: must be text (got 1)"),
        ("none = 'a'", "none: must be a list of texts (got 'a')"),
        ("skip = true", "skip: must be a whole number (got True)"),
        ("[fields]\na = 1", "fields.a: must be a table"),
        ("[fields.a]\nb = 1", "fields.a: no such key: 'b' (keys: column, value, default, unit, format, scale)"),
        ("x = 1", "no such key: 'x' (keys: format, "),
        ("fields =", "is not TOML: Invalid value"),
    ],
)
def test_a_description_that_says_what_none_can_is_refused(text, reason):
    with pytest.raises(InvalidDescription) as refused:
        read_description(text, "d.toml")
    assert str(refused.value).startswith(f"d.toml: {reason}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"zone": "Europe/Roma"}, "zone: must be a time zone of this machine, such as Europe/Rome, or an offset"),
        ({"zone": "+99:00"}, "zone: must be a time zone of this machine"),
        ({"round": "s"}, "round: must be ms (got 's')"),
        ({"decimal": "1"}, "decimal: must be one character that no number has (got '1')"),
        ({"decimal": ",", "thousands": ","}, "thousands: must differ from decimal (got ',' for both)"),
        ({"delimiter": ";;"}, "delimiter and quote: must each be one character"),
        ({"header": ("a", "a")}, "header: must have each column once (got 'a' twice)"),
        ({"delimiter": ";", "format": "jsonl"}, "must be without a format, or with csv (got 'jsonl')"),
        ({"at": "noon"}, "at: must be a time such as"),
    ],
    ids=str,
)
def test_a_description_that_fits_no_file_is_refused_before_one_is_read(said, reason):
    with pytest.raises(InvalidDescription, match=re.escape(reason)):
        read_lines("no file", Point, description=Description(**said))


def test_a_scale_of_a_time_or_a_text_is_refused():
    with pytest.raises(UnknownUnit, match=r"Point.metric: is not a number, so it has no scale"):
        read_lines("no file", Point, description=Description().with_fields(scale={"metric": 10}))


# ---- times


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2004-03-28T01:59:59", 1_080_435_599_000),
        ("2004-03-28T03:00:00", 1_080_435_600_000),
        ("2004-03-28T02:30:00+01:00", 1_080_437_400_000),
        ("2004-03-28T02:30:00", "does not exist in Europe/Rome, where clocks are changed then: write its offset"),
        ("2004-10-31T02:30:00", "occurs twice in Europe/Rome, where clocks are changed then: write its offset"),
        ("2004-10-31T02:30:00Z", 1_099_189_800_000),
        ("2004-10-31 02:30:00 UTC", 1_099_189_800_000),
        ("1099189800000", 1_099_189_800_000),
        (
            "noon",
            "must be a time such as 2017-06-23T21:05:06.000Z, 2017-06-23 21:05:06 UTC or 1498251906000 (got 'noon')",
        ),
    ],
)
def test_a_time_without_a_zone_is_in_the_zone_that_is_said(read, text, wanted):
    (line,) = read(f"metric,time_ms,value\nm,{text},1\n", 'zone = "Europe/Rome"')
    assert line == Point("m", wanted, 1.0) if type(wanted) is int else wanted in line


@pytest.mark.parametrize(
    ("text", "unit", "time_ms"),
    [
        ("2020-01-01T00:00:00.123999Z", "", 1_577_836_800_123),
        ("2020-01-01T00:00:00.123999999Z", "", 1_577_836_800_123),
        ("1969-12-31T23:59:59.999999Z", "", -1),
        ("1577836800123999", "us", 1_577_836_800_123),
        ("1577836800.123999", "s", 1_577_836_800_123),
        ("-0.0005", "s", -1),
    ],
)
def test_digits_below_the_millisecond_are_cut_off_if_that_is_said_and_refused_otherwise(read, text, unit, time_ms):
    said = f'[fields.time_ms]\nunit = "{unit}"\n' if unit else ""
    content = f"metric,time_ms,value\nm,{text},1\n"
    assert read(content, f'round = "ms"\n{said}') == [Point("m", time_ms, 1.0)]
    (reason,) = read(content, said)
    assert "must be a time" in reason


@pytest.mark.parametrize("unit", ["s", "us"])
def test_a_number_with_digits_below_the_millisecond_says_that_they_can_be_cut_off(read, unit):
    text = {"s": "1577836800.123999", "us": "1577836800123999"}[unit]
    (reason,) = read(f"metric,time_ms,value\nm,{text},1\n", f'[fields.time_ms]\nunit = "{unit}"')
    assert reason.endswith("; --round ms reads it")


def test_times_without_a_year_are_in_years_counted_from_that_of_the_first_line(read):
    said = 'year = 2019\nzone = "Europe/Rome"\n[fields.time_ms]\nformat = "%m.%d %H:%M"'
    times = ["12.31 23:59", "01.01 00:00", "12.31 23:59", "02.29 12:00", "02.30 12:00"]
    *points, refused = read("metric,time_ms,value\n" + "".join(f"m,{time},1\n" for time in times), said)
    wanted = ["2019-12-31T22:59", "2019-12-31T23:00", "2019-12-31T22:59", "2020-02-29T11:00"]
    assert [point.time_ms for point in points] == [parse_time(time) for time in wanted]
    assert "must be a time by %m.%d %H:%M, such as 07.04 18:04 (got '02.30 12:00')" in refused


def test_a_29th_of_february_needs_a_year_that_has_one(read):
    (reason,) = read("metric,time_ms,value\nm,02-29,1\n", 'year = 2019\n[fields.time_ms]\nformat = "%m-%d"')
    assert reason == "Point.time_ms: must be a time in 2019, counting years from the first line (got '02-29')"


@pytest.mark.parametrize(
    ("said", "error", "reason"),
    [
        ('[fields.time_ms]\nformat = "%m-%d"', InvalidTimeFormat, "have a year, %Y or %y, or --year must give"),
        ('year = 2019\n[fields.time_ms]\nformat = "%d %H"', InvalidTimeFormat, "have a month and a day, such as %b %d"),
        ('year = 2019\n[fields.time_ms]\nformat = "%j %H"', InvalidTimeFormat, "have a month and a day, such as %b %d"),
        ('year = 2019\n[fields.time_ms]\nformat = "%Y"', Unneeded, "leave out --year .got 2019"),
        (
            "year = 2019",
            Unneeded,
            "whose times have a year unless a --time-format has none: leave out --year .got 2019",
        ),
    ],
)
def test_a_year_is_said_once(read, said, error, reason):
    with pytest.raises(error, match=reason):
        read("metric,time_ms,value\nm,0,1\n", said)


# ---- numbers


@pytest.mark.parametrize(
    ("said", "text", "value"),
    [
        ('decimal = ","', "2,5", 2.5),
        ('decimal = ","\nthousands = "."', "-1.234.567,5", -1_234_567.5),
        ('decimal = ","\nthousands = "."', "1234,5", 1_234.5),
        ('thousands = ","', "1,234", 1_234.0),
        ('decimal = ","\nthousands = "."', "1.23,5", "must be a number such as 1.234,5 (got '1.23,5')"),
        ('decimal = ","', "2.5", "must be a number such as 1234,5 (got '2.5'); --decimal . reads it"),
    ],
)
def test_numbers_have_the_signs_that_are_said(read, said, text, value):
    (line,) = read(f'metric,time_ms,value\nm,0,"{text}"\n', said)
    assert line == (Point("m", 0, value) if type(value) is float else f"Point.value: {value}")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *(("2.55", 255), ("2.5", 250), ("-0.01", -1), ("1e1", 1000)),
        ("2.555", "must be an int when multiplied by 100 (got '2.555'); --scale count=1000 reads it"),
        ("x", "must be a number such as 1234.5 (got 'x')"),
    ],
)
def test_a_scaled_number_is_exact_or_refused(read, text, count):
    (line,) = read(f"metric,time_ms,value,count\nm,0,1,{text}\n", "[fields.count]\nscale = 100")
    assert line == (Point("m", 0, 1.0, count) if type(count) is int else f"Point.count: {count}")


# ---- values that are missing, given, or joined


def test_a_text_that_stands_for_none_is_none_or_the_default(read):
    content = "metric,time_ms,value,count,note\nm,0,1,?,?\n"
    assert read(content, 'none = ["?"]') == [Point("m", 0, 1.0, None, "none")]
    assert read(content, 'none = ["?"]\n[fields.count]\ndefault = "7"') == [Point("m", 0, 1.0, 7, "none")]
    assert read("metric,time_ms,value\nm,0,?\n", 'none = ["?"]\n[fields.value]\ndefault = "0"') == [Point("m", 0, 0.0)]


def test_a_column_whose_name_has_a_plus_is_not_two(read):
    assert read('metric,time_ms,"a+b"\nm,0,7\n', '[fields.value]\ncolumn = "a+b"') == [Point("m", 0, 7.0)]
    assert read("metric,time_ms,C++\nm,0,7\n", '[fields.value]\ncolumn = "C++"') == [Point("m", 0, 7.0)]


def test_a_file_without_a_header_has_the_columns_that_are_said(read):
    assert read("m,0,7\nn,1,8\n", 'header = ["metric", "time_ms", "value"]') == [Point("m", 0, 7.0), Point("n", 1, 8.0)]


def test_a_default_is_not_for_lines_that_have_a_value(read):
    content = "metric,time_ms,value,count\nm,0,1,\nm,0,1,8\n"
    assert [line.count for line in read(content, '[fields.count]\ndefault = "7"')] == [7, 8]


def test_a_number_of_json_may_stand_for_none_too(read):
    lines = [f'{{"metric": "m", "time_ms": 0, "value": 1, "count": {count}}}\n' for count in (-999, '"-999"', 9)]
    assert [line.count for line in read("".join(lines), 'none = ["-999"]')] == [None, None, 9]


def test_a_file_without_quotes_keeps_them(read):
    content = 'metric\ttime_ms\tvalue\n"m\t0\t7\n'
    assert read(content, 'delimiter = "\\t"\nquote = ""') == [Point('"m', 0, 7.0)]


# ---- advice


@pytest.mark.parametrize(
    ("column", "text", "advice"),
    [
        (
            "time_ms",
            "10/03/2004 18:00",
            "; --time-format time_ms='%d/%m/%Y %H:%M' or --time-format time_ms='%m/%d/%Y %H:%M' reads it",
        ),
        ("time_ms", "31/03/2004 18:00", "; --time-format time_ms='%d/%m/%Y %H:%M' reads it"),
        ("time_ms", "2020-01-01T00:00:00.123456", "; --round ms reads it"),
        ("time_ms", "03-17 16:13:38.811", "; --time-format time_ms='%m-%d %H:%M:%S.%f' and --year reads it"),
        ("value", '"2,5"', "; --decimal , reads it"),
        ("time_ms", "2020/01/31 1800 UTC", "; --time-format time_ms='%Y/%m/%d %H%M UTC' reads it"),
        ("value", "NA", ""),
        ("value", '"1.234,5"', "; --decimal , and thousands = '.' in --describe reads it"),
        ("count", "2.5", ""),
        ("value", "  2.5", "; --pattern with groups that leave out its blanks reads it"),
        ("value", '"1,846"', "; --decimal , reads it as 1.846; thousands = ',' in --describe reads it as 1846"),
        ("value", '"1,846.5"', "; thousands = ',' in --describe reads it"),
        ("count", '"1,846"', "; thousands = ',' in --describe reads it"),
        ("count", "NA", "; --none 'NA' reads it as no value"),
        ("value", "seven", ""),
    ],
)
def test_a_value_that_is_refused_says_what_would_read_it(read, column, text, advice):
    values = {"metric": "m", "time_ms": "0", "value": "1", "count": "1"} | {column: text}
    (reason,) = read(f"{','.join(values)}\n{','.join(values.values())}\n", "")
    assert reason.endswith(f"){advice}")


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        ("metric;time_ms;value\n", "looks like CSV with ';': give --delimiter ';'"),
        (
            "metric\ttime_ms\tx\n",
            r"looks like CSV with '\\t': give --delimiter '\\t'; then no column value for Point",
        ),
        ("Station;A\nCity;Rome\nmetric;time_ms;value\nm;0;1\nm;1;2\n", "give --skip 2 --delimiter ';'"),
        ("Station\nmetric;at;value\nm;0;1\nm;1;2\n", "give --skip 1 --delimiter ';'; then no column time_ms for Point"),
        ("2024-06-27 00:00:07 CEST [5]: up, down\n", "describe its lines by --layout or --pattern"),
        ("Metric,time,value\n", "no column metric, time_ms for Point; map a field to one of: Metric, time, value"),
        ('a,"Rain, total",metrics,time_ms,value\n', "one of: metrics, a, 'Rain, total', "),
        ("m,1,2\n", r"has no header: give header = \[...\] in --describe, its 3 columns \(got 'm,1,2'\)"),
        ("1 2 3 INFO m, 1, 2\n", "map .*; if it is a log, describe its lines by --layout or --pattern"),
        ("E0517 15:04:22 m, 1\n", "map .*; if it is a log, describe its lines by --layout or --pattern"),
        ("2|1|m|n\n", r"give --delimiter '\|'; then .*; if it has no header, give header = \[...\] in --describe"),
        ("sep=;\nmetric;time_ms;value\n", "has its header in the next line: give --skip 1 --delimiter ';'"),
        (",x\n", "map a field to one of: '', x"),
    ],
)
def test_a_header_that_is_refused_says_what_would_read_it(written, content, advice):
    with pytest.raises(UnreadableFile, match=advice):
        read_lines(written(content), Point)


@pytest.mark.parametrize(
    ("digits", "notation", "counted"),
    [
        ("2026011208", "%Y%m%d%H", "seconds, give --unit time_ms=s"),
        ("202601120807", "%Y%m%d%H%M", "milliseconds, give --unit time_ms=ms"),
        ("20260112080731", "%Y%m%d%H%M%S", "milliseconds, give --unit time_ms=ms"),
    ],
)
@pytest.mark.parametrize("line", ['{{"metric": "m", "value": 1, "time_ms": {}}}\n', "metric,value,time_ms\nm,1,{}\n"])
def test_a_date_in_digits_alone_is_not_taken_for_a_number(read, line, digits, notation, counted):
    (reason,) = read(line.format(digits), "")
    wanted = f"is most likely a date: give --time-format time_ms='{notation}'; if it counts {counted} (got {digits})"
    assert reason == f"Point.time_ms: {wanted}"
    (point,) = read(line.format(digits), f'[fields.time_ms]\nformat = "{notation}"')
    assert point.time_ms == int(datetime.strptime(f"{digits} +0000", f"{notation} %z").timestamp() * 1000)
    (point,) = read(line.format(digits), '[fields.time_ms]\nunit = "ms"')
    assert point.time_ms == int(digits)


@pytest.mark.parametrize("digits", ["202613120807", "20260112086731", "180001120807", "1768203451042", "2026011208073"])
def test_other_numbers_count_milliseconds(read, digits):
    (point,) = read(f"metric,value,time_ms\nm,1,{digits}\n", "")
    assert point.time_ms == int(digits)


@pytest.mark.parametrize("zone", ["+0200", "-02:00", "Z"])
def test_each_notation_of_a_time_is_proposed_for_its_own_times(zone):
    moment = datetime(1996, 7, 24, 18, 4, 5, 120000, tzinfo=UTC)
    for notation in (*advice._NOTATIONS, *advice._WITHOUT_YEAR):
        text = moment.strftime(notation.replace("%z", zone))
        assert advice.for_time("t", text, AS_WRITTEN, None, has_format=False).endswith(" reads it")
