"""One ribbon: the rows of a table in key order, to scale, with those that a scan read and those that were asked for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from math import isclose

import attrs
import svg

from ...keys import successor
from ...keys.ranges import RowRange
from ..range_words import range_words
from ..scanned import ScannedTable, Stretch
from .drawing import BOLD, MARGIN, WIDTH, Picture, width_of

LEFT, RIGHT = 28.0, WIDTH - 28.0
"""The ends of a ribbon."""
HIGH, LOW, STRIP = 58.0, 38.0, 18.0
"""The height of a ribbon with labels in its boxes, of one with labels above it, and of the strip at the foot."""
BEFORE, AFTER, BREAK = 40.0, 40.0, 24.0
"""Pixels for the rows before those of the scan, at most; for those after it, at least; for a break between them."""
MOST_LABELS = 6


@attrs.frozen
class _Group:
    """Neighbouring rows of one label; without stretches, a break that stands for many labels."""

    label: str
    stretches: tuple[Stretch, ...]

    @property
    def rows(self) -> int:
        """The number of its rows."""
        return sum(stretch.rows for stretch in self.stretches)

    @property
    def is_of_scan(self) -> bool:
        """Whether any of its rows was read or asked for."""
        return any(stretch.is_read or stretch.is_wanted for stretch in self.stretches)

    @property
    def is_wanted(self) -> bool:
        """Whether all of its rows were asked for."""
        return all(stretch.is_wanted for stretch in self.stretches)

    @property
    def has_wanted(self) -> bool:
        """Whether any of its rows was asked for."""
        return any(stretch.is_wanted for stretch in self.stretches)

    @property
    def is_mixed(self) -> bool:
        """Whether some of its rows were asked for, and others not."""
        return len({stretch.is_wanted for stretch in self.stretches}) > 1


BREAK_BETWEEN = _Group("", ())


@attrs.frozen
class Ribbon:
    """The groups from the first to the last of a scan, and all others before and after them."""

    scanned: ScannedTable
    before: tuple[_Group, ...]
    of_scan: tuple[_Group, ...]
    after: tuple[_Group, ...]

    @classmethod
    def of(cls, scanned: ScannedTable) -> "Ribbon":
        """The ribbon of a scan that read rows, or was asked for some."""
        groups = [_Group(label, tuple(of)) for label, of in groupby(scanned.stretches, lambda stretch: stretch.label)]
        numbers = [number for number, group in enumerate(groups) if group.is_of_scan]
        first, end = numbers[0], numbers[-1] + 1
        return cls(scanned, tuple(groups[:first]), _folded(groups[first:end]), tuple(groups[end:]))

    def largest_scale(self, start: float, end: float) -> float:
        """The pixels of a row if those of the scan reach from `start` to `end`."""
        return (end - start - BREAK * self.of_scan.count(BREAK_BETWEEN)) / sum(group.rows for group in self.of_scan)


def _folded(groups: Sequence[_Group]) -> tuple[_Group, ...]:
    """The groups, with a break for several that no scan reads, and one group for those whose labels have no room.

    There is room for `MOST_LABELS`, or for as many as fit a line. Groups of which nothing was asked for are the first
    to have none.
    """
    folded: list[_Group] = []
    for is_of_scan, alike in groupby(groups, lambda group: group.is_of_scan):
        run = list(alike)
        folded += run if is_of_scan or len(run) == 1 else [BREAK_BETWEEN]
    if len(folded) > MOST_LABELS:
        folded = list(_without_others(folded))
    for most in range(min(MOST_LABELS, len(folded)), 1, -1):
        shown, others = (folded, []) if len(folded) <= most else (folded[: most - 1], folded[most - 1 :])
        stretches = chain.from_iterable(group.stretches for group in others)
        groups = (*shown, *([_Group(f"{len(others)} more", tuple(stretches))] if others else []))
        if sum(map(_label_width, groups)) <= WIDTH - 2 * MARGIN:
            return groups
    return tuple(folded[:1])


def _without_others(groups: Iterable[_Group]) -> Iterator[_Group]:
    """The groups, with one for neighbours of which nothing was asked for."""
    for is_other, alike in groupby(groups, lambda group: bool(group.rows) and not group.has_wanted):
        run = list(alike)
        stretches = tuple(chain.from_iterable(group.stretches for group in run))
        yield from [_Group(f"{len(run)} others", stretches)] if is_other and len(run) > 1 else run


def _label_above(group: _Group) -> str:
    """The label of a group as it is written above a ribbon."""
    return f"{group.label} ({group.rows:,})"


def _label_width(group: _Group) -> float:
    return width_of(_label_above(group)) + 12 if group.rows else 0


def draw_ribbons(picture: Picture, scans: Mapping[str, ScannedTable]) -> None:
    """Draws ribbons below each other to one scale, each below its caption; `picture.y` is the first caption's line."""
    ribbons = [Ribbon.of(scanned) for scanned in scans.values()]
    start = LEFT + (BEFORE if any(ribbon.before for ribbon in ribbons) else 0)
    end = RIGHT - (AFTER if any(ribbon.after for ribbon in ribbons) else 0)
    scale = min(ribbon.largest_scale(start, end) for ribbon in ribbons)
    for name, ribbon in zip(scans, ribbons, strict=True):
        _write_caption(picture, name, ribbon.scanned.ranges)
        picture.y -= 10
        _draw(picture, ribbon, start, scale)


