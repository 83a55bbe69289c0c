"""Which mutants a run plants: all of them, every N-th one, or those whose file or tests were changed lately."""

import subprocess
from collections.abc import Collection, Sequence
from hashlib import sha256
from pathlib import Path

from tests.programs.mutants.planting import ROOT, Mutant

MOST = 60
"""How many mutants of what changed a run plants: five minutes on two cores."""


def part_of(mutants: Sequence[Mutant], part: str) -> Sequence[Mutant]:
    """The K-th of N equal parts, for `part` K/N: every N-th mutant."""
    number, _, count = part.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"part: must be K/N with K from 1 to N (got {part})")
    return mutants[int(number) - 1 :: int(count)]


def changed_files(commits: int, root: Path = ROOT) -> set[str] | None:
    """The files that the last `commits` commits and the work since them changed; None if the history is shorter."""
    if _git(root, "rev-parse", "--verify", "--quiet", f"HEAD~{commits}") is None:
        return None
    return set((_git(root, "diff", "--name-only", "--no-renames", f"HEAD~{commits}") or "").splitlines())


def of_files(mutants: Sequence[Mutant], files: Collection[str]) -> list[Mutant]:
    """The mutants of these files, and those that tests in these files must notice."""
    return [
        mutant
        for mutant in mutants
        if mutant.file in files or any(test.partition("::")[0] in files for test in mutant.tests)
    ]


def bounded(mutants: Sequence[Mutant], most: int, commit: str) -> list[Mutant]:
    """At most so many mutants, in their order: of more than `most`, others with each commit."""
    drawn = sorted(mutants, key=lambda mutant: sha256(f"{commit} {mutant.name}".encode()).digest())[:most]
    return [mutant for mutant in mutants if mutant in drawn]


def of_what_changed(mutants: Sequence[Mutant], commits: int, root: Path = ROOT) -> tuple[list[Mutant], str]:
    """At most MOST of the mutants of what the last `commits` commits changed, and a sentence that says which."""
    if commits < 1:
        raise ValueError(f"changed: must be 1 or more commits (got {commits})")
    files = changed_files(commits, root)
    found = list(mutants) if files is None else of_files(mutants, files)
    reason = f"the history is shorter than {commits} commits" if files is None else f"changed since HEAD~{commits}"
    sentence = f"{len(found)} of {len(mutants)} mutants: {reason}"
    if len(found) <= MOST:
        return found, sentence
    commit = _git(root, "rev-parse", "HEAD") or ""
    sentence += f"; the hash of the commit chooses {MOST} of them, and {len(found) - MOST} are not planted"
    return bounded(found, MOST, commit), sentence


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints; None if it fails or is not there."""
    try:
        process = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return None if process.returncode else process.stdout.strip()
