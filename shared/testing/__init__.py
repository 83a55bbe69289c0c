"""Tools for tests: contracts to inherit, crash tests, a connection that is stopped, checks of what is stored.

May import all other rooms; no other room and no design imports it. Contracts need pytest; all else does not.
"""

from typing import TYPE_CHECKING

from .answers import check_equal_answers, check_same_records
from .contents import Contents, dropped, kept, sources, sources_and_lines
from .crash_points import crash_points, subsets
from .crash_tests import CrashTests, crash_tests
from .engines import EMBEDDED, HBASE, Embedded, Engine, NamedStore
from .erased_person import ErasedPerson, ErasureTests, MovedTime
from .erasure_checks import (
    check_a_dead_eraser_is_found,
    check_an_erasure,
    check_deaths,
    check_deaths_of_recovery,
    check_rivals_of_an_erasure,
    check_the_same_call_again,
)
from .golden_keys import check_golden_keys, write_golden_keys
from .paging import check_foreign_cursors, check_pages, check_writes_between_pages
from .rival_checks import check_a_store_that_fails_often, check_late_calls, check_rivals
from .samples import check_samples
from .stop_checks import (
    check_a_crash_of_the_recoverer_too,
    check_a_pause,
    check_a_pause_at_each_call,
    check_a_stop_at_each_call,
)
from .stopped_writes import Seen, StoppedWrites, Store, View, Write, store_at_once
from .stored_samples import check_every_table_has_rows, check_loading_twice, check_round_trip, stored_cells
from .watched_connection import (
    Call,
    ReplyLost,
    Script,
    Stop,
    WatchedConnection,
    WriterDied,
    dying_at,
    dying_before,
    paused_at,
    paused_at_call,
    paused_before,
    stopped_at,
    undisturbed,
)
from .write_steps import Step, Steps
from .wrong_values import refusals

if TYPE_CHECKING:
    from .contracts import CrashContract, DesignContract, ErasureContract, PlainList, PlainListContract, in_period

__all__ = [
    "EMBEDDED",
    "HBASE",
    "Call",
    "Contents",
    "CrashContract",
    "CrashTests",
    "DesignContract",
    "Embedded",
    "Engine",
    "ErasedPerson",
    "ErasureContract",
    "ErasureTests",
    "MovedTime",
    "NamedStore",
    "PlainList",
    "PlainListContract",
    "ReplyLost",
    "Script",
    "Seen",
    "Step",
    "Steps",
    "Stop",
    "StoppedWrites",
    "Store",
    "View",
    "WatchedConnection",
    "Write",
    "WriterDied",
    "check_a_crash_of_the_recoverer_too",
    "check_a_dead_eraser_is_found",
    "check_a_pause",
    "check_a_pause_at_each_call",
    "check_a_stop_at_each_call",
    "check_a_store_that_fails_often",
    "check_an_erasure",
    "check_deaths",
    "check_deaths_of_recovery",
    "check_equal_answers",
    "check_every_table_has_rows",
    "check_foreign_cursors",
    "check_golden_keys",
    "check_late_calls",
    "check_loading_twice",
    "check_pages",
    "check_rivals",
    "check_rivals_of_an_erasure",
    "check_round_trip",
    "check_same_records",
    "check_samples",
    "check_the_same_call_again",
    "check_writes_between_pages",
    "crash_points",
    "crash_tests",
    "dropped",
    "dying_at",
    "dying_before",
    "in_period",
    "kept",
    "paused_at",
    "paused_at_call",
    "paused_before",
    "refusals",
    "sources",
    "sources_and_lines",
    "stopped_at",
    "store_at_once",
    "stored_cells",
    "subsets",
    "undisturbed",
    "write_golden_keys",
]

if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name):
        from importlib import import_module

        if name in __all__:
            return getattr(import_module(f"{__name__}.contracts"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
