"""Every post is pulled: a page of a timeline merges the streams of all authors followed.

A post costs the same for any number of followers. A page needs one more scan for each followed author who has a stream.
A post of an author without followers gets no line, so later followers do not see it in their timelines.
"""

from functools import partial

from ...keys import TABLES
from ...repository import FeedRepository

__all__ = ["TABLES", "Repository"]

Repository = partial(FeedRepository, pull_above=0)
