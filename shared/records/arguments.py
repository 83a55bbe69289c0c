"""Checks of a question's arguments, before anything is computed from them.

Arguments that go straight into a condition need no check: the codec of the part refuses them.

Types are exact, as in records: a bool is not an int. The errors name argument, what was wanted and what was given.
"""

from ..keys.errors import InvalidQuestion, shown


def check_text(name: str, value: object, *, empty: bool = True) -> None:
    """Raises InvalidQuestion for a value that is not text, or is empty if `empty` is false."""
    if type(value) is not str or not (value or empty):
        raise InvalidQuestion(f"{name}: must be {'text' if empty else 'text, not empty'} (got {shown(value)})")


def check_int(name: str, value: object, first: int | None = None, last: int | None = None) -> None:
    """Raises InvalidQuestion for a value that is not an int, or is below `first`, or above `last`."""
    if type(value) is not int or (first is not None and value < first) or (last is not None and value > last):
        wanted = "an int" if first is None else f"{first} or more" if last is None else f"{first}..{last}"
        raise InvalidQuestion(f"{name}: must be {wanted} (got {shown(value)})")


def check_one_of(name: str, value: object, *values: str) -> None:
    """Raises InvalidQuestion for a value that is not one of these texts."""
    if type(value) is not str or value not in values:
        raise InvalidQuestion(f"{name}: must be one of {', '.join(values)} (got {shown(value)})")
