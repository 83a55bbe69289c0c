"""What the first lines of `keys.py` say of each variant is what it is measured to cost; the whole published row."""

import re
from contextlib import closing

from domains.changes import Change, keys
from domains.changes.design import DESIGN, NOW, OF_TABLE, SINCE
from domains.changes.variants import published
from shared.designs.comparison import measure_variant
from shared.designs.verdicts import verdict
from shared.stores import connect
from shared.tables import create_tables

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


def test_a_reader_of_the_keys_learns_what_every_variant_costs():
    measured = {}
    for variant in DESIGN.variants:
        with closing(connect("embedded:")) as connection:
            create_tables(connection, variant.tables)
            costs = {of.pattern: verdict(of) for of in measure_variant(connection, DESIGN, variant).measurements}
        measured[variant.name] = [in_short(costs[pattern]) for pattern in (NOW, SINCE, OF_TABLE)]
    assert measured == SAID


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