def _write_caption(picture: Picture, name: str, ranges: Sequence[RowRange]) -> None:
    """Writes what was scanned: the values that the ranges bind, or else their bytes."""
    if values := " and ".join(filter(None, map(range_words, ranges))):
        picture.paragraph(f"{name}: {values}")
        return
    spans = [(f"{name}: ", "")]
    for number, range_ in enumerate(ranges):
        start, stop = ((_bytes_words(end), "mono") for end in (range_.start, range_.stop or b""))
        spans += [(" and ", "")] if number else []
        if range_.stop == successor(range_.start):
            spans += [("prefix ", ""), start]
        else:
            spans += [("from ", ""), start] if range_.start else []
            spans += [(" on", "")] if range_.stop is None else [(" up to ", ""), stop]
    picture.phrases(*spans)


def _bytes_words(data: bytes) -> str:
    """`"host1" 00 01`: text of three characters or more as it is, other bytes in hex."""
    pieces: list[bytes] = re.findall(rb"[ -~]{3,}|.", data, re.DOTALL)
    return " ".join(f'"{piece.decode()}"' if len(piece) > 1 else piece.hex() for piece in pieces)


@attrs.frozen
class _Placed:
    """A group on the canvas."""

    group: _Group
    left: float
    right: float
    is_neighbour: bool = False
    """Whether it comes before the first group of the scan, or after the last one."""
    cut: str = ""
    """The end, `left` or `right`, beyond which there are more of its rows."""

    @property
    def middle(self) -> float:
        """The middle of what is drawn of it."""
        return (self.left + self.right) / 2

    @property
    def has_room(self) -> bool:
        """Whether its label stands within its box."""
        return self.right - self.left >= width_of(self.group.label) * BOLD + 6


def _place(ribbon: Ribbon, start: float, scale: float) -> list[_Placed]:
    """The groups of a ribbon from left to right; the first of the scan begins at `start`.

    Of their neighbours those without room for a label are left out.
    """
    placed: list[_Placed] = []
    for group in ribbon.before[-1:]:
        left = max(LEFT, start - group.rows * scale)
        placed.append(_Placed(group, left, start, True, "left" if left == LEFT else ""))
    x = start
    for group in ribbon.of_scan:
        right = x + (group.rows * scale if group.rows else BREAK)
        placed.append(_Placed(group, x, right))
        x = right
    for group in ribbon.after[: max(1, MOST_LABELS - len(placed))]:
        right = min(RIGHT, x + group.rows * scale)
        placed.append(_Placed(group, x, right, True, "right" if right == RIGHT else ""))
        if not placed[-1].has_room:
            break
        x = right
    return [one for one in placed if one.has_room or not one.is_neighbour]


def _draw(picture: Picture, ribbon: Ribbon, start: float, scale: float) -> None:
    """Draws a ribbon from `picture.y` on, and goes on below it."""
    placed = _place(ribbon, start, scale)
    of_scan = [one for one in placed if one.group.rows and not one.is_neighbour]
    has_labels_above = any(one.group.is_mixed or not one.has_room for one in of_scan)
    if has_labels_above:
        _write_labels_above(picture, of_scan)
    height = LOW if has_labels_above else HIGH
    for one in placed:
        _draw_group(picture, one, scale, height)
        if one not in of_scan or not has_labels_above:
            _write_label(picture, one, height)
    middle = picture.y + height / 2
    if placed[0].cut or placed[0].group is not [*ribbon.before, *ribbon.of_scan][0]:
        picture.words(placed[0].left - 18, "…", y=middle)
    if placed[-1].cut or placed[-1].group is not [*ribbon.of_scan, *ribbon.after][-1]:
        picture.words(placed[-1].right + 5, "…", y=middle)
    picture.y += height
    _draw_brackets(picture, ribbon.scanned, _read_spans(placed, scale))


