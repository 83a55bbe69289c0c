"""What may change in a design that holds data: each change is shown by a test, and the page lists them."""

from collections.abc import Callable

from attrs import frozen


@frozen
class Change:
    """A change of a release, whether its tables stay, and the steps of its deployment."""

    what: str
    keeps_table: bool
    order: str


CHANGES: list[Change] = []


def change(what: str, order: str, *, keeps_table: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Lists what a test shows."""

    def listed(test: Callable[..., None]) -> Callable[..., None]:
        CHANGES.append(Change(what, keeps_table, order))
        return test

    return listed
