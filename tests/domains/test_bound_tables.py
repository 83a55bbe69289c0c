"""A repository uses the tables that it was bound with, and no others: what it declares is only its default."""

import inspect
import json
from typing import Any

import attrs
import pytest

from shared.designs import Design, load_samples
from shared.designs.golden_answers import golden_answers
from shared.designs.metering import measure
from shared.intents import ErasuresTable
from shared.sources import Source, Table
from shared.testing.engines import Embedded
from tests.designs import all_designs


def declared(design: Design) -> dict[str, Any]:
    """What the repository of a design takes, by the name of the parameter."""
    parameters = inspect.signature(design.repository).parameters.values()
    wanted = (Source, Table, ErasuresTable)
    return {parameter.name: parameter.default for parameter in parameters if isinstance(parameter.default, wanted)}


def renamed(of: Any) -> Any:
    """The same in tables of other names."""
    if isinstance(of, ErasuresTable):
        return ErasuresTable(f"other_{of.layout.name}", len(of.sources))
    if isinstance(of, Table):
        return of.like(f"other_{of.layout.name}")
    lists = {own: own.like(f"other_{own.layout.name}") for own in of.lists if own.layout.name != of.layout.name}
    return of.like(f"other_{of.layout.name}", lists=lists)


DESIGNS = [design for design in all_designs() if declared(design)]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_a_repository_that_is_bound_to_other_tables_uses_no_others(design: Design) -> None:
    others = {name: renamed(of) for name, of in declared(design).items()}
    tables = [table for of in others.values() for table in of.tables]
    variant = attrs.evolve(design.main, tables=tables, open=lambda connection: design.repository(connection, **others))
    with Embedded().store(*tables) as connection:  # which has no table of the design itself
        repository = load_samples(connection, design, variant)
        answers = golden_answers(measure(connection, repository, design.patterns))
    assert answers == json.loads(design.loads[0].samples.with_name("answers.json").read_text(encoding="utf-8"))


def test_most_designs_take_what_they_declare() -> None:
    assert len(DESIGNS) == len([*all_designs()]) - 1  # tsdb, whose tables are another program's
