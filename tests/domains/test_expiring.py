"""Records that are older than a TTL, in every variant of every design: refused whole, or dated by the clock."""

import time
from contextlib import closing, suppress
from typing import Any

import pytest

from shared.designs.design import same_random_numbers
from shared.stores import connect
from shared.tables import Family, create_tables
from shared.testing.stored_samples import stored_cells
from shared.writes import Expired, NotAllStored
from tests.designs import all_designs

from .variants import marks_of

DAY_S = 86_400
VARIANTS = [
    pytest.param(design, variant, load, marks=marks_of(design, variant), id=f"{design.name}:{variant.name}:{load.name}")
    for design in all_designs()
    for variant in design.variants
    for load in design.loads
]


def oldest_ms(connection: Any, tables: Any) -> int:
    """The timestamp of the oldest cell of some tables; if there is none, that of the end of time."""
    return min(
        (
            time_ms
            for rows in stored_cells(connection, tables).values()
            for _row, cells in rows
            for _value, time_ms in cells.values()
        ),
        default=2**63,
    )


@pytest.mark.parametrize(("design", "variant", "load"), VARIANTS)
@pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
def test_nothing_is_put_that_would_expire_at_once(design, variant, load, many, monkeypatch):
    """The tables have a TTL as their repositories see it, but none in the store, so that every put can be read."""
    samples = [*load.sample_records()][:20]
    with closing(connect("embedded:")) as connection, same_random_numbers():
        create_tables(connection, variant.tables)
        repository = variant.open(connection)
        if many and not (load.stores_many_in(repository) and variant.may_store_again):
            pytest.skip("it stores one record at a time")
        monkeypatch.setattr(Family, "lifetime_s", DAY_S)
        for records in [samples] if many else [[record] for record in samples]:
            with suppress(Expired, NotAllStored):
                load.store_all_in(repository, records) if many else load.store_in(repository, records[0])
        assert oldest_ms(connection, variant.tables) > time.time_ns() // 1_000_000 - DAY_S * 1000
