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
