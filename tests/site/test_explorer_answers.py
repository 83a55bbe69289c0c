"""The answers of the key explorer, in this Python: they are those of the code that it shows."""

import json
import random
import subprocess
import sys

import pytest

from shared.command_line.named.typed_values import field_types, values_of
from shared.designs.ruler import show_value
from shared.keys import EscapedText
from shared.queries import Query
from tests.designs import NAMES, design_named
from tests.programs.site.explorer import explorer
from tests.programs.site.explorer.__main__ import code_files
from tests.programs.site.explorer.changed_keys import CODECS
from tests.programs.site.explorer.open_designs import open_design
from tests.programs.site.explorer.samples import sample_rows
from tests.programs.site.explorer.stored_keys import PAGE
from tests.shared.command_line.running import run

QUICK = ("leaderboard", "links")
EACH = [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in NAMES]
pytestmark = pytest.mark.usefixtures("samples")
OF_SLICES = ("counters", "monitoring")
"""Designs whose every row holds many records, so that the explorer shows no pages of them."""
SALT = {"kind": "Salt", "of": "seller_id", "number": 8}


def ask(call, **given):
    return json.loads(explorer.answer(json.dumps({"call": call, **given})))


def keys_with_words(name, count, seed=0):
    """Keys of the design's samples: the table, and the values of its parts as a reader types them."""
    of = open_design(name)
    keys = [(table, key) for table in of.rows for key in of.keys(of.table(table), "stored")]
    for table, key in random.Random(seed).sample(keys, min(count, len(keys))):
        names = of.table(table).key.part_named
        yield table, {part: show_value(part, getattr(key, part)) for part in names}


def explained(name, table, values):
    """What `rowbook explain` says of a key in one table."""
    ended = run(["explain", name, *(f"{part}={value}" for part, value in values.items()), "--json"])
    (found,) = [key for key in json.loads(ended.out)["keys"] if key["table"] == table]
    return found


def check_bytes(encoded, name, table, values):
    """What the explorer says of a key has the bytes and values that `rowbook explain` says."""
    wanted = explained(name, table, values)
    assert {part: encoded[part] for part in ("row", "row_bytes", "parts")} == {
        part: wanted[part] for part in ("row", "row_bytes", "parts")
    }


def samples_of(question):
    """The values with which a question of the explorer begins."""
    return {field["name"]: field["value"] for field in question["fields"] if field["value"] is not None}


def first_question(design, table):
    """The first question of a design that reads a table."""
    return next(one for one in ask("describe", design=design)["questions"] if one["table"] == table)


@pytest.mark.parametrize("name", EACH)
def test_bytes_are_those_of_rowbook_explain(name):
    tables = ask("describe", design=name)["tables"]
    examples = [(table["name"], {part["name"]: part["value"] for part in table["parts"]}) for table in tables]
    for table, values in [*examples, *keys_with_words(name, 12)]:
        check_bytes(ask("encode", design=name, table=table, changes={}, values=values), name, table, values)


@pytest.mark.parametrize("name", EACH)
def test_ranges_are_those_of_the_repository(name):
    of = open_design(name)
    for question in ask("describe", design=name)["questions"]:
        values = samples_of(question)
        given = {"design": name, "table": question["table"], "changes": {}, "question": question["number"]}
        planned = ask("plan", **given, values=values)
        if question["number"] == explorer.OWN:
            table = of.table(question["table"])
            (part, example) = next(iter(values.items()))
            values_of_part = (getattr(key, part) for key in of.keys(table, "stored"))
            value = next(value for value in values_of_part if show_value(part, value) == example)
            wanted = table.plan(**{part: value}).ranges
        else:
            pattern = of.design.patterns[question["number"]]
            query = pattern.ask(of.repository, **pattern.sample)
            if not isinstance(query, Query):
                continue
            wanted = query.explain().ranges
        ranges = planned.get("narrowed", planned)["ranges"]
        assert [(rows["start"], rows["stop"]) for rows in ranges] == [
            (rows.start.hex(), rows.stop and rows.stop.hex()) for rows in wanted
        ]


@pytest.mark.parametrize("name", EACH)
def test_the_declaration_to_copy_makes_the_same_bytes(name):
    for table in ask("describe", design=name)["tables"]:
        values = {part["name"]: part["value"] for part in table["parts"]}
        for changes in ({}, {"prefix": {"kind": "HashPrefix", "of": table["parts"][0]["name"], "number": 2}}):
            given = {"design": name, "table": table["name"], "changes": changes, "values": values}
            row = bytes.fromhex(ask("encode", **given)["row"])
            printed = ask("run", code=ask("python", **given, names={})["python"])
            assert printed == {"output": f"{row.hex(' ')}\n", "is_failed": False}


