"""Questions that every variant refuses, or answers as a plain list of its records does."""

from shared.testing import PlainListContract

from .by_design import by_design, contracts

globals().update(contracts(PlainListContract, "plain_list", by_design("plain_list", "PLAIN_LIST")))
