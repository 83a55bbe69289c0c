"""Where writes go: small grids by hand, the thresholds of each verdict, and the recordings of all designs."""

from operator import attrgetter

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.exhibit.cost_tables import heat_shares
from shared.exhibit.heat import EQUAL_PARTS, MOMENTS, OWN_POINTS, Heat, TooFewWrites, Writes
from shared.exhibit.heat_recording import ROWS, heat_file, recorded_heat
from shared.exhibit.heat_tables import (
    TableHeat,
    at_least,
    contrasting,
    generated_records,
    table_heats,
    table_writes,
    that_matter,
)
from shared.exhibit.pictures.heat_picture import heat_picture
from shared.exhibit.shown_design import contrast_of
from shared.exhibit.write_order import LONGEST_MS
from shared.tables.layouts import physical_tables
from tests.copies import ROOT
from tests.designs import all_designs, design_named

WITH_PICTURE = [design for design in all_designs() if not design.in_one_file]
"""The designs with a picture of heat, for which an HBase counts too; a page of one screen has none."""

# ---- grids by hand ---------------------------------------------------------------------------------


def numbered(count):
    """So many rows that count up."""
    return [number.to_bytes(2, "big") for number in range(count)]


def in_buckets(count, buckets=8):
    """So many rows that count up, each after its bucket, which they take in turn."""
    return [bytes([number % buckets]) + row for number, row in enumerate(numbered(count))]


def test_the_older_half_cuts_ranges_of_equal_size_and_the_newer_half_is_counted_in_eight_moments():
    writes = Writes([b"a", b"b", b"c", b"d", *[b"a", b"b2"] * 8], wanted=2)
    assert [*writes.older] == [b"a", b"b", b"c", b"d", b"a", b"b2", b"a", b"b2", b"a", b"b2"]
    assert writes.points == (b"b2",)
    assert [len(moment) for moment in writes.moments] == [1, 1, 1, 2, 1, 1, 1, 2]
    counts = ((1, 0), (0, 1), (1, 0), (1, 1), (0, 1), (1, 0), (0, 1), (1, 1))
    assert writes.heat == Heat(EQUAL_PARTS, counts)
    assert writes.heat.shares == (0.5, 0.5)


BUCKETS = tuple(bytes([number]) for number in range(1, 8))


@pytest.mark.parametrize(
    ("rows", "own_points", "cut", "ranges"),
    [
        (in_buckets(64), BUCKETS, OWN_POINTS, 8),
        # A table that is split into another number of ranges is cut like one that is not split at all.
        (in_buckets(64), BUCKETS[:3], EQUAL_PARTS, 8),
        (in_buckets(64, 3), (), EQUAL_PARTS, 8),
        # No point is before the first row, and none is there twice.
        ([b"counter"] * 64, (), EQUAL_PARTS, 1),
        ([b"a", b"b"] * 32, (), EQUAL_PARTS, 2),
    ],
)
def test_a_table_is_cut_at_its_own_points_if_these_make_as_many_ranges_as_are_wanted(rows, own_points, cut, ranges):
    heat = Writes(rows, own_points).heat
    assert (heat.cut, heat.ranges) == (cut, ranges)


def test_fewer_writes_than_two_for_each_range_are_refused():
    assert Writes(numbered(16)).heat.writes == 8
    with pytest.raises(TooFewWrites, match=r"^must have at least 16 writes for 8 ranges \(got 15\)$"):
        Writes(numbered(15))


@given(st.lists(st.binary(max_size=2), min_size=16, max_size=200), st.integers(1, 8))
def test_every_newer_write_is_counted_once_in_the_range_that_holds_it(rows, wanted):
    writes = Writes(rows, wanted=wanted)
    assert list(writes.points) == sorted({*writes.points})
    assert [row for part in (writes.older, *writes.moments) for row in part] == rows
    for moment, counts in zip(writes.moments, writes.heat.moments, strict=True):
        starts = [b"", *writes.points]
        stops = [*writes.points, None]
        assert list(counts) == [
            sum(start <= row and (stop is None or row < stop) for row in moment)
            for start, stop in zip(starts, stops, strict=True)
        ]


# ---- verdicts --------------------------------------------------------------------------------------

EVENLY = (25,) * 8


