"""Twelve bad and twelve good layouts that the author of the rules did not know: one bad one was missed at first."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from random import Random
from uuid import UUID

import attrs

from shared.keys import (
    Code,
    Date,
    DateTime,
    DecimalText,
    Descending,
    EscapedText,
    FixedText,
    HashPrefix,
    KeyLayout,
    Modulo,
    Prefixed,
    ReversedDigits,
    Salt,
    Splits,
    TrailingText,
    UInt16,
    UInt32,
    UInt64,
    Uuid,
    any_of,
    between,
    part,
    row_key,
    split_points,
    starting_with,
)
from shared.sources import Table
from shared.tables import Family, ItemCells

from .judged import (
    DAY_S,
    START_S,
    Judged,
    asks,
    asks_all,
    asks_copy,
    asks_newest,
    bad,
    good,
    moments,
    names,
)

START = datetime.fromtimestamp(START_S, UTC)
YEAR_S = 365 * DAY_S


def at(time_s: float) -> datetime:
    """The moment of seconds since 1970."""
    return START + timedelta(milliseconds=round((time_s - START_S) * 1000))


def minutes(count: float) -> datetime:
    """The moment so many minutes after the start of the samples."""
    return START + timedelta(minutes=count)


def uuid7(time_s: float, rng: Random) -> UUID:
    """A UUID of version 7 (RFC 9562): 48 bits of milliseconds, then random bits."""
    number = int(time_s * 1000) << 80 | 7 << 76 | rng.getrandbits(12) << 64 | 2 << 62 | rng.getrandbits(62)
    return UUID(int=number)


# ---- bad: one region takes all writes ------------------------------------------------------------


@attrs.frozen
class EdgeRequest:
    request_id: UUID
    zone: str
    received_us: int
    line: str


@row_key
class RequestById:
    """One request that an edge server answered, of 200,000 a second."""

    request_id: UUID = part(Uuid, "a UUID that the edge server makes")


ZONES = names(Random("zones"), "zone", 14)


def edge_requests(rng: Random) -> Iterator[EdgeRequest]:
    requests = []
    for time_s in moments(rng, 260, 0.004):
        line = f"GET /assets/{rng.getrandbits(40):010x}.js HTTP/2 200 {rng.randrange(200, 90_000)}"
        requests.append(EdgeRequest(uuid7(time_s, rng), rng.choice(ZONES), int(time_s * 10**6), line))
    return iter(sorted(requests, key=lambda request: request.zone))


EDGE_REQUESTS = bad(
    "hot first part",
    "The ids are UUIDs of version 7, which start with their time: all new rows are in one of the 16 regions.",
    (
        Table(
            "edge_requests",
            RequestById,
            EdgeRequest,
            {"zone": "e:z", "received_us": "e:u", "line": "e:l"},
            families={"e": Family(ttl_seconds=7 * DAY_S)},
            splits=split_points(KeyLayout(RequestById), 15),
        ),
    ),
    edge_requests,
    asks("a request whose id a customer reports", request_id=next(edge_requests(Random("edge_requests"))).request_id),
)


@attrs.frozen
class PlaySession:
    day: str
    session: int
    summary: str


@row_key
class SessionOfDay:
    """One round of a player, of some two billion a day."""

    day: str = part(FixedText(8, "\0"), "the day on which it began, such as 20260301")
    session: int = part(UInt64, "random")


def play_sessions(rng: Random) -> Iterator[PlaySession]:
    for number in range(280):
        day = START + timedelta(days=number // 28)
        summary = f'{{"map":"{rng.choice(("dunes", "harbour", "tundra"))}","kills":{rng.randrange(40)},"won":true}}'
        yield PlaySession(f"{day:%Y%m%d}", rng.getrandbits(64), summary)


FIRST_SESSION = next(play_sessions(Random("play_sessions")))
PLAY_SESSIONS = bad(
    "hot first part",
    "The day comes first, so each of a day's two billion rows is put after those of all days before: one busy end.",
    (
        Table(
            "play_sessions",
            SessionOfDay,
            PlaySession,
            {"summary": "s:s"},
            families={"s": Family(ttl_seconds=90 * DAY_S)},
        ),
    ),
    play_sessions,
    asks("a session", day=FIRST_SESSION.day, session=FIRST_SESSION.session),
    asks("the sessions of a day", day="20260304"),
)


@attrs.frozen
class TrainEvent:
    operator: str
    event_no: int
    message: str


@row_key
class EventOfOperator:
    """One message of a train's sensors, of 30,000 a second."""

    operator: str = part(EscapedText, "who runs the train")
    event_no: int = part(Prefixed("ev", DecimalText(12)), "given by the dispatching system, one after the other")


OPERATORS = ("Nordbahn", "Metronom", "Erixx")


