"""Every plan against the suite's client, in one table. Exits with 1 if the client breaks a promise."""

import argparse
import logging
import sys
from functools import partial

from tests.programs.faults.clients import short_pauses
from tests.programs.faults.gateways import EmbeddedGateway, RemoteGateway
from tests.programs.faults.plans import PLANS, Plan
from tests.programs.faults.tally import Broken
from tests.programs.faults.workload import TIMEOUT_MS, new_seed, run

THREADS = 4


def main() -> int:
    given = _options()
    gateway = EmbeddedGateway
    if given.gateway:
        host, _, port = given.gateway.rpartition(":")
        gateway = partial(RemoteGateway, host, int(port))
    logging.disable(logging.WARNING)  # the server's, of calls that are meant to fail
    print(f"seed {given.seed}, timeout {TIMEOUT_MS} ms")
    examples: list[str] = []
    with short_pauses():
        for name in given.plan:
            alone = given.operations // 5
            for threads, operations in ((1, alone), (THREADS, given.operations - alone)):
                ended = run(Plan(name, given.seed), operations, threads=threads, gateway=gateway)
                tally = ended.tally
                broken = ", ".join(f"{tally.broken[kind]} {kind}" for kind in Broken)
                print(
                    f"{name}, {threads} threads: {tally.operations:,} operations, {ended.calls:,} calls, "
                    f"{ended.faults.total():,} faults, {ended.seconds:.0f} s; {broken}; "
                    f"{tally.unknown} unknown outcomes, {tally.scans_broken} broken scans",
                    flush=True,
                )
                examples += [f"{name}: {example}" for example in tally.examples]
    print(*examples, sep="\n")
    return bool(examples)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=10_000, help="a fifth by one thread, the rest by four")
    parser.add_argument("--seed", type=int, default=new_seed(), help="otherwise a new one, which is printed")
    parser.add_argument("--plan", nargs="+", choices=PLANS, default=list(PLANS))
    parser.add_argument("--gateway", metavar="HOST:PORT", help="a Thrift1 gateway; otherwise one on an embedded store")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
