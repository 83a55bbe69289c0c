"""The rules of lint: each finds its mistake in a minimal wrong table, and nothing in the right one beside it."""

import re
from functools import cache, partial
from typing import Any

import attrs
import pytest

from domains.activity.keys import ACTIVITY as ACTIONS
from domains.activity.shown.design import DESIGN as ACTIVITY
from domains.activity.shown.variants import time_first as newest_first
from domains.activity.shown.variants import user_and_time
from domains.logs.keys import LOGS, LogTimeFirst
from domains.logs.records import LogEvent
from domains.logs.repository import LogRepository
from domains.logs.shown.design import DESIGN as LOGS_DESIGN
from domains.logs.shown.variants import modulo, salted, slices, time_first
from domains.monitoring.design import DESIGN as MONITORING
from domains.monitoring.keys import POINTS
from domains.monitoring.shown.variants import bucketed
from domains.orders.keys import ORDERS
from domains.profiles.keys import PROFILES
from shared.designs import Accepted, AccessPattern
from shared.exhibit.linting import Asked, Cell, LintedTable, Samples, lint, lint_variant, linted_tables, needless
from shared.keys import EscapedText, Int64, KeyLayout, Salt, Splits, UInt32, between, part, row_key
from shared.records import parse_time
from shared.sources import Table
from shared.tables import Column, Family, RecordCells, TableLayout
from tests.designs import find_variants
from tests.programs.pages.lint_block import lint_block


def found(*tables: LintedTable) -> list[tuple[str, str]]:
    return [(finding.rule, finding.table) for finding in lint(tables)]


@cache
def found_in(name: str) -> list[str]:
    """What the rules find in a variant such as `logs:time-first`, whether accepted or not."""
    design, (variant, *_others) = find_variants(name)
    return [f"{finding.rule} {finding.table}" for finding in lint(linted_tables(design, variant))]


def stored(table: TableLayout[Any, Any], records: list[Any], *, is_in_order: bool = True) -> LintedTable:
    """A table that has these records, which nobody asks for."""
    cells = [
        Cell(table.row(record), column, value)
        for record in sorted(records, key=table.row)
        for column, value in table.cells.pack(record).items()
    ]
    keys = [table.key.key_of(record) for record in records]
    return LintedTable(table, Samples(keys, cells, records, is_in_order=is_in_order))


# ---- keys ----------------------------------------------------------------------------------------


EVENTS = sorted(LOGS_DESIGN.loads[0].sample_records(), key=lambda event: event.time_ms)


def test_a_key_that_starts_with_a_time_rises_unless_a_bucket_of_another_part_comes_first() -> None:
    assert ("rising", "logs_slices") in found(LintedTable(slices.TABLE.layout))
    assert found(stored(LOGS.layout, EVENTS)) == found(stored(salted.TABLE.layout, EVENTS)) == []
    assert "new rows go to the last region" in str(lint([stored(time_first.TABLE.layout, EVENTS)]))
    actions = sorted(ACTIVITY.loads[0].sample_records(), key=lambda action: action.time_ms)
    assert "new rows go to the first region" in str(lint([stored(newest_first.TABLE.layout, actions)]))


def test_a_time_after_a_part_of_which_one_value_is_frequent_rises_too() -> None:
    one_host = [attrs.evolve(event, host="web-1", event="GET") for event in EVENTS]
    (finding,) = lint([stored(LOGS.layout, one_host)])
    assert finding.reason == (
        "100% of the samples have one value of host and event, and then time_ms, which falls as records are written: "
        "new rows go to one region"
    )
    half = [event if number % 2 else attrs.evolve(event, host="web-1") for number, event in enumerate(EVENTS)]
    assert found(stored(LOGS.layout, half)) == []


def test_a_key_of_numbers_that_count_up_rises_unless_a_hash_of_them_comes_first() -> None:
    assert "rising orders" in found_in("orders:orders")
    assert not [finding for finding in found_in("orders:hashed-number") if "rising" in finding]
    in_any_order = [*find_variants("orders")[0].loads[0].sample_records()]
    assert found(stored(ORDERS.layout, in_any_order)) == []


