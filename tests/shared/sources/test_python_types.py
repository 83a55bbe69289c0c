"""A source with times, days, Enums, UUIDs and Decimals in keys and columns: written, listed, moved, asked, verified."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from uuid import UUID

import attrs
import pytest

from shared.keys import Bool, Code, Date, DateTime, Descending, KeyLayout, Salt, Uuid, between, part, row_key
from shared.sources import Source
from shared.tables import create_tables


class Status(Enum):
    """What becomes of a parking."""

    OPEN = "open"
    CLOSED = "closed"


@attrs.frozen
class Fee:
    """What a parking costs."""

    amount: Decimal
    at: datetime


@attrs.frozen
class Parking:
    """A car in a garage."""

    id: UUID
    began: datetime
    status: Status = Status.OPEN
    day: date | None = None
    fees: tuple[Fee, ...] = ()
    is_paid: bool = False


@row_key
class ById:
    """One parking."""

    id: UUID = part(Uuid, "which")


@row_key
class ByDay:
    """One parking that ended on a day."""

    day: date = part(Date, "the day of its end")
    began: datetime = part(Descending(DateTime), "when, newest first")
    id: UUID = part(Uuid, "which")


@row_key
class ByStatus:
    """One parking with a status."""

    status: Status = part(Code({Status.OPEN: 1, Status.CLOSED: 2}), "whether it goes on")
    is_paid: bool = part(Bool, "whether it is paid")
    id: UUID = part(Uuid, "which")


@attrs.frozen
class DayLine:
    """A parking as the list of a day shows it."""

    day: date
    began: datetime
    id: UUID
    fees: tuple[Fee, ...]


PARKINGS = Source(
    "parkings",
    KeyLayout(ById, Salt(of="id", buckets=4)),
    Parking,
    {"began": "p:b", "status": "p:s", "day": "p:d", "fees": "p:f", "is_paid": "p:p"},
)
BY_DAY = PARKINGS.list("parkings_by_day", ByDay, DayLine)  # none before its end
BY_STATUS = PARKINGS.moving_list("parkings_by_status", ByStatus)

HERE = timezone(timedelta(hours=2))
BEGAN = datetime(2026, 1, 12, 9, tzinfo=HERE)
FIRST, SECOND = (Parking(UUID(int=number), BEGAN + timedelta(minutes=number)) for number in (1, 2))


def closed(parking: Parking) -> Parking:
    fee = Fee(Decimal("1.50"), parking.began + timedelta(hours=1))
    return attrs.evolve(parking, status=Status.CLOSED, day=fee.at.date(), fees=(fee,))


@pytest.fixture
def parkings(engine):
    with engine.store() as connection:
        create_tables(connection, PARKINGS.tables)
        bound = PARKINGS.on(connection)
        for parking in (FIRST, SECOND):
            bound.write(parking, lambda _stored, parking=parking: parking)
        yield bound


def test_a_record_comes_back_and_is_not_written_again_if_nothing_changes(parkings):
    stored = parkings.get(FIRST)
    assert stored == FIRST
    assert stored.began.tzinfo is UTC
    revision = parkings.writer.reader.read(PARKINGS.layout.row(FIRST)).revision
    parkings.write(FIRST, lambda _stored: FIRST)  # the same instant in another zone
    assert parkings.writer.reader.read(PARKINGS.layout.row(FIRST)).revision == revision


def test_lists_follow_what_changes(parkings):
    assert [*parkings.ask_all(BY_DAY)] == []
    assert [*parkings.ask(BY_STATUS, status=Status.OPEN)] == [FIRST, SECOND]
    parkings.write(FIRST, closed)
    assert [*parkings.ask(BY_STATUS, status=Status.OPEN)] == [SECOND]
    assert [*parkings.ask(BY_STATUS, status=Status.CLOSED, is_paid=False)] == [closed(FIRST)]
    parkings.write(SECOND, closed)
    day = date(2026, 1, 12)
    assert [line.id for line in parkings.ask(BY_DAY, day=day)] == [SECOND.id, FIRST.id]
    (line,) = parkings.ask(BY_DAY, day=day, began=between(None, SECOND.began.astimezone(UTC)))
    assert line == DayLine(day, FIRST.began, FIRST.id, closed(FIRST).fees)
    assert [*parkings.upkeep.verify()] == []


def test_a_page_goes_on_and_the_client_compares_values(parkings):
    page = parkings.ask(BY_STATUS, status=Status.OPEN).page(1)
    assert page.records == [FIRST]
    assert parkings.ask(BY_STATUS, status=Status.OPEN).page(1, page.cursor).records == [SECOND]
    assert [*parkings.ask_all().where(began=between(SECOND.began))] == [SECOND]
    assert parkings.ask_all().where(status=Status.CLOSED).first() is None
