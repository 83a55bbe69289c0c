"""`rowbook ask`: questions of every variant with the user's own values, page by page."""

import json
import re
import shlex
from contextlib import closing
from functools import partial
from pathlib import Path

import attrs
import pytest

from domains.command_line.designs import all_designs
from domains.command_line.usage import WrongUsage
from domains.command_line.words import arguments
from domains.logs.design import DESIGN as LOGS_DESIGN
from domains.monitoring.design import DESIGN as MONITORING
from domains.orders import TABLES, OrderRepository
from domains.orders.design import DESIGN as ORDERS_DESIGN
from shared.designs.arguments import questions
from shared.queries.pages import read_page
from shared.stores import connect
from shared.tables import create_tables

FIXTURES = Path(__file__).parents[2] / "fixtures"
QUIRKS = FIXTURES / "orders" / "quirks.csv"
MAP = (
    "--map order_number=tx --map seller_id=from --map buyer_id=to --map placed_ms=timestamp --map item=id "
    "--map 'amount=price (in wei)'"
)
TEN_MINUTES = "since=2026-01-12T08:40 until=2026-01-12T08:50"
ORDERS = [f"orders:{variant.name}" for variant in ORDERS_DESIGN.variants]
LOGS = [f"logs:{variant.name}" for variant in LOGS_DESIGN.variants if variant.name != "random"]


@pytest.fixture
def ask_json(ok):
    """The answer to a question, as JSON."""
    return lambda line: json.loads(ok(f"ask {line} --json"))


@pytest.fixture
def samples(sampled):
    """The option that names a store with the samples of every variant."""
    return f"--store {sampled}"


@pytest.fixture
def reads_few(monkeypatch):
    """A page of log events ends, or is refused, after a hundred rows in place of ten thousand."""
    monkeypatch.setattr("shared.queries.query.read_page", partial(read_page, read_at_most=100))


COSTS = [
    "left_to_the_client",
    "left_to_a_filter",
    "ranges",
    "rpcs",
    "rows_read",
    "rows_returned",
    "bytes_fetched",
]

# Names without a number


@pytest.mark.parametrize(
    ("line", "records", "unknown"),
    [
        ("points metric=sys.foo tag=host value=web-1", 0, ["metric 'sys.foo'"]),
        ("points metric=requests tag=hots value=web-1", 0, ["tag 'hots'"]),
        ("points metric=requests tag=host value=web-99", 0, ["tag value 'web-99'"]),
        ("query m=sum:sys.foo{hots=*}{dc=lga|x}", 0, ["metric 'sys.foo'", "tag 'hots'", "tag value 'x'"]),
        ("query m=sum:1h-count:requests{host=web-1|web-99}", 2, ["tag value 'web-99'"]),
        ("query m=sum:1h-count:requests{host=web-1}", 2, []),
        ("query m=sum:requests{host=nothing-*}", 0, []),
    ],
)
def test_an_answer_says_which_names_of_the_question_have_no_uid(ok, ask_json, samples, line, records, unknown):
    line = f"tsdb {line} since=2013-01-01 until=2013-01-01T02:00 {samples}"
    clauses = [f"{name} has no UID" for name in unknown]
    answer = ask_json(line)
    assert (len(answer["records"]), answer["unknown"]) == (records, clauses)
    found = f"{records} records" if records else "nothing found"
    why = f"{', but' if records else ':'} {', '.join(clauses)}" if unknown else ""
    assert any(text.startswith(f"{found}{why}; ") for text in ok(f"ask {line}").splitlines())


def test_a_uid_without_a_name_is_an_error_in_one_line(rowbook, samples):
    line = f"ask tsdb query m=tsuid=none:000009000001000001 since=2013-01-01 until=2013-01-02 {samples}"
    assert rowbook(line) == (1, "", "metrics: must be a UID with a name (got 00 00 09)\n")


# Questions