def test_of_records_without_a_time_only_dense_numbers_that_are_all_different_count_up() -> None:
    def found_of(key: type[Any], numbers: list[Any]) -> list[tuple[str, str]]:
        table = notes(key, numbers, numbers[0], numbers[0])
        samples = attrs.evolve(table.samples, is_in_order=False)
        return [pair for pair in found(attrs.evolve(table, asked=(), samples=samples)) if pair[0] == "rising"]

    shuffled = [number * 37 % 101 for number in range(1, 101)]
    assert found_of(ByNumber, shuffled) == found_of(ByText, [*map(str, shuffled)]) == [("rising", "notes")]
    assert found_of(ByNumber, [*range(0, 10_000, 100)]) == []  # a file that is sorted by this number
    assert found_of(ByText, [f"web-{number:03}" for number in range(100)]) == []


def test_a_salted_table_without_split_points_is_found() -> None:
    unsplit = attrs.evolve(salted.TABLE.layout, splits=Splits((), "made by another tool"))
    assert found(LintedTable(unsplit)) == [("unsplit", "logs_salted")]
    assert found(LintedTable(salted.TABLE.layout)) == []


@row_key
class ByText:
    number: str = part(EscapedText, "counts up")


@row_key
class ByNumber:
    number: int = part(UInt32, "counts up")


@attrs.frozen
class Note:
    number: Any
    text: str = "a note that is longer than its key"


def notes(key: type[Any], numbers: list[Any], since: Any, until: Any) -> LintedTable:
    table: TableLayout[Any, Any] = TableLayout(
        "notes", "a note", KeyLayout(key), RecordCells(Note, {"text": Column("n:t")})
    )
    asked = Asked("the notes of an interval", frozenset(["number"]), {"number": between(since, until)})
    return attrs.evolve(stored(table, [*map(Note, numbers)]), asked=(asked,))


def test_an_interval_of_numbers_stored_as_text_of_several_lengths_is_found() -> None:
    numbers = [5, 3, 9, 10, 12]
    assert found(notes(ByText, [*map(str, numbers)], "5", "15")) == [("text-number", "notes")]
    assert found(notes(ByText, [f"{number:02}" for number in numbers], "05", "15")) == []
    assert found(notes(ByText, ["5a", "10"], "5", "6")) == []
    assert found(notes(ByNumber, numbers, 5, 15)) == []


def test_a_part_that_no_question_gives_is_found_if_questions_compare_a_later_part() -> None:
    of_host = Asked("a host's events, ten minutes", frozenset(["host"]), {"host": "a", "time_ms": between(0, 9)})
    of_kind = Asked("one kind", frozenset(["host", "event"]), {"host": "a", "event": "GET"})
    (finding,) = lint([LintedTable(LOGS.layout, asked=(of_host,))])
    assert (finding.rule, finding.reason) == ("unbound", "no question gives event, so no range binds time_ms after it")
    assert found(LintedTable(LOGS.layout, asked=(of_host, of_kind))) == []


@pytest.mark.long
def test_a_question_gives_the_parts_of_its_ranges_and_of_its_conditions_but_no_bucket() -> None:
    def given(name: str) -> dict[str, list[str]]:
        design, (variant,) = find_variants(name)
        return {
            asked.question: sorted(asked.given) for table in linted_tables(design, variant) for asked in table.asked
        }

    salted_logs = given("logs:salted")
    assert salted_logs["the latest events of all hosts"] == []
    assert salted_logs["all hosts, ten minutes"] == ["time_ms"]
    assert salted_logs["one kind of a host's events, ten minutes"] == ["event", "host", "time_ms"]
    assert given("logs:slices")["all hosts, ten minutes"] == ["time_ms"]
    assert given("monitoring:monitoring")["averages of each minute"] == ["host", "metric", "time_ms"]


def ranges_found(logs: Table[LogEvent], until: str) -> list[tuple[str, str]]:
    """Whether a question from 2026-01-12 on makes too many ranges."""
    period = {"since_ms": parse_time("2026-01-12"), "until_ms": parse_time(until)}
    pattern = AccessPattern("all hosts, a period", LogRepository.window, period)
    variant = attrs.evolve(LOGS_DESIGN.main, tables=logs.tables, open=partial(LogRepository, logs=logs))
    linted = linted_tables(attrs.evolve(LOGS_DESIGN, patterns=(pattern,)), variant)
    return [pair for pair in found(*linted) if pair[0] in ("many-ranges", "unbound")]


def test_a_question_of_more_slices_than_a_plan_may_have_ranges_is_found() -> None:
    assert ranges_found(slices.TABLE, "2026-01-13") == []
    assert ranges_found(slices.TABLE, "2026-02-12") == [("many-ranges", "logs_slices")]


