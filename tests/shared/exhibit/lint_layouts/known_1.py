"""Twelve bad and twelve good layouts that the author of the rules knew."""

from collections.abc import Iterator
from random import Random
from uuid import UUID

import attrs

from shared.keys import (
    Code,
    EscapedText,
    FixedText,
    HashPrefix,
    KeyLayout,
    Salt,
    Splits,
    TrailingText,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Uuid,
    between,
    part,
    row_key,
    split_points,
)
from shared.sources import Table
from shared.tables import Family, ItemCells, RecordCells

from .judged import (
    DAY_S,
    EPOCH_DAY,
    START_S,
    Judged,
    asks,
    asks_copy,
    asks_newest,
    bad,
    good,
    iso,
    moments,
    names,
    splits_by_digit,
    ulid,
)

# ---- bad: one region takes all writes ------------------------------------------------------------


@attrs.frozen
class AirReading:
    time_s: int
    station: int
    pm25: float


@row_key
class ReadingByTime:
    """One reading of a station."""

    time_s: int = part(UInt32, "when, seconds since 1970 UTC")
    station: int = part(UInt32, "the number of the station")


def air_readings(rng: Random) -> Iterator[AirReading]:
    stations = rng.sample(range(2**32), 12)
    for minute in range(20):
        for offset_s, station in enumerate(rng.sample(stations, 12)):
            yield AirReading(START_S + minute * 60 + 3 * offset_s, station, round(rng.uniform(4, 60), 1))


AIR_READINGS = bad(
    "hot first part",
    "The key starts with the second of the reading, so all stations write into the last region, whatever the servers.",
    (
        Table(
            "air_readings", ReadingByTime, AirReading, {"pm25": "a:p"}, families={"a": Family(ttl_seconds=90 * DAY_S)}
        ),
    ),
    air_readings,
    asks("all stations in five minutes", time_s=between(START_S + 300, START_S + 600)),
)


@attrs.frozen
class Impression:
    id: str
    served: str
    """The campaign, the place and the price, as JSON."""


@row_key
class ImpressionById:
    """One ad that was shown."""

    id: str = part(FixedText(26, "\0"), "a ULID, made by the ad server")


def impressions(rng: Random) -> Iterator[Impression]:
    for time_s in moments(rng, 150, 0.02):
        yield Impression(ulid(time_s, rng), f'{{"campaign":{rng.randrange(900)},"cents":{rng.random():.4f}}}')


AD_IMPRESSIONS = bad(
    "hot first part",
    "A ULID starts with its time, so every new impression is put after all others: one region takes all writes.",
    (
        Table(
            "ad_impressions", ImpressionById, Impression, {"served": "i:s"}, families={"i": Family(ttl_seconds=DAY_S)}
        ),
    ),
    impressions,
    asks("an impression, when it is clicked", id=next(impressions(Random("ad_impressions"))).id),
)


@attrs.frozen
class PhoneBill:
    invoice_no: int
    customer: str
    issued_at: str
    document: str


@row_key
class BillByNumber:
    """One bill."""

    invoice_no: int = part(UInt64, "the number that the billing run gave it, one after the other")


def phone_bills(rng: Random) -> Iterator[PhoneBill]:
    customers = names(rng, "c", 70)
    bills = [
        PhoneBill(
            4_100_001 + number, rng.choice(customers), iso(time_s), f"s3://bills/2026/03/{rng.getrandbits(64):x}.pdf"
        )
        for number, time_s in enumerate(moments(rng, 180, 0.4))
    ]
    return iter(sorted(bills, key=lambda bill: (bill.customer, bill.invoice_no)))


PHONE_BILLS = bad(
    "hot first part",
    "Numbers are given in the order of writing, which a file sorted by customer hides: a run writes into one region.",
    (Table("phone_bills", BillByNumber, PhoneBill, {"customer": "b:c", "issued_at": "b:i", "document": "b:d"}),),
    phone_bills,
    asks("a bill by its number", invoice_no=4_100_077),
)


@attrs.frozen
class Click:
    event_type: str
    ts: int
    visitor: str
    url: str


