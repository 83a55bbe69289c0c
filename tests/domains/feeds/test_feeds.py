"""Timelines beside a plain model in Python, on both sides of the threshold; what is refused; and fan-outs."""

import random

import attrs
import pytest

from domains.feeds import FeedRepository, Follow, Post, PostConflict
from domains.feeds.keys import POSTS
from domains.feeds.records import stream_of
from domains.feeds.shown.design import DESIGN
from shared.keys import InvalidQuestion

from .stopped_writes import NOON_MS, SOUP, without_fan_out

TEA = Post("dan", NOON_MS + 1, 2**64 - 1, "tea\r\nand cake")
READERS = ["ann", "ann_1", "r\0", "émile", "店"]
AUTHORS = ["dan", "dan_1", "ann"]

VARIANTS = [DESIGN.main]


@attrs.define
class Plain:
    """What the repository should show, without a database."""

    follows: set = attrs.Factory(set)
    posts: dict = attrs.Factory(dict)
    """Posts, by key; with them the readers to whom they were pushed, or None if they are pulled."""
    posted: int = 0

    def followers(self, author):
        return {reader for reader, followed in self.follows if followed == author}

    def timeline(self, reader):
        shown = [post for post, pushed in self.posts.values() if pushed is None or reader in pushed]
        return sorted((post for post in shown if (reader, post.author) in self.follows), key=newest_first)

    def trim(self, reader, keep):
        own = [post for post in self.timeline(reader) if self.posts[key_of(post)][1] is not None]
        for post, pushed in self.posts.values():
            if pushed is not None and post not in own[:keep]:
                pushed.discard(reader)


def key_of(post):
    return post.author, post.posted_ms, post.post_id


def newest_first(post):
    return -post.posted_ms, post.author.encode(), post.post_id


def change(dice, connection, plain):
    """One random write, by a repository that pulls above a random number of followers, and in the plain model."""
    reader, author = dice.choice(READERS), dice.choice(AUTHORS)
    pull_above = dice.choice([None, 0, 1, 2])
    feeds = FeedRepository(connection, pull_above=pull_above, step_rows=dice.choice([1, 2, 1000]))
    match dice.choice(["follow", "follow", "unfollow", "post", "post", "post", "delete", "trim", "repair", "recover"]):
        case "follow":
            feeds.follow(Follow(reader, author))
            plain.follows.add((reader, author))
        case "unfollow":
            feeds.unfollow(reader, author)
            plain.follows.discard((reader, author))
        case "post":
            plain.posted += 1
            post = Post(author, NOON_MS + dice.randrange(5), plain.posted, "text")
            feeds.post(post)
            followers = plain.followers(author)
            is_pulled = pull_above is not None and len(followers) > pull_above
            plain.posts[key_of(post)] = post, None if is_pulled else followers
        case "delete" if plain.posts:
            key = dice.choice(sorted(plain.posts))
            feeds.delete_post(*key)
            del plain.posts[key]
        case "trim":
            keep = dice.randrange(4)
            feeds.trim(reader, keep)
            plain.trim(reader, keep)
        case "repair":
            assert all(is_mended for _, is_mended in feeds.upkeep.repair())
            for post, pushed in plain.posts.values():
                if pushed is not None:
                    pushed &= plain.followers(post.author)
        case _:
            assert feeds.upkeep.recover(older_than_ms=0).settled == 0


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))])
def test_timelines_are_those_of_a_plain_model_while_authors_cross_the_threshold(connection, seed):
    dice, plain = random.Random(seed), Plain()
    feeds = FeedRepository(connection)
    for number in range(60):
        change(dice, connection, plain)
        if number % 5 == 4:
            for reader in READERS:
                expected = plain.timeline(reader)
                assert list(feeds.timeline(reader)) == expected
                since_ms, until_ms = sorted(NOON_MS + dice.randrange(6) for _ in range(2))
                within = [post for post in expected if since_ms <= post.posted_ms < until_ms]
                assert list(feeds.timeline(reader, since_ms, until_ms)) == within
    for author in AUTHORS:
        posts = [post for post, _ in plain.posts.values() if post.author == author]
        assert list(feeds.posts(author)) == sorted(posts, key=newest_first)
        assert {follow.reader for follow in feeds.followers(author)} == plain.followers(author)


