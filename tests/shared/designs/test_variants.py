"""What a variant says that its module or its design does not complete, and samples that are read again."""

from types import ModuleType

import pytest

from domains.logs import keys
from domains.logs.shown.design import DESIGN as LOGS
from shared.designs import Variant
from shared.stores import connect


def test_a_module_without_tables_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"^Variant\.module: must have TABLES \(got shop\.notes\.variants\.salted\)$"):
        Variant(ModuleType("shop.notes.variants.salted"), "salted")


def test_every_reading_of_the_samples_has_a_transform_of_its_own():
    load = LOGS.loads[0]  # whose ties count the equal records so far
    assert [*load.sample_records()] == [*load.sample_records()]


def test_a_variant_of_no_design_and_without_a_repository_says_so():
    with pytest.raises(TypeError, match=r"Variant.open: needs a Design with a repository, or a module with one"):
        Variant(keys, "").open(connect("embedded:"))
