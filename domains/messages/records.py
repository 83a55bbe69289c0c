"""The application's records: a message, and a message as it is stored. Nothing here knows of storage."""

from collections.abc import Iterable, Iterator, Mapping, Set
from hashlib import blake2b
from typing import Any

import attrs

from shared.keys import shown
from shared.records import LAST_MS, InvalidRecord, integer, text

GROUP_SIGN = "#"
"""The first character of every group's name. No member's name may start with it."""
MAX_MEMBERS = 10_000
"""The most members of a group message. One cell holds all their names, and every step of a delivery rewrites it."""

DIGEST_BYTES = 16


def _flag(_record: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A validator: a bool."""
    if type(value) is not bool:
        raise InvalidRecord(f"Message.{field.name}: must be True or False (got {shown(value)})")


def _without_repeats(names: Any) -> tuple[str, ...]:
    """A converter: names in their order, each once. A text is not its characters, and a set has no order."""
    given: object = names
    if isinstance(given, str | bytes | Mapping | Set) or not isinstance(given, Iterable):
        raise InvalidRecord(f"Message.members: must be a list or tuple of names (got {shown(names)})")
    try:
        return tuple(dict.fromkeys(names))
    except TypeError:  # a name that cannot be hashed is not text
        raise InvalidRecord(f"Message.members: must be names of users (got {shown(names)})") from None


@attrs.frozen
class Message:
    """One message, as its sender sends it and its readers read it.

    A receiver whose name starts with `#` is a group. A message to a group may have `members`: each of them, except the
    sender, reads a copy. Without members, the message is only in the inbox of the group.
    """

    sender: str = attrs.field(validator=text())
    receiver: str = attrs.field(validator=text())
    sent_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC."""
    message_id: str = attrs.field(validator=text())
    """Distinguishes the messages of one sender to one receiver in one millisecond. The id of a copy starts with `#`. No
    other id does, so a copy never has the key of a direct message."""
    body: str = attrs.field(validator=text(empty=True))
    is_read: bool = attrs.field(default=False, validator=_flag)
    group: str | None = attrs.field(default=None, validator=attrs.validators.optional(text()))
    """The receiver of the group message of which this is a copy; None if this is not a copy."""
    members: tuple[str, ...] = attrs.field(default=(), converter=_without_repeats)
    """The users who get copies of this group message. A repeated name counts once."""

    def __attrs_post_init__(self) -> None:
        if self.group is None and self.message_id.startswith(GROUP_SIGN):
            raise InvalidRecord(f"Message.message_id: must not start with {GROUP_SIGN} (got {shown(self.message_id)})")
        if self.group is not None and not self.message_id.startswith(start := f"{self.group}/"):
            raise InvalidRecord(f"Message.message_id: must start with {shown(start)} (got {shown(self.message_id)})")
        if self.members:
            self._check_members()

    def _check_members(self) -> None:
        if not self.to_group or "/" in self.receiver:
            wanted = f"start with {GROUP_SIGN}, without any /, because it has members"
            raise InvalidRecord(f"Message.receiver: must {wanted} (got {shown(self.receiver)})")
        for member in self.members:
            if type(member) is not str or not member or member.startswith(GROUP_SIGN):
                raise InvalidRecord(f"Message.members: must be names of users, not of groups (got {shown(member)})")
        if len(self.members) > MAX_MEMBERS:
            raise InvalidRecord(f"Message.members: must be at most {MAX_MEMBERS} (got {len(self.members)})")

    @property
    def to_group(self) -> bool:
        """Whether the receiver is a group."""
        return self.receiver.startswith(GROUP_SIGN)


@attrs.frozen
class StoredMessage(Message):
    """A message, and which of its two sides still have it.

    A copy has no body of its own, and is in no outbox. Once both sides have deleted a message without members, its body
    is removed, and a digest remains: sending the same message again does not bring it back, and another one is refused.
    """

    delivered: int = attrs.field(default=0, kw_only=True, validator=integer(0, MAX_MEMBERS))
    """Number of the `members`, counted from the first, who have their copies."""
    in_inbox: bool = attrs.field(default=True, kw_only=True, validator=_flag)
    """False once the receiver has deleted the message."""
    in_outbox: bool = attrs.field(default=True, kw_only=True, validator=_flag)
    """False once the sender has deleted the message."""
    removed_body: bytes | None = attrs.field(default=None, kw_only=True)
    """The digest of a body that was removed; None if the body is there, or a release without digests removed it."""

    @classmethod
    def of(cls, message: Message) -> "StoredMessage":
        """A message that both sides have."""
        return cls(**{field.name: getattr(message, field.name) for field in attrs.fields(Message)})

    def with_body(self, body: str) -> Message:
        """This message with its body, as a reader sees it."""
        return Message(
            self.sender, self.receiver, self.sent_ms, self.message_id, body, self.is_read, self.group, self.members
        )

    @property
    def needs_body(self) -> bool:
        """Whether a side or a copy still shows the body."""
        return bool(self.in_inbox or self.in_outbox or self.members)

    def changed(self, **changes: Any) -> "StoredMessage":
        """This message with other attributes; without its body, if no side has it any more."""
        changed = attrs.evolve(self, **changes)
        if changed == self or changed.needs_body:
            return changed
        return attrs.evolve(changed, body="", removed_body=digest_of(self.body))

    @property
    def is_delivered(self) -> bool:
        """Whether all members have their copies."""
        return self.delivered >= len(self.members)


def digest_of(body: str) -> bytes:
    """The digest that replaces a removed body."""
    return blake2b(body.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


def copy_for(member: str, message: Message, body: str = "") -> Message:
    """The copy of a group message for one member."""
    return Message(
        message.sender,
        member,
        message.sent_ms,
        f"{message.receiver}/{message.message_id}",
        body,
        group=message.receiver,
    )


def copies_of(message: Message, start: int = 0, end: int | None = None) -> Iterator["StoredMessage"]:
    """The copies of a group message for its members from `start` to `end` (exclusive), as they are stored.

    They have no body, and are in no outbox. The sender gets none.
    """
    for member in message.members[start:end]:
        if member != message.sender:
            yield attrs.evolve(StoredMessage.of(copy_for(member, message)), in_outbox=False)