def heat(*moments):
    """A heat of these moments, the last of which is repeated until there are eight."""
    return Heat(EQUAL_PARTS, (*moments, *[moments[-1]] * (MOMENTS - len(moments))))


@pytest.mark.parametrize(
    ("grid", "verdict"),
    [
        (Writes(numbered(512)).heat, "100% in the last range at every moment: a hot spot"),
        (Writes(numbered(512)[::-1]).heat, "100% in the first range at every moment: a hot spot"),
        (Writes([b"counter"] * 512).heat, "100% in the only range at every moment: a hot spot"),
        (Writes(in_buckets(512), BUCKETS).heat, "even: 12% to 12%"),
        # Half of the writes is a hot spot, also what is shown as half; a little less is not.
        (heat((0, 100, 60, 40, 0, 0, 0, 0)), "50% in range 2 of 8 at every moment: a hot spot"),
        (heat((0, 99, 60, 41, 0, 0, 0, 0)), "50% in range 2 of 8 at every moment: a hot spot"),
        (heat((0, 98, 60, 42, 0, 0, 0, 0)), "49% in range 2 of 8 at every moment"),
        (heat((100, 100, 0, 0, 0, 0, 0, 0)), "50% in each of 2 ranges at every moment: a hot spot"),
        # A range is as busy as the busiest one from nine tenths of its share on.
        (heat((60, 54, 10, 10, 10, 10, 23, 23)), "30% in each of 2 ranges at every moment"),
        (heat((60, 53, 10, 10, 10, 10, 23, 24)), "30% in the first range at every moment"),
        # Up to one and a half times an equal share is even.
        (heat((150, 0, 150, 100, 100, 100, 100, 100)), "even: 0% to 19%"),
        (heat((151, 0, 149, 100, 100, 100, 100, 100)), "19% in each of 2 ranges at every moment"),
        # At one moment three quarters of the share will do.
        (
            heat((31, 29, 28, 28, 28, 28, 28, 0), (41, 29, 28, 28, 28, 28, 18, 0)),
            "20% in the first range at every moment",
        ),
        # Each moment has a hot range of its own, although the writes of all moments are even.
        (
            Heat(EQUAL_PARTS, tuple(tuple(60 if a == b else 5 for a in range(8)) for b in range(8))),
            "a moving hot spot: 12% in one range, at every moment 63% or more",
        ),
        (
            heat((29, 31, 28, 28, 28, 28, 28, 0), (41, 29, 28, 28, 28, 28, 18, 0)),
            "uneven: 20% in one range, at one moment 20%",
        ),
        # Of two ranges one is hot from three quarters on, because half would be even.
        (heat((50, 50)), "even: 50% to 50%"),
        (heat((74, 26)), "even: 26% to 74%"),
        (heat((75, 25)), "75% in the first range at every moment: a hot spot"),
        # Fewer than sixteen newer writes for each range are no verdict.
        (heat((0, 0, 0, 0, 0, 0, 0, 16)), "100% in the last range at every moment: a hot spot"),
        (heat((0, 0, 0, 0, 0, 0, 0, 15), (0, 0, 0, 0, 0, 0, 0, 16)), "too few writes for a verdict: 127"),
    ],
)
def test_a_verdict_says_in_words_what_the_counts_mean(grid, verdict):
    assert grid.verdict == verdict


def test_the_shares_are_whole_percentages_and_the_busiest_is_marked():
    assert heat_shares(heat((0, 1, 2, 5, 0, 0, 0, 0)), "**") == "0 12 25 **62** 0 0 0 0"


# ---- which tables are shown ------------------------------------------------------------------------

HOT, STEADY, EVEN = heat((0, 0, 0, 0, 0, 0, 0, 200)), heat((60, 20, 20, 20, 20, 20, 20, 20)), heat(EVENLY)


def table(variant, name, grid, written=1000):
    return TableHeat(variant, name, grid, written)


def test_a_table_matters_if_it_takes_a_tenth_of_the_writes_and_has_a_verdict():
    small, large = table("v", "small", HOT, 100), table("v", "large", HOT, 900)
    assert that_matter([small, large]) == [small, large]
    assert that_matter([attrs.evolve(small, written=99), large]) == [large]
    assert that_matter([table("v", "few", heat((0,) * 8)), large]) == [large]


# ---- the writes of a design ------------------------------------------------------------------------


