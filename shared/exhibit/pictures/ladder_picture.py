"""The picture of a write over several rows: its calls from top to bottom, and what readers see after each of them."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

import attrs
import svg

from .drawing import BOLD, MARGIN, SANS_PX, WIDTH, Picture, width_of

BOX_HEIGHT, PITCH, GAP = 32.0, 40.0, 6.0
"""The height of a box; from one row of boxes to the next; between two boxes of a row."""
STRIP = 9.0
"""The height of the hatched strip at the foot of a box."""
MOST_ROWS = 9
NOTHING = "-"


@attrs.frozen
class Rung:
    """A call of a write, and what readers see if the writer dies after it."""

    call: str
    """The call in words; empty for what readers see before all calls."""
    decides: bool
    """Whether the call decides what a record is."""
    seen: tuple[str, ...]
    """What each reader sees, in a word or two; `-` if its list lacks the record."""


@attrs.frozen
class _Ladder:
    """A write, as those readers see it for whom it changes anything."""

    name: str
    readers: tuple[str, ...]
    before: Rung
    calls: tuple[Rung, ...]

    @classmethod
    def of(cls, name: str, readers: Sequence[str], rungs: Sequence[Rung]) -> "_Ladder":
        """The ladder of these rungs, the first of which is the state before the write."""
        changing = [number for number in range(len(readers)) if len({rung.seen[number] for rung in rungs}) > 1]
        before, *calls = (attrs.evolve(rung, seen=tuple(rung.seen[number] for number in changing)) for rung in rungs)
        return cls(name, tuple(readers[number] for number in changing), before, tuple(calls))

    @property
    def decided(self) -> tuple[str, ...]:
        """What the readers see in the end."""
        return self.calls[-1].seen

    @property
    def deciding(self) -> int:
        """The number of the call that decides, counted from 1; of several, the first after which a reader sees more."""
        deciding = [number for number, rung in enumerate(self.calls, 1) if rung.decides]
        changing = (number for number in deciding if self.calls[number - 1].seen != self.before.seen)
        return next(changing, deciding[0])

    @property
    def disagreeing(self) -> list[int]:
        """The numbers of the calls after which the write is decided, but not every reader sees what is decided."""
        numbers = range(self.deciding, len(self.calls) + 1)
        return [number for number in numbers if self.calls[number - 1].seen != self.decided]

    @property
    def agreed(self) -> int:
        """The number of the call from which on all readers see what is decided."""
        return max([self.deciding - 1, *self.disagreeing]) + 1

    def rows(self) -> Iterator[tuple[int, str, Rung]]:
        """The number of a call, the call in words, and its rung; 0 before the write.

        If there are more than `MOST_ROWS`, one row stands for neighbouring calls after which readers see the same.
        """
        yield 0, "before the write", self.before
        numbered = list(enumerate(self.calls, 1))
        groups = groupby(numbered, lambda pair: pair if len(numbered) < MOST_ROWS else self._kind(pair))
        for _kind, alike in groups:
            (first, rung), *others = alike
            numbers, more = (f"{first}-{others[-1][0]}", f", {len(others)} more") if others else (str(first), "")
            yield first, f"{numbers}  {rung.call.replace('`', '')}{more}", rung

    def _kind(self, numbered: tuple[int, Rung]) -> object:
        number, rung = numbered
        return number == self.deciding, number < self.deciding, rung.seen


def ladder_picture(name: str, readers: Sequence[str], rungs: Sequence[Rung], *, is_recovered: bool) -> Picture:
    """The ladder of a write from what readers see before it, and after each of its calls.

    With `is_recovered`, `recover` completes the write, as the same call again does.
    """
    ladder = _Ladder.of(name, readers, rungs)
    calls, deciding = len(ladder.calls), ladder.deciding
    picture = Picture(
        f"The calls of {name} from top to bottom, and beside each what readers see if the writer dies after it.",
        f"Call {deciding} of {calls} decides; from call {ladder.agreed}, all readers agree",
        _sentence(ladder, "`recover`, or the same call again," if is_recovered else "the same call again"),
    )
    picture.y -= 8
    picture.paragraph(f"{name}: what readers see if the writer dies after a call", "second")
    rows = list(ladder.rows())
    widths = (width_of(words) * (BOLD if number == deciding else 1) for number, words, _rung in rows)
    columns = _columns(ladder, MARGIN + max(widths) + 8)
    _write_readers(picture, ladder.readers, columns)
    for number, words, rung in rows:
        if number == deciding:
            picture.path([svg.M(MARGIN, picture.y + 1), svg.H(WIDTH - MARGIN)], "decides")
            picture.y += 10
        picture.words(MARGIN, words, *(["bold"] if number == deciding else []), y=picture.y + 21)
        for (x, width), seen, decided in zip(columns, rung.seen, ladder.decided, strict=True):
            _draw_seen(picture, x, width, seen, decided if number >= deciding else None)
        picture.y += PITCH
    picture.y += 18
    picture.paragraph(_key(ladder), "second")
    picture.y -= 8
    return picture


def _sentence(ladder: _Ladder, completes: str) -> str:
    """Which call decides, and after which readers disagree until something completes the write."""
    decides = f"`{ladder.name}` makes {len(ladder.calls)} calls that change the store; call {ladder.deciding} decides."
    if not ladder.disagreeing:
        return f"{decides} All readers agree after every call."
    *others, last = map(str, ladder.disagreeing)
    after = f"{', '.join(others)} or {last}" if others else last
    return f"{decides} If the writer dies after call {after}, readers disagree until {completes} completes the write."


def _shown(seen: str) -> str:
    return "none" if seen == NOTHING else seen


def _columns(ladder: _Ladder, left: float) -> list[tuple[float, float]]:
    """The left end and the width of each reader's column, as wide as their words need, on the right of `left`."""
    seen = zip(ladder.readers, *(rung.seen for rung in (ladder.before, *ladder.calls)), strict=True)
    needed = [max(map(width_of, (*reader.split(), *column))) for reader, *column in seen]
    spare = (WIDTH - MARGIN - left - sum(needed)) / len(needed)
    columns: list[tuple[float, float]] = []
    for width in needed:
        columns.append((left + GAP, width + spare - GAP))
        left += width + spare
    return columns