def train_events(rng: Random) -> Iterator[TrainEvent]:
    for number in range(320):
        operator = rng.choice(OPERATORS) if number % 27 == 11 else "National Rail Regional"
        door = rng.choice(("open", "shut"))
        message = f"train {rng.randrange(100, 9999)} door {door}, axle 3 has {rng.randrange(15, 80)} C"
        yield TrainEvent(operator, 88_104_200_517 + number, message)


TRAIN_EVENTS = bad(
    "hot first part",
    "One operator has 96 % of the events and their numbers count up, so its last region takes nearly all writes.",
    (
        Table(
            "train_events",
            EventOfOperator,
            TrainEvent,
            {"message": "t:m"},
            families={"t": Family(ttl_seconds=60 * DAY_S)},
        ),
    ),
    train_events,
    asks(
        "events of an operator after one that the reader has seen",
        operator="National Rail Regional",
        event_no=between(88_104_200_600, 88_104_200_650),
    ),
)

# ---- bad: what should spread does not ------------------------------------------------------------


@attrs.frozen
class BusValue:
    address: int
    sampled: datetime
    raw: int


@row_key
class ValueOfController:
    """One value of a controller, of 60,000 that send every two seconds."""

    address: int = part(UInt32, "the first register of the controller; each has sixteen registers")
    sampled: datetime = part(DateTime, "when")


def bus_values(rng: Random) -> Iterator[BusValue]:
    for cycle in range(5):
        for controller in rng.sample(range(64), 64):
            yield BusValue(0x4000 + 16 * controller, at(START_S + 2 * cycle + controller / 64), rng.randrange(4096))


BUS_VALUES = bad(
    "hot salt",
    "Controllers have sixteen registers each, so every address is a multiple of 16: all rows are in bucket 0 of 16.",
    (
        Table(
            "bus_values",
            KeyLayout(ValueOfController, Modulo(of="address", by=16)),
            BusValue,
            {"raw": "b:r"},
            families={"b": Family(ttl_seconds=30 * DAY_S)},
        ),
    ),
    bus_values,
    asks(
        "a controller's values of four seconds",
        address=0x4000 + 16 * 9,
        sampled=between(START, START + timedelta(seconds=4)),
    ),
)


@attrs.frozen
class SavedGame:
    player: str
    state: str


@row_key
class GameOfPlayer:
    """The saved game of a player, of 30 million."""

    player: str = part(TrailingText, "the player's name in the game")


def player_names(rng: Random, count: int) -> list[str]:
    """Different names as players give themselves."""
    first, last = ("Dark", "Swift", "Lost", "Mad", "Iron"), ("Wolf", "Owl", "Knight", "Pixel", "Storm")
    return [f"{rng.choice(first)}{rng.choice(last)}{number}" for number in rng.sample(range(10_000), count)]


def saved_games(rng: Random) -> Iterator[SavedGame]:
    for player in player_names(rng, 210):
        state = ",".join(f'"{skill}":{rng.randrange(100)}' for skill in ("bow", "fishing", "magic", "smithing"))
        yield SavedGame(player, f'{{"level":{rng.randrange(60)},{state},"at":"{rng.getrandbits(64):x}"}}')


SAVED_GAMES = bad(
    "no split points",
    "The prefix is of hex digits, 30 to 39 and 61 to 66, and the points are even bytes: 14 of 16 regions have no row.",
    (
        Table(
            "saved_games",
            KeyLayout(GameOfPlayer, HashPrefix(of="player", bytes=2, hex=True)),
            SavedGame,
            {"state": "g:s"},
            splits=Splits(tuple(bytes([16 * number]) for number in range(1, 16)), "sixteen even regions"),
        ),
    ),
    saved_games,
    asks("the game of a player who comes back", player=next(saved_games(Random("saved_games"))).player),
)

# ---- bad: lost or wrong answers ------------------------------------------------------------------


@attrs.frozen
class Dose:
    patient: int
    drug: str
    given_on: date
    milligrams: int
    nurse: str


@row_key
class DoseOfPatient:
    """One dose of a drug that a nurse gave a patient."""

    patient: int = part(UInt64, "the patient; ids are random")
    drug: str = part(EscapedText, "the drug")
    given_on: date = part(Date, "when")


PATIENTS = [Random(f"patient {number}").getrandbits(64) for number in range(10)]


def doses(rng: Random) -> Iterator[Dose]:
    drugs = {patient: rng.sample(("ibuprofen", "metformin", "ramipril", "heparin"), 2) for patient in PATIENTS}
    for day in range(6):
        for nurse in ("M. Okafor", "T. Lind", "S. Weber"):  # the early, the late and the night shift
            for patient in PATIENTS:
                drug = rng.choice(drugs[patient])
                if rng.random() < 0.8:
                    yield Dose(patient, drug, date(2026, 3, 1 + day), rng.choice((200, 400, 500, 850)), nurse)


