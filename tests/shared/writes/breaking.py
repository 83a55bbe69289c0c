"""Rules of the write protocol, broken on purpose: pieces of `intents.py` replaced by wrong ones."""

import inspect
import textwrap
from typing import Any

import attrs
import pytest

from shared.writes import intents
from shared.writes.intent_rows import IntentRows
from shared.writes.intents import IntentWriter


@attrs.frozen
class Break:
    """Source text of a function of `intents.py`, and what replaces it. Each text must occur once."""

    function: str
    """Of `IntentWriter` or `IntentRows`, or of the module."""
    replaced: dict[str, str]

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        owner: Any = next(owner for owner in (IntentWriter, IntentRows, intents) if hasattr(owner, self.function))
        function = getattr(owner, self.function)
        source = textwrap.dedent(inspect.getsource(function))
        for old, new in self.replaced.items():
            if source.count(old) != 1:
                raise ValueError(f"{self.function}: must have this once (got {source.count(old)} times): {old}")
            source = source.replace(old, new)
        made: dict[str, Any] = {}
        exec(source, function.__globals__, made)
        patch.setattr(owner, self.function, made[self.function])


PUT_INTENT = "self._slots.begin(intent, started_ms)"
PUT_LINES = "self.put(first, before_decision_ms(source, began))"

BREAKS = {
    "no intent is put": Break("_attempt", {PUT_INTENT: "pass"}),
    "the lines are put before the intent": Break(
        "_attempt", {f"{PUT_INTENT}\n        {PUT_LINES}": f"{PUT_LINES}\n        {PUT_INTENT}"}
    ),
    "the lines are put after the decision": Break(
        "_attempt", {PUT_LINES: "pass", "current = self._complete": f"{PUT_LINES}\n        current = self._complete"}
    ),
    "lines are put at T - 1": Break("before_decision_ms", {"source.time_ms + 1": "source.time_ms - 1"}),
    "lines of a new source are put above its T": Break("before_decision_ms", {"- KEEP_TOMBSTONES_MS": "+ 10"}),
    "deletes are dated T + 1": Break("_agree", {"source.time_ms - 1": "source.time_ms + 1"}),
    "deletes do not spare the present record": Break("_agree", {"named - derived.keys()": "named"}),
    "the source is put without a check": Break(
        "check_and_put", {"source.cell, new.cell": "self.reader.read(row).cell, new.cell"}
    ),
    "a source has the same bytes twice": Break(
        "next_revision", {"pack_revision(revision, time_ms, writes,": "pack_revision(1, time_ms - time_ms, (),"}
    ),
    "a writer whose reply was lost does not raise": Break(
        "_outcome", {" and not source.leaves_open(intent.revision, intent.write_id)": ""}
    ),
    "a recoverer never raises": Break(
        "_recover", {"self._outcome(slot.intent, raises_always=True)": "self.reader.read(slot.source_row)"}
    ),
    "a recoverer raises only what is open": Break("_recover", {", raises_always=True": ""}),
    "revisions differ by 1": Break("next_revision", {"REVISION_STEP_MS": "1"}),
    "step 5 is not done again after the window": Break("_complete", {"not self.is_past_window(began)": "True"}),
    "an ended intent is dated above the next one": Break("end", {"at_ms)": "at_ms + 1000)"}),
    "step 5 puts cells that the intent does not name": Break(
        "_agree", {"if cell in named and cell[0] in tables": "if puts_moving or cell[0] not in self.moving"}
    ),
    "an intent names rows that appear or disappear only": Break(
        "of_changed_lines", {"old.items() ^ new.items()": "((cell, None) for cell in old.keys() ^ new.keys())"}
    ),
}
