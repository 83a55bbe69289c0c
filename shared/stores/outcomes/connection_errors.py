"""The errors of a connection: its store cannot be opened, or does not answer."""

import re


class StoreError(ValueError):
    """A store cannot be opened, because of its URL, file or folder; the message is one line that says what to do."""


class Unreachable(ConnectionError):
    """No gateway answered; a write was not sent at all."""


class DeadlineExceeded(Unreachable):
    """No answer came before the deadline of the block (`deadline`); a write was not sent at all."""


class OutcomeUnknown(ConnectionError):
    """A write was sent and no reply came: it may have been stored or not."""


COUNTS = "it would count twice"
"""Why a call that counts is not sent again; its OutcomeUnknown says so."""


class ScanBroken(ConnectionError):
    """A scan lost its scanner and cannot continue with a new one."""


def first_line(error: object) -> str:
    """What an error of a store or a system says, in one line: HBase sends a Java stack trace after it.

    The class of a Java exception is left out if it says only that something failed. A right that a user lacks is named.
    """
    message: object = getattr(error, "message", None) or getattr(error, "strerror", None) or error
    text = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    first = next(iter(text.split("\n")), "").strip() or type(error).__name__
    if denied := _DENIED.search(first):
        user, table, right = denied.groups()
        advice = (
            "let another user create tables"
            if right == "CREATE"
            else f"run what rowbook ddl NAME --grants {user} prints"
        )
        return f"{REFUSED}: user {user} must have the right {right} on {table}; {advice}"
    return first.removeprefix("org.apache.hadoop.hbase.DoNotRetryIOException: ").removeprefix("java.io.IOException: ")


REFUSED = "HBase refuses"
"""The first words about a right that a user lacks."""
_DENIED = re.compile(r"Insufficient permissions \(user=([^,]*), scope=([^,]*),.*action=(\w+)\)")