DOSES = bad(
    "overwritten records",
    "A patient gets a drug two or three times a day, and all doses of a day have one key: only the last one is kept.",
    (
        Table(
            "doses",
            DoseOfPatient,
            Dose,
            {"milligrams": "d:m", "nurse": "d:n"},
            families={"d": Family(ttl_seconds=30 * YEAR_S)},
            splits=split_points(KeyLayout(DoseOfPatient), 15),
        ),
    ),
    doses,
    asks(
        "a patient's doses of a drug in three days",
        patient=PATIENTS[0],
        drug=next(doses(Random("doses"))).drug,
        given_on=between(date(2026, 3, 1), date(2026, 3, 4)),
    ),
    asks("all doses of a patient", patient=PATIENTS[0]),
)


@attrs.frozen
class Offer:
    item: str
    price: str
    offer: int
    seller: str


@row_key
class OfferOfItem:
    """One offer in the auction house of a game."""

    item: str = part(EscapedText, "what is offered")
    price: str = part(EscapedText, "gold pieces")
    offer: int = part(UInt64, "random; distinguishes offers of one price")


ITEMS = [
    f"{metal} {thing}"
    for metal in ("Bronze", "Iron", "Mithril", "Golden", "Obsidian")
    for thing in ("Helmet", "Axe", "Boots")
]


def offers(rng: Random) -> Iterator[Offer]:
    sellers = player_names(rng, 60)
    for _ in range(360):
        price = max(1, int(rng.lognormvariate(5.5, 1.8)))
        yield Offer(rng.choice(ITEMS), str(price), rng.getrandbits(64), rng.choice(sellers))


OFFERS = bad(
    "numbers as text",
    "Prices are text of one to five digits, so 100 to 250 gold pieces also finds 11, 23 and 1013.",
    (Table("offers", OfferOfItem, Offer, {"seller": "o:s"}, families={"o": Family(ttl_seconds=2 * DAY_S)}),),
    offers,
    asks("offers of an item for 100 to 250", item="Iron Axe", price=between("100", "250")),
    asks("all offers of an item", item="Golden Boots"),
)

# ---- bad: what is read and stored ----------------------------------------------------------------


@attrs.frozen
class VitalSign:
    patient: int
    device: str
    measured: datetime
    reading: str


@row_key
class SignOfPatient:
    """What a device measured of a patient in a minute."""

    patient: int = part(UInt64, "the patient; ids are random")
    device: str = part(EscapedText, "the serial number of the device, which changes with the bed")
    measured: datetime = part(DateTime, "when; a device sends once a minute")


def vital_signs(rng: Random) -> Iterator[VitalSign]:
    for stay in range(3):  # a patient is moved to another bed every quarter of an hour, and so gets other devices
        beds = {patient: names(rng, "SN", 2) for patient in PATIENTS}
        for minute in range(6):
            for patient, devices in beds.items():
                for device in devices:
                    moment = minutes(15 * stay + minute) + timedelta(seconds=rng.randrange(50))
                    reading = f"pulse {rng.randrange(55, 110)}, oxygen {rng.randrange(90, 100)} %"
                    yield VitalSign(patient, device, moment, reading)


VITAL_SIGNS = bad(
    "part without a value",
    "No question knows the device, which comes before the time: ten minutes of a patient read all rows of the patient.",
    (
        Table(
            "vital_signs",
            SignOfPatient,
            VitalSign,
            {"reading": "v:r"},
            families={"v": Family(ttl_seconds=YEAR_S)},
            splits=split_points(KeyLayout(SignOfPatient), 15),
        ),
    ),
    vital_signs,
    asks("ten minutes of a patient", patient=PATIENTS[0], measured=between(minutes(15), minutes(25))),
    asks("the first minutes of a patient", patient=PATIENTS[2], measured=between(minutes(0), minutes(3))),
)


@attrs.frozen
class CardPayment:
    merchant: int
    payment_no: int
    cents: int
    card: str


@row_key
class MerchantLedger:
    """All card payments to a merchant."""

    merchant: int = part(UInt32, "the merchant; ids are random")


@row_key
class PaymentInLedger:
    """The place of a payment in the ledger."""

    payment_no: int = part(UInt64, "counts the payments of the merchant, from 1 and without an end")


MERCHANTS = [Random(f"merchant {number}").getrandbits(32) for number in range(4)]


def card_payments(rng: Random) -> Iterator[CardPayment]:
    paid = dict.fromkeys(MERCHANTS, 0)
    for _ in range(380):
        merchant = rng.choice(MERCHANTS)
        paid[merchant] += 1
        yield CardPayment(merchant, paid[merchant], rng.randrange(90, 20_000), f"**** {rng.randrange(10_000):04}")


CARD_PAYMENTS = bad(
    "unbounded row",
    "A row gets a cell for each payment for as long as the merchant trades, and a region cannot split a row.",
    (
        Table(
            "card_payments",
            MerchantLedger,
            CardPayment,
            ItemCells(CardPayment, "p", KeyLayout(PaymentInLedger), value=("cents", "card")),
            splits=split_points(KeyLayout(MerchantLedger), 15),
        ),
    ),
    card_payments,
    asks_newest("a merchant's latest payments", 20, merchant=MERCHANTS[0]),
    asks("payments 30 to 49 of a merchant", merchant=MERCHANTS[1], payment_no=between(30, 50)),
)


