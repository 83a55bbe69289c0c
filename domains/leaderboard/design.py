"""The load and questions of `leaderboard`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant

from .leaderboard import TABLES, Entry, Leaderboard

SAMPLES = Path(__file__).parents[2] / "fixtures" / "leaderboard"

TOP = AccessPattern("the top ten of a season", Leaderboard.top, {"season": "2026"}, limit=10)
FROM_SCORE = AccessPattern(
    "a season's players with a score or more", Leaderboard.top, {"season": "2026", "least_score": 1500}
)

DESIGN = Design(
    name="leaderboard",
    question="How does a game list the top of a season while scores change, and find a player's entry?",
    loads=(
        Load(
            "results",
            Entry,
            Leaderboard.report,
            SAMPLES / "results.jsonl",
            store_all=Leaderboard.report_all,
        ),
    ),
    patterns=(
        TOP,
        FROM_SCORE,
        AccessPattern("a player's entry", Leaderboard.entry, {"season": "2026", "player": "p-12"}),
    ),
    repository=Leaderboard,
    variants=(
        Variant(
            None,
            "the design itself",
            (Exemption("ranges", "a page gets the entries of its lines, all in one call", (FROM_SCORE,)),),
            tables=TABLES,
            take_if="the best result of a player counts, and you show the top of a list",
            avoid_if="you show every player's rank",
        ),
    ),
)
