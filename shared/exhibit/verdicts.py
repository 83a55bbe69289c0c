"""The verdict on a question: its cost in a few words, and the meaning of these words."""

import re
from collections.abc import Iterable, Iterator

from ..designs.metering import Measurement
from ..queries.pages import READ_AT_MOST

LEGEND = (
    (r"1 range", "one get, or one scan that reads the answer and at most two rows beyond it."),
    (r"(\d+) ranges", "{1} gets or scans. A cell without a number of ranges means one range."),
    (r"1 range, 1 get", "one get, and one scan that reads the answer and at most two rows beyond it."),
    (r"1 range, (\d+) gets", "one scan, then one call that gets the {1} rows that the scanned rows name."),
    (r"(\d+) ranges, 1 get", "{1} scans, and one get."),
    (r"(\d+) ranges, (\d+) gets", "{1} scans, and calls that get the {2} rows that the scanned rows name."),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, filtered",
        "{1} rows are read for each row returned; the client drops the others. A page ends early, with a cursor, once "
        f"it has read {READ_AT_MOST:,} rows.",
    ),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, server filter",
        "{1} rows are read for each row returned; the region server drops the others.",
    ),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, computed",
        "the client reads {1} rows to compute each value of the answer; if a row holds many records, the number counts "
        "cells.",
    ),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, sorted",
        "{1} rows are read for each row returned; the others are dropped, and the client sorts the answer. Each page "
        f"reads all rows of its ranges, and is refused if there are more than {READ_AT_MOST:,}.",
    ),
    (r"wrong answer", "the variant has lost records that belong to the answer, so no cost is shown."),
    (r"refused", "no range of the row key answers the question."),
)
"""The kinds of verdicts, each with its meaning; 0 is the whole verdict, 1 its number."""


def verdict(measurement: Measurement) -> str:
    """The cost of a question, in a few words.

    `1 range`, `8 ranges`: only rows that match are read. `1 range, 6 gets`: then the six rows that the scanned rows
    name. `6.2x, filtered`: 6.2 rows are read for each row returned, from one range (gets are not named); `8 ranges,
    6.2x, filtered`: from eight. `6.2x, computed`: the answer is computed from 6.2 times as many rows. `wrong answer`:
    at any cost.
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
    return _counted(ranges, "range") + (f", {_counted(gets, 'get')}" if gets else "")


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
    """The first verdict of each kind, with what it means."""
    verdicts = list(dict.fromkeys(map(verdict, measurements)))
    for pattern, meaning in LEGEND:
        matches = (re.fullmatch(pattern, words) for words in verdicts)
        if match := next(filter(None, matches), None):
            yield match[0], meaning.format(match[0], *match.groups())
