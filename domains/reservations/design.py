"""The load and questions of `reservations`, for the command `rowbook` and the tests."""

from collections.abc import Iterator
from pathlib import Path

from shared.designs import AccessPattern, Design, Exemption, Load, Variant
from shared.keys import shown

from .hotel import TABLES, Booking, Hotel, Room

SAMPLES = Path(__file__).parents[2] / "fixtures" / "reservations"
MAY_3, MAY_20 = 740_104, 740_121
"""Days of 2027, as `date.toordinal()` counts them."""

FREE = AccessPattern(
    "the rooms of a hotel that are free", Hotel.free, {"hotel": "inn", "from_day": MAY_20, "until_day": MAY_20 + 2}
)
OF_GUEST = AccessPattern("a guest's stays from a day on", Hotel.of_guest, {"guest_id": "g-1", "from_day": MAY_3})


def bookings_in(room: Room) -> Iterator[Booking]:
    """The confirmed bookings of a room. Raises ValueError if it has none, because a file has no line for it then."""
    if not room.stays:
        raise ValueError(f"room {shown(room.number)} of {shown(room.hotel)}, because it has no bookings")
    for stay in room.stays:
        if stay not in room.held:
            yield Booking(room.hotel, room.number, stay.booking_id, stay.guest_id, stay.from_day, stay.until_day)


DESIGN = Design(
    name="reservations",
    question="How do two clients never get the same room, seat or name, however many write at once?",
    loads=(
        Load(
            "bookings",
            Booking,
            Hotel.store,
            SAMPLES / "bookings.jsonl",
            lines_of={Room: bookings_in},
            identified_by=("booking_id",),
        ),
    ),
    patterns=(
        AccessPattern("a room with its stays", Hotel.room, {"hotel": "inn", "number": "1"}),
        FREE,
        OF_GUEST,
    ),
    repository=Hotel,
    variants=(
        Variant(
            None,
            "the design itself",
            (
                Exemption("ranges", "a page gets the rooms of its lines, all in one call", (OF_GUEST,)),
                Exemption("rows", "all rooms of the hotel are read to find the free ones", (FREE,)),
            ),
            tables=TABLES,
            take_if="something must have one owner at a time",
            avoid_if="all that must be unique together does not fit one row",
        ),
    ),
)
