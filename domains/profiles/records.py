"""The application's records: a profile, an order as a page shows it, and the page. Nothing here knows of storage."""

from collections.abc import Mapping, Sequence

import attrs

from shared.records import LAST_MS, integer, text, texts_by_name


@attrs.frozen
class Profile:
    """A user's profile, as it was stored at one time."""

    user_id: str = attrs.field(validator=text())
    name: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """When it last changed, milliseconds since 1970-01-01 UTC; the timestamp of its cells too, so never below 0."""
    email: str = attrs.field(default="", validator=text(empty=True))
    age: int | None = attrs.field(default=None, validator=attrs.validators.optional(integer(0, 150)))
    """In years; None if it is not known, also if the profile was stored before there was this field."""
    attributes: Mapping[str, str] = attrs.field(factory=dict[str, str], validator=texts_by_name(), hash=False)
    """Everything else that is known of the user, by name."""


@attrs.frozen
class OrderSummary:
    """An order, as the page of its user shows it. It does not change; the order itself is stored elsewhere."""

    user_id: str = attrs.field(validator=text())
    time_ms: int = attrs.field(validator=integer(0, LAST_MS))
    """When placed, milliseconds since 1970-01-01 UTC; the timestamp of its cell too, so never below 0."""
    order_id: str = attrs.field(validator=text())
    item: str = attrs.field(default="", validator=text(empty=True))
    amount: int = attrs.field(default=0, validator=integer())
    """In the smallest unit of the currency, up to 64 bits."""


@attrs.frozen
class UserPage:
    """What the page of a user shows."""

    profile: Profile | None
    """None if orders of the user are stored, but no profile."""
    orders: tuple[OrderSummary, ...]
    """The newest orders, the newest first."""


def page_of(profile: Profile | None, newest: Sequence[OrderSummary]) -> UserPage | None:
    """The page of a user with this profile and these orders; None if there is neither."""
    return UserPage(profile, tuple(newest)) if profile is not None or newest else None