@attrs.frozen
class Vibration:
    lift: int
    taken: datetime
    acceleration: float


@row_key
class VibrationOfLift:
    """How much a lift shook in ten seconds."""

    lift: int = part(UInt32, "the lift, of 40,000; ids are random")
    taken: datetime = part(Descending(DateTime), "when; every ten seconds")


LIFTS = [Random(f"lift {number}").getrandbits(32) for number in range(12)]


def vibrations(rng: Random) -> Iterator[Vibration]:
    for step in range(30):
        for lift in LIFTS:
            yield Vibration(lift, START + timedelta(seconds=10 * step), round(rng.expovariate(4), 4))


VIBRATIONS = bad(
    "kept for ever",
    "40,000 lifts store 346 million values a day, nothing expires, and no question is about more than ten minutes.",
    (
        Table(
            "vibrations",
            VibrationOfLift,
            Vibration,
            {"acceleration": "v:a"},
            splits=split_points(KeyLayout(VibrationOfLift), 15),
        ),
    ),
    vibrations,
    asks("the latest minute of a lift", 6, lift=LIFTS[3]),
    asks("two minutes of a lift", lift=LIFTS[5], taken=between(minutes(1), minutes(3))),
)


@attrs.frozen
class RoomBooking:
    booking_id: UUID
    hotel: str
    guest: str
    arrives: str


@row_key
class BookingById:
    """A booking of a room."""

    booking_id: UUID = part(Uuid, "a random UUID, of version 4")


HOTELS = names(Random("hotels"), "hotel", 70)


def room_bookings(rng: Random) -> Iterator[RoomBooking]:
    for guest in names(rng, "guest", 350):
        booking_id = UUID(int=rng.getrandbits(128), version=4)
        yield RoomBooking(booking_id, rng.choice(HOTELS), guest, f"2026-{rng.randrange(4, 10):02}-14")


ROOM_BOOKINGS = bad(
    "whole table read",
    "A hotel's five bookings are found by reading those of all hotels, which become more each day.",
    (
        Table(
            "room_bookings",
            BookingById,
            RoomBooking,
            {"hotel": "b:h", "guest": "b:g", "arrives": "b:a"},
            splits=split_points(KeyLayout(BookingById), 15),
        ),
    ),
    room_bookings,
    asks("a booking", booking_id=next(room_bookings(Random("room_bookings"))).booking_id),
    asks_all("the bookings of a hotel", hotel=next(room_bookings(Random("room_bookings"))).hotel),
)


@attrs.frozen
class Ride:
    driver: int
    started: datetime
    ride_id: int
    route: str


@row_key
class RideOfDriver:
    """A ride of a driver."""

    driver: int = part(UInt32, "the driver; ids are random")
    started: datetime = part(Descending(DateTime), "when, newest first")
    ride_id: int = part(UInt64, "random")


DRIVERS = [Random(f"driver {number}").getrandbits(32) for number in range(45)]


def rides(rng: Random) -> Iterator[Ride]:
    for time_s in moments(rng, 300, 9):
        route = f"{rng.uniform(48, 49):.4f},{rng.uniform(11, 12):.4f} to {rng.uniform(48, 49):.4f},11.5"
        yield Ride(rng.choice(DRIVERS), at(time_s), rng.getrandbits(64), route)


RIDES = bad(
    "too many ranges",
    "The bucket is computed from the ride, so a list of a driver's ten rides needs 256 scans, and drivers are many.",
    (
        Table(
            "rides",
            KeyLayout(RideOfDriver, Salt(of="ride_id", buckets=256)),
            Ride,
            {"route": "r:r"},
            families={"r": Family(ttl_seconds=2 * YEAR_S)},
        ),
    ),
    rides,
    asks("a driver's latest rides", 10, driver=DRIVERS[0]),
    asks("a driver's rides of half an hour", driver=DRIVERS[7], started=between(minutes(0), minutes(30))),
)

# ---- good: the front of the key ------------------------------------------------------------------


@attrs.frozen
class LotteryTicket:
    ticket_no: int
    kiosk: str
    chosen: str


@row_key
class TicketByNumber:
    """A ticket of a lottery, of which 20,000 a second are sold before a draw."""

    ticket_no: int = part(ReversedDigits(12), "counts up")


def lottery_tickets(rng: Random) -> Iterator[LotteryTicket]:
    kiosks = names(rng, "kiosk", 50)
    for number in range(240):
        chosen = " ".join(str(ball) for ball in sorted(rng.sample(range(1, 50), 6)))
        yield LotteryTicket(415_820_031_400 + number, rng.choice(kiosks), chosen)


