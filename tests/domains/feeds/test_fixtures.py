"""The sample files hold what breaks row keys, and the traps fail as predicted; numbers are counted anew here."""

from collections import Counter

from domains.feeds.design import DESIGN, PULL_ABOVE
from domains.feeds.traps import NEXT_READER, READER

FOLLOWS, POSTS = (list(load.sample_records()) for load in DESIGN.loads)


def test_one_author_is_above_the_threshold_and_posts_have_large_ids_and_texts_of_several_lines():
    counts = Counter(follow.author for follow in FOLLOWS)
    assert [author for author, count in counts.items() if count > PULL_ABOVE] == ["star"]
    assert min(post.post_id for post in POSTS) > 2**53
    assert any("\n" in post.text for post in POSTS)


def test_the_published_row_loses_posts_and_its_scan_reads_the_next_timeline():
    lost, foreign = (trap.run(DESIGN) for trap in DESIGN.traps)
    authors = {
        reader: {follow.author for follow in FOLLOWS if follow.reader == reader} for reader in (READER, NEXT_READER)
    }
    shown = [post for post in POSTS if post.author in authors[READER]]
    rows, next_rows = (len({post.posted_ms for post in POSTS if post.author in names}) for names in authors.values())
    assert rows < len(shown)
    assert lost.wrong == f"{rows} rows; {len(shown) - rows} posts were overwritten"
    assert lost.right == f"{len(shown)} posts"
    assert foreign.wrong == f"{rows + next_rows} rows, {next_rows} of them in other readers' timelines"
    assert foreign.right == f"{len(shown)} posts, 0 of others"
