"""Erasing a user: finding the rows that name the user, and changing group messages that others sent."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from shared.intents import Erasure, Erasures, IntentWriter
from shared.keys import InvalidKey
from shared.queries.scanning import scan_in_batches
from shared.tables import InvalidRow

from .records import GROUP_SIGN, StoredMessage


def rows_of_user(writer: IntentWriter[StoredMessage], user: str, until_ms: int | None) -> tuple[list[bytes]]:
    """The rows of all messages that a user sent or received, deleted ones included; without those sent later.

    Group messages come before their copies; see `GroupDeliveries.deliver`. First removes the user from the group
    messages that others sent. Costs: one scan of all inboxes.
    """
    to_groups: list[bytes] = []
    to_users: list[bytes] = []
    layout = writer.source
    table = writer.rows(layout.name)
    (range_,) = layout.key.whole_table().ranges
    for batch in scan_in_batches(table, range_, columns=[*layout.cells.columns]):
        for row, cells in batch:
            with suppress(InvalidKey):
                key = layout.key.decode(row)
                if until_ms is not None and key.sent_ms > until_ms:
                    continue
                if names(user, key):
                    (to_groups if key.receiver.startswith(GROUP_SIGN) else to_users).append(row)
                    continue
                source = writer.reader.source_or_error(row, cells)
                record = None if isinstance(source, InvalidRow) else source.record
                if record is not None and user in record.members:
                    writer.write(key, partial(after_erase, user))
    return (to_groups + to_users,)


def delete_lines(erasures: Erasures, erasure: Erasure, on_kept: Callable[[InvalidRow], object]) -> int:
    """Deletes lines that name an erased user and that no message needs; returns how many other lines do."""
    return erasures.delete_strays(partial(names, erasure.name), erasure.at_ms, on_kept)


def names(user: str, key: Any) -> bool:
    """Whether the key of a message, or of a line, names a user."""
    return user in (key.sender, key.receiver)


def after_erase(user: str, stored: StoredMessage | None) -> StoredMessage | None:
    """A group message without this member, and without the member in its count of delivered copies."""
    if stored is None or user not in stored.members:
        return stored
    members = tuple(member for member in stored.members if member != user)
    delivered = stored.delivered - (user in stored.members[: stored.delivered])
    return stored.changed(members=members, delivered=delivered)
