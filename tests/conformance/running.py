"""Runs one case on a store: performs its steps and compares what comes back."""

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from attrs import define, evolve, field
from Hbase_thrift import AlreadyExists, BatchMutation, IllegalArgument, TAppend, TIncrement, TRowResult, TScan
from thriftpy2.thrift import TApplicationException

from shared.stores.thrift1.idl import IOError, Thrift1
from tests.conformance.cases import Case, Step, named_arguments
from tests.conformance.notation import Times, as_bytes, as_text, descriptor, fits, mutation, plain, put, shown
from tests.conformance.targets import Store

_ERRORS: dict[str, type[Exception]] = {
    error.__name__: error for error in (IOError, IllegalArgument, AlreadyExists, TApplicationException)
}

# The Java exceptions of HBase that are no DoNotRetryIOException.
_MAY_BE_TRIED_AGAIN = ("java.io.IOException", "org.apache.hadoop.hbase.client.RetriesExhausted", "Failed ")


def run(case: Case, store: Store) -> None:
    """Raises AssertionError with the step and both sides where a store does not do what the case says."""
    runner = _Runner(store)
    try:
        for number, step in enumerate(case.steps, 1):
            runner.perform(step, f"{case.file}: {case.sentence}: step {number}, {step.call} {step.argument!r}")
    finally:
        runner.close_scanners()


@define
class _Runner:
    store: Store
    times: Times = field(factory=Times)
    scanners: dict[str, int] = field(factory=dict[str, int])

    def perform(self, step: Step, where: str) -> None:
        if "raises" in step.expected:
            self._fail(step, where)
            return
        answer = self._answer(step)
        if "opens" in step.expected:
            self.scanners[step.expected["opens"]] = answer
        elif "gives_rows" in step.expected:
            rows = [as_text(row.row) for row in answer]
            wanted = [as_text(as_bytes(row)) for row in step.expected["gives_rows"]]
            assert rows == wanted, f"{where}\n  gives rows {rows}\n  wanted     {wanted}"
        elif "matches" in step.expected:
            pattern = step.expected["matches"]
            assert re.fullmatch(pattern.encode(), answer), f"{where}\n  gives  {answer}\n  wanted {pattern}"
        elif "gives" in step.expected:
            wanted = step.expected["gives"]
            assert fits(self.times, wanted, answer), f"{where}\n  gives  {shown(answer)}\n  wanted {wanted}"

    def close_scanners(self) -> None:
        """Closes those that the case has left open."""
        for scanner in self.scanners.values():
            with suppress(IllegalArgument):
                self.store.client.scannerClose(scanner)

    def _fail(self, step: Step, where: str) -> None:
        wanted = _ERRORS[step.expected["raises"]]
        raised: Any
        try:
            answer = self._answer(step)
        except tuple(_ERRORS.values()) as error:
            raised = error
        else:
            raise AssertionError(f"{where}\n  gives  {shown(answer)}\n  wanted {wanted.__name__}")
        message = raised.message.decode(errors="replace") if isinstance(raised.message, bytes) else str(raised.message)
        outcome = f"{where}\n  raises {type(raised).__name__}: {message[:3000]}\n  wanted"
        assert type(raised) is wanted, f"{outcome} {wanted.__name__}"
        assert (step.text or "") in message, f"{outcome} {step.text}"
        if wanted is IOError:
            can_retry = message.startswith(_MAY_BE_TRIED_AGAIN)
            assert raised.canRetry is can_retry, f"{outcome} canRetry {can_retry}"
        self._check_connection()

    def _check_connection(self) -> None:
        """The connection answers what it is asked next."""
        with suppress(IOError):  # an answer too: the case may have dropped its table
            assert self.store.client.isTableEnabled(self.store.table) in (True, False)

    def _answer(self, step: Step) -> Any:
        if step.call == "wait_ms":
            return time.sleep(step.argument / 1000)
        if step.call == "major_compaction":
            return self.store.compact()
        if step.call == "scan":
            return self._scan(step)
        if step.call == "putMultiple":
            puts = [put(self._row(row), *cells) for row, *cells in step.argument]
            return self.store.thrift2.putMultiple(self._table(step), puts)
        if step.call == "getTableNamesWithIsTableEnabled":
            return self.store.own_states(self._all_states())
        answer = getattr(self.store.client, step.call)(**self._arguments(step))
        return self._without_prefixes(answer)

    def _all_states(self) -> dict[bytes, bool]:
        while True:
            try:
                return self.store.client.getTableNamesWithIsTableEnabled()
            except IOError as error:
                # HBase asks for one table after the other, and another case may drop one in between.
                if b"TableNotFoundException" not in error.message:
                    raise

    def _scan(self, step: Step) -> list[TRowResult]:
        opened = evolve(step, call="scannerOpenWithScan")
        scanner = self.store.client.scannerOpenWithScan(**self._arguments(opened))
        try:
            rows: list[TRowResult] = []
            while fetched := self.store.client.scannerGetList(scanner, step.fetch):
                rows += fetched
            return rows
        finally:
            self.store.client.scannerClose(scanner)

    def _table(self, step: Step) -> bytes:
        if step.exact_table is not None:
            return as_bytes(step.exact_table)
        return self.store.table_named(as_bytes(step.table)) if step.table is not None else self.store.table

    def _arguments(self, step: Step) -> dict[str, Any]:
        table = self._table(step)
        arguments = {name: self._argument(name, value, table) for name, value in named_arguments(step).items()}
        for spec in getattr(Thrift1, f"{step.call}_args").thrift_spec.values():
            if spec[1] in ("tableName", "tableNameOrRegionName"):
                arguments[spec[1]] = table
            elif spec[1] == "attributes":
                arguments[spec[1]] = {}
        if step.call == "createTable" and step.exact_table is None:
            self.store.created.append(table)
        return arguments

    def _argument(self, name: str, written: Any, table: bytes) -> Any:
        match name:
            case "row" | "rows":
                return self._row(written, table)
            case "rowBatches":
                return [BatchMutation(self._row(row), [*map(mutation, mutations)]) for row, *mutations in written]
            case "mutations":
                return [mutation(item) for item in written]
            case "mput":
                return mutation(written)
            case "timestamp":
                return self.times.value(written)
            case "id":
                return self.scanners.get(written, written)
            case "columnFamilies":
                return [descriptor(self._fields(item)) for item in written]
            case "scan":
                return TScan(**self._fields(written))
            case "increment":
                return TIncrement(**{"table": table, **self._fields(written)})
            case "increments":
                return [self._argument("increment", item, table) for item in written]
            case "append":
                return TAppend(**{"table": table, **self._fields(written)})
        return plain(written)

    def _row(self, written: str | list[str], table: bytes = b"") -> Any:
        if isinstance(written, list):
            return [self._row(row) for row in written]
        return self.store.row_prefix + as_bytes(written).replace(b"{table}", table)

    def _fields(self, written: Any) -> Any:
        if not isinstance(written, Mapping):
            return written
        fields = {name: plain(value) for name, value in written.items()}
        if "row" in written:
            fields["row"] = self._row(written["row"])
        if "timestamp" in written:
            fields["timestamp"] = self.times.value(written["timestamp"])
        return fields

    def _without_prefixes(self, answer: Any) -> Any:
        if isinstance(answer, list):
            if answer and isinstance(answer[0], bytes):
                return self.store.own_tables(answer)
            for item in answer:
                if isinstance(item, TRowResult):
                    item.row = item.row.removeprefix(self.store.row_prefix)
        return answer