def _write_readers(picture: Picture, readers: Sequence[str], columns: Sequence[tuple[float, float]]) -> None:
    """Writes the names of readers above their columns, the last lines at one height."""
    names = [
        textwrap.wrap(name, int((width + GAP) / SANS_PX)) for name, (_x, width) in zip(readers, columns, strict=True)
    ]
    height = max(map(len, names))
    for (x, width), lines in zip(columns, names, strict=True):
        for number, line in enumerate(lines, height - len(lines)):
            picture.words(x + width / 2, line, "middle", y=picture.y + 4 + 19 * number)
    picture.y += 19 * height - 4


def _draw_seen(picture: Picture, x: float, width: float, seen: str, decided: str | None) -> None:
    """Draws what a reader sees, before the decision or beside what is decided."""
    if decided is None:
        picture.box(x, width, BOX_HEIGHT, _shown(seen), "none")
    elif seen == decided:
        picture.box(x, width, BOX_HEIGHT, _shown(seen), "state")
    else:
        picture.box(x, width, BOX_HEIGHT, "", "none", "dashed")
        picture.words(x + width / 2, _shown(seen), "middle", y=picture.y + (18 if seen == NOTHING else 21))
        if seen == NOTHING:
            picture.hatch(x, width, STRIP, y=picture.y + BOX_HEIGHT - STRIP)


def _key(ladder: _Ladder) -> str:
    """What the marks mean that are drawn."""
    late = [
        seen
        for number in ladder.disagreeing
        for seen, decided in zip(ladder.calls[number - 1].seen, ladder.decided, strict=True)
        if seen != decided
    ]
    marks = ["Filled: as decided."]
    marks += ["Dashed: not yet."] if {*late} - {NOTHING} else []
    marks += ["Hatched: the list lacks it."] if NOTHING in late else []
    return " ".join(marks)
