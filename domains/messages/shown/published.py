"""Published keys beside the keys of `messages`, and published mistakes with what each of them returns."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from shared.designs import Design, scratch_store, scratch_table
from shared.exhibit import LONG_MAX, Outcome, PublishedKey, ScanTask, Trap
from shared.keys import Descending, EscapedText, Int64, KeyLayout, part, row_key
from shared.queries import scan
from shared.tables import TableLayout

from ..keys import MESSAGES, OUTBOX, MessageByReceiver, MessageBySender
from ..records import Message, StoredMessage
from .variants import one_table

# ---- the keys of S3.2, S3.8 and S3.11 byte for byte as published: text joined by `_`, times in decimal digits


SENT_MS = 1_700_000_000_000  # 2023-11-14T22:13:20Z
RECEIVER, SENDER, MESSAGE_ID = "u-17", "u-3", "m-42"

NAME = "any text, with the terminator `00 01`; before `_`, a scan of u would also match u_2"
TIME = "newest first: Long.MAX_VALUE - timestamp in eight bytes; digits sort as numbers only if they are equally many"
WIDTH = "eight bytes; `%013d` of this number are 19 digits, and the oldest row would come first if they were 13"
LAST = "with the same terminator as the other name"
NO_ID = "without it, two messages of one pair in one millisecond share a row"


def inbox_row_key(receiver: str, sent_ms: int, sender: str) -> str:
    """`inboxRowKey` of S3.11. Do not copy: the width that it declares is not the one that it has."""
    return "_".join([receiver, f"{LONG_MAX - sent_ms:013d}", sender])


def _published(
    source: str, quoted: str, table: TableLayout[Any, Any], text_parts: Mapping[str, str], why: Mapping[str, str]
) -> PublishedKey:
    parts = {name: text.encode() for name, text in text_parts.items()}
    key = MessageByReceiver(RECEIVER, SENT_MS, SENDER, MESSAGE_ID)
    if table is OUTBOX.layout:
        return PublishedKey(source, quoted, table, MessageBySender(SENDER, SENT_MS, RECEIVER, MESSAGE_ID), parts, why)
    return PublishedKey(source, quoted, table, key, parts, why)


PUBLISHED = (
    _published(
        "S3.2",
        "userId_timestamp",
        MESSAGES.layout,
        {"receiver": f"{RECEIVER}_", "sent_ms": str(SENT_MS)},
        {"receiver": NAME, "sent_ms": TIME, "sender": "without it, two messages of one millisecond share a row"}
        | {"message_id": NO_ID},
    ),
    _published(
        "S3.8",
        "receiverId_timestamp_senderId",
        MESSAGES.layout,
        {"receiver": f"{RECEIVER}_", "sent_ms": f"{SENT_MS}_", "sender": SENDER},
        {"receiver": NAME, "sent_ms": TIME, "sender": LAST, "message_id": NO_ID},
    ),
    _published(
        "S3.8",
        "senderId_timestamp_receiverId",
        OUTBOX.layout,
        {"sender": f"{SENDER}_", "sent_ms": f"{SENT_MS}_", "receiver": RECEIVER},
        {"sender": NAME, "sent_ms": TIME, "receiver": LAST, "message_id": NO_ID},
    ),
    _published(
        "S3.11",
        'combine(receiverId, String.format("%013d", Long.MAX_VALUE - timestamp), senderId)',
        MESSAGES.layout,
        {"receiver": f"{RECEIVER}_", "sent_ms": f"{LONG_MAX - SENT_MS:013d}_", "sender": SENDER},
        {"receiver": NAME, "sent_ms": WIDTH, "sender": LAST, "message_id": NO_ID},
    ),
    _published(
        "S3.8",
        "receiverId_timestamp",
        one_table.RECEIVED.layout,
        {"receiver": f"{RECEIVER}_", "sent_ms": str(SENT_MS)},
        {"receiver": NAME, "sent_ms": TIME, "sender": "the peer: without it, two peers in one millisecond share a row"}
        | {"message_id": NO_ID},
    ),
)


# ---- five published mistakes about the keys of messages, each as wrong code beside the right code


DECLARED_DIGITS = 13
FAMILIES = ("inbox", "outbox")


def _samples(design: Design) -> list[Message]:
    return list(design.loads[0].sample_records())


def _stored(rows: Iterable[bytes]) -> int:
    """How many rows a table has after these were put."""
    return len(list(scratch_table(rows).scan()))


def no_tie_breaker(design: Design) -> Outcome:
    """Messages of one pair in one millisecond: the published key has nothing that tells them apart."""
    messages = _samples(design)
    wrong = _stored(f"{message.receiver}_{message.sent_ms}_{message.sender}".encode() for message in messages)
    right = _stored(MESSAGES.layout.row(StoredMessage.of(message)) for message in messages)
    return Outcome(
        f"{len(messages)} messages, sent one after the other",
        f"{wrong} rows; {len(messages) - wrong} messages were overwritten",
        f"{right} rows",
    )


def declared_width(_design: Design) -> Outcome:
    """Thirteen digits are declared, nineteen are written: a reader that trusts the declaration reads another time."""
    sent_ms = 1_700_000_000_000
    digits = inbox_row_key("u-17", sent_ms, "u-3").split("_")[1]
    wrong = LONG_MAX - int(digits[:DECLARED_DIGITS])
    codec = Descending(Int64)
    right = codec.decode(codec.encode(sent_ms))
    return Outcome(
        f"a time in a key, {_shown(sent_ms)}, read by the declared width",
        f"{len(digits)} digits, of which the first {DECLARED_DIGITS} are read as {wrong} ms",
        f"{len(codec.encode(sent_ms))} bytes, read as {_shown(right)}",
    )


def receiver_leads(design: Design) -> Outcome:
    """One table whose rows start with the receiver: a sender's messages are in the rows of all receivers."""
    messages = _samples(design)
    user = "u-17"
    sent = sum(message.sender == user for message in messages)

    wrong = scratch_table(families=FAMILIES)
    for message in messages:
        row = f"{message.receiver}_{message.sent_ms}".encode()
        content = {f"{family}:msg:{message.message_id}".encode(): message.sender.encode() for family in FAMILIES}
        wrong.put(row, content)
    of_user = [cells for _row, cells in wrong.scan(row_prefix=f"{user}_".encode(), columns=[b"outbox"])]
    found = sum(sender == user.encode() for cells in of_user for sender in cells.values())
    cells_read = sum(map(len, of_user))

    connection = scratch_store(one_table.TABLES)
    repository = one_table.Repository(connection)
    for message in messages:
        repository.send(message)
    plan = one_table.SENT.layout.plan(sender=user)
    right = len(list(scan(connection.table(one_table.SENT.layout.name), plan, columns=(b"outbox",))))
    return Outcome(
        f"the {sent} messages that {user} sent",
        f"{found} of them, notes to oneself, among {cells_read} messages that {user} received",
        f"{right} messages, from the rows of their owner",
    )


