"""Actions in a plain list: what every variant has to answer."""

from domains.activity import Action
from domains.activity.shown.design import DESIGN
from shared.keys import InvalidQuestion
from shared.records import tie_of
from shared.testing import PlainList, in_period

TIME_AFTER_USER = ("activity", "hash-prefix", "legible-hash", "reversed", "user-and-time")
WITHOUT_PREFIXES = ("hash-prefix", "legible-hash", "reversed")


class PlainActivity:
    """The questions of `ActivityRepository`, newest first unless it promises another order."""

    def __init__(self, variant, actions):
        self.variant = variant
        if variant == "user-and-time":  # without a tie it keeps the last action of a user and millisecond
            actions = {(action.user, action.time_ms): action for action in actions}.values()
        self.actions = sorted(actions, key=lambda action: action.tie, reverse=True)
        self.actions.sort(key=lambda action: (-action.time_ms, action.user))

    def of_user(self, user, since_ms=None, until_ms=None, verb=None):
        return in_period(self.actions, since_ms, until_ms, user=user, verb=verb)

    def of_all(self, since_ms=None, until_ms=None):
        if self.variant in TIME_AFTER_USER:
            raise InvalidQuestion("needs a user")
        return in_period(self.actions, since_ms, until_ms)

    def users_like(self, user_prefix, since_ms=None, until_ms=None):
        if not user_prefix or self.variant in WITHOUT_PREFIXES:
            raise InvalidQuestion("needs a user")
        return {action for action in in_period(self.actions, since_ms, until_ms) if action.user.startswith(user_prefix)}

    def action(self, user, time_ms, tie):
        if self.variant == "user-and-time":
            raise InvalidQuestion("has no tie")
        found = in_period(self.actions, time_ms, time_ms + 1, user=user, tie=tie)
        return found[0] if found else None


TIMES_MS = [0, 1, 2, 999, 1000, 1001, 86_400_000]

PLAIN_LIST = PlainList(
    DESIGN,
    PlainActivity,
    {
        "user": ["a", "ab", "b", "u-1", "u-17", "123", "0123", "é"],
        "verb": ["read", "write", "it's"],
        "time_ms": TIMES_MS,
        "action.tie": [tie_of(Action("a", "read", 0)), bytes(8)],
        "since_ms": TIMES_MS,
        "until_ms": TIMES_MS,
        "user_prefix": ["", "a", "ab", "u-1", "?", "é"],
    },
)
