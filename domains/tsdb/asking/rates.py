"""Rates: the change of a series per second, with OpenTSDB's results."""

import attrs
import numpy as np

from ..records import LAST_INT
from .series import Values


@attrs.frozen
class Rate:
    """How changes become rates. A counter only grows: a smaller number means that it started again after `max`."""

    is_counter: bool = False
    max: int = LAST_INT
    reset: float = 0
    """If a new start would give a rate above this, it is 0, because the counter was reset. 0 means no such limit."""
    drops_resets: bool = False
    """Leaves out the point at which a counter is smaller than before."""


def rates(values: Values, how: Rate) -> Values:
    """The change per second since the previous point, always floats.

    The first point has a rate, too: the one since 0 in 1970. `aggregated` does not return it, but uses it as the rate
    until the second point, as OpenTSDB does.
    """
    seconds = np.diff(values.times_ms, prepend=0) / 1000.0
    before_ints = np.concatenate([np.zeros(1, np.int64), values.ints])[:-1]
    before = np.concatenate([np.zeros(1), values.numbers])[:-1]
    are_ints = ~(values.are_floats | np.concatenate([np.zeros(1, np.bool_), values.are_floats])[:-1])
    changes = np.where(are_ints, (values.ints - before_ints).astype(np.float64), values.numbers - before)
    if not how.is_counter:
        return Values.of_floats(values.times_ms, changes / seconds)
    is_smaller = changes < 0
    if how.drops_resets:
        return Values.of_floats(values.times_ms[~is_smaller], (changes / seconds)[~is_smaller])
    int_rolled = (np.int64(how.max) - before_ints + values.ints).astype(np.float64)
    rolled = np.where(are_ints, int_rolled, how.max - before + values.numbers) / seconds
    if how.reset > 0:
        rolled[rolled > how.reset] = 0.0
    return Values.of_floats(values.times_ms, np.where(is_smaller, rolled, changes / seconds))
