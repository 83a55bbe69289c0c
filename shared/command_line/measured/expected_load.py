"""The load that `rowbook review` judges a design for: records a day, how long each is kept, and the servers."""

import re
from decimal import Decimal

import attrs

from ...exhibit.regions.simulated_splits import SplitPolicy
from ...exhibit.regions.sizing import DAY_S
from ...keys.errors import shown
from ...records.lengths import parse_length
from ..named.options import FLUSH_SIZE, KEEP, MAX_FILESIZE, RECORDS_A_DAY, SERVERS
from ..named.typed_values import number
from ..screen.wrong_usage import WrongUsage

MOST_RECORDS = 10**12
MOST_DAYS = 36_500
MOST_SERVERS = 1_000
LEAST_BYTES, MOST_BYTES = 2**20, 2**40
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


@attrs.frozen
class ExpectedLoad:
    """Records that arrive each day and are kept for some time, in regions on some servers."""

    records_a_day: int
    keep_days: float
    servers: int
    policy: SplitPolicy
    assumed: tuple[str, ...] = ()
    """The options that were not given."""

    @property
    def records(self) -> float:
        """The records that are kept in the end."""
        return self.records_a_day * self.keep_days

    @property
    def words(self) -> str:
        """The load in words."""
        return f"{self.records_a_day:,} records a day, each kept for {self.keep_days:g} days, on {self.servers} servers"


def expected_load(
    records_a_day: str | None,
    keep: str | None,
    servers: str | None,
    flush_size: str = FLUSH_SIZE,
    max_filesize: str = MAX_FILESIZE,
) -> ExpectedLoad:
    """The load with the values of the command line; what is not given is assumed. Raises WrongUsage."""
    options = {"--records-a-day": records_a_day, "--keep": keep, "--servers": servers}
    return ExpectedLoad(
        large_number("--records-a-day", records_a_day or RECORDS_A_DAY, MOST_RECORDS),
        _days(keep or KEEP),
        number("--servers", servers or SERVERS, MOST_SERVERS),
        SplitPolicy(size_in_bytes("--flush-size", flush_size), size_in_bytes("--max-filesize", max_filesize)),
        tuple(option for option, value in options.items() if value is None),
    )


def large_number(what: str, text: str, at_most: int, at_least: int = 1) -> int:
    """The text as a number; also as `4.3e9`."""
    if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?[eE][0-9]{1,2}", text, re.ASCII):
        large = Decimal(text)
        text = str(int(large)) if large == large.to_integral_value() else text
    if not re.fullmatch(r"-?[0-9]+", text, re.ASCII):
        raise WrongUsage(f"{what}: must be a whole number such as 1000000 or 1e6 (got {shown(text)})")
    return number(what, text, at_most, at_least)


def size_in_bytes(what: str, text: str) -> int:
    """The text as a number of bytes; also with K, M or G behind it."""
    match = re.fullmatch(r"([0-9]{1,15})([KMG]?)", text, re.ASCII)
    size = int(match[1]) * _UNITS[match[2]] if match else 0
    if not LEAST_BYTES <= size <= MOST_BYTES:
        raise WrongUsage(f"{what}: must be 1M..1024G, as 10G or 500M (got {text})")
    return size


def _days(keep: str) -> float:
    try:
        days = parse_length(keep) / 1000 / DAY_S
    except ValueError as error:
        raise WrongUsage(f"--keep: {error}") from None
    if not 1 / 24 <= days <= MOST_DAYS:
        raise WrongUsage(f"--keep: must be 1h..{MOST_DAYS}d, with its unit (got {shown(keep)})")
    return days
