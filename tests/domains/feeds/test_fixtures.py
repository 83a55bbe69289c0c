"""The sample files hold what breaks row keys, and the traps fail as predicted; numbers are counted anew here."""

from collections import Counter

import pytest

from domains.feeds.design import DESIGN, PULL_ABOVE
from domains.feeds.traps import READER


@pytest.fixture(scope="module")
def follows():
    return list(DESIGN.loads[0].sample_records())


@pytest.fixture(scope="module")
def posts():
    return list(DESIGN.loads[1].sample_records())


def test_one_author_is_above_the_threshold_and_all_others_are_below(follows):
    counts = Counter(follow.author for follow in follows)
    assert [author for author, count in counts.items() if count > PULL_ABOVE] == ["star"]


def test_posts_have_ids_above_2_to_the_53_and_texts_of_several_lines(posts):
    assert min(post.post_id for post in posts) > 2**53
    assert any("\n" in post.text for post in posts)


def test_the_published_row_loses_posts_and_its_scan_reads_the_next_timeline(follows, posts):
    outcomes = {trap.name: trap.run(DESIGN) for trap in DESIGN.traps}
    authors = {follow.author for follow in follows if follow.reader == READER}
    shown = [post for post in posts if post.author in authors]
    rows = len({post.posted_ms for post in shown})
    lost = outcomes["two posts of one millisecond"]
    assert rows < len(shown)
    assert lost.wrong == f"{rows} rows; {len(shown) - rows} posts were overwritten"
    assert lost.right == f"{len(shown)} posts"
    next_rows = len({post.posted_ms for post in posts if ("r-2", post.author) in pairs(follows)})
    foreign = outcomes["scan without a stop row"]
    assert foreign.wrong == f"{rows + next_rows} rows, {next_rows} of them in other readers' timelines"
    assert foreign.right == f"{len(shown)} posts, 0 of others"


def pairs(follows):
    return {(follow.reader, follow.author) for follow in follows}
