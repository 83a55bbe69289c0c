"""Records, formats and calls that the tests of loading share."""

from typing import Literal

import attrs
import pytest

from shared.loading import Description, Format, TagDescription, UnreadableFile, read_lines


def positive(_record, _field, value):
    if value < 0:
        raise ValueError(f"Sale.amount: must be 0 or more (got {value})")


@attrs.frozen
class Sale:
    number: str
    sold_ms: int
    amount: int = attrs.field(validator=positive)
    state: Literal["open", "done"] = "open"
    note: str | None = None


HEADER = "number,sold_ms,amount\n"
LINE = "n-1,2020-01-01,7\n"
SALE = Sale("n-1", 1_577_836_800_000, 7)
OBJECT = {"number": "n-1", "sold_ms": "2020-01-01", "amount": 7}


def described(**said):
    """A description, by the words of options: `mapping={"sold_ms": "at"}`."""
    names = {"mapping": "column", "units": "unit", "time_formats": "format", "constants": "value"}
    if (at_ms := said.pop("at_ms", None)) is not None:
        said["at"] = f"+{at_ms}"
    fields = {name: dict(said.pop(word)) for word, name in names.items() if word in said}
    columns = fields.get("column", {})
    tags = {
        tag: TagDescription(value=value, column=columns.pop(tag, "")) for tag, value in said.pop("tags", {}).items()
    }
    return Description(**said, tags=tags).with_fields(**fields)


def lines(path, record=Sale, formats=(), **said):
    read = read_lines(path, record, formats=formats, description=described(**said))
    return [(line.number, line.record or line.reason) for line in read]


def refusal(path, formats=(), **said):
    with pytest.raises(UnreadableFile) as caught:
        read_lines(path, Sale, formats=formats, description=described(**said))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def read_notes(lines, _path):
    """`@n-1`, then the lines of a note up to the next such line."""
    first, note = 0, []
    for number, line in enumerate(lines, start=1):
        if line.startswith("@") and note:
            yield first, number - 1, note_of(note)
            note = []
        if note or line.strip():
            first = first if note else number
            note.append(line.rstrip("\r\n"))
    if note:
        yield first, first + len(note) - 1, note_of(note)


def note_of(note):
    values = {"number": note[0][1:], "sold_ms": 0, "amount": 7, "note": "|".join(note[1:])}
    return values if note[0].startswith("@") else "must start with @"


NOTES = Format("notes", "notes", lambda line: line.startswith("@"), read_notes)
TABBED = Format("tabbed", "tabbed text", lambda line: "\t" in line, lambda lines, path: iter([]))
OWN = {"formats": (NOTES, TABBED)}


def noted(number, note=""):
    return Sale(number, 0, 7, note=note)
