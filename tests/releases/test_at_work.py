"""An older and a later release of orders at work on one store: nothing is lost, and what is refused says why.

Each runs in a process of its own, which is killed and started again meanwhile. Each process writes every attempt and
every answer into a file, so that what was answered can be compared with what the store holds in the end.
"""

import json
import re
import time
from collections import Counter

import pytest
from attrs import frozen

from tests.releases.changes import change
from tests.releases.releases import acting

FOLLOWING = {
    "placed": {"placed", "paid", "shipped", "cancelled", "refunded"},
    "paid": {"paid", "shipped", "cancelled", "refunded"},
    "shipped": {"shipped", "refunded"},
    "cancelled": {"cancelled"},
    "refunded": {"refunded"},
}
"""The statuses that an order may have after each one."""

OF_THE_SHOP = r"(OrderConflict|UnknownOrder): .*"
LATER_STATUS = r"InvalidRow: orders: row [0-9a-f ]+: Order\.status: must be .*'refunded'.*"
LATER_LIST = r".*must name lists of this release .got orders_by_priority.*"


@frozen
class Worked:
    """What a process wrote down: all that was tried, and what was answered or refused."""

    tried: list[list[object]]
    answered: list[tuple[list[object], object]]
    refused: Counter[str]


def read_log(file) -> Worked:
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.endswith(("]", "}"))]
    replies = [entry for entry in entries if isinstance(entry, dict)]
    return Worked(
        [entry for entry in entries if isinstance(entry, list)],
        [(reply["of"], reply["answer"]) for reply in replies if "answer" in reply],
        Counter(": ".join(reply["refused"]) for reply in replies if "refused" in reply),
    )


def at_work(url, folder, seconds, kills, *releases):
    """Lets releases work at once; every process is killed `kills` times, and goes on. Returns what each wrote down."""
    files = [folder / f"worked-{number}" for number in range(len(releases))]
    for part in range(kills + 1):
        began = time.monotonic()
        with acting(releases[0], url) as one, acting(releases[1], url) as other:
            for number, actor in enumerate((one, other)):
                actor.begin(
                    "work", 3600 if part < kills else seconds / (kills + 1), 10 * part + number, str(files[number])
                )
            if part < kills:
                time.sleep(seconds / (kills + 1))
            else:
                assert [one.answer(), other.answer()] == [None, None], time.monotonic() - began
    return [read_log(file) for file in files]


def check_refusals(worked, *allowed):
    """Each refusal is one line of the given sorts, and so is each intent that a recoverer left."""
    reasons = [*worked.refused]
    for (method, *_), answer in worked.answered:
        reasons += answer if method == "recover" else []
    wrong = [reason for reason in reasons if not re.fullmatch("|".join(allowed), reason)]
    assert wrong == []


def check_nothing_lost(worked, orders):
    """What was answered is stored, or was followed by what was answered later."""
    priorities: Counter[int] = Counter()
    tried = Counter(attempt[1] for log in worked for attempt in log.tried if attempt[0] == "raise_priority")
    lost = []
    for log in worked:
        for (method, *arguments), answer in log.answered:
            if method == "place" and arguments[0] not in orders:
                lost.append((method, arguments))
            elif method == "change_status":
                number, status = arguments
                if orders[number][0] not in FOLLOWING[status]:
                    lost.append((method, arguments, orders[number]))
            elif method == "raise_priority" and answer is not None:
                priorities[arguments[0]] = max(priorities[arguments[0]], answer)
    for number, priority in priorities.items():
        if not priority <= orders[number][1] <= 1 + tried[number]:
            lost.append(("raise_priority", number, priority, orders[number]))
    assert lost == []


def check_store(later, orders):
    """Every list of the later release agrees with the orders, after its repair."""
    assert later.do("recover") == []
    assert later.do("repair") == []
    assert later.do("verify") == []
    assert later.do("orders") == orders, "repairing lists changes no order"
    by_priority = dict(later.do("by_priority"))
    assert by_priority == {int(number): priority for number, (_status, priority) in orders.items()}
    for status in FOLLOWING:
        of_status = [int(number) for number, (stored, _priority) in orders.items() if stored == status]
        assert later.do("of_seller", status) == sorted(of_status)


@change("a new column with a default", "any order")
@pytest.mark.parametrize(
    ("seconds", "kills"),
    [pytest.param(1, 1, marks=pytest.mark.further), pytest.param(60, 5, marks=pytest.mark.long)],
)
def test_an_earlier_release_keeps_what_a_later_one_has_written(start, url, tmp_path, before, later, seconds, kills):
    """It changes orders whose priority it does not know, and refuses only those with the new status."""
    newest = start(later)
    newest.do("create")
    worked = of_earlier, of_later = at_work(url, tmp_path, seconds, kills, before, later)
    of_earlier.answered.append((["recover"], start(before).do("recover")))
    of_later.answered.append((["recover"], newest.do("recover")))
    orders = newest.do("orders")
    intent_of_later_status = rf"orders_intents: row [0-9a-f ]+: {LATER_STATUS.removeprefix('InvalidRow: ')}"
    check_refusals(of_earlier, OF_THE_SHOP, LATER_STATUS, LATER_LIST, intent_of_later_status)
    check_refusals(of_later, OF_THE_SHOP)
    check_nothing_lost(worked, {int(number): order for number, order in orders.items()})
    check_store(newest, orders)
    done = Counter(method for log in worked for (method, *_), _answer in log.answered)
    assert min(done[method] for method in ("place", "change_status", "raise_priority", "recover")) > 0
    assert any(method == "change_status" for (method, *_), _answer in of_earlier.answered)
