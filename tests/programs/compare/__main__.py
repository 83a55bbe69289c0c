"""Random calls on the embedded store and on a real HBase, compared answer by answer.

    ROWBOOK_HBASE=hbase://127.0.0.1:9090?thrift2_port=9091 python -m tests.programs.compare --operations 200000

Without ROWBOOK_HBASE it starts an HBase of its own. Prints the seed, and every difference as a conformance case; exits
with 1 where there is one that `known.py` does not name. The clocks of both machines must agree to the millisecond, as
they do on one.
"""

import argparse
import secrets
import sys
import time
from collections.abc import Callable

from tests.programs.compare.comparing import Comparison, Tally
from tests.programs.compare.places import Embedded, RealHBase
from tests.programs.compare.writing import as_case
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import NamedHBase, named_or_started

THREADS = 4
MOST_DIFFERENCES = 10
_PROGRESS_S = 10


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--operations", type=int, default=200_000)
    parser.add_argument("--seed", default=secrets.token_hex(3), help="with the same one the same sequences run again")
    parser.add_argument("--only", help="a single sequence by its whole seed, SEED/NUMBER")
    given = parser.parse_args()
    try:
        with named_or_started() as named:
            return _compare(named, given)
    except NotStarted as error:
        print(error, file=sys.stderr)
        return 1


def _compare(named: NamedHBase, given: argparse.Namespace) -> int:
    print(f"seed {given.only or given.seed}, on {named.url}", flush=True)
    reference = RealHBase(named)
    comparison = Comparison(reference, Embedded(), given.seed)
    try:
        if given.only:
            comparison.run_one(given.only)
        else:
            comparison.run(given.operations, threads=THREADS, most_differences=MOST_DIFFERENCES, watch=_progress())
    finally:
        reference.close()
        print(summary(comparison.tally))
    return 1 if comparison.tally.differences else 0


def _progress() -> Callable[[Tally], None]:
    """Says now and then how far it is, and each difference at once."""
    shown, next_s = 0, time.monotonic() + _PROGRESS_S

    def show(tally: Tally) -> None:
        nonlocal shown, next_s
        for difference in tally.differences[shown:]:
            print(as_case(difference, "embedded"), flush=True)
        shown = len(tally.differences)
        if time.monotonic() >= next_s:
            next_s += _PROGRESS_S
            print(_state(tally), flush=True)

    return show


def summary(tally: Tally) -> str:
    """What was run and what differed, by call and by rule."""
    lines = [_state(tally)]
    lines += [f"  {count:7,} {call}" for call, count in tally.calls.most_common()]
    lines += [f"  known: {count:,} times {name}" for name, count in tally.known.most_common()]
    lines += [f"  difference in {difference.call}, seed {difference.seed}" for difference in tally.differences]
    return "\n".join(lines)


def _state(tally: Tally) -> str:
    return (
        f"{tally.operations:,} operations, {tally.per_second:,.0f}/s,"
        f" {len(tally.differences)} differences, {tally.known.total()} known ones"
    )


if __name__ == "__main__":
    sys.exit(main())
