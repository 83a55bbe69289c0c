"""What a variant says that its module or its design does not complete."""

from types import ModuleType

import pytest

from domains.logs import keys
from shared.designs import Variant
from shared.stores import connect


def test_a_module_without_tables_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"^Variant\.module: must have TABLES \(got shop\.notes\.variants\.salted\)$"):
        Variant(ModuleType("shop.notes.variants.salted"), "salted")


def test_a_variant_of_no_design_and_without_a_repository_says_so():
    with pytest.raises(TypeError, match=r"Variant.open: needs a Design with a repository, or a module with one"):
        Variant(keys, "").open(connect("embedded:"))