@pytest.mark.parametrize("name", ["orders", "orders:oldest-first"])
def test_ask_without_a_question_lists_each_once_with_its_arguments(ok, name):
    out = ok(f"ask {name}").splitlines()
    assert out[:4] == [
        f"rowbook ask {name} order order_number=",
        "  an order by its number",
        f"rowbook ask {name} of-seller seller_id= [since= until= status=]",
        "  a seller's latest orders",
    ]


def test_the_questions_as_json_have_their_arguments_and_what_they_answer(ask_json):
    assert ask_json("logs")["questions"][1:3] == [
        {"question": "latest", "arguments": "host= event=", "answers": ["a host's latest errors"]},
        {
            "question": "window",
            "arguments": "since= until= [host=]",
            "answers": ["all hosts, ten minutes", "one host, ten minutes"],
        },
    ]
    names = [question["question"] for question in ask_json("orders")["questions"]]
    assert names == ["order", "of-seller", "of-buyer", "with-status", "numbered"]


@pytest.mark.parametrize("design", all_designs(), ids=lambda design: design.name)
def test_every_command_that_run_prints_can_be_asked(rowbook, few_samples, design):
    for variant in design.variants:
        for pattern in design.patterns:
            code, out, err = rowbook(f"ask {design.name}:{variant.name} {pattern.words} --json")
            assert (code, err.count("\n")) in ((0, 0 if variant.wrong is None else 1), (2, 1))
            assert not out or [*json.loads(out)] == ["records", "cursor", "unknown", *COSTS]


# Answers


def test_an_answer_is_a_table_with_times_and_costs_below(ok):
    assert ok("ask orders of-seller seller_id=s-17 --limit 2").splitlines()[:5] == [
        "seller_id  placed_ms                 order_number  item  amount  status",
        "s-17       2026-01-28T13:38:58.457Z  n-318         desk       0  shipped",
        "s-17       2026-01-28T06:27:16.290Z  n-315         lamp       0  shipped",
        "2 records; 3 rows read, 3 RPCs",
        "  orders_by_seller  seller_id s-17",
    ]


@pytest.mark.parametrize("name", [*ORDERS, *LOGS])
def test_json_has_the_costs_that_run_measures(ask_json, in_memory, sampled_file, name):
    (design,) = json.loads(in_memory(f"run {name} --json"))["designs"]
    for cost in design["variants"][0]["questions"]:
        if "refused" not in cost:
            answer = ask_json(f"{name} {cost['ask']} --store {sampled_file}")
            assert {key: answer[key] for key in COSTS} == {key: cost[key] for key in COSTS}


def test_a_long_key_and_many_ranges_are_shown_in_part_and_say_so(ok, in_memory):
    assert ok(f"ask orders order order_number={'n' * 100}").splitlines()[1] == (
        f"  orders  order_number {'n' * 80}... (100 characters)"
    )
    assert ok("ask orders with-status status=cancelled").splitlines()[-1] == (
        "  and 10 ranges more, which --json shows"
    )


@pytest.fixture
def answers(monkeypatch):
    """Makes the question `order` answer something."""

    def set_up(answer):
        monkeypatch.setattr(OrderRepository, "order", lambda self, order_number: answer)

    return set_up


@pytest.mark.parametrize(
    ("answer", "lines", "as_json"),
    [
        (320, ["answer", "   320", "1 answer; 0 rows read, 0 RPCs"], [320]),
        (0, ["answer", "     0", "1 answer; 0 rows read, 0 RPCs"], [0]),
        (1.5, ["answer", "1.5", "1 answer; 0 rows read, 0 RPCs"], [1.5]),
        ("lamp\x1b", ["answer", r"'lamp\x1b'", "1 answer; 0 rows read, 0 RPCs"], ["lamp\x1b"]),
        (b"\0a", ["answer", "00 61", "1 answer; 0 rows read, 0 RPCs"], ["0061"]),
        ([3, 4], ["answer", "     3", "     4", "2 answers; 0 rows read, 0 RPCs"], [3, 4]),
        ((3, 4), ["answer", "(3, 4)", "1 answer; 0 rows read, 0 RPCs"], [[3, 4]]),
        ([], ["nothing found; 0 rows read, 0 RPCs"], []),
    ],
    ids=str,
)
def test_an_answer_may_be_a_number_or_anything_else(ok, ask_json, answers, answer, lines, as_json):
    answers(answer)
    assert ok("ask orders order order_number=n").splitlines() == lines
    assert ask_json("orders order order_number=n")["records"] == as_json


