"""Times, days, Enums, UUIDs, bools and Decimals on the command line: loaded, asked for, shown and exported."""

import json
import re
import sys

import pytest

DESIGN = '''
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from uuid import UUID

import attrs

from shared.designs import AccessPattern, Design, Load, Variant
from shared.keys import Bool, Code, Date, DateTime, Descending, Uuid, between, part, row_key
from shared.queries import Query
from shared.sources import Table


class Status(Enum):
    OPEN = "open"
    PAID = "paid"


@attrs.frozen
class Parking:
    status: Status
    day: date
    began: datetime
    id: UUID
    is_paid: bool
    price: Decimal
    ended: datetime | None = None


@row_key
class ParkingByStatus:
    """One parking under its status."""

    status: Status = part(Code({Status.OPEN: 1, Status.PAID: 2}), "whether it is paid")
    day: date = part(Date, "the day")
    began: datetime = part(Descending(DateTime), "when, newest first")
    id: UUID = part(Uuid, "which")


PARKINGS = Table(
    "parkings", ParkingByStatus, Parking, {"is_paid": "p:b", "price": "p:p", "ended": "p:e"}, dated_by="began"
)


class Parkings:
    def __init__(self, connection) -> None:
        self._parkings = PARKINGS.on(connection)

    def store(self, parking: Parking) -> None:
        self._parkings.put(parking)

    def all(self) -> Query[Parking]:
        return self._parkings.ask_all()

    def of_day(self, status: Status, day: date, since: datetime | None = None) -> Query[Parking]:
        return self._parkings.ask(status=status, day=day, began=between(since))


SAMPLE = {"status": Status.OPEN, "day": date(2026, 1, 12), "since": None}
DESIGN = Design(
    name="parkings",
    question="Which cars are parked?",
    loads=(Load("parkings", Parking, Parkings.store, Path("parkings.csv"), export=Parkings.all),),
    patterns=(AccessPattern("a day's parkings", Parkings.of_day, SAMPLE, limit=10),),
    repository=Parkings,
    variants=(Variant(None, "the design itself", tables=PARKINGS.tables),),
)
'''
ID = "3f49c2a1-0b7e-4c55-9a10-6f1e2d3c4b5a"
ROWS = f"""\
status,day,began,id,is_paid,price,ended
open,2026-01-12,2026-01-12T09:00:00.000001+01:00,{ID},false,1.50,2026-01-12T10:00Z
paid,2026-01-13,2026-01-13T09:30,{ID},true,9,2026-01-13T10:00:00Z
"""
SHOWN = f"""\
status,day,began,id,is_paid,price,ended
open,2026-01-12,2026-01-12T08:00:00.000001Z,{ID},false,1.50,2026-01-12T10:00:00Z
paid,2026-01-13,2026-01-13T09:30:00Z,{ID},true,9,2026-01-13T10:00:00Z
"""
AS_JSON = {
    "status": "open",
    "day": "2026-01-12",
    "began": "2026-01-12T08:00:00.000001Z",
    "id": ID,
    "is_paid": False,
    "price": "1.50",
    "ended": "2026-01-12T10:00:00Z",
}
OF = "--design parkings:DESIGN --store embedded:p.db"


@pytest.fixture
def loaded(folder, ok):
    (folder / "parkings.py").write_text(DESIGN, encoding="utf-8")
    (folder / "parkings.csv").write_text(ROWS, encoding="utf-8")
    ok(f"load parkings parkings.csv {OF}")
    yield
    sys.modules.pop("parkings", None)


@pytest.mark.usefixtures("loaded")
def test_what_is_shown_is_read_again(ok, rowbook, folder):
    shown = ok(f"scan parkings parkings {OF} --csv")
    assert shown == SHOWN
    (folder / "again.csv").write_text(shown, encoding="utf-8")
    assert rowbook(f"load parkings again.csv {OF}")[0] == 0
    assert ok(f"scan parkings parkings {OF} --csv") == SHOWN
    assert ok(f"scan parkings {OF} --lines --format csv") == SHOWN
    assert json.loads(ok(f"scan parkings {OF} --lines --format jsonl").splitlines()[0]) == AS_JSON


@pytest.mark.usefixtures("loaded")
def test_json_has_iso_times_the_values_of_enums_and_texts(ok, rowbook, folder):
    records = json.loads(ok(f"scan parkings parkings {OF} --json"))["records"]
    assert records[0] == AS_JSON
    (folder / "again.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    assert rowbook(f"load parkings again.jsonl {OF}")[0] == 0
    assert ok(f"scan parkings parkings {OF} --csv") == SHOWN


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    ("words", "is_found"),
    [
        ("status=open day=2026-01-12", True),
        ("status=open day=2026-01-12 since=2026-01-12T08:00", True),
        ("status=open day=2026-01-12 since=2026-01-12T10:00:00+01:00", False),
        ("status=open day=2026-01-12 since=1h-ago", False),
        ("status=paid day=2026-01-12", False),
    ],
)
def test_a_question_takes_them_as_text(ok, words, is_found):
    assert (ID in ok(f"ask parkings of-day {words} {OF}")) == is_found


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("status=OPEN day=2026-01-12", "status: must be one of open, paid (got 'OPEN')"),
        ("status=open day=today", "day: must be a date such as 2017-06-23 (got 'today')"),
        ("status=open day=2026-01-12 since=5", "since: must be a time such as 2017-06-23T21:05:06.000001Z (got '5')"),
    ],
)
def test_an_argument_that_is_not_of_its_type_is_refused_in_one_line(rowbook, words, reason):
    code, out, err = rowbook(f"ask parkings of-day {words} {OF}")
    assert (code, out) == (2, "")
    assert reason in err


@pytest.mark.usefixtures("loaded")
def test_other_commands_show_them(ok):
    assert "price=9" not in ok(f"scan parkings parkings is_paid=false {OF}")
    assert ID in ok(f"scan parkings parkings status=paid since=2026-01-13 {OF}")
    assert ok(f"count parkings parkings price=1.5 {OF}") == "parkings: 1 record\n"
    key = f"status=open day=2026-01-12 began=2026-01-12T09:00:00.000001+01:00 id={ID}"
    shown = ok(f"get parkings parkings {key} {OF}")
    assert "2026-01-12T08:00:00.000001Z" in shown
    explained = ok(f"explain parkings {key} --design parkings:DESIGN")
    assert re.search(r"open +2026-01-12 +2026-01-12T08:00:00.000001Z", explained)


@pytest.mark.usefixtures("loaded")
def test_a_parquet_file_has_columns_of_times_and_days(ok):
    parquet = pytest.importorskip("pyarrow.parquet")
    ok(f"scan parkings parkings {OF} --parquet p.parquet")
    first = parquet.read_table("p.parquet").to_pylist()[0]
    assert (first["status"], first["price"], first["id"], first["is_paid"]) == ("open", "1.50", ID, False)
    assert (str(first["began"]), str(first["day"])) == ("2026-01-12 08:00:00.000001+00:00", "2026-01-12")
