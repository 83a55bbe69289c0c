"""The qualifiers of rolled-up points, which OpenTSDB has in tables of their own. No question or write uses them."""

from shared.keys import shown
from shared.keys.errors import shown_bytes
from shared.tables import InvalidRecord


def rollup_qualifier(aggregator: int, interval: int, flags: int) -> bytes:
    """The qualifier of a rolled-up point: the id of its aggregator, then the number of its interval in the row.

    42, 70, 7 -> 2a 04 67    12 bits hold the number of the interval: OpenTSDB itself lets more of them alias.
    """
    for name, number, last in (("aggregator", aggregator, 127), ("interval", interval, 4095), ("flags", flags, 15)):
        if type(number) is not int or not 0 <= number <= last:
            raise InvalidRecord(f"{name}: must be 0..{last} (got {shown(number)})")
    return bytes([aggregator]) + (interval << 4 | flags).to_bytes(2, "big")


def split_rollup_qualifier(qualifier: bytes) -> tuple[int, int, int]:
    """The id of the aggregator, the number of the interval, and the flags of a rolled-up point."""
    if len(qualifier) != 3 or qualifier[0] > 127:
        raise InvalidRecord(f"must be a rollup qualifier: 00..7f, then 2 bytes (got {shown_bytes(qualifier)})")
    interval, flags = divmod(int.from_bytes(qualifier[1:], "big"), 16)
    return qualifier[0], interval, flags
