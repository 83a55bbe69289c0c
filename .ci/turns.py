"""Which checks CI makes of a commit: some always, and one turn of the others, chosen by the hash of the commit.

    python3 .ci/turns.py            the make targets of this commit, one a line; on stderr, what runs and what does not
    python3 .ci/turns.py --gaps     how many of the last 100 commits follow each other without a check, at most

A count of commits instead of a hash would skip turns if commits come in threes. `make verify` makes every check, whole.
"""

import subprocess
import sys
from collections.abc import Sequence

MOST_MINUTES = 40

FIRST = {"check": 1, "mutants CHANGED=20": 5, "test-hbase ONLY=designs": 13}
LAST = {"test": 5}
"""Minutes of each make target on two cores. The last lines that CI prints are those of its tests."""

TURNS: tuple[dict[str, float], ...] = (
    {"test-long ONLY=rooms": 9, "bench QUICK=1": 1.5, "test-copies ONLY=orders,activity": 5},
    {"test-long ONLY=designs": 6, "test-long ONLY=crashes": 6},
    {
        "test-long ONLY=commands": 2,
        "test-hbase ONLY=crashes": 4,
        "test-hbase ONLY=commands": 5,
        "test-copies ONLY=logs,changes": 4,
    },
    {"test-hbase ONLY=rooms": 9, "test-opentsdb": 2, "test-copies ONLY=monitoring,catalog": 5},
    {"mutants PART=1/4": 9, "test-cluster": 6.5},
    {"mutants PART=2/4": 9, "bench-hbase QUICK=1": 2, "test-copies ONLY=feeds,profiles": 4},
    {"mutants PART=3/4": 9, "test-opentsdb": 2, "test-copies ONLY=documents,messages": 5},
    {"mutants PART=4/4": 9, "faults": 6},
    {"compare-opentsdb": 6, "move-opentsdb": 6, "test-opentsdb": 2},
    {"hot-spots CHECK=1": 9, "test-copies ONLY=counters,tsdb": 4},
)
"""What else a commit runs; a check may be in several turns."""


def turn_of(commit: str) -> int:
    """The place in TURNS of a commit's turn; `commit` is its hash in hex."""
    return int(commit, 16) % len(TURNS)


def steps_of(turn: int) -> dict[str, float]:
    """The make targets of a turn in order, with their minutes."""
    return {**FIRST, **TURNS[turn], **LAST}


def gap(step: str, commits: Sequence[str]) -> int:
    """How many of these commits, at most, follow each other without this make target."""
    longest = length = 0
    for commit in commits:
        length = 0 if step in steps_of(turn_of(commit)) else length + 1
        longest = max(longest, length)
    return longest


def _hashes(*arguments: str) -> list[str]:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.split()


def _print_gaps() -> None:
    commits = _hashes("rev-list", "--max-count=100", "HEAD")
    print(f"{'make':28} {'minutes':>7} {'runs':>5} {'gap':>5}   of {len(commits)} commits")
    every_step = {step: minutes for steps in (FIRST, *TURNS, LAST) for step, minutes in steps.items()}
    for step, minutes in every_step.items():
        runs = sum(step in steps_of(turn_of(commit)) for commit in commits)
        print(f"{step:28} {minutes:7} {runs:5} {gap(step, commits):5}")


def _print_steps() -> None:
    (commit,) = _hashes("rev-parse", "HEAD")
    turn = turn_of(commit)
    steps = steps_of(turn)
    others = {step: minutes for others in TURNS for step, minutes in others.items() if step not in steps}
    print(f"Commit {commit[:10]} has turn {turn + 1} of {len(TURNS)}: {sum(steps.values())} minutes", file=sys.stderr)
    for words, listed in (("Run now", steps), ("Not run now", others)):
        print(f"{words}: {', '.join(f'{step} ({minutes} min)' for step, minutes in listed.items())}", file=sys.stderr)
    print("\n".join(steps))


if __name__ == "__main__":
    _print_gaps() if sys.argv[1:] == ["--gaps"] else _print_steps()
