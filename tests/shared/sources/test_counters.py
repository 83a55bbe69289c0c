"""Counters of a table alone."""

import attrs
import pytest

from shared.keys import EscapedText, TrailingText, part, row_key
from shared.sources import Table
from shared.tables import COUNTER, Column, InvalidRecord


@attrs.frozen
class Visits:
    page: str
    country: str
    count: int = 0
    bots: int = 0
    note: str = ""


@attrs.frozen
class Note:
    page: str
    country: str
    note: str


@row_key
class VisitsOfPage:
    """The visits of a page."""

    page: str = part(EscapedText, "the page")
    country: str = part(TrailingText, "the country")


VISITS = Table(
    "visits",
    VisitsOfPage,
    Visits,
    {"count": Column("v:n", COUNTER), "bots": Column("v:b", COUNTER), "note": "v:t"},
)
KEY = VisitsOfPage("/a", "DE")


@pytest.fixture
def visits(new_store):
    return VISITS.on(new_store(*VISITS.tables))


def test_an_increment_adds_to_one_counter_and_returns_its_new_value(visits):
    assert [visits.increment(KEY, *counter) for counter in (("count",), ("count", 5), ("bots", -1))] == [1, 6, -1]
    assert visits.get(KEY) == Visits("/a", "DE", 6, -1)
    visits.put(Visits("/a", "DE", note="checked"))
    assert [*visits.ask(page="/a")] == [Visits("/a", "DE", 6, -1, "checked")]


def test_only_counters_can_be_incremented(visits):
    for name in ("note", "page", "nothing"):
        with pytest.raises(
            InvalidRecord,
            match=rf"increment: must be an attribute with a COUNTER column \(got '{name}', has count, bots\)$",
        ):
            visits.increment(KEY, name)
    plain = Table("plain", VisitsOfPage, Note, {"note": "v:t"}).on(visits.connection)
    with pytest.raises(InvalidRecord, match=r"increment: must be an attribute .* \(got 'note', has none\)$"):
        plain.increment(KEY, "note")
