"""A hotel's bookings in one module: no two guests have one room in one night, after any crash, however many write.

The row of a room holds all its stays, because one row is what HBase decides at once. A guest's list is derived from the
rooms. Days are numbers, as `date.toordinal()` counts them; a stay ends on the day on which the guest leaves.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from shared.keys import EscapedText, TrailingText, UInt32, between, part, row_key, shown
from shared.queries import Query
from shared.records import InvalidRecord, check_int, check_text, integer, text
from shared.sources import Source
from shared.tables import MSGPACK, Column, Packing

if TYPE_CHECKING:
    import happybase

LAST_DAY = 2**32 - 1


class RoomTaken(ValueError):
    """Another stay has the room in one of these nights."""


class UnknownRoom(ValueError):
    """The hotel has no such room."""


# ---- records


@attrs.frozen
class Stay:
    """A guest in a room, for one night or more."""

    booking_id: str = attrs.field(validator=text())
    """Chosen by the client before the first call, so that the same call again is the same booking."""
    guest_id: str = attrs.field(validator=text())
    from_day: int = attrs.field(validator=integer(0, LAST_DAY))
    until_day: int = attrs.field(validator=integer(0, LAST_DAY))
    """The day on which the guest leaves: the night before it is the last one."""

    def __attrs_post_init__(self) -> None:
        _check_days(self)

    def overlaps(self, from_day: int, until_day: int) -> bool:
        """Whether the stay has one of these nights."""
        return self.from_day < until_day and from_day < self.until_day


@attrs.frozen
class Booking:
    """A stay and its room, as a file has them."""

    hotel: str = attrs.field(validator=text())
    number: str = attrs.field(validator=text())
    booking_id: str = attrs.field(validator=text())
    guest_id: str = attrs.field(validator=text())
    from_day: int = attrs.field(validator=integer(0, LAST_DAY))
    until_day: int = attrs.field(validator=integer(0, LAST_DAY))

    def __attrs_post_init__(self) -> None:
        _check_days(self)


@attrs.frozen
class Room:
    """A room and all its stays, by day."""

    hotel: str = attrs.field(validator=text())
    number: str = attrs.field(validator=text())
    stays: tuple[Stay, ...] = ()
    held: tuple[Stay, ...] = ()
    """Those that `book_all` has not confirmed yet. A booking may have a confirmed stay in the room as well."""

    def with_stays(self, stays: Iterable[Stay], held: Iterable[Stay]) -> "Room":
        """The room with these stays instead; of `held`, those that are not among them are dropped."""
        stays = tuple(sorted(stays, key=lambda stay: stay.from_day))
        return attrs.evolve(self, stays=stays, held=tuple(stay for stay in held if stay in stays))


def _check_days(of: Stay | Booking) -> None:
    if of.until_day <= of.from_day:
        raise InvalidRecord(f"{type(of).__name__}.until_day: must be after from_day {of.from_day} (got {of.until_day})")


# ---- keys and cells


@row_key
class RoomOfHotel:
    """A room with its stays: the source.

    Order:  by hotel, then by the room's number, as text.
    Serves: a room; all rooms of a hotel, to find a free one.
    Costs:  one get; one scan of the hotel's rooms.
    Fixed:  one row for each room. A stay is decided in one row, so a row must have all nights that a stay may have.
    Source: none
    """

    hotel: str = part(EscapedText, "the hotel; any text")
    number: str = part(TrailingText, "the room's number in the hotel; any text")


@row_key
class StayOfGuest:
    """One line of a guest's list: its key holds all of a stay, and moves when the days change.

    Order:  by guest, then by the first day.
    Serves: a guest's stays from a day on.
    Costs:  one scan of a page's lines, and one call that gets their rooms.
    Fixed:  the widths.
    Source: none
    """

    guest_id: str = part(EscapedText, "the guest; any text")
    from_day: int = part(UInt32, "the first day, as date.toordinal() counts")
    hotel: str = part(EscapedText, "the hotel")
    number: str = part(EscapedText, "the room's number")
    until_day: int = part(UInt32, "the day on which the guest leaves")
    booking_id: str = part(TrailingText, "the booking")


def _pack_stays(stays: tuple[Stay, ...]) -> bytes:
    return MSGPACK.pack([list(attrs.astuple(stay)) for stay in stays])


def _unpack_stays(data: bytes) -> tuple[Stay, ...]:
    stays: Any = MSGPACK.unpack(data)
    if stays.__class__ is not list:  # an empty map has no stays either
        raise ValueError("must be a msgpack array of stays")
    return tuple(Stay(*fields) for fields in stays)


STAYS = Packing("stays", _pack_stays, _unpack_stays)


def stays_of(room: Room) -> Iterator[StayOfGuest]:
    """The lines of a room: one for each stay, in its guest's list."""
    for stay in room.stays:
        yield StayOfGuest(stay.guest_id, stay.from_day, room.hotel, room.number, stay.until_day, stay.booking_id)


