"""Random calls on the embedded store and on a real HBase, compared answer by answer.

    ROWBOOK_HBASE=hbase://127.0.0.1:9090?thrift2_port=9091 python -m tests.programs.compare --operations 200000

Without ROWBOOK_HBASE it starts an HBase of its own. Prints every difference that `known.py` does not name, with its
seed, and exits with 1 if there is one. The clocks of both machines must agree to the millisecond, as they do on one.
"""

import argparse
import secrets
import sys
from contextlib import closing

from tests.programs.compare.comparing import Comparison
from tests.programs.compare.places import Embedded, RealHBase
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import named_or_started

THREADS = 4
MOST_DIFFERENCES = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, default=200_000)
    parser.add_argument("--seed", default=secrets.token_hex(3), help="with the same one the same sequences run again")
    parser.add_argument("--only", help="a single sequence by its whole seed, SEED/NUMBER")
    given = parser.parse_args()
    try:
        with named_or_started() as named, closing(RealHBase(named)) as reference:
            print(f"seed {given.only or given.seed}, on {named.url}", flush=True)
            comparison = Comparison(reference, Embedded(), given.seed)
            if given.only:
                comparison.run_one(given.only)
            else:
                comparison.run(given.operations, threads=THREADS, most_differences=MOST_DIFFERENCES)
    except NotStarted as error:
        print(error, file=sys.stderr)
        return 1
    tally = comparison.tally
    print(*tally.differences, sep="\n")
    print(f"{tally.operations:,} operations, {len(tally.differences)} differences, known: {dict(tally.known)}")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