def test_a_number_is_shown_on_a_terminal_too(ok, answers, terminal):
    answers(320)
    terminal(80)
    assert "320" in ok("ask orders order order_number=n")


def test_bytes_and_empty_text_are_legible_in_an_answer(ok):
    lines = ok("ask logs host-events host=host1 event=LOGIN since=2026-01-12T08:40:43 --limit 1").splitlines()
    assert lines[:2] == [
        "host   event  time_ms                   severity  message  tie",
        "host1  LOGIN  2026-01-12T08:40:43.000Z  ''        user é   23 65 cf 98 24 cf b7 d7",
    ]


def test_rows_read_are_told_beside_rows_returned(ok):
    out = ok("ask orders:without-intents of-seller seller_id=s-17 status=cancelled")
    assert out.splitlines()[-2].startswith("6 records; 144 rows")
    assert "\n6 records; 12 rows read, 5 RPCs\n" in ok("ask orders of-seller seller_id=s-17 status=cancelled")


@pytest.mark.parametrize("name", ORDERS)
def test_json_is_one_object_with_records_cursor_and_rows_read(ask_json, samples, name):
    answer = ask_json(f"{name} order order_number=n-42 {samples}")
    assert {key: answer[key] for key in ("records", "cursor", "rows_read")} == {
        "records": [
            {
                "order_number": "n-42",
                "seller_id": "s-17",
                "buyer_id": "b-28",
                "placed_ms": 1767542528584,
                "item": "chair",
                "amount": 0,
                "status": "paid",
            }
        ],
        "cursor": None,
        "rows_read": 1,
    }
    assert ask_json(f"{name} of-seller seller_id=s-17 --limit 1 {samples}")["cursor"]


def test_json_has_bytes_in_hex_and_times_in_milliseconds(ask_json):
    (event,) = ask_json("logs latest host=店-1 event=GET --limit 1")["records"]
    assert event == {
        "host": "店-1",
        "event": "GET",
        "time_ms": 1768208885568,
        "severity": "INFO",
        "message": "/",
        "tie": "9b14c0c04915002f",
    }


@pytest.mark.parametrize(
    "question", ["host-events host=web-1 event=GET", "window host=web-1", "hosts-like host_prefix=web"]
)
def test_every_variant_that_answers_says_the_same(ask_json, samples, question):
    answers = [ask_json(f"{name} {question} {TEN_MINUTES} --limit 1000 {samples}")["records"] for name in LOGS]
    assert len(answers[0]) > 30
    if question.startswith("hosts-like"):  # as the rows lie
        answers = [sorted(records, key=lambda record: record["tie"]) for records in answers]
    assert all(records == answers[0] for records in answers)


@pytest.mark.parametrize(
    "since",
    [
        "since=2026-01-28T06:27:16.290Z",
        "since_ms=1769581636290",
        "since=+1769581636290",
        "'since=2026-01-28 06:27:16.290 UTC'",
        "'since=2026-01-28 06:27:16.29'",
        "since=2026-01-28T07:27:16.290+01:00",
        "since=20260128T062716.290Z",
        "since=2026-W05-3T06:27:16.290000",
    ],
)
def test_times_are_asked_in_every_form_with_or_without_their_unit(ask_json, samples, since):
    answer = ask_json(f"orders of-seller seller_id=s-17 {since} {samples}")
    assert [record["order_number"] for record in answer["records"]] == ["n-318", "n-315"]


