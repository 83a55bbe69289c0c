"""What the contracts of a design share: the design, its variants, and stores with its samples."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias

import happybase
import pytest

from ...designs import Design, Variant, load_samples
from ...keys.errors import shown
from ...tables.recorded_layouts import check_layouts
from ..engines import Engine

OpenSamples: TypeAlias = Callable[[Design, Variant], AbstractContextManager[happybase.Connection]]
"""The type of the fixture `rowbook_samples`: it opens a store with the samples of a variant."""

_STOCKS: dict[int, Callable[[happybase.Connection], object]] = {}


def samples_of(design: Design, variant: Variant) -> Callable[[happybase.Connection], object]:
    """A function that stores the samples of a variant, by which an engine knows the store that it has copies of."""
    return _STOCKS.setdefault(id(variant), lambda connection: load_samples(connection, design, variant))


@contextmanager
def open_samples(engine: Engine, design: Design, variant: Variant) -> Generator[happybase.Connection]:
    """A store of its own with the samples of a variant."""
    with engine.stocked_store(samples_of(design, variant), *variant.tables) as connection:
        check_layouts(connection, variant.tables)  # here, so that no question counts these calls
        yield connection


class ContractOfDesign:
    """Tests of one design, each run for all variants if it needs a `variant`."""

    design: ClassVar[Design]
    """The design that is tested."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Runs a test that needs a `variant` for every one."""
        design = getattr(self, "design", None)
        if not isinstance(design, Design):
            raise pytest.Collector.CollectError(
                f"{type(self).__name__}.design: must be a rowbook.designs.Design (got {shown(design)})"
            )
        if "variant" in metafunc.fixturenames:
            metafunc.parametrize("variant", design.variants, ids=attrgetter("name"), scope="class")

    @pytest.fixture(scope="class")
    @classmethod
    def connection(cls, variant: Variant, rowbook_samples: OpenSamples) -> Iterator[happybase.Connection]:
        """A store with the samples of the variant."""
        with rowbook_samples(cls.design, variant) as connection:
            yield connection

    @pytest.fixture(scope="class")
    @classmethod
    def repository(cls, connection: happybase.Connection, variant: Variant) -> Any:
        """The repository of the variant in this store."""
        return variant.open(connection)
