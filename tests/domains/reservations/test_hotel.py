"""The hotel of the page on reservations: its decisions, and its writes stopped at every call, on both stores."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from operator import attrgetter

import attrs
import msgpack
import pytest

from domains.reservations import TABLES, Hotel, Room, RoomTaken, Stay, StayOfGuest, UnknownRoom
from domains.reservations.hotel import STAYS
from shared.testing import CrashContract, WatchedConnection, WriterDied, dying_at

from .stopped_writes import ANN, BOB, CAT, STOPPED, two_rooms


@pytest.fixture
def hotel(engine):
    with engine.store(*TABLES) as connection:
        hotel = Hotel(connection)
        for number in ("7", "8"):
            hotel.open_room("inn", number)
        yield hotel


# ---- what decides


class TestCrashes(CrashContract):
    stopped = STOPPED
    visits_all = True


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


def test_two_rooms_are_never_decided_at_once_but_the_same_call_again_books_both_or_none(engine):
    after_deaths = set()
    for call in range(2, 9):
        with engine.store(*TABLES) as connection:
            two_rooms(Opened(connection))
            with suppress(WriterDied):
                Hotel(WatchedConnection(connection, dying_at(call))).book_all("inn", ["7", "8"], ANN)
            hotel = Hotel(connection)
            hotel.upkeep.recover(older_than_ms=0)
            after_deaths.add(tuple(bool(hotel.room("inn", number).stays) for number in ("7", "8")))
            hotel.book_all("inn", ["7", "8"], ANN)
            assert [line.number for line in hotel.of_guest("ann")] == ["7", "8"]
    assert (True, False) in after_deaths  # recovery completes a write of one room, and knows nothing of the other


@attrs.frozen
class Opened:
    connection: object

    def repository(self):
        return Hotel(self.connection)


def test_a_second_room_that_is_taken_frees_the_first_one(hotel):
    hotel.book("inn", "8", BOB)
    with pytest.raises(
        RoomTaken, match=r"^Stay.from_day: room '8' of 'inn' is taken from day 12 until 14 \(got 10 until 13"
    ):
        hotel.book_all("inn", ["7", "8"], ANN)
    assert hotel.room("inn", "7") == Room("inn", "7")
    assert list(hotel.of_guest("ann")) == []


def test_damaged_stays_are_no_room_without_stays():
    assert STAYS.unpack(STAYS.pack((ANN,))) == (ANN,)
    for damaged in ({}, "", [["b-1", "g-1", 3]], [[]], None):
        with pytest.raises((TypeError, ValueError)):
            STAYS.unpack(msgpack.packb(damaged))


def test_what_one_has_read_decides_nothing(hotel):
    assert [room.number for room in hotel.free("inn", 10, 13)] == ["7", "8"]
    hotel.book("inn", "7", BOB)  # another client, meanwhile
    with pytest.raises(RoomTaken):
        hotel.book("inn", "7", ANN)


# ---- the rest


def test_a_stay_ends_on_the_day_on_which_the_next_one_begins(hotel):
    hotel.book("inn", "7", CAT)
    assert hotel.book("inn", "7", ANN).stays == (ANN, CAT)
    assert [room.number for room in hotel.free("inn", 12, 13)] == ["8"]
    assert [line.from_day for line in hotel.of_guest("ann", from_day=11)] == [13]
    assert hotel.forget_before("inn", "7", 13).stays == (CAT,)
    assert list(hotel.of_guest("ann")) == [StayOfGuest("ann", 13, "inn", "7", 15, "b-3")]


def test_wrong_bookings_are_refused(hotel):
    with pytest.raises(UnknownRoom):
        hotel.book("inn", "9", ANN)
    with pytest.raises(ValueError, match=r"^Stay.until_day: must be after from_day, 5 \(got 5\)"):
        Stay("b", "g", 5, 5)