def test_a_salt_of_fewer_values_than_buckets_is_found_and_a_modulo_of_whole_seconds() -> None:
    events = [*LOGS_DESIGN.loads[0].sample_records()]
    few = attrs.evolve(salted.TABLE.layout, key=KeyLayout(LogTimeFirst, Salt(of="event", buckets=64)))
    frequent = [event if number % 20 == 0 else attrs.evolve(event, host="web-1") for number, event in enumerate(events)]
    new_hosts = [attrs.evolve(event, host=f"web-{number}") for number, event in enumerate(events[:40])]
    assert ("few-buckets", "logs_salted") in found(stored(few, events))
    assert ("few-buckets", "logs_salted") not in found(stored(salted.TABLE.layout, events))
    assert ("few-buckets", "logs_salted") in found(stored(salted.TABLE.layout, frequent))
    assert ("few-buckets", "logs_salted") not in found(
        stored(attrs.evolve(few, key=KeyLayout(LogTimeFirst, Salt(of="host", buckets=64))), new_hosts)
    )
    assert ("few-buckets", "logs_modulo") in found(stored(modulo.TABLE.layout, events))
    spread = [attrs.evolve(event, time_ms=event.time_ms + number) for number, event in enumerate(events)]
    assert ("few-buckets", "logs_modulo") not in found(stored(modulo.TABLE.layout, spread))


@row_key
class WithoutTie:
    time_ms: int = part(Int64, "when")
    host: str = part(EscapedText, "where")
    event: str = part(EscapedText, "what kind")


@attrs.frozen
class EventOfKey(LogEvent):
    tie: bytes = attrs.field(init=False, default=b"")


def test_a_key_in_which_nothing_after_the_time_tells_records_apart_may_have_ties() -> None:
    actions = [*ACTIVITY.loads[0].sample_records()]
    assert ("tie", "activity_user_and_time") in found(stored(user_and_time.TABLE.layout, actions))
    assert ("tie", "activity") not in found(stored(ACTIONS.layout, actions))


def test_a_measure_that_is_stored_again_needs_no_tie_and_records_that_replace_others_do() -> None:
    points = [*MONITORING.loads[0].sample_records()]
    assert ("tie", "points") not in found(stored(POINTS.layout, points))
    design, (variant,) = find_variants("monitoring:bucketed")
    reasons = [finding.reason for finding in lint(linted_tables(design, variant)) if finding.rule == "tie"]
    assert reasons == ["1,308 of the sample records replace another one, which has the same key"]


def test_parts_after_the_time_that_repeat_are_no_tie_breaker() -> None:
    events = [EventOfKey(event.host, event.event, event.time_ms) for event in LOGS_DESIGN.loads[0].sample_records()]
    cells = RecordCells(EventOfKey, {"severity": "l:s", "message": "l:m"})
    published: TableLayout[Any, Any] = TableLayout("logs_published", "one event", KeyLayout(WithoutTie), cells)
    assert ("tie", "logs_published") in found(stored(published, events))
    assert ("tie", "logs_time_first") not in found(
        stored(time_first.TABLE.layout, [*LOGS_DESIGN.loads[0].sample_records()])
    )


def test_a_slice_without_the_rest_of_its_time_has_ties_for_the_whole_slice() -> None:
    points = [*MONITORING.loads[0].sample_records()]
    reasons = [finding.reason for finding in lint([stored(bucketed.TABLE.layout, points)]) if finding.rule == "tie"]
    assert reasons == ["its key holds only the 15-minute slice of time_ms: records of one slice replace each other"]


# ---- cells and families --------------------------------------------------------------------------


def test_a_key_that_many_small_cells_repeat_is_found_unless_they_are_one_cell_or_compressed() -> None:
    actions = [attrs.evolve(action, user=action.user * 20) for action in ACTIVITY.loads[0].sample_records()]
    table = ACTIONS.layout
    compressed = attrs.evolve(table, families={"a": Family(compression="GZ")})
    assert found(stored(table, actions)) == [("long-key", "activity")]
    assert found(stored(compressed, actions)) == []
    assert found(stored(table, [*ACTIVITY.loads[0].sample_records()])) == []


@attrs.frozen
class Gauge:
    number: int
    value: float


GAUGES = TableLayout(
    "gauges", "the value of a gauge now", KeyLayout(ByNumber), RecordCells(Gauge, {"value": Column("g:v")})
)


