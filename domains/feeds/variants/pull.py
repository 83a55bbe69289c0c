"""The same tables with every post pulled: each author has a stream, and a page of a timeline merges those it needs.

A post costs the same however many followers its author has, and a page one scan more for each author followed.
"""

from functools import partial

from ..keys import TABLES
from ..repository import FeedRepository

__all__ = ["TABLES", "PullRepository"]

PullRepository = partial(FeedRepository, pull_above=0)
