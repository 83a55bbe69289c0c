"""What the published mistakes give, and what the right way gives."""

from domains.counters.design import DESIGN

OUTCOMES = [
    ("111; as longs 24 bytes, whose first 8 read as 1 for ever", "3"),
    ("4", "3"),
    ("0 counters for ada; user ada_loginCount, who never came, has 3", "3"),
    ("3 rows with the prefix, 2 in March", "1 and 1"),
    ("1 on 20240315, 1 on 20240316", "2 on 20240315"),
]


def test_every_trap_gives_what_was_predicted():
    outcomes = [trap.run(DESIGN) for trap in DESIGN.traps]
    assert [(outcome.wrong, outcome.right) for outcome in outcomes] == OUTCOMES
