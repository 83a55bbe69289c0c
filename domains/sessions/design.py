"""The load and questions of `sessions`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from .sessions import TABLES, Session, Sessions

SAMPLES = Path(__file__).parents[2] / "fixtures" / "sessions"

OPEN = AccessPattern("the cars that are in a garage now", Sessions.open_in, {"garage": "north"})

DESIGN = Design(
    name="sessions",
    question="How does a car get at most one open parking session, and how does its garage list open and ended ones?",
    loads=(
        Load(
            "sessions",
            Session,
            Sessions.store,
            SAMPLES / "sessions.jsonl",
            has_own_order=True,
            lines_by=("car", "number"),
            restore=Sessions.restore,
        ),
    ),
    patterns=(
        AccessPattern("a session by its number", Sessions.session, {"car": "c-12", "number": 3}),
        AccessPattern("a car's last session", Sessions.last, {"car": "c-12"}),
        AccessPattern("a car's sessions, the last one first", Sessions.of_car, {"car": "c-12"}, limit=5),
        OPEN,
        AccessPattern(
            "a garage's sessions that ended in a week",
            Sessions.ended_in,
            {"garage": "north", "since_ms": parse_time("2026-01-12"), "until_ms": parse_time("2026-01-19")},
        ),
    ),
    repository=Sessions,
    variants=(
        Variant(
            None,
            "the design itself",
            (Exemption("ranges", "a page gets the sessions of its lines, all in one call", (OPEN,)),),
            tables=TABLES,
            take_if="a thing may have only one open at a time: a car's parking, a charger's session, a caller's call",
            avoid_if="several may be open at once: give each an id, as in `orders`",
        ),
    ),
)
