"""The errors of a connection: its store cannot be opened, or does not answer."""


class StoreError(ValueError):
    """A store cannot be opened, because of its URL, file or folder; the message is one line that says what to do."""


class Unreachable(ConnectionError):
    """No gateway answered; a write was not sent at all."""


class DeadlineExceeded(Unreachable):
    """No answer came before the deadline of the block (`deadline`); a write was not sent at all."""


class OutcomeUnknown(ConnectionError):
    """A write was sent and no reply came: it may have been stored or not."""


class ScanBroken(ConnectionError):
    """A scan lost its scanner and cannot continue with a new one."""


def first_line(error: Exception) -> str:
    """The first line of a store's or a system's error; HBase sends a Java stack trace after it.

    The class of a Java exception is left out if it says only that something failed.
    """
    message: object = getattr(error, "message", None) or getattr(error, "strerror", None) or str(error)
    text = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    first = (text.splitlines() or [type(error).__name__])[0]
    return first.removeprefix("org.apache.hadoop.hbase.DoNotRetryIOException: ").removeprefix("java.io.IOException: ")