@row_key
class ClickOfType:
    """One event of a visitor."""

    event_type: str = part(EscapedText, "what kind of event")
    ts: int = part(UInt64, "when, milliseconds since 1970 UTC")
    visitor: str = part(TrailingText, "the visitor")


def clicks(rng: Random) -> Iterator[Click]:
    visitors = names(rng, "v", 90)
    for time_s in moments(rng, 220, 0.05):
        yield Click(
            "page_view", int(time_s * 1000), rng.choice(visitors), f"https://shop.test/item/{rng.randrange(9999)}"
        )


CLICK_STREAM = bad(
    "hot first part",
    "There is one type of event, so the first part is a constant and the time decides: one region takes all clicks.",
    (Table("click_stream", ClickOfType, Click, {"url": "c:u"}, families={"c": Family(ttl_seconds=30 * DAY_S)}),),
    clicks,
    asks("views of five seconds", event_type="page_view", ts=between(START_S * 1000, START_S * 1000 + 5000)),
)

# ---- bad: what should spread does not ------------------------------------------------------------


@attrs.frozen
class Delivery:
    tenant: str
    delivered_s: int
    delivery_id: int
    response: str


@row_key
class DeliveryOfTenant:
    """One call of a tenant's webhook."""

    tenant: str = part(EscapedText, "the tenant")
    delivered_s: int = part(UInt32, "when, seconds since 1970 UTC")
    delivery_id: int = part(UInt64, "random")


def deliveries(rng: Random) -> Iterator[Delivery]:
    others = names(rng, "t", 12)
    for number, time_s in enumerate(moments(rng, 300, 0.3)):
        tenant = rng.choice(others) if number % 20 == 7 else "acme"
        yield Delivery(tenant, int(time_s), rng.getrandbits(64), f"200 OK in {rng.randrange(900)} ms")


WEBHOOK_DELIVERIES = bad(
    "hot salt",
    "The bucket is computed from the tenant, and one tenant has 95 % of the rows: so has one of 16 regions.",
    (
        Table(
            "webhook_deliveries",
            KeyLayout(DeliveryOfTenant, Salt(of="tenant", buckets=16)),
            Delivery,
            {"response": "d:r"},
            families={"d": Family(ttl_seconds=14 * DAY_S)},
        ),
    ),
    deliveries,
    asks("a tenant's deliveries of half a minute", tenant="acme", delivered_s=between(START_S + 30, START_S + 60)),
)


@attrs.frozen
class MeterReading:
    meter_id: int
    read_at: int
    watt_hours: int


@row_key
class ReadingOfMeter:
    """One reading of a meter."""

    meter_id: int = part(UInt32, "the meter; they are numbered as they are installed")
    read_at: int = part(UInt32, "when, seconds since 1970 UTC")


def meter_readings(rng: Random) -> Iterator[MeterReading]:
    for quarter in range(3):
        for meter_id in rng.sample(range(50_001, 50_081), 80):
            yield MeterReading(meter_id, START_S + 900 * quarter + rng.randrange(60), rng.randrange(5000))


METER_READINGS = bad(
    "no split points",
    "The salt has 16 buckets, but the table is created as one region, so one server takes all writes until it splits.",
    (
        Table(
            "meter_readings",
            KeyLayout(ReadingOfMeter, Salt(of="meter_id", buckets=16)),
            MeterReading,
            {"watt_hours": "m:w"},
            families={"m": Family(ttl_seconds=400 * DAY_S)},
            splits=Splits((), "HBase will split it"),
        ),
    ),
    meter_readings,
    asks("a meter's readings of an hour", meter_id=50_017, read_at=between(START_S, START_S + 3600)),
)

# ---- bad: lost or wrong answers ------------------------------------------------------------------


@attrs.frozen
class LoginAttempt:
    user: str
    time_s: int
    ip: str
    agent: str


@row_key
class AttemptOfUser:
    """One attempt to log in."""

    user: str = part(EscapedText, "the user")
    time_s: int = part(UInt32, "when, seconds since 1970 UTC")


LOGIN_USERS = names(Random("login_attempts"), "u", 40)


