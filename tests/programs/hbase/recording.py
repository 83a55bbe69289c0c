"""Recordings of what a real HBase does, for pages: its figures, with its version, the date and the machine."""

import json
import sys
from collections.abc import Callable, Hashable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from os import cpu_count
from pathlib import Path
from typing import Any, TypeVar

import happybase

from shared.stores import StoreError, connect
from tests.programs.benchmarks.turns import in_turns
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import NamedHBase, named_or_started
from tests.programs.hbase.write_counts import version

Name = TypeVar("Name", bound=Hashable)


def measured_on(info_url: str) -> dict[str, Any]:
    """The version of HBase, the date, and the processors of this machine."""
    return {"hbase": version(info_url), "date": datetime.now(UTC).date().isoformat(), "cores": cpu_count()}


def record(file: Path, measure: Callable[[happybase.Connection, NamedHBase], dict[str, Any]]) -> int:
    """Writes what is measured on an HBase, in a store of its own, which is dropped; returns the exit code."""
    try:
        with named_or_started() as named, closing(connect(named.store_url(f"{file.stem}_"))) as connection:
            try:
                figures = measure(connection, named)
            finally:
                for name in connection.tables():
                    connection.delete_table(name, disable=True)
            figures = measured_on(named.info_url or "") | figures
    except (NotStarted, StoreError) as error:
        print(error, file=sys.stderr)
        return 1
    file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


def times_in_turns(calls: Mapping[Name, Callable[[], object]], rounds: int) -> dict[Name, list[float]]:
    """The milliseconds of so many calls of each, taken in turns."""
    turns = in_turns(*calls.values(), rounds=rounds, at_least_s=0)
    return {name: [1000 * took_s for took_s in of_one] for name, of_one in zip(calls, turns.took_s, strict=True)}
