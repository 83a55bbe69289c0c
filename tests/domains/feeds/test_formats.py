"""The formats of feeds, in excerpts of real files: who sits in which committee, and tweets of one evening."""

import pytest

from domains.feeds import Follow, Post
from domains.feeds.design import SAMPLES
from domains.feeds.formats import EDGES, TWEETS
from shared.loading import UnreadableFile, read_lines
from shared.records import parse_time


def test_edges_say_who_follows_whom():
    edges = [line.record for line in read_lines(SAMPLES / "edges.csv", Follow, formats=(EDGES,))]
    assert edges[:2] == [Follow("C001087", "HLIG"), Follow("H001047", "HLIG")]


def test_a_tweet_has_the_time_of_its_id_and_keeps_id_and_line_breaks():
    first, _, third = (line.record for line in read_lines(SAMPLES / "tweets.csv", Post, formats=(TWEETS,)))
    assert first == Post("aaLiysr", parse_time("2017-08-27T04:05:34.200Z"), 901656910939770881, "ça\nva 😃")
    assert third.text == "one\r\ntwo"


def test_a_tweet_whose_id_is_not_a_number_is_named(tmp_path):
    path = tmp_path / "tweets.csv"
    path.write_text((SAMPLES / "tweets.csv").read_text(encoding="utf-8").replace("901656917281574912", "x"))
    reasons = [line.reason for line in read_lines(path, Post, formats=(TWEETS,)) if line.reason]
    assert [reason.endswith("Post.post_id: must be a number (got 'x')") for reason in reasons] == [True]


def test_a_file_with_other_columns_is_refused_and_names_those_it_lacks():
    with pytest.raises(UnreadableFile, match=r"posts\.csv: the header in line 1 has no column follower, followee$"):
        read_lines(SAMPLES / "posts.csv", Follow, format="edges", formats=(EDGES,))
