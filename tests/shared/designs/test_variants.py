"""A variant is what its module says, and a design gives it what the module leaves out."""

from types import ModuleType
from typing import Any

import attrs
import happybase
import pytest

from shared.designs import Design, Variant
from shared.keys import KeyLayout
from shared.tables import Column, RecordCells, TableLayout
from tests.shared.specimens import ByHostOnly as ByHost


@attrs.frozen
class Note:
    host: str
    at_ms: int


TABLES = (TableLayout("notes", "a note", KeyLayout(ByHost), RecordCells(Note, {"at_ms": Column("n:t")})),)
OTHERS = (TableLayout("other", "a note", KeyLayout(ByHost), RecordCells(Note, {"at_ms": Column("n:t")})),)
STORE: Any = object()


class Notes:
    def __init__(self, connection: happybase.Connection, tables: Any = TABLES) -> None:
        self.connection, self.tables = connection, tables


class OwnNotes(Notes):
    pass


def module(name: str, **names: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(names)
    return made


KEYS = module("shop.notes.keys", TABLES=TABLES)


def design_of(*variants: Variant) -> Design:
    return Design("notes", "Where are notes?", (), (), Notes, variants)


def test_a_module_without_tables_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"^Variant\.module: must have TABLES \(got shop\.notes\.variants\.salted\)$"):
        Variant(module("shop.notes.variants.salted"), "salted")


def test_a_repository_of_the_module_goes_before_that_of_the_design():
    _first, variant = design_of(
        Variant(KEYS, ""), Variant(module("own", TABLES=OTHERS, Repository=OwnNotes), "")
    ).variants
    assert type(variant.open(STORE)) is OwnNotes


def test_a_variant_of_no_design_and_without_a_repository_says_so():
    with pytest.raises(TypeError, match=r"Variant.open: needs a Design with a repository, or a module with one"):
        Variant(KEYS, "").open(STORE)
