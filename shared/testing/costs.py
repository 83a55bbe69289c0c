"""Checks of what questions read, measured at one size of the data or at several."""

from collections.abc import Iterator, Sequence

from ..designs import AccessPattern, Design, Measurement, Variant

ROWS_FOR_ONE = 2
"""A scan reads one row past its range to see that it ends, and of several merged ranges each a little ahead."""


def exempt(design: Design, variant: Variant, fact: str) -> list[AccessPattern]:
    """The patterns that a variant exempts from a fact."""
    exemptions = [exemption for exemption in (*design.exemptions, *variant.exemptions) if exemption.fact == fact]
    return [pattern for exemption in exemptions for pattern in exemption.patterns]


def changes_ranges(sizes: Sequence[Measurement]) -> str:
    """The number of ranges that a pattern reads at each size, if it is not constant."""
    ranges = [len(size.reads) for size in sizes]
    return f"reads {', '.join(map(str, ranges))} ranges" if len({*ranges}) > 1 else ""


def reads_too_many_rows(sizes: Sequence[Measurement]) -> str:
    """The rows that a pattern reads and returns at the first size at which they are out of proportion.

    Of rows that hold many records their cells are counted, unless a server-side filter drops whole rows.
    """
    for size in sizes:
        (read, returned), ranges = size.read_and_returned, len(size.reads)
        if read > ROWS_FOR_ONE * (returned + ranges):
            return f"reads {read} rows, returns {returned} (ranges: {ranges})"
    return ""


def broken_facts(measurements_by_size: Sequence[Sequence[Measurement]]) -> Iterator[tuple[str, AccessPattern, str]]:
    """The facts that a variant breaks, each with the pattern and figures, exempt or not."""
    for sizes in zip(*measurements_by_size, strict=True):  # one pattern at every size
        if not any(size.refused for size in sizes):
            for fact, figures in (("ranges", changes_ranges(sizes)), ("rows", reads_too_many_rows(sizes))):
                if figures:
                    yield fact, sizes[0].pattern, figures
