"""A real list of members of a parliament as profiles, with their terms of office as orders."""

import json

import pytest

from domains.profiles import SHOWN, OrderSummary, Profile
from domains.profiles.formats import FORMATS
from domains.profiles.keys import TRIM_AT
from domains.profiles.shown.design import DESIGN
from shared.loading import Description, read_lines
from tests.copies import ROOT
from tests.domains.test_real_files import REAL
from tests.programs.growth import store_records

pytestmark = [pytest.mark.long, pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")]


def test_the_real_list_is_as_wide_as_the_reference_says():
    lines = (REAL / "profiles/congress_current.jsonl").read_text(encoding="utf-8").splitlines()
    people = [json.loads(line) for line in lines]
    columns = {column for person in people for column in person}
    narrowest, widest = min(map(len, people)), max(map(len, people))
    with_colon = sum(":" in column for column in columns)
    page = (ROOT / "domains/profiles/REFERENCE.md").read_text(encoding="utf-8")
    said = f"{len(people)} members of a parliament has {len(columns)} columns, of which a person has {narrowest} to "
    assert said + f"{widest}; {with_colon} names contain a colon" in " ".join(page.split())


@pytest.mark.parametrize("variant", DESIGN.variants, ids=lambda variant: variant.name)
def test_537_real_profiles_and_2792_terms_are_stored_twice_without_change(engine, variant):
    people = [line.record for line in read_lines(REAL / "profiles/congress_current.jsonl", Profile, formats=FORMATS)]
    said = Description().with_fields(column={"order_id": "term_no", "time_ms": "start", "item": "chamber"})
    terms = [line.record for line in read_lines(REAL / "profiles/congress_terms.csv", OrderSummary, description=said)]
    assert (len(people), len(terms)) == (537, 2792)
    tables = {table.name for table in variant.tables}
    of_user = {person.user_id: [term for term in terms if term.user_id == person.user_id] for person in people}
    with engine.shared_store(*variant.tables) as connection:
        repository = variant.open(connection)
        before = None
        for _ in range(2):
            for load, records in zip(DESIGN.loads, (people, terms), strict=True):
                store_records(variant, load, repository, records)
            stored = {name: [*connection.table(name).scan()] for name in tables}
            assert before in (None, stored) or variant.name == "slots"
            before = stored
        for person in people:
            page = repository.page(person.user_id)
            assert page.profile == person
            assert list(page.orders) == of_user[person.user_id][: -SHOWN - 1 : -1]
        if variant is DESIGN.main:  # five persons had more than twenty terms: their rows were trimmed once
            counts = [len(variant.tables[1].records(row, cells)) for row, cells in stored["profiles"]]
            assert (len(counts), sum(counts), max(counts)) == (537, 2742, TRIM_AT)
