"""Two ways that cross: what each costs as something grows, and from where on the other one costs less."""

from collections.abc import Sequence
from itertools import groupby

import attrs


@attrs.frozen
class Series:
    """One way, and what it costs at each place of the horizontal axis."""

    name: str
    values: Sequence[float]
    """One for each place, all above 0."""


@attrs.frozen
class Panel:
    """The ways, in one unit."""

    counted: str
    """What the values count, with their unit."""
    along: str
    """What the places of the horizontal axis count."""
    series: Sequence[Series]


@attrs.frozen
class Crossing:
    """Ways that cross, measured on small loads."""

    title: str
    headline: str
    """The result, as a short sentence without a full stop."""
    places: Sequence[int]
    """The places of the horizontal axis, which rise by the same factor from each one to the next."""
    panels: Sequence[Panel]
    """One for each unit, below each other; at most three."""
    sentence: str
    """Where the ways cross, and what each of them costs there."""


def lower_where(places: Sequence[int], what: str, *ways: Series) -> str:
    """Which of the ways is the lowest, and at which places: `pushing up to 64 followers and pulling from 256 on`.

    Here `what` is "followers". Places at which the lowest ones are equal are left out.
    """
    lowest: list[str] = []
    for values in zip(*(way.values for way in ways), strict=True):
        names = [way.name for way, value in zip(ways, values, strict=True) if value == min(values)]
        lowest.append(names[0] if len(names) == 1 else "")
    words: list[str] = []
    unit = f" {what}"
    for name, run in groupby(zip(lowest, places, strict=True), key=lambda pair: pair[0]):
        if not name:
            continue
        at = [place for _name, place in run]
        begins, ends = at[0] == places[0], at[-1] == places[-1]
        if begins and ends:
            words.append(name)
        elif begins:
            words.append(f"{name} up to {at[-1]}{unit}")
        else:
            words.append(f"{name} from {at[0]}{unit} {'on' if ends else f'to {at[-1]}'}")
        unit = ""
    return " and ".join(words) or "neither"
