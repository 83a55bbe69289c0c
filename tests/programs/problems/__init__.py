"""Thirty written problems, and a judge of row keys: what an answer costs beside the best keys that a search finds."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .judging import InvalidAnswer, TableKey, judged
from .stated import ABSORBED, BUCKETS, RECORDS, Problem, problems

BEST = Path(__file__).with_name("best.json")
"""The best keys of each problem and their cost, found by `problems best`."""
SOLVED = 1.25
"""An answer solves a problem if it costs at most this many times the best one."""
FORM = f"""Give the row keys of HBase tables for each problem, as JSON:

  {{"problem": [{{"key": ["host", "-time_ms", "event_id"], "salt": "event_id"}}, ...], ...}}

Every table holds all records. `-` before a field means descending. A salt is optional: 1 of {BUCKETS} buckets of a
field of the key, in front of it. One region absorbs {ABSORBED:,} writes a second. Rows of a table must differ. One
table must have a key without a field that changes, because one row decides. The cost of an answer is what questions
read a second, in ranges and rows, and the puts and deletes of writes and changes, counted on {RECORDS} records of each
problem.
"""


def best_of(problem: Problem, keys: Sequence[TableKey]) -> dict[str, Any]:
    """The best keys of a problem as they are recorded."""
    tables = [{"key": [*key.fields], **({"salt": key.salt} if key.salt else {})} for key in keys]
    return {"tables": tables, "cost": judged(problem, keys).cost}


def judge(answers: Mapping[str, Any]) -> Iterator[str]:
    """A line for each problem, with what the answer costs beside the best one; then how many are solved."""
    best = json.loads(BEST.read_text(encoding="utf-8"))
    solved = 0
    for problem in problems():
        try:
            tables = answers.get(problem.name)
            if not isinstance(tables, list) or not tables:
                raise InvalidAnswer(f"{problem.name}: must be a list of tables (got {tables!r})")
            result = judged(problem, [TableKey.of(problem, table) for table in tables])
        except InvalidAnswer as error:
            yield str(error)
            continue
        if result.cost is None:
            yield f"{problem.name}: cannot be used: {'; '.join(result.faults)}"
            continue
        ratio = result.cost / best[problem.name]["cost"]
        solved += ratio <= SOLVED
        yield f"{problem.name}: {ratio:.2f} times the best cost, {len(tables)} tables"
    yield f"{solved} of {len(best)} solved: at most {SOLVED} times the best cost"