@pytest.mark.parametrize(
    "line",
    [
        "orders order order_number=none",
        "orders of-seller seller_id=none",
        "orders:index-table numbered number_prefix=none",
        "logs latest host=none event=GET",
        "logs latest host= event=",
        "logs:salted window since=5 until=5",
    ],
)
def test_an_empty_answer_says_so_and_ends_with_0(ok, ask_json, samples, line):
    assert ok(f"ask {line} {samples}").startswith("nothing found; 0 rows read")
    answer = ask_json(f"{line} {samples}")
    assert [answer[key] for key in ("records", "cursor", "rows_read", "rows_returned")] == [[], None, 0, 0]


# Pages


@pytest.mark.parametrize(
    ("name", "question", "limit"),
    [(name, "of-seller seller_id=s-17 status=placed", 15) for name in ORDERS]
    + [(name, f"window host=web-1 {TEN_MINUTES}", 20) for name in LOGS],
)
def test_the_next_page_is_the_command_that_is_printed(ok, ask_json, samples, name, question, limit):
    whole = ask_json(f"{name} {question} --limit 1000 {samples}")["records"]
    line = f"ask {name} {question} --limit {limit} {samples}"
    records = []
    for _ in range(len(whole) + 1):
        records += ask_json(line.removeprefix("ask "))["records"]
        last = ok(line).splitlines()[-1]
        if not last.startswith("next page: rowbook "):
            break
        line = last.removeprefix("next page: rowbook ")
    assert records == whole
    assert len(whole) > 30


def test_a_page_without_matches_yet_names_the_next_page(ok, reads_few):
    lines = ok("ask logs hosts-like host_prefix=web since=2027-01-01").splitlines()
    assert lines[0].startswith("nothing found so far; 1")
    assert lines[1] == "  logs  host starting with web"
    assert lines[2].startswith("next page: rowbook ask logs hosts-like host_prefix=web since=2027-01-01 --cursor=")


@pytest.mark.parametrize("host", ["a b", "a=b", " web", "=", "a'b", "-", "--json", "$HOME", "[red]", "店"])
def test_a_host_may_hold_blanks_quotes_and_equals_signs(ok, ask_json, folder, new_url, host):
    url = new_url(*LOGS_DESIGN.main.tables)
    lines = [json.dumps({"host": host, "event": "e", "time_ms": number}) for number in range(3)]
    (folder / "a.jsonl").write_text("\n".join(lines))
    ok(f"load logs a.jsonl --store {url}")
    word = shlex.quote(f"host={host}")
    records = ask_json(f"logs latest {word} event=e --store {url}")["records"]
    assert [(record["host"], record["time_ms"]) for record in records] == [(host, number) for number in (2, 1, 0)]
    next_page = ok(f"ask logs latest {word} event=e --limit 2 --store {url}").splitlines()[-1]
    (last,) = ask_json(next_page.removeprefix("next page: rowbook ask "))["records"]
    assert last["time_ms"] == 0


# Cursors


def test_a_cursor_of_another_question_is_refused(rowbook, ask_json, samples):
    cursor = ask_json(f"orders of-seller seller_id=s-17 --limit 2 {samples}")["cursor"]
    ask_json(f"orders of-seller seller_id=s-17 --limit 9 --cursor={cursor} {samples}")
    for other in (
        "orders of-seller seller_id=s-1",
        "orders of-seller seller_id=s-17 status=paid",
        "orders of-seller seller_id=s-17 since=5",
        "orders of-buyer buyer_id=s-17",
        "orders:oldest-first of-seller seller_id=s-17",
        "orders:index-table of-seller seller_id=s-17",
        "logs latest host=s-17 event=e",
    ):
        code, out, err = rowbook(f"ask {other} --cursor={cursor} {samples}")
        assert (code, out) == (2, "")
        assert err == "cursor: belongs to another question; ask with the same values, or without it\n"