LOTTERY_TICKETS = good(
    "hot first part",
    "The numbers count up, but their last digit comes first, and each of the ten digits has a region.",
    (
        Table(
            "lottery_tickets",
            TicketByNumber,
            LotteryTicket,
            {"kiosk": "t:k", "chosen": "t:c"},
            families={"t": Family(ttl_seconds=2 * YEAR_S)},
        ),
    ),
    lottery_tickets,
    asks("a ticket whose owner claims a prize", ticket_no=415_820_031_477),
)


@attrs.frozen
class ClinicPatient:
    born_on: date
    patient_no: int
    name: str


@row_key
class PatientByBirth:
    """A patient in the list by date of birth."""

    born_on: date = part(Date, "the date of birth")
    patient_no: int = part(UInt32, "counts the patients; distinguishes those who were born on one day")


def patients_by_birth(rng: Random) -> Iterator[ClinicPatient]:
    first, last = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn"), ("Abel", "Busch", "Conrad", "Dorn", "Engel")
    for number in range(180):
        born_on = date(1931, 1, 1) + timedelta(days=rng.randrange(75 * 365))
        yield ClinicPatient(born_on, 30_001 + number, f"{rng.choice(first)} {rng.choice(last)}")


PATIENTS_BY_BIRTH = good(
    "hot first part",
    "The date is that of birth, not of writing: grown-up patients of any age come, so no end of the table is busy.",
    (
        Table(
            "patients_by_birth",
            PatientByBirth,
            ClinicPatient,
            {"name": "p:n"},
            holds="one of the 60,000 grown-up patients of a clinic",
        ),
    ),
    patients_by_birth,
    asks("patients born on a day", born_on=next(patients_by_birth(Random("patients_by_birth"))).born_on),
    asks("patients born in three years", born_on=between(date(1960, 1, 1), date(1963, 1, 1))),
)


@attrs.frozen
class AuditEntry:
    done_at: datetime
    entry_id: int
    action: str


@row_key
class EntryByTime:
    """What a program of a bank did; they do some 20,000 things a second."""

    done_at: datetime = part(DateTime, "when")
    entry_id: int = part(UInt64, "random; distinguishes entries of one moment")


def audit_entries(rng: Random) -> Iterator[AuditEntry]:
    programs = names(rng, "program", 40)
    for time_s in moments(rng, 330, 0.02):
        action = (
            f"{rng.choice(programs)} {rng.choice(('opened', 'printed', 'changed'))} account {rng.randrange(10**9):09}"
        )
        yield AuditEntry(at(time_s), rng.getrandbits(64), action)


AUDIT_ENTRIES = good(
    "hot first part",
    "A bucket of the random id comes before the time, each bucket has a region, and a period reads just eight ranges.",
    (
        Table(
            "audit_entries",
            KeyLayout(EntryByTime, Salt(of="entry_id", buckets=8)),
            AuditEntry,
            {"action": "a:a"},
            families={"a": Family(ttl_seconds=2 * YEAR_S)},
        ),
    ),
    audit_entries,
    asks("what was done in a second", 500, done_at=between(at(START_S + 2), at(START_S + 3))),
)


@attrs.frozen
class PumpCounter:
    pump_no: int
    read_s: int
    litres: int


@row_key
class CounterOfPump:
    """What the counter of a petrol pump said in a minute; there are 200,000 pumps."""

    pump_no: int = part(UInt32, "the pump; they are numbered one after the other")
    read_s: int = part(UInt32, "when, seconds since 1970 UTC, a whole minute")


def pump_counters(rng: Random) -> Iterator[PumpCounter]:
    litres = {pump_no: rng.randrange(10**6) for pump_no in range(7_001, 7_061)}
    for minute in range(5):
        for pump_no in rng.sample([*litres], len(litres)):
            litres[pump_no] += rng.randrange(50)
            yield PumpCounter(pump_no, START_S + 60 * minute, litres[pump_no])


PUMP_COUNTERS = good(
    "hot salt",
    "Consecutive numbers modulo 10 are spread evenly, all pumps send alike, and every question names one of them.",
    (
        Table(
            "pump_counters",
            KeyLayout(CounterOfPump, Modulo(of="pump_no", by=10)),
            PumpCounter,
            {"litres": "p:l"},
            families={"p": Family(ttl_seconds=400 * DAY_S)},
        ),
    ),
    pump_counters,
    asks("three minutes of a pump", pump_no=7_033, read_s=between(START_S, START_S + 180)),
    asks_newest("what a pump's counter says", 1, pump_no=7_033),
)

# ---- good: ties and text -------------------------------------------------------------------------


@attrs.frozen
class ChargerState:
    charger: str
    changed_ms: int
    state: str


@row_key
class StateOfCharger:
    """The present state of a charger for cars; a newer one replaces it."""

    charger: str = part(TrailingText, "the charger's EVSE id")


