"""The verdict on a question: what it costs, in a few words; and what such words mean."""

import re
from collections.abc import Iterable, Iterator

from ..queries.pages import READ_AT_MOST
from .metering import Measurement

LEGEND = (
    (r"1 range", "one get, or one scan that reads the answer and at most two rows beyond it."),
    (r"(\d+) ranges", "{1} gets or scans. If a cell gives no number of ranges, it is one."),
    (r"1 range, (\d+) gets?", "one scan, then one call that gets the {1} rows that the scanned rows name."),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, filtered",
        "{1} rows are read for each row returned, and the client drops those that do not match. After reading "
        f"{READ_AT_MOST:,} rows a page ends early, with a cursor.",
    ),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, server filter",
        "{1} rows are read for each row returned; the region server drops those that do not match. The more of "
        "them, the larger the factor.",
    ),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, computed",
        "the client computes the answer, and reads {1} rows for each value of it; if a row holds many records, "
        "the number counts cells.",
    ),
    (
        r"(?:\d+ ranges, )?([\d.]+)x, sorted",
        "{1} rows are read for each row returned; those that do not match are dropped, and the client sorts the "
        f"rest. Each page reads all rows of its ranges; if there are more than {READ_AT_MOST:,}, it is refused.",
    ),
    (r"wrong answer", "the variant has lost records that belong to the answer, so no cost is shown."),
    (r"refused", "no range of the row key answers the question."),
)
"""The kinds of verdicts, each with what it means; 0 is the whole verdict, 1 its number."""


def verdict(measurement: Measurement) -> str:
    """What a question costs, in a few words.

    `1 range`, `8 ranges`: only rows that match are read. `1 range, 6 gets`: then the rows that those of the range name.
    `6.2x, filtered`: 6.2 rows are read for each row returned, from one range, gets besides; `8 ranges, 6.2x, filtered`:
    from eight. `6.2x, computed`: the answer is made of 6.2 times as many. `wrong answer`: whatever it costs.
    """
    words = without_ranges(measurement)
    ranges, _gets = _ranges_and_gets(measurement)
    names_ranges = ranges > 1 and not measurement.is_wrong and _work_beyond_ranges(measurement)
    return f"{_counted(ranges, 'range')}, {words}" if names_ranges else words


def price(measurements: Iterable[Measurement]) -> str:
    """What all questions together cost, in a few words: `2 of 7 questions exact, the others up to 57.5x, sorted`."""
    measurements = list(measurements)
    exact = sum(map(is_exact, measurements))
    words = f"{exact or 'none'} of {_counted(len(measurements), 'question')} exact"
    answered = [measurement for measurement in measurements if not measurement.refused]
    if wrong := sum(measurement.is_wrong for measurement in answered):
        return f"{words}, {_counted(wrong, 'wrong answer')}"
    others = [measurement for measurement in answered if not is_exact(measurement)]
    if not others:
        return words
    most = verdict(max(others, key=_factor))
    if len(others) == 1:
        return f"{words}, the other: {most}"
    return f"{words}, {'the others ' if exact else ''}up to {most}"


def _factor(measurement: Measurement) -> float:
    read, returned = measurement.read_and_returned
    return read / max(returned, 1)


def is_exact(measurement: Measurement) -> bool:
    """Whether the answer read nothing but its own rows, and at most two more for each range."""
    return not (measurement.refused or measurement.is_wrong or _work_beyond_ranges(measurement))


def without_ranges(measurement: Measurement) -> str:
    """The verdict beside a column that has the number of ranges."""
    if measurement.refused:
        return "refused"
    if measurement.is_wrong:
        return "wrong answer"
    if work := _work_beyond_ranges(measurement):
        return f"{_read_for_each(measurement)}, {work}"
    ranges, gets = _ranges_and_gets(measurement)
    return _counted(ranges, "range") + (f", {_counted(gets, 'get')}" if gets else "")


def _ranges_and_gets(measurement: Measurement) -> tuple[int, int]:
    """The number of ranges, and that of gets besides; gets alone are ranges of one row."""
    gets = sum(read.is_get for read in measurement.reads)
    scans = len(measurement.reads) - gets
    return (scans, gets) if scans else (gets, 0)


def _work_beyond_ranges(measurement: Measurement) -> str:
    """What is done to rows after they are read: dropped, sorted, or the answer computed of them; empty if nothing."""
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
