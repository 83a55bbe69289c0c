"""The cheapest tables for a problem, found by trying all keys of up to three fields and the unique one, and all salts.

Each question goes to one table, so a set of tables is a partition of the questions: for each group of questions the
cheapest key is known, and the cheapest partition is the best answer among all keys that were tried.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from .judging import StoredTable, TableKey
from .stated import Problem

LONGEST = 3
"""Fields that stand before the unique one."""


def best_keys(problem: Problem) -> list[TableKey]:
    """The cheapest tables of all that are tried."""
    tables = [table for table in (StoredTable(problem, key) for key in _keys(problem)) if not table.fault]
    costs = [[table.cost(question) for question in problem.questions] for table in tables]
    stable = min((table for table in tables if not table.moves), key=lambda table: table.write_cost)

    def cheapest(group: Sequence[int]) -> tuple[float, StoredTable]:
        read = (sum(of_table[number] for number in group) for of_table in costs)
        return min(
            ((cost + table.write_cost, table) for cost, table in zip(read, tables, strict=True)),
            key=lambda priced: (priced[0], bool(priced[1].key.salt), len(priced[1].key.fields)),
        )

    def priced(partition: Sequence[Sequence[int]]) -> tuple[float, list[StoredTable]]:
        chosen = [cheapest(group) for group in partition]
        cost, used = sum(cost for cost, _table in chosen), [table for _cost, table in chosen]
        return (cost + stable.write_cost, [*used, stable]) if all(table.moves for table in used) else (cost, used)

    _cost, used = min(map(priced, _partitions([*range(len(problem.questions))])), key=lambda answer: answer[0])
    return [table.key for table in used]


def _keys(problem: Problem) -> Iterator[TableKey]:
    descending = {question.order[1:] for question in problem.questions if question.order.startswith("-")}
    unique = next(name for name, field in problem.fields.items() if "unique" in field)
    for count in range(LONGEST + 1):
        for chosen in permutations(problem.fields, count):
            names = chosen if unique in chosen else (*chosen, unique)
            fields = tuple(f"-{name}" if name in descending else name for name in names)
            yield from (TableKey(fields, salt) for salt in ("", *chosen[1:], unique))


def _partitions(numbers: Sequence[int]) -> Iterable[Sequence[Sequence[int]]]:
    """All ways to divide the numbers into groups."""
    if not numbers:
        yield []
        return
    first, *others = numbers
    for partition in _partitions(others):
        yield [[first], *partition]
        for place, group in enumerate(partition):
            yield [*partition[:place], [first, *group], *partition[place + 1 :]]
