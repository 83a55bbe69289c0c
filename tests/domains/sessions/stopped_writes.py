"""The writes of sessions over several rows, and what their readers see, for the crash tests."""

from collections.abc import Iterator
from operator import attrgetter, methodcaller

from domains.sessions import AlreadySettled, CarIsParked, NumberTaken, Session, Sessions, UnknownSession
from domains.sessions.design import DESIGN
from shared.testing import StoppedWrites, Store, View, Write

GARAGES = ("north", "south")

start, start_next, start_elsewhere = (
    methodcaller("start", "c-1", garage, at_ms)
    for garage, at_ms in (("north", 1_000), ("north", 3_000), ("south", 3_500))
)
end, end_later = (methodcaller("end", "c-1", 1, until_ms) for until_ms in (2_000, 2_500))
settle, settle_other = (methodcaller("settle", "c-1", 1, price) for price in (250, 300))


def remove(sessions: Sessions) -> None:
    """Returns nothing: the number of removed sessions counts one again whose line remained."""
    sessions.remove_ended("north", 5_000)


# ---- what is stored before


def other_car(store: Store) -> None:
    store.repository().start("c-12", "north", 900)


def parked(store: Store) -> None:
    other_car(store)
    start(store.repository())


def ended(store: Store) -> None:
    parked(store)
    end(store.repository())


def settled(store: Store) -> None:
    ended(store)
    settle(store.repository())


def two(store: Store) -> None:
    settled(store)
    start_next(store.repository())


RIVALS = {"start": start, "start next": start_next, "start elsewhere": start_elsewhere, "end": end}
ENDS = {"end": end, "end later": end_later, "settle": settle, "start next": start_next}

WRITES = (
    Write("start", start, other_car, RIVALS, calls=5),
    Write("start the next", start_next, ended, RIVALS, calls=5),
    Write("start again", start, parked, RIVALS, calls=0),
    Write("end", end, parked, ENDS, calls=6),
    Write("settle", settle, ended, {**ENDS, "settle otherwise": settle_other}, calls=5),
    Write("remove", remove, two, {"start": start, "settle": settle, "remove": remove}, calls=5, removes_lines=True),
)


# ---- what readers see

number_of = attrgetter("car", "number")


def last(sessions: Sessions) -> Iterator[Session]:
    return filter(None, [sessions.last("c-1")])


def open_ones(sessions: Sessions) -> list[Session]:
    return [session for garage in GARAGES for session in sessions.open_in(garage)]


VIEWS = (
    View("last", last, number_of),
    View("of the car", lambda sessions: sessions.of_car("c-1"), number_of),
    View("open", open_ones, number_of),
    View("open car", open_ones, attrgetter("car")),
    View("ended", lambda sessions: sessions.ended_in("north"), number_of, lags=True),
)

STOPPED = StoppedWrites(
    WRITES,
    VIEWS,
    variants=DESIGN.variants,
    refusals=(AlreadySettled, CarIsParked, NumberTaken, UnknownSession),
    often=(start, end, settle, start_next, remove),
    often_every=4,
)
