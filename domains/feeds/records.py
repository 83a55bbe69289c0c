"""The application's records: a follow, a post, and the lines of timelines. Nothing here knows of storage."""

from typing import Any, Literal

import attrs

from shared.keys.errors import shown
from shared.records import LAST_MS, integer, one_of, text

STREAM_MARK = "@"
"""The first character of the owner of a stream, so no user's name starts with it."""

Way = Literal["pushed", "pulled"]
"""Into the timeline of every follower, or into the author's stream, which the followers read."""
State = Literal["spreading", "spread", "deleted"]


def _name(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A validator: text, not empty, that does not start with `STREAM_MARK`."""
    text()(record, field, value)
    if value.startswith(STREAM_MARK):
        name = f"{type(record).__name__}.{field.name}"
        raise ValueError(f"{name}: must not start with {STREAM_MARK} (got {shown(value)})")


@attrs.frozen
class Follow:
    """Says that a reader follows an author."""

    reader: str = attrs.field(validator=_name)
    author: str = attrs.field(validator=_name)
    since_ms: int = attrs.field(default=0, validator=integer(0, LAST_MS))
    """When the reader began to follow, milliseconds since 1970-01-01 UTC; 0 if nobody knows. No question uses it."""


@attrs.frozen
class Post:
    """A post, as every question returns it."""

    author: str = attrs.field(validator=_name)
    posted_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC."""
    post_id: int = attrs.field(validator=integer(0, 2**64 - 1))
    """Distinguishes posts of one author and millisecond."""
    text: str = attrs.field(validator=text(empty=True))


@attrs.frozen
class StoredPost:
    """A post as its source holds it: with how far it has come."""

    author: str
    posted_ms: int
    post_id: int
    text: str
    """Empty if the post was deleted."""
    way: Way = attrs.field(validator=one_of("pushed", "pulled"))
    state: State = attrs.field(validator=one_of("spreading", "spread", "deleted"))
    position: str
    """The last follower whose timeline has the post, by name; empty before the first one, and if nothing is left."""
    run: bytes
    """Random, drawn when the post was posted: a post that was erased and posted again is another record."""

    @property
    def post(self) -> Post:
        """The post as readers see it."""
        return Post(self.author, self.posted_ms, self.post_id, self.text)


@attrs.frozen
class Follower:
    """Says that a reader may follow an author: a page of followers reads the follow itself."""

    author: str
    reader: str


@attrs.frozen
class UnfinishedPost:
    """Says that a post may not have reached all followers."""

    author: str
    posted_ms: int
    post_id: int


@attrs.frozen
class TimelineLine:
    """Says that a timeline may show a post: a page reads the post itself."""

    owner: str
    """A reader; or `STREAM_MARK` and an author, whose stream all followers read."""
    posted_ms: int
    author: str
    post_id: int


@attrs.frozen
class StreamAuthor:
    """An author who has a stream, or had one."""

    author: str


def stream_of(author: str) -> str:
    """The owner of an author's stream."""
    return STREAM_MARK + author