def test_a_cursor_that_is_damaged_anywhere_is_refused(rowbook, ask_json, samples):
    question = f"logs hosts-like host_prefix=web since=2026-01-12 until=2026-01-13 {samples}"
    cursor = ask_json(f"{question} --limit 1")["cursor"]
    for damaged in (cursor[:-1], cursor[1:], cursor + "x", cursor.swapcase(), f"{cursor[:9]}!{cursor[9:]}"):
        code, out, err = rowbook(f"ask {question} --cursor={damaged}")
        assert (code, out) == (2, "")
        assert err == f"cursor: is damaged (got {damaged!r}); ask again without it\n"


def test_a_cursor_for_a_question_that_is_refused_is_not_what_is_wrong(rowbook, ask_json, samples):
    cursor = ask_json(f"logs latest host=web-1 event=GET --limit 1 {samples}")["cursor"]
    code, _out, err = rowbook(f"ask logs:slices latest host=web-1 event=GET --cursor={cursor} {samples}")
    assert (code, err.partition(":")[0]) == (2, "LogInSlices.time_ms")
    assert "or ask" not in err  # which would not know the cursor


# Explanations


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (
            "orders of-seller seller_id=s-17",
            [
                "would read 1 range",
                "  orders_by_seller  seller_id s-17",
                "first page: 3 RPCs, if the first range fills it",
            ],
        ),
        (
            "orders:oldest-first of-seller seller_id=s-17 since=2026-01-12 until=2026-01-19 --limit 10",
            [
                "would read 1 range, in reverse",
                "  orders_by_seller_oldest  seller_id s-17, "
                "placed_ms 2026-01-12T00:00:00.000Z up to 2026-01-19T00:00:00.000Z",
                "first page: 3 RPCs, if the first range fills it",
            ],
        ),
        (
            "orders of-seller seller_id=s-17 --limit 1000",
            [
                "would read 1 range",
                "  orders_by_seller  seller_id s-17",
                "first page: 4 RPCs, if the first range fills it",
            ],
        ),
        (
            "orders with-status status=paid",
            [
                "would read 1 range",
                "  orders_by_seller  all rows",
                "the server compares status and drops other rows",
                "first page: 3 RPCs or more",
            ],
        ),
        (
            "logs window host=web-1 since=2026-01-12 until=2026-01-13",
            [
                "would read 1 range",
                "  logs  host web-1",
                "the client compares time_ms and drops other records",
                "the client sorts the records, so each page reads all of the ranges",
                "first page: 3 RPCs or more",
            ],
        ),
        (
            f"logs:salted of-severity host=web-1 severity=ERROR {TEN_MINUTES}",
            [
                "would read 1 range",
                "  logs_salted  bucket 05, time_ms 2026-01-12T08:40:00.000Z up to 2026-01-12T08:50:00.000Z",
                "the server compares severity and drops other rows",
                "the client compares host and drops other records",
                "first page: 3 RPCs or more",
            ],
        ),
        (
            f"logs:modulo window {TEN_MINUTES}",
            [
                "would read 8 ranges, side by side",
                *(
                    f"  logs_modulo  bucket 0{bucket}, time_ms 2026-01-12T08:40:00.000Z up to 2026-01-12T08:50:00.000Z"
                    for bucket in range(8)
                ),
                "first page: 24 RPCs or more",
            ],
        ),
        (
            "orders of-seller seller_id=s-17 since=5 until=5",
            ["would read 0 ranges", "first page: 0 RPCs, if the first range fills it"],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_explanation_has_ranges_work_beyond_them_and_rpcs(ok, line, wanted):
    assert ok(f"ask {line} --explain").splitlines() == wanted


def test_an_explanation_as_json_has_the_ranges_in_hex(ask_json):
    assert ask_json(
        f"logs:salted of-severity host=web-1 severity=ERROR filter_at=client {TEN_MINUTES} --limit 7 --explain"
    ) == {
        "ranges": [{"table": "logs_salted", "from": "058000019bb15caf00", "up_to": "058000019bb165d6c0"}],
        "merged": 1,
        "reverse": False,
        "left_to_the_client": ["host", "severity"],
        "left_to_a_filter": [],
        "rpcs": 3,
        "rpcs_are_exact": False,
        "then": "",
    }
    explained = ask_json("logs:modulo latest host=web-1 event=GET --explain")
    assert (explained["merged"], len(explained["ranges"]), explained["reverse"], explained["rpcs"]) == (8, 8, True, 24)
    assert ask_json("orders of-seller seller_id=s-17 --explain")["rpcs_are_exact"]
    assert not ask_json("orders numbered number_prefix=n- --explain")["rpcs_are_exact"]  # a row may hold no order


@pytest.mark.parametrize("name", [*ORDERS, *LOGS])
def test_an_explanation_is_what_the_first_page_does(rowbook, sampled_file, name):
    (design,) = (design for design in all_designs() if design.name == name.partition(":")[0])
    exact = 0
    for pattern in design.patterns:
        if pattern.answer != "page":
            continue
        line = f"ask {name} {pattern.words} --store {sampled_file} --json"
        (code, out, err), explained = rowbook(line), rowbook(f"{line} --explain")
        assert explained[::2] == (code, err)
        if code == 0:
            page, explained = json.loads(out), json.loads(explained[1])
            # A page that is filled reads no further ranges, and a second lookup is in another table.
            of_query = [range_ for range_ in page["ranges"] if range_["table"] == explained["ranges"][0]["table"]]
            wanted = explained["ranges"][::-1] if explained["reverse"] else explained["ranges"]
            assert of_query == wanted[: len(of_query)] != []
            for work in ("left_to_the_client", "left_to_a_filter"):
                assert page[work] == explained[work]
            assert page["rpcs"] >= explained["rpcs"]
            if explained["rpcs_are_exact"] and page["cursor"]:
                assert page["rpcs"] == explained["rpcs"]
                exact += 1
    # These merge buckets, or leave work to the client or to a filter, for every question whose page is filled.
    assert bool(exact) == (name not in ("logs:modulo", "logs:salted", "logs:slices"))


def test_an_explanation_reads_no_store(ok, rowbook, new_url):
    url = new_url()
    question = f"orders of-seller seller_id=s-17 --store {url}"
    assert rowbook(f"ask {question}")[0] == 1  # the store has no tables
    assert ok(f"ask {question} --explain").startswith("would read 1 range\n")


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("orders order order_number=n-42 --explain", "order: answers with one record, without --explain"),
        (
            "orders order order_number=n-42 --limit 3 --cursor a --explain",
            "order: answers with one record, without --limit and --cursor and --explain",
        ),
        ("orders of-seller seller_id=s-17 --limit 0 --explain", "--limit: must be 1..1000000 (got 0)"),
        (
            "orders of-seller seller_id=s-17 --cursor a --explain",
            "--explain: shows what the first page reads, without --cursor",
        ),
        ("orders of-seller --explain", "of-seller: needs seller_id= [since= until= status=]"),
        (
            f"logs window {TEN_MINUTES} --explain",
            "LogNewestFirst.time_ms: needs a value for host and event, which come earlier in the row key; "
            "or ask logs:time-first, logs:salted, logs:slices",
        ),
    ],
)
@pytest.mark.parametrize("as_json", ["", " --json"])
def test_a_question_that_cannot_be_explained_is_one_line(rowbook, line, wrong, as_json):
    assert rowbook(f"ask {line}{as_json}") == (2, "", f"{wrong}\n")


