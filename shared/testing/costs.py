"""Checks of what questions read, measured at one size of the data or at several."""

from collections.abc import Sequence

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


def broken_and_needless(
    design: Design, variant: Variant, measurements_by_size: Sequence[Sequence[Measurement]]
) -> tuple[list[str], list[str]]:
    """The facts that a variant breaks without an exemption, with figures; and the exemptions that it does not need."""
    broken: list[str] = []
    needless: list[str] = []
    for fact, figures_of in (("ranges", changes_ranges), ("rows", reads_too_many_rows)):
        for sizes in zip(*measurements_by_size, strict=True):  # one pattern at every size
            if any(size.refused for size in sizes):
                continue
            pattern, figures = sizes[0].pattern, figures_of(sizes)
            is_exempt = pattern in exempt(design, variant, fact)
            if figures and not is_exempt:
                broken.append(f"{pattern.question}: {figures}")
            elif is_exempt and not figures:
                needless.append(f"{pattern.question}: is exempt from {fact}, and does not need to be")
    return broken, needless