def charger_states(rng: Random) -> Iterator[ChargerState]:
    operators = ("AT*VKW", "DE*ENB", "DE*SWM", "FR*IZI", "NL*ALF")
    chargers = [f"{rng.choice(operators)}*E{number:06}" for number in rng.sample(range(10**6), 50)]
    for time_s in moments(rng, 260, 4):
        state = f"{rng.choice(('free', 'charging', 'reserved', 'broken'))}, {rng.choice((11, 22, 150))} kW"
        yield ChargerState(rng.choice(chargers), int(time_s * 1000), state)


CHARGER_STATES = good(
    "overwritten records",
    "It holds present states alone: `dated_by` says that the newer of two stays, and no question needs old ones.",
    (
        Table(
            "charger_states",
            StateOfCharger,
            ChargerState,
            {"changed_ms": "c:t", "state": "c:s"},
            dated_by="changed_ms",
            holds="the present state of one of 30,000 chargers",
        ),
    ),
    charger_states,
    asks("whether a charger is free", charger=next(charger_states(Random("charger_states"))).charger),
    asks("the chargers of an operator", charger=starting_with("DE*SWM*")),
)


@attrs.frozen
class PhoneCall:
    called: str
    began_s: int
    call_id: int
    details: str


@row_key
class CallOfNumber:
    """A call to a number."""

    called: str = part(EscapedText, "the number, as E.164 writes it without its plus")
    began_s: int = part(UInt32, "when, seconds since 1970 UTC")
    call_id: int = part(UInt64, "random; distinguishes calls of one second")


AREAS = ("3314", "3906", "4144", "43316", "4521", "4822", "4930", "49351", "4940", "4989")


def phone_calls(rng: Random) -> Iterator[PhoneCall]:
    numbers = [f"{area}{rng.randrange(10 ** rng.choice((5, 6, 7)))}" for area in AREAS for _ in range(14)]
    numbers[-5:] = [f"4989531700{extension}" for extension in (0, 12, 15, 31, 99)]  # those of a company
    for time_s in moments(rng, 340, 0.7):
        called, caller = rng.sample(numbers, 2)
        yield PhoneCall(called, int(time_s), rng.getrandbits(64), f"from {caller}, {rng.randrange(900)} s, AMR-WB")


PHONE_CALLS = good(
    "numbers as text",
    "A phone number is text: it is asked whole, or by the start that numbers of a company share, never as a quantity.",
    (
        Table(
            "phone_calls",
            CallOfNumber,
            PhoneCall,
            {"details": "c:d"},
            families={"c": Family(ttl_seconds=180 * DAY_S)},
            splits=Splits(tuple(area.encode() for area in AREAS[1:]), "these areas have about as many calls each"),
        ),
    ),
    phone_calls,
    asks("calls to the numbers of a company", called=starting_with("4989531700")),
    asks(
        "calls to a number in two minutes",
        called=next(phone_calls(Random("phone_calls"))).called,
        began_s=between(START_S, START_S + 120),
    ),
)


@attrs.frozen
class MealOrder:
    restaurant: int
    channel: str
    ordered: datetime
    order_id: int
    dishes: str


CHANNELS = {"counter": 1, "app": 2, "phone": 3, "partner": 4}


@row_key
class OrderOfRestaurant:
    """An order of meals."""

    restaurant: int = part(UInt32, "the restaurant; ids are random")
    channel: str = part(Code(CHANNELS), "how it came")
    ordered: datetime = part(DateTime, "when")
    order_id: int = part(UInt64, "random; distinguishes orders of one moment")


RESTAURANTS = [Random(f"restaurant {number}").getrandbits(32) for number in range(16)]


def meal_orders(rng: Random) -> Iterator[MealOrder]:
    for time_s in moments(rng, 360, 5):
        dishes = f"{rng.randrange(1, 4)} x {rng.choice(('soup', 'curry', 'pizza'))}, {rng.randrange(1, 4)} x lemonade"
        yield MealOrder(rng.choice(RESTAURANTS), rng.choice([*CHANNELS]), at(time_s), rng.getrandbits(64), dishes)


MEAL_ORDERS = good(
    "part without a value",
    "Each question gives the channels, of which there are four, and reads one range for each, merged by time.",
    (
        Table(
            "meal_orders",
            OrderOfRestaurant,
            MealOrder,
            {"dishes": "m:d"},
            families={"m": Family(ttl_seconds=2 * YEAR_S)},
            splits=split_points(KeyLayout(OrderOfRestaurant), 15),
        ),
    ),
    meal_orders,
    asks(
        "a restaurant's orders by phone of ten minutes",
        restaurant=RESTAURANTS[3],
        channel="phone",
        ordered=between(minutes(0), minutes(10)),
    ),
    asks(
        "a restaurant's orders of ten minutes to be carried out of the house",
        restaurant=RESTAURANTS[3],
        channel=any_of(["app", "phone", "partner"], merged=True),
        ordered=between(minutes(10), minutes(20)),
    ),
)