def login_attempts(rng: Random) -> Iterator[LoginAttempt]:
    for time_s in moments(rng, 90, 40):
        user = rng.choice(LOGIN_USERS)
        for _ in range(rng.choice((1, 1, 1, 4))):  # a program that guesses passwords tries several in a second
            ip = f"203.0.113.{rng.randrange(256)}"
            yield LoginAttempt(user, int(time_s), ip, rng.choice(("Mozilla/5.0 (X11; Linux x86_64)", "curl/8.5.0")))


ATTACKED = next(login_attempts(Random("login_attempts"))).user
LOGIN_ATTEMPTS = bad(
    "overwritten records",
    "Nothing distinguishes two attempts of a user in one second: the later one replaces the earlier, which is lost.",
    (
        Table(
            "login_attempts",
            AttemptOfUser,
            LoginAttempt,
            {"ip": "l:i", "agent": "l:a"},
            families={"l": Family(ttl_seconds=180 * DAY_S)},
        ),
    ),
    login_attempts,
    asks(
        "a user's attempts of an hour",
        user=ATTACKED,
        time_s=between(START_S, START_S + 3600),
    ),
    asks_newest("a user's latest attempts", 10, user=ATTACKED),
)


@attrs.frozen
class BusStop:
    line: str
    stop_no: str
    stop: str


@row_key
class StopOfLine:
    """One stop of a line."""

    line: str = part(EscapedText, "the line")
    stop_no: str = part(TrailingText, "the number of the stop, from 1")


def bus_stops(rng: Random) -> Iterator[BusStop]:
    for line in ("M29", "100", "X7", "285", "N3", "TXL"):
        for number in range(1, 33):
            yield BusStop(line, str(number), f"{rng.choice(('North', 'Mill', 'Station', 'Lake'))} {rng.randrange(400)}")


BUS_STOPS = bad(
    "numbers as text",
    "Stop numbers are text without zeros, so stops 1 to 3 are found with 10 to 29 among them, in the wrong order.",
    (Table("bus_stops", StopOfLine, BusStop, {"stop": "s:n"}),),
    bus_stops,
    asks("the first three stops of a line", line="M29", stop_no=between("1", "4")),
)

# ---- bad: what is read and stored ----------------------------------------------------------------


@attrs.frozen
class SignalValue:
    vehicle: str
    signal: str
    time_s: int
    value: float


@row_key
class ValueOfSignal:
    """One value that a vehicle sent."""

    vehicle: str = part(EscapedText, "the vehicle")
    signal: str = part(EscapedText, "what was measured")
    time_s: int = part(UInt32, "when, seconds since 1970 UTC")


VEHICLES = names(Random("vehicle_signals"), "car", 5)


def vehicle_signals(rng: Random) -> Iterator[SignalValue]:
    for time_s in range(START_S, START_S + 600, 60):
        for vehicle in VEHICLES:
            for signal in ("speed", "rpm", "coolant", "fuel", "oil", "battery"):
                yield SignalValue(vehicle, signal, time_s + rng.randrange(5), round(rng.uniform(0, 120), 1))


VEHICLE_SIGNALS = bad(
    "part without a value",
    "No question gives the signal, which comes before the time, so a period of a vehicle reads its rows of any time.",
    (
        Table(
            "vehicle_signals",
            ValueOfSignal,
            SignalValue,
            {"value": "v:v"},
            families={"v": Family(ttl_seconds=365 * DAY_S)},
        ),
    ),
    vehicle_signals,
    asks(
        "all signals of a vehicle in two minutes",
        vehicle=VEHICLES[1],
        time_s=between(START_S + 120, START_S + 240),
    ),
)


@attrs.frozen
class ChatMessage:
    room: str
    sent_at: int
    author: str
    text: str


@row_key
class ChatRoom:
    """All messages of a room."""

    room: str = part(TrailingText, "the room")


@row_key
class MessageInRoom:
    """The place of a message in the row of its room."""

    sent_at: int = part(UInt64, "when, milliseconds since 1970 UTC")
    author: str = part(TrailingText, "who wrote it")


def chat_messages(rng: Random) -> Iterator[ChatMessage]:
    authors = names(rng, "a", 25)
    for time_s in moments(rng, 320, 5000):
        room = rng.choice(("general", "support"))
        yield ChatMessage(room, int(time_s * 1000), rng.choice(authors), f"I have {rng.randrange(80)} of them left.")


