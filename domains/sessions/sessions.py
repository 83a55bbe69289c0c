"""Parking sessions in one module: a car has at most one open session, after any crash, with any number of writers.

Charging sessions and calls can be stored in the same way. A car's sessions are numbered. Number n + 1 is created only
in a row that is absent, after n was read as ended, and an ended session never opens again: so only the last one can be
open. The lists of a garage are derived from the sessions. Times are milliseconds since 1970 UTC.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import attrs

from shared.keys import Descending, EscapedText, Int64, TrailingText, UInt32, between, part, row_key
from shared.queries import Query
from shared.records import LAST_MS, InvalidRecord, check_int, integer, text
from shared.sources import DELETED, Source

if TYPE_CHECKING:
    import happybase

LAST_NUMBER = 2**32 - 1
LAST_PRICE = 2**63 - 1


class CarIsParked(ValueError):
    """The car's last session has not ended, or ended after the new one began."""


class NumberTaken(ValueError):
    """The number is not the next one of the car."""


class AlreadySettled(ValueError):
    """The session has ended at another time, or has another price."""


class UnknownSession(ValueError):
    """The car has no such session."""


# ---- records


@attrs.frozen
class Session:
    """A car in a garage, from its arrival on."""

    car: str = attrs.field(validator=text())
    """An id of the car; of your own, if plates must not be stored for long."""
    number: int = attrs.field(validator=integer(1, LAST_NUMBER))
    garage: str = attrs.field(validator=text())
    from_ms: int = attrs.field(validator=integer(0, LAST_MS))
    until_ms: int | None = attrs.field(default=None, validator=attrs.validators.optional(integer(0, LAST_MS)))
    """When the car left; None while the session is open."""
    price: int | None = attrs.field(default=None, validator=attrs.validators.optional(integer(0, LAST_PRICE)))
    """What it cost, in cents; None until it is settled."""

    def __attrs_post_init__(self) -> None:
        if self.until_ms is None and self.price is not None:
            raise InvalidRecord(f"Session.price: must be None while the session is open (got {self.price})")
        if self.until_ms is not None and self.until_ms < self.from_ms:
            raise InvalidRecord(f"Session.until_ms: must not be before from_ms, {self.from_ms} (got {self.until_ms})")

    @property
    def is_open(self) -> bool:
        """Whether the car has not left yet."""
        return self.until_ms is None


@attrs.frozen
class EndedSession:
    """One line of a garage's ended sessions; its price is None until the session is settled and the line put again."""

    garage: str
    until_ms: int
    car: str
    number: int
    from_ms: int
    price: int | None


# ---- keys


@row_key
class SessionOfCar:
    """A session: the source.

    Order:  by car, then by number, the last one first.
    Serves: a session; a car's last one; all of a car.
    Costs:  one get; one scan of two rows; one scan.
    Fixed:  the numbers: the next one is free only if the last one has ended, so the last one must stay.
    Source: none
    """

    car: str = part(EscapedText, "an id of the car; any text")
    number: int = part(Descending(UInt32), "1 for the first session of the car, at most 4,294,967,295")


@row_key
class OpenInGarage:
    """One line of a garage's open sessions: it goes when the session ends.

    Order:  by garage, then by arrival, the oldest first.
    Serves: the cars that are in a garage now.
    Costs:  one scan of a page's lines, and one call that gets their sessions.
    Fixed:  the widths.
    Source: none
    """

    garage: str = part(EscapedText, "the garage; any text")
    from_ms: int = part(Int64, "the arrival, milliseconds since 1970 UTC")
    car: str = part(EscapedText, "the car")
    number: int = part(UInt32, "the number of the session")


@row_key
class EndedInGarage:
    """One line of a garage's ended sessions, which holds what a bill needs.

    Order:  by garage, then by the end, the oldest first.
    Serves: the sessions of a garage that ended in a period.
    Costs:  one scan.
    Fixed:  the widths. A session that has ended keeps its end, so a line never moves.
    Source: none
    """

    garage: str = part(EscapedText, "the garage; any text")
    until_ms: int = part(Int64, "the end, milliseconds since 1970 UTC")
    number: int = part(UInt32, "the number of the session")
    car: str = part(TrailingText, "the car")


SESSIONS = Source(
    "sessions", SessionOfCar, Session, {"garage": "s:g", "from_ms": "s:f", "until_ms": "s:u", "price": "s:p"}
)
OPEN = SESSIONS.moving_list("sessions_open", OpenInGarage, when=lambda session: session.is_open)
ENDED = SESSIONS.list("sessions_ended", EndedInGarage, EndedSession)
"""An open session has no line here: its `until_ms`, a part of the key, is None."""
TABLES = SESSIONS.tables


# ---- the repository


