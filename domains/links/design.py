"""The loads and questions of `links`, for the command `rowbook` and the tests."""

from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.records import parse_time

from .links import TABLES, Click, Link, Links

SAMPLES = Path(__file__).parents[2] / "fixtures" / "links"
WEEK = {"since_ms": parse_time("2026-01-05"), "until_ms": parse_time("2026-01-12")}

DESIGN = Design(
    name="links",
    question="How does a short code lead to one URL for ever, and how are its clicks counted by day and country?",
    loads=(
        Load("links", Link, Links.add, SAMPLES / "links.jsonl"),
        Load("clicks", Click, Links.click, SAMPLES / "clicks.jsonl"),
    ),
    patterns=(
        AccessPattern("the link of a code", Links.link, {"code": "fair"}),
        AccessPattern("an owner's newest links", Links.of_owner, {"owner": "o-1"}, limit=10),
        AccessPattern("an owner's links of one week", Links.of_owner, {"owner": "o-1", **WEEK}),
        AccessPattern("a link's clicks of one week, by day and country", Links.clicks, {"code": "fair", **WEEK}),
    ),
    repository=Links,
    variants=(
        Variant(
            None,
            "the design itself",
            (Exemption("loading", "a click that is sent again is counted again"),),
            tables=TABLES,
            take_if="a code must never lead elsewhere, and clicks may be a few too many or too few",
            avoid_if="clicks are billed: count them as `counters` does",
        ),
    ),
    erases="an owner",
)