CHAT_ROOMS = bad(
    "unbounded row",
    "All messages that a room ever has are cells of one row, which no split can divide: a busy room outgrows it.",
    (Table("chat_rooms", ChatRoom, ChatMessage, ItemCells(ChatMessage, "m", KeyLayout(MessageInRoom), value="text")),),
    chat_messages,
    asks_newest("a room's latest messages", 50, room="general"),
)


@attrs.frozen
class PodUsage:
    pod: str
    container: str
    namespace: str
    cluster: str
    time_s: int
    cpu: int
    memory: int
    received: int
    sent: int
    files: int
    threads: int
    restarts: int


@row_key
class UsageOfContainer:
    """What a container used in a minute."""

    pod: str = part(EscapedText, "the pod")
    container: str = part(EscapedText, "the container")
    namespace: str = part(EscapedText, "the namespace")
    cluster: str = part(EscapedText, "the cluster")
    time_s: int = part(UInt32, "when, seconds since 1970 UTC")


PODS = [f"checkout-payment-authorization-7d9f8b6c5d-{number:05x}" for number in Random("pods").sample(range(16**5), 10)]
CONTAINER = ("payment-authorization", "team-checkout-production", "aws-eu-central-1-blue")


def pod_usage(rng: Random) -> Iterator[PodUsage]:
    for time_s in range(START_S, START_S + 600, 60):
        for pod in PODS:
            yield PodUsage(pod, *CONTAINER, time_s, *(rng.randrange(100) for _ in range(7)))


POD_USAGE = bad(
    "repeated key",
    "A key of some 130 bytes is stored with each of seven cells of one byte: nearly all that is stored is keys.",
    (
        Table(
            "pod_usage",
            UsageOfContainer,
            PodUsage,
            {
                "cpu": "u:cpu",
                "memory": "u:memory",
                "received": "u:received",
                "sent": "u:sent",
                "files": "u:files",
                "threads": "u:threads",
                "restarts": "u:restarts",
            },
            families={"u": Family(ttl_seconds=30 * DAY_S)},
        ),
    ),
    pod_usage,
    asks(
        "a container's usage of five minutes",
        pod=PODS[0],
        container=CONTAINER[0],
        namespace=CONTAINER[1],
        cluster=CONTAINER[2],
        time_s=between(START_S, START_S + 300),
    ),
)


@attrs.frozen
class Account:
    account_id: UUID
    email: str
    profile: str


@row_key
class AccountById:
    """An account."""

    account_id: UUID = part(Uuid, "a random UUID, of version 4")


@row_key
class AccountByEmail:
    """The account of an email address."""

    email: str = part(TrailingText, "the address, in lower case")


def accounts(rng: Random) -> Iterator[Account]:
    for number, owner in enumerate(names(rng, "owner", 120)):
        account_id = UUID(int=rng.getrandbits(128), version=4)
        yield Account(account_id, f"{owner}@mail{number % 7}.test", f'{{"name":"{owner.title()}","language":"en"}}')


FIRST_ACCOUNT = next(accounts(Random("accounts")))
ACCOUNTS = bad(
    "expiry",
    "The copy by email expires after 30 days and the account never does, and then no address finds it.",
    (
        Table(
            "accounts",
            AccountById,
            Account,
            {"email": "a:e", "profile": "a:p"},
            splits=split_points(KeyLayout(AccountById), 15),
        ),
        Table(
            "accounts_by_email",
            AccountByEmail,
            Account,
            {"account_id": "a:i", "profile": "a:p"},
            families={"a": Family(ttl_seconds=30 * DAY_S)},
        ),
    ),
    accounts,
    asks("an account by its id", account_id=FIRST_ACCOUNT.account_id),
    asks_copy("the account of an email address", email=FIRST_ACCOUNT.email),
)

# ---- good: nothing rises -------------------------------------------------------------------------


@attrs.frozen
class Film:
    length_ms: int
    film_id: int
    title: str


@row_key
class FilmByLength:
    """A film in the list by length."""

    length_ms: int = part(UInt32, "how long it runs, milliseconds")
    film_id: int = part(UInt32, "the film")


