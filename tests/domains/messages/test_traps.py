"""The traps: the wrong way fails as predicted, the right way gives what was wanted. Numbers are counted anew here."""

from domains.messages.design import DESIGN
from domains.messages.published import inbox_row_key

MESSAGES = list(DESIGN.loads[0].sample_records())
LOST = len(MESSAGES) - len({(message.receiver, message.sent_ms, message.sender) for message in MESSAGES})
SENT = [message for message in MESSAGES if message.sender == "u-17"]
NOTES = sum(message.receiver == "u-17" for message in SENT)
RECEIVED = {name: sum(message.receiver == name for message in MESSAGES) for name in ("u-17", "ada", "ada_1")}
OUTCOMES = [
    (f"{320 - LOST} rows; {LOST} messages were overwritten", "320 rows"),
    (
        "19 digits, of which the first 13 are read as 9223362813484438953 ms",
        "8 bytes, read as 2023-11-14T22:13:20Z",
    ),
    (
        f"{NOTES} of them, notes to oneself, among {RECEIVED['u-17']} messages that u-17 received",
        f"{len(SENT)} messages, from the rows of their owner",
    ),
    (f"{RECEIVED['ada'] + RECEIVED['ada_1']} messages, of ada and ada_1", f"{RECEIVED['ada']} messages, of ada"),
]


def test_every_trap_gives_what_was_predicted(engine, monkeypatch):
    assert LOST == 39
    for trap, outcome in zip(DESIGN.traps, OUTCOMES, strict=True):
        with engine.store() as connection:
            monkeypatch.setattr("shared.designs.traps.connect", lambda _url, connection=connection: connection)
            run = trap.run(DESIGN)
        assert (run.wrong, run.right) == outcome


def test_thirteen_declared_digits_are_nineteen_and_a_day_of_seconds_has_87_slices():
    assert inbox_row_key("u-17", 1_700_000_000_000, "u-3") == "u-17_9223370336854775807_u-3"
    slices = {inbox_row_key("u", (1_700_000_000 + second) * 1000, "v")[2:15] for second in range(86_400)}
    assert len(slices) == 87
