"""Columns computed from a record, in the row of its source: a list in the source's own table."""

import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from itertools import count

import attrs
import pytest

from shared.intents import IntentWriter
from shared.intents.slots import intents_table
from shared.intents.source_cells import SourceCells
from shared.intents.times import FUTURE_MS
from shared.keys import InvalidQuestion, KeyLayout
from shared.queries import Query, equal
from shared.tables import (
    TEXT,
    BoundTable,
    Column,
    Family,
    InvalidRecord,
    InvalidRow,
    OtherColumns,
    RecordCells,
    TableLayout,
)
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at, paused_at_call
from shared.upkeep import Finding, Instructions
from shared.writes import put_all

from .notes import ById, Notes, is_decision


@attrs.frozen
class Paper:
    id: str
    body: str
    state: str = "draft"
    tags: Mapping[str, str] = attrs.field(factory=dict[str, str])
    time_ms: int = 0


@attrs.frozen
class Shown:
    """What a list of papers shows."""

    id: str
    state: str
    tags: Mapping[str, str]


PAPER_CELLS = RecordCells(
    Paper, {"body": Column("d:b"), "state": Column("d:s"), "time_ms": Column("d:t"), "tags": OtherColumns("d")}
)
PAPERS = TableLayout(
    "papers", "a paper", KeyLayout(ById), SourceCells(PAPER_CELLS, "d:paper"), {"d": Family(max_versions=5)}
)
SHOWN_CELLS = RecordCells(Shown, {"state": Column("s:state", TEXT), "tags": OtherColumns("s", TEXT)})
SHOWN = TableLayout("papers", "what a list shows of a paper", KeyLayout(ById), SHOWN_CELLS)
INTENTS = intents_table("papers_intents")
TABLES = (PAPERS, SHOWN, INTENTS)


class Papers(Notes):
    def __init__(self, connection):
        self.papers, self.shown = BoundTable(connection, PAPERS), BoundTable(connection, SHOWN)
        super().__init__(connection, IntentWriter(connection, PAPERS, INTENTS, [SHOWN], lambda paper: [(SHOWN, paper)]))

    def in_state(self, state):
        chosen = equal(SHOWN_CELLS, "state", state)
        return Query(self.papers, self.papers.whole_table()).where(state=state).filtered(chosen)

    def all(self):
        return [*Query(self.papers, self.papers.whole_table())]

    def all_shown(self):
        return [*Query(self.shown, self.shown.whole_table())]


def shown(paper):
    return Shown(paper.id, paper.state, paper.tags)


A = Paper("a", "x" * 1000, tags={"by": "ada", "of": "1958"})
DONE = attrs.evolve(A, state="done")
LESS = attrs.evolve(A, tags={"by": "bob"})
B = Paper("b", "y" * 1000)


@pytest.fixture
def papers(new_store):
    papers = Papers(new_store(*TABLES))
    for paper in (A, B):
        papers.store(paper)
    return papers


@pytest.fixture
def rows(papers):
    return papers.papers.rows


# ---- writing and reading


def test_the_columns_are_in_the_row_of_the_source_and_go_with_what_the_record_loses(papers, rows):
    assert rows.row(b"a").keys() == {b"d:paper", b"s:state", b"s:by", b"s:of"}
    papers.store(LESS)
    assert rows.row(b"a", columns=["s"]) == {b"s:state": b"draft", b"s:by": b"bob"}
    papers.delete(LESS)
    assert rows.row(b"a").keys() == {b"d:paper"}
    assert (papers.all(), papers.all_shown()) == ([B], [shown(B)])


def test_a_filter_compares_a_column_that_the_records_do_not_have(papers, rows):
    papers.store(DONE)
    rows.put(b"z", SHOWN_CELLS.pack(Shown("z", "done", {})))  # of no paper
    assert list(papers.in_state("done")) == [DONE]
    assert [page.records for page in (papers.in_state("draft").page(1),)] == [[B]]
    assert list(papers.in_state("lost")) == []
    point = Query(papers.papers, papers.papers.plan(id="a")).filtered(equal(SHOWN_CELLS, "state", "done"))
    assert point.first() == DONE


def test_records_with_a_timestamp_of_their_own_put_all_layouts_of_a_row_in_one_call(new_store):
    plain = TableLayout("papers", "a paper", KeyLayout(ById), PAPER_CELLS)
    watched = WatchedConnection(new_store(plain, SHOWN))
    put_all([A, attrs.evolve(B, time_ms=7)], BoundTable(watched, plain), BoundTable(watched, SHOWN))
    columns = [[(row, len(mutations)) for row, mutations in call.rows] for call in watched.calls]
    assert columns == [[(b"a", 8), (b"b", 4)]]


def test_two_lists_in_one_table_are_refused(new_store):
    other = attrs.evolve(SHOWN, cells=RecordCells(ById, {}, marker="s:other"))
    with pytest.raises(
        InvalidRecord, match=r"^table papers: must have one list \(got what a list shows of a paper too\)$"
    ):
        IntentWriter(new_store(*TABLES), PAPERS, INTENTS, [SHOWN, other], list)


def test_a_source_that_changes_often_while_it_is_read_as_of_a_time_is_unknown(papers):
    """A compaction may drop the version of then before it is read, so the present row is read after it."""
    rows, answers = papers.papers.rows, []
    for number in count():
        papers.store(A)
        _, then_ms = rows.row(b"a", [b"d:paper"], include_timestamp=True)[b"d:paper"]
        time.sleep(0.002)
        papers.store(DONE)
        watched = WatchedConnection(rows.connection, before_call=paused_at_call(number, partial(change, papers)))
        query = Query(BoundTable(watched, PAPERS), papers.papers.plan(id="a")).as_of(then_ms)
        with suppress(InvalidRow):
            answers.append(query.first())
        if number >= watched.number_of_calls:
            break
    assert number >= 3
    assert answers == [A], "if nothing came between"


