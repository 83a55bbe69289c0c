"""Questions that every variant refuses, or answers as a plain list of its records does."""

import pytest

from shared.testing import PlainListContract

from .by_design import by_design, contracts

PLAIN_LISTS = by_design("plain_list", "PLAIN_LIST")
globals().update(contracts(PlainListContract, "plain_list", PLAIN_LISTS))
globals().update(contracts(PlainListContract, "plain_list", PLAIN_LISTS, examples=100, pytestmark=[pytest.mark.long]))
