"""Two ways that cross: what each costs as something grows, and from where on the other one costs less."""

from collections.abc import Sequence

import attrs


@attrs.frozen
class Series:
    """One way, and what it costs at each place of the horizontal axis."""

    name: str
    values: Sequence[float]
    """One for each place, all above 0."""


@attrs.frozen
class Crossing:
    """Two ways that cross, measured on small loads."""

    headline: str
    """The result as a person would say it, without a full stop."""
    counted: str
    """What the values count, with their unit."""
    along: str
    """What the places of the horizontal axis count."""
    places: Sequence[int]
    """The places of the horizontal axis, which rise by the same factor from each one to the next."""
    ways: tuple[Series, Series]
    sentence: str
    """What the picture does not show: where the ways cross otherwise, and what else each of them costs."""
