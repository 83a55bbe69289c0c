"""Ctrl-C and SIGTERM, which end a command that otherwise runs on."""

import signal
import socket

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


class Ended(KeyboardInterrupt):
    """A signal has arrived, in the middle of what the command does."""

    def __init__(self, received: signal.Signals) -> None:
        super().__init__()
        self.received = received


class Signals:
    """Waits for a signal that ends the command, whichever thread of the process receives it.

    Libraries such as numpy start threads before any signal can be blocked, so `sigwait` would miss signals. With
    `raises`, a signal raises `Ended` in the main thread, also while it does something else.
    """

    def __init__(self, *, raises: bool = False) -> None:
        self._raises = raises

    def __enter__(self) -> "Signals":
        self._received, self._wakeup = socket.socketpair()
        self._wakeup.setblocking(False)
        signal.set_wakeup_fd(self._wakeup.fileno())  # gets the number of each signal that has a handler
        for ending_signal in WORDS:
            signal.signal(ending_signal, self._handle)
        return self

    def _handle(self, number: int, _frame: object) -> None:
        if self._raises:
            raise Ended(signal.Signals(number))

    def wait(self) -> signal.Signals:
        """The first of these signals."""
        return signal.Signals(self._received.recv(1)[0])

    def pause(self, seconds: float) -> None:
        """Waits for so long; raises `Ended` if a signal came, also one that came where Python ignores exceptions."""
        self._received.settimeout(seconds)
        try:
            received = self.wait()
        except TimeoutError:
            return
        raise Ended(received)

    def __exit__(self, *_error: object) -> None:
        for ending_signal in WORDS:
            signal.signal(ending_signal, signal.SIG_DFL)  # a second signal ends the process at once
        signal.set_wakeup_fd(-1)
        self._received.close()
        self._wakeup.close()