def name_without_terminator(design: Design) -> Outcome:
    """The inbox of ada: `_` is a character of names, too, so the rows of ada_1 start with `ada_`."""
    messages = _samples(design)
    of_ada = ScanTask(
        messages, is_wanted=lambda message: message.receiver == "ada", label=lambda message: message.receiver
    )
    wrong = of_ada.run(
        lambda message: (
            f"{inbox_row_key(message.receiver, message.sent_ms, message.sender)}_{message.message_id}".encode()
        ),
        lambda table: table.scan(row_prefix=b"ada_"),
    )
    right = of_ada.run(
        lambda message: MESSAGES.layout.row(StoredMessage.of(message)),
        lambda table: scan(table, MESSAGES.layout.plan(receiver="ada")),
    )
    return Outcome.of_scans(f"the {of_ada.wanted} messages that ada received", wrong, right)


def _shown(time_ms: int) -> str:
    return f"{datetime.fromtimestamp(time_ms / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


@row_key
class ThreeTexts:
    """A key of three texts."""

    first: str = part(EscapedText, "any text")
    second: str = part(EscapedText, "any text")
    third: str = part(EscapedText, "any text")


def java_split(text: str, pattern: str) -> list[str]:
    """What Java's `text.split(pattern)` returns, for a pattern that Python reads as Java does.

    The pattern is a regular expression. An empty match at the start of the text gives no string, and empty strings at
    the end are left out.
    """
    strings = re.split(pattern, text)
    if re.compile(pattern).match(text, 0, 0):
        strings = strings[1:]
    while strings and not strings[-1]:
        strings.pop()
    return strings


def separator_as_pattern(_design: Design) -> Outcome:
    """`|` matches the empty text, `.` matches every character, and empty texts at the end are lost."""
    keys = [(ThreeTexts("a", "b", "c"), "|"), (ThreeTexts("a", "b", "c"), "."), (ThreeTexts("u_1", "", ""), "_")]
    joined = [(separator.join(_texts(key)), separator) for key, separator in keys]
    wrong = [f"{text}: {_strings(java_split(text, separator))}" for text, separator in joined]
    layout = KeyLayout(ThreeTexts)
    decoded = [_texts(layout.decode(layout.encode(key))) for key, _separator in keys]
    right = [f"{text}: {_strings(texts)}" for (text, _separator), texts in zip(joined, decoded, strict=True)]
    return Outcome("the three texts of each key", "; ".join(wrong), "; ".join(right))


def _texts(key: ThreeTexts) -> tuple[str, ...]:
    return key.first, key.second, key.third


def _strings(texts: Sequence[str]) -> str:
    quoted = ", ".join(f'"{text}"' for text in texts)
    return f"{len(texts)} ({quoted})" if texts else "none"


TRAPS = (
    Trap("no tie-breaker", "receiverId_timestamp_senderId", no_tie_breaker),
    Trap(
        "a declared width that is not the width", 'String.format("%013d", Long.MAX_VALUE - timestamp)', declared_width
    ),
    Trap(
        "a receiver that leads for both sides",
        "RowKey: receiverId_timestamp, inbox:msg:xxx, outbox:msg:xxx",
        receiver_leads,
    ),
    Trap("a separator that names contain", 'String.join("_", parts)', name_without_terminator),
    Trap("a separator that is a pattern", "rowKey.split(separator)", separator_as_pattern),
)