def test_points_without_a_ttl_are_found_if_there_are_many() -> None:
    points = [*MONITORING.loads[0].sample_records()]
    first_ms = points[0].time_ms
    seldom = [attrs.evolve(point, time_ms=first_ms + 60 * (point.time_ms - first_ms)) for point in points]
    expiring, for_ever = ({"p": Family(ttl_seconds=ttl_s)} for ttl_s in (99, -1))
    assert found(stored(POINTS.layout, points)) == [("no-ttl", "points")]
    assert found(stored(POINTS.layout, seldom)) == []
    assert found(stored(attrs.evolve(POINTS.layout, families=expiring), points)) == []
    assert found(stored(attrs.evolve(POINTS.layout, families=for_ever), points)) == [("no-ttl", "points")]
    assert found(LintedTable(GAUGES)) == []
    assert found(LintedTable(LOGS.layout)) == []


def test_a_source_that_expires_is_found() -> None:
    expiring = attrs.evolve(ORDERS.layout, families={"o": Family(ttl_seconds=86_400)})
    assert found(LintedTable(expiring)) == [("source-ttl", "orders")]
    assert found(LintedTable(ORDERS.layout)) == []


DAY, WEEK = Family(ttl_seconds=86_400), Family(ttl_seconds=7 * 86_400)


def test_parts_of_a_record_that_expire_at_different_times_are_found() -> None:
    day, week = {"l": DAY}, {"l": WEEK}
    copy = attrs.evolve(LOGS.layout, name="copy", families=day)
    assert found(LintedTable(LOGS.layout), LintedTable(copy)) == [("ttls-differ", "copy")]
    longer = LintedTable(attrs.evolve(LOGS.layout, families=week))
    (finding,) = lint([longer, LintedTable(copy)])
    assert finding.reason == (
        "family l expires after 86,400 s, but family l of logs, which holds the same LogEvent, only after 604,800 s"
    )
    assert found(LintedTable(copy), LintedTable(attrs.evolve(LOGS.layout, families=day))) == []
    assert found(LintedTable(copy), LintedTable(GAUGES)) == []
    two = attrs.evolve(PROFILES.layout, families={**PROFILES.layout.families, "a": Family(ttl_seconds=60)})
    assert found(LintedTable(two)) == [("ttls-differ", "profiles")]


def test_a_family_that_expires_with_the_required_cells_and_not_after_them_is_found() -> None:
    """HBase may read the clock a millisecond later for it, and then a record seems to have nothing in it."""
    with_a = [
        LintedTable(attrs.evolve(PROFILES.layout, families={"p": DAY, "a": family})) for family in (DAY, WEEK, Family())
    ]
    assert [found(table) for table in with_a] == [[("ttls-differ", "profiles")], [], []]
    (finding,) = lint(with_a[:1])
    assert finding.reason == (
        "family a expires after 86,400 s, like what every Profile has, but HBase reads the clock for each family: at "
        "that moment a record may be read without it"
    )


def test_a_table_with_a_ttl_is_linted_with_samples_of_any_age(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Family, "lifetime_s", 86_400)
    (table,) = linted_tables(LOGS_DESIGN, LOGS_DESIGN.main)
    assert len(table.samples.cells) > 100


# ---- designs -------------------------------------------------------------------------------------


def test_what_is_accepted_is_the_finding_of_a_rule() -> None:
    with pytest.raises(ValueError, match=r"^Accepted\.rule: must be one of rising, .* \(got 'raising'\)$"):
        Accepted("raising", "of a misspelt name")


def test_the_page_of_a_design_refuses_findings_that_are_neither_mended_nor_accepted() -> None:
    with pytest.raises(ValueError, match=re.escape("nothing that is not accepted (got LintFinding(rule='no-ttl'")):
        lint_block(attrs.evolve(MONITORING, accepted=()))


def test_a_finding_is_accepted_in_the_tables_that_are_named_and_what_has_no_finding_is_named() -> None:
    elsewhere, leftover = Accepted("no-ttl", "of another table", ("points_salted",)), Accepted("unsplit", "a leftover")
    design = attrs.evolve(MONITORING, accepted=(elsewhere, leftover))
    linted = lint_variant(design, design.main)
    assert [finding.rule for finding in linted.findings] == ["no-ttl"]
    assert list(needless(design, [linted])) == [elsewhere, leftover]
