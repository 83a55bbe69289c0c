"""A domain's own class of cells: several records in a row, in some rows none; pages lose and double nothing."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import attrs
import happybase
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.designs import metered
from shared.keys import Descending, InvalidQuestion, KeyLayout, Salt, TrailingText, UInt16, between
from shared.queries.pages import read_page
from shared.tables import InvalidRecord, InvalidRow, TableLayout
from tests.engines import Engine, examples
from tests.shared.queries.paging import records_of
from tests.shared.queries.wide import pages_of
from tests.shared.specimens import key_class
from tests.shared.stocked import query_of


@attrs.frozen
class Tag:
    number: int
    name: str


class TagCells:
    """The tags of a row: a column for each, whose qualifier is t: and the tag."""

    record = Tag
    columns = (b"f",)
    cell_attributes = ("name",)

    def pack(self, record: Tag) -> dict[bytes, bytes]:
        return {b"f:t:" + record.name.encode(): b"\xc3"}

    def records(self, key: Any, cells: Mapping[bytes, bytes]) -> Iterator[Tag]:
        for column in sorted(cells):
            if column == b"f:t:":
                raise InvalidRecord("Tag.name: must be text, not empty (got '')")
            if column.startswith(b"f:t:"):
                yield Tag(key.number, column[len(b"f:t:") :].decode())


Document = key_class("Document", number=UInt16)
NewestDocument = key_class("NewestDocument", number=Descending(UInt16))
ByTag = key_class("ByTag", name=TrailingText)
DocumentAndTag = key_class("DocumentAndTag", number=UInt16, name=TrailingText)

TAGS = TableLayout("tags", "the tags of a document", KeyLayout(Document), TagCells())
SALTED = TableLayout("salted", "the tags of a document", KeyLayout(Document, Salt(of="number", buckets=3)), TagCells())
COUNTS = (0, 0, 3, 1, 0, 0, 0, 0, 2, 5, 0, 1, 0, 0)
"""Tags of the documents 0, 1, 2, ...: several rows without one before, between and after those with some."""


def stock(rows: happybase.Table, table: TableLayout[Any, Tag], counts: tuple[int, ...] | list[int]) -> list[list[Tag]]:
    """Stores documents of so many tags each, and returns their tags; each row has a cell that is not a tag."""
    documents: list[list[Tag]] = []
    for number, count in enumerate(counts):
        tags = [Tag(number, f"tag {letter}") for letter in "abcdefgh"[:count]]
        cells = {b"f:title": b"", **{column: value for tag in tags for column, value in table.cells.pack(tag).items()}}
        rows.put(table.row(Document(number)), cells)
        documents.append(tags)
    return documents


def flat(documents: list[list[Tag]], newest_first: bool | None) -> list[Tag]:
    """The tags in the order of a scan: only rows are turned."""
    return [tag for tags in (documents[::-1] if newest_first else documents) for tag in tags]


@settings(max_examples=examples(40), derandomize=True, database=None)
@given(
    st.lists(st.sampled_from([0, 0, 1, 3]), max_size=12),
    st.integers(1, 6),
    st.sampled_from([None, True]),
    st.sampled_from([{}, {"name": "tag b"}]),
    st.sampled_from([1, 2, 5, 10_000]),
    st.sampled_from([TAGS, SALTED]),
)
def test_the_pages_of_rows_with_any_number_of_records_are_the_answer(
    engine, counts, limit, newest_first, where, read_at_most, table
):
    with engine.store(table) as connection, pytest.MonkeyPatch.context() as changed:
        changed.setattr("shared.queries.query.read_page", partial(read_page, read_at_most=read_at_most))
        rows = connection.table(table.name)
        wanted = [
            tag
            for tag in flat(stock(rows, table, counts), newest_first)
            if all(getattr(tag, name) == value for name, value in where.items())
        ]
        query = query_of(rows, table, table.whole_table(), where=where, newest_first=newest_first)
        pages = pages_of(query, limit)
        assert records_of(pages) == list(query) == wanted
        assert query.count() == len(wanted)
        assert max(page.rows_read for page in pages) <= read_at_most
        whole_rows = [len({tag.number for tag in page.records}) for page in pages]
        assert sum(whole_rows) == len({tag.number for tag in wanted})
        assert query.first() == (wanted[0] if wanted else None)


@pytest.fixture
def tagged(engine: Engine) -> Iterator[tuple[happybase.Table, list[list[Tag]]]]:
    """A table of documents, and their tags."""
    with engine.shared_store(TAGS) as connection:
        rows = connection.table(TAGS.name)
        yield rows, stock(rows, TAGS, COUNTS)


def test_a_point_has_all_records_of_its_row_or_none(tagged):
    rows, documents = tagged
    for number in range(len(COUNTS)):
        page = query_of(rows, TAGS, TAGS.plan(number=number)).page(limit=1)
        assert (page.records, page.cursor) == (documents[number], None)


def test_a_row_with_a_damaged_cell_is_raised_or_left_out_whole(tagged):
    rows, documents = tagged
    rows.put(TAGS.row(Document(9)), {b"f:t:": b"\xc3"})
    query = query_of(rows, TAGS, TAGS.whole_table())
    with pytest.raises(InvalidRow) as refused:
        list(query)
    assert str(refused.value) == "tags: row 00 09: Tag.name: must be text, not empty (got '')"
    reported: list[InvalidRow] = []
    documents[9] = []
    assert records_of(pages_of(query.on_invalid(reported.append), 2)) == flat(documents, None)
    assert [invalid.row for invalid in reported] == [TAGS.row(Document(9))]


# ---- order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [ByTag, DocumentAndTag])
@pytest.mark.parametrize("question", [{}, {"number": 9}])
def test_an_order_into_which_the_client_would_sort_is_refused(tagged, order, question):
    """The records of one row may be equal in that order, and share one place in the table."""
    plan = TAGS.plan(**question) if question else TAGS.whole_table()
    with metered(tagged[0].connection) as cost, pytest.raises(InvalidQuestion) as refused:
        query_of(tagged[0], TAGS, plan, order=KeyLayout(order))
    assert str(refused.value) == (
        "in_order_of: cannot sort table tags, because a cursor cannot tell apart the records in a row of TagCells: "
        "omit it, and sort the records yourself"
    )
    assert cost.rpcs == 0


@pytest.mark.parametrize(("order", "newest_first"), [(Document, False), (NewestDocument, True)])
def test_an_order_that_a_scan_has_is_not_refused(tagged, order, newest_first):
    rows, documents = tagged
    query = query_of(rows, TAGS, TAGS.whole_table(), order=KeyLayout(order))
    assert list(query) == records_of(pages_of(query, 2)) == flat(documents, newest_first)


# ---- explain -------------------------------------------------------------------------------------


def test_an_explanation_is_not_exact_because_rows_without_records_make_a_page_read_on(engine):
    with engine.shared_store(TAGS) as connection:
        rows = connection.table(TAGS.name)
        stock(rows, TAGS, [0] * 230 + [1, 1])
        query = query_of(rows, TAGS, TAGS.plan(number=between(0, 1000)))
        explanation = query.explain(1)
        with metered(connection) as cost:
            assert query.page(1).records == [Tag(230, "tag a")]
    assert (explanation.is_exact, explanation.is_wide, explanation.client_work) == (False, False, ())
    assert explanation.rpcs == 3 < cost.rpcs