def test_another_order_of_parts_is_another_key():
    of = {"design": "leaderboard", "table": "leaderboard_by_score"}
    parts = ask("describe", design="leaderboard")["tables"][1]["parts"]
    values = {part["name"]: part["value"] for part in parts}
    order = [part["name"] for part in reversed(parts)]
    declared, changed = (ask("encode", **of, changes=changes, values=values) for changes in ({}, {"order": order}))
    assert changed["refused"].endswith("TrailingText has no terminator, so it must be the last part")
    changes = {"order": order, "codecs": {order[0]: str(EscapedText)}}
    changed = ask("encode", **of, changes=changes, values=values)
    assert [part["bytes"] for part in changed["parts"][1:]] == [
        part["bytes"] for part in reversed(declared["parts"][:-1])
    ]
    verdicts = [ask("landing", **of, changes=of_key)["verdict"].partition(":")[0] for of_key in ({}, changes)]
    assert verdicts == ["even", "uneven"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"codecs": {"owner": "TrailingText"}}, "TrailingText has no terminator, so it must be the last part"),
        ({"codecs": {"owner": "Int64"}}, "unknown codec of owner 'Int64'"),
        ({"order": ["owner"]}, "order: must have each of owner, created_ms, code once (got owner)"),
        ({"prefix": {**SALT, "of": "owner", "number": 0}}, "Salt.buckets: must be 1..256, to fit one byte (got 0)"),
        ({"prefix": SALT}, "needs a part seller_id; the parts are owner, created_ms and code"),
        ({"prefix": {**SALT, "kind": "Sault"}}, "unknown prefix 'Sault': did you mean Salt?"),
    ],
)
def test_a_layout_that_cannot_be_is_refused_in_one_line(changes, reason):
    for call, given in (("encode", {"values": {}}), ("landing", {}), ("python", {"values": {}, "names": {}})):
        answer = ask(call, design="links", table="links_of_owner", changes=changes, **given)
        assert reason in answer["refused"]
        assert "\n" not in answer["refused"]


def test_a_salt_multiplies_the_ranges_of_a_question_that_does_not_bind_its_part():
    of = {"design": "links", "table": "links_of_owner"}
    question = first_question(**of)
    values = samples_of(question)
    given = {**of, "question": question["number"], "values": values}
    declared = ask("plan", **given, changes={})
    for part, ranges in (("owner", 1), ("code", SALT["number"])):
        salted = ask("plan", **given, changes={"prefix": {**SALT, "of": part}})
        assert len(salted["ranges"]) == ranges * len(declared["ranges"])
        assert (salted["read"], salted["matching"]) == (declared["read"], declared["matching"])


def test_a_program_prints_and_fails_as_in_python():
    assert ask("run", code="x = 2\nprint(x * 21)") == {"output": "42\n", "is_failed": False}
    assert ask("run", code="print('x' in globals())")["output"] == "False\n"
    failed = ask("run", code="def half(x):\n    return x / 0\n\nhalf(1)\n")
    assert failed["is_failed"]
    assert failed["output"].splitlines()[:2] == [
        "Traceback (most recent call last):",
        '  File "example.py", line 4, in <module>',
    ]
    assert "    return x / 0" in failed["output"]
    assert ask("run", code="x = (")["output"].splitlines()[0] == '  File "example.py", line 1'


def test_pages_come_in_the_order_of_the_key_until_its_last_row():
    of = {
        "design": "links",
        "table": "links_of_owner",
        "changes": {},
        "question": explorer.OWN,
        "values": {"owner": ""},
    }
    pages, cursor = [], None
    while not pages or cursor:
        answer = ask("plan", **of, cursor=cursor)
        pages.append(answer["page"])
        cursor = answer["cursor"]
    assert answer["page_read"] == len(pages[-1])
    keys = [tuple(key.values()) for page in pages for key in page]
    assert len({*keys}) == len(keys) == answer["rows"]
    assert {len(page) for page in pages[:-1]} == {PAGE}
    times = [created for owner, created, _code in keys if owner == keys[0][0]]
    assert times == sorted(times, reverse=True)


