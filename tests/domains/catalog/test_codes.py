"""Codes for names: no code has two names and no name two codes, whichever processes claim or assign them."""

from contextlib import suppress

import attrs
import pytest

from domains.catalog.names import KINDS, NO_CODE, REREAD_S
from domains.catalog.shown.design import DESIGN
from shared.designs import metered
from shared.keys import InvalidKey
from shared.tables import InvalidRow
from shared.testing import WatchedConnection, WriterDied, dying_at
from shared.upkeep import Instructions
from shared.writes import IdTaken, NameTaken
from shared.writes.dictionaries import COUNTER_ROW
from tests.domains.variants import named, only

from .stopped_writes import LAMP

CHOSEN, NUMBERED = (named(DESIGN)[name] for name in ("chosen-codes", "numbered-codes"))
VARIANTS = [CHOSEN, NUMBERED]


def codes_of(variant):
    """The name of a variant's table of codes."""
    return next(table.name for table in variant.tables if table.name.endswith("_names"))


def mappings(connection, variant, kind="shop"):
    """The codes of names, and the names of codes, as they are stored."""
    rows = [*connection.table(codes_of(variant)).scan()]
    codes = {row.decode(): cells[b"id:%b" % kind.encode()] for row, cells in rows if b"id:%b" % kind.encode() in cells}
    names = {
        row: cells[b"name:%b" % kind.encode()].decode() for row, cells in rows if b"name:%b" % kind.encode() in cells
    }
    codes.pop("\0", None)  # the counter
    return codes, names


def check_one_to_one(codes, names):
    assert len({*codes.values()}) == len(codes)  # no code has two names that lead to it
    assert all(names[code] == name for name, code in codes.items())


def test_a_question_about_a_name_without_a_code_finds_nothing_and_gives_it_none(connection, variant):
    catalog = variant.open(connection)
    catalog.store(LAMP)
    before = [*connection.table(codes_of(variant)).scan()]
    assert catalog.product("Taobao", "EU", "sofas", "p-1") is None
    assert [
        *catalog.in_region("Tmall", "EU"),
        *catalog.of_category("Taobao", "books"),
        *catalog.with_id("JD", "p-1"),
    ] == []
    assert [*connection.table(codes_of(variant)).scan()] == before


def test_a_code_that_another_process_has_stored_since_is_looked_up_once(connection, variant):
    early = variant.open(connection)
    variant.open(connection).store(LAMP)
    assert [*early.in_region("Taobao", "EU")] == [LAMP]
    with metered(connection) as cost:
        assert [*early.in_region("Taobao", "EU")] == [LAMP]
    assert {read.table for read in cost.reads} == {connection.table(variant.tables[0].name).name}


@pytest.mark.parametrize("call", range(11))
def test_a_writer_that_dies_at_any_call_is_completed_by_the_same_call_and_leaks_codes_at_most(
    connection, variant, call
):
    with suppress(WriterDied):
        variant.open(WatchedConnection(connection, dying_at(call))).store(LAMP)
    catalog = variant.open(connection)
    catalog.store(LAMP)
    assert [*catalog.in_region("Taobao", "EU")] == [LAMP]
    assert catalog.upkeep.recover(older_than_ms=0).failed == ()
    assert [*catalog.upkeep.verify()] == []
    for kind in KINDS:
        check_one_to_one(*mappings(connection, variant, kind))


def test_the_code_of_an_erased_shop_is_given_to_nobody_also_if_the_shop_comes_back(at_once, connection, variant):
    catalog = variant.open(connection)
    catalog.store(LAMP)
    code = catalog.names.known_code("shop", "Taobao")
    assert catalog.erase("Taobao") == 0
    assert catalog.names.known_code("shop", "Taobao") == NO_CODE
    if variant is CHOSEN:
        with pytest.raises(InvalidKey, match=r"^Product.shop: claim another code first: .* the id of 'erased 7462'.$"):
            catalog.store(LAMP)
        catalog.names.claim("shop", "Taobao", b"tx")
    catalog.store(LAMP)
    codes, names = mappings(connection, variant)
    assert (names[code], names[codes["Taobao"]]) == (f"erased {code.hex()}", "Taobao")
    check_one_to_one(codes, names)
    assert [*variant.open(connection).in_region("Taobao", "EU")] == [LAMP]


