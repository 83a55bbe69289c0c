"""Values that Python can hardly show: too deep for `repr`, or ints of too many digits."""

from typing import Any

import pytest


def nested(kind: type[Any] = list, levels: int = 2000) -> Any:
    """A list, tuple or dict so many levels deep."""
    value = kind()
    for _ in range(levels):
        value = {"in": value} if kind is dict else kind([value])
    return value


HARD_TO_SHOW: dict[str, Any] = {
    **{kind.__name__: nested(kind) for kind in (list, tuple, dict)},
    "int": 10**5000,
    "int in a list": [10**5000],
    "int in a dict": {"a": -(10**5000)},
}
hard_to_show = pytest.mark.parametrize("value", HARD_TO_SHOW.values(), ids=HARD_TO_SHOW)
