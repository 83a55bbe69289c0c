"""Members of a parliament as profiles, and a real list of them with their terms of office as orders."""

import json

import pytest

from domains.profiles import SHOWN, OrderSummary, Profile
from domains.profiles.design import DESIGN
from domains.profiles.formats import FORMATS
from domains.profiles.keys import TRIM_AT
from shared.loading import read_lines
from shared.records import parse_time
from tests.copies import ROOT
from tests.domains.test_real_files import REAL
from tests.programs.growth import store_records

ANA = {"user_id": "A000001", "first": "Ana", "last": "Amodei", "term_start": "2025-01-03"}
START_MS = parse_time("2025-01-03")


@pytest.fixture
def read(tmp_path):
    """The profiles of lines, or the reasons why there are none."""

    def read_(*members):
        path = tmp_path / "members.jsonl"
        path.write_text("\n".join(member if isinstance(member, str) else json.dumps(member) for member in members))
        lines = read_lines(path, Profile, formats=FORMATS)
        assert lines.format == "members"
        return [line.record or line.reason for line in lines]

    return read_


def test_all_columns_but_three_are_attributes_and_what_is_not_text_is_json(read):
    more = {"social:twitter_id": 42, "id:fec": ["H1", "é"], "official_full": "Ana Amodei Jr."}
    (whole, short) = read(ANA | more, ANA)
    names = {"first": "Ana", "last": "Amodei", "term_start": "2025-01-03"}
    assert whole == Profile(
        "A000001",
        "Ana Amodei Jr.",
        START_MS,
        attributes=names | {"social:twitter_id": "42", "id:fec": '["H1", "é"]'},
    )
    assert short == Profile("A000001", "Ana Amodei", START_MS, attributes=names)


def test_a_line_without_user_name_or_time_says_so(read):
    nameless = {"user_id": "A000001", "term_start": "2025-01-03"}
    reasons = read(ANA, ANA | {"user_id": ""}, nameless, {**nameless, "term_start": "soon"}, "[]")[1:]
    assert [reason.partition(": ")[0] for reason in reasons[:3]] == [
        "Profile.user_id",
        "Profile.name",
        "Profile.time_ms",
    ]
    assert reasons[2].endswith("(got 'soon')")
    assert reasons[3] == "must be a JSON object (got '[]')"


on_real_files = pytest.mark.skipif(not REAL.exists(), reason="the real files are not on this machine")


@pytest.mark.long
@on_real_files
def test_the_real_list_is_as_wide_as_the_reference_says():
    lines = (REAL / "profiles/congress_current.jsonl").read_text(encoding="utf-8").splitlines()
    people = [json.loads(line) for line in lines]
    columns = {column for person in people for column in person}
    narrowest, widest = min(map(len, people)), max(map(len, people))
    with_colon = sum(":" in column for column in columns)
    page = (ROOT / "domains/profiles/REFERENCE.md").read_text(encoding="utf-8")
    said = f"{len(people)} members of a parliament has {len(columns)} columns, of which a person has {narrowest} to "
    assert said + f"{widest}; {with_colon} names contain a colon" in " ".join(page.split())


@pytest.mark.long
@on_real_files
@pytest.mark.parametrize("variant", DESIGN.variants, ids=lambda variant: variant.name)
def test_537_real_profiles_and_2792_terms_are_stored_twice_without_change(engine, variant):
    people = [line.record for line in read_lines(REAL / "profiles/congress_current.jsonl", Profile, formats=FORMATS)]
    mapping = {"order_id": "term_no", "time_ms": "start", "item": "chamber"}
    terms = [line.record for line in read_lines(REAL / "profiles/congress_terms.csv", OrderSummary, mapping=mapping)]
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
            counts = [len(variant.tables.orders.records(row, cells)) for row, cells in stored["profiles"]]
            assert (len(counts), sum(counts), max(counts)) == (537, 2742, TRIM_AT)