def test_a_process_that_remembers_an_erased_shop_stores_nothing_under_its_code(at_once, connection, variant):
    early = variant.open(connection)
    early.store(LAMP)
    code = early.names.known_code("shop", "Taobao")
    later = variant.open(connection)
    assert later.erase("Taobao") == 0
    if variant is CHOSEN:
        with pytest.raises(InvalidKey, match=r"^Product.shop: claim another code first: "):
            early.store(LAMP)
        later.names.claim("shop", "Taobao", b"tx")
    for write in (early.store, early.withdraw, early.store):
        write(LAMP)
        assert not any(row.startswith(code) for row, _cells in connection.table(variant.tables[0].name).scan())
    for catalog in (early, variant.open(connection)):
        assert [*catalog.in_region("Taobao", "EU")] == [LAMP]


def test_questions_find_a_shop_that_came_back_with_another_code_ten_minutes_later(
    at_once, monkeypatch, connection, variant
):
    early, later = variant.open(connection), variant.open(connection)
    early.store(LAMP)
    later.erase("Taobao")
    if variant is CHOSEN:
        later.names.claim("shop", "Taobao", b"tx")
    later.store(LAMP)
    assert [*early.in_region("Taobao", "EU")] == []
    assert REREAD_S == 600
    monkeypatch.setattr("domains.catalog.names.REREAD_S", 0)
    assert [*early.in_region("Taobao", "EU")] == [LAMP]


def test_what_was_stored_under_the_code_of_an_erased_shop_is_erased_by_its_new_name(at_once, connection, variant):
    """As a process of an earlier release does, which remembers the code."""
    catalog = variant.open(connection)
    catalog.store(LAMP)
    late = [*connection.table(variant.tables[0].name).scan()]
    catalog.erase("Taobao")
    for row, cells in late:
        connection.table(variant.tables[0].name).put(row, cells)
    name = f"erased {'7462' if variant.name == 'chosen-codes' else '0001'}"
    assert [product.shop for product in variant.open(connection).in_region(name, "EU")] == [name]
    for _ in range(2):
        assert catalog.erase(name) == 0
        assert [*variant.open(connection).in_region(name, "EU")] == []
    check_one_to_one(*mappings(connection, variant))


def test_a_shop_that_stores_again_after_its_eraser_died_is_shown_under_its_name(at_once, connection, variant):
    """The eraser dies before each call: of those that remove the name, one gives the shop's code another name."""
    catalog, number, is_stopped = variant.open(connection), 0, True

    def store(product, code):
        if variant is CHOSEN and catalog.names.stored_code("shop", product.shop) == NO_CODE:
            catalog.names.claim("shop", product.shop, code)
        catalog.store(product)

    while is_stopped:
        lamp = attrs.evolve(LAMP, shop=f"shop {number}")
        store(lamp, b"a%c" % number)
        eraser = WatchedConnection(connection, dying_at(number))
        with suppress(WriterDied):
            variant.open(eraser).erase(lamp.shop)
        again = attrs.evolve(lamp, product_id="p-2")
        store(again, b"b%c" % number)
        catalog.upkeep.recover()
        assert [*variant.open(connection).with_id(lamp.shop, "p-2")] == [again]
        check_one_to_one(*mappings(connection, variant))
        number, is_stopped = number + 1, eraser.is_stopped
    assert number > 10


