"""What a scan read of a table beside what it was to read: in words, in ribbons, and as it was measured."""

from contextlib import closing
from xml.etree import ElementTree

import pytest

from domains.command_line.designs import all_designs
from shared.designs import scratch_store
from shared.designs.comparison import measure_variant
from shared.designs.pictures.ribbon_picture import Panel, draw_panels
from shared.designs.scanned import ScannedTable, scanned_by
from shared.keys import RowRange
from tests.few_designs import few_of

SVG = "{http://www.w3.org/2000/svg}"
BOTH, IN_VAIN, MISSED, NEITHER = (True, True), (False, True), (True, False), (False, False)
"""Whether rows were asked for, and whether they were read."""


def scanned(*rows):
    """A table of so many rows of each label and kind."""
    return ScannedTable.of(
        [RowRange(b"a", b"b")], [(label, *kind) for label, kind, count in rows for _ in range(count)]
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (scanned(("a", NEITHER, 2), ("b", BOTH, 1)), "1 row, of b"),
        (scanned(("a", BOTH, 2), ("b", IN_VAIN, 1), ("c", IN_VAIN, 3)), "6 rows, 4 of them of b, c"),
        (scanned(("a", BOTH, 2), ("a", IN_VAIN, 1)), "3 rows, 1 of them not asked for"),
        (scanned(("a", BOTH, 2), ("a", NEITHER, 1)), "2 rows, all asked for"),
        (scanned(*((name, IN_VAIN, 1) for name in "abcde")), "5 rows, not asked for"),
        (scanned(("a", BOTH, 1), ("b", MISSED, 2)), "1 row, of a; without b"),
        (scanned(("a", IN_VAIN, 1), ("b", BOTH, 9), ("b", MISSED, 1)), "10 rows, 1 of them of a; without 1 row"),
        (scanned(("a", MISSED, 2), ("a", NEITHER, 1)), "0 rows, without 2 rows"),
    ],
)
def test_a_scan_in_words_names_what_it_read_in_vain_and_what_it_missed(table, words):
    assert table.words == words


@pytest.mark.parametrize("design", few_of(all_designs(), lambda design: design.name))
def test_a_question_reads_in_vain_what_was_measured(design):
    with closing(scratch_store(design.main.tables)) as connection:
        for measurement in measure_variant(connection, design, design.main).measurements:
            table = scanned_by(connection, design.main.record_tables, measurement)
            if table is not None:
                gets = sum(read.is_get for read in measurement.reads)
                beyond = measurement.read_for_records - gets - table.read
                assert 0 <= beyond <= 2 * len(table.ranges), measurement.pattern.question
                assert table.wanted == len(measurement.records)


def drawn(table):
    """The texts of a picture of one ribbon, and its boxes, each with its class or fill, and its width."""
    picture = draw_panels("title", [Panel("name", "task", {"as published": table})])
    root = ElementTree.fromstring(picture.text())
    texts = [" ".join("".join(text.itertext()).split()) for text in root.iter(f"{SVG}text")]
    return texts, [(box.get("class", box.get("fill")), float(box.get("width"))) for box in root.iter(f"{SVG}rect")]


def test_a_ribbon_is_to_scale_and_says_what_its_marks_mean():
    texts, boxes = drawn(scanned(("a", NEITHER, 9), ("b", BOTH, 30), ("c", MISSED, 10), ("d", IN_VAIN, 20)))
    assert {"b", "30", "c", "10", "50 rows read, 20 of them of d; without c"} <= {*texts}
    assert "Crossed: asked for, not read." in " ".join(texts)
    assert "Crossed" not in " ".join(drawn(scanned(("a", BOTH, 1)))[0])
    widths = dict(boxes)
    assert widths["owner"] == pytest.approx(1.5 * widths["url(#hatch)"], rel=0.01)


def test_rows_between_two_ranges_are_a_break_and_labels_beyond_six_are_one():
    texts, _boxes = drawn(scanned(("a", BOTH, 20), *((name, NEITHER, 1) for name in "bcd"), ("e", IN_VAIN, 20)))
    assert "b" not in texts
    assert texts.count("…") == 1
    texts, _boxes = drawn(scanned(*((name, IN_VAIN, 10) for name in "abcdefgh")))
    assert {"e", "3 more", "30"} <= {*texts}
    assert "f" not in texts
    long = [f"user00000{number}" for number in range(8)]
    texts, _boxes = drawn(scanned(*((name, IN_VAIN, 10) for name in long)))
    assert {"user000000 (10)", "user000001 (10)", "user000002 (10)", "5 more (50)"} <= {*texts}
    assert not [text for text in texts if "user000003" in text]
