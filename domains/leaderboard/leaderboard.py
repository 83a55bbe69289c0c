"""A leaderboard in one module: the best result of each player in a season, and the top of the season.

The row of a player in a season decides the best result. The list by score is derived from these rows and moves with
them: it never lacks a player, and shows none twice. Times are milliseconds since 1970 UTC.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import attrs

from shared.keys import Descending, EscapedText, Int64, TrailingText, between, part, row_key
from shared.queries import Query
from shared.records import LAST_MS, check_int, integer, text
from shared.sources import DELETED, Source

if TYPE_CHECKING:
    import happybase

LAST_SCORE = 2**63 - 1


# ---- records


@attrs.frozen
class Entry:
    """The best result of a player in a season."""

    season: str = attrs.field(validator=text())
    player: str = attrs.field(validator=text())
    """An id of the player; the name to show is in the player's profile, because it changes."""
    score: int = attrs.field(validator=integer(0, LAST_SCORE))
    reached_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """When it was reached: of two equal scores the earlier one is better."""

    def is_better_than(self, other: "Entry") -> bool:
        """Whether this result counts, of two of a player."""
        return (-self.score, self.reached_ms) < (-other.score, other.reached_ms)


# ---- keys


@row_key
class EntryOfPlayer:
    """A player's entry in a season: the source.

    Order:  by season, then by player.
    Serves: a player's entry; all entries of a season.
    Costs:  one get; one scan.
    Fixed:  one row for each player and season: it decides the best result.
    Source: none
    """

    season: str = part(EscapedText, "the season, or the game and its season; any text")
    player: str = part(TrailingText, "an id of the player; any text")


@row_key
class ResultInSeason:
    """One line of a season's results: it moves when the player has a better one.

    Order:  by season, the highest score first, the earliest of equal ones first, then by player.
    Serves: the top N of a season; the players with a score or more.
    Costs:  one scan of a page's lines, and one call that gets their entries.
    Fixed:  the widths, and the directions of score and time.
    Source: none
    """

    season: str = part(EscapedText, "the season")
    score: int = part(Descending(Int64), "the best score, the highest first")
    reached_ms: int = part(Int64, "when it was reached, milliseconds since 1970 UTC, the earliest first")
    player: str = part(TrailingText, "the player")


ENTRIES = Source("leaderboard", EntryOfPlayer, Entry, {"score": "e:s", "reached_ms": "e:t"})
BY_SCORE = ENTRIES.moving_list("leaderboard_by_score", ResultInSeason)
TABLES = ENTRIES.tables


# ---- the repository


class Leaderboard:
    """Keeps each player's best result of a season, in whichever order results arrive, and lists the top.

    If a writer dies, the same call again or `upkeep.recover` completes the write. Threads may share
    it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", entries: Source[Entry] = ENTRIES) -> None:
        self._entries = entries.on(connection)
        self.upkeep = self._entries.upkeep

    # ---- writes

    def report(self, result: Entry) -> Entry:
        """Stores a result if it is the player's best one of the season; returns the best one.

        The same call again changes nothing. Costs: 1 get, 3 puts, 1 checkAndPut; 1 delete if it replaces another one; 1
        get and 1 put if it is not the best.
        """
        return self._entries.write(result, partial(after_report, result))

    def report_all(self, results: Iterable[Entry]) -> int:
        """Reports many results in few calls; returns their number. Raises NotAllStored, as `write_all` does."""
        return self._entries.write_all(results, after_report)

    def correct(self, result: Entry) -> Entry:
        """Stores a result in place of a better one that does not count. Costs: those of `report`."""
        return self._entries.write(result, lambda _stored: result)

    def withdraw(self, season: str, player: str) -> None:
        """Removes a player from a season. Costs: 1 get, 2 puts, 1 checkAndPut, 1 delete."""
        self._entries.write(EntryOfPlayer(season, player), lambda _stored: DELETED)

    # ---- questions

    def entry(self, season: str, player: str) -> Entry | None:
        """A player's entry in a season, or None. Costs: one get."""
        return self._entries.get(EntryOfPlayer(season, player))

    def top(self, season: str, least_score: int = 0) -> Query[Entry]:
        """The entries of a season with a score or more, the best one first: its first page is the top N.

        Costs: one scan of a page's lines, and one call that gets their entries.
        """
        check_int("least_score", least_score, 0, LAST_SCORE)
        return self._entries.ask(BY_SCORE, season=season, score=between(least_score, None))


# ---- decisions


def after_report(result: Entry, stored: Entry | None) -> Entry:
    """The better one of two results of a player."""
    return result if stored is None or result.is_better_than(stored) else stored
