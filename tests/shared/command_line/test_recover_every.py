"""`recover --every` as a process: it settles what writers leave, survives a store that fails, and ends on a signal."""

import json
import os
import signal
import sys

import pytest

from shared.command_line.screen.signals import Ended, Signals
from tests.shared.command_line import steps
from tests.shared.command_line.running import ended

EVERY = ("recover", "orders", "--store", "embedded:a.db", "--older-than", "0", "--every", "1s")
START = "orders: recovers every 1s; Ctrl-C or SIGTERM ends it\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 0, "terminated")]
)
def test_each_run_that_settles_something_is_an_object_until_a_signal(real_process, folder, number, code, word):
    steps.place_two_orders()
    process = real_process(*EVERY, "--json")
    assert process.stderr.readline() == START
    for _ in range(2):
        steps.cancel_and_die("3")  # the order stays placed
        run = json.loads(process.stdout.readline())
        assert (run["name"], run["settled"], run["failed"]) == ("orders", 1, [])
    assert ended(process, number) == (code, "", f"{word}\n")


def test_errors_are_printed_and_the_next_run_tries_again(real_process, folder):
    process = real_process(*EVERY)
    assert process.stderr.readline() == START
    assert process.stderr.readline().endswith("Z orders: a.db: no such store; rowbook load makes one\n")
    steps.place_two_orders()
    steps.cancel_and_die("3")
    assert process.stdout.readline().endswith("Z orders: 1 settled\n")
    assert ended(process, signal.SIGTERM)[:2] == (0, "")


class Forgotten:
    """Gets a signal while it is deleted, where Python ignores exceptions."""

    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_signal_that_comes_where_exceptions_are_ignored_ends_the_command_at_its_next_pause(monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", lambda _ignored: None)
    with Signals(raises=True) as signals:
        Forgotten()
        with pytest.raises(Ended):
            signals.pause(20)


WRONG = {
    "recover orders --store embedded:a.db --every 5x": "--every: must be a length such as 10m, 6h or 14d",
    "recover orders --store embedded:a.db --every 2d": "--every: must be 1s..1d (got '2d')",
    "recover logs --store embedded:a.db --every 5m": "logs: ",
}


@pytest.mark.parametrize(("line", "message"), WRONG.items())
def test_wrong_usage_ends_it_at_once(rowbook, line, message):
    code, out, err = rowbook(line)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(message)
