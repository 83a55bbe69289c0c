"""Actions in a plain list: what every variant has to answer."""

from domains.activity.design import DESIGN
from shared.keys import InvalidQuestion
from shared.records import LAST_MS
from tests.domains.plain_lists import PlainList

TIME_AFTER_USER = ("activity", "hash-prefix", "legible-hash", "reversed", "user-and-time")
WITHOUT_PREFIXES = ("hash-prefix", "legible-hash", "reversed")


class PlainActivity:
    """The questions of `ActivityRepository`, newest first unless it promises another order."""

    def __init__(self, variant, actions):
        self.variant = variant
        has_tie = variant != "user-and-time"  # without one it keeps the last action of a user and a millisecond
        by_key = {(action.user, action.time_ms, action.tie if has_tie else b""): action for action in actions}
        self.actions = sorted(by_key.values(), key=lambda action: action.tie, reverse=True)
        self.actions.sort(key=lambda action: (-action.time_ms, action.user))

    def of_user(self, user, since_ms=None, until_ms=None, verb=None):
        wanted = {"user": user} if verb is None else {"user": user, "verb": verb}
        return self._between(since_ms, until_ms, **wanted)

    def of_all(self, since_ms=None, until_ms=None):
        if self.variant in TIME_AFTER_USER:
            raise InvalidQuestion("needs a user")
        return self._between(since_ms, until_ms)

    def users_like(self, user_prefix, since_ms=None, until_ms=None):
        if not user_prefix or self.variant in WITHOUT_PREFIXES:
            raise InvalidQuestion("needs a user")
        return {action for action in self._between(since_ms, until_ms) if action.user.startswith(user_prefix)}

    def action(self, user, time_ms, tie):
        found = self._between(time_ms, time_ms + 1, user=user, tie=tie)
        return found[0] if found else None

    def _between(self, since_ms, until_ms, **wanted):
        since_ms, until_ms = since_ms or 0, LAST_MS + 1 if until_ms is None else until_ms
        return [
            action
            for action in self.actions
            if since_ms <= action.time_ms < until_ms
            and all(getattr(action, name) == value for name, value in wanted.items())
        ]


TIMES_MS = [0, 1, 2, 999, 1000, 1001, 86_400_000]
TIES = [bytes(8), bytes([0] * 7 + [1]), b"\xff" * 8]

PLAIN_LIST = PlainList(
    DESIGN,
    PlainActivity,
    {
        "user": ["a", "ab", "b", "u-1", "u-17", "123", "0123", "é"],
        "verb": ["read", "write", "it's"],
        "time_ms": TIMES_MS,
        "tie": TIES,
        "since_ms": TIMES_MS,
        "until_ms": TIMES_MS,
        "user_prefix": ["", "a", "ab", "u-1", "?", "é"],
    },
)
