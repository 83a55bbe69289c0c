"""Answers the claims of published documents that speak of a server, on a real HBase of its own.

Each claim is answered by figures, which `fixtures/claims.json` records with the version of HBase and the date.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from shared.stores import StoreError, connect
from tests.programs.claims.blocks import block_sizes
from tests.programs.claims.cells import default_version, lost_without_a_tie
from tests.programs.claims.families import families
from tests.programs.claims.filters import early_ends
from tests.programs.claims.indexes import index_sizes
from tests.programs.claims.java_client import java_client
from tests.programs.claims.memory import memory
from tests.programs.claims.regions import hot_region
from tests.programs.claims.reversing import reversed_reads
from tests.programs.claims.shell import published_scan
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.recording import measured_on
from tests.programs.hbase.server import HBase, running
from tests.programs.pages.claim_blocks import RECORDED
from tests.programs.service.killing import killed_services
from tests.programs.service.measuring import services

CLAIMS: Mapping[str, Callable[[Any, HBase], object]] = {
    "published scan": published_scan,
    "default version": default_version,
    "lost without a tie": lost_without_a_tie,
    "reversed reads": reversed_reads,
    "block sizes": block_sizes,
    "index sizes": index_sizes,
    "memory": memory,
    "early ends": early_ends,
    "java client": java_client,
    "families": families,
    "hot region": hot_region,
    "services": services,
    "killed services": killed_services,
}
"""What is measured, each with a connection to the HBase and the HBase itself."""


def main() -> int:
    """Measures the claims, all or those that are named, and records them."""
    parser = ArgumentParser()
    parser.add_argument("claims", nargs="*", metavar="CLAIM", help=f"of {', '.join(CLAIMS)}")
    names: list[str] = parser.parse_args().claims or [*CLAIMS]
    if unknown := [name for name in names if name not in CLAIMS]:
        parser.error(f"CLAIM: must be one of {', '.join(CLAIMS)} (got {unknown[0]})")
    recorded = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    try:
        with running() as hbase, closing(connect(f"{hbase.url}&timeout_ms=120000")) as connection:
            for name in names:
                figures = CLAIMS[name](connection, hbase)
                recorded[name] = measured_on(hbase.info_url) | {"figures": figures}
                print(f"{name}: {figures}", flush=True)
    except (NotStarted, StoreError) as error:
        print(error, file=sys.stderr)
        return 1
    in_order = {name: recorded[name] for name in CLAIMS if name in recorded}
    RECORDED.write_text(json.dumps(in_order, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