# Refusals


@pytest.mark.parametrize(
    ("line", "answering"),
    [
        (f"logs window {TEN_MINUTES}", "logs:time-first, logs:salted, logs:slices"),
        (f"logs:host-first window {TEN_MINUTES}", "logs:time-first, logs:salted, logs:slices"),
        ("logs:slices latest host=a event=e", "logs, logs:host-first, logs:time-first, logs:salted"),
        ("logs:slices window since=2026-01-01 until=2027-01-01", "logs:time-first, logs:salted"),
        ("logs:slices latest host=xx event=e", "logs, logs:time-first, logs:salted"),
        ("logs:random latest host=a event=e", "logs, logs:host-first, logs:time-first, logs:salted"),
        (
            "orders:hashed-number numbered number_prefix=n-3",
            "orders, orders:oldest-first, orders:index-table, orders:without-intents",
        ),
    ],
)
def test_a_refused_question_names_the_variants_that_answer_it(rowbook, ok, samples, line, answering):
    code, out, err = rowbook(f"ask {line} {samples}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.endswith(f"; or ask {answering}\n")
    question = line.partition(" ")[2]
    for name in answering.split(", "):
        ok(f"ask {name} {question} {samples}")


@pytest.mark.parametrize("line", [f"orders numbered number_prefix={'n' * 32_768}", "logs hosts-like host_prefix="])
def test_a_question_that_no_variant_answers_names_none(rowbook, few_samples, line):
    code, _out, err = rowbook(f"ask {line}")
    assert (code, err.count("\n")) == (2, 1)
    assert "or ask" not in err


def test_a_variant_that_refuses_only_so_many_rows_names_those_that_need_not_sort_them(rowbook, ok, reads_few):
    question = f"window host=web-1 {TEN_MINUTES}"
    code, _out, err = rowbook(f"ask logs {question}")
    assert (code, err) == (
        2,
        "a sorted page reads all rows of its ranges, which hold more than 100: "
        "ask with a condition on event, the first part of the row key that has none; "
        "or ask logs:time-first, logs:salted, logs:slices\n",
    )
    for name in ("logs:time-first", "logs:salted", "logs:slices"):
        ok(f"ask {name} {question}")
    ok("ask logs latest host=web-1 event=GET")


# Stores


def test_ask_reads_what_load_stored(ok, new_url):
    url = new_url(*ORDERS_DESIGN.main.tables)
    ok(f"load orders {QUIRKS} {MAP} --store {url}")
    seller = "0xb83f935bde19842392087216b03876892e4cd7de"
    out = ok(f"ask orders of-seller seller_id={seller} --store {url} --limit 3")
    assert "1000000000000000008" in out
    assert f"--store {shlex.quote(url)} --limit 3 --cursor=" in out.splitlines()[-1]


@pytest.mark.parametrize(
    ("variant", "missing"),
    [
        ("oldest-first", "orders_by_seller_oldest, orders_by_buyer_oldest"),
        ("index-table", "orders_index, orders_of_seller"),
        ("hashed-number", "orders_hashed"),
    ],
)
def test_a_variant_that_was_not_loaded_names_its_tables_and_the_command_that_loads_it(
    rowbook, ok, new_url, variant, missing
):
    url = new_url(*ORDERS_DESIGN.main.tables)
    ok(f"load orders {QUIRKS} {MAP} --store {url}")
    line = f"ask orders:{variant} of-buyer buyer_id=b --store {url}"
    load = f"rowbook load orders:{variant} FILE --store {shlex.quote(url)}"
    assert rowbook(line) == (1, "", f"{url}: has no table {missing}; make what is missing with {load}\n")
    ok(f"{load.removeprefix('rowbook ').replace('FILE', str(QUIRKS))} {MAP}")
    assert ok(line).startswith("nothing found")


def test_the_first_variant_is_loaded_under_the_name_of_its_design(rowbook, ok):
    ok(f"load logs:salted {FIXTURES / 'logs' / 'access.log'} --store 'embedded:my logs.db'")
    for name in ("logs", "logs:logs"):
        err = rowbook(f"ask {name} latest host=a event=e --store 'embedded:my logs.db'")[2]
        assert err.endswith("make what is missing with rowbook load logs FILE --store 'embedded:my logs.db'\n")


def test_variants_lie_beside_each_other_in_one_store(ok, ask_json, stored, new_url):
    url = new_url()
    file = FIXTURES / "logs" / "access.log"
    for name in ("logs", "logs:salted", "logs:slices"):
        ok(f"load {name} {file} --store {url}")
    assert {name: len(rows) for name, rows in stored(url).items()} == {
        "logs": 5,
        "logs_salted": 5,
        "logs_slices": 5,
        "rowbook_layouts": 3,
    }
    question = f"window host=203.0.113.9 since=2026-01-12 until=2026-01-13 --store {url}"
    first, *others = (ask_json(f"{name} {question}")["records"] for name in ("logs", "logs:salted", "logs:slices"))
    assert others == [first, first]
    assert [record["event"] for record in first] == ["404", "404", "200"]


def test_a_damaged_row_is_an_error_with_its_table_and_row(rowbook, ok, new_url):
    url = new_url(*ORDERS_DESIGN.main.tables)
    ok(f"load orders {QUIRKS} {MAP} --store {url}")
    with closing(connect(url)) as connection:
        connection.table("orders_by_seller").put(b"s-1\x00\x01junk", {b"o:i": b"\xc1"})
    code, out, err = rowbook(f"ask orders of-seller seller_id=s-1 --store {url}")
    assert (code, out) == (1, "")
    assert err.startswith("orders_by_seller: row 73 2d 31 00 01 6a 75 6e 6b: OrderBySeller.placed_ms: needs 8 bytes")


def test_designs_can_be_asked_over_tables_that_others_made(ok, new_url):
    url = new_url()
    with closing(connect(url)) as connection:
        create_tables(connection, TABLES)
    assert ok(f"ask orders order order_number=n-42 --store {url}").startswith("nothing found")


@pytest.mark.parametrize(
    "line",
    ["ask orders of-seller seller_id=s-17 since={}", "explain orders seller_id=s-17 order_number=n-42 placed={}"],
)
def test_a_time_in_seconds_is_refused_and_says_what_to_type(rowbook, ok, line):
    code, out, err = rowbook(line.format(1740823200))
    name = line.split()[-1].partition("=")[0]
    advice = "must be 2025-03-01T10:00:00.000Z for seconds, or +1740823200 for milliseconds (got '1740823200')"
    assert (code, out, err) == (2, "", f"{name}: {advice}\n")
    for text in ("2025-03-01T10:00:00.000Z", "+1740823200"):
        assert ok(line.format(text))


LENGTHS = {
    "600000": 600_000,
    "10m": 600_000,
    "600s": 600_000,
    "6h": 21_600_000,
    "14d": 1_209_600_000,
    "1w": 604_800_000,
}


def test_a_length_of_time_is_shown_as_it_is_typed():
    (pattern, *_) = questions(MONITORING)["averages"]
    every_hour = attrs.evolve(pattern, sample={**pattern.sample, "every_ms": 3_600_000})
    assert every_hour.words.endswith(" every=1h")


@pytest.mark.parametrize("text", LENGTHS)
def test_a_length_is_read_as_one(text):
    (pattern, *_) = questions(MONITORING)["averages"]
    assert (
        arguments(pattern, ["host=a", "metric=b", "since=0", "until=9", f"every={text}"])["every_ms"] == LENGTHS[text]
    )


@pytest.mark.parametrize("text", ["2017-06-23", "10 m", "-1", "1.5h", "", "6H"])
def test_a_time_is_no_length(text):
    (pattern, *_) = questions(MONITORING)["averages"]
    wanted = "every: must be a length such as 10m, 6h or 14d, or milliseconds"
    with pytest.raises(WrongUsage, match=re.escape(f"{wanted} (got {text!r})")):
        arguments(pattern, ["host=a", "metric=b", "since=0", "until=9", f"every={text}"])