ROOMS = Source(
    "hotel_rooms",
    RoomOfHotel,
    Room,
    {"stays": Column("r:s", STAYS), "held": Column("r:h", STAYS)},
    cell="r:room",
    intents="hotel_intents",
)
OF_GUEST = ROOMS.moving_list("hotel_stays_of_guest", StayOfGuest, lines=stays_of, marker="g:x")
TABLES = ROOMS.tables


# ---- the repository


class Hotel:
    """Books rooms. A booking that was confirmed is stored, and no two bookings of a room share a night.

    If a writer dies, the same call again or `upkeep.recover` completes the write. Threads may share
    it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", rooms: Source[Room] = ROOMS) -> None:
        self._rooms = rooms.on(connection)
        self.writer = self._rooms.writer
        self.upkeep = self._rooms.upkeep

    # ---- writes

    def open_room(self, hotel: str, number: str) -> Room:
        """Adds a room without stays; a room that exists is kept. Costs: 1 get, 2 puts, 1 checkAndPut."""
        return self._rooms.write(RoomOfHotel(hotel, number), lambda stored: stored or Room(hotel, number))

    def book(self, hotel: str, number: str, stay: Stay) -> Room:
        """Books a room for all nights of a stay, or for none; returns the room. The same stay again changes nothing.

        If the booking has other nights of the room, it moves to these. Raises RoomTaken, or UnknownRoom.
        Costs: 1 get, 3 puts, 1 checkAndPut; if it moves, 1 delete more.
        """
        return self._rooms.write(RoomOfHotel(hotel, number), partial(after_book, stay))

    def cancel(self, hotel: str, number: str, booking_id: str) -> Room:
        """Removes a booking, if it is there; returns the room. Costs: 1 get, 2 puts, 1 checkAndPut, 1 delete."""
        check_text("booking_id", booking_id, empty=False)
        return self._rooms.write(RoomOfHotel(hotel, number), partial(after_cancel, booking_id))

    def book_all(self, hotel: str, numbers: Iterable[str], stay: Stay) -> None:
        """Books several rooms; if one is taken, raises its error, and keeps in each room what the booking had there.

        Two rooms are two sources, so this is not decided at once. First each room holds the stay, beside other nights
        of the booking. Once all rooms do, it is confirmed in one after the other, and the other nights go. Meanwhile
        other clients see both, and if the process dies, they stay. The same call again books all rooms, or releases
        what no call has confirmed. If two calls for one booking meet, or it is cancelled meanwhile, some rooms may end
        as one of them says and some as the other: the same call again makes them agree.
        Costs: those of `book` twice for each room; if one is taken, those of `cancel` for the others.
        """
        rooms = [Room(hotel, number) for number in numbers]  # refuses wrong numbers before any room is booked
        try:
            for room in rooms:
                self._rooms.write(room, partial(after_hold, stay))
            for room in rooms:
                self._rooms.write(room, partial(after_book, stay))
        except (RoomTaken, UnknownRoom):
            for room in rooms:
                self._rooms.write(room, partial(after_release, stay))
            raise

    def forget_before(self, hotel: str, number: str, day: int) -> Room:
        """Removes the stays that ended by this day, so that the row does not grow. Costs: those of `cancel`."""
        check_int("day", day, 0, LAST_DAY)
        return self._rooms.write(RoomOfHotel(hotel, number), partial(after_forget, day))

    def store(self, booking: Booking) -> Room:
        """Opens the room of a booking, and books it, as `book` does. Costs: those of `open_room` and `book`."""
        stay = Stay(booking.booking_id, booking.guest_id, booking.from_day, booking.until_day)
        self.writer.derived(Room(booking.hotel, booking.number, (stay,)))  # a wrong key is refused before a room opens
        self.open_room(booking.hotel, booking.number)
        return self.book(booking.hotel, booking.number, stay)

    # ---- questions

    def room(self, hotel: str, number: str) -> Room | None:
        """A room with its stays, or None. Costs: one get."""
        return self._rooms.get(RoomOfHotel(hotel, number))

    def free(self, hotel: str, from_day: int, until_day: int) -> Query[Room]:
        """The rooms of a hotel that are free in all these nights, which another client may book at any time.

        Raises InvalidQuestion if a day is out of range, or the period has no night. Costs: one scan of the hotel's
        rooms, with all their stays.
        """
        check_int("from_day", from_day, 0, LAST_DAY - 1)
        check_int("until_day", until_day, from_day + 1, LAST_DAY)
        return self._rooms.ask(hotel=hotel).then(partial(_free, from_day, until_day))

    def of_guest(self, guest_id: str, from_day: int | None = None) -> Query[StayOfGuest]:
        """A guest's stays that begin on a day or later. It shows no stay that its room does not have, and lacks none.

        Costs: one scan of a page's lines, and one call that gets their rooms.
        """
        return self._rooms.ask(OF_GUEST, guest_id=guest_id, from_day=between(from_day, None))


# ---- decisions


def after_book(stay: Stay, stored: Room | None) -> Room:
    """The room with a stay; with other days instead of those that the booking has there."""
    room = _free_for(stay, stored)
    others = [other for other in room.stays if other.booking_id != stay.booking_id]
    return room.with_stays([*others, stay], [other for other in room.held if other != stay])


def after_hold(stay: Stay, stored: Room | None) -> Room:
    """The room with a stay that is not confirmed, beside those that the booking has there."""
    room = _free_for(stay, stored)
    return room if stay in room.stays else room.with_stays([*room.stays, stay], [*room.held, stay])


def after_release(stay: Stay, stored: Room | None) -> Room | None:
    """The room without a stay, unless it is confirmed."""
    if stored is None or stay not in stored.held:
        return stored
    return stored.with_stays([other for other in stored.stays if other != stay], stored.held)


def after_cancel(booking_id: str, stored: Room | None) -> Room:
    """The room without the stays of a booking."""
    room = _known(stored)
    return room.with_stays([stay for stay in room.stays if stay.booking_id != booking_id], room.held)


def after_forget(day: int, stored: Room | None) -> Room:
    """The room without the stays that ended by a day."""
    room = _known(stored)
    return room.with_stays([stay for stay in room.stays if stay.until_day > day], room.held)


def _free_for(stay: Stay, stored: Room | None) -> Room:
    """The room, if no other booking has one of these nights."""
    room = _known(stored)
    for other in room.stays:
        if other.booking_id != stay.booking_id and other.overlaps(stay.from_day, stay.until_day):
            raise RoomTaken(
                f"Stay.from_day: room {shown(room.number)} of {shown(room.hotel)} is taken from day {other.from_day}"
                f" until {other.until_day} (got {stay.from_day} until {stay.until_day})"
            )
    return room


def _known(stored: Room | None) -> Room:
    if stored is None:
        raise UnknownRoom("Room.number: the hotel must have opened the room")
    return stored


def _free(from_day: int, until_day: int, rooms: list[Room]) -> list[Room | None]:
    return [None if any(stay.overlaps(from_day, until_day) for stay in room.stays) else room for room in rooms]