def test_records_are_generated_for_as_many_rows_as_are_wanted():
    activity = next(design for design in all_designs() if design.name == "activity")
    writes = table_writes(activity.main, generated_records(activity, 3000)).values()
    assert 3000 <= sum(len(of_table.rows) for of_table in writes) <= 3600


def test_generated_records_of_several_loads_are_in_order_of_time():
    feeds = next(design for design in all_designs() if design.name == "feeds")
    times = [getattr(record, "since_ms", None) or record.posted_ms for _load, record in at_least(feeds, 1000)]
    assert times == sorted(times)


def test_records_with_an_order_of_their_own_are_stored_in_it_although_times_go_back():
    changes = next(design for design in all_designs() if design.loads[0].has_own_order)
    records = [record for _load, record in generated_records(changes, 500)]
    assert sorted(records, key=attrgetter("time_ms")) != records
    assert records == [*changes.loads[0].sample_records()][: len(records)]


def test_the_owner_of_a_busy_range_is_named_with_its_share():
    logs = all_designs()[1]
    salted = next(variant for variant in logs.variants if variant.name == "salted")
    (busy,) = table_heats(salted, table_writes(salted, generated_records(logs, 2000)))
    assert busy.verdict == "25% in range 6 of 8 at every moment (host web-1 alone takes 22%)"


# ---- recordings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_a_recording_has_the_tables_of_the_design_and_hbase_counted_what_the_keys_give(design):
    recording = recorded_heat(design)
    assert heat_file(design).read_text(encoding="utf-8") == recording.text()
    assert {*recording.records} == {load.name for load in design.loads}
    assert recording.are_generated
    assert sum(heat.written for heat in recording.of(design.name)) >= 0.95 * ROWS
    for variant in design.variants:
        tables = [physical.name for physical in physical_tables(variant.record_tables)]
        heats = recording.of(variant.name)
        assert [name for name in tables if name in {heat.table for heat in heats}] == [heat.table for heat in heats]
        assert that_matter(heats)
    shown = contrasting(design, recording.tables) if design in WITH_PICTURE else []
    assert all(heat.counted == heat.heat for heat in shown)
    assert [heat for heat in recording.tables if heat.counted] == sorted(shown, key=recording.tables.index)


@pytest.mark.parametrize("design", WITH_PICTURE, ids=lambda design: design.name)
def test_the_picture_shows_the_busiest_range_of_the_design_or_of_the_variants_in_contrast(design):
    recording, picture = recorded_heat(design), heat_picture(design)
    for variant in contrast_of(design) or [design.name]:
        table = recording.busiest(variant)
        assert table.heat.share == max(heat.heat.share for heat in that_matter(recording.of(variant)))
        assert f"`{table.table}`: {table.verdict.replace(': ', ', ')}" in picture.sentence
        assert f">{table.heat.share:.0%}<" in picture.text()
    page = (ROOT / "domains" / design.name / "README.md").read_text(encoding="utf-8")
    assert picture.sentence in " ".join(page.split())


def test_the_recordings_show_what_the_pages_conclude():
    def kinds(name, *tables):
        recording = recorded_heat(next(design for design in all_designs() if design.name == name))
        return [(recording.table(table).heat.kind, recording.table(table).heat.places) for table in tables]

    last = ("hot", "100% in the last range")
    assert kinds("logs", "logs_time_first", "logs_slices") == [last, last]
    assert kinds("logs", "logs_modulo")[0][1].endswith("in the first range")
    assert recorded_heat(all_designs()[1]).table("logs_salted").owner.startswith("host web-1 alone takes ")
    assert kinds("counters", "logins_by_day", "login_counts_by_day", "login_totals") == [last] * 3
    assert {kind for kind, _places in kinds("counters", "login_shards", "logins_by_day_salted")} == {"even"}
    assert kinds("tsdb", "tsdb") == [("steady", "25% in each of 4 ranges")]
    assert kinds("tsdb", "tsdb-salted")[0][0] == kinds("monitoring", "points", "latest_points")[1][0] == "even"


def test_so_many_records_that_they_cover_decades_are_stored_in_order_of_time():
    times = [order.placed_ms for _load, order in at_least(design_named("orders"), 25_000)]
    assert times[-1] - times[0] > LONGEST_MS
    assert times == sorted(times)