def films(rng: Random) -> Iterator[Film]:
    for film_id in rng.sample(range(10**6), 140):
        yield Film(int(rng.gauss(105, 18) * 60_000), film_id, f"{rng.choice(('The', 'A'))} Film {rng.randrange(10**5)}")


FILMS_BY_LENGTH = good(
    "hot first part",
    "The first part is the length of a film, not a time: new films have any length, so no end of the table is busy.",
    (Table("films_by_length", FilmByLength, Film, {"title": "f:t"}),),
    films,
    asks("films of 90 to 100 minutes", length_ms=between(90 * 60_000, 100 * 60_000)),
)


@attrs.frozen
class Purchase:
    user: str
    created_at: str
    purchase_id: int
    items: str


@row_key
class PurchaseOfUser:
    """A purchase of a user."""

    user: str = part(EscapedText, "the user")
    created_at: str = part(EscapedText, "when, ISO 8601 in UTC with milliseconds, always 24 characters")
    purchase_id: int = part(UInt64, "random; distinguishes purchases of one millisecond")


BUYERS = names(Random("purchases"), "u", 60)


def purchases(rng: Random) -> Iterator[Purchase]:
    for time_s in moments(rng, 240, 20):
        items = ", ".join(f'{{"sku":"{rng.randrange(10**6):06}","count":{rng.randrange(1, 5)}}}' for _ in range(4))
        yield Purchase(rng.choice(BUYERS), iso(time_s), rng.getrandbits(64), f"[{items}]")


PURCHASES = good(
    "hot first part",
    "The time comes after the user, of whom there are many, so purchases of one moment go to many regions.",
    (Table("purchases", PurchaseOfUser, Purchase, {"items": "p:i"}, splits=splits_by_digit("u")),),
    purchases,
    asks(
        "a user's purchases of an hour",
        user=BUYERS[5],
        created_at=between(iso(START_S), iso(START_S + 3600)),
    ),
    asks_newest("a user's latest purchases", 10, user=BUYERS[5]),
)


@attrs.frozen
class Ticket:
    customer: str
    ticket_no: int
    opened_at: str
    subject: str


@row_key
class TicketOfCustomer:
    """A support ticket of a customer."""

    customer: str = part(EscapedText, "the name of the company")
    ticket_no: int = part(UInt32, "the number of the ticket; they are numbered as they are opened")


COMPANIES = [
    f"{first} {last}"
    for first in ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel")
    for last in ("AG", "Ltd", "SA", "Inc", "Oy")
]


def tickets(rng: Random) -> Iterator[Ticket]:
    opened = [
        Ticket(
            rng.choice(COMPANIES), 9_001 + number, iso(time_s), f"The order {rng.randrange(10**6)} has not arrived yet"
        )
        for number, time_s in enumerate(moments(rng, 160, 700))
    ]
    return iter(sorted(opened, key=lambda ticket: ticket.customer))


SUPPORT_TICKETS = good(
    "hot first part",
    "Only the file is sorted by customer: `opened_at` shows that tickets of all customers are written in turns.",
    (Table("support_tickets", TicketOfCustomer, Ticket, {"opened_at": "t:o", "subject": "t:s"}),),
    tickets,
    asks("a customer's tickets", customer="Cedar Ltd"),
    asks_newest("a customer's latest ticket", 1, customer="Cedar Ltd"),
)


@attrs.frozen
class Parcel:
    parcel_no: int
    accepted_at: str
    address: str


@row_key
class ParcelByNumber:
    """A parcel."""

    parcel_no: int = part(UInt64, "counts up")


def parcels(rng: Random) -> Iterator[Parcel]:
    for number, time_s in enumerate(moments(rng, 200, 2)):
        yield Parcel(
            340_000_100_001 + number,
            iso(time_s),
            f"{rng.randrange(1, 200)} Long Street, {rng.randrange(10**5):05} Town",
        )


PARCELS = good(
    "hot first part",
    "The numbers count up, but two bytes of their hash come first, and the table is split at them.",
    (
        Table(
            "parcels",
            KeyLayout(ParcelByNumber, HashPrefix(of="parcel_no", bytes=2)),
            Parcel,
            {"accepted_at": "p:t", "address": "p:a"},
        ),
    ),
    parcels,
    asks("a parcel by its number", parcel_no=340_000_100_050),
)


