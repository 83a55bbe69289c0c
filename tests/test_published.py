"""Published keys, byte for byte, and the reason for every difference from ours."""

import pytest

from domains.cli import DESIGNS

PUBLISHED = {
    "[order number]": "6e2d3432",
    "[seller id][timestamp][order number]": "732d3137 00000170198b2f88 6e2d3432",
    "timestamp = Long.MAX_VALUE - timestamp; [hostname][log-event][timestamp]": "7765622d31 474554 7ffffe644ec111b4",
    "[hostname][log-event][timestamp]": "7765622d31787878787878787878787878787878 474554 0000019bb13eee4b",
    "long bucket = timestamp % numBuckets; [bucket][timestamp][hostname][log-event]": (
        "0000000000000003 0000019bb13eee4b 7765622d31 474554"
    ),
}
"""The rows, written by hand: text in UTF-8, a long in eight bytes, big-endian, as `Bytes.toBytes` makes them."""

KEYS = [(design, published) for design in DESIGNS for published in design.published]
for_every_key = pytest.mark.parametrize(
    ("design", "published"), KEYS, ids=[f"{design.name}: {key.source} {key.table.name}" for design, key in KEYS]
)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_every_design_has_the_published_form_of_one_of_its_keys(design):
    names = {published.table.name for published in design.published}
    assert names & {table.name for table in design.main.tables}


@for_every_key
def test_the_published_row_is_the_one_written_by_hand(design, published):
    assert published.row == bytes.fromhex(PUBLISHED[published.quoted])


@for_every_key
def test_each_part_that_differs_has_a_reason_and_no_other_part_has(design, published):
    assert published.differing == [*published.deviations]


@for_every_key
def test_the_published_parts_are_in_the_order_of_the_key_stored_here(design, published):
    names = [segment.name for segment in published.segments]
    assert [name for name in names if name in published.parts] == [*published.parts]


@for_every_key
def test_the_key_stored_here_belongs_to_a_table_of_the_design(design, published):
    assert published.table in [table for variant in design.variants for table in variant.tables]
