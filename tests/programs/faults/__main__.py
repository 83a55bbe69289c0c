"""Every plan against the suite's client and against plain happybase, in one table.

Exits with 1 where the suite's client breaks a promise.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from functools import partial

from tests.programs.faults.clients import CLIENTS, short_pauses
from tests.programs.faults.gateways import EmbeddedGateway, RemoteGateway
from tests.programs.faults.plans import PLANS, Plan
from tests.programs.faults.tally import Broken
from tests.programs.faults.workload import TIMEOUT_MS, Run, new_seed, run

THREADS = 4

COLUMNS = (
    *("plan", "client", "calls", "faults", "wrong answers", "false successes", "wrong states", "errors"),
    *("other broken promises", "unknown outcomes", "broken scans", "seconds"),
)


def main() -> int:
    given = _options()
    gateway = EmbeddedGateway
    if given.gateway:
        host, _, port = given.gateway.rpartition(":")
        gateway = partial(RemoteGateway, host, int(port))
    logging.disable(logging.WARNING)  # the server's, of calls that are meant to fail
    print(f"seed {given.seed}, timeout {TIMEOUT_MS} ms\n\n{_line(COLUMNS)}\n{_line(['---'] * len(COLUMNS))}")
    examples: list[str] = []
    with short_pauses():
        for name in given.plan:
            for client in CLIENTS:
                options = {"client": client, "gateway": gateway}
                alone = given.operations // 5
                runs = [
                    run(Plan(name, given.seed), alone, **options),
                    run(Plan(name, given.seed), given.operations - alone, threads=THREADS, **options),
                ]
                print(_line(_figures(name, client, runs)), flush=True)
                if client == "ours":
                    examples += [f"{name}: {example}" for client_run in runs for example in client_run.tally.examples]
    print("", *examples, sep="\n")
    return bool(examples)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=10_000, help="a fifth by one thread, the rest by four")
    parser.add_argument("--seed", type=int, default=new_seed(), help="otherwise a new one, which is printed")
    parser.add_argument("--plan", nargs="+", choices=PLANS, default=list(PLANS))
    parser.add_argument("--gateway", metavar="HOST:PORT", help="a Thrift1 gateway; otherwise one on an embedded store")
    return parser.parse_args()


def _figures(name: str, client: str, runs: Sequence[Run]) -> list[str]:
    tallies = [client_run.tally for client_run in runs]
    operations = sum(tally.operations for tally in tallies)
    broken = {kind: sum(tally.broken[kind] for tally in tallies) for kind in Broken}
    shown = (Broken.WRONG_ANSWER, Broken.FALSE_SUCCESS, Broken.WRONG_STATE, Broken.ERROR)
    return [
        name,
        client,
        f"{sum(client_run.calls for client_run in runs):,}",
        f"{sum(client_run.faults.total() for client_run in runs):,}",
        *(f"{broken.pop(kind):,} of {operations:,}" for kind in shown),
        str(sum(broken.values())),
        str(sum(tally.unknown for tally in tallies)),
        str(sum(tally.scans_broken for tally in tallies)),
        f"{sum(client_run.seconds for client_run in runs):.0f}",
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
