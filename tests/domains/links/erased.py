"""An owner who is erased, for the tests of erasures."""

from collections.abc import Callable

import attrs

from domains.links import Link, Links, OwnedLink
from domains.links.design import DESIGN
from domains.links.links import OF_OWNER
from shared.testing import ErasedPerson

ERASED_OWNER, OTHER = "owner-to-erase", "ann"
LINKS = [
    Link(f"code-{number}", f"https://example.com/{number}", OTHER if number % 3 == 2 else ERASED_OWNER, 1_000 + number)
    for number in range(6)
]


def six_links(open_repository: Callable[..., Links]) -> None:
    for link in LINKS:
        open_repository().add(link)


def come_back(links: Links, time_ms: int) -> list[OwnedLink]:
    late = Link("code-late", "https://example.com/late", ERASED_OWNER, time_ms)
    links.add(late)
    return OF_OWNER.shown([late])


def add(links: Links) -> None:
    come_back(links, 9_000)


def repair(links: Links) -> None:
    list(links.upkeep.repair())


OF_OTHER = [link for link in LINKS if link.owner == OTHER]
ERASED = ErasedPerson(
    ERASED_OWNER,
    variants=DESIGN.variants,
    before=six_links,
    seen=lambda links: list(links.of_owner(ERASED_OWNER)),
    others=lambda links: [*(links.link(link.code) for link in LINKS), *links.of_owner(OTHER)],
    kept=[
        *(link if link in OF_OTHER else attrs.evolve(link, owner=None) for link in LINKS),
        *OF_OWNER.shown(reversed(OF_OTHER)),
    ],
    comes_back=come_back,
    rivals=(add, repair),
    ends_dead=False,
)
