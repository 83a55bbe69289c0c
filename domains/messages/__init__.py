"""Messages in inboxes and outboxes, sent to users and groups, in tables that agree after any crash."""

from .keys import TABLES
from .records import GROUP_SIGN, MAX_MEMBERS, Message, StoredMessage
from .repository import MessageConflict, MessageRepository, UnknownMessage

__all__ = [
    "GROUP_SIGN",
    "MAX_MEMBERS",
    "TABLES",
    "Message",
    "MessageConflict",
    "MessageRepository",
    "StoredMessage",
    "UnknownMessage",
]
