"""The application's records: a message, and a message as it is stored. Nothing here knows of storage."""

from collections.abc import Iterable

import attrs

from shared.records import LAST_MS, integer, text

GROUP_SIGN = "#"
"""The first character of every group's name. No member's name may start with it."""
MAX_MEMBERS = 10_000
"""The most members of a group message. One cell holds all their names, and every step of a delivery rewrites it."""

_flag = attrs.validators.instance_of(bool)


def _without_repeats(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


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
            raise ValueError(f"Message.message_id: must not start with {GROUP_SIGN} (got {self.message_id!r:.100})")
        if self.group is not None and not self.message_id.startswith(f"{self.group}/"):
            raise ValueError(f"Message.message_id: must start with {self.group}/ (got {self.message_id!r:.100})")
        if self.members:
            self._check_members()

    def _check_members(self) -> None:
        if not self.to_group or "/" in self.receiver:
            wanted = f"start with {GROUP_SIGN}, without any /, because it has members"
            raise ValueError(f"Message.receiver: must {wanted} (got {self.receiver!r:.100})")
        for member in self.members:
            if type(member) is not str or not member or member.startswith(GROUP_SIGN):
                raise ValueError(f"Message.members: must be names of users, not of groups (got {member!r:.100})")
        if len(self.members) > MAX_MEMBERS:
            raise ValueError(f"Message.members: must be at most {MAX_MEMBERS} (got {len(self.members)})")

    @property
    def to_group(self) -> bool:
        """Whether the receiver is a group."""
        return self.receiver.startswith(GROUP_SIGN)


@attrs.frozen
class StoredMessage(Message):
    """A message, and which of its two sides still have it.

    A copy has no body of its own, and is in no outbox. Once both sides have deleted a message without members, its body
    is removed. The rest remains, so sending the same message again does not bring it back.
    """

    delivered: int = attrs.field(default=0, kw_only=True, validator=integer(0, MAX_MEMBERS))
    """Number of the `members`, counted from the first, who have their copies."""
    in_inbox: bool = attrs.field(default=True, kw_only=True, validator=_flag)
    """False once the receiver has deleted the message."""
    in_outbox: bool = attrs.field(default=True, kw_only=True, validator=_flag)
    """False once the sender has deleted the message."""

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
    def is_delivered(self) -> bool:
        """Whether all members have their copies."""
        return self.delivered >= len(self.members)


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
