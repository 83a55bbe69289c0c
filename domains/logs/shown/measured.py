"""More buckets against the cost of a scan: the key of `salted` with 1 to 64 buckets."""

from collections import Counter
from collections.abc import Mapping
from contextlib import closing

from shared.designs import Design, measure_pattern, scratch_store
from shared.exhibit import filled
from shared.keys import KeyLayout, Salt

from ..keys import LOGS, LogTimeFirst
from ..repository import LogRepository

CONTRAST = "time-first", "salted"
BUCKETS = (1, 2, 4, 8, 16, 32, 64)
EQUAL = 1.02
"""Shares that differ by at most this factor are counted as equal."""


def own_blocks(design: Design) -> Mapping[str, str]:
    """The share of the busiest bucket, and the calls of a question about all hosts, by the number of buckets."""
    events = list(design.loads[0].sample_records())
    (pattern,) = (pattern for pattern in design.patterns if pattern.question == "all hosts, ten minutes")
    shares: list[float] = []
    calls: list[int] = []
    for buckets in BUCKETS:
        key = KeyLayout(LogTimeFirst, Salt(of="host", buckets=buckets))
        table = LOGS.like("logs_in_buckets", key)
        in_bucket = Counter(table.layout.row(event)[0] for event in events)
        shares.append(max(in_bucket.values()) / len(events))
        with closing(scratch_store(table.tables)) as connection:
            repository = LogRepository(connection, table)
            repository.store_all(events)
            calls.append(measure_pattern(connection, repository, pattern, pattern.sample, pattern.limit).cost.rpcs)
    enough = next(number for number, share in enumerate(shares) if share <= EQUAL * shares[-1])
    ((host, of_host),) = Counter(event.host for event in events).most_common(1)
    words = (
        f"With {BUCKETS[enough]} buckets, the busiest one takes {shares[enough]:.0%} of the events, and a page of "
        f'"{pattern.question}" needs {calls[enough]} RPCs. With {BUCKETS[-1]}, the page needs {calls[-1]}, but the '
        f"busiest one still takes {shares[-1]:.0%}: a salt of the host never divides `{host}`, which has "
        f"{of_host / len(events):.0%} of the events."
    )
    return {"buckets": filled(words)}