@only(DESIGN, "chosen-codes")
def test_a_claim_is_refused_if_the_code_or_the_name_is_taken_and_may_be_repeated(connection, variant):
    names = variant.open(connection).names
    for kind, name in (("shop", "Amazon"), ("shop", "Amazon"), ("region", "America")):
        names.claim(kind, name, b"am")
    for taken, (name, code) in {IdTaken: ("Amber", b"am"), NameTaken: ("Amazon", b"az")}.items():
        with pytest.raises(taken):
            names.claim("shop", name, code)
    with pytest.raises(InvalidKey, match=r"^code: must not be 0000, the code of unknown names$"):
        names.claim("shop", "Amber", NO_CODE)
    with pytest.raises(InvalidKey, match=r"^kind: must be shop, region, category .got 'brand'.$"):
        names.claim("brand", "Amber", b"am")


@only(DESIGN, "chosen-codes")
def test_a_name_without_a_chosen_code_is_refused_whole_until_somebody_claims_one(connection, variant):
    catalog = variant.open(connection)
    lamp = attrs.evolve(LAMP, shop="Amazon")
    with pytest.raises(InvalidKey, match=r"^Product.shop: must be a name with a code: claim one first .got 'Amazon'.$"):
        catalog.store(lamp)
    assert [*connection.table(variant.tables[0].name).scan()] == []
    catalog.names.claim("shop", "Amazon", b"am")
    catalog.store(lamp)
    assert [*catalog.in_region("Amazon", "EU")] == [lamp]


# ---- damaged mappings

JD = attrs.evolve(LAMP, shop="JD")


@pytest.mark.parametrize(
    ("of", "value", "kind"),
    [
        *(("code", b"", "undecodable"), ("code", "other", "differing")),
        *(("name", b"\xff", "undecodable"), ("name", "other", "differing"), ("name", None, "missing")),
    ],
)
def test_a_code_and_a_name_that_do_not_agree_are_found_and_put_again_from_each_other(
    connection, variant, of, value, kind
):
    catalog = variant.open(connection)
    for product in (LAMP, JD):
        catalog.store(product)
    codes = [catalog.names.known_code("shop", name) for name in ("Taobao", "JD")]
    row, column, other = (b"Taobao", b"id:shop", codes[1]) if of == "code" else (codes[0], b"name:shop", b"JD")
    table = connection.table(codes_of(variant))
    if value is None:
        table.delete(row, [column])
    else:
        table.put(row, {column: other if value == "other" else value})
    catalog = variant.open(connection)
    assert [*catalog.in_region("JD", "EU")] == [JD]
    if (of, value) == ("code", "other"):
        for use in (lambda: catalog.in_region("Taobao", "EU"), lambda: catalog.store(LAMP)):
            with pytest.raises(InvalidRow, match=r": shop 'Taobao' has code \w+, whose name is 'JD'$"):
                use()
    (finding,) = catalog.upkeep.verify()
    named = b"Taobao" if kind == "differing" else row
    assert (finding.kind, finding.table, finding.row) == (kind, codes_of(variant), named)
    assert [is_mended for _, is_mended in catalog.upkeep.repair()] == [True]
    assert [*catalog.upkeep.verify()] == []
    catalog = variant.open(connection)
    assert ([*catalog.in_region("Taobao", "EU")], [*catalog.in_region("JD", "EU")]) == ([LAMP], [JD])


def test_a_name_with_two_codes_that_may_be_right_is_kept(connection, variant):
    """The name of one is lost, or the other was leaked."""
    catalog = variant.open(connection)
    catalog.store(LAMP)
    connection.table(codes_of(variant)).put(b"Taobao", {b"id:shop": b"\7\7"})
    assert [(finding.kind, finding.row) for finding in catalog.upkeep.verify()] == [("missing", b"\7\7")]
    told = Instructions(discards_undecodable=True, discards_orphaned=True)
    assert [is_mended for _, is_mended in catalog.upkeep.repair(instructions=told)] == [False]


def test_a_code_that_is_no_text_is_not_damage(connection, variant):
    """As number 200: its bytes are not UTF-8."""
    catalog = variant.open(connection)
    if variant is NUMBERED:
        connection.table(codes_of(variant)).counter_inc(COUNTER_ROW, b"id:shop", 199)
    else:
        catalog.names.claim("shop", "Taobao", b"\x00\xc8")
    catalog.store(LAMP)
    assert [*catalog.upkeep.verify()] == []