def _write_labels_above(picture: Picture, placed: Sequence[_Placed]) -> None:
    """Writes the labels of groups above the ribbon, each with a line to its group; none overlaps its neighbour."""
    texts = [_label_above(one.group) for one in placed]
    widths = [_label_width(one.group) for one in placed]
    x = float(MARGIN)
    for number, (one, text) in enumerate(zip(placed, texts, strict=True)):
        x = max(x, min(one.middle - widths[number] / 2, WIDTH - MARGIN - sum(widths[number:])))
        middle = x + widths[number] / 2
        picture.words(middle, text, "middle", y=picture.y + 14)
        picture.path([svg.M(round(middle, 1), picture.y + 19), svg.L(round(one.middle, 1), picture.y + 28)], "grid")
        x += widths[number]
    picture.y += 30


def _write_label(picture: Picture, one: _Placed, height: float) -> None:
    """Writes the label of a group in its box, with its number of rows if that is high enough."""
    bold = ["bold"] if one.group.rows and one.group.is_wanted else []
    picture.words(one.middle, one.group.label or "…", "middle", *bold, y=picture.y + (17 if height == HIGH else 24))
    if one.group.rows and height == HIGH:
        picture.words(one.middle, f"{one.group.rows:,}", "middle", *bold, y=picture.y + 35)


def _draw_group(picture: Picture, one: _Placed, scale: float, height: float) -> None:
    """Draws the box of a group, open where it is cut, and its stretches."""
    top, foot = picture.y, picture.y + height
    if one.cut:
        inner, outer = (one.right, one.left) if one.cut == "left" else (one.left, one.right)
        picture.path([svg.M(round(outer, 1), top), svg.H(round(inner, 1)), svg.V(foot), svg.H(round(outer, 1))], "none")
    elif one.group.rows:
        picture.box(one.left, one.right - one.left, height, "", "none")
    x = one.left
    for stretch in one.group.stretches:
        _draw_stretch(picture, stretch, x, stretch.rows * scale, height)
        x += stretch.rows * scale


def _draw_stretch(picture: Picture, stretch: Stretch, x: float, width: float, height: float) -> None:
    """Fills rows that were asked for and read; marks at the foot those that were only asked for, or only read."""
    strip = picture.y + height - STRIP
    if stretch.is_wanted and stretch.is_read:
        picture.box(x, width, height, "", "owner")
    elif stretch.is_read:
        picture.hatch(x, width, STRIP, y=strip)
    elif stretch.is_wanted:
        left, right = round(x + width / 2 - 6, 1), round(x + width / 2 + 6, 1)
        picture.path(
            [svg.M(left, strip + 2), svg.L(right, strip + 14), svg.M(right, strip + 2), svg.L(left, strip + 14)]
        )


def _read_spans(placed: Iterable[_Placed], scale: float) -> list[tuple[float, float]]:
    """The ends of each run of rows that were read."""
    spans: list[tuple[float, float]] = []
    for one in placed:
        x = one.left
        for stretch in one.group.stretches:
            end = x + stretch.rows * scale
            if stretch.is_read:
                start = spans.pop()[0] if spans and isclose(spans[-1][1], x) else x
                spans.append((start, end))
            x = end
    return spans


def _draw_brackets(picture: Picture, scanned: ScannedTable, spans: Sequence[tuple[float, float]]) -> None:
    """Draws a bracket below each run of rows that were read, and says how many they are."""
    for left, right in spans:
        ends = (left + 1, right - 1) if right - left > 4 else (left - 1, right + 1)
        down, up = svg.V(picture.y + 11), svg.V(picture.y + 4)
        picture.path([svg.M(round(ends[0], 1), picture.y + 4), down, svg.H(round(ends[1], 1)), up])
    picture.y += 29
    width = width_of(f"{scanned.count} read, {scanned.remark}")
    x = max(MARGIN, min(spans[0][0] if spans else LEFT, WIDTH - MARGIN - width))
    picture.phrase(x, (f"{scanned.count} read, ", "bold"), (scanned.remark, "second"))
    picture.y += 26
