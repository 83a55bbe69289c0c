"""The application's records: follows and posts. Nothing here knows of storage."""

from typing import Any, Literal

import attrs

from shared.keys import InvalidQuestion, shown
from shared.records import LAST_MS, InvalidRecord, check_text, integer, one_of, text

STREAM_MARK = "@"
"""The first character of the owner of a stream. No user's name may start with it."""

Way = Literal["pushed", "pulled"]
"""A post is pushed into the timeline of every follower, or pulled by followers from its author's stream."""
State = Literal["spreading", "spread", "deleted"]
"""A post is spreading until its fan-out has reached all followers."""


def _name(record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A validator: text that is not empty and does not start with `STREAM_MARK`."""
    text()(record, field, value)
    if value.startswith(STREAM_MARK):
        name = f"{type(record).__name__}.{field.name}"
        raise InvalidRecord(f"{name}: must not start with {STREAM_MARK} (got {shown(value)})")


@attrs.frozen
class Follow:
    """Says that a reader follows an author."""

    reader: str = attrs.field(validator=_name)
    author: str = attrs.field(validator=_name)
    since_ms: int = attrs.field(default=0, validator=integer(0, LAST_MS))
    """When the reader began to follow, milliseconds since 1970-01-01 UTC; 0 if unknown. No question uses it."""


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
    """A post as its source holds it, with the progress of its fan-out."""

    author: str
    posted_ms: int
    post_id: int
    text: str
    """Empty if the post was deleted."""
    way: Way = attrs.field(validator=one_of("pushed", "pulled"))
    state: State = attrs.field(validator=one_of("spreading", "spread", "deleted"))
    position: str
    """The name of the last follower whose timeline has the post; empty before the first step and after the last one."""
    run: bytes
    """Random bytes of one call of `post`: a post that is erased and stored again becomes a different record."""

    @property
    def post(self) -> Post:
        """The post without the fields that readers do not see."""
        return Post(self.author, self.posted_ms, self.post_id, self.text)


def stream_of(author: str) -> str:
    """The owner of an author's stream."""
    return STREAM_MARK + author


def check_name(what: str, name: str) -> None:
    """Raises InvalidQuestion for what is not text, and if a name starts with `STREAM_MARK`, as no user's name does."""
    check_text(what, name)
    if name.startswith(STREAM_MARK):
        raise InvalidQuestion(f"{what}: must not start with {STREAM_MARK} (got {shown(name)})")
