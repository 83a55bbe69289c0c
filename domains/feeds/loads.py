"""The records that the suite loads into `feeds`: who follows whom, then posts, from files of several formats."""

from pathlib import Path

from shared.designs import Load

from .formats import EDGES, TWEETS
from .records import Follow, Post
from .repository import FeedRepository

FIXTURES = Path(__file__).parents[2] / "fixtures" / "feeds"
LATEST_MS = 3 * 24 * 60 * 60 * 1000
"""The last three days of the samples, in milliseconds; posts made in them show where new rows go."""

FOLLOWS_LOAD = Load("follows", Follow, FeedRepository.follow, FIXTURES / "follows.csv", (EDGES,))
POSTS_LOAD = Load("posts", Post, FeedRepository.post, FIXTURES / "posts.csv", (TWEETS,))
