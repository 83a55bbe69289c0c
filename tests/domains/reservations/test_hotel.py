"""The hotel of the page on reservations: its decisions, and its writes stopped at every call, on both stores."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count, cycle
from operator import attrgetter

import attrs
import msgpack
import pytest

from domains.reservations import TABLES, Hotel, RoomTaken, Stay, StayOfGuest, UnknownRoom
from domains.reservations.hotel import LAST_DAY, ROOMS, STAYS, RoomOfHotel
from shared.intents import IntentWriter
from shared.intents.source_cells import SourceCells
from shared.keys import InvalidQuestion
from shared.tables import Column, InvalidRecord, RecordCells
from shared.testing import WatchedConnection, WriterDied, dying_at, paused_at
from shared.testing.watched_connection import undisturbed

from .stopped_writes import ANN, BOB, CAT


@pytest.fixture
def hotel(engine):
    with engine.store(*TABLES) as connection:
        hotel = Hotel(connection)
        for number in ("7", "8"):
            hotel.open_room("inn", number)
        yield hotel


# ---- what decides


def test_of_many_clients_at_once_each_night_has_one(engine):
    stays = [Stay(f"b-{number}", f"g-{number}", number % 5, number % 5 + 2) for number in range(20)]
    with engine.store(*TABLES) as connection:
        Hotel(connection).open_room("inn", "7")

        def try_to_book(stay):
            with suppress(RoomTaken):
                return Hotel(connection).book("inn", "7", stay) and stay

        with ThreadPoolExecutor(4) as threads:
            booked = [*filter(None, threads.map(try_to_book, stays))]
        room = Hotel(connection).room("inn", "7")
    assert sorted(room.stays, key=attrgetter("booking_id")) == sorted(booked, key=attrgetter("booking_id"))
    nights = [night for stay in room.stays for night in range(stay.from_day, stay.until_day)]
    assert len(nights) == len({*nights}) > 2


# ---- what does not


EARLIER = {
    "none": None,
    "other nights": attrs.evolve(ANN, from_day=3, until_day=9),
    "longer": attrs.evolve(ANN, from_day=8, until_day=20),
    "shorter": attrs.evolve(ANN, from_day=11, until_day=12),
    "the same nights": ANN,
}
"""The nights of room 7 that a booking has before `book_all` moves it."""
each_earlier = pytest.mark.parametrize("earlier", EARLIER.values(), ids=EARLIER)
other_nights_or_further = pytest.mark.parametrize(
    "earlier",
    [
        pytest.param(stay, marks=[] if name == "other nights" else [pytest.mark.further], id=name)
        for name, stay in EARLIER.items()
    ],
)
CALLS = range(2, 24)
"""The calls of `book_all` for two rooms that change the store, without the first one, which compares the clocks."""


@attrs.frozen
class TwoRooms:
    """The rooms 7 and 8 of an inn; a booking may have nights of room 7."""

    connection: object
    inn: str
    before: Stay | None

    @property
    def hotel(self):
        return Hotel(self.connection)

    def book(self, script=undisturbed, stay=ANN, numbers=("7", "8")):
        Hotel(WatchedConnection(self.connection, script)).book_all(self.inn, numbers, stay)

    def take_the_second(self):
        with suppress(RoomTaken):
            self.hotel.book(self.inn, "8", BOB)

    def stays(self):
        return [[*self.hotel.room(self.inn, number).stays] for number in ("7", "8")]

    def check(self, *stays):
        """Asserts that the rooms have these stays, and hold none, after recovery."""
        self.hotel.upkeep.recover(older_than_ms=0)
        assert [*self.hotel.upkeep.verify()] == []
        assert self.stays() == [*map(list, stays)]
        assert [self.hotel.room(self.inn, number).held for number in ("7", "8")] == [(), ()]

    def check_as_before(self):
        """Asserts that the first room is as it was, and that another guest has the second one."""
        self.check([self.before] if self.before else [], [BOB])


@pytest.fixture
def inns(engine, earlier):
    """Inns of one store, each with two rooms."""
    with engine.store(*TABLES) as connection:

        def opened():
            for number in count():
                rooms = TwoRooms(connection, f"inn-{number}", earlier)
                for number in ("7", "8"):
                    rooms.hotel.open_room(rooms.inn, number)
                if earlier:
                    rooms.hotel.book(rooms.inn, "7", earlier)
                yield rooms

        yield opened()


@each_earlier
def test_a_second_room_that_is_taken_leaves_the_first_one_as_it_was(inns, earlier):
    rooms = next(inns)
    rooms.take_the_second()
    with pytest.raises(
        RoomTaken, match=r"^Stay.from_day: room '8' of 'inn-0' is taken from day 12 until 14 \(got 10 un"
    ):
        rooms.book()
    rooms.check_as_before()
    assert [line.from_day for line in rooms.hotel.of_guest("ann")] == ([earlier.from_day] if earlier else [])
    with pytest.raises(UnknownRoom):
        rooms.book(numbers=["7", "9"])
    with pytest.raises(ValueError, match=r"^Room.number: must be text, not empty \(got 8\)"):
        rooms.book(numbers=["7", 8])
    rooms.check_as_before()


@each_earlier
def test_a_booking_of_two_rooms_moves_to_its_new_nights(inns):
    rooms = next(inns)
    for _ in range(2):  # the same call again changes nothing
        rooms.book(numbers=iter(["7", "8"]))
        rooms.check([ANN], [ANN])


@other_nights_or_further
def test_two_rooms_are_never_decided_at_once_but_the_same_call_again_books_both_or_none(inns, earlier):
    after_deaths = set()
    for call, is_taken, rooms in zip(sorted([*CALLS, *CALLS]), cycle([False, True]), inns, strict=False):
        with suppress(WriterDied):
            rooms.book(dying_at(call))
        rooms.hotel.upkeep.recover(older_than_ms=0)
        first, second = rooms.stays()
        after_deaths.add((ANN in first, ANN in second))
        assert earlier is None or earlier in first or (ANN in first and ANN in second)
        if is_taken and not second:
            rooms.take_the_second()
            with pytest.raises(RoomTaken):
                rooms.book()
            rooms.check_as_before()
        else:
            rooms.book()
            rooms.check([ANN], [ANN])
    assert (True, False) in after_deaths  # recovery completes a write of one room, and knows nothing of the other


@other_nights_or_further
def test_a_room_that_is_taken_meanwhile_leaves_the_others_as_they_were(inns):
    outcomes = set()
    for call, rooms in zip(CALLS, inns, strict=False):
        try:
            rooms.book(paused_at(call, rooms.take_the_second))
            rooms.check([ANN], [ANN])
            outcomes.add("booked")
        except RoomTaken:
            rooms.check_as_before()
            outcomes.add("taken")
    assert outcomes == {"booked", "taken"}


def cancel_both(rooms):
    for number in ("7", "8"):
        rooms.hotel.cancel(rooms.inn, number, ANN.booking_id)


def fail(rooms):
    with suppress(UnknownRoom):
        rooms.book(numbers=["7", "8", "9"])


MEANWHILE = {
    "the same": lambda rooms: rooms.book(numbers=["8", "7"]),
    "other nights": lambda rooms: rooms.book(stay=attrs.evolve(ANN, from_day=30, until_day=33)),
    "cancel": cancel_both,
    "one more room, which fails": fail,
}


@pytest.mark.parametrize(
    "meanwhile",
    [
        pytest.param(call, marks=[pytest.mark.further] * (name in ("the same", "other nights")), id=name)
        for name, call in MEANWHILE.items()
    ],
)
@pytest.mark.parametrize("earlier", [EARLIER["other nights"]], ids=["other nights"])
def test_the_same_call_again_settles_what_met_another_call_for_the_booking(inns, meanwhile):
    for call, rooms in zip(CALLS, inns, strict=False):
        rooms.book(paused_at(call, partial(meanwhile, rooms)))
        rooms.book()
        rooms.check([ANN], [ANN])


@attrs.frozen
class EarlierRoom:
    """A room as releases read it that held no stays."""

    hotel: str
    number: str
    stays: tuple[Stay, ...] = ()


@pytest.mark.parametrize("earlier", [EARLIER["other nights"]], ids=["other nights"])
def test_an_earlier_release_passes_over_what_is_held(inns, earlier):
    rooms = next(inns)
    with suppress(WriterDied):
        rooms.book(dying_at(CALLS[4]))
    cells = SourceCells(RecordCells(EarlierRoom, {"stays": Column("r:s", STAYS)}), "r:room")
    layout = attrs.evolve(ROOMS.layout, cells=cells)
    of_earlier = IntentWriter(rooms.connection, layout, ROOMS.intents, [], lambda _room: ())
    key = RoomOfHotel(rooms.inn, "7")
    assert of_earlier.reader.read(layout.row(key)).record == EarlierRoom(rooms.inn, "7", (earlier, ANN))
    of_earlier.write(key, lambda room: attrs.evolve(room, stays=(*room.stays, CAT)))
    rooms.take_the_second()
    with pytest.raises(RoomTaken):
        rooms.book()
    assert rooms.stays() == [[earlier, CAT], [BOB]]


def test_damaged_stays_are_no_room_without_stays():
    assert STAYS.unpack(STAYS.pack((ANN,))) == (ANN,)
    for damaged in ({}, "", [["b-1", "g-1", 3]], [[]], None):
        with pytest.raises((TypeError, ValueError)):
            STAYS.unpack(msgpack.packb(damaged))


# ---- the rest


def test_a_stay_ends_on_the_day_on_which_the_next_one_begins(hotel):
    hotel.book("inn", "7", CAT)
    assert hotel.book("inn", "7", ANN).stays == hotel.open_room("inn", "7").stays == (ANN, CAT)
    assert [room.number for room in hotel.free("inn", 12, 13)] == ["8"]
    assert [line.from_day for line in hotel.of_guest("ann", from_day=11)] == [13]
    assert hotel.forget_before("inn", "7", 13).stays == (CAT,)
    assert list(hotel.of_guest("ann")) == [StayOfGuest("ann", 13, "inn", "7", 15, "b-3")]


def test_wrong_bookings_are_refused(hotel):
    with pytest.raises(UnknownRoom):
        hotel.book("inn", "9", ANN)
    with pytest.raises(InvalidRecord, match=r"^Stay.until_day: must be after from_day 5 \(got 5\)"):
        Stay("b", "g", 5, 5)
    for booking_id in (None, 5, ""):
        with pytest.raises(InvalidQuestion, match=r"^booking_id: must be text, not empty"):
            hotel.cancel("inn", "7", booking_id)


def test_wrong_days_are_refused_as_keys_refuse_them(hotel):
    for day in (-1, True, 5.5, None, "5", LAST_DAY + 1):
        wanted = re.escape(f"_day: must be 0..{LAST_DAY - 1} (got {day!r})")
        with pytest.raises(InvalidQuestion, match=f"^from{wanted}"):
            hotel.free("inn", day, 9)
        with pytest.raises(InvalidQuestion, match=r"^until_day: must be 1\.\."):
            hotel.free("inn", 0, day)
        with pytest.raises(InvalidQuestion, match=r"^day: must be 0\.\."):
            hotel.forget_before("inn", "7", day)
    for until_day in (3, 9):
        with pytest.raises(InvalidQuestion, match=rf"^until_day: must be 10..{LAST_DAY} \(got {until_day}\)"):
            hotel.free("inn", 9, until_day)
    assert [room.number for room in hotel.free("inn", 0, LAST_DAY)] == ["7", "8"]
