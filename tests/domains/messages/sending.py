"""Processes that write to one inbox, for the tests of many writers at once."""

from contextlib import closing
from pathlib import Path

from domains.messages import Message
from domains.messages.design import DESIGN
from shared.stores import connect

NOW_MS = 1_700_000_000_000
READER = "bob"


def sent_by(writer: int, number: int) -> Message:
    """A message to the one reader. Those of all writers share their milliseconds."""
    return Message(f"w-{writer}", READER, NOW_MS + number, f"m-{number}", f"{number} of {writer}")


def send_messages(url: str, variant_name: str, writer: int, count: int, done: Path) -> None:
    """A process that sends so many messages, each twice; it marks every fourth as read, and deletes every fifth."""
    (variant,) = (variant for variant in DESIGN.variants if variant.name == variant_name)
    with closing(connect(url)) as connection:
        messages = variant.open(connection)
        for number in range(count):
            message = sent_by(writer, number)
            messages.send(message)
            if number % 4 == 0:
                messages.mark_read(message)
            if number % 5 == 0:
                messages.delete_from_inbox(message)
            messages.send(message)
    done.write_text("done")