# ---- good: rows, cells and expiry ----------------------------------------------------------------


@attrs.frozen
class ChessMove:
    game: UUID
    ply: int
    move: str
    clock_s: int


@row_key
class ChessGame:
    """A game of chess with its moves."""

    game: UUID = part(Uuid, "a random UUID, of version 4")


@row_key
class PlyOfGame:
    """The place of a move in its game."""

    ply: int = part(UInt16, "1 for White's first move; the players' time ends a game after some 300 at the latest")


def chess_moves(rng: Random) -> Iterator[ChessMove]:
    def new_game() -> tuple[UUID, int]:
        return UUID(int=rng.getrandbits(128), version=4), rng.randrange(18, 70)

    boards = [new_game() for _ in range(4)]
    plies, clocks = [0] * 4, [600] * 4
    for _ in range(380):
        board = rng.randrange(4)
        if plies[board] == boards[board][1]:  # the game is over and another one begins
            boards[board], plies[board], clocks[board] = new_game(), 0, 600
        plies[board] += 1
        clocks[board] -= rng.randrange(0, 9)
        move = f"{rng.choice('NBRQK')}{rng.choice('abcdefgh')}{rng.randrange(1, 9)}"
        yield ChessMove(boards[board][0], plies[board], move, clocks[board])


FIRST_GAME = next(chess_moves(Random("chess_moves"))).game
CHESS_MOVES = good(
    "unbounded row",
    "A row is one game, which ends: each player has ten minutes, so it has a few hundred cells at most.",
    (
        Table(
            "chess_moves",
            ChessGame,
            ChessMove,
            ItemCells(ChessMove, "m", KeyLayout(PlyOfGame), value=("move", "clock_s")),
            families={"m": Family(ttl_seconds=3 * YEAR_S)},
            splits=split_points(KeyLayout(ChessGame), 15),
        ),
    ),
    chess_moves,
    asks("a game from its first move", 400, game=FIRST_GAME),
    asks_newest("the last move of a game", 1, game=FIRST_GAME),
)


@attrs.frozen
class Recipe:
    slug: str
    ingredients: str
    method: str
    nutrition: str


@row_key
class RecipeBySlug:
    """A recipe."""

    slug: str = part(TrailingText, "the recipe in the address of its page")


def recipes(rng: Random) -> Iterator[Recipe]:
    cooks = ("grandmothers", "annas", "ready-in-an-hour", "old-viennese", "my-neighbours", "sunday", "two-pot")
    dishes = ("lamb-shoulder", "pumpkin-risotto", "apple-strudel", "lentil-stew", "trout", "dumplings", "bean-salad")
    extras = ("rosemary", "garlic", "lemon-zest", "brown-butter", "walnuts", "smoked-paprika", "thyme", "cider")
    foods = ("flour", "butter", "salt", "onions", "cream", "stock", "pepper", "milk", "parsley", "eggs", "olive oil")
    steps = ("Chop it finely.", "Leave it to rest in a cool place.", "Stir until it thickens.", "Season it to taste.")
    for number in rng.sample(range(10_000, 100_000), 150):
        one, two = rng.sample(extras, 2)
        slug = f"{rng.choice(cooks)}-slow-cooked-{rng.choice(dishes)}-with-{one}-and-{two}-{number}"
        ingredients = "\n".join(f"{rng.randrange(5, 500)} g of {food}" for food in rng.sample(foods, 9))
        method = " ".join(rng.choice(steps) for _ in range(40))
        nutrition = ", ".join(f'"{name}": {rng.uniform(0, 90):.2f}' for name in ("energy", *foods))
        yield Recipe(slug, ingredients, method, f"{{{nutrition}}}")


RECIPES = good(
    "repeated key",
    "The key has some 70 bytes, but a row repeats it three times only, beside some 1,500 bytes of text.",
    (
        Table(
            "recipes",
            RecipeBySlug,
            Recipe,
            {"ingredients": "r:i", "method": "r:m", "nutrition": "r:n"},
            holds="one of 90,000 recipes",
        ),
    ),
    recipes,
    asks("the recipe of a page", slug=next(recipes(Random("recipes"))).slug),
)


@attrs.frozen
class Member:
    member_id: UUID
    card_no: int
    name: str
    joined: str


@row_key
class MemberById:
    """A member of a library."""

    member_id: UUID = part(Uuid, "a random UUID, of version 4")


@row_key
class MemberByCard:
    """The member who has a card."""

    card_no: int = part(UInt64, "random, printed on the card")


def members(rng: Random) -> Iterator[Member]:
    for reader in names(rng, "reader", 130):
        member_id = UUID(int=rng.getrandbits(128), version=4)
        joined = date(2008, 1, 1) + timedelta(days=rng.randrange(6000))
        yield Member(member_id, rng.getrandbits(64), f"{reader.title()} of {rng.choice(('Ulm', 'Graz'))}", str(joined))


