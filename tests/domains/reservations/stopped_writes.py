"""The hotel's writes over several rows, and what its readers see, for the crash tests."""

from operator import attrgetter, methodcaller

import attrs

from domains.reservations import RoomTaken, Stay, UnknownRoom
from domains.reservations.design import DESIGN
from shared.testing import StoppedWrites, Store, View, Write

ANN = Stay("b-1", "ann", 10, 13)
BOB = Stay("b-2", "bob", 12, 14)
"""A stay that shares a night with that of Ann."""
CAT = Stay("b-3", "ann", 13, 15)
"""A stay of the same guest, from the day on which the first one ends."""


book, book_rival, book_next, move = (
    methodcaller("book", "inn", "7", stay) for stay in (ANN, BOB, CAT, attrs.evolve(ANN, from_day=8, until_day=11))
)
cancel = methodcaller("cancel", "inn", "7", "b-1")


def two_rooms(store: Store) -> None:
    for number in ("7", "8"):
        store.repository().open_room("inn", number)


def one_stay(store: Store) -> None:
    two_rooms(store)
    book(store.repository())


RIVALS = {"book": book, "book the same night": book_rival, "book the next nights": book_next, "cancel": cancel}
WRITES = (
    Write("book", book, two_rooms, RIVALS, calls=5),
    Write("book again", book, one_stay, RIVALS, calls=0),
    Write("move", move, one_stay, RIVALS, calls=6),
    Write("cancel", cancel, one_stay, RIVALS, calls=5),
)
rows_of = attrgetter("hotel", "number")
VIEWS = (
    View("room", lambda hotel: filter(None, [hotel.room("inn", "7")]), rows_of),
    View("of guests", lambda hotel: [*hotel.of_guest("ann"), *hotel.of_guest("bob")]),
    View("free", lambda hotel: hotel.free("inn", 10, 12), rows_of),
)


OFTEN = (methodcaller("open_room", "inn", "7"), book, book_next, move, cancel)
STOPPED = StoppedWrites(WRITES, VIEWS, DESIGN.variants, (RoomTaken, UnknownRoom), often=OFTEN, often_every=4)