def change(papers):
    """Changes a paper as often as its family keeps versions, each in a millisecond of its own."""
    for number in range(5):
        time.sleep(0.002)
        papers.store(attrs.evolve(A, body=str(number)))


def test_a_server_filter_is_refused_as_of_a_time_because_it_sees_the_present(papers):
    with pytest.raises(InvalidQuestion, match=r"^filtered: cannot filter table papers as of a time: give where"):
        Query(papers.papers, papers.papers.whole_table()).filtered(equal(SHOWN_CELLS, "state", "done")).as_of(5)


# ---- verifying and repairing


@pytest.mark.parametrize(
    ("puts", "deletes", "kind", "reason"),
    [
        ({}, [b"s:state", b"s:by", b"s:of"], "missing", ""),
        ({}, [b"s:of"], "differing", "in s:of"),
        ({b"s:state": b"done", b"s:new": b"1"}, [], "differing", "in s:new and s:state"),
        ({b"s:state": b"\xff", b"s:\xff": b"1"}, [], "differing", r"in s:state and s:\xff"),
    ],
)
def test_a_computed_column_that_is_missing_or_wrong_is_found_and_mended(papers, rows, puts, deletes, kind, reason):
    time_ms = papers.writer.reader.read(b"a").time_ms
    if puts:
        rows.put(b"a", puts, timestamp=time_ms)
    if deletes:
        rows.delete(b"a", deletes, timestamp=time_ms)
    finding = Finding(kind, "papers", b"a", b"a", reason)
    assert list(papers.upkeep.verify()) == [finding]
    assert list(papers.upkeep.repair()) == [(finding, True)]
    assert list(papers.upkeep.verify()) == []
    assert papers.all_shown() == [shown(A), shown(B)]


@pytest.mark.parametrize("later_ms", [2, FUTURE_MS - 10_000, FUTURE_MS + 10_000])
@pytest.mark.parametrize("cells", [{b"s:state": b"done"}, {b"s:state": b"\xff"}, {b"s:\xff": b"1"}])
def test_a_column_that_was_put_after_the_rest_of_its_line_is_damage_and_mended(papers, rows, cells, later_ms):
    """A write puts all columns of a line at once. So this is no line of a revision that the source has lost."""
    rows.put(b"a", cells, timestamp=papers.writer.reader.read(b"a").time_ms + later_ms)
    is_mended = later_ms < FUTURE_MS
    ((finding, was_mended),) = papers.upkeep.repair()
    assert (finding.kind, was_mended) == ("differing" if is_mended else "future", is_mended)
    assert [found.kind for found in papers.upkeep.verify()] == ([] if is_mended else ["future"])
    assert not is_mended or papers.all_shown() == [shown(A), shown(B)]


@pytest.mark.parametrize("dies", [False, True])
def test_the_columns_of_a_lost_revision_are_kept_also_if_its_writer_died_before_it_deleted_one(papers, rows, dies):
    (backup,) = rows.row(b"a", [b"d:paper"]).values()
    dying = dying_at(lambda call: dies and any(one.isDelete for _, mutations in call.rows for one in mutations))
    with suppress(WriterDied):
        Papers(WatchedConnection(papers.papers.connection, dying)).store(LESS)
    before = papers.all_shown()
    assert (b"s:of" in rows.row(b"a")) is dies
    time.sleep(0.005)
    rows.put(b"a", {b"d:paper": backup})
    for _ in range(2):
        findings = [(finding.kind, is_mended) for finding, is_mended in papers.upkeep.repair()]
        assert findings == [("unsettled", False)] * dies + [("orphaned", False)]
        assert papers.all_shown() == before


def test_a_row_that_cannot_be_read_is_found_once_and_removed_whole_if_it_is_named(papers, rows):
    damaged = {b"b": {b"d:paper": b"?"}, b"\xff": {b"d:paper": b"?", b"s:state": b"?"}, b"\xfe": {b"s:state": b"?"}}
    for row, cells in damaged.items():
        rows.put(row, cells)
    assert sorted((finding.kind, finding.row) for finding in papers.upkeep.verify()) == [
        ("undecodable", row) for row in sorted(damaged)
    ]
    named = frozenset(("papers", row) for row in damaged)
    for told, is_mended in (
        (Instructions(discards_undecodable=True), False),
        (Instructions(discards_rows=named), True),
    ):
        assert {mended for _, mended in papers.upkeep.repair(instructions=told)} == {is_mended}
    assert papers.all_shown() == [shown(A)]
    assert list(papers.upkeep.verify()) == []


# ---- crashes and other writers


def test_a_dead_writer_is_recovered_though_the_server_dates_its_source_later_than_the_columns(papers):
    slow = WatchedConnection(papers.papers.connection, paused_at(2, lambda: time.sleep(0.01), dying_at(3)))
    with suppress(WriterDied):
        Papers(slow).store(DONE)
    assert [is_decision(call) for call in slow.calls] == [False, False, True, False]
    assert papers.all_shown() == [shown(A), shown(B)]
    assert papers.writer.recover(older_than_ms=0).settled == 1
    assert papers.all_shown() == [shown(DONE), shown(B)]
