"""How cases write bytes, timestamps, mutations, cells and rows, in both directions."""

import re
import struct
import time
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import define, field
from Hbase_thrift import ColumnDescriptor, Mutation, TCell, TRegionInfo, TRowResult

from shared.stores.thrift2.idl import idl

_COMPUTED = re.compile(rb"\{(\d+) bytes of (.)\}|\{long (-?\d+)\}", re.DOTALL)
_CELL = re.compile(r"(?P<text>.*?)(?:@(?P<at>t?\d+))?", re.DOTALL)
_TIME = re.compile(r"(?P<name>now|t\d+)(?P<offset>[+-]\d+)?")
_LONGEST_SHOWN = 60


def as_bytes(text: str) -> bytes:
    r"""One byte for each letter, so that `\u00ff` is FF; `{3 bytes of x}` is `xxx`, `{long 5}` eight bytes."""
    return _COMPUTED.sub(_compute, text.encode("latin-1"))


def _compute(match: re.Match[bytes]) -> bytes:
    count, letter, number = match.groups()
    return struct.pack(">q", int(number)) if number else letter * int(count)


def as_text(value: bytes) -> str:
    """Bytes as cases write them; long ones are cut."""
    shown = value if len(value) <= _LONGEST_SHOWN else value[:20] + b"... %d bytes" % len(value)
    return shown.decode("latin-1")


@define
class Times:
    """The timestamps t1, t2, ... that a case gets to know while it runs: a higher number is a later time."""

    known: dict[str, int] = field(factory=dict[str, int])

    def value(self, text: int | str) -> int:
        """A timestamp to send: a number, `t1` or `now`, the last two also with an offset like `now+60000`."""
        if isinstance(text, int):
            return text
        match = _TIME.fullmatch(text)
        if match is None:
            raise ValueError(f"timestamp: wants a number, now or t1, perhaps with an offset (got {text!r})")
        start = time.time_ns() // 1_000_000 if match["name"] == "now" else self.known[match["name"]]
        return start + int(match["offset"] or 0)

    def fits(self, wanted: str | None, timestamp: int) -> bool:
        """Whether a timestamp that came back is the wanted one; a name seen for the first time is bound to it."""
        if wanted is None:
            return True
        if wanted.isdigit():
            return timestamp == int(wanted)
        self.known.setdefault(wanted, timestamp)
        by_number = [self.known[name] for name in sorted(self.known, key=lambda name: int(name[1:]))]
        return self.known[wanted] == timestamp and by_number == sorted(set(by_number))


def mutation(written: str | Mapping[str, Any]) -> Mutation:
    """`d:a=v` puts, `d:a` puts without a value, `-d:a` deletes; or the fields by their names."""
    if not isinstance(written, str):
        return Mutation(**{name: plain(value) for name, value in written.items()})
    if written.startswith("-"):
        return Mutation(isDelete=True, column=as_bytes(written[1:]))
    column, equals, value = written.partition("=")
    return Mutation(column=as_bytes(column), value=as_bytes(value) if equals else None)


def put(row: bytes, *cells: str) -> Any:
    """A put of Thrift2: `d:a=v@5` is a cell with a timestamp, `d:a=v` one without."""
    values: list[Any] = []
    for written in cells:
        column, _, value = written.partition("=")
        text, at, timestamp = value.rpartition("@")
        family, _, qualifier = as_bytes(column).partition(b":")
        time_ms = int(timestamp) if at else None
        values.append(idl().TColumnValue(family, qualifier, as_bytes(text if at else value), time_ms))
    return idl().TPut(row, values)


def descriptor(written: str | Mapping[str, Any]) -> ColumnDescriptor:
    """A family by its name alone or by its fields."""
    return ColumnDescriptor(name=as_bytes(written)) if isinstance(written, str) else ColumnDescriptor(**written)


def cell_fits(times: Times, wanted: str, value: bytes, timestamp: int) -> bool:
    """Whether a cell is the one written as `v`, `v@5` or `v@t1`."""
    match = _CELL.fullmatch(wanted)
    assert match  # whatever the text is
    return as_bytes(match["text"]) == value and times.fits(match["at"], timestamp)


def row_fits(times: Times, wanted: list[Any], row: TRowResult) -> bool:
    """Whether a row is the one written as [row, cell, cell, ...], or as [row, [cell, cell, ...]] for sortedColumns."""
    in_order = len(wanted) == 2 and isinstance(wanted[1], list)
    cells = wanted[1] if in_order else wanted[1:]
    columns: list[tuple[bytes, TCell]]
    if in_order:
        columns = [(column.columnName, column.cell) for column in row.sortedColumns or ()]
    else:
        columns = sorted((row.columns or {}).items())
        cells = sorted(cells, key=lambda cell: as_bytes(cell.partition("=")[0]))
    return (
        as_bytes(wanted[0]) == row.row
        and len(cells) == len(columns)
        and all(
            as_bytes(cell.partition("=")[0]) == column
            and cell_fits(times, cell.partition("=")[2], stored.value, stored.timestamp)
            for cell, (column, stored) in zip(cells, columns, strict=True)
        )
    )


def fits(times: Times, wanted: Any, answer: Any) -> bool:
    """Whether an answer is what a case wants; of descriptors and regions only the fields that it names."""
    if isinstance(answer, TCell):
        return cell_fits(times, wanted, answer.value, answer.timestamp)
    if isinstance(answer, TRowResult):
        return row_fits(times, wanted, answer)
    if isinstance(answer, (ColumnDescriptor, TRegionInfo)):
        return all(plain(value) == plain(getattr(answer, name)) for name, value in wanted.items())
    if isinstance(answer, dict):
        return wanted.keys() == {as_text(key) for key in answer} and all(
            fits(times, wanted[as_text(key)], value) for key, value in answer.items()
        )
    if isinstance(answer, list):
        return len(wanted) == len(answer) and all(map(fits, [times] * len(answer), wanted, answer))
    return bool(plain(wanted) == answer)


def plain(written: Any) -> Any:
    """Texts as bytes, also those of a list."""
    if isinstance(written, list):
        return [plain(item) for item in written]
    return as_bytes(written) if isinstance(written, str) else written


def shown(answer: Any) -> Any:
    """An answer as a case would write it."""
    if isinstance(answer, bytes):
        return as_text(answer)
    if isinstance(answer, TCell):
        return f"{as_text(answer.value)}@{answer.timestamp}"
    if isinstance(answer, TRowResult):
        if answer.sortedColumns is not None:
            return [as_text(answer.row), _cells((column.columnName, column.cell) for column in answer.sortedColumns)]
        return [as_text(answer.row), *_cells(sorted((answer.columns or {}).items()))]
    if isinstance(answer, (ColumnDescriptor, TRegionInfo)):
        return {spec[1]: shown(getattr(answer, spec[1])) for spec in answer.thrift_spec.values()}
    if isinstance(answer, dict):
        return {as_text(key): shown(value) for key, value in answer.items()}
    return [shown(item) for item in answer] if isinstance(answer, list) else answer


def _cells(columns: Iterable[tuple[bytes, TCell]]) -> list[str]:
    return [f"{as_text(column)}={shown(cell)}" for column, cell in columns]
