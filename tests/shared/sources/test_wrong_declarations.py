"""What is refused of a source, a list or a table when it is declared, each in one line that says what to do."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import attrs
import pytest

from shared.keys import EscapedText, TrailingText
from shared.sources import Source, Table
from shared.tables import BIG_INT, COUNTER, TEXT, Column, Family, InvalidRecord
from tests.shared.specimens import key_class
from tests.shared.tables.records import record_class

ById = key_class("ById", id=TrailingText)
ByOwner = key_class("ByOwner", owner=EscapedText, id=EscapedText)
ByState = key_class("ByState", state=EscapedText, id=EscapedText)
OwnerOnly = key_class("OwnerOnly", owner=EscapedText)

Task = record_class("Task", id=str, owner=str, state=str, size=int)
Count = record_class("Count", id=str, number=int | None)
Line = record_class("Line", owner=str, id=str, size=int)
OtherLine = record_class("OtherLine", owner=str, id=str, size=int | None)
UnknownLine = record_class("UnknownLine", owner=str, id=str, weight=int)
COLUMNS = {"owner": "t:o", "state": "t:s", "size": "t:z"}


def source(**changes: Any) -> Source[Any]:
    return Source("tasks", ById, Task, COLUMNS, **changes)


def declared(size: Any, column: Any) -> Source[Any]:
    """A source whose records have a size of this type in this column."""
    record = record_class("Task", id=str, owner=str, state=str, size=size)
    return Source("tasks", ById, record, COLUMNS | {"size": column})


KEEP = "table by_owner: family t must keep tombstones for 1260000 ms or more (got 1000)"
MOVING = (
    "a moving list holds only its key, so that its lines can be put before a write is decided: leave out the line's "
    "record, or declare a list"
)
LACKS_ID = "table by_owner: its key must have id, as tasks has (got owner)"
REFUSED: list[tuple[Callable[[], object], str]] = [
    # ---- attributes without a place
    (
        lambda: Source("tasks", ById, Task, {"owner": "t:o", "state": "t:s"}),
        "Task.size: must be a column of table tasks, or a part of ById",
    ),
    (
        lambda: Source("tasks", ById, Task, COLUMNS | {"id": "t:i"}),
        "Task.id: must be in the row key or in the cells, not in both",
    ),
    (
        lambda: Source("tasks", ByOwner, record_class("Bare", id=str, state=str), {"state": "t:s"}),
        "Bare.owner: must be an attribute, because it is a part of ByOwner, the key of table tasks (has id, state)",
    ),
    (
        lambda: source().list("by_owner", ByOwner, UnknownLine),
        "UnknownLine.weight: must be a part of ByOwner, or have a column in Task (which has owner, state and size)",
    ),
    (
        lambda: source().list("by_owner", ByOwner, OtherLine),
        "OtherLine.size: must be declared as in Task, whose column it shares (got int | None and int)",
    ),
    # ---- keys of lists
    (lambda: source().list("by_owner", OwnerOnly), LACKS_ID),
    (lambda: source().moving_list("by_owner", OwnerOnly), LACKS_ID),
    (
        lambda: source().list("by_owner", ByOwner, columns={"size": "t:z"}),
        "table by_owner: columns need a line, which holds them (got size)",
    ),
    (
        lambda: source().like(key=key_class("Other", id=EscapedText)),
        "source tasks: another key needs another table (got only the key)",
    ),
    (
        lambda: source().list("by_team", key_class("ByTeam", team=EscapedText, id=EscapedText)),
        "table by_team: Task must have the part team of ByTeam, or the list gives `lines` "
        "(has id, owner, state and size)",
    ),
    # ---- moving lists
    (
        lambda: source().moving_list("by_owner", ByOwner, Line),  # type: ignore[call-overload]
        f"table by_owner: {MOVING} (got 'Line')",
    ),
    (
        lambda: source().moving_list("by_owner", ByOwner, columns={"size": "t:z"}),  # type: ignore[call-overload]
        f"table by_owner: {MOVING} (got {{'size': 't:z'}})",
    ),
    (
        lambda: source().moving_list("by_owner", ByOwner, families={"t": Family(keep_tombstones_ms=1000)}),
        KEEP,
    ),
    (lambda: source().list("by_owner", ByOwner, Line, families={"t": Family(keep_tombstones_ms=1000)}), KEEP),
    (
        lambda: source().moving_list("by_owner", ByOwner, families={"t": Family(ttl_seconds=60)}),
        "table by_owner: family t of a moving list must not have a TTL: the list would lack records that are stored "
        "(got 60 s)",
    ),
    # ---- families
    (
        lambda: source(families={"t": Family(ttl_seconds=60)}),
        "table tasks: family t of a source must not have a TTL: what decides would expire, and with it what is derived "
        "from it (got 60 s)",
    ),
    (lambda: source(families={"u": Family()}), "table tasks: must have the family t (has u)"),
    # ---- types and packings
    (
        lambda: declared(int, Column("t:z", TEXT)),
        "Task.size: must be declared as str to be packed as text (got int): declare that, or leave out the packing",
    ),
    (
        lambda: declared(int | None, Column("t:z", BIG_INT)),
        "Task.size: must be declared as int to be packed as big int (got int | None): declare that, or leave out the "
        "packing",
    ),
    (
        lambda: declared(set[int], "t:z"),
        "Task.size: must be of a type that can be packed (got set[int]): declare a list, a tuple[X, ...], an attrs "
        "class, or another type of declared_packing.py",
    ),
    (
        lambda: Table("counts", ById, Count, {"number": Column("c:n", COUNTER)}),
        "Count.number: must be declared as int to be packed as counter (got int | None): declare that, or leave out "
        "the packing",
    ),
    (
        lambda: Table("tasks", ById, Task, COLUMNS, dated_by="state"),
        "table tasks: dated_by must be an int of milliseconds, or a datetime (got 'state', str)",
    ),
    (
        lambda: Table("visits", ById, record_class("Visit", id=str, at=datetime | int), {"at": "v:t"}),
        "Visit.at: must be a union of types that differ once they are packed (got datetime.datetime | int): two of "
        "them are packed as int: declare one, or an attrs class of both",
    ),
]


@pytest.mark.parametrize(("declare", "message"), REFUSED, ids=[message for _declare, message in REFUSED])
def test_a_wrong_declaration_is_refused_when_it_is_made(declare, message):
    with pytest.raises(InvalidRecord) as refused:
        declare()
    assert str(refused.value) == message


def test_a_list_whose_families_do_not_say_keeps_its_tombstones():
    of = source().moving_list("by_state", ByState, families={"t": Family(compression="GZ")})
    assert of.layout.families == {"t": Family(compression="GZ", keep_tombstones_ms=1_260_000)}


def test_a_source_may_have_a_time_to_live_that_is_none():
    assert source(families={"t": Family(ttl_seconds=-1)}).layout.families["t"].lifetime_s is None


def test_a_line_is_left_out_for_a_part_that_is_none_only_if_the_class_says_so():
    maybe = Source("tasks", ById, record_class("Maybe", id=str, owner=str | None), {"owner": "t:o"})
    of = maybe.list("by_owner", ByOwner)
    assert of.lines_of(attrs.evolve(maybe.record("a", "ada"), owner=None)) == ()
    assert len([*source().list("by_owner", ByOwner).lines_of(Task("a", None, "open", 1))]) == 1
