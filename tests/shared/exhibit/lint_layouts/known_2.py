"""Twelve bad and twelve good layouts that the author of the rules knew in the end."""

import hashlib
from collections.abc import Iterator
from random import Random
from uuid import UUID

import attrs

from shared.keys import (
    Code,
    DecimalText,
    EscapedText,
    FixedBytes,
    FixedText,
    HashPrefix,
    Int64,
    KeyLayout,
    Modulo,
    ReversedDigits,
    Salt,
    Slice,
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
    starting_with,
)
from shared.sources import Table
from shared.tables import Family, ItemCells

from .judged import (
    DAY_S,
    EPOCH_DAY,
    START_S,
    Judged,
    asks,
    asks_all,
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
class Post:
    id: int
    author: str
    created_at: str
    text: str


@row_key
class PostById:
    """One post."""

    id: int = part(UInt64, "41 bits of milliseconds since 2010, 10 of the machine, 12 that count")


def snowflake(time_s: float, rng: Random) -> int:
    return (int(time_s * 1000) - 1_288_834_974_657) << 22 | rng.randrange(32) << 12 | rng.randrange(4)


def posts(rng: Random) -> Iterator[Post]:
    authors = names(rng, "a", 45)
    written = [
        Post(snowflake(time_s, rng), rng.choice(authors), iso(time_s), f"I saw {rng.randrange(90)} birds today.")
        for time_s in moments(rng, 200, 0.03)
    ]
    return iter(sorted(written, key=lambda post: (post.author, post.id)))


POSTS = bad(
    "hot first part",
    "The upper bits of an id are its time, so all new posts go to the last region; the file is sorted by author.",
    (Table("posts", PostById, Post, {"author": "p:a", "created_at": "p:c", "text": "p:t"}),),
    posts,
    asks("a post by its id", id=next(posts(Random("posts"))).id),
)


@attrs.frozen
class AuditEntry:
    occurred_at: str
    actor: str
    seq: int
    change: str


@row_key
class EntryByTime:
    """One entry of the audit trail of all actors."""

    occurred_at: str = part(EscapedText, "when, ISO 8601 in UTC with milliseconds, always 24 characters")
    actor: str = part(EscapedText, "who changed something")
    seq: int = part(UInt32, "counts the entries of the actor")


def audit_entries(rng: Random) -> Iterator[AuditEntry]:
    counts = dict.fromkeys(names(rng, "emp", 30), 0)
    for time_s in moments(rng, 180, 0.4):
        actor = rng.choice([*counts])
        counts[actor] += 1
        yield AuditEntry(
            iso(time_s),
            actor,
            counts[actor],
            f"set the limit of account {rng.randrange(10**8)} from 1,000 to {rng.randrange(2, 9)},000",
        )


AUDIT_TRAIL = bad(
    "hot first part",
    "The key starts with the time as text, so the entries of all actors are put at its end, into one region.",
    (Table("audit_trail", EntryByTime, AuditEntry, {"change": "a:c"}),),
    audit_entries,
    asks("all changes of half a minute", occurred_at=between(iso(START_S + 10), iso(START_S + 40))),
)


@attrs.frozen
class GameEvent:
    shard: str
    event_time: int
    player: int
    action: str


@row_key
class EventOfShard:
    """One event of a player."""

    shard: str = part(FixedText(2, "\0"), "where the player is: eu, us or ap")
    event_time: int = part(UInt64, "when, microseconds since 1970 UTC")
    player: int = part(UInt64, "the player")


def game_events(rng: Random) -> Iterator[GameEvent]:
    players = [rng.getrandbits(64) for _ in range(90)]
    for time_s in moments(rng, 300, 0.01):
        (shard,) = rng.choices(("eu", "us", "ap"), (95, 3, 2))
        event_time = int(time_s * 1e6) + rng.randrange(1000)
        yield GameEvent(shard, event_time, rng.choice(players), rng.choice(("jump", "shoot", "trade", "win")))


GAME_EVENTS = bad(
    "hot first part",
    "Of 100 events 95 are of one shard, and within it the time decides: one region takes nearly all writes.",
    (Table("game_events", EventOfShard, GameEvent, {"action": "e:a"}, families={"e": Family(ttl_seconds=7 * DAY_S)}),),
    game_events,
    asks(
        "events of a shard in a second",
        shard="eu",
        event_time=between(START_S * 10**6, (START_S + 1) * 10**6),
    ),
)


@attrs.frozen
class Payment:
    payment_id: UUID
    details: str


@row_key
class PaymentById:
    """One payment."""

    payment_id: UUID = part(Uuid, "a UUID of version 7, chosen by the client")


def uuid7(time_s: float, rng: Random) -> UUID:
    number = int(time_s * 1000) << 80 | 7 << 76 | rng.getrandbits(12) << 64 | 2 << 62 | rng.getrandbits(62)
    return UUID(int=number)


def payments(rng: Random) -> Iterator[Payment]:
    for time_s in moments(rng, 160, 0.05):
        yield Payment(uuid7(time_s, rng), f'{{"cents":{rng.randrange(10**5)},"card":"{rng.getrandbits(64):x}"}}')


PAYMENTS = bad(
    "hot first part",
    "A UUID of version 7 starts with the milliseconds of its making: all payments of a year go to one of 16 regions.",
    (Table("payments", PaymentById, Payment, {"details": "p:d"}, splits=split_points(KeyLayout(PaymentById), 15)),),
    payments,
    asks("a payment by its id", payment_id=next(payments(Random("payments"))).payment_id),
)

# ---- bad: what should spread does not ------------------------------------------------------------


@attrs.frozen
class Sale:
    merchant: str
    sold_s: int
    sale_id: int
    basket: str


@row_key
class SaleOfMerchant:
    """One sale of a merchant."""

    merchant: str = part(EscapedText, "the merchant")
    sold_s: int = part(UInt32, "when, seconds since 1970 UTC")
    sale_id: int = part(UInt64, "random")


def sales(rng: Random) -> Iterator[Sale]:
    others = names(rng, "m", 14)
    for time_s in moments(rng, 320, 0.1):
        merchant = rng.choice(others) if rng.random() < 0.05 else "megastore"
        yield Sale(
            merchant,
            int(time_s),
            rng.getrandbits(64),
            f"{rng.randrange(1, 9)} things of department {rng.randrange(40)}",
        )


MARKET_SALES = bad(
    "hot salt",
    "The hash is computed from the merchant, and one merchant makes 95 % of the sales: so has one of 16 regions.",
    (Table("market_sales", KeyLayout(SaleOfMerchant, HashPrefix(of="merchant", bytes=2)), Sale, {"basket": "s:b"}),),
    sales,
    asks("a merchant's sales of ten seconds", merchant="megastore", sold_s=between(START_S + 5, START_S + 15)),
)


@attrs.frozen
class ProbeResult:
    measured_at: int
    probe: int
    result: str


@row_key
class ResultByTime:
    """One result of a probe."""

    measured_at: int = part(Int64, "the minute, milliseconds since 1970 UTC")
    probe: int = part(UInt32, "the probe; its number is random")


def probe_results(rng: Random) -> Iterator[ProbeResult]:
    probes = rng.sample(range(2**32), 25)
    for minute in range(10):
        for probe in rng.sample(probes, 25):
            yield ProbeResult((START_S + 60 * minute) * 1000, probe, f"{rng.uniform(9, 90):.1f} ms to 192.0.2.{minute}")


PROBE_RESULTS = bad(
    "few buckets",
    "Whole minutes in milliseconds are multiples of 10, so of ten buckets only the first one ever gets a row.",
    (
        Table(
            "probe_results",
            KeyLayout(ResultByTime, Modulo(of="measured_at", by=10)),
            ProbeResult,
            {"result": "r:r"},
            families={"r": Family(ttl_seconds=30 * DAY_S)},
        ),
    ),
    probe_results,
    asks("all results of three minutes", measured_at=between(START_S * 1000, START_S * 1000 + 180_000)),
)

# ---- bad: lost or wrong answers ------------------------------------------------------------------


@attrs.frozen
class HeartRate:
    patient: int
    taken_s: int
    beats: int


@row_key
class QuarterOfPatient:
    """The heart rates of a patient in a quarter of an hour."""

    patient: int = part(UInt32, "the patient; the number is random")
    taken_s: int = part(Slice(UInt32, 900), "the quarter of an hour, seconds since 1970 UTC")


PATIENT = 0xC2F1_09BB


def heart_rates(rng: Random) -> Iterator[HeartRate]:
    patients = [PATIENT, *(rng.getrandbits(32) for _ in range(7))]
    for time_s in range(START_S, START_S + 3600, 300):
        for patient in patients:
            yield HeartRate(patient, time_s + rng.randrange(40), rng.randrange(50, 130))


HEART_RATES = bad(
    "overwritten records",
    "The key holds the quarter of an hour and the columns are fixed, so of three values in it only the last stays.",
    (
        Table(
            "heart_rates",
            QuarterOfPatient,
            HeartRate,
            {"taken_s": "h:t", "beats": "h:b"},
            families={"h": Family(ttl_seconds=365 * DAY_S)},
        ),
    ),
    heart_rates,
    asks("a patient's heart rates of half an hour", patient=PATIENT, taken_s=between(START_S, START_S + 1800)),
)


@attrs.frozen
class Offer:
    city: str
    rent: str
    flat_id: int
    description: str


@row_key
class OfferInCity:
    """A flat to let."""

    city: str = part(EscapedText, "the city")
    rent: str = part(EscapedText, "the rent in euros, a whole number")
    flat_id: int = part(UInt32, "the flat; its number is random")


def offers(rng: Random) -> Iterator[Offer]:
    for _ in range(220):
        city = rng.choice(("Berlin", "Essen", "Graz", "Linz", "Wien", "Basel"))
        text = f"{rng.randrange(1, 6)} rooms, {rng.randrange(20, 140)} square metres"
        yield Offer(city, str(rng.randrange(300, 2600)), rng.getrandbits(32), text)


FLAT_OFFERS = bad(
    "numbers as text",
    "Rents are text of three or four digits, so a flat of 1,900 euros is found among those of 180 to 400.",
    (Table("flat_offers", OfferInCity, Offer, {"description": "f:d"}),),
    offers,
    asks("flats of a city from 180 to 400 euros", city="Wien", rent=between("180", "400")),
)

# ---- bad: what is read and stored ----------------------------------------------------------------


@attrs.frozen
class Stocked:
    supplier: int
    barcode: int
    pharmacy: int
    packs: int


@row_key
class StockOfSupplier:
    """The packs of a medicine that a pharmacy has."""

    supplier: int = part(UInt32, "who delivered it; the number is random")
    barcode: int = part(DecimalText(13), "the medicine")
    pharmacy: int = part(UInt32, "the pharmacy; its number is random")


BARCODE = 4_004_675_120_831


def stock(rng: Random) -> Iterator[Stocked]:
    suppliers, pharmacies = rng.sample(range(2**32), 14), rng.sample(range(2**32), 30)
    barcodes = [BARCODE, *(4 * 10**12 + rng.randrange(10**11) for _ in range(24))]
    places = [
        (supplier, barcode, pharmacy) for supplier in suppliers for barcode in barcodes for pharmacy in pharmacies
    ]
    for supplier, barcode, pharmacy in rng.sample(places, 240):
        yield Stocked(supplier, barcode, pharmacy, rng.randrange(1, 40))


MEDICINES = bad(
    "part without a value",
    "No question gives the supplier, with which the key starts, so each question for a medicine reads the whole table.",
    (Table("medicines", StockOfSupplier, Stocked, {"packs": "m:p"}),),
    stock,
    asks_all("which pharmacies have a medicine", barcode=BARCODE),
)


@attrs.frozen
class Booking:
    account: str
    seq: int
    cents: int
    memo: str


@row_key
class AccountWithBookings:
    """An account with its bookings."""

    account: str = part(TrailingText, "the IBAN")


@row_key
class BookingOfAccount:
    """The place of a booking in the row of its account."""

    seq: int = part(UInt64, "counts the bookings of the account")


def ibans(rng: Random) -> list[str]:
    return [f"DE{rng.randrange(10, 99)}{rng.randrange(10**18):018}" for _ in range(3)]


IBAN = ibans(Random("account_bookings"))[0]


def bookings(rng: Random) -> Iterator[Booking]:
    counts = dict.fromkeys(ibans(rng), 0)
    for _ in range(360):
        account = rng.choice([*counts])
        counts[account] += 1
        yield Booking(account, counts[account], rng.randrange(-90_000, 90_000), f"Invoice {rng.randrange(10**7)}")


ACCOUNT_BOOKINGS = bad(
    "unbounded row",
    "All bookings that an account ever has are cells of one row, so that of a shop grows for ever and cannot be split.",
    (
        Table(
            "account_bookings",
            AccountWithBookings,
            Booking,
            ItemCells(Booking, "b", KeyLayout(BookingOfAccount), value=("cents", "memo")),
        ),
    ),
    bookings,
    asks("an account's bookings 10 to 19", account=IBAN, seq=between(10, 20)),
    asks_newest("an account's latest bookings", 20, account=IBAN),
)


@attrs.frozen
class CardUse:
    card: int
    used_at: int
    use_id: int
    terminal: str


@row_key
class UseOfCard:
    """One use of a card."""

    card: int = part(UInt64, "a random number that stands for the card")
    used_at: int = part(UInt32, "when, seconds since 1970 UTC")
    use_id: int = part(UInt64, "random; distinguishes uses of one second")


CARD = 0x5E1A_88F0_2B9D_C367


def card_uses(rng: Random) -> Iterator[CardUse]:
    cards = [CARD, *(rng.getrandbits(64) for _ in range(49))]
    for time_s in moments(rng, 250, 5):
        yield CardUse(rng.choice(cards), int(time_s), rng.getrandbits(64), f"terminal {rng.randrange(10**6)}, approved")


CARD_USES = bad(
    "too many ranges",
    "The salt is computed from the use, so the ten latest uses of a card need 256 scans; of the card it would be one.",
    (
        Table(
            "card_uses",
            KeyLayout(UseOfCard, Salt(of="use_id", buckets=256)),
            CardUse,
            {"terminal": "u:t"},
            families={"u": Family(ttl_seconds=400 * DAY_S)},
        ),
    ),
    card_uses,
    asks_newest("a card's latest uses", 10, card=CARD),
    asks("a card's uses of ten minutes", card=CARD, used_at=between(START_S, START_S + 600)),
)


@attrs.frozen
class DiskPoint:
    host: str
    counter: str
    time_s: int
    value: float


COUNTERS = {"reads": 1, "writes": 2, "queue": 3, "wait": 4}


@row_key
class PointOfDisk:
    """One point of a counter of a host's disk."""

    host: str = part(EscapedText, "the host")
    counter: str = part(Code(COUNTERS), "what was counted")
    time_s: int = part(UInt32, "when, seconds since 1970 UTC")


HOSTS = names(Random("hosts"), "node", 6)


def disk_points(rng: Random) -> Iterator[DiskPoint]:
    for time_s in range(START_S, START_S + 12):
        for host in HOSTS:
            for counter in COUNTERS:
                yield DiskPoint(host, counter, time_s, round(rng.uniform(0, 500), 2))


DISK_POINTS = bad(
    "expiry",
    "Each host writes four points a second, of which only the last minutes are asked, and nothing ever removes one.",
    (Table("disk_points", PointOfDisk, DiskPoint, {"value": "d:v"}),),
    disk_points,
    asks(
        "a counter of a host in five seconds",
        host=HOSTS[2],
        counter="queue",
        time_s=between(START_S + 5, START_S + 10),
    ),
    asks_newest("the latest value of a counter", 1, host=HOSTS[2], counter="wait"),
)

# ---- good: nothing rises -------------------------------------------------------------------------


@attrs.frozen
class Customer:
    born_ms: int
    customer_no: int
    name: str


@row_key
class CustomerByBirth:
    """A customer in the list by birthday."""

    born_ms: int = part(Int64, "the day of birth, milliseconds since 1970 UTC, below 0 before")
    customer_no: int = part(UInt32, "the customer; the number is random")


def customers(rng: Random) -> Iterator[Customer]:
    for customer_no in rng.sample(range(2**32), 150):
        yield Customer(
            rng.randrange(-12_000, 13_000) * DAY_S * 1000,
            customer_no,
            f"{rng.choice('ABCDEFGH')}. Name{rng.randrange(999)}",
        )


DECADES = Splits(
    tuple(Int64.encode(years * 3652 * DAY_S * 1000) for years in range(-2, 4)), "customers are born in any decade"
)
CUSTOMERS_BY_BIRTH = good(
    "hot first part",
    "The first part is a birthday, and customers of any age come in any order; the table is split by decades.",
    (Table("customers_by_birth", CustomerByBirth, Customer, {"name": "c:n"}, splits=DECADES),),
    customers,
    asks(
        "customers born in the first years from 1980 on",
        born_ms=between(3652 * DAY_S * 1000, 5000 * DAY_S * 1000),
    ),
)


@attrs.frozen
class Notice:
    shop: str
    event_id: str
    body: str


@row_key
class NoticeOfShop:
    """An event that a shop is told of."""

    shop: str = part(EscapedText, "the shop")
    event_id: str = part(FixedText(26, "\0"), "a ULID")


SHOPS = names(Random("shops"), "shop", 70)


def notices(rng: Random) -> Iterator[Notice]:
    for time_s in moments(rng, 260, 0.5):
        yield Notice(rng.choice(SHOPS), ulid(time_s, rng), f'{{"type":"order.paid","order":{rng.randrange(10**8)}}}')


FIRST_NOTICE = next(notices(Random("shop_notices")))
SHOP_NOTICES = good(
    "hot first part",
    "A ULID rises, but it comes after the shop, of which there are many, so new events go to many regions.",
    (
        Table(
            "shop_notices",
            NoticeOfShop,
            Notice,
            {"body": "n:b"},
            families={"n": Family(ttl_seconds=60 * DAY_S)},
            splits=splits_by_digit("shop"),
        ),
    ),
    notices,
    asks_newest("a shop's latest events", 20, shop=FIRST_NOTICE.shop),
    asks(
        "an event",
        shop=FIRST_NOTICE.shop,
        event_id=FIRST_NOTICE.event_id,
    ),
)


@attrs.frozen
class ShelfStock:
    ean: int
    changed_at: str
    pieces: int


@row_key
class StockOfArticle:
    """How many pieces of an article there are."""

    ean: int = part(DecimalText(13), "the number on the package")


def shelf_stock(rng: Random) -> Iterator[ShelfStock]:
    eans = rng.sample(range(2 * 10**12, 9 * 10**12), 140)
    changes = [
        ShelfStock(ean, iso(time_s), rng.randrange(90)) for ean, time_s in zip(eans, moments(rng, 140, 30), strict=True)
    ]
    return iter(sorted(changes, key=lambda change: change.ean))


SHELF_STOCK = good(
    "hot first part",
    "Only the file is sorted by number: `changed_at` shows that articles change in any order, all over the table.",
    (
        Table(
            "shelf_stock",
            StockOfArticle,
            ShelfStock,
            {"changed_at": "s:c", "pieces": "s:p"},
            splits=Splits(tuple(b"%d" % digit for digit in range(3, 9)), "first digits of numbers on packages"),
        ),
    ),
    shelf_stock,
    asks("the stock of an article", ean=next(shelf_stock(Random("shelf_stock"))).ean),
)


@attrs.frozen
class LotteryTicket:
    ticket_no: int
    sold_at: str
    numbers: str


@row_key
class TicketByNumber:
    """A lottery ticket."""

    ticket_no: int = part(ReversedDigits(12), "counts up; the last digit first")


def lottery_tickets(rng: Random) -> Iterator[LotteryTicket]:
    for number, time_s in enumerate(moments(rng, 190, 0.3)):
        drawn = " ".join(f"{ball:02}" for ball in sorted(rng.sample(range(1, 50), 6)))
        yield LotteryTicket(700_000_450_000 + number, iso(time_s), drawn)


LOTTERY_TICKETS = good(
    "hot first part",
    "The numbers count up, but their digits are reversed and the table is split at the last digit: each takes a tenth.",
    (Table("lottery_tickets", TicketByNumber, LotteryTicket, {"sold_at": "t:s", "numbers": "t:n"}),),
    lottery_tickets,
    asks("a ticket by its number", ticket_no=700_000_450_123),
)


@attrs.frozen
class ExamResult:
    subject: str
    student: int
    exam_day: int
    points: int
    remark: str


SUBJECTS = ("maths", "physics", "chemistry", "biology", "history", "music", "art", "sport")


@row_key
class ResultOfStudent:
    """The result of a student in an exam."""

    subject: str = part(Code({name: number for number, name in enumerate(SUBJECTS)}), "the subject")
    student: int = part(UInt64, "the student; the number is random")
    exam_day: int = part(UInt16, "days since 1970; a subject has one exam a day at most")


STUDENT = 0xA4D7_6610_FF02_9B3C


def exam_results(rng: Random) -> Iterator[ExamResult]:
    students = [STUDENT, *(rng.getrandbits(64) for _ in range(19))]
    for day in (0, 14):
        exams = [(subject, student) for subject in SUBJECTS for student in students]
        for subject, student in rng.sample(exams, len(exams)):
            yield ExamResult(subject, student, EPOCH_DAY + day, rng.randrange(101), "marked by two teachers")


EXAM_RESULTS = good(
    "hot first part",
    "Each of eight subjects has a region and as many results as another, and within it students spread them.",
    (Table("exam_results", ResultOfStudent, ExamResult, {"points": "e:p", "remark": "e:r"}),),
    exam_results,
    asks("a student's results in a subject", subject="music", student=STUDENT),
)


@attrs.frozen
class VatRate:
    code: int
    description: str


@row_key
class RateByCode:
    """A rate of value added tax."""

    code: int = part(UInt8, "counts the rates")


def vat_rates(_rng: Random) -> Iterator[VatRate]:
    countries = ("AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT")
    for code, country in enumerate((*countries, *countries), 1):
        yield VatRate(code, f"{country}, {'standard' if code <= len(countries) else 'reduced'} rate")


VAT_RATES = good(
    "hot first part",
    "It has at most 256 rows, and a government changes one now and then: a single region holds them, hardly written.",
    (
        Table(
            "vat_rates",
            RateByCode,
            VatRate,
            {"description": "v:d"},
            holds="one of some 60 rates, loaded once; a rate is added about twice a year",
        ),
    ),
    vat_rates,
    asks("a rate by its code", code=6),
)


@attrs.frozen
class Photo:
    sha256: bytes
    stored_at: str
    thumbnail: bytes


@row_key
class PhotoByHash:
    """A photo, stored once whoever sends it."""

    sha256: bytes = part(FixedBytes(32), "the SHA-256 of the photo")


def photos(rng: Random) -> Iterator[Photo]:
    sent = [
        Photo(hashlib.sha256(rng.randbytes(8)).digest(), iso(time_s), rng.randbytes(300))
        for time_s in moments(rng, 110, 3)
    ]
    return iter(sorted(sent, key=lambda photo: photo.sha256))


PHOTOS = good(
    "hot first part",
    "Hashes are spread evenly whatever is stored, and the table is split at them; only the file is sorted by hash.",
    (
        Table(
            "photos",
            PhotoByHash,
            Photo,
            {"stored_at": "p:s", "thumbnail": "p:t"},
            splits=split_points(KeyLayout(PhotoByHash), 15),
        ),
    ),
    photos,
    asks("whether a photo is stored", sha256=next(photos(Random("photos"))).sha256),
)

# ---- good: salts, ties, text, rows ---------------------------------------------------------------


@attrs.frozen
class Alert:
    occurred_s: int
    alert_id: UUID
    body: str


@row_key
class AlertByTime:
    """One alert."""

    occurred_s: int = part(UInt32, "when, seconds since 1970 UTC")
    alert_id: UUID = part(Uuid, "a random UUID, of version 4")


def alerts(rng: Random) -> Iterator[Alert]:
    for time_s in moments(rng, 240, 0.2):
        yield Alert(int(time_s), UUID(int=rng.getrandbits(128), version=4), f"card {rng.getrandbits(40):x} used twice")


ALERTS = good(
    "too many ranges",
    "The bucket is computed from the random id, so eight regions take an eighth each, and a period is eight ranges.",
    (
        Table(
            "alerts",
            KeyLayout(AlertByTime, Salt(of="alert_id", buckets=8)),
            Alert,
            {"body": "a:b"},
            families={"a": Family(ttl_seconds=30 * DAY_S)},
        ),
    ),
    alerts,
    asks("all alerts of ten seconds", occurred_s=between(START_S + 10, START_S + 20)),
)


@attrs.frozen
class ChargerState:
    charger: str
    state: str
    """What it does, since when, and its power, as JSON."""


@row_key
class StateOfCharger:
    """What a charger does now."""

    charger: str = part(TrailingText, "the charger")


CHARGERS = names(Random("chargers"), "chg", 45)


def charger_states(rng: Random) -> Iterator[ChargerState]:
    for time_s in moments(rng, 225, 4):
        does = rng.choice(("free", "charging", "defect"))
        yield ChargerState(
            rng.choice(CHARGERS), f'{{"does":"{does}","since":"{iso(time_s)}","kw":{rng.randrange(150)}}}'
        )


CHARGER_STATES = good(
    "overwritten records",
    "A row is the present state of a charger: a later report must replace it, and no question asks for the past.",
    (
        Table(
            "charger_states",
            StateOfCharger,
            ChargerState,
            {"state": "c:s"},
            splits=splits_by_digit("chg"),
            holds="the present state of a charger, which each report replaces",
        ),
    ),
    charger_states,
    asks("what a charger does now", charger=CHARGERS[0]),
)


@attrs.frozen
class Address:
    postcode: str
    street: str
    house_no: str
    place: str


@row_key
class AddressInStreet:
    """A house."""

    postcode: str = part(FixedText(5, "\0"), "always five digits")
    street: str = part(EscapedText, "the street")
    house_no: str = part(EscapedText, "the number of the house, such as 5 or 117")


def addresses(rng: Random) -> Iterator[Address]:
    streets = [(f"{rng.randrange(1000, 99999):05}", f"{rng.choice(('Oak', 'Mill', 'Church'))} Road") for _ in range(24)]
    streets.append(("80331", "Market Street"))
    houses = [(street, number) for street in streets for number in rng.sample(range(1, 180), 9)]
    houses.append((("80331", "Market Street"), 200))
    for (postcode, street), number in rng.sample(houses, len(houses)):
        yield Address(postcode, street, str(number), f"{rng.uniform(47, 55):.6f},{rng.uniform(6, 15):.6f}")


ADDRESSES = good(
    "numbers as text",
    "House numbers are text of any length, but every question gives a whole number or none, never an interval.",
    (Table("addresses", AddressInStreet, Address, {"place": "a:p"}),),
    addresses,
    asks("where a house is", postcode="80331", street="Market Street", house_no="200"),
    asks("all houses of a street", postcode="80331", street="Market Street"),
)


@attrs.frozen
class Seat:
    flight: str
    day: int
    row: int
    letter: str
    booking: str
    passenger: str


@row_key
class FlightOfDay:
    """The seats of a flight on a day."""

    flight: str = part(EscapedText, "the number of the flight")
    day: int = part(UInt16, "days since 1970")


@row_key
class SeatOfFlight:
    """A seat within its flight."""

    row: int = part(UInt8, "1 to 33")
    letter: str = part(FixedText(1, "\0"), "A to F")


def seats(rng: Random) -> Iterator[Seat]:
    flights = ("LH454", "BA117", "AF006", "KL641", "OS087", "LX014")
    places = [(flight, row, letter) for flight in flights for row in range(1, 34) for letter in "ABCDEF"]
    for flight, row, letter in rng.sample([*places], 420):
        yield Seat(
            flight, EPOCH_DAY + 30, row, letter, f"{rng.getrandbits(32):08X}", f"Passenger {rng.randrange(10**6)}"
        )


SEAT_MAPS = good(
    "unbounded row",
    "A row has a cell for each taken seat of one aircraft on one day, at most 198, and the next day is another row.",
    (
        Table(
            "seat_maps",
            FlightOfDay,
            Seat,
            ItemCells(Seat, "s", KeyLayout(SeatOfFlight), value=("booking", "passenger")),
            families={"s": Family(ttl_seconds=500 * DAY_S)},
        ),
    ),
    seats,
    asks("the taken seats of a flight", limit=200, flight="KL641", day=EPOCH_DAY + 30),
)


@attrs.frozen
class CachedPage:
    site: str
    path: str
    fetched_at: str
    html: str


@row_key
class PageOfSite:
    """A page as it was fetched."""

    site: str = part(EscapedText, "the name of the site, from the right, such as test.example.www")
    path: str = part(TrailingText, "the path of the page")


WORDS = ("price", "list", "of", "spare", "parts", "for", "machines", "in", "the", "old", "hall", "near", "a", "river")


def cached_pages(rng: Random) -> Iterator[CachedPage]:
    sites = [f"test.{name}.www" for name in names(rng, "example", 20)]
    for time_s in moments(rng, 90, 1):
        path = f"/archive/{rng.randrange(1990, 2026)}/articles/{rng.getrandbits(64):016x}.html"
        yield CachedPage(
            rng.choice([*sites, "test.example.www"]), path, iso(time_s), " ".join(rng.choices(WORDS, k=300))
        )


CACHED_PAGES = good(
    "repeated key",
    "The keys are long, but a row has two cells, of which one is a whole page, so keys are a small part of it.",
    (
        Table(
            "cached_pages",
            PageOfSite,
            CachedPage,
            {"fetched_at": "p:f", "html": "p:h"},
            families={"p": Family(ttl_seconds=30 * DAY_S, compression="GZ")},
        ),
    ),
    cached_pages,
    asks("the pages of a site", site="test.example.www"),
    asks("the articles of a site from 2000 on", site="test.example.www", path=starting_with("/archive/20")),
)

LAYOUTS: tuple[Judged, ...] = (
    POSTS,
    AUDIT_TRAIL,
    GAME_EVENTS,
    PAYMENTS,
    MARKET_SALES,
    PROBE_RESULTS,
    HEART_RATES,
    FLAT_OFFERS,
    MEDICINES,
    ACCOUNT_BOOKINGS,
    CARD_USES,
    DISK_POINTS,
    CUSTOMERS_BY_BIRTH,
    SHOP_NOTICES,
    SHELF_STOCK,
    LOTTERY_TICKETS,
    EXAM_RESULTS,
    VAT_RATES,
    PHOTOS,
    ALERTS,
    CHARGER_STATES,
    ADDRESSES,
    SEAT_MAPS,
    CACHED_PAGES,
)
"""The bad ones, then the good ones."""
