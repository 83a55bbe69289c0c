"""Messages in plain lists: what every variant has to answer."""

import attrs

from domains.messages import Message

USERS = ("ada", "ada_1", "a", "nul\0l", "émile")
GROUP = "#team"


def sort_key(name):
    """Texts sort as their bytes do, with the terminator."""
    return name.encode().replace(b"\0", b"\0\xff") + b"\0\1"


class PlainList:
    """Inboxes and outboxes in dicts by key; a message that was ever sent is not sent again."""

    def __init__(self):
        self.ever = set()
        self.received = {}
        self.sent = {}

    def send(self, message):
        key = key_of(message)
        if key in self.ever:
            return
        self.ever.add(key)
        self.sent[key] = self.received[key] = message
        for member in message.members:
            if member != message.sender:
                copy = copy_of(message, member)
                self.received[key_of(copy)] = copy

    def mark_read(self, message):
        key = key_of(message)
        for box in (self.received, self.sent):
            if key in box:
                box[key] = attrs.evolve(box[key], is_read=True)

    def delete_from_inbox(self, message):
        self.received.pop(key_of(message), None)

    def delete_from_outbox(self, message):
        self.sent.pop(key_of(message), None)

    def inbox(self, user):
        return self._in_order((m for m in self.received.values() if m.receiver == user), "sender")

    def outbox(self, user):
        return self._in_order((m for m in self.sent.values() if m.sender == user), "receiver")

    def unread(self, user):
        return [message for message in self.inbox(user) if not message.is_read]

    def conversation(self, owner, peer, *, of_inboxes=False):
        """With `of_inboxes`, what the receiver has deleted is missing for its sender, too."""
        sent = self.received if of_inboxes else self.sent
        theirs = {key_of(m): m for m in self.received.values() if (m.receiver, m.sender) == (owner, peer)}
        mine = {key_of(m): m for m in sent.values() if (m.receiver, m.sender) == (peer, owner)}
        return self._in_order((m for m in (theirs | mine).values() if m.group is None), "sender")

    def _in_order(self, messages, name):
        return sorted(messages, key=lambda m: (-m.sent_ms, sort_key(getattr(m, name)), sort_key(m.message_id)))


def key_of(message):
    return message.receiver, message.sent_ms, message.sender, message.message_id


def copy_of(message, member):
    return Message(
        message.sender,
        member,
        message.sent_ms,
        f"{message.receiver}/{message.message_id}",
        message.body,
        group=message.receiver,
    )
