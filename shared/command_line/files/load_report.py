"""What became of the lines and records of files, counted by `rowbook load`, and how it says so."""

from collections import Counter
from typing import Any

import attrs
from rich.console import Console

from ...writes.expiring import ExpiredRecord
from ..screen import terminal
from .stored_keys import MAX_KEYS


@attrs.define
class LoadedFile:
    """A file, and what became of its lines and records so far."""

    file: str
    format: str
    wanted: str
    """The lines that become records, in words."""
    replaced: int | None
    """How many of its records have the key of an earlier record of this load; None if that is not known."""
    replaced_is_exact: bool = True
    """Whether all keys of this load were compared."""
    stored: int = 0
    sending: int = 0
    """How many records are being stored at once."""
    skipped: int = 0
    """How many lines were bad."""
    lines: int = 0
    """How many lines it has."""
    ignored: int = 0
    """How many of them hold nothing that its format makes a record of."""
    expired: Counter[ExpiredRecord] = attrs.field(factory=Counter[ExpiredRecord])
    """How many records were left out because they would expire at once, by the reason."""
    notes: list[str] = attrs.field(factory=list[str])
    """Lines of text that say how its records were changed before they were stored."""
    refused: dict[str, "Refused"] | None = None
    """The bad lines by their kind, if they are counted; None if each is said."""
    unread: list[str] = attrs.field(factory=list[str])
    """The columns that no field is read from, if the lines are only checked."""
    defaulted: list[str] = attrs.field(factory=list[str])
    """The fields whose columns are missing, if the lines are only checked."""


@attrs.define
class Refused:
    """Bad lines for one reason."""

    example: str
    """The first of them, with its reason."""
    lines: int = 0


def show_loaded(out: Console, files: list[LoadedFile], *, as_json: bool) -> None:
    """Writes each file with its format, and what became of its records and lines."""
    if as_json:
        names = ("file", "format", "stored", "skipped", "notes", "lines", "ignored", "replaced", "replaced_is_exact")
        of_files = [
            {
                **{name: getattr(file, name) for name in names},
                "expired": _expired_as_json(file),
                **_checked_as_json(file),
            }
            for file in files
        ]
        terminal.json_object(out, {"files": of_files})
        return
    for file in files:
        skipped = f", {terminal.count(file.skipped, 'bad line')} skipped" if file.skipped else ""
        ignored = f", {file.ignored} of {terminal.count(file.lines, 'line')} ignored" if file.ignored else ""
        expired = "".join(
            f", {number} already expired: table {why.table}, family {why.family}, TTL {why.ttl_seconds:,} s"
            for why, number in file.expired.items()
        )
        stored = records_stored([file])
        if file.refused is not None:
            stored, skipped = f"nothing stored; of a load: {stored}", skipped.replace("skipped", "refused")
        terminal.wrapped(out, f"{file.file}: {file.format}, {stored}{skipped}{ignored}{expired}")
        for refused in sorted((file.refused or {}).values(), key=lambda refused: -refused.lines):
            terminal.wrapped(out, f"{terminal.count(refused.lines, 'line')}, such as {refused.example}")
        if file.unread:
            terminal.wrapped(out, f"columns that are not read: {', '.join(file.unread)}")
        if file.defaulted:
            terminal.wrapped(out, f"fields with their default: {', '.join(file.defaulted)}")


def _expired_as_json(file: LoadedFile) -> list[dict[str, Any]]:
    names = ("table", "family", "ttl_seconds")
    return [{**{name: getattr(why, name) for name in names}, "records": number} for why, number in file.expired.items()]


def _checked_as_json(file: LoadedFile) -> dict[str, Any]:
    if file.refused is None:
        return {}
    refused = [*map(attrs.asdict, file.refused.values())]
    return {"refused": refused, "unread": file.unread, "defaulted": file.defaulted}


def why_nothing_is_stored(file: LoadedFile) -> str:
    """Why a file has no record that was stored, and what to do, as text."""
    if file.expired:
        return "no record is left; --allow-expired stores records that expire at once"
    return f"no line became a record; expected {file.wanted}"


def records_stored(files: list[LoadedFile], when: str = "") -> str:
    """`2 records stored, 1 of them replaced by later ones`, with `when` after `stored`."""
    stored = f"{terminal.count(sum(file.stored for file in files), 'record')} stored{when}"
    replaced, is_exact = sum(file.replaced or 0 for file in files), all(file.replaced_is_exact for file in files)
    if not replaced and is_exact:
        return stored
    among = "" if is_exact else f" among the first {MAX_KEYS:,}"
    return f"{stored}, {replaced} of them replaced by later ones{among}"
