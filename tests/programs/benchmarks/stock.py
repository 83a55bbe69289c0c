"""Made records and rows."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime

from domains.logs import LogEvent
from domains.orders import Order

SEED = 20_260_112
BATCH = 1_000
HOUR_MS = 3_600_000
EVENTS_BEGIN_MS = 1_768_203_600_000  # 2026-01-12T07:40Z, an hour before the ten minutes that the questions ask for
HOSTS = [f"{kind}-{number}" for kind, most in (("web", 30), ("db", 10), ("api", 10)) for number in range(1, most)]
ORDERS_BEGIN_MS = 1_767_225_600_000  # 2026-01-01T00:00Z
SELLERS, BUYERS = 200, 500
LINES_A_SECOND = 8
"""Lines of an access log with one time, which has no milliseconds."""
AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"


def log_events(count: int) -> list[LogEvent]:
    """Events of two hours, no two alike; of 100,000 one host has two thousand."""
    chance = random.Random(SEED)
    kinds = ["GET"] * 10 + ["POST"] * 4 + ["ERROR"] * 2
    severities = ["INFO"] * 16 + ["WARN", ""]
    return [
        LogEvent(
            chance.choice(HOSTS),
            chance.choice(kinds),
            EVENTS_BEGIN_MS + chance.randrange(2 * HOUR_MS),
            chance.choice(severities),
            f"request {number} took {chance.randrange(3000)} ms",
        )
        for number in range(count)
    ]


def orders(count: int, mark: str = "n") -> list[Order]:
    """Orders of a month; of 100,000 one seller has five hundred, and a sixteenth are cancelled."""
    chance = random.Random(SEED)
    statuses = ["placed"] * 4 + ["paid"] * 3 + ["shipped"] * 8 + ["cancelled"]
    return [
        Order(
            f"{mark}-{number}",
            f"s-{chance.randrange(SELLERS)}",
            f"b-{chance.randrange(BUYERS)}",
            ORDERS_BEGIN_MS + chance.randrange(30 * 24 * HOUR_MS),
            chance.choice(["lamp", "chair", "desk", "poster"]),
            chance.choice([499, 1250, 99_999, 10**21 + number]),
            chance.choice(statuses),
        )
        for number in range(count)
    ]


def access_log(count: int) -> Iterator[str]:
    """Lines of an access log, some with the same time."""
    chance = random.Random(SEED)
    for number in range(count):
        time = datetime.fromtimestamp(EVENTS_BEGIN_MS // 1000 + number // LINES_A_SECOND, UTC)
        host = ".".join(str(chance.randrange(256)) for _ in range(3))
        request = f"GET /images/{chance.randrange(100_000)}.png HTTP/1.1"
        status, size = chance.choice([200, 200, 200, 304, 404]), chance.randrange(100_000)
        yield f'10.{host} - - [{time:%d/%b/%Y:%H:%M:%S} +0000] "{request}" {status} {size} "-" "{AGENT}"\n'
