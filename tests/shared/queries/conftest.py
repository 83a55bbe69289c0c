"""Tables of numbered items, for the tests of pages and cursors."""

import pytest

from tests.shared.queries.paging import ITEMS, Item, Items
from tests.shared.stocked import Stocked


@pytest.fixture
def items(stocked: Stocked) -> Items:
    """Makes tables of the items from 0 on."""
    return lambda count: stocked(ITEMS.encode(Item(number)) for number in range(count))
