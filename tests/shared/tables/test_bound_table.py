"""A table of a store is bound once, so rows, layout and plan cannot be of different tables."""

from contextlib import closing

import happybase
import pytest

from domains.logs import keys
from domains.messages.keys import MESSAGES, OUTBOX
from shared.designs import metered
from shared.keys import InvalidQuestion, KeyLayout, Salt
from shared.queries import Query
from shared.stores import connect
from shared.tables import BoundTable, LayoutMismatch, TableLayout, create_tables

LOGS = keys.LOGS.layout


@pytest.fixture
def connection():
    with closing(connect("embedded:")) as connection:
        yield connection


def test_a_plan_of_another_table_is_refused(connection):
    outbox = BoundTable(connection, OUTBOX.layout)
    for plan in (MESSAGES.layout.plan(receiver="bob"), BoundTable(connection, MESSAGES.layout).whole_table()):
        with pytest.raises(InvalidQuestion, match=r"^plan: must be .*outbox.* \(got "):
            Query(outbox, plan)


def test_another_layout_is_refused_at_the_first_use_of_the_rows(connection):
    salted = TableLayout(LOGS.name, LOGS.holds, KeyLayout(LOGS.key.key_class, Salt(of="host", buckets=3)), LOGS.cells)
    create_tables(connection, [salted])
    with metered(connection) as cost:
        logs = BoundTable(connection, LOGS)
        logs.plan(host="web-1", event="GET")
    assert cost.rpcs == 0
    with pytest.raises(LayoutMismatch, match=r"^table logs: "):
        logs.rows  # noqa: B018


def test_the_rows_are_happybases_own_and_compared_once_for_each_connection(connection):
    create_tables(connection, [LOGS])
    logs = BoundTable(connection, LOGS)
    assert type(logs.rows) is happybase.Table
    with metered(connection) as cost:
        assert logs.rows.row(b"web-1") == BoundTable(connection, LOGS).rows.row(b"web-1") == {}
    assert cost.rpcs == 2


def test_the_name_has_the_prefix_of_the_connection():
    with closing(connect("embedded:", table_prefix="team")) as connection:
        create_tables(connection, [LOGS])
        logs = BoundTable(connection, LOGS)
        assert (logs.name, logs.rows.name) == (b"team_logs", b"team_logs")
        assert logs.layout.name == "logs"
        assert repr(logs) == "BoundTable(team_logs: one event)"
