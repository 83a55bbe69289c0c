"""What the first lines of `keys.py` say of each variant is what it is measured to cost; the whole published row."""

import re
from operator import attrgetter

import attrs
import pytest

from domains.changes import Change, keys
from domains.changes.design import DESIGN, NOW, OF_TABLE, SINCE
from domains.changes.variants import published
from shared.designs import measure
from shared.designs.verdicts import verdict
from shared.tables import check_layouts

SAID = {
    variant: costs
    for variant, _key, *costs in (
        re.split(" {2,}", line) for line in re.findall(r"^    ([a-z-]+ {2,}\S.*)$", keys.__doc__, re.MULTILINE)[1:]
    )
}


def in_short(words):
    """The verdict without numbers of gets and of rows."""
    words = re.sub(r", 1 get$", "", words)
    return re.sub(r"\d+(?= gets)|[\d.]+x, ", "", words).replace(",  gets", ", gets")


@pytest.mark.parametrize("variant", DESIGN.variants, ids=attrgetter("name"))
def test_a_reader_of_the_keys_learns_what_every_variant_costs(rowbook_samples, variant):
    with rowbook_samples(DESIGN, variant) as connection:
        check_layouts(connection, variant.tables)
        costs = [*measure(connection, variant.open(connection), (NOW, SINCE, OF_TABLE))]
    wrong = variant.wrong.patterns if variant.wrong else ()
    verdicts = [verdict(attrs.evolve(cost, is_wrong=cost.pattern in wrong)) for cost in costs]
    assert [*map(in_short, verdicts)] == SAID[variant.name]


def test_the_published_row_has_the_published_key_and_cells(engine):
    """Beside its own cells it has source, table and transaction, which are in another family."""
    values = {"AGE": "222", "ID": "30", "OTHER": "222", "UNAME": "AAA3", "_pk_": "ID"}
    change = Change("shop", 17870, "users", "30", "UPDATE", 1_580_976_517_000, "t-1", values)
    with engine.store(*published.TABLES) as connection:
        published.Repository(connection).store(change)
        ((row, cells),) = connection.table(published.TABLE.name).scan(columns=["C"], include_timestamp=True)
        assert published.Repository(connection).history("shop", "users", "30").first() == change
    assert row == b"03,9223370455878258,17870"
    assert {column.decode(): value.decode() for column, (value, _) in cells.items()} == {
        **{f"C:{name}": value for name, value in values.items()},
        "C:_ts_": "1580976517000",
        "C:_type_": "UPDATE",
    }
    assert {written_ms for _, written_ms in cells.values()} == {1_580_976_517_000}