class Sessions:
    """Starts, ends and settles sessions. A car has at most one open session, and each ends and is settled once.

    If a writer dies, the same call again or `upkeep.recover` completes the write. Threads may share
    it on a connection of `connect`; on happybase's own, one thread at a time may use it.
    """

    def __init__(self, connection: "happybase.Connection", sessions: Source[Session] = SESSIONS) -> None:
        self._sessions = sessions.on(connection)
        self.upkeep = self._sessions.upkeep

    # ---- writes

    def start(self, car: str, garage: str, from_ms: int) -> Session:
        """Opens the next session of a car. The same call again returns the same session, also after it has ended.

        Raises CarIsParked if the last one is open, or ended after `from_ms`. Costs: 2 scans of two rows, 1 get, 3 puts,
        1 checkAndPut; more if another client starts a session of the car meanwhile.
        """
        while True:
            last = self.last(car)
            if last is not None and (last.garage, last.from_ms) == (garage, from_ms):
                return self.store(last)
            try:
                return self.store(Session(car, 1 if last is None else last.number + 1, garage, from_ms))
            except NumberTaken:  # another client was faster
                continue

    def end(self, car: str, number: int, until_ms: int) -> Session:
        """Ends a session. The same call again changes nothing.

        Raises AlreadySettled if it has ended at another time, InvalidRecord if it began later, or UnknownSession.
        Costs: 1 get, 3 puts, 1 checkAndPut, 1 delete.
        """
        check_int("until_ms", until_ms, 0, LAST_MS)
        return self._sessions.write(SessionOfCar(car, number), partial(after_end, until_ms))

    def settle(self, car: str, number: int, price: int) -> Session:
        """Gives an ended session its price, in cents. The same call again changes nothing.

        Raises AlreadySettled if it has another price, CarIsParked if it is open, or UnknownSession. Costs: 1 get, 3
        puts, 1 checkAndPut.
        """
        check_int("price", price, 0, LAST_PRICE)
        return self._sessions.write(SessionOfCar(car, number), partial(after_settle, price))

    def store(self, session: Session) -> Session:
        """Stores a session with its number, as another system knows it: a new one, or an end or a price of a known one.

        Store a car's sessions in the order of their numbers. Raises NumberTaken, CarIsParked or AlreadySettled. Costs:
        1 scan of two rows if it is new; 1 get, 3 puts, 1 checkAndPut; 1 delete if it ends.
        """
        return self._sessions.write(session, partial(after_store, session, partial(self.last, session.car)))

    def restore(self, session: Session) -> Session:
        """Stores a session of another store, after the earlier sessions of its car, of which some may be missing.

        Let no other client start sessions of the car meanwhile: one with a missing number might be open, too. Otherwise
        as `store`.
        """
        last = partial(self.last, session.car)
        return self._sessions.write(session, partial(after_store, session, last, may_skip=True))

    def remove_ended(self, garage: str, before_ms: int) -> int:
        """Removes a garage's settled sessions that ended before a time, except each car's last one; returns how many.

        Costs: one scan of their lines; for each one scan of two rows, 1 get, 2 puts, 1 checkAndPut and 1 delete.
        """
        check_int("before_ms", before_ms, 0, LAST_MS)
        removed = 0
        for line in self.ended_in(garage, until_ms=before_ms):
            last = self.last(line.car)
            if last is not None and last.number > line.number and line.price is not None:
                self._sessions.write(line, lambda _stored: DELETED)
                removed += 1
        return removed

    # ---- questions

    def session(self, car: str, number: int) -> Session | None:
        """A session, or None. Costs: one get."""
        return self._sessions.get(SessionOfCar(car, number))

    def last(self, car: str) -> Session | None:
        """A car's last session, or None; it is the only one that may be open. Costs: one scan of two rows."""
        return self._sessions.ask(car=car).first()

    def of_car(self, car: str) -> Query[Session]:
        """A car's sessions, the last one first. Costs: one scan of a page's rows and one more."""
        return self._sessions.ask(car=car)

    def open_in(self, garage: str) -> Query[Session]:
        """A garage's open sessions, the oldest first: none is missing, and none has ended.

        Costs: one scan of a page's lines, and one call that gets their sessions.
        """
        return self._sessions.ask(OPEN, garage=garage)

    def ended_in(self, garage: str, since_ms: int | None = None, until_ms: int | None = None) -> Query[EndedSession]:
        """A garage's sessions that ended in a period, the oldest first; one that has just ended may be missing.

        Costs: one scan of a page's lines and one more.
        """
        return self._sessions.ask(ENDED, garage=garage, until_ms=between(since_ms, until_ms))


# ---- decisions


def after_store(
    session: Session, last: Callable[[], Session | None], stored: Session | None, may_skip: bool = False
) -> Session:
    """The session as it is known now; a new one only after the last one of the car, which is read again here.

    So a client that paused after it had read the number does not create it once more after it was removed.
    """
    if stored is None:
        check_is_next(session, last(), may_skip)
        return session
    if (session.garage, session.from_ms) != (stored.garage, stored.from_ms):
        raise NumberTaken(f"Session.number: is that of another session (got {session.number})")
    if session.until_ms is not None:
        stored = after_end(session.until_ms, stored)
    return stored if session.price is None else after_settle(session.price, stored)


def check_is_next(session: Session, last: Session | None, may_skip: bool) -> None:
    """Raises NumberTaken or CarIsParked unless the session may follow the last one of its car."""
    following = 1 if last is None else last.number + 1
    if session.number < following or (session.number > following and not may_skip):
        raise NumberTaken(f"Session.number: must be {following}, the next one of the car (got {session.number})")
    if last is not None and (last.until_ms is None or session.from_ms < last.until_ms):
        ends = "has not ended" if last.until_ms is None else f"ended at {last.until_ms}"
        raise CarIsParked(f"Session.from_ms: session {last.number} of the car {ends} (got {session.from_ms})")


def after_end(until_ms: int, stored: Session | None) -> Session:
    """The session with its end, once and for all."""
    session = _known(stored)
    if session.until_ms not in (None, until_ms):
        raise AlreadySettled(f"Session.until_ms: the session ended at {session.until_ms} (got {until_ms})")
    return attrs.evolve(session, until_ms=until_ms)


def after_settle(price: int, stored: Session | None) -> Session:
    """The session with its price, once and for all."""
    session = _known(stored)
    if session.until_ms is None:
        raise CarIsParked(f"Session.price: session {session.number} of the car has not ended (got {price})")
    if session.price not in (None, price):
        raise AlreadySettled(f"Session.price: the session has cost {session.price} (got {price})")
    return attrs.evolve(session, price=price)


def _known(stored: Session | None) -> Session:
    if stored is None:
        raise UnknownSession("Session.number: must be a session of the car")
    return stored
