"""The designs of the suite, for tests and programs."""

from domains.suite import NAMES, SUITE
from shared.command_line.named.designs import all_designs, design_named, find_variants, full_name

EXTRAS = SUITE.extras

__all__ = ["EXTRAS", "NAMES", "all_designs", "design_named", "find_variants", "full_name"]
