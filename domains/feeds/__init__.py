"""Feeds: posts that are pushed into the timelines of followers, or pulled from streams, even after a crash."""

from .keys import TABLES
from .records import Follow, Post
from .repository import FeedRepository, PostConflict

__all__ = ["TABLES", "FeedRepository", "Follow", "Post", "PostConflict"]
