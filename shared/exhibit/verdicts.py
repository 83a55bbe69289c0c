"""The verdict on a question: its cost in a few words, and the meaning of these words."""

import re
from collections.abc import Iterable, Iterator

import attrs

from ..designs.metering import Measurement
from ..queries.pages import READ_AT_MOST


@attrs.frozen
class Form:
    """A form of verdicts, with what it means."""

    pattern: str
    """A regular expression, whose groups are the numbers."""
    example: str
    meaning: str
    """The meaning, with `{1}` for the first number of the verdict."""

    def says(self, words: str) -> str:
        """What a verdict means; empty if it has another form."""
        match = re.fullmatch(self.pattern, words)
        return self.meaning.format(*match.group(0, *range(1, match.re.groups + 1))) if match else ""


LEGEND = (
    Form(r"1 range", "1 range", "one get, or one scan that reads the answer and at most two rows beyond it."),
    Form(r"(\d+) ranges", "8 ranges", "{1} gets or scans. A cell without a number of ranges means one range."),
    Form(
        r"(\d+ scans?) \+ (\d+ calls?) for (\d+ rows?)",
        "1 scan + 1 call for 6 rows",
        "{1} of a list, then {2} to get the {3} that the list names.",
    ),
    Form(
        r"(?:\d+ ranges, )?([\d.]+)x, filtered",
        "19.8x, filtered",
        "{1} rows are read for each row returned; the client drops the others. A page ends early, with a cursor, once "
        f"it has read {READ_AT_MOST:,} rows.",
    ),
    Form(
        r"(?:\d+ ranges, )?([\d.]+)x, server filter",
        "19.8x, server filter",
        "{1} rows are read for each row returned; the region server drops the others.",
    ),
    Form(
        r"(?:\d+ ranges, )?([\d.]+)x, sorted",
        "19.8x, sorted",
        "{1} rows are read for each row returned, and the client sorts the answer. Each page reads all rows of its "
        f"ranges, and is refused if there are more than {READ_AT_MOST:,}.",
    ),
    Form(
        r"(?:\d+ ranges, )?([\d.]+)x, computed",
        "3.6x, computed",
        "the client reads {1} rows to compute each value of the answer; if a row holds many records, it counts cells.",
    ),
    Form(r"wrong answer", "wrong answer", "the variant has lost records that belong to the answer."),
    Form(r"refused", "refused", "the row key has no range for this question, so it is not asked."),
)
"""The forms of verdicts, each with its meaning."""


def verdict(measurement: Measurement) -> str:
    """The cost of a question, in a few words.

    `1 range`, `8 ranges`: only rows that match are read. `1 scan + 1 call for 6 rows`: then six rows that the scanned
    ones name. `6.2x, filtered`: 6.2 rows are read for each row returned, from one range (gets are not named); `8
    ranges, 6.2x, filtered`: from eight. `6.2x, computed`: the answer is computed from 6.2 times as many rows. `wrong
    answer`: at any cost.
    """
    words = without_ranges(measurement)
    ranges, _gets = ranges_and_gets(measurement)
    names_ranges = ranges > 1 and not measurement.is_wrong and _work_beyond_ranges(measurement)
    return f"{_counted(ranges, 'range')}, {words}" if names_ranges else words


def price(measurements: Iterable[Measurement]) -> str:
    """What all questions together cost, as a sentence: `2 of 7 questions read only their answers; the others ...`."""
    measurements = list(measurements)
    exact = sum(map(is_exact, measurements))
    reads = "reads only its answer" if exact == 1 else "read only their answers"
    words = f"{exact or 'None'} of {_counted(len(measurements), 'question')} {reads}"
    others = [measurement for measurement in measurements if not measurement.refused and not is_exact(measurement)]
    if not others:
        return "Every question reads only its answer." if exact == len(measurements) else f"{words}."
    most = verdict(max(others, key=_factor))
    rest = "the other costs" if len(others) == 1 else "the others cost up to" if exact else "they cost up to"
    return f"{words}; {rest} {most}."


def _factor(measurement: Measurement) -> float:
    read, returned = measurement.read_and_returned
    return read / max(returned, 1)


def is_exact(measurement: Measurement) -> bool:
    """Whether the answer read nothing but its own rows, and at most two more for each range."""
    return not (measurement.refused or measurement.is_wrong or _work_beyond_ranges(measurement))


def without_ranges(measurement: Measurement) -> str:
    """The verdict without the number of ranges, for tables that have a column for it."""
    if measurement.refused:
        return "refused"
    if measurement.is_wrong:
        return "wrong answer"
    if work := _work_beyond_ranges(measurement):
        return f"{_read_for_each(measurement)}, {work}"
    ranges, gets = ranges_and_gets(measurement)
    if not gets:
        return _counted(ranges, "range")
    calls = len({read.call for read in measurement.reads if read.is_get})
    return f"{_counted(ranges, 'scan')} + {_counted(calls, 'call')} for {_counted(gets, 'row')}"


def ranges_and_gets(measurement: Measurement) -> tuple[int, int]:
    """The numbers of ranges and of further gets; if there are only gets, they are ranges of one row."""
    gets = sum(read.is_get for read in measurement.reads)
    scans = len(measurement.reads) - gets
    return (scans, gets) if scans else (gets, 0)


def _work_beyond_ranges(measurement: Measurement) -> str:
    """The work on rows after they are read: filtered, sorted, or computed; empty if there is none."""
    if "order" in measurement.client_work:
        return "sorted"
    if measurement.client_work:
        return "filtered"
    if measurement.is_computed:
        return "computed"
    return "server filter" if measurement.is_server_filtered else ""


def _read_for_each(measurement: Measurement) -> str:
    read, returned = measurement.read_and_returned
    return f"{read / returned:.1f}x" if returned else f"{read} for none"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def legend(measurements: Iterable[Measurement]) -> Iterator[tuple[str, str]]:
    """The first verdict of each form, with what it means."""
    verdicts = list(dict.fromkeys(map(verdict, measurements)))
    for form in LEGEND:
        words = next(filter(form.says, verdicts), "")
        if words:
            yield words, form.says(words)