def _any_changes(parts, dice):
    """Another order of parts, other codecs and directions, and a prefix; maybe one that cannot be."""
    kind = dice.choice([None, "Salt", "HashPrefix", "TimeBucket", "declared"])
    prefix = kind and {
        "kind": kind,
        "of": dice.choice(parts)["name"],
        "number": 86_400_000 if kind == "TimeBucket" else 4,
    }
    return {
        "order": dice.sample([part["name"] for part in parts], len(parts)),
        "codecs": {
            part["name"]: dice.choice([codec["name"] for codec in part["codecs"] if not codec["loses_rows"]])
            for part in parts
            if dice.random() < 0.3
        },
        "descending": {part["name"]: dice.random() < 0.5 for part in parts if dice.random() < 0.3},
        **({} if kind == "declared" else {"prefix": prefix}),
    }


def _any_question(table, keys, dice):
    """A question, as a reader types it, and what tells whether a key is of its answer."""
    types = field_types(table.key.key_class)
    texts, tests = {}, []
    for name in types:
        low, high = sorted(getattr(key, name) for key in dice.choices(keys, k=2))
        ends = [show_value(name, value) for value in (low, high)]
        read = [values_of([f"{name}={end}"], types, "part")[name] for end in ends]
        if read != [low, high] or any(sign in end for end in ends for sign in ("..", "*")):
            continue  # shown in another way than it is typed
        form = dice.choice(["any", "value", "between"])
        if form == "value":
            texts[name] = ends[0]
            tests.append(lambda key, name=name, low=low: getattr(key, name) == low)
        elif form == "between" and low != high:
            texts[name] = " .. ".join(ends)
            tests.append(lambda key, name=name, low=low, high=high: low <= getattr(key, name) < high)
    return texts, lambda key: all(test(key) for test in tests)


@pytest.mark.parametrize("name", EACH)
def test_a_changed_key_answers_any_question_as_a_plain_list_does(name):
    seed = random.randrange(10**6)
    dice = random.Random(seed)
    of = open_design(name)
    answered = 0
    for _ in range(60):
        described = dice.choice(ask("describe", design=name)["tables"])
        table = of.table(described["name"])
        keys = of.keys(table, "stored")
        texts, is_wanted = _any_question(table, keys, dice)
        given = {"design": name, "table": table.name, "changes": _any_changes(described["parts"], dice)}
        given |= {"question": explorer.OWN, "values": texts}
        found, plan = [], ask("plan", **given)
        while (plan := plan.get("narrowed", plan)).get("page") is not None:
            found += plan["page"]
            if plan["cursor"] is None:
                wanted = [
                    {part: show_value(part, getattr(key, part)) for part in table.key.part_named}
                    for key in keys
                    if is_wanted(key)
                ]
                assert plan["matching"] == len(wanted), (seed, given)
                as_lines = [sorted(json.dumps(row, sort_keys=True) for row in rows) for rows in (found, wanted)]
                assert as_lines[0] == as_lines[1], (seed, given)
                answered += 1
                break
            plan = ask("plan", **given, cursor=plan["cursor"])
    assert answered or name in OF_SLICES


def test_a_delimiter_that_texts_may_have_loses_rows_and_their_order():
    names = ("shop", "region", "category", "product_id")
    of = {"design": "catalog", "table": "catalog_products", "question": explorer.OWN, "values": {"shop": "s"}}
    keys = [("s", "1_n", "c", "p"), ("s_1", "n", "c", "p"), ("A", "r", "c", "p"), ("A1", "r", "c", "p")]
    of["rows"] = [dict(zip(names, key, strict=True)) for key in keys]
    right, wrong = (
        ask("plan", **of, changes={"codecs": dict.fromkeys(names[:-1], codec)})
        for codec in ("EscapedText", "JoinedText('_')")
    )
    assert (right["lost"], right["misread"], right["disordered"]) == ([], [], "")
    assert right["page"] == [of["rows"][0]]
    assert wrong["lost"] == ["(s_1, n, c, p) overwrites (s, 1_n, c, p): both have the same row key"]
    assert wrong["misread"] == [
        "shop s_1 is read as s, region n is read as 1, category c is read as n, product_id p is read as c_p"
    ]
    assert wrong["disordered"] == "shop A1 before A"
    lossy = {"design": "catalog", "table": "catalog_products", "changes": {"codecs": {"shop": "JoinedText('_')"}}}
    refused = ask("python", **lossy, values={}, names={})
    assert refused["refused"].startswith("shop: JoinedText loses rows")


