"""Wrong values in records and questions of a design: nothing of them is stored, and nothing is found for them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args

import attrs

from ...designs import AccessPattern, Load, Variant
from ...intents.writer import writers_of
from ...keys.errors import shown
from ...tables import TableLayout
from ..engines import Embedded
from ..stored_samples import check_round_trip, stored_cells
from ..wrong_values import WRONG, may_accept
from .of_design import ContractOfDesign

TURNED_MS = {"since_ms": 20_000 * 86_400_000, "until_ms": 19_000 * 86_400_000}
"""The ends of a period in the wrong order; both are the start of a UTC day."""


class WrongInputContract(ContractOfDesign):
    """Tests of what is refused, by the record or by the repository, with any exception in any words."""

    def test_a_record_with_a_wrong_value_is_refused_with_nothing_stored(self, variant: Variant) -> None:
        """A value of the declared type may be stored; its rows are then records that make the same rows again.

        What is claimed before a record is decided may stay, such as the code of a name.
        """
        for load in self.design.loads:
            for field, record in records_with_wrong_values(load):
                value = getattr(record, field.name)
                with Embedded().store(*variant.tables) as connection:
                    repository = variant.open(connection)
                    tables = tables_of(load, variant, repository)
                    before = stored_cells(connection, tables)
                    try:
                        load.store_in(repository, record)
                    except Exception:
                        is_kept = stored_cells(connection, tables) == before
                        assert is_kept, f"{field.name}={shown(value)}: was refused, and something was stored"
                    else:
                        assert may_accept(field.type, value), f"{field.name}={shown(value)}: was stored"
                        check_round_trip(connection, variant.tables)

    def test_a_question_with_a_wrong_value_is_refused_or_finds_nothing(self, repository: Any) -> None:
        """None may stand for an argument that is omitted, a float for an int, and any value for a bool."""
        for pattern in {pattern.name: pattern for pattern in self.design.patterns}.values():
            for arguments in wrong_arguments(pattern):
                found = answer_of(pattern, repository, arguments)
                assert not found, f"{pattern.name} {shown(dict(arguments))}: answered {shown(found)}"


def tables_of(load: Load, variant: Variant, repository: Any) -> Sequence[TableLayout[Any, Any]]:
    """The tables that hold records of the load, or what is derived from records; all tables if none does."""
    writers = writers_of(repository)
    names = {table.name for writer in writers for table in (writer.source, *writer.lists)}
    of_load = [table for table in variant.tables if table.cells.record is load.record or table.name in names]
    return of_load or variant.tables


def records_with_wrong_values(load: Load) -> Iterator[tuple[Any, Any]]:
    """A field of the record, and a sample with a wrong value in it, unless the record itself refuses that."""
    sample = next(load.sample_records())
    attrs.resolve_types(load.record)
    for field in attrs.fields(load.record):
        for value in WRONG if field.init else ():
            try:
                record = attrs.evolve(sample, **{str(field.alias): value})
            except Exception:
                continue
            yield field, record


def answer_of(pattern: AccessPattern, repository: Any, arguments: Mapping[str, Any]) -> Any:
    """The answer to a question, of a query the first page; None if it is refused."""
    with suppress(Exception):
        answer = pattern.ask(repository, **arguments)
        return answer.page(1).records if hasattr(answer, "page") else answer
    return None


def wrong_arguments(pattern: AccessPattern) -> Iterator[Mapping[str, Any]]:
    """The arguments of a question's sample, one of them wrong, or a period that ends before it begins."""
    for parameter in pattern.parameters:
        declared = parameter.annotation
        for value in WRONG if bool not in (declared, *get_args(declared)) else ():
            if not (value is None or isinstance(value, float) or may_accept(declared, value)):
                yield {**pattern.sample, parameter.name: value}
    if TURNED_MS.keys() <= {parameter.name for parameter in pattern.parameters}:
        yield {**pattern.sample, **TURNED_MS}