@attrs.frozen
class Message:
    channel: str
    recipient: str
    sent_s: int
    message_id: int
    body: str


CHANNELS = ("email", "sms", "push", "letter")


@row_key
class MessageToRecipient:
    """A message to a recipient by a channel."""

    channel: str = part(Code({name: number for number, name in enumerate(CHANNELS, 1)}), "how it was sent")
    recipient: str = part(EscapedText, "to whom")
    sent_s: int = part(UInt32, "when, seconds since 1970 UTC")
    message_id: int = part(UInt64, "random; distinguishes messages of one second")


RECIPIENTS = names(Random("sent_messages"), "r", 80)


def sent_messages(rng: Random) -> Iterator[Message]:
    for time_s in moments(rng, 280, 1):
        yield Message(
            rng.choice(CHANNELS),
            rng.choice(RECIPIENTS),
            int(time_s),
            rng.getrandbits(64),
            f"Hello, your order {rng.randrange(10**8)} was sent today.",
        )


SENT_MESSAGES = good(
    "hot first part",
    "Each of four channels has a region and a quarter of the messages, and within it the recipients spread them.",
    (
        Table(
            "sent_messages",
            MessageToRecipient,
            Message,
            {"body": "m:b"},
            families={"m": Family(ttl_seconds=90 * DAY_S)},
        ),
    ),
    sent_messages,
    asks(
        "a recipient's letters of a day",
        channel="letter",
        recipient=RECIPIENTS[2],
        sent_s=between(START_S, START_S + DAY_S),
    ),
)


@attrs.frozen
class CurrencyName:
    numeric_code: int
    name: str


@row_key
class CurrencyByCode:
    """A currency of ISO 4217."""

    numeric_code: int = part(UInt16, "its number in ISO 4217")


CURRENCIES = (
    "8 Lek, 12 Algerian Dinar, 32 Argentine Peso, 36 Australian Dollar, 44 Bahamian Dollar, 48 Bahraini Dinar, "
    "50 Taka, 51 Armenian Dram, 52 Barbados Dollar, 60 Bermudian Dollar, 64 Ngultrum, 68 Boliviano, 72 Pula, "
    "84 Belize Dollar, 90 Solomon Islands Dollar, 96 Brunei Dollar, 104 Kyat, 108 Burundi Franc, 116 Riel, "
    "124 Canadian Dollar, 132 Cabo Verde Escudo, 136 Cayman Islands Dollar, 144 Sri Lanka Rupee, 152 Chilean Peso, "
    "156 Yuan Renminbi, 170 Colombian Peso, 174 Comorian Franc, 188 Costa Rican Colon, 192 Cuban Peso, "
    "203 Czech Koruna, 208 Danish Krone, 214 Dominican Peso, 230 Ethiopian Birr, 242 Fiji Dollar, "
    "262 Djibouti Franc, 270 Dalasi, 320 Quetzal, 324 Guinean Franc"
)


def currency_names(_rng: Random) -> Iterator[CurrencyName]:
    for line in CURRENCIES.split(", "):
        code, _, name = line.partition(" ")
        yield CurrencyName(int(code), name)


CURRENCY_NAMES = good(
    "hot first part",
    "It has some 180 rows, of which one changes in a year: a single region holds them all, and hardly any write comes.",
    (
        Table(
            "currency_names",
            CurrencyByCode,
            CurrencyName,
            {"name": "c:n"},
            holds="one of some 180 currencies, loaded once; a code is added about once a year",
        ),
    ),
    currency_names,
    asks("a currency by its number", numeric_code=208),
)


@attrs.frozen
class Cart:
    cart_id: UUID
    content: str


@row_key
class CartById:
    """A shopping cart."""

    cart_id: UUID = part(Uuid, "a random UUID, of version 4")


def carts(rng: Random) -> Iterator[Cart]:
    for _ in range(130):
        yield Cart(UUID(int=rng.getrandbits(128), version=4), f'[{{"sku":"{rng.randrange(10**6)}","count":1}}]')


