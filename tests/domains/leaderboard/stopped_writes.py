"""The writes of a leaderboard over several rows, and what its readers see, for the crash tests."""

from collections.abc import Iterator
from operator import attrgetter, methodcaller

import attrs

from domains.leaderboard import Entry, Leaderboard
from domains.leaderboard.design import DESIGN
from shared.testing import StoppedWrites, Store, View, Write, store_at_once

ANN = Entry("2026", "ann", score=700, reached_ms=5_000)
ANN_BETTER, ANN_BEST, ANN_WORSE = (attrs.evolve(ANN, score=score, reached_ms=6_000) for score in (800, 950, 600))
BOB = Entry("2026", "bob", score=750, reached_ms=4_000)

report, report_better, report_best, report_worse, report_bob = (
    methodcaller("report", result) for result in (ANN, ANN_BETTER, ANN_BEST, ANN_WORSE, BOB)
)
correct = methodcaller("correct", ANN_WORSE)
withdraw = methodcaller("withdraw", "2026", "ann")


def report_all(board: Leaderboard) -> None:
    store_at_once(board.report_all, [ANN_BEST, BOB])


# ---- what is stored before


def other_season(store: Store) -> None:
    store.repository().report(Entry("2026-2", "ann", score=1, reached_ms=1))


def reported(store: Store) -> None:
    other_season(store)
    report(store.repository())


RIVALS = {"report": report, "report a better one": report_better, "report the best": report_best, "withdraw": withdraw}

WRITES = (
    Write("report", report, other_season, RIVALS, calls=5),
    Write("report a better one", report_better, reported, RIVALS, calls=6),
    Write("report a worse one", report_worse, reported, RIVALS, calls=0),
    Write("report_all", report_all, reported, RIVALS, calls=7, one_by_one=(report_best, report_bob)),
    Write("correct", correct, reported, RIVALS, calls=6),
    Write("withdraw", withdraw, reported, RIVALS, calls=5),
)


# ---- what readers see

player_of = attrgetter("season", "player")


def entries(board: Leaderboard) -> Iterator[Entry]:
    return filter(None, [board.entry("2026", player) for player in ("ann", "bob")])


VIEWS = (
    View("entries", lambda board: sorted(entries(board), key=lambda entry: -entry.score), player_of),
    View("top", lambda board: board.top("2026"), player_of),
    View("700 or more", lambda board: board.top("2026", 700), player_of),
)

STOPPED = StoppedWrites(
    WRITES, VIEWS, variants=DESIGN.variants, often=(report, report_bob, report_better, correct, report_best, withdraw)
)
