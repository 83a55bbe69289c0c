"""Plans: which of the coming calls goes wrong, and how. A plan is a function of its seed."""

from enum import StrEnum
from random import Random

from attrs import frozen


class Kind(StrEnum):
    """What happens to a call on its way."""

    LATE_REPLY = "late reply"
    """The reply comes once the client has given up."""
    STALLED_REPLY = "stalled reply"
    """A part of the reply comes in time, the rest as late."""
    CUT_REPLY = "cut in the reply"
    """A part of the reply, then the connection ends."""
    CUT_BEFORE = "cut before the gateway"
    """The connection ends, and the gateway never hears of the call."""
    CUT_AFTER = "cut after the gateway"
    """The gateway has answered, the connection ends without a byte of it."""
    NO_REPLY = "no reply"
    """The gateway has answered, the client hears nothing more on this connection, which stays open."""
    NO_REQUEST = "no request"
    """The gateway never hears of the call, nor the client of the gateway; the connection stays open."""
    LATE_REQUEST = "late request"
    """The call comes to the gateway once the client has given up."""
    IDLE_CLOSE = "idle close"
    """The whole reply, then the connection closes."""
    RESTART = "restart in the call"
    """The gateway restarts and never hears of the call; all connections end, all scanners are forgotten."""
    RESTART_AFTER = "restart after the call"
    """The same after the reply."""
    EXPIRED = "scanner expired"
    """The gateway has forgotten the scanner that this call fetches from."""


PLANS = {
    "late": (Kind.LATE_REPLY, Kind.STALLED_REPLY),
    "cut-reply": (Kind.CUT_REPLY,),
    "cut-before": (Kind.CUT_BEFORE,),
    "cut-after": (Kind.CUT_AFTER,),
    "black-hole": (Kind.NO_REPLY, Kind.NO_REQUEST, Kind.LATE_REQUEST),
    "idle": (Kind.IDLE_CLOSE,),
    "restart": (Kind.RESTART, Kind.RESTART_AFTER),
    "expired": (Kind.EXPIRED,),
    "mixed": tuple(Kind),
}

# One call in so many goes wrong; where each costs a timeout, fewer.
_ONE_IN = {"late": 60, "black-hole": 80, "restart": 40, "mixed": 40}
_ONE_IN_OTHERWISE = 15

_EVERY_CALL_IS_ANSWERED = {Kind.IDLE_CLOSE, Kind.EXPIRED}


@frozen
class Fault:
    """What goes wrong with one call."""

    kind: Kind
    share: float
    """Of the reply, how much comes before it stalls or is cut."""
    reset: bool
    """Whether the connection ends with a reset instead of an end of stream."""


@frozen
class Plan:
    """The faults of a run."""

    name: str
    seed: int

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The faults that happen here."""
        return PLANS[self.name]

    @property
    def hides_outcomes(self) -> bool:
        """Whether a call may end without the client knowing what it did."""
        return not _EVERY_CALL_IS_ANSWERED.issuperset(self.kinds)

    def fault(self, number: int, call: str) -> Fault | None:
        """What goes wrong with this call, the `number`-th that comes."""
        dice = Random(f"{self.seed} {self.name} {number}")
        if dice.randrange(_ONE_IN.get(self.name, _ONE_IN_OTHERWISE)):
            return None
        kinds = [kind for kind in self.kinds if kind != Kind.EXPIRED or call == "scannerGetList"]
        if not kinds:
            return None
        return Fault(dice.choice(kinds), share=dice.random(), reset=dice.random() < 0.5)