CARTS = good(
    "hot first part",
    "UUIDs of version 4 are random, and the table is split evenly over them.",
    (
        Table(
            "carts",
            CartById,
            Cart,
            {"content": "c:c"},
            families={"c": Family(ttl_seconds=30 * DAY_S)},
            splits=split_points(KeyLayout(CartById), 15),
        ),
    ),
    carts,
    asks("a cart", cart_id=next(carts(Random("carts"))).cart_id),
)

# ---- good: salts, ties, text, rows ---------------------------------------------------------------


@attrs.frozen
class TrackerPosition:
    device_id: int
    ts: int
    fix: str


@row_key
class PositionOfTracker:
    """Where a tracker was."""

    device_id: int = part(UInt32, "the tracker; they are numbered as they are made")
    ts: int = part(UInt64, "when, milliseconds since 1970 UTC; a tracker sends one position a second at most")


def tracker_positions(rng: Random) -> Iterator[TrackerPosition]:
    for minute in range(4):
        for device_id in rng.sample(range(1, 65), 64):
            fix = f"{rng.uniform(47, 55):.5f},{rng.uniform(6, 15):.5f}"
            yield TrackerPosition(device_id, (START_S + 60 * minute) * 1000 + rng.randrange(60_000), fix)


TRACKER_POSITIONS = good(
    "hot salt",
    "The bucket is computed from the tracker, of which there are many that send alike, and every question names one.",
    (
        Table(
            "tracker_positions",
            KeyLayout(PositionOfTracker, Salt(of="device_id", buckets=16)),
            TrackerPosition,
            {"fix": "p:f"},
            families={"p": Family(ttl_seconds=60 * DAY_S)},
        ),
    ),
    tracker_positions,
    asks("a tracker's way in two minutes", device_id=17, ts=between(START_S * 1000, START_S * 1000 + 120_000)),
    asks_newest("where a tracker is", 1, device_id=17),
)


@attrs.frozen
class Weather:
    station: int
    quantity: str
    time_s: int
    value: float


QUANTITIES = ("temperature", "humidity", "pressure")


@row_key
class WeatherOfStation:
    """One value of a station."""

    station: int = part(UInt32, "the station; its number is random")
    quantity: str = part(Code({name: number for number, name in enumerate(QUANTITIES, 1)}), "what was measured")
    time_s: int = part(UInt32, "when, seconds since 1970 UTC")


STATION = 2_914_007_331


def weather(rng: Random) -> Iterator[Weather]:
    stations = [STATION, *rng.sample(range(2**32), 11)]
    for time_s in range(START_S, START_S + 3600, 600):
        values = [
            Weather(station, quantity, time_s, round(rng.uniform(1, 99), 1))
            for station in stations
            for quantity in QUANTITIES
        ]
        yield from values
        yield from rng.sample(values, 4)  # the gateway got no reply, so it sends them again


WEATHER_POINTS = good(
    "overwritten records",
    "Station, quantity and time identify a value: one that is sent again is the same value, so nothing is lost.",
    (
        Table(
            "weather_points",
            WeatherOfStation,
            Weather,
            {"value": "w:v"},
            families={"w": Family(ttl_seconds=730 * DAY_S)},
            splits=split_points(KeyLayout(WeatherOfStation), 15),
        ),
    ),
    weather,
    asks(
        "a quantity of a station in half an hour",
        station=STATION,
        quantity="humidity",
        time_s=between(START_S, START_S + 1800),
    ),
)


@attrs.frozen
class Receipt:
    till: str
    receipt_no: str
    lines: str


@row_key
class ReceiptOfTill:
    """A receipt of a till."""

    till: str = part(EscapedText, "the till")
    receipt_no: str = part(TrailingText, "its number, always eight digits")


TILLS = names(Random("tills"), "till", 18)


def receipts(rng: Random) -> Iterator[Receipt]:
    tills = dict.fromkeys(TILLS, 0)
    for _ in range(250):
        till = rng.choice([*tills])
        tills[till] += 1
        yield Receipt(
            till,
            f"{tills[till]:08}",
            f"{rng.randrange(1, 9)} x coffee at 3.20, {rng.randrange(1, 9)} x cake at 4.50, paid in cash",
        )


