"""States thirty problems, and judges the row keys of an answer by what they cost: `problems [best | judge FILE]`.

Without an argument it prints the problems and the form of an answer. `judge FILE` compares a JSON file with the best
keys, and `best` finds those again.
"""

import json
import sys
from pathlib import Path

from . import BEST, FORM, best_of, judge
from .searching import best_keys
from .stated import problems


def main(arguments: list[str]) -> None:
    """States, judges, or searches."""
    match arguments:
        case []:
            print(FORM, *(problem.statement for problem in problems()), sep="\n")
        case ["judge", file]:
            print(*judge(json.loads(Path(file).read_text(encoding="utf-8"))), sep="\n")
        case ["best"]:
            found = {problem.name: best_of(problem, best_keys(problem)) for problem in problems()}
            BEST.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        case _:
            sys.exit(f"problems: must be no argument, best, or judge FILE (got {' '.join(arguments)!r})")


if __name__ == "__main__":
    main(sys.argv[1:])