# ---- questions and writes


def test_another_text_of_a_post_is_refused_and_a_late_retry_does_not_bring_a_deleted_one_back(feeds):
    feeds.post(SOUP)
    with pytest.raises(PostConflict, match=r"^Post.text: post 1 of 'dan' is stored with "):
        feeds.post(attrs.evolve(SOUP, text="stew"))
    feeds.delete_post("dan", NOON_MS, 1)
    with pytest.raises(PostConflict, match=r"^Post.post_id: post 1 of 'dan' was deleted$"):
        feeds.post(SOUP)
    assert list(feeds.posts("dan")) == []


def test_an_author_who_gets_a_stream_ends_a_cursor_and_the_time_goes_on_without_it(connection, feeds):
    feeds.follow(Follow("ada", "dan"))
    feeds.post(SOUP)
    feeds.post(TEA)
    page = feeds.timeline("ada").page(1)
    FeedRepository(connection, pull_above=0).post(Post("dan", NOON_MS + 2, 3, "pulled"))
    changed = "^cursor: belongs to another question, or the streams of this timeline have changed since its page; "
    with pytest.raises(InvalidQuestion, match=changed + "ask again with until_ms$"):
        feeds.timeline("ada").page(1, page.cursor)
    assert list(feeds.timeline("ada", until_ms=TEA.posted_ms)) == [SOUP]
    explanation = feeds.timeline("ada").explain()
    assert explanation.stored_in.endswith(b"feeds_following")
    assert "then the streams of this timeline, which these rows determine" in str(explanation)


def test_a_name_of_a_stream_and_a_negative_number_of_lines_are_refused(feeds):
    for record in (lambda: Follow("@ada", "dan"), lambda: Post("@dan", 0, 1, "")):
        with pytest.raises(ValueError, match="must not start with @"):
            record()
    for ask in (feeds.timeline, feeds.erase, lambda reader: feeds.trim(reader, 1)):
        with pytest.raises(InvalidQuestion, match="must not start with @"):
            ask(stream_of("dan"))
    with pytest.raises(InvalidQuestion, match=r"^keep: must be 0 or more \(got -1\)$"):
        feeds.trim("ada", -1)


# ---- fan-outs


def test_a_fan_out_of_an_erased_post_does_not_move_that_of_the_same_post_again(connection, feeds):
    slow, steps = FeedRepository(connection, step_rows=1), []
    put_lines = slow._fan_out._put_lines

    def put_then_erase_and_post_again(stored, *arguments):
        answer = put_lines(stored, *arguments)
        steps.append(stored)
        if len(steps) == 1:
            feeds.erase("dan")
            follow()
            without_fan_out(connection).post(SOUP)
        return answer

    def follow():
        for reader in ("ada", "bob"):
            feeds.follow(Follow(reader, "dan"))

    follow()
    slow._fan_out._put_lines = put_then_erase_and_post_again
    slow.post(SOUP)
    assert list(feeds.timeline("ada")) == list(feeds.timeline("bob")) == [SOUP]


def test_recover_goes_on_with_unfinished_posts_and_names_one_that_cannot_go_on(connection, feeds):
    feeds.follow(Follow("ada", "dan"))
    for post in (SOUP, TEA):
        without_fan_out(connection).post(post)
    assert feeds.upkeep.recover().waiting == 2
    spread = feeds._fan_out.spread

    def fail_for_tea(row):
        if POSTS.layout.key.decode(row).post_id == TEA.post_id:
            raise OSError("no server")
        spread(row)

    feeds._fan_out.upkeep._go_on = fail_for_tea
    recovery = feeds.upkeep.recover(older_than_ms=0)
    assert (recovery.settled, [reason.endswith(": no server") for reason in recovery.failed]) == (1, [True])
    feeds = FeedRepository(connection)
    assert [feeds.upkeep.recover(older_than_ms=0).settled for _ in range(2)] == [1, 0]
    assert list(feeds.timeline("ada")) == [TEA, SOUP]