RECEIPTS = good(
    "numbers as text",
    "The numbers are text, but all have eight digits, so they sort as numbers do, and an interval finds what it says.",
    (Table("receipts", ReceiptOfTill, Receipt, {"lines": "r:l"}, splits=splits_by_digit("till")),),
    receipts,
    asks(
        "receipts 5 to 11 of a till",
        till=TILLS[0],
        receipt_no=between("00000005", "00000012"),
    ),
)


@attrs.frozen
class HourOfStore:
    store: int
    day: int
    hour: int
    visitors: int
    buyers: int
    revenue_cents: int


@row_key
class DayOfStore:
    """The hours of a day of a store."""

    store: int = part(UInt32, "the store; its number is random")
    day: int = part(UInt16, "days since 1970")


@row_key
class HourOfDay:
    """The hour within its day."""

    hour: int = part(UInt8, "0 to 23, in the store's time")


STORE = 3_117_224_906


def store_hours(rng: Random) -> Iterator[HourOfStore]:
    stores = [STORE, *rng.sample(range(2**32), 7)]
    for day in (EPOCH_DAY, EPOCH_DAY + 1):
        for hour in range(8, 24):
            for store in stores:
                buyers = rng.randrange(20, 90)
                yield HourOfStore(
                    store, day, hour, buyers + rng.randrange(200), buyers, buyers * rng.randrange(900, 4000)
                )


STORE_HOURS = good(
    "unbounded row",
    "A row has one cell for each hour of one day, so never more than 24, and the next day is another row.",
    (
        Table(
            "store_hours",
            DayOfStore,
            HourOfStore,
            ItemCells(HourOfStore, "h", KeyLayout(HourOfDay), value=("visitors", "buyers", "revenue_cents")),
            families={"h": Family(ttl_seconds=1100 * DAY_S)},
            splits=split_points(KeyLayout(DayOfStore), 15),
        ),
    ),
    store_hours,
    asks("a store's hours of a day", store=STORE, day=EPOCH_DAY + 1),
    asks("a store's hours of a week", store=STORE, day=between(EPOCH_DAY, EPOCH_DAY + 7)),
)


@row_key
class FollowerOf:
    """One user who follows another; the key says all."""

    followed: int = part(UInt64, "who is followed; ids of users are random")
    follower: int = part(UInt64, "who follows")


USER, FAN = 0x9F0C_11D2_7E55_A013, 0x31B2_5D09_C4AA_7F86


def followers(rng: Random) -> Iterator[FollowerOf]:
    users = [USER, FAN, *(rng.getrandbits(64) for _ in range(58))]
    edges = {(rng.choice(users), follower) for follower in users for _ in range(4)} | {(USER, FAN)}
    for followed, follower in rng.sample(sorted(edges), len(edges)):
        yield FollowerOf(followed, follower)


FOLLOWERS = good(
    "repeated key",
    "A row is its key with one cell that marks it: nothing is repeated, and one scan lists all followers of a user.",
    (
        Table(
            "followers",
            FollowerOf,
            FollowerOf,
            RecordCells(FollowerOf, {}, marker="f:x"),
            splits=split_points(KeyLayout(FollowerOf), 15),
        ),
    ),
    followers,
    asks("a user's followers", followed=USER),
    asks("whether a user follows another", followed=USER, follower=FAN),
)

LAYOUTS: tuple[Judged, ...] = (
    AIR_READINGS,
    AD_IMPRESSIONS,
    PHONE_BILLS,
    CLICK_STREAM,
    WEBHOOK_DELIVERIES,
    METER_READINGS,
    LOGIN_ATTEMPTS,
    BUS_STOPS,
    VEHICLE_SIGNALS,
    CHAT_ROOMS,
    POD_USAGE,
    ACCOUNTS,
    FILMS_BY_LENGTH,
    PURCHASES,
    SUPPORT_TICKETS,
    PARCELS,
    SENT_MESSAGES,
    CURRENCY_NAMES,
    CARTS,
    TRACKER_POSITIONS,
    WEATHER_POINTS,
    RECEIPTS,
    STORE_HOURS,
    FOLLOWERS,
)
"""The bad ones, then the good ones."""
