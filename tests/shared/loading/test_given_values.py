"""Values that are given for all lines: of fields without a column, and of tags."""

import attrs
import pytest

from shared.loading import UnknownField, UnreadableFile

from .sales import lines

TIMES = "timestamp,speed,road\n2015-08-31 18:22:00,90,A 1\n2015-08-31 18:27:00,.5,\n"
SPEED = {"mapping": {"time_ms": "timestamp", "value": "speed"}, "constants": {"metric": "speed"}}


@attrs.frozen
class Measured:
    metric: str
    time_ms: int
    value: int | float
    tags: tuple[tuple[str, str], ...]


@attrs.frozen
class Untagged:
    metric: str


@pytest.fixture
def read(written):
    """Reads a file; returns its records, and the reasons of its other lines."""
    return lambda content, record=Measured, **options: [line for _, line in lines(written(content), record, **options)]


def test_a_csv_without_names_gets_them_from_values_and_columns_and_an_empty_column_is_no_tag(read):
    tags = {"sensor": "6005", "road": None}
    first, second = read(TIMES, tags=tags, **SPEED)
    assert first == Measured("speed", 1441045320000, 90, (("sensor", "6005"), ("road", "A 1")))
    assert second == Measured("speed", 1441045620000, 0.5, (("sensor", "6005"),))
    renamed = {**SPEED, "mapping": {**SPEED["mapping"], "street": "road"}}
    assert read(TIMES, tags={"street": None}, **renamed)[0].tags == (("street", "A 1"),)


def test_tags_are_added_to_those_of_a_line_and_replace_them(read):
    csv = 'metric,time_ms,value,tags\nm,1,1,"a=1,b=2"\n'
    objects = '{"metric": "m", "time_ms": 1, "value": 1, "tags": {"a": "1", "b": "2"}}\n'
    for content in (csv, objects):
        assert read(content)[0].tags == (("a", "1"), ("b", "2"))
        assert read(content, tags={"b": "3", "c": "4"})[0].tags == (("a", "1"), ("b", "3"), ("c", "4"))
    wanted = "Measured.tags: must be texts by name, such as dc=lga,host=web-1 "
    assert read(csv.replace("a=1,b=2", "a"), tags={})[0] == f"{wanted}(got 'a')"
    assert read(objects.replace('"1"', "1"), tags={})[0].tags == (("a", "1"), ("b", "2"))
    assert read(objects.replace('"1"', "1.5"), tags={})[0].startswith(f"{wanted}(got ")


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"constants": {"host": "x"}}, UnknownField, "^Measured.host: no such field"),
        ({"constants": {"metric": "x"}, "mapping": {"metric": "y"}}, UnknownField, "a value or a column, not both"),
        ({"record": Untagged, "tags": {"a": "b"}}, UnknownField, "^Untagged: has no tags .got the tag 'a'.$"),
        ({"tags": {"lane": None}, **SPEED}, UnreadableFile, "no column lane for Measured.tags, lane; map a field"),
    ],
)
def test_values_that_do_not_fit_are_refused(read, options, error, reason):
    with pytest.raises(error, match=reason):
        read(TIMES, **options)