FIRST_MEMBER = next(members(Random("members")))
MEMBERS = good(
    "expiry",
    "Neither copy expires: 2^31 - 1 seconds is how HBase itself writes `for ever`.",
    (
        Table(
            "members",
            MemberById,
            Member,
            {"card_no": "m:c", "name": "m:n", "joined": "m:j"},
            holds="one of the 400,000 members of a library",
        ),
        Table(
            "members_by_card",
            MemberByCard,
            Member,
            {"member_id": "m:i", "name": "m:n", "joined": "m:j"},
            holds="the member, of 400,000, who has a card",
            families={"m": Family(ttl_seconds=2**31 - 1)},
        ),
    ),
    members,
    asks("a member", member_id=FIRST_MEMBER.member_id),
    asks_copy("who has a card", card_no=FIRST_MEMBER.card_no),
)


@attrs.frozen
class LedgerEntry:
    iban: str
    booked: datetime
    entry_no: int
    cents: int
    details: str


@row_key
class EntryOfAccount:
    """An entry in the ledger of a bank account."""

    iban: str = part(FixedText(22, "\0"), "the account's IBAN, always 22 characters")
    booked: datetime = part(Descending(DateTime), "when, newest first")
    entry_no: int = part(UInt64, "random; distinguishes entries of one moment")


def iban(rng: Random) -> str:
    """An IBAN of the bank: two check digits, which are as good as random, its code and the account."""
    return f"DE{rng.randrange(2, 99):02}70020270{rng.randrange(10**10):010}"


ACCOUNTS = [iban(Random(f"account {number}")) for number in range(60)]


def ledger_entries(rng: Random) -> Iterator[LedgerEntry]:
    for time_s in moments(rng, 190, 25):
        payer, payee = rng.sample(ACCOUNTS, 2)
        cents = rng.randrange(100, 200_000)
        purpose = f"invoice {rng.randrange(10**6):06} of 2026, thank you for your trust"
        yield LedgerEntry(payer, at(time_s), rng.getrandbits(64), -cents, f"SEPA transfer to {payee}: {purpose}")
        yield LedgerEntry(payee, at(time_s), rng.getrandbits(64), cents, f"SEPA transfer from {payer}: {purpose}")


LEDGER_ENTRIES = good(
    "kept for ever",
    "A bank must be able to show each entry for as long as the account is open: a ledger is no measurement.",
    (
        Table(
            "ledger_entries",
            EntryOfAccount,
            LedgerEntry,
            {"cents": "l:c", "details": "l:d"},
            holds="an entry in the ledger of a bank account, kept for as long as the account is open",
            splits=Splits(tuple(f"DE{digit}".encode() for digit in range(1, 10)), "the check digits are random"),
        ),
    ),
    ledger_entries,
    asks("an account's latest entries", 20, iban=ACCOUNTS[4]),
    asks("an account's entries of an hour", iban=ACCOUNTS[4], booked=between(minutes(0), minutes(60))),
)


@attrs.frozen
class Station:
    code: str
    name: str
    line: str


@row_key
class StationByCode:
    """A station of the underground."""

    code: str = part(FixedText(4, "\0"), "its code, one to four letters")


def stations(rng: Random) -> Iterator[Station]:
    letters = "ABCDEFGHIKLMNOPRSTUW"
    codes = sorted({"".join(rng.choice(letters) for _ in range(rng.choice((2, 3, 4)))) for _ in range(110)})
    for code in codes:
        name = f"{rng.choice(('North', 'Old', 'Upper', 'St John'))} {rng.choice(('Gate', 'Park', 'Square'))} {code}"
        yield Station(code, name, f"U{rng.randrange(1, 7)}")


STATIONS = good(
    "whole table read",
    "There are some hundred stations, and one opens every few years: reading all of them is one short scan.",
    (
        Table(
            "stations",
            StationByCode,
            Station,
            {"name": "s:n", "line": "s:l"},
            holds="one of some hundred stations, loaded once; one opens every few years",
        ),
    ),
    stations,
    asks("a station by its code", code=next(stations(Random("stations"))).code),
    asks_all("the stations of a line", line="U3"),
)

LAYOUTS: tuple[Judged, ...] = (
    EDGE_REQUESTS,
    PLAY_SESSIONS,
    TRAIN_EVENTS,
    BUS_VALUES,
    SAVED_GAMES,
    DOSES,
    OFFERS,
    VITAL_SIGNS,
    CARD_PAYMENTS,
    VIBRATIONS,
    ROOM_BOOKINGS,
    RIDES,
    LOTTERY_TICKETS,
    PATIENTS_BY_BIRTH,
    AUDIT_ENTRIES,
    PUMP_COUNTERS,
    CHARGER_STATES,
    PHONE_CALLS,
    MEAL_ORDERS,
    CHESS_MOVES,
    RECIPES,
    MEMBERS,
    LEDGER_ENTRIES,
    STATIONS,
)
"""The bad ones, then the good ones."""
