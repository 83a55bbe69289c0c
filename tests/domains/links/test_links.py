"""What is special in short links: one URL for each code, and clicks that are counted by HBase."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import attrs
import pytest

from domains.links import TABLES, Click, Clicks, CodeTaken, Link, Links, OwnedLink, new_code
from domains.links.links import CODE_CHARACTERS, DAY_MS
from shared.testing import ReplyLost, Stop, WatchedConnection, stopped_at

FAIR = Link("fair", "https://example.com/fair", "ann", 5_000)
CLICK = Click("fair", "DE", 3 * DAY_MS + 1)


@pytest.fixture
def links(engine):
    with engine.store(*TABLES) as connection:
        yield Links(connection)


def test_of_many_links_with_one_code_one_is_stored(engine):
    rivals = [attrs.evolve(FAIR, url=f"https://example.com/{number}") for number in range(20)]
    with engine.store(*TABLES) as connection:

        def added(link):
            with suppress(CodeTaken):
                return Links(connection).add(link)

        with ThreadPoolExecutor(4) as threads:
            stored = [*filter(None, threads.map(added, rivals))]
        links = Links(connection)
        assert [links.link("fair")] == stored
        assert [line.url for line in links.of_owner("ann")] == [stored[0].url]


def test_a_code_keeps_its_url_its_owner_and_its_time(links):
    assert links.add(FAIR) == links.add(FAIR) == FAIR
    for other in ({"url": "https://example.com/b"}, {"owner": "bob"}, {"owner": None}, {"created_ms": 1}):
        with pytest.raises(CodeTaken, match=r"^Link.code: must not have another link \(got 'fair'\)$"):
            links.add(attrs.evolve(FAIR, **other))
    assert links.erase("ann") == 0
    assert links.add(FAIR) == links.link("fair") == attrs.evolve(FAIR, owner=None)
    assert [*links.of_owner("ann")] == []


def test_an_owner_has_the_newest_links_first_and_no_links_of_others(links):
    for number in range(5):
        links.add(Link(f"code-{number}", f"https://example.com/{number}", "ann", 1_000 * number))
    links.add(attrs.evolve(FAIR, owner="ann-2"))
    assert [line.code for line in links.of_owner("ann").page(2).records] == ["code-4", "code-3"]
    assert [*links.of_owner("ann", 1_000, 2_000)] == [OwnedLink("ann", 1_000, "code-1", "https://example.com/1")]


def test_clicks_are_counted_by_utc_day_and_country(links):
    counted = [links.click(attrs.evolve(CLICK, time_ms=CLICK.time_ms + hours * 3_600_000)) for hours in (0, 23, 24)]
    links.click(attrs.evolve(CLICK, country="FR"))
    links.click(attrs.evolve(CLICK, code="fair-2"))
    assert counted == [1, 2, 1]
    assert [*links.clicks("fair")] == [
        Clicks("fair", 3 * DAY_MS, "DE", 2),
        Clicks("fair", 3 * DAY_MS, "FR", 1),
        Clicks("fair", 4 * DAY_MS, "DE", 1),
    ]
    assert [line.day_ms for line in links.clicks("fair", 3 * DAY_MS + 1)] == [4 * DAY_MS]


@pytest.mark.parametrize("executed", [True, False])
def test_a_retry_of_a_click_whose_reply_was_lost_counts_one_too_many_and_no_retry_one_too_few(engine, executed):
    with engine.store(*TABLES) as connection:
        stop = Stop(0, frozenset({0} if executed else set()), is_death=False)
        with pytest.raises(ReplyLost):
            Links(WatchedConnection(connection, stopped_at(stop))).click(CLICK)
        assert Links(connection).click(CLICK) == 1 + executed


def test_a_new_code_has_seven_letters_and_digits():
    codes = {new_code() for _ in range(100)}
    assert len(codes) == 100
    assert {len(code) for code in codes} == {7}
    assert {*"".join(codes)} <= {*CODE_CHARACTERS}
