"""Runs a sequence on two stores, operation by operation, and finds where their answers differ."""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import happybase  # noqa: F401 - makes the module Hbase_thrift
from attrs import define, field, frozen
from Hbase_thrift import BatchMutation, Hbase, IllegalArgument, Mutation, TAppend, TIncrement, TScan

from tests.programs.compare.answers import RAISED, Answer, Reading
from tests.programs.compare.filters import text_of
from tests.programs.compare.operations import Moment, Operation, Operations
from tests.programs.compare.places import Kind, Place, Store

# Within one millisecond HBase decides by chance, and an increment may be dated one ahead of the clock.
_APART_MS = 2

_NO_SCANNER = 2**31 - 1
_MOST_FETCHES = 200
_BEFORE_WRITES_MS = 5
_ABOVE_OWN_ROWS = b"\xff" * 8


@frozen
class Answered:
    """An operation with what both stores answered."""

    operation: Operation
    reference: Answer
    candidate: Answer

    @property
    def differs(self) -> bool:
        return bool(self.reference != self.candidate)


def run(operations: Operations, kind: Kind, reference: Store, candidate: Store) -> Iterator[Answered]:
    """The answers of both stores, one operation after the other, on a place where nothing was before."""
    with (
        reference.place(kind) as place,
        reference.client(place) as reference_client,
        candidate.client(place) as candidate_client,
    ):
        runs = _Run(reference_client, place), _Run(candidate_client, place)
        free_s = 0.0
        try:
            for operation in operations:
                if operation.is_write:
                    time.sleep(max(free_s - time.monotonic(), 0))
                answers = [store_run.answer(operation) for store_run in runs]
                if operation.is_write:
                    # An operation may date as many cells ahead of the clock, in milliseconds, as it increments.
                    ahead_ms = len(operation.arguments.get("increments") or ())
                    free_s = time.monotonic() + (_APART_MS + ahead_ms) / 1000
                yield Answered(operation, *answers)
        finally:
            for store_run in runs:
                store_run.close_scanners()


@define
class _Run:
    """A sequence on its way through one store."""

    client: Any
    place: Place
    writes_ms: list[int] = field(factory=list[int])
    scanners: dict[str, int] = field(factory=dict[str, int])

    def answer(self, operation: Operation) -> Answer:
        arguments = self._arguments(operation)
        if operation.is_write:
            self.writes_ms.append(time.time_ns() // 1_000_000)
        outcome: Any
        try:
            if operation.fetch:
                outcome = self._fetch_all(operation, arguments)
            else:
                outcome = getattr(self.client, operation.call)(**arguments)
        except RAISED as error:
            outcome = error
        if operation.opens is not None and isinstance(outcome, int):
            self.scanners[operation.opens] = outcome
            outcome = None  # ids are the gateway's
        reading = Reading(self.place.row_prefix, self.writes_ms)
        if operation.fetch and not isinstance(outcome, Exception):
            return [reading.answer(portion) for portion in outcome]
        return reading.answer(outcome)

    def close_scanners(self) -> None:
        for scanner in self.scanners.values():
            with suppress(IllegalArgument):
                self.client.scannerClose(scanner)

    def _fetch_all(self, operation: Operation, arguments: dict[str, Any]) -> list[Any]:
        """What there is in portions; an exception of a fetch stands in its place and ends them."""
        scanner = getattr(self.client, operation.call)(**arguments)
        portions: list[Any] = []
        try:
            for number in range(_MOST_FETCHES):
                size = operation.fetch[number % len(operation.fetch)]
                rows = self.client.scannerGet(scanner) if size is None else self.client.scannerGetList(scanner, size)
                portions.append(rows)
                if not any(row.row.startswith(self.place.row_prefix) for row in rows) and size != 0:
                    break
        except RAISED as error:
            portions.append(error)
        finally:
            self.client.scannerClose(scanner)
        return portions

    # Arguments as they are sent

    def _arguments(self, operation: Operation) -> dict[str, Any]:
        table = operation.table or self.place.table
        sent = self._all_sent(operation.arguments, table)
        if operation.call.startswith("scannerOpen") and "scan" not in sent and None not in sent.values():
            sent = self._kept_to_own_rows(sent, has_stop="WithStop" in operation.call)
        parameters = {spec[1] for spec in getattr(Hbase, f"{operation.call}_args").thrift_spec.values()}
        return sent | {name: value for name, value in (("tableName", table), ("attributes", {})) if name in parameters}

    def _sent(self, name: str, given: Any, table: bytes) -> Any:
        if given is None:
            return None
        match name:
            case "row" | "startRow" | "stopRow" | "startAndPrefix":
                return given and self.place.row_prefix + given
            case "rows" | "increments":
                return [self._sent(name.removesuffix("s"), item, table) for item in given]
            case "timestamp":
                return self._time(given)
            case "id":
                return self.scanners.get(given, _NO_SCANNER)
            case "mput":
                return Mutation(**given)
            case "mutations":
                return [Mutation(**mutation) for mutation in given]
            case "rowBatches":
                return [BatchMutation(**self._all_sent(batch, table)) for batch in given]
            case "filterString":
                return text_of(given, self.place.row_prefix)
            case "scan":
                return TScan(**self._kept_to_own_rows(self._all_sent(given, table), has_stop=True))
            case "increment":
                return TIncrement(table=table, **self._all_sent(given, table))
            case "append":
                return TAppend(table=table, **self._all_sent(given, table))
        return given

    def _all_sent(self, given: dict[str, Any], table: bytes) -> dict[str, Any]:
        return {name: self._sent(name, value, table) for name, value in given.items()}

    def _kept_to_own_rows(self, fields: dict[str, Any], *, has_stop: bool) -> dict[str, Any]:
        """With bounds where a scan would begin or end among the rows of other sequences."""
        prefix = self.place.row_prefix
        if not prefix:
            return fields
        bounds = [prefix, prefix + _ABOVE_OWN_ROWS][:: -1 if fields.get("reversed") else 1]
        start = "startAndPrefix" if "startAndPrefix" in fields else "startRow"
        names = (start, "stopRow") if has_stop else (start,)
        return fields | {name: fields.get(name) or bound for name, bound in zip(names, bounds, strict=False)}

    def _time(self, given: int | Moment) -> int:
        if not isinstance(given, Moment):
            return given
        if not self.writes_ms:
            return _BEFORE_WRITES_MS
        return self.writes_ms[max(len(self.writes_ms) - 1 - given.back, 0)] - 1
