"""Parquet files: rows as records, whatever the types of the columns, or the reason why not."""

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import attrs
import pyarrow
import pytest
from pyarrow import parquet

from shared.keys.errors import shown
from shared.loading import Description, Unneeded, UnreadableFile, read_lines
from tests.shared.loading.sales import HEADER, OBJECT, SALE, Sale, described, lines


@attrs.frozen
class Measured:
    metric: str
    time_ms: int
    values: Mapping[str, Any]
    tags: tuple[tuple[str, str], ...] = ()
    price: Decimal | None = None
    day: datetime.date | None = None
    data: bytes = b""
    count: int = 0


@pytest.fixture
def made(tmp_path):
    def make(columns, name="a.parquet"):
        parquet.write_table(pyarrow.table(columns), tmp_path / name)
        return tmp_path / name

    return make


def test_a_row_is_a_record_whatever_the_types_of_its_columns(made):
    path = made(
        {
            "metric": ["m", "m"],
            "time_ms": pyarrow.array([1_500_000_000_000_000_000, 1_500_000_000_000_000_001], pyarrow.timestamp("ns")),
            "values": pyarrow.array([{"a": 1.5, "b": [None]}] * 2),
            "tags": pyarrow.array([[("a", "b")], None], pyarrow.map_(pyarrow.string(), pyarrow.string())),
            "price": pyarrow.array([Decimal("2.50"), None]),
            "day": pyarrow.array([datetime.date(2026, 1, 12), None]),
            "data": [b"\x00\xff", b""],
            "count": [7.0, None],
            "other": ["x", "y"],
        }
    )
    expected = Measured(
        "m",
        1_500_000_000_000,
        {"a": 1.5, "b": [None]},
        (("a", "b"),),
        Decimal("2.50"),
        datetime.date(2026, 1, 12),
        b"\x00\xff",
        7,
    )
    read = read_lines(path, Measured)
    first, second = read
    assert (first.record, second.record) == (expected, None)
    got = "(got '2017-07-14T02:40:00.000000001Z'); --round ms reads it"
    wanted = f"Measured.time_ms: must be a time in whole milliseconds {got}"
    assert second.reason == wanted
    ((_, constant), _) = lines(path, Measured, constants={"metric": "n"})
    assert constant == attrs.evolve(expected, metric="n")
    assert (read.format, read.count, read.ignored, read.size_bytes) == ("parquet", 2, 0, read.read_bytes)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_each_unit_are_read_also_before_1970(made, unit):
    per_second = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[unit]
    for seconds in (-1, 0, 1_500_000_000):
        times = pyarrow.array([seconds * per_second], pyarrow.timestamp(unit, "Europe/Rome"))
        ((_, sale),) = lines(made({"number": ["a"], "sold_ms": times, "amount": [1]}))
        assert sale.sold_ms == 1000 * seconds


def test_a_time_after_the_year_9999_is_a_number(made):
    far_ms = 253_402_300_800_000
    path = made(
        {
            **{name: [value] for name, value in OBJECT.items()},
            "sold_ms": pyarrow.array([far_ms], pyarrow.timestamp("ms")),
        }
    )
    assert lines(path) == [(1, attrs.evolve(SALE, sold_ms=far_ms))]


def test_null_is_none_or_the_default_and_a_mapped_column_must_be_there(made):
    path = made({**{name: [value] for name, value in OBJECT.items()}, "state": [None], "text": [""]})
    assert lines(path, mapping={"note": "text"}) == [(1, attrs.evolve(SALE, note=""))]
    with pytest.raises(UnreadableFile, match=r"a.parquet: no column no for Sale.note; map a field to one of: number"):
        read_lines(path, Sale, description=described(mapping={"note": "no"}))


def test_what_is_not_a_parquet_file_is_refused_in_one_line(written, made):
    with pytest.raises(UnreadableFile, match=r"sales: is not a Parquet file$"):
        read_lines(written(HEADER), Sale, description=described(format="parquet"))
    with pytest.raises(UnreadableFile, match=r"z: Parquet magic bytes not found") as refused:
        read_lines(written(b"PAR1 and more", "z"), Sale)
    assert "\n" not in str(refused.value)
    path = made({name: [value] for name, value in OBJECT.items()})
    with pytest.raises(UnreadableFile, match="is not text"):
        read_lines(path, Sale, description=described(format="csv"))
    with pytest.raises(UnreadableFile, match="No such file"):
        read_lines(path.with_name("none.parquet"), Sale)


def test_a_parquet_file_needs_pyarrow(made, monkeypatch):
    monkeypatch.setattr("shared.loading.detection.find_spec", lambda name: None)
    with pytest.raises(UnreadableFile, match=r"needs pyarrow: pip install 'rowbook\[parquet\]'$"):
        read_lines(made({"number": ["a"]}), Sale)


@pytest.mark.parametrize(
    "said", [{"skip": 1}, {"encoding": "latin-1"}, {"delimiter": ";"}, {"at": "2026-01-12"}], ids=str
)
def test_what_only_a_text_has_is_refused_for_a_parquet_file(made, said):
    ((name, given),) = said.items()
    with pytest.raises(Unneeded, match=rf"a\.parquet: is a Parquet file: leave out {name} \(got {shown(given)}\)"):
        read_lines(made({"number": ["n"]}), Sale, description=Description(**said))
