"""What is special in a leaderboard: the best result counts in any order, and the list by score moves."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import attrs
import pytest

from domains.leaderboard import TABLES, Entry, Leaderboard

ANN = Entry("2026", "ann", score=700, reached_ms=5_000)
RESULTS = (ANN, attrs.evolve(ANN, score=900), attrs.evolve(ANN, score=900, reached_ms=4_000))


@pytest.fixture
def board(engine):
    with engine.store(*TABLES) as connection:
        yield Leaderboard(connection)


def test_the_best_result_counts_in_whichever_order_they_arrive(engine):
    for results in permutations(RESULTS):
        with engine.store(*TABLES) as connection:
            board = Leaderboard(connection)
            for result in results:
                board.report(result)
            assert [*board.top("2026")] == [board.entry("2026", "ann")] == [RESULTS[-1]]


def test_two_writers_at_once_leave_the_best_result_and_one_line(engine):
    results = [attrs.evolve(ANN, score=score) for score in range(40)]
    with engine.store(*TABLES) as connection, ThreadPoolExecutor(2) as threads:
        for reported in threads.map(lambda result: Leaderboard(connection).report(result), results):
            assert reported.score >= 0
        board = Leaderboard(connection)
        assert [*board.top("2026")] == [results[-1]]
        assert [*board.upkeep.verify()] == []


def test_the_top_has_the_highest_score_first_then_the_earliest_then_the_first_id(board):
    order = [("zoe", 900, 9), ("bob", 700, 4), ("ann", 700, 5), ("cat", 700, 5), ("dan", 0, 0)]
    board.report_all(Entry("2026", *result) for result in reversed(order))
    board.report(Entry("2026-2", "ann", 9_999, 1))
    assert [(entry.player, entry.score, entry.reached_ms) for entry in board.top("2026")] == order
    assert [entry.player for entry in board.top("2026").page(2).records] == ["zoe", "bob"]
    assert [entry.player for entry in board.top("2026", least_score=700)] == ["zoe", "bob", "ann", "cat"]


def test_a_player_moves_and_leaves(board):
    board.report(Entry("2026", "bob", 800, 1))
    for result in (ANN, RESULTS[1]):
        board.report(result)
    assert [entry.player for entry in board.top("2026")] == ["ann", "bob"]
    assert board.correct(ANN) == ANN
    assert [entry.player for entry in board.top("2026")] == ["bob", "ann"]
    board.withdraw("2026", "ann")
    board.withdraw("2026", "ann")
    assert board.entry("2026", "ann") is None
    assert [entry.player for entry in board.top("2026")] == ["bob"]
    assert board.report(ANN) == ANN
