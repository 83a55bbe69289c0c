"""Sources and their lists: what is declared once, what follows from it, and what is refused."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import attrs
import pytest

from shared.intents.slots import holds_intents
from shared.keys import (
    EscapedText,
    HashPrefix,
    Int64,
    InvalidQuestion,
    KeyLayout,
    TrailingText,
    between,
    part,
    row_key,
)
from shared.sources import DELETED, Source
from shared.tables import InvalidRecord, TableLayout, create_tables
from shared.writes import CLOCK, NotAllStored


@row_key
class ByNumber:
    """One task under its number."""

    number: str = part(TrailingText, "any text")


@row_key
class ByOwner:
    """One line of an owner's list."""

    owner: str = part(EscapedText, "who has to do it")
    order: int = part(Int64, "its place; a part of this name must not hide an option")
    number: str = part(TrailingText, "any text")


@row_key
class ByState:
    """One line of the tasks with a state."""

    state: str = part(EscapedText, "any text")
    number: str = part(TrailingText, "any text")


@row_key
class ByTag:
    """One line of the tasks with a tag."""

    tag: str = part(EscapedText, "one of several")
    number: str = part(TrailingText, "any text")


@attrs.frozen
class Task:
    """A task, whose owner may be nobody."""

    number: str
    owner: str | None
    order: int
    state: str
    text: str = ""
    tags: list[str] = attrs.field(factory=list[str])


@attrs.frozen
class OwnersLine:
    """A task in the list of its owner."""

    owner: str
    order: int
    number: str
    text: str


COLUMNS = {"owner": "t:o", "order": "t:n", "state": "t:s", "text": "t:t", "tags": "t:g"}


def tags_of(task: Task) -> Iterator[ByTag]:
    return (ByTag(tag, task.number) for tag in task.tags)


def declared() -> tuple[Any, ...]:
    tasks = Source("tasks", ByNumber, Task, COLUMNS)
    return (
        tasks,
        tasks.list("tasks_by_owner", ByOwner, OwnersLine),
        tasks.moving_list("tasks_by_state", ByState, when=lambda task: task.state != "gone"),
        tasks.moving_list("tasks_by_tag", ByTag, lines=tags_of),
    )


TASKS, BY_OWNER, BY_STATE, BY_TAG = declared()
HASHED = TASKS.like(
    "hashed",
    KeyLayout(ByNumber, HashPrefix(of="number", bytes=2)),
    lists={BY_OWNER: BY_OWNER.like("hashed_by_owner", line=Task), BY_STATE: BY_STATE.like("hashed_by_state")},
)
ONE = Task("1", "ann", 7, "open", "paint", ["red", "dry"])
TWO = Task("2", None, 3, "open", tags=["red"])


@pytest.fixture(params=[TASKS, HASHED], ids=["first", "variant"])
def tasks(request, rowbook_store):
    create_tables(rowbook_store, request.param.tables)
    return request.param.on(rowbook_store)


@pytest.fixture
def rowbook_store(engine):
    with engine.store() as connection:
        yield connection


def stored(tasks, *wanted):
    assert tasks.write_all(wanted, lambda task, _stored: task) == len(wanted)


@pytest.mark.store
def test_each_list_has_the_lines_that_follow_from_the_record(tasks):
    stored(tasks, ONE, TWO, Task("3", "ann", 1, "gone"))
    assert tasks.get(ByNumber("1")) == ONE
    assert tasks.get(ByNumber("9")) is None
    assert [*tasks.ask(BY_OWNER, owner="ann")] == [OwnersLine("ann", 1, "3", ""), OwnersLine("ann", 7, "1", "paint")]
    assert [*tasks.ask(BY_OWNER, owner="ann", order=between(2, None))] == BY_OWNER.shown([ONE])
    assert [*tasks.ask(BY_STATE, state="open")] == [ONE, TWO]
    assert [*tasks.ask_all(BY_TAG)] == [ByTag("dry", "1"), ByTag("red", "1"), ByTag("red", "2")]
    assert {task.number for task in tasks.ask_all()} == {"1", "2", "3"}
    assert [*tasks.ask_more(BY_OWNER, owner="ann", number="1")] == BY_OWNER.shown([ONE])


@pytest.mark.store
def test_a_moving_list_shows_only_what_the_records_have(tasks):
    stored(tasks, ONE, TWO)
    for table, key in ((BY_STATE, ByState("gone", "1")), (BY_TAG, ByTag("blue", "2")), (BY_TAG, ByTag("red", "8"))):
        layout = tasks.table(table).layout
        tasks.table(table).rows.put(layout.row(key), layout.cells.pack(key))
    assert [*tasks.ask(BY_STATE, state="gone")] == []
    assert [*tasks.ask(BY_TAG, tag="blue")] == []
    assert [*tasks.table(BY_TAG).ask(tag="blue")] == [ByTag("blue", "2")]
    assert [*tasks.table(BY_TAG).ask(tag="red").then(tasks.records_of(BY_TAG))] == [ONE, TWO]
    assert len([*tasks.upkeep.verify()]) == 3


