"""A process with one release of orders, which does what it is told; a program of its own, which imports that release.

python actor.py MODULE URL

MODULE has `OrderRepository`, `TABLES`, `Order` and `Status`. Each line of input is a JSON array of a method's name and
its arguments; the answer is a line, an object with `answer` or `refused`.
"""

import importlib
import json
import os
import random
import sys
import time
from typing import get_args

import attrs

from shared.stores import connect
from shared.tables import create_tables, drop_tables

PLACES_EACH_S = 5
"""Numbers of new orders in a second: so some rows are always those of the other release, and some are new."""


class Actor:
    """One release at work on one store."""

    def __init__(self, release, url):
        self._release = importlib.import_module(release)
        self._tables = self._release.TABLES
        self._connection = connect(url)
        self._orders = self._release.OrderRepository(self._connection)
        self._upkeep = self._orders.upkeep

    def create(self):
        create_tables(self._connection, self._tables)

    def drop(self, name):
        """Drops a table of this release."""
        drop_tables(self._connection, [table for table in self._tables if table.name == name])

    def place(self, number):
        self._orders.place(order(self._release.Order, number))

    def change_status(self, number, status):
        self._orders.change_status(f"n-{number}", status)

    def raise_priority(self, number):
        return self._orders.raise_priority(f"n-{number}")

    def die_while_raising_priority(self, number):
        """Ends this process after the decision, before the old line of the list by priority is deleted."""
        self._orders.writer.delete = lambda *_: os._exit(1)
        self.raise_priority(number)

    def order(self, number):
        found = self._orders.order(f"n-{number}")
        return None if found is None else attrs.asdict(found)

    def orders(self):
        """Every order's number, with its status, and its priority if this release knows it."""
        every = self._orders.numbered("n-")
        return {int(found.order_number[2:]): [found.status, getattr(found, "priority", None)] for found in every}

    def of_seller(self, status=None):
        """The numbers of the orders of the seller, of all or of one status."""
        of_status = {} if status is None else {"status": status}
        return sorted(int(line.order_number[2:]) for line in self._orders.of_seller("s-1", **of_status))

    def page(self, limit, cursor=None):
        """A page of the seller's list, newest first: numbers, what it leaves out, and the cursor of the next one."""
        page = self._orders.of_seller("s-1").page(limit, cursor)
        return [[int(line.order_number[2:]) for line in page.records], [*map(str, page.unknown)], page.cursor]

    def buyers(self):
        """What the lines of the seller say of their buyers, by number; only a later release has that column."""
        return {int(line.order_number[2:]): line.buyer_id for line in self._orders.of_seller("s-1")}

    def by_priority(self):
        """The numbers of the orders of the seller, the most urgent first, with their priorities."""
        return [[int(found.order_number[2:]), found.priority] for found in self._orders.by_priority("s-1")]

    def recover(self):
        return list(self._upkeep.recover(older_than_ms=0).failed)

    def verify(self):
        return [str(finding) for finding in self._upkeep.verify()]

    def repair(self):
        """What could not be mended."""
        return [str(finding) for finding, is_mended in self._upkeep.repair() if not is_mended]

    def work(self, seconds, seed, file):
        """Places and changes orders, and recovers; writes each attempt and each answer into a file, as JSON."""
        chance, ends = random.Random(seed), time.time() + seconds
        with open(file, "a", encoding="utf-8", buffering=1) as log:
            while time.time() < ends:
                attempt = self._drawn(chance)
                print(json.dumps(attempt), file=log)
                print(json.dumps({"of": attempt, **answered(self, *attempt)}), file=log)

    def _drawn(self, chance):
        number = int(time.time() * PLACES_EACH_S) - chance.randrange(4 * PLACES_EACH_S)
        drawn = chance.random()
        if drawn < 0.3:
            return ["place", number]
        if drawn < 0.6 and hasattr(self._orders, "raise_priority"):
            return ["raise_priority", number]
        if drawn < 0.95:
            return ["change_status", number, chance.choice(get_args(self._release.Status)[1:])]
        return ["recover"]


def order(of, number):
    """The same order of this number in every process."""
    return of(f"n-{number}", "s-1", f"b-{number % 3}", 1_000 + number, "lamp", number)


def answered(actor, method, *arguments):
    """What the method answers, or how it refuses."""
    try:
        return {"answer": getattr(actor, method)(*arguments)}
    except Exception as error:  # the test says which of them are right
        return {"refused": [type(error).__name__, str(error)]}


def main():
    actor = Actor(*sys.argv[1:])
    print(json.dumps({"answer": "ready"}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answered(actor, *json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