def test_own_names_are_those_of_the_declaration_and_of_the_command_that_copies():
    names = {"Link": "Ticket", "owner": "garage_id", "created_ms": "sold_ms", "code": "ticket_number"}
    of = {"design": "links", "table": "links_of_owner", "changes": {}}
    values = {"owner": "o-1", "created_ms": "2026-01-12", "code": "n-1"}
    answer = ask("python", **of, names=names, values=values)
    row = ask("encode", **of, values=values)["row"]
    printed = ask("run", code=answer["python"])
    assert printed == {"output": f"{bytes.fromhex(row).hex(' ')}\n", "is_failed": False}
    assert [name in answer["python"] for name in ("garage_id", "sold_ms", "ticket_number", "owner:")] == [True] * 3 + [
        False
    ]
    assert answer["command"] == (
        "rowbook new ../tickets --from links --record Ticket"
        " --rename owner=garage_id --rename created=sold --rename code=ticket_number"
    )
    named = ask("python", design="orders", table="orders_by_buyer", changes={}, values={}, names={"buyer_id": "plate"})
    assert "class OrderByPlate:\n    plate: str" in named["python"]
    ascending = {"design": "orders", "table": "orders_by_seller", "changes": {"descending": {"placed_ms": False}}}
    assert ask("python", **ascending, values={}, names={})["command"].endswith(" --from orders:oldest-first")
    for wrong, reason in (
        (
            {"owner": "garage id"},
            "your name for owner: must be an ASCII Python name, such as garage_id (got 'garage id')",
        ),
        ({"owner": "self"}, "your name for owner: must be another name than self, which every key class uses"),
        ({"Link": "ticket"}, "your name for Link: must start with a capital, such as Ticket (got 'ticket')"),
        ({"owner": "code"}, "your names: owner and code must have different names (got code)"),
    ):
        assert ask("python", **of, values={}, names=wrong) == {"refused": reason}


def test_a_question_of_the_design_keeps_its_direction_when_a_key_has_another():
    of = {"design": "links", "table": "links_of_owner"}
    question = first_question(**of)
    of |= {"question": question["number"], "values": samples_of(question)}
    declared, ascending = (
        ask("plan", **of, changes=changes) for changes in ({}, {"descending": {"created_ms": False}})
    )
    assert [declared["is_reverse"], ascending["is_reverse"]] == [False, True]
    assert declared["page"] == ascending["page"]
    assert ascending["page_read"] > declared["page_read"]


def test_an_example_may_use_the_names_of_those_before_it():
    assert ask("run", code="print(x)", before=["x = 1\nprint('silent')", "x += 1"]) == {
        "output": "2\n",
        "is_failed": False,
    }
    failed = ask("run", code="print(x)", before=["1 / 0"])
    assert 'File "example_1.py", line 1' in failed["output"]


def test_a_question_of_ones_own_has_intervals_and_starts():
    of = {"design": "links", "table": "links_of_owner", "changes": {}, "question": explorer.OWN}
    whole, start, none = (ask("plan", **of, values={"owner": text}) for text in ("", "o*", "a..b"))
    assert whole["ranges"][0]["words"] == "all rows"
    assert whole["rows"] == whole["read"] > start["read"] > none["read"] == 0
    refused = ask("plan", **of, values={"owner": "o*", "code": "x"})
    assert "code" in refused["refused"]
    assert refused["narrowed"]["compared"] == ["code"]
    key = whole["page"][-1]
    found = ask("plan", **of, values={"code": key["code"]})["narrowed"]
    assert (found["read"], found["matching"], found["page"]) == (whole["rows"], 1, [key])


@pytest.mark.long
def test_the_files_that_a_browser_gets_are_all_that_it_needs(tmp_path):
    for name, data in code_files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    samples = tmp_path / "site_explorer" / "samples"
    samples.mkdir()
    for name in QUICK:
        (samples / f"{name}.json").write_text(json.dumps(sample_rows(design_named(name))), encoding="utf-8")
    program = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from site_explorer import in_browser; in_browser.prepare()\n"
        "from site_explorer.explorer import describe; print(*(len(describe(name)['tables']) for name in sys.argv[2:]))"
    )
    # Without the packages of this Python; of those that browsers lack, it may have none.
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, tmp_path, *QUICK], capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert [int(count) for count in ran.stdout.split()] == [
        len(ask("describe", design=name)["tables"]) for name in QUICK
    ]


def test_codecs_to_choose_hold_values_of_their_type():
    for of_type, codecs in CODECS.items():
        for codec in codecs:
            value = {str: "7", int: 7, bytes: b"7"}[of_type]
            assert codec.decode(codec.encode(value)) == value
