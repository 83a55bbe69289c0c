"""The sample files hold what breaks row keys, and the traps fail as predicted; numbers are counted anew here."""

import csv
from collections import Counter
from contextlib import ExitStack

from domains.orders.design import DESIGN, SAMPLES


def rows_of(name):
    with (SAMPLES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, skipinitialspace=True))


def test_amounts_go_beyond_64_bits():
    assert max(int(order["amount"]) for order in rows_of("orders.csv")) > 2**64


def test_the_quirks_are_blanks_ties_and_wei():
    text = (SAMPLES / "quirks.csv").read_text(encoding="utf-8")
    assert all(", " in line for line in text.splitlines())
    rows = rows_of("quirks.csv")
    assert Counter((row["from"], row["timestamp"]) for row in rows).most_common(1)[0][1] == 5
    assert max(int(row["price (in wei)"]) for row in rows) > 2**64


def test_a_bare_id_finds_other_sellers_and_numbers_that_count_up_go_to_one_range(engine, monkeypatch):
    sellers = Counter(order["seller_id"] for order in rows_of("orders.csv"))
    matching = sorted(name for name in sellers if name.startswith("s-1"))
    assert matching == ["s-1", "s-12", "s-123", "s-17"]
    with ExitStack() as stores:
        monkeypatch.setattr("shared.stores.connect", lambda _url: stores.enter_context(engine.store()))
        outcomes = {trap.name: trap.run(DESIGN) for trap in DESIGN.traps}
    prefixed, counted = outcomes["id without a terminator"], outcomes["numbers that count up"]
    assert prefixed.task == f"the {sellers['s-1']} orders of s-1"
    assert prefixed.wrong == f"{sum(sellers[name] for name in matching)} rows, of {', '.join(matching)}"
    assert prefixed.right == f"{sellers['s-1']} rows, of s-1"
    assert counted.task == "the 30 newest orders on 8 ranges of equal size"
    assert counted.wrong == "100% of them in one range"
    assert counted.right == "23% in the busiest, after a hash of the number"
