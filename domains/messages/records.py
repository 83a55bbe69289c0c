"""The application's records: a message, and what is stored of it. Nothing here knows of storage."""

from collections.abc import Iterable

import attrs

from shared.records import LAST_MS, integer, text

GROUP_SIGN = "#"
"""The names of groups start with it, and no member's name does."""
MAX_MEMBERS = 10_000
"""The most members of a group message: one cell holds them all, and every step of the delivery writes it again."""

_flag = attrs.validators.instance_of(bool)


def _without_repeats(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


@attrs.frozen
class Message:
    """One message, as its sender sends it and its readers read it.

    A receiver whose name starts with `#` is a group. A message to a group may have `members`: each of them reads a copy
    of it, except the sender. Without members, only the inbox of the group has it.
    """

    sender: str = attrs.field(validator=text())
    receiver: str = attrs.field(validator=text())
    sent_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """Milliseconds since 1970-01-01 UTC."""
    message_id: str = attrs.field(validator=text())
    """Distinguishes the messages of one sender to one receiver in one millisecond. That of a copy starts with `#`, so
    that a copy and a direct message are never one."""
    body: str = attrs.field(validator=text(empty=True))
    is_read: bool = attrs.field(default=False, validator=_flag)
    group: str | None = attrs.field(default=None, validator=attrs.validators.optional(text()))
    """The group whose message this is a copy of; None if it is not a copy."""
    members: tuple[str, ...] = attrs.field(default=(), converter=_without_repeats)
    """Who gets copies of this group message; a repeated name is dropped."""

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

    A copy has no body of its own, and is in no outbox. Once both sides have deleted a message, its body is dropped and
    the rest remains: so the same message, sent again, brings nothing back.
    """

    delivered: int = attrs.field(default=0, kw_only=True, validator=integer(0, MAX_MEMBERS))
    """How many of the `members`, from the first on, have their copies."""
    in_inbox: bool = attrs.field(default=True, kw_only=True, validator=_flag)
    """False once the receiver has deleted it."""
    in_outbox: bool = attrs.field(default=True, kw_only=True, validator=_flag)
    """False once the sender has deleted it."""

    @classmethod
    def of(cls, message: Message) -> "StoredMessage":
        """A message that both sides have."""
        return cls(**{field.name: getattr(message, field.name) for field in attrs.fields(Message)})

    def shown(self, body: str) -> Message:
        """What a reader sees of this message, whose body this is."""
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