@pytest.mark.store
def test_a_write_moves_the_lines_and_repair_puts_what_is_lost(tasks):
    stored(tasks, ONE)
    done = tasks.write(ONE, lambda task: attrs.evolve(task, state="done", tags=["dry"]))
    assert ([*tasks.ask(BY_STATE, state="open")], [*tasks.ask(BY_STATE, state="done")]) == ([], [done])
    assert [*tasks.ask_all(BY_TAG)] == [ByTag("dry", "1")]
    owners = tasks.table(BY_OWNER)
    owners.rows.delete(owners.row(done), timestamp=CLOCK.read_ms() + 1_000)
    assert [finding.kind for finding in tasks.upkeep.verify()] == ["missing"]
    assert [is_mended for _finding, is_mended in tasks.upkeep.repair()] == [True]
    assert [*tasks.ask(BY_OWNER, owner="ann")] == BY_OWNER.shown([done])


@pytest.mark.store
def test_only_deleted_deletes_a_record_because_none_may_be_a_forgotten_return(tasks):
    stored(tasks, ONE)
    refused = re.escape(": decide must return a record, or DELETED (got None)")
    with pytest.raises(InvalidRecord, match=refused):
        tasks.write(ONE, lambda task: None)
    with pytest.raises(NotAllStored) as not_stored:
        tasks.write_all([ONE], lambda task, stored: None)
    assert re.search(refused, str(not_stored.value.__cause__))
    assert [*tasks.ask(BY_STATE, state="open")] == [tasks.get(ONE)] == [ONE]
    assert (tasks.write(TWO, lambda _none: None), tasks.get(TWO)) == (None, None)
    assert tasks.write(ONE, lambda _stored: DELETED) is DELETED
    assert [*tasks.ask_all()] == [*tasks.ask_all(BY_STATE)] == [*tasks.ask_all(BY_TAG)] == []


@pytest.mark.store
def test_erasing_goes_through_the_lines_of_a_question(tasks):
    stored(tasks, ONE, TWO)
    assert tasks.erase(BY_OWNER, lambda task: task and attrs.evolve(task, owner=None), owner="ann") == 0
    assert tasks.get(ByNumber("1")) == attrs.evolve(ONE, owner=None)
    assert [*tasks.ask_all(BY_OWNER)] == []


@pytest.mark.store
def test_none_is_no_line_only_where_the_record_says_that_it_may_be(tasks):
    stored(tasks, TWO)
    assert [*tasks.ask_all(BY_OWNER)] == []
    with pytest.raises(NotAllStored, match=r"\.state: must be text \(got None"):
        stored(tasks, attrs.evolve(ONE, state=None))
    assert tasks.get(ByNumber("1")) is None


@pytest.mark.store
def test_a_question_without_conditions_needs_a_word(tasks):
    for ask in (tasks.ask, partial(tasks.ask, BY_OWNER), tasks.ask_more, tasks.table(BY_STATE).ask):
        with pytest.raises(InvalidQuestion, match=r"^ask(_more)?: must have a value for a part of By\w+; ask_all"):
            ask()


def test_what_follows_from_names_is_the_layer_below():
    assert [table.name for table in TASKS.tables] == [
        "tasks",
        "tasks_by_owner",
        "tasks_by_state",
        "tasks_by_tag",
        "tasks_intents",
    ]
    assert [table.name for table in HASHED.tables] == [
        "hashed",
        "hashed_by_owner",
        "hashed_by_state",
        "tasks_by_tag",
        "hashed_intents",
    ]
    source, owners, states, *_ = TASKS.tables
    assert (source.cells.columns, owners.cells.columns, states.cells.columns) == ((b"t:source",), (b"t:t",), (b"t:x",))
    assert HASHED.table_of(BY_OWNER).cells.columns == (b"t:s", b"t:t", b"t:g")
    assert [table.families["t"].keep_tombstones_ms for table in (source, owners, states)] == [0, 1_260_000, 1_260_000]
    assert holds_intents(TASKS.tables[-1])
    assert (source.holds, owners.holds) == ("the task", "one line of an owner's list")


def test_a_list_that_is_declared_after_the_tables_were_asked_for_is_refused():
    tasks, *_lists = declared()
    _ = tasks.tables
    with pytest.raises(InvalidRecord) as refused:
        tasks.list("late", ByOwner, OwnersLine)
    assert str(refused.value) == (
        "source tasks: list late must be declared before the tables of the source are asked for (which tables did)"
    )
    later = tasks.like("later").moving_list("late", ByState)
    assert later.layout.name == "late"
    assert "late" not in [table.name for table in tasks.tables]


def test_a_list_of_another_source_is_refused():
    other, *_lists = declared()
    with pytest.raises(InvalidRecord, match=r"^ListOf\(tasks_by_owner\): must be a list of source tasks \(has ListOf"):
        other.table_of(BY_OWNER)
    with pytest.raises(InvalidRecord, match="must be a list of source tasks"):
        other.like(lists={BY_OWNER: BY_OWNER.like("x")})


def test_computed_columns_follow_the_table_of_their_source():
    tasks = Source("tasks", ByNumber, Task, COLUMNS)
    texts = tasks.list("tasks", ByNumber, Text, {"text": "c:t"}, holds="its text")
    other = tasks.like("other", KeyLayout(ByNumber, HashPrefix(of="number", bytes=2)))
    table: TableLayout[Any, Any] = other.table_of(texts)
    assert (table.name, table.key) == ("other", other.layout.key)


@attrs.frozen
class Text:
    """The text of a task."""

    number: str
    text: str
