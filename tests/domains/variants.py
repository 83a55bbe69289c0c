"""The variants of a design by name, for tests that run for some of them."""

from operator import attrgetter
from typing import Any

import pytest

from shared.designs import Design, Variant


def named(design: Design) -> dict[str, Variant]:
    """All variants of a design, by name."""
    return {variant.name: variant for variant in design.variants}


def only(design: Design, *names: str) -> Any:
    """Runs a test for these variants of a design."""
    return pytest.mark.parametrize("variant", [named(design)[name] for name in names], ids=attrgetter("name"))


def in_each_run(design: Design) -> tuple[Variant, ...]:
    """The variants that `make test` tests; a third one, and each further one, is left to `make test-long`."""
    return tuple(design.variants[:2])


def marks_of(design: Design, variant: Variant) -> list[pytest.MarkDecorator]:
    """The marks of a test of a variant."""
    return [] if variant in in_each_run(design) else [pytest.mark.long]
